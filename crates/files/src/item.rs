//! An object in the form of a snapshot file.

use model::snapshot::{Kind, Object};

/// The known fields, after `apiVersion` and `kind`.
///
/// # Errors
/// For a kind that is not read.
pub fn object_json(kind: Kind, object: &Object<'_>) -> serde_json::Result<String> {
    let encoded = object.to_json()?;
    let mut json = format!(r#"{{"apiVersion":"{}","kind":"{}""#, api_version(kind), kind.name());
    // The encoded object opens with a brace, which the head has already written.
    match encoded.get(1..) {
        Some(fields) if fields != "}" => {
            json.push(',');
            json.push_str(fields);
        }
        _ => json.push('}'),
    }
    Ok(json)
}

/// The `apiVersion` of a written object, which may differ from the server's: the types of
/// `model::snapshot` are those of v1.
fn api_version(kind: Kind) -> String {
    match kind.group() {
        "" => "v1".to_owned(),
        group => format!("{group}/v1"),
    }
}
