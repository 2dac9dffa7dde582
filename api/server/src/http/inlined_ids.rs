//! Replaces references to schemas of id types by integers, so that the OpenAPI document needs no schema per id type. It must not
//! change other parts of the document.

use serde_json::{Map, Value, json};

/// Name of the schema that all id types of `panel_contract::ids` share.
const ID_SCHEMA: &str = "Id";
/// Suffix of the schema name of a generic type whose type argument is an id.
const ID_SUFFIX: &str = "_Id";

/// The schema name of a generic type without an id as type argument, because the schemas of all id types are equal.
pub(super) fn without_id_suffix(name: &str) -> &str {
    name.strip_suffix(ID_SUFFIX).unwrap_or(name)
}

/// Whether this is the name of the schema that all id types share.
pub(super) fn is_id_schema(name: &str) -> bool {
    name == ID_SCHEMA
}

/// Replaces all references to id schemas in `value`.
pub(super) fn inline_id_references(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(inline_id_references),
        Value::Object(fields) => {
            inline_in_object(fields);
            fields.values_mut().for_each(inline_id_references);
        }
        _ => {}
    }
}

fn inline_in_object(fields: &mut Map<String, Value>) {
    if is_id_reference(fields) {
        fields.remove("$ref");
        set_type(fields, json!("integer"));
        return;
    }
    if let Some(Value::String(target)) = fields.get_mut("$ref")
        && let Some(target_without_suffix) = target.strip_suffix(ID_SUFFIX)
    {
        *target = target_without_suffix.to_owned();
    }
    let Some(Value::Array(alternatives)) = fields.get("oneOf") else { return };
    let is_null = |alternative: &Value| alternative["type"] == "null";
    let reference =
        alternatives.iter().filter_map(Value::as_object).find(|alternative| is_id_reference(alternative));
    if let (2, true, Some(reference)) =
        (alternatives.len(), alternatives.iter().any(is_null), reference.cloned())
    {
        fields.remove("oneOf");
        fields.extend(reference.into_iter().filter(|(name, _)| name != "$ref"));
        set_type(fields, json!(["integer", "null"]));
    }
}

fn set_type(fields: &mut Map<String, Value>, schema_type: Value) {
    fields.insert("type".to_owned(), schema_type);
    fields.insert("format".to_owned(), json!("int64"));
}

fn is_id_reference(fields: &Map<String, Value>) -> bool {
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
            (without_id_suffix("NamedRef_Id"), without_id_suffix("NamedRef"), is_id_schema("Id")),
            ("NamedRef", "NamedRef", true)
        );
    }
}
