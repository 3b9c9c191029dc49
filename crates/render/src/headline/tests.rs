use super::sampled;
use engine::decision::sampling::Likelihood;

#[test]
fn the_odds_decide_the_words() {
    let words = |probability, possible, complete| {
        let likelihood = Likelihood { probability, complete, possible };
        sampled(likelihood, |likely| format!("{likely}on n0"), |possible| format!("on one of {possible}"))
    };
    for (probability, possible, complete, expected) in [
        (None, 3, true, "on one of 3 nodes"),
        (Some(0.01), 100, true, "on one of 100 nodes"),
        (Some(1.0), 1, true, "on n0, wherever it starts its search"),
        (Some(1.0 / 3.0), 3, true, "on one of 3 nodes, each as likely"),
        (Some(1.0 / 3.0), 3, false, "on one of 3 nodes, each about as likely"),
        (Some(0.75), 3, true, "most likely on n0 (75.0 %); 3 nodes are possible"),
        (Some(0.4), 3, false, "perhaps on n0 (about 40.0 %), the likeliest of 3 nodes"),
    ] {
        assert_eq!(words(probability, possible, complete), expected);
    }
}
