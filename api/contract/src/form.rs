//! Deserializes forms with bracketed names (`translations[en][name]=Card`, `bonuses[0][percent]=5`, `ids[]=1`): every leaf is a
//! text, and the target type decides how to parse it. Outer spaces are trimmed; an empty text is no value.

use serde::de::value::{Error, MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde_json::{Map, Value};

use crate::fields::{FieldErrors, field_error, read_from};
use crate::probe;

/// Maximum number of fields of a form.
pub const MAX_FIELDS: usize = 1_000;
/// Maximum nesting depth of brackets in a field name.
const MAX_DEPTH: usize = 16;

/// Refuses a form with more than `most` fields, so that a caller can check before it decodes.
pub fn check_count(fields: usize, most: usize) -> Result<(), FieldErrors> {
    if fields > most {
        return Err(FieldErrors::one("body", format!("Send at most {most} fields.")));
    }
    Ok(())
}

/// The form field that overrides the HTTP method, for clients that cannot send files by PUT. The server checks its value.
pub const METHOD: &str = "_method";

/// Parses decoded fields, without [`METHOD`]. Takes ownership of the fields, so that a file of several megabytes is in memory once.
pub fn read<T: DeserializeOwned>(fields: Vec<(String, String)>) -> Result<T, FieldErrors> {
    check_count(fields.len(), MAX_FIELDS)?;
    let mut root = Value::Object(Map::new());
    let mut errors = FieldErrors::default();
    for (name, text) in fields.into_iter().filter(|(name, _)| name != METHOD) {
        match parse_name(&name) {
            None => errors.add("body", format!("The field name {name:.100} is not valid.")),
            Some(path) => {
                if let Err(message) = insert(&mut root, &path, trimmed(text)) {
                    errors.add(path.join("."), message);
                }
            }
        }
    }
    match serde_path_to_error::deserialize(FormValue(&root)) {
        Ok(input) => errors.or(input),
        Err(error) => {
            let first = field_error(&error);
            errors.extend(probe::all(root, first, &|root| read_from::<T, _>(FormValue(root))));
            Err(errors)
        }
    }
}

/// Splits a field name: `a[b][]` is `a`, `b` and an empty part.
fn parse_name(name: &str) -> Option<Vec<&str>> {
    let (first, rest) = match name.find('[') {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let mut path = vec![first];
    if !rest.is_empty() {
        let inner = rest.strip_prefix('[')?.strip_suffix(']')?;
        path.extend(inner.split("]["));
    }
    let is_plain = |part: &&str| !part.contains(['[', ']', '\0']);
    (!first.is_empty() && path.len() <= MAX_DEPTH && path.iter().all(is_plain)).then_some(path)
}

fn trimmed(text: String) -> String {
    let inner = text.trim();
    if inner.len() == text.len() { text } else { inner.to_owned() }
}

fn insert(place: &mut Value, path: &[&str], text: String) -> Result<(), String> {
    if text.contains('\0') {
        return Err("The text must not contain the character U+0000.".into());
    }
    let mut place = place;
    for part in path {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(map) = place else {
            return Err("Send the field either as a text or as a group, not both.".into());
        };
        let name = if part.is_empty() { map.len().to_string() } else { (*part).to_owned() };
        place = map.entry(name).or_insert(Value::Null);
    }
    if place.is_object() {
        return Err("Send the field either as a text or as a group, not both.".into());
    }
    // The last of several values wins, as usual in forms.
    *place = Value::String(text);
    Ok(())
}

/// A tree of texts that deserializes into the requested type.
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

macro_rules! numbers {
    ($($read:ident $visit:ident $kind:ty;)+) => { $(
        fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.text()?.parse::<$kind>().map_err(|_| Error::custom("must be a number"))?)
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

    numbers! {
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
            // A form sends an empty text for an empty list.
            return match self.text()? {
                "" => visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<Self>())),
                _ => Err(Error::custom("must be a list")),
            };
        };
        let mut places = Vec::with_capacity(map.len());
        for (name, value) in map {
            let at: usize = name.parse().map_err(|_| Error::custom("must be a list"))?;
            places.push((at, Self(value)));
        }
        places.sort_by_key(|place| place.0);
        visitor.visit_seq(SeqDeserializer::new(places.into_iter().map(|place| place.1)))
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
    use crate::upload::Picture;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Input {
        name: String,
        #[serde(default)]
        icon: Picture,
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

    fn parse(text: &[(&str, &str)]) -> Result<Input, FieldErrors> {
        let fields: Vec<_> = text.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        read(fields)
    }

    #[test]
    fn texts_are_parsed_by_the_type_of_the_field() {
        let got = parse(&[
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
        assert_eq!((got.name.as_str(), got.is_enabled, &got.ids[..]), ("Card", true, &[7, 8][..]));
        assert_eq!((got.icon, got.fee), (Picture::Existing("/uploads/a.png".into()), Some(Money(500_000))));
        assert_eq!((got.kind, got.translations["en"]["name"].as_str()), (Some(BalanceType::Task), "Card"));
        let got = parse(&[("name", ""), ("icon", ""), ("fee", ""), ("ids[]", "1"), ("ids[]", "2")]).unwrap();
        assert_eq!((got.icon, got.fee, &got.ids[..]), (Picture::None, None, &[1, 2][..]));
        assert_eq!(parse(&[("name", "x"), ("ids", "")]).unwrap().ids, Vec::<i64>::new());
    }

    #[test]
    fn errors_name_the_wrong_field() {
        let fields = |text: &[(&str, &str)]| parse(text).unwrap_err().0.into_keys().collect::<Vec<_>>();
        assert_eq!(fields(&[]), ["name"]);
        assert_eq!(fields(&[("name", "x"), ("nam", "y")]), ["nam"]);
        assert_eq!(fields(&[("name", "x"), ("ids[0]", "y")]), ["ids.0"]);
        assert_eq!(fields(&[("name", "x"), ("is_enabled", "maybe")]), ["is_enabled"]);
        assert_eq!(fields(&[("name[a]", "x")]), ["name"]);
        assert_eq!(fields(&[("name", "x"), ("ids[a", "1")]), ["body"]);
        assert_eq!(fields(&[("name", "x"), ("ids[]", "1"), ("ids", "2")]), ["ids"]);
        assert_eq!(fields(&[("name", "a\0")]), ["name"]);
        let deep = format!("name{}", "[a]".repeat(100));
        assert_eq!(fields(&[(&deep, "x")]), ["body", "name"]);
    }

    #[test]
    fn fuzz_forms() {
        const SAMPLES: &[&str] = &[
            "name=Card&translations[en][name]=Card&bonuses[0][percent]=5&ids[]=1&ids[]=2&_method=PUT",
            "ids=&is_active=1",
        ];
        const TOKENS: &[&str] = &["[", "]", "[]", "][", "[a]", "[0]", "&", "=", "\0", "99999999999999999999"];
        panel_fuzz::Run::new("panel-contract", "forms").on(panel_fuzz::pairs(SAMPLES, TOKENS), |pairs| {
            drop(read::<Value>(pairs.clone()));
            drop(read::<crate::services::ServiceInput>(pairs.clone()));
        });
    }

    #[test]
    fn refuses_deeply_nested_brackets() {
        let name = format!("a{}", "[b]".repeat(100_000));
        assert!(read::<Value>(vec![(name, "1".to_owned())]).is_err());
    }
}
