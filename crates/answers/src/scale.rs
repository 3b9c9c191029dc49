//! A common unit for amounts of one resource that are compared: `1129.5Gi` and `32Gi`, not
//! `1156608Mi` and `32Gi`.

use engine::cluster::Cluster;
use engine::cluster::quantity::Quantity;
use engine::framework::operands::ResourceId;

const UNITS: [(&str, u32); 6] =
    [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
/// The bits of the usual unit of memory.
const GIBI: u32 = 30;
/// Maximum number of digits after the decimal point.
const MOST_DIGITS: usize = 2;
/// Those of cores that are exact.
const EXACT_CORES: usize = 3;

/// How amounts of a resource are written next to each other.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'c> {
    resource: ResourceId,
    cluster: &'c Cluster,
    /// The unit and the digits after the decimal point; `None`: each amount as it is.
    unit: Option<(&'static str, u32, usize)>,
    /// Whether parts of a core are written as decimals: `0.5` instead of `500m`.
    cores: bool,
    /// The digits after the point of cores.
    core_digits: usize,
}

impl<'c> Scale<'c> {
    /// The scale for these amounts. Different amounts stay different, and none becomes 0; otherwise
    /// each is written exactly.
    pub fn of(resource: ResourceId, amounts: &[i64], cluster: &'c Cluster) -> Self {
        // Next to whole cores, thousandths are hard to compare: `3` and `0.5`, not `3` and `500m`.
        let cores =
            resource == ResourceId::Cpu && amounts.iter().any(|amount| amount.abs() >= 1000);
        let unit = unit(resource, amounts, cluster);
        Self { resource, cluster, unit, cores, core_digits: core_digits(amounts) }
    }

    /// The same with parts of a core as decimals.
    #[must_use]
    pub fn in_cores(self) -> Self {
        Self { cores: self.resource == ResourceId::Cpu, ..self }
    }

    pub fn text(&self, amount: i64) -> String {
        match self.unit {
            None if self.cores => cores(amount, self.core_digits),
            Some((name, bits, digits)) if amount != 0 => {
                format!("{}{name}", number(amount, bits, digits))
            }
            Some(_) | None => self.resource.amount(amount, self.cluster),
        }
    }
}

fn unit(
    resource: ResourceId,
    amounts: &[i64],
    cluster: &Cluster,
) -> Option<(&'static str, u32, usize)> {
    let is_bytes = match resource {
        ResourceId::Memory | ResourceId::EphemeralStorage => true,
        ResourceId::Scalar(name) => cluster.text(name).starts_with("hugepages-"),
        ResourceId::Cpu | ResourceId::Pods => false,
    };
    let most = amounts.iter().map(|amount| amount.unsigned_abs()).max().filter(|_| is_bytes)?;
    // People write 1130Gi, not 1.1Ti.
    let least = |bits: u32| if bits > GIBI { 10_u64 << bits } else { 1_u64 << bits };
    let (name, bits) = UNITS.into_iter().find(|(_, bits)| most >= least(*bits))?;
    let digits = digits_apart(amounts, few_digits(most >> bits), |amount, digits| {
        number(amount, bits, digits)
    })?;
    Some((name, bits, digits))
}

/// The digits after the point that make three with those of the whole part.
const fn few_digits(whole: u64) -> usize {
    match whole {
        100.. => 0,
        10.. => 1,
        _ => MOST_DIGITS,
    }
}

/// The fewest digits after the point, `few` at least, with which different amounts stay different and
/// none becomes 0.
fn digits_apart(amounts: &[i64], few: usize, text: impl Fn(i64, usize) -> String) -> Option<usize> {
    let mut distinct: Vec<i64> = amounts.iter().copied().filter(|amount| *amount != 0).collect();
    distinct.sort_unstable();
    distinct.dedup();
    (few..=MOST_DIGITS).find(|digits| {
        let mut texts: Vec<String> = distinct.iter().map(|amount| text(*amount, *digits)).collect();
        let is_nothing = texts.iter().any(|text| text == "0" || text == "-0");
        texts.dedup();
        texts.len() == distinct.len() && !is_nothing
    })
}

/// The fewest digits after the point that leave three digits of the largest of these amounts of cores,
/// in thousandths, and keep different ones apart.
fn core_digits(amounts: &[i64]) -> usize {
    let most = amounts.iter().map(|amount| amount.unsigned_abs()).max().unwrap_or_default();
    digits_apart(amounts, few_digits(most / 1000), cores).unwrap_or(EXACT_CORES)
}

#[expect(clippy::cast_precision_loss, reason = "a few digits are written")]
fn cores(thousandths: i64, digits: usize) -> String {
    without_zeros(&format!("{:.digits$}", thousandths as f64 / 1000.0))
}

/// An amount that the API writes, such as `515120Mi` or `2910m`, with at most three digits: `503Gi`,
/// `2.91`. What is no amount stays.
pub fn in_short(resource: &str, amount: &str) -> String {
    let Ok(quantity) = Quantity::parse(amount) else { return amount.to_owned() };
    if resource == "cpu" {
        let thousandths = quantity.saturated_milli_value();
        return cores(thousandths, core_digits(&[thousandths]));
    }
    let is_bytes =
        ["memory", "ephemeral-storage"].contains(&resource) || resource.starts_with("hugepages-");
    let value = quantity.saturated_value();
    let unit = UNITS.into_iter().find(|(_, bits)| value.unsigned_abs() >= 1_u64 << bits);
    match unit.filter(|_| is_bytes) {
        Some((name, bits)) => {
            let digits = few_digits(value.unsigned_abs() >> bits);
            format!("{}{name}", number(value, bits, digits))
        }
        None => amount.to_owned(),
    }
}

/// The amount in the unit of this many bits, without trailing zeros.
#[expect(clippy::cast_precision_loss, reason = "a few digits are written")]
fn number(amount: i64, bits: u32, digits: usize) -> String {
    without_zeros(&format!("{:.digits$}", amount as f64 / (1_u64 << bits) as f64))
}

/// A number without the zeros at its end that say nothing.
fn without_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Scale, in_short};
    use engine::cluster::Cluster;
    use engine::framework::operands::ResourceId;

    #[test]
    fn amounts_that_are_compared_have_one_unit() {
        const MI: i64 = 1 << 20;
        const GI: i64 = 1 << 30;
        let cluster = Cluster::default();
        for (resource, amounts, texts) in [
            (ResourceId::Memory, vec![1130 * GI, 32 * GI], vec!["1130Gi", "32Gi"]),
            (ResourceId::Memory, vec![1_156_620 * MI, 32 * GI], vec!["1130Gi", "32Gi"]),
            (ResourceId::Memory, vec![2 * GI, 512 * MI, 0], vec!["2Gi", "0.5Gi", "0"]),
            (ResourceId::Memory, vec![300 * MI, 200 * MI], vec!["300Mi", "200Mi"]),
            // Rounded, they would be equal, or one would be zero.
            (ResourceId::Memory, vec![2 * GI, 2 * GI - MI], vec!["2Gi", "2047Mi"]),
            (ResourceId::Memory, vec![200 * GI, MI], vec!["200Gi", "1Mi"]),
            (ResourceId::Cpu, vec![3000, 500], vec!["3", "0.5"]),
            (ResourceId::Cpu, vec![300, 500], vec!["300m", "500m"]),
            (ResourceId::Pods, vec![110], vec!["110"]),
        ] {
            let scale = Scale::of(resource, &amounts, &cluster);
            assert_eq!(amounts.iter().map(|amount| scale.text(*amount)).collect::<Vec<_>>(), texts);
        }
        for (amounts, texts) in [
            (vec![3000, 500, 9890, 5, 0], vec!["3", "0.5", "9.89", "0.01", "0"]),
            // Rounded, they would be equal, or one would be zero.
            (vec![9890, 4], vec!["9.89", "0.004"]),
            (vec![9890, 9893], vec!["9.89", "9.893"]),
            (vec![128_000, 12_340], vec!["128", "12"]),
        ] {
            let cores = Scale::of(ResourceId::Cpu, &amounts, &cluster).in_cores();
            assert_eq!(amounts.iter().map(|amount| cores.text(*amount)).collect::<Vec<_>>(), texts);
        }
    }

    #[test]
    fn an_amount_in_short_has_three_digits() {
        for (resource, amount, text) in [
            ("cpu", "2910m", "2.91"),
            ("cpu", "1104410m", "1104"),
            ("memory", "515120Mi", "503Gi"),
            ("memory", "67547088Mi", "64.4Ti"),
            ("memory", "0", "0"),
            ("nvidia.com/gpu", "8", "8"),
            ("memory", "lots", "lots"),
        ] {
            assert_eq!(in_short(resource, amount), text, "{amount}");
        }
    }
}
