//! Images within inputs, and files as answers. In JSON an image is a text: the address it is kept under, or the file
//! itself as a data URL; in a multipart body it may be a file part. Nothing here looks into a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// An image field of an input. Absent: as it is; `null` or empty: none; an address: the one kept there stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Picture {
    /// Nothing was said about it.
    #[default]
    Unchanged,
    /// There shall be none.
    None,
    /// The record's present image, by its address.
    Kept(String),
    /// A new file.
    New(Vec<u8>),
}

impl Picture {
    /// Leaves the field out of a body.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        *self == Self::Unchanged
    }

    /// The picture that a text of a body means.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Self::None);
        }
        let Some(data) = text.strip_prefix("data:") else { return Ok(Self::Kept(text.to_owned())) };
        let (_, data) = data.split_once(";base64,").ok_or("must be base64 when it is a data URL")?;
        STANDARD.decode(data).map(Self::New).map_err(|_| "is not valid base64")
    }
}

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unchanged | Self::None => serializer.serialize_none(),
            Self::Kept(url) => serializer.serialize_str(url),
            Self::New(bytes) => serializer.serialize_str(&data_url(bytes)),
        }
    }
}

/// A file as a text of a body.
#[must_use]
pub fn data_url(bytes: &[u8]) -> String {
    let head = "data:application/octet-stream;base64,";
    // One buffer of the right size: doubling would hold two of a large file.
    let mut url = String::with_capacity(head.len() + bytes.len().div_ceil(3) * 4);
    url.push_str(head);
    STANDARD.encode_string(bytes, &mut url);
    url
}

impl<'de> Deserialize<'de> for Picture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(PictureVisitor)
    }
}

/// Reads the text where it stands: a copy of it would be as large as the file again.
struct PictureVisitor;

impl<'de> Visitor<'de> for PictureVisitor {
    type Value = Picture;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_none<E: Error>(self) -> Result<Picture, E> {
        Ok(Picture::None)
    }

    fn visit_unit<E: Error>(self) -> Result<Picture, E> {
        Ok(Picture::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Picture, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Picture, E> {
        Picture::parse(text).map_err(E::custom)
    }
}

impl utoipa::PartialSchema for Picture {
    fn schema() -> RefOr<Schema> {
        let words = "An image: PNG, JPEG, WebP or GIF as a data URL (or a file part of a multipart body), or the address of the present one, which then stays. Null or empty takes it away; absent leaves it.";
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some(words))
            .into()
    }
}

impl utoipa::ToSchema for Picture {}

/// A file as an answer; within Rust programs as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileBytes(pub Vec<u8>);

// Base64 stands in where something wants to keep an answer as text; on the wire it is the file itself.
impl Serialize for FileBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for FileBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        STANDARD.decode(text.as_bytes()).map(Self).map_err(Error::custom)
    }
}

impl utoipa::PartialSchema for FileBytes {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).description(Some("A file.")).into()
    }
}

impl utoipa::ToSchema for FileBytes {}

impl crate::endpoint::Wire for FileBytes {
    const KIND: crate::endpoint::Kind = crate::endpoint::Kind::File;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Input {
        #[serde(default, skip_serializing_if = "Picture::is_unchanged")]
        icon: Picture,
    }

    #[test]
    fn an_image_is_a_text_of_its_input() {
        let all = [
            (Picture::Unchanged, "{}"),
            (Picture::None, r#"{"icon":null}"#),
            (Picture::Kept("/uploads/a.png".into()), r#"{"icon":"/uploads/a.png"}"#),
            (Picture::New(b"x".to_vec()), r#"{"icon":"data:application/octet-stream;base64,eA=="}"#),
        ];
        for (icon, json) in all {
            assert_eq!(serde_json::to_string(&Input { icon: icon.clone() }).unwrap(), json);
            assert_eq!(serde_json::from_str::<Input>(json).unwrap(), Input { icon });
        }
        for bad in [r#"{"icon":"data:image/png,x"}"#, r#"{"icon":"data:;base64,é"}"#, r#"{"icon":7}"#] {
            assert!(serde_json::from_str::<Input>(bad).is_err(), "{bad}");
        }
    }
}
