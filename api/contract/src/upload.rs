//! Images in request bodies, and files as responses. In JSON an image is a string: the URL of the existing image, or a new file
//! as a data URL. In a multipart body it may be a file part. This module does not inspect the content of files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// An image field of a request: absent or the URL of the current image keeps it, `null` or empty removes it, a file replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Picture {
    /// Absent: the image stays unchanged.
    #[default]
    Unchanged,
    /// Remove the current image.
    None,
    /// Keep the record's current image, identified by its URL.
    Existing(String),
    /// Replace the image by this file.
    New(Vec<u8>),
}

impl Picture {
    /// Whether the field is absent from the body.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        *self == Self::Unchanged
    }

    /// Parses the text of an image field.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Self::None);
        }
        let Some(data) = text.strip_prefix("data:") else { return Ok(Self::Existing(text.to_owned())) };
        let (_, data) = data.split_once(";base64,").ok_or("must be base64 when it is a data URL")?;
        STANDARD.decode(data).map(Self::New).map_err(|_| "is not valid base64")
    }
}

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unchanged | Self::None => serializer.serialize_none(),
            Self::Existing(url) => serializer.serialize_str(url),
            Self::New(bytes) => serializer.serialize_str(&data_url(bytes)),
        }
    }
}

/// Encodes a file as a data URL.
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

/// Reads the text without a copy, which would be as large as the file.
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
        let description = "A PNG, JPEG, WebP or GIF image as a data URL (or as a file part of a multipart body), or the URL of the current image to keep it. Null or empty removes the image; absent keeps it.";
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some(description))
            .into()
    }
}

impl utoipa::ToSchema for Picture {}

/// A response that is a file; in Rust programs its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileBytes(pub Vec<u8>);

// The bytes are base64 where a program stores a response as text; on the wire the response is the file itself.
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
    const KIND: crate::endpoint::BodyKind = crate::endpoint::BodyKind::File;
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
    fn an_image_field_round_trips() {
        let all = [
            (Picture::Unchanged, "{}"),
            (Picture::None, r#"{"icon":null}"#),
            (Picture::Existing("/uploads/a.png".into()), r#"{"icon":"/uploads/a.png"}"#),
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
