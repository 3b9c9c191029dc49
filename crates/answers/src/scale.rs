//! A common unit for amounts of one resource that are compared: `1129.5Gi` and `32Gi`, not
//! `1156608Mi` and `32Gi`.

use engine::cluster::Cluster;
use engine::framework::operands::ResourceId;

const UNITS: [(&str, u32); 6] =
    [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
/// The bits of the usual unit of memory.
const GIBI: u32 = 30;
/// Maximum number of digits after the decimal point.
const MOST_DIGITS: usize = 2;

/// How amounts of a resource are written next to each other.
#[derive(Debug, Clone, Copy)]
pub struct Scale<'c> {
    resource: ResourceId,
    cluster: &'c Cluster,
    /// The unit and the digits after the decimal point; `None`: each amount as it is.
    unit: Option<(&'static str, u32, usize)>,
    /// Whether parts of a core are written as decimals: `0.5` instead of `500m`.
    cores: bool,
}

impl<'c> Scale<'c> {
    /// The scale for these amounts. Different amounts stay different, and none becomes 0; otherwise
    /// each is written exactly.
    pub fn of(resource: ResourceId, amounts: &[i64], cluster: &'c Cluster) -> Self {
        // Next to whole cores, thousandths are hard to compare: `3` and `0.5`, not `3` and `500m`.
        let cores =
            resource == ResourceId::Cpu && amounts.iter().any(|amount| amount.abs() >= 1000);
        Self { resource, cluster, unit: unit(resource, amounts, cluster), cores }
    }

    /// The same with parts of a core as decimals.
    #[must_use]
    pub fn in_cores(self) -> Self {
        Self { cores: self.resource == ResourceId::Cpu, ..self }
    }

    pub fn text(&self, amount: i64) -> String {
        match self.unit {
            None if self.cores => cores(amount),
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
    let digits =
        (0..=MOST_DIGITS).find(|digits| is_exact(amounts, bits, *digits)).unwrap_or(MOST_DIGITS);
    let mut distinct: Vec<i64> = amounts.iter().copied().filter(|amount| *amount != 0).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let mut texts: Vec<String> =
        distinct.iter().map(|amount| number(*amount, bits, digits)).collect();
    let is_nothing = texts.iter().any(|text| text == "0" || text == "-0");
    texts.dedup();
    (texts.len() == distinct.len() && !is_nothing).then_some((name, bits, digits))
}

fn is_exact(amounts: &[i64], bits: u32, digits: usize) -> bool {
    let scale = 10_i128.pow(u32::try_from(digits).unwrap_or_default());
    amounts.iter().all(|amount| i128::from(*amount) * scale % (1 << bits) == 0)
}

fn cores(thousandths: i64) -> String {
    let text = format!("{}.{:03}", thousandths / 1000, (thousandths % 1000).abs());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The amount in the unit of this many bits, without trailing zeros.
#[expect(clippy::cast_precision_loss, reason = "a few digits are written")]
fn number(amount: i64, bits: u32, digits: usize) -> String {
    let text = format!("{:.digits$}", amount as f64 / (1_u64 << bits) as f64);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;
    use engine::cluster::Cluster;
    use engine::framework::operands::ResourceId;

    #[test]
    fn amounts_that_are_compared_have_one_unit() {
        const MI: i64 = 1 << 20;
        const GI: i64 = 1 << 30;
        let cluster = Cluster::default();
        for (resource, amounts, texts) in [
            (ResourceId::Memory, vec![1130 * GI, 32 * GI], vec!["1130Gi", "32Gi"]),
            (ResourceId::Memory, vec![1_156_620 * MI, 32 * GI], vec!["1129.51Gi", "32Gi"]),
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
        let cores = Scale::of(ResourceId::Cpu, &[], &cluster).in_cores();
        assert_eq!(
            [3000, 500, 9890, 5, 0].map(|amount| cores.text(amount)),
            ["3", "0.5", "9.89", "0.005", "0"]
        );
    }
}
