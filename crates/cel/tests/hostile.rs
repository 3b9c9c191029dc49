//! Selectors that want to take long, or to use up the stack.

use kubectl_preempt_cel::{
    CompileError, Device, EvaluationError, Program, Release, SelectorLimits,
};

#[test]
fn deep_nesting_is_refused() {
    let deep = [
        "(".repeat(9000),
        "[".repeat(3000) + &"]".repeat(3000),
        "!".repeat(9000),
        "a.".repeat(4900) + "b",
        "true ? 1 : ".repeat(900) + "1",
        "1".to_owned() + &"+1".repeat(4900),
        "-".repeat(9000),
        "x".repeat(20_000),
        "x".repeat(200_000),
        "\"".to_owned(),
        String::new(),
    ];
    for expression in &deep {
        let compiled = Program::compile(expression, Release::new(37, false));
        assert!(compiled.is_err(), "{}", expression.chars().take(20).collect::<String>());
    }
}

#[test]
fn empty_expression_is_refused_at_no_column() {
    let error = |text: &str| match Program::compile(text, Release::new(37, false)) {
        Err(CompileError::Syntax(error) | CompileError::Invalid(error)) => error,
        other => panic!("{text:?} is {other:?}"),
    };
    assert!(error("").contains("<input>:1:0: Syntax error: mismatched input"), "{}", error(""));
    assert!(error("1 +").contains("<input>:1:4: Syntax error"), "{}", error("1 +"));
}

#[test]
fn deepest_admitted_expression_fits_the_stack_of_a_thread() {
    for (begin, end) in
        [("[", "][0]"), ("dyn(", ")"), ("(true ? ", " : false)"), ("cel.bind(x, 1, ", ")")]
    {
        let admitted = (1..300).step_by(7).filter(|depth| {
            let text = begin.repeat(*depth) + "true" + &end.repeat(*depth);
            let compiled = Program::compile(&text, Release::new(37, false));
            if let Ok(program) = &compiled {
                assert_eq!(program.evaluate(&Device::new("d")).result, Ok(true), "{text}");
            }
            assert!(!matches!(compiled, Err(CompileError::Invalid(_))), "{compiled:?}");
            compiled.is_ok()
        });
        assert!(admitted.count() > 34, "{begin}");
    }
}

#[test]
fn macros_that_double_an_expression_are_limited() {
    let doubled =
        |times: usize| format!("optional.of(1){}.hasValue()", ".optMap(v, v)".repeat(times));
    let compiled = |times: usize| Program::compile(&doubled(times), Release::new(37, false));
    assert_eq!(compiled(10).unwrap().evaluate(&Device::new("d")).result, Ok(true));
    for times in [16, 240] {
        assert!(matches!(compiled(times), Err(CompileError::Unsupported(_))), "{times}");
    }
}

#[test]
fn costs_are_limited() {
    let hundred = format!("[{}]", vec!["1"; 100].join(","));
    let nested =
        format!("{hundred}.all(a, {hundred}.all(b, {hundred}.all(c, {hundred}.all(d, a == b))))");
    let program = Program::compile(&nested, Release::new(37, false)).unwrap();
    let limit = EvaluationError::Failed("operation cancelled: actual cost limit exceeded".into());
    assert_eq!(program.evaluate(&Device::new("d")).result, Err(limit));
}

#[test]
fn sort_of_unordered_values_does_not_panic() {
    let numbers = |count: usize| {
        (0..count).map(|n| if n % 3 == 0 { "0.0 / 0.0".into() } else { format!("{n}.5") })
    };
    let outcome = |count: usize| {
        let text =
            format!("[{}].sort()[0] == 1.5", numbers(count).collect::<Vec<String>>().join(", "));
        Program::compile(&text, Release::new(37, false)).unwrap().evaluate(&Device::new("d")).result
    };
    for count in [12, 40, 400] {
        assert!(outcome(count).is_ok(), "{count}");
    }
}

#[test]
fn values_are_limited() {
    let squared = |times: usize| {
        let begin: Vec<String> =
            (0..times).map(|n| format!("cel.bind(v{}, v{n}.replace('a', v{n}), ", n + 1)).collect();
        let begin = begin.concat();
        format!(
            "cel.bind(v0, '{}', {begin}v{times}.size() > 0{}",
            "a".repeat(100),
            ")".repeat(times + 1)
        )
    };
    let doubled = |step: &str, times: usize, end: &str| {
        let begin: Vec<String> = (0..times)
            .map(|n| format!("cel.bind(v{}, {}, ", n + 1, step.replace('v', &format!("v{n}"))))
            .collect();
        let end = end.replace('v', &format!("v{times}"));
        format!("cel.bind(v0, ['aaaaaaaaaa'], {}{end}{}", begin.concat(), ")".repeat(times + 1))
    };
    for text in [
        squared(4),
        doubled("[v, v]", 40, "v == v"),
        doubled("[v, v]", 40, "v in [v]"),
        doubled("[v, v]", 40, "'%s'.format([v]).size() > 0"),
        "lists.range(5000).all(n, '%.65535e'.format([1.5]).size() > n)".to_owned(),
    ] {
        let program = Program::compile(&text, Release::new(37, false))
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let result = program.evaluate(&Device::new("d")).result;
        assert!(matches!(result, Err(EvaluationError::Unsupported(_))), "{text}: {result:?}");
        assert!(program.may_be_unknown(), "{text}");
    }
    for text in [
        &squared(1),
        "'%.2000000000f'.format([1.5]).size() == 10",
        "'%.65535e'.format([1.5]).size() == 65535",
    ] {
        let within = Program::compile(text, Release::new(37, false)).unwrap();
        assert_eq!(within.evaluate(&Device::new("d")).result, Ok(true), "{text}");
    }
}

#[test]
fn evaluation_beyond_its_share_of_steps_is_not_known() {
    let few = SelectorLimits { steps: 1_000, ..SelectorLimits::LARGEST };
    let evaluate = |text: &str, limits: SelectorLimits| {
        let program = Program::compile_within(text, Release::new(37, false), limits).unwrap();
        (program.evaluate(&Device::new("d")).result, program.may_be_unknown())
    };
    let long = EvaluationError::Unsupported("takes too many steps to be evaluated here".into());
    let nested = "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, a + b + c > 0)))";
    assert_eq!(evaluate(nested, SelectorLimits::LARGEST).0, Ok(true));
    assert_eq!(evaluate(nested, few), (Err(long), true));
    assert_eq!(
        evaluate(r#"device.driver == "d" && device.driver.startsWith("d")"#, few),
        (Ok(true), false)
    );
    // Texts that grow without a step for each character.
    let large = format!(r#""{}".replace("x", "{}").size() > 0"#, "x".repeat(600), "y".repeat(600));
    assert_eq!(evaluate(&large, SelectorLimits::LARGEST).0, Ok(true));
    assert!(matches!(evaluate(&large, few).0, Err(EvaluationError::Unsupported(_))));
}

#[test]
fn macros_beyond_their_share_of_expressions_are_not_expanded() {
    let text = format!("optional.of(1){}.hasValue()", ".optMap(v, v)".repeat(10));
    let compiled = |expressions| {
        Program::compile_within(
            &text,
            Release::new(37, false),
            SelectorLimits { expressions, ..SelectorLimits::LARGEST },
        )
    };
    assert!(compiled(100_000).is_ok());
    let large = CompileError::Unsupported("is too large when its macros are expanded".into());
    assert_eq!(compiled(500).err(), Some(large));
}
