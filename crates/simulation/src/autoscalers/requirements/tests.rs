use super::*;

const OPERATORS: [KarpenterOperator; 8] = [
    KarpenterOperator::In,
    KarpenterOperator::NotIn,
    KarpenterOperator::Exists,
    KarpenterOperator::DoesNotExist,
    KarpenterOperator::Gt,
    KarpenterOperator::Lt,
    KarpenterOperator::Gte,
    KarpenterOperator::Lte,
];
/// All values that a label of the tests has, numbers and texts.
const UNIVERSE: [&str; 8] = ["1", "2", "3", "4", "5", "a", "b", "c"];

fn values(operator: KarpenterOperator, listed: &[&'static str]) -> LabelValues<'static> {
    LabelValues::of(operator, listed.iter().copied()).expect("a known operator")
}

/// Whether a label with this value, or without one, meets a requirement, by its definition.
fn allows(operator: KarpenterOperator, listed: &[&str], value: Option<&str>) -> bool {
    let number = |text: &str| text.parse::<i64>().ok();
    let compare = |test: fn(i64, i64) -> bool| {
        let bound = listed.first().and_then(|text| number(text));
        value.and_then(number).zip(bound).is_some_and(|(a, b)| test(a, b))
    };
    match operator {
        KarpenterOperator::In => value.is_some_and(|value| listed.contains(&value)),
        KarpenterOperator::NotIn => value.is_none_or(|value| !listed.contains(&value)),
        KarpenterOperator::Exists => value.is_some(),
        KarpenterOperator::DoesNotExist => value.is_none(),
        KarpenterOperator::Gt => compare(|a, b| a > b),
        KarpenterOperator::Lt => compare(|a, b| a < b),
        KarpenterOperator::Gte => compare(|a, b| a >= b),
        KarpenterOperator::Lte => compare(|a, b| a <= b),
        KarpenterOperator::Unknown => false,
    }
}

/// A stream of numbers that looks random and is the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound
    }

    fn requirement(&mut self) -> (KarpenterOperator, Vec<&'static str>) {
        let operator = OPERATORS[self.below(OPERATORS.len())];
        let listed = match operator {
            KarpenterOperator::In | KarpenterOperator::NotIn => {
                (0..=self.below(3)).map(|_| UNIVERSE[self.below(8)]).collect()
            }
            KarpenterOperator::Exists | KarpenterOperator::DoesNotExist => Vec::new(),
            _ => vec![UNIVERSE[self.below(5)]],
        };
        (operator, listed)
    }
}

#[test]
fn intersection_has_every_value_that_both_requirements_allow_and_no_other_number() {
    let mut numbers = Numbers(7);
    for _ in 0..20_000 {
        let ((one, of_one), (other, of_other)) = (numbers.requirement(), numbers.requirement());
        let both = values(one, &of_one).and(&values(other, &of_other));
        for value in UNIVERSE {
            let is_listed = both.listed.contains(value);
            let has = is_listed != both.all_but && within(value, both.at_least, both.at_most);
            let wanted = allows(one, &of_one, Some(value)) && allows(other, &of_other, Some(value));
            assert_eq!(has, wanted, "{one:?} {of_one:?} and {other:?} {of_other:?}: {value}");
        }
    }
}

#[test]
fn requirements_meet_wherever_a_value_suits_both() {
    let mut numbers = Numbers(11);
    for _ in 0..20_000 {
        let ((one, of_one), (other, of_other)) = (numbers.requirement(), numbers.requirement());
        let (a, b) = (values(one, &of_one), values(other, &of_other));
        assert_eq!(a.meets(&b), b.meets(&a), "the order does not matter");
        let suits = UNIVERSE.iter().any(|value| {
            allows(one, &of_one, Some(value)) && allows(other, &of_other, Some(value))
        });
        // Karpenter does not look for a value in two open sets, so it may meet without one; it must
        // never fail to meet where there is one.
        assert!(a.meets(&b) || !suits, "{one:?} {of_one:?} and {other:?} {of_other:?}");
        if !(a.all_but && b.all_but) {
            assert_eq!(a.meets(&b), suits, "{one:?} {of_one:?} and {other:?} {of_other:?}");
        }
    }
}

