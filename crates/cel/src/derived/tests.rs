use crate::{Attribute, CompileError, Device, EvaluationError, Program, Release, SelectorLimits};

/// What an expression makes of a device, or its error.
fn made(expression: &str) -> Result<Attribute, String> {
    let device = Device::new("example.com")
        .attribute("model", Attribute::Text("a".into()))
        .attribute("firmware", Attribute::Versions(vec!["1.2.3-rc.1+b7".into()]))
        .capacity("memory", "1Gi");
    match Program::compile_attribute(expression, Release::new(37, false), SelectorLimits::LARGEST) {
        Err(CompileError::Invalid(e)) => Err(e),
        Err(other) => Err(format!("{other:?}")),
        Ok(program) => program.attribute(&device).map_err(|e| match e {
            EvaluationError::Failed(e) => e,
            EvaluationError::Unsupported(what) => format!("not known: {what}"),
        }),
    }
}

#[test]
fn an_expression_makes_an_attribute_of_its_value() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    for (expression, expected) in [
        ("1", Attribute::Int(1)),
        ("true", Attribute::Bool(true)),
        (r#"device.attributes["example.com"].model + "b""#, Attribute::Text("ab".into())),
        (r#"semver("v2", true)"#, Attribute::Version("2.0.0".into())),
        (r#"dyn(optional.of("a"))"#, Attribute::Text("a".into())),
        ("dyn(type(1))", Attribute::Text("int".into())),
        ("[]", Attribute::Texts(Vec::new())),
        ("[1, 2].filter(i, i > 1)", Attribute::Ints(vec![2])),
        (r#"["a"] + ["b"]"#, Attribute::Texts(texts(&["a", "b"]))),
        ("[true]", Attribute::Bools(vec![true])),
        (
            r#"device.attributes["example.com"].firmware"#,
            Attribute::Versions(texts(&["1.2.3-rc.1+b7"])),
        ),
    ] {
        assert_eq!(made(expression), Ok(expected), "{expression}");
    }
}

#[test]
fn other_values_are_errors_in_the_words_of_go() {
    let scalars = "must evaluate to a primitive scalar (string, integer, boolean, semver) or a list of these scalars";
    for (expression, expected) in [
        ("1.5", format!("{scalars}, not double")),
        ("[[1]]", format!("{scalars}, not list(list(int))")),
        (r#"{"a": 1}"#, format!("{scalars}, not map(string, int)")),
        ("dyn(1u)", "unsupported CEL return type: uint64".into()),
        ("dyn(null)", "unsupported CEL return type: structpb.NullValue".into()),
        (r#"dyn(b"a")"#, "unsupported CEL return type: []uint8".into()),
        (r#"dyn(duration("1s"))"#, "unsupported CEL return type: time.Duration".into()),
        (r#"dyn(quantity("1"))"#, "unsupported CEL return type: *resource.Quantity".into()),
        ("dyn(optional.none())", "unsupported CEL return type: <nil>".into()),
        (r#"dyn({"a": 1})"#, "unsupported CEL return type: map[ref.Val]ref.Val".into()),
        ("dyn(device.attributes)", "unsupported CEL return type: map[string]interface {}".into()),
        (
            r#"dyn(device.capacity["example.com"])"#,
            "unsupported CEL return type: map[string]cel.Quantity".into(),
        ),
        (r#"dyn(format.named("uri").value())"#, "unsupported CEL return type: cel.Format".into()),
        ("[dyn(1.5)]", "unsupported list element type: float64".into()),
        (r#"[dyn(1), dyn("a")]"#, "expected list element at index 1 to be int, got string".into()),
        (
            r#"[dyn("a"), dyn(1)]"#,
            "expected list element at index 1 to be string, got int64".into(),
        ),
        ("[dyn(true), dyn(1)]", "expected list element at index 1 to be bool, got int64".into()),
        ("[dyn([1])]", "not known: makes a list of a device".into()),
        (r#"device.attributes["example.com"].nope"#, "no such key: nope".into()),
    ] {
        assert_eq!(made(expression), Err(expected), "{expression}");
    }
}

#[test]
fn calls_about_authorization_compile_on_dynamic_values_and_are_charged() {
    let check = r#"dyn(1).check("get").allowed()"#;
    assert_eq!(made(&format!("{check} || true")), Ok(Attribute::Bool(true)));
    assert_eq!(made(check), Err("no such overload: check(int, string)".to_owned()));
    let three = [check; 3].join(" || ");
    let error = made(&format!("{three} || true")).expect_err("more than an evaluation may cost");
    assert!(error.contains("cost limit exceeded"), "{error}");
    assert!(
        made(r#"1.check("get")"#)
            .expect_err("no authorizer")
            .contains("found no matching overload")
    );
}
