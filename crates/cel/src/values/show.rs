//! Formats values as upstream's messages do, with Go's verbs.

use go::duration_text;

use super::Value;

/// `%v` of a value.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Null => "0".into(),
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Uint(v) => v.to_string(),
        Value::Double(v) => general(*v),
        Value::Text(v) => (**v).to_owned(),
        Value::Bytes(v) => {
            format!("[{}]", v.iter().map(u8::to_string).collect::<Vec<_>>().join(" "))
        }
        Value::List(list) => {
            format!("[{}]", list.values().iter().map(show).collect::<Vec<_>>().join(", "))
        }
        Value::Map(map) => {
            let entry = |(key, value): &(Value, Value)| format!("{}: {}", show(key), show(value));
            format!("{{{}}}", map.entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Optional(Some(value)) => format!("optional({})", show(value)),
        Value::Optional(None) => "optional.none()".into(),
        Value::Duration(v) => duration_text(*v),
        Value::Time(time) => time.long_text(),
        Value::Type(name) => match &**name {
            "list" => "list(dyn)".into(),
            "map" => "map(dyn, dyn)".into(),
            name => name.to_owned(),
        },
        Value::Quantity(quantity) => quantity.to_text(),
        Value::SemanticVersion(version) => version.to_string(),
        Value::Ip(ip) => ip.to_string(),
        Value::Cidr(cidr) => cidr.to_string(),
        Value::Url(url) => url.to_string(),
        Value::Format(format) => format.name.into(),
        Value::Error(text) => (**text).to_owned(),
    }
}

pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::Text(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::List(super::ListValue::Plain(_)) => "*types.baseList",
        Value::List(super::ListValue::Sum(_)) => "*types.concatList",
        Value::List(super::ListValue::Growing(_)) => "*types.mutableList",
        Value::Map(map) if map.kind == super::MapKind::Defaulting => "cel.mapper",
        Value::Map(_) => "*types.baseMap",
        Value::Optional(_) => "*types.Optional",
        Value::Duration(_) => "types.Duration",
        Value::Time(_) => "types.Timestamp",
        Value::Type(_) => "*types.Type",
        Value::Quantity(quantity) if quantity.is_pointer() => "*cel.Quantity",
        Value::Quantity(_) => "cel.Quantity",
        Value::SemanticVersion(_) => "cel.Semver",
        Value::Ip(_) => "cel.IP",
        Value::Cidr(_) => "cel.CIDR",
        Value::Url(_) => "cel.URL",
        Value::Format(_) => "cel.Format",
        Value::Error(_) => "*types.Err",
    }
}

/// The shortest digits that identify a positive finite number, and the exponent of the first.
fn digits(value: f64) -> (String, i32) {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn special(value: f64) -> Option<&'static str> {
    match value {
        v if v.is_nan() => Some("NaN"),
        f64::INFINITY => Some("+Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

/// `%g` with the fewest digits.
pub(crate) fn general(value: f64) -> String {
    if let Some(text) = special(value) {
        return text.into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    let (digits, exponent) = digits(value.abs());
    if (-4..6).contains(&exponent) {
        return decimal(value);
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let order = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{point}{rest}e{order}{:02}", exponent.abs())
}

/// `%f` with the fewest digits.
pub(crate) fn decimal(value: f64) -> String {
    special(value).map_or_else(|| format!("{value}"), Into::into)
}

/// `%.*f`: exact digits, halves to even.
pub(crate) fn fixed(value: f64, precision: usize) -> String {
    special(value).map_or_else(|| format!("{value:.precision$}"), Into::into)
}
