//! Images in request bodies, and files as responses. In JSON an image is a string: the URL of the current image, or a new file as a
//! data URL. In a multipart body it may be a file part. This module does not inspect the content of files.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// An image field of a request. An absent field or the URL of the current image keeps the image, `null` or an empty string removes
/// the image, and a file replaces the image.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ImageInput {
    /// Absent: the current image stays.
    #[default]
    Unchanged,
    /// Null or empty: the current image is removed.
    None,
    /// The URL of the current image, which stays.
    Existing(String),
    /// The bytes of a file, which replaces the current image.
    New(Vec<u8>),
}

impl ImageInput {
    /// Whether the field is absent from the body.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        *self == Self::Unchanged
    }

    /// Parses the string of an image field. Returns an error for a data URL that is not base64.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Ok(Self::None);
        }
        let Some(data) = text.strip_prefix("data:") else { return Ok(Self::Existing(text.to_owned())) };
        let (_, base64) = data.split_once(";base64,").ok_or("must be base64 if it is a data URL")?;
        STANDARD.decode(base64).map(Self::New).map_err(|_| "is not valid base64")
    }
}

impl Serialize for ImageInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unchanged | Self::None => serializer.serialize_none(),
            Self::Existing(url) => serializer.serialize_str(url),
            Self::New(bytes) => serializer.serialize_str(&to_data_url(bytes)),
        }
    }
}

/// Encodes the bytes of a file as a data URL.
#[must_use]
pub fn to_data_url(bytes: &[u8]) -> String {
    let prefix = "data:application/octet-stream;base64,";
    // Allocates the final size at once, because a growing buffer would copy a large file.
    let mut url = String::with_capacity(prefix.len() + bytes.len().div_ceil(3) * 4);
    url.push_str(prefix);
    STANDARD.encode_string(bytes, &mut url);
    url
}

impl<'de> Deserialize<'de> for ImageInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(ImageInputVisitor)
    }
}

/// Parses the string without copying it, because a data URL can have several megabytes.
struct ImageInputVisitor;

impl<'de> Visitor<'de> for ImageInputVisitor {
    type Value = ImageInput;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_none<E: Error>(self) -> Result<ImageInput, E> {
        Ok(ImageInput::None)
    }

    fn visit_unit<E: Error>(self) -> Result<ImageInput, E> {
        Ok(ImageInput::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<ImageInput, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ImageInput, E> {
        ImageInput::parse(text).map_err(E::custom)
    }
}

impl utoipa::PartialSchema for ImageInput {
    fn schema() -> RefOr<Schema> {
        let description = "A PNG, JPEG, WebP or GIF image as a data URL (or as a file part of a multipart body), or the URL of the current image to keep it. Null or empty removes the image; absent keeps it.";
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some(description))
            .into()
    }
}

impl utoipa::ToSchema for ImageInput {}

/// The bytes of a response that is a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileBytes(pub Vec<u8>);

// The HTTP response is the file itself. These implementations are for programs that store responses as JSON.
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

impl crate::endpoint::ApiBody for FileBytes {
    const KIND: crate::endpoint::BodyKind = crate::endpoint::BodyKind::File;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Input {
        #[serde(default, skip_serializing_if = "ImageInput::is_unchanged")]
        icon: ImageInput,
    }

    #[test]
    fn an_image_field_round_trips() {
        let cases = [
            (ImageInput::Unchanged, "{}"),
            (ImageInput::None, r#"{"icon":null}"#),
            (ImageInput::Existing("/uploads/a.png".into()), r#"{"icon":"/uploads/a.png"}"#),
            (ImageInput::New(b"x".to_vec()), r#"{"icon":"data:application/octet-stream;base64,eA=="}"#),
        ];
        for (icon, json) in cases {
            assert_eq!(serde_json::to_string(&Input { icon: icon.clone() }).unwrap(), json);
            assert_eq!(serde_json::from_str::<Input>(json).unwrap(), Input { icon });
        }
        for invalid in [r#"{"icon":"data:image/png,x"}"#, r#"{"icon":"data:;base64,é"}"#, r#"{"icon":7}"#] {
            assert!(serde_json::from_str::<Input>(invalid).is_err(), "{invalid}");
        }
    }
}
