//! Counts of what was compared.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::compare::{Difference, Verdict};

#[derive(Default)]
struct Family {
    cases: usize,
    agree: usize,
    unsure: usize,
    skipped: usize,
    wrong: BTreeMap<&'static str, usize>,
}

/// Counts by family, by field and by reason.
#[derive(Default)]
pub struct Tally {
    families: BTreeMap<String, Family>,
    kinds: BTreeMap<String, usize>,
    skipped: BTreeMap<String, usize>,
}

/// Disagreements with the same fields in the same family are taken for one kind.
fn kind(family: &str, differences: &[Difference]) -> String {
    let fields: Vec<&str> = differences.iter().map(|(field, ..)| *field).collect();
    format!("{family}: {}", fields.join(", "))
}

impl Tally {
    /// Counts one; says whether it is among the first `each` disagreements of its kind.
    pub fn count(&mut self, family: &str, verdict: &Verdict, each: usize) -> bool {
        let counts = self.families.entry(family.to_owned()).or_default();
        counts.cases += 1;
        match verdict {
            Verdict::Agrees => {
                counts.agree += 1;
                false
            }
            Verdict::Unsure => {
                counts.unsure += 1;
                false
            }
            Verdict::Skipped(why) => {
                counts.skipped += 1;
                let why = why.lines().next().unwrap_or_default();
                *self.skipped.entry(why.to_owned()).or_default() += 1;
                false
            }
            // The first of a kind are written, the others only counted.
            Verdict::Differs(differences) => {
                for (field, ..) in differences {
                    *counts.wrong.entry(field).or_default() += 1;
                }
                let seen = self.kinds.entry(kind(family, differences)).or_default();
                *seen += 1;
                *seen <= each
            }
        }
    }

    /// Takes a disagreement back: it was none.
    pub fn withdraw(&mut self, family: &str, differences: &[Difference]) {
        if let Some(counts) = self.families.get_mut(family) {
            counts.skipped += 1;
            for (field, ..) in differences {
                counts.wrong.entry(field).and_modify(|n| *n -= 1);
            }
            counts.wrong.retain(|_, n| *n > 0);
        }
        self.kinds.entry(kind(family, differences)).and_modify(|n| *n -= 1);
        *self.skipped.entry("differs when asked again".to_owned()).or_default() += 1;
    }

    /// Cases compared so far.
    pub fn cases(&self) -> usize {
        self.families.values().map(|f| f.cases).sum()
    }

    /// Cases of which nothing was compared.
    fn skipped(&self) -> usize {
        self.families.values().map(|f| f.skipped + f.unsure).sum()
    }

    fn agreeing(&self) -> usize {
        self.families.values().map(|f| f.agree).sum()
    }

    /// Whether everything that could be compared agrees.
    pub fn agrees(&self) -> bool {
        self.agreeing() + self.skipped() == self.cases()
    }

    /// One line.
    pub fn progress(&self) -> String {
        let wrong = self.cases() - self.agreeing() - self.skipped();
        format!("{} cases, {wrong} disagree, {} prove nothing", self.cases(), self.skipped())
    }

    /// A table.
    pub fn report(&self) -> String {
        let mut text = String::new();
        for (name, family) in &self.families {
            let wrong: Vec<String> =
                family.wrong.iter().map(|(field, n)| format!("{field} {n}")).collect();
            let (compared, agree) = (family.cases - family.skipped - family.unsure, family.agree);
            let unsure = if family.unsure > 0 {
                format!("{} unsure  ", family.unsure)
            } else {
                String::new()
            };
            writeln!(
                text,
                "{name:12} {agree:6} of {compared:6} agree  {unsure}{}",
                wrong.join(", ")
            )
            .ok();
        }
        // What was withdrawn leaves kinds without any.
        for (kind, n) in self.kinds.iter().filter(|(_, n)| **n > 0) {
            writeln!(text, "disagree    {n:6}  {kind}").ok();
        }
        for (why, n) in &self.skipped {
            writeln!(text, "not compared {n:5}  {why:.150}").ok();
        }
        let (compared, agree) = (self.cases() - self.skipped(), self.agreeing());
        write!(
            text,
            "{agree} of {compared} agree: {:.4} %",
            100.0 * agree as f64 / compared.max(1) as f64
        )
        .ok();
        text
    }
}
