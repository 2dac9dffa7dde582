//! The name of a number contains its unit: fields of the type `Fraction` ("0.05" is 5 %) end in `_fraction`, fields of the type `Percent`
//! contain `percent`, and no other field has such a name.

use std::collections::BTreeMap;

use panel_server::router::routes;
use serde_json::Value;

/// Fractions that are factors or marks, not shares of something.
const FRACTIONS_WITHOUT_SUFFIX: [&str; 4] = [
    "budget_multiplier",
    "live_stream_retention_quantity_multiplier",
    "order_quantity_ratio",
    "reviews_rating",
];

/// Collects `Schema.field` and the schema that the field refers to, directly or beside null.
fn collect_references(schemas: &Value) -> BTreeMap<String, String> {
    let mut references = BTreeMap::new();
    for (schema, description) in schemas.as_object().unwrap() {
        let Some(properties) = description["properties"].as_object() else { continue };
        for (field, property) in properties {
            let alternatives = property["oneOf"].as_array().or(property["anyOf"].as_array());
            let alternatives = alternatives.into_iter().flatten().chain([property]);
            if let Some(target) = alternatives.filter_map(|alternative| alternative["$ref"].as_str()).next() {
                references.insert(format!("{schema}.{field}"), target.rsplit('/').next().unwrap().to_owned());
            }
        }
    }
    references
}

#[test]
fn names_of_fields_contain_the_unit_of_their_type() {
    let document = serde_json::to_value(routes::openapi_document()).unwrap();
    let references = collect_references(&document["components"]["schemas"]);
    let count_of_type = |name: &str| references.values().filter(|target| *target == name).count();
    assert!(
        count_of_type("Fraction") > 50 && count_of_type("Percent") > 3,
        "the document refers to the types by name"
    );
    let wrong_fields: Vec<_> = references
        .iter()
        .filter(|(path, target)| {
            let field = path.rsplit('.').next().unwrap();
            let is_fraction = field.ends_with("_fraction") || FRACTIONS_WITHOUT_SUFFIX.contains(&field);
            is_fraction != (*target == "Fraction") || field.contains("percent") != (*target == "Percent")
        })
        .collect();
    assert!(wrong_fields.is_empty(), "rename the field or change its type: {wrong_fields:?}");
}
