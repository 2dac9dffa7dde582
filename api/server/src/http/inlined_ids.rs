//! Replaces each reference to an id's schema by an integer, so that the OpenAPI document has no schema for each kind of id. It
//! changes nothing else in the document.

use serde_json::{Map, Value, json};

/// The name of the schema that all ids share in `panel_contract::ids`.
const ID_SCHEMA: &str = "Id";
/// The suffix of a generic schema's name whose argument is an id.
const ID_SUFFIX: &str = "_Id";

/// The schema's name without its id argument: the schemas of all kinds of ids are equal.
pub(super) fn without_id_suffix(name: &str) -> &str {
    name.strip_suffix(ID_SUFFIX).unwrap_or(name)
}

/// Whether this is the name of the schema that all ids share.
pub(super) fn is_id(name: &str) -> bool {
    name == ID_SCHEMA
}

/// Replaces the references in `value`.
pub(super) fn inline_id_references(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(inline_id_references),
        Value::Object(fields) => {
            inline_object(fields);
            fields.values_mut().for_each(inline_id_references);
        }
        _ => {}
    }
}

fn inline_object(fields: &mut Map<String, Value>) {
    if is_reference(fields) {
        fields.remove("$ref");
        set_type(fields, json!("integer"));
        return;
    }
    if let Some(Value::String(target)) = fields.get_mut("$ref")
        && let Some(short) = target.strip_suffix(ID_SUFFIX)
    {
        *target = short.to_owned();
    }
    let Some(Value::Array(choices)) = fields.get("oneOf") else { return };
    let is_null = |choice: &Value| choice["type"] == "null";
    let reference = choices.iter().filter_map(Value::as_object).find(|choice| is_reference(choice));
    if let (2, true, Some(reference)) = (choices.len(), choices.iter().any(is_null), reference.cloned()) {
        fields.remove("oneOf");
        fields.extend(reference.into_iter().filter(|(name, _)| name != "$ref"));
        set_type(fields, json!(["integer", "null"]));
    }
}

fn set_type(fields: &mut Map<String, Value>, kind: Value) {
    fields.insert("type".to_owned(), kind);
    fields.insert("format".to_owned(), json!("int64"));
}

fn is_reference(fields: &Map<String, Value>) -> bool {
    fields.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next()) == Some(ID_SCHEMA)
}

#[cfg(test)]
mod tests {
    use panel_contract::common::NamedRef;
    use panel_contract::ids::{OrderId, UserId};
    use utoipa::{PartialSchema as _, ToSchema};

    use super::*;

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "the test reads only its schema")]
    struct WithIdTypes {
        user: UserId,
        order: Option<OrderId>,
        orders: Vec<OrderId>,
        named: NamedRef<UserId>,
    }

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "the test reads only its schema")]
    struct WithIntegers {
        user: i64,
        order: Option<i64>,
        orders: Vec<i64>,
    }

    #[test]
    fn ids_are_integers_in_the_document() {
        let (mut with_id_types, mut with_integers) =
            (json!(WithIdTypes::schema()), json!(WithIntegers::schema()));
        inline_id_references(&mut with_id_types);
        inline_id_references(&mut with_integers);
        for field in ["user", "order", "orders"] {
            assert_eq!(with_id_types["properties"][field], with_integers["properties"][field]);
        }
        assert_eq!(with_id_types["properties"]["named"], json!({ "$ref": "#/components/schemas/NamedRef" }));
        assert_eq!(
            (without_id_suffix("NamedRef_Id"), without_id_suffix("NamedRef"), is_id("Id")),
            ("NamedRef", "NamedRef", true)
        );
    }
}
