//! Parses JSON and rejects duplicate fields. Parsers disagree about a duplicate field: its first value may be the id of an accepted
//! order, and its last value null.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A JSON value without duplicate fields.
#[derive(Debug, Clone, PartialEq)]
pub struct UniqueFieldsJson(pub Value);

impl<'de> Deserialize<'de> for UniqueFieldsJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueFieldsVisitor).map(Self)
    }
}

struct UniqueFieldsVisitor;

impl<'de> Visitor<'de> for UniqueFieldsVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without duplicate fields")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueFieldsJson(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((name, UniqueFieldsJson(value))) = object.next_entry::<String, _>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom("duplicate field"));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{FuzzTarget, json_documents};

    use super::*;

    #[test]
    fn rejects_duplicate_fields() {
        let parse = |text: &str| serde_json::from_str::<UniqueFieldsJson>(text);
        for text in [r#"{"order":1,"order":null}"#, r#"[{"a":{"b":1,"c":2,"b":1}}]"#, r#"{"a":1,"\u0061":2}"#]
        {
            assert!(parse(text).unwrap_err().to_string().contains("duplicate field"), "{text}");
        }
    }

    #[test]
    fn fuzz_parsed_values_equal_those_of_serde_json() {
        FuzzTarget::new("panel-platform", "distinct_json").run(
            json_documents(&["order", "error"], &[]),
            |text| {
                if let Ok(UniqueFieldsJson(value)) = serde_json::from_slice(text) {
                    assert_eq!(serde_json::from_slice::<Value>(text).unwrap(), value);
                }
            },
        );
    }
}
