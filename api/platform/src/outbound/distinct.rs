//! JSON whose objects name each field once. What names one twice is read differently by different readers: the first value
//! may be an order that was taken, and the last one say that there is none.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A JSON value without a field that is named twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Distinct(pub Value);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON that names no field twice")
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
        let mut all = Vec::new();
        while let Some(Distinct(one)) = list.next_element()? {
            all.push(one);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((name, Distinct(value))) = object.next_entry::<String, _>()? {
            if fields.contains_key(&name) {
                return Err(A::Error::custom("a field is named twice"));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use panel_fuzz::{Run, json_texts};

    use super::*;

    #[test]
    fn a_field_is_named_once() {
        let read = |text: &str| serde_json::from_str::<Distinct>(text);
        for text in [r#"{"order":1,"order":null}"#, r#"[{"a":{"b":1,"c":2,"b":1}}]"#, r#"{"a":1,"\u0061":2}"#]
        {
            assert!(read(text).unwrap_err().to_string().contains("named twice"), "{text}");
        }
    }

    #[test]
    fn fuzz_distinct_values_are_those_of_the_ordinary_reader() {
        Run::new("panel-platform", "distinct_json").on(json_texts(&["order", "error"], &[]), |text| {
            if let Ok(Distinct(value)) = serde_json::from_slice(text) {
                assert_eq!(serde_json::from_slice::<Value>(text).unwrap(), value);
            }
        });
    }
}