#[test]
fn bounds_that_no_number_exceeds_allow_nothing() {
    assert_eq!(values(KarpenterOperator::Gt, &["9223372036854775807"]), LabelValues::none());
    assert!(
        values(KarpenterOperator::Lt, &["-9223372036854775808"])
            .meets(&values(KarpenterOperator::In, &["7"]))
    );
    assert!(LabelValues::of(KarpenterOperator::Gt, ["x"].into_iter()).is_none());
    assert!(LabelValues::of(KarpenterOperator::Unknown, std::iter::empty()).is_none());
}

fn requirements(
    all: &[(&'static str, KarpenterOperator, &[&'static str])],
) -> Requirements<'static> {
    let mut found = Requirements::default();
    for (key, operator, listed) in all {
        found.add(key, values(*operator, listed));
    }
    found
}

#[test]
fn custom_label_that_no_pool_gives_is_a_conflict_and_a_providers_label_a_doubt() {
    let pool = requirements(&[("kubernetes.io/arch", KarpenterOperator::In, &["amd64"])]);
    let pod = requirements(&[("team", KarpenterOperator::In, &["a"])]);
    assert_eq!(pool.compare(&pod, "karpenter.k8s.aws").0, [Conflict::Undefined("team")]);
    let pod = requirements(&[("karpenter.k8s.aws/instance-cpu", KarpenterOperator::Gt, &["3"])]);
    let (conflicts, doubts) = pool.compare(&pod, "karpenter.k8s.aws");
    assert!(conflicts.is_empty());
    assert_eq!(doubts, [Doubt::Provider("karpenter.k8s.aws/instance-cpu")]);
    let pod = requirements(&[("example.com/x", KarpenterOperator::In, &["1"])]);
    assert_eq!(pool.compare(&pod, "example.com").1, [Doubt::Provider("example.com/x")]);
    let pod = requirements(&[("team", KarpenterOperator::NotIn, &["a"])]);
    assert_eq!(pool.compare(&pod, ""), (Vec::new(), Vec::new()));
}

#[test]
fn old_spelling_of_a_label_is_compared_as_the_new_one() {
    let pool = requirements(&[("kubernetes.io/arch", KarpenterOperator::In, &["amd64"])]);
    let pod = requirements(&[("beta.kubernetes.io/arch", KarpenterOperator::In, &["arm64"])]);
    let (conflicts, _) = pool.compare(&pod, "");
    assert!(matches!(conflicts.as_slice(), [Conflict::Values { key: "kubernetes.io/arch", .. }]));
}

#[test]
fn hostname_of_a_node_that_is_there_is_never_that_of_a_new_one() {
    let pool = requirements(&[]);
    let pod = requirements(&[("kubernetes.io/hostname", KarpenterOperator::In, &["worker-1"])]);
    assert_eq!(pool.compare(&pod, "").0.len(), 1);
    let pod = requirements(&[("kubernetes.io/hostname", KarpenterOperator::NotIn, &["worker-1"])]);
    assert_eq!(pool.compare(&pod, ""), (Vec::new(), Vec::new()));
}

#[test]
fn fewer_values_than_fewest_is_a_doubt() {
    let mut pool = requirements(&[]);
    let family =
        LabelValues { fewest: Some(2), ..values(KarpenterOperator::In, &["c5", "m5", "r5"]) };
    pool.add("family", family);
    let one = requirements(&[("family", KarpenterOperator::In, &["m5"])]);
    assert_eq!(pool.compare(&one, ""), (Vec::new(), vec![Doubt::MinValues("family")]));
    let two = requirements(&[("family", KarpenterOperator::NotIn, &["m5"])]);
    // Whether two families have a type with room is known to the cloud alone.
    assert_eq!(pool.compare(&two, ""), (Vec::new(), vec![Doubt::MinValuesOfTypes("family")]));
}
