//! Parses forms with bracketed names (`translations[en][name]=Card`, `bonuses[0][bonus_fraction]=5`, `ids[]=1`). Every value is a
//! string, and the type of the field decides how to parse it. Spaces at both ends are trimmed. An empty string is no value for an
//! optional field, an empty list for a list, and a group without fields for a group.

use serde::de::value::{Error, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde_json::{Map, Value};

use crate::all_errors;
use crate::fields::{FieldErrors, to_field_errors, try_deserialize};

/// Maximum number of fields of a form.
pub const MAX_FIELDS: usize = 1_000;
/// Maximum nesting depth of brackets in a field name.
const MAX_DEPTH: usize = 16;

/// Returns an error if a form has more than `max` fields. Callers check the count before they decode the fields.
pub fn check_field_count(count: usize, max: usize) -> Result<(), FieldErrors> {
    if count > max {
        return Err(FieldErrors::single("body", format!("Send at most {max} fields.")));
    }
    Ok(())
}

/// Name of the form field that holds the HTTP method of the endpoint, for clients that cannot send files by PUT. The server, not
/// this parser, checks its value.
pub const METHOD_FIELD: &str = "_method";

/// Parses decoded fields; ignores [`METHOD_FIELD`]. Takes ownership of the fields, because a copy of a file would need several
/// megabytes more.
pub fn parse<T: DeserializeOwned>(fields: Vec<(String, String)>) -> Result<T, FieldErrors> {
    check_field_count(fields.len(), MAX_FIELDS)?;
    let mut root = Value::Object(Map::new());
    let mut errors = FieldErrors::default();
    for (name, text) in fields.into_iter().filter(|(name, _)| name != METHOD_FIELD) {
        match parse_field_name(&name) {
            None => errors.add("body", format!("The field name {name:.100} is not valid.")),
            Some(path) => {
                if let Err(message) = insert_field(&mut root, &path, trim(text)) {
                    errors.add(path.join("."), message);
                }
            }
        }
    }
    match serde_path_to_error::deserialize(FormValue(&root)) {
        Ok(input) => errors.into_result(input),
        Err(error) => {
            let first_error = to_field_errors(&error);
            errors.extend(all_errors::find_all_errors(root, first_error, &|root| {
                try_deserialize::<T, _>(FormValue(root))
            }));
            Err(errors)
        }
    }
}

/// Splits a field name: `a[b][]` becomes `a`, `b` and an empty part. `None` for an invalid name.
fn parse_field_name(name: &str) -> Option<Vec<&str>> {
    let (first, brackets) = match name.find('[') {
        Some(index) => name.split_at(index),
        None => (name, ""),
    };
    let mut path = vec![first];
    if !brackets.is_empty() {
        let inner = brackets.strip_prefix('[')?.strip_suffix(']')?;
        path.extend(inner.split("]["));
    }
    let has_valid_characters = |part: &&str| !part.contains(['[', ']', '\0']);
    (!first.is_empty() && path.len() <= MAX_DEPTH && path.iter().all(has_valid_characters)).then_some(path)
}

fn trim(text: String) -> String {
    let trimmed = text.trim();
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}

fn insert_field(root: &mut Value, path: &[&str], text: String) -> Result<(), String> {
    if text.contains('\0') {
        return Err("The text must not contain the character U+0000.".into());
    }
    let mut value = root;
    for part in path {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        let Value::Object(map) = value else {
            return Err("Send the field either as one value or as a group, not both.".into());
        };
        let name = if part.is_empty() { map.len().to_string() } else { (*part).to_owned() };
        value = map.entry(name).or_insert(Value::Null);
    }
    if value.is_object() {
        return Err("Send the field either as one value or as a group, not both.".into());
    }
    // The last value of a repeated name applies, as usual in forms.
    *value = Value::String(text);
    Ok(())
}

/// A tree of strings that deserializes into the type of a request body.
#[derive(Clone, Copy)]
struct FormValue<'v>(&'v Value);

impl<'v> FormValue<'v> {
    fn text(self) -> Result<&'v str, Error> {
        self.0.as_str().ok_or_else(|| Error::custom("must be one value, not a group"))
    }
}

impl<'v> IntoDeserializer<'v, Error> for FormValue<'v> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! number_methods {
    ($($deserialize:ident $visit:ident $type:ty;)+) => { $(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.text()?.parse::<$type>().map_err(|_| Error::custom("must be a number"))?)
        }
    )+ };
}

impl<'de> Deserializer<'de> for FormValue<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_map(visitor),
            _ => visitor.visit_borrowed_str(self.text()?),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text()? {
            "1" | "true" | "on" => visitor.visit_bool(true),
            "0" | "false" | "off" | "" => visitor.visit_bool(false),
            _ => Err(Error::custom("must be 1 or 0")),
        }
    }

    number_methods! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.as_str() == Some("") { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Object(map) = self.0 else {
            // A form sends an empty string for an empty list.
            return match self.text()? {
                "" => visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<Self>())),
                _ => Err(Error::custom("must be a list")),
            };
        };
        let mut elements = Vec::with_capacity(map.len());
        for (name, value) in map {
            let index: usize = name.parse().map_err(|_| Error::custom("must be a list"))?;
            elements.push((index, Self(value)));
        }
        elements.sort_by_key(|(index, _)| *index);
        visitor.visit_seq(SeqDeserializer::new(elements.into_iter().map(|(_, element)| element)))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let map = match self.0 {
            Value::Object(map) => Some(map),
            _ if self.text()?.is_empty() => None,
            _ => return Err(Error::custom("must be a group of fields")),
        };
        let fields = map.into_iter().flatten().map(|(name, value)| (name.as_str(), Self(value)));
        visitor.visit_map(MapDeserializer::new(fields))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let text: StrDeserializer<'_, Error> = self.text()?.into_deserializer();
        text.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::amount::Money;
    use crate::payments::BalanceType;
    use crate::upload::ImageInput;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Input {
        name: String,
        #[serde(default)]
        icon: ImageInput,
        #[serde(default)]
        is_enabled: bool,
        #[serde(default)]
        fee: Option<Money>,
        #[serde(default)]
        kind: Option<BalanceType>,
        #[serde(default)]
        ids: Vec<i64>,
        #[serde(default)]
        translations: BTreeMap<String, BTreeMap<String, String>>,
    }

    fn parse(fields: &[(&str, &str)]) -> Result<Input, FieldErrors> {
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        super::parse(fields)
    }

    #[test]
    fn strings_are_parsed_by_the_type_of_the_field() {
        let input = parse(&[
            ("_method", "PUT"),
            ("name", " Card "),
            ("icon", "/uploads/a.png"),
            ("is_enabled", "1"),
            ("fee", "0.5"),
            ("kind", "task"),
            ("ids[1]", "8"),
            ("ids[0]", "7"),
            ("translations[en][name]", "Card"),
        ])
        .unwrap();
        assert_eq!((input.name.as_str(), input.is_enabled, &input.ids[..]), ("Card", true, &[7, 8][..]));
        assert_eq!(
            (input.icon, input.fee),
            (ImageInput::Existing("/uploads/a.png".into()), Some(Money(500_000)))
        );
        assert_eq!(
            (input.kind, input.translations["en"]["name"].as_str()),
            (Some(BalanceType::Task), "Card")
        );
        let input =
            parse(&[("name", ""), ("icon", ""), ("fee", ""), ("ids[]", "1"), ("ids[]", "2")]).unwrap();
        assert_eq!((input.icon, input.fee, &input.ids[..]), (ImageInput::None, None, &[1, 2][..]));
        assert_eq!(parse(&[("name", "x"), ("ids", "")]).unwrap().ids, Vec::<i64>::new());
    }

    #[test]
    fn errors_name_the_invalid_field() {
        let invalid_fields =
            |fields: &[(&str, &str)]| parse(fields).unwrap_err().0.into_keys().collect::<Vec<_>>();
        assert_eq!(invalid_fields(&[]), ["name"]);
        assert_eq!(invalid_fields(&[("name", "x"), ("nam", "y")]), ["nam"]);
        assert_eq!(invalid_fields(&[("name", "x"), ("ids[0]", "y")]), ["ids.0"]);
        assert_eq!(invalid_fields(&[("name", "x"), ("is_enabled", "maybe")]), ["is_enabled"]);
        assert_eq!(invalid_fields(&[("name[a]", "x")]), ["name"]);
        assert_eq!(invalid_fields(&[("name", "x"), ("ids[a", "1")]), ["body"]);
        assert_eq!(invalid_fields(&[("name", "x"), ("ids[]", "1"), ("ids", "2")]), ["ids"]);
        assert_eq!(invalid_fields(&[("name", "a\0")]), ["name"]);
        let deep_name = format!("name{}", "[a]".repeat(100));
        assert_eq!(invalid_fields(&[(&deep_name, "x")]), ["body", "name"]);
    }

    #[test]
    fn fuzz_forms() {
        const SAMPLES: &[&str] = &[
            "name=Card&translations[en][name]=Card&bonuses[0][percent]=5&ids[]=1&ids[]=2&_method=PUT",
            "ids=&is_active=1",
        ];
        const TOKENS: &[&str] = &["[", "]", "[]", "][", "[a]", "[0]", "&", "=", "\0", "99999999999999999999"];
        panel_fuzz::FuzzTarget::new("panel-contract", "forms").run(
            panel_fuzz::query_pairs(SAMPLES, TOKENS),
            |pairs| {
                drop(super::parse::<Value>(pairs.clone()));
                drop(super::parse::<crate::services::ServiceInput>(pairs.clone()));
            },
        );
    }

    #[test]
    fn rejects_deeply_nested_brackets() {
        let name = format!("a{}", "[b]".repeat(100_000));
        assert!(super::parse::<Value>(vec![(name, "1".to_owned())]).is_err());
    }
}
