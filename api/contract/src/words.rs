//! Closed sets of words (statuses, kinds, sources): one enum each, the same text on the wire and in the database.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

/// Declares an enum of words with its texts, `ALL`, `as_str`, parsing, serde, schema and database encoding.
#[macro_export]
macro_rules! words {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name { $(
            #[doc = concat!("`", $text, "`")]
            $(#[$word_doc])*
            #[serde(rename = $text)]
            $word
        ),+ }

        impl $name {
            /// Every word, in the specification's order.
            pub const ALL: &'static [Self] = &[$(Self::$word),+];

            /// The set by its name and its texts, for declarations.
            pub const WORDS: $crate::words::Words =
                $crate::words::Words { name: stringify!($name), texts: &[$($text),+] };

            /// The word as it is written on the wire and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$word => $text),+ }
            }
        }

        // By hand: the derived one does not see texts that come through a macro, and names the variants instead.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                $crate::words::schema(concat!($($doc),*), Self::WORDS)
            }
        }

        impl utoipa::ToSchema for $name {}

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).ok_or_else(|| {
                    $crate::words::UnknownWord { known: Self::WORDS.texts.to_vec() }
                })
            }
        }

        #[cfg(feature = "sqlx")]
        $crate::stored_as_text!($name);
    };
}

/// Lets a word be read from a text column of either database.
#[cfg(feature = "sqlx")]
#[macro_export]
macro_rules! stored_as_text {
    ($name:ident) => {
        impl<DB: sqlx::Database> sqlx::Type<DB> for $name
        where
            String: sqlx::Type<DB>,
        {
            fn type_info() -> DB::TypeInfo {
                <String as sqlx::Type<DB>>::type_info()
            }
            fn compatible(info: &DB::TypeInfo) -> bool {
                <String as sqlx::Type<DB>>::compatible(info)
            }
        }

        impl<'r, DB: sqlx::Database> sqlx::Decode<'r, DB> for $name
        where
            &'r str: sqlx::Decode<'r, DB>,
        {
            fn decode(value: DB::ValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                Ok(<&str as sqlx::Decode<DB>>::decode(value)?.parse::<Self>()?)
            }
        }
    };
}

/// A closed set of words as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// Its name in the OpenAPI document: `OrderStatus`.
    pub name: &'static str,
    /// Its words, in the specification's order.
    pub texts: &'static [&'static str],
}

/// A text of a closed set, as OpenAPI says it.
#[doc(hidden)]
pub fn schema(description: &str, words: Words) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description.trim()))
        .enum_values(Some(words.texts.iter().copied()))
        .into()
}

/// A text that is none of the known words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// The words there are.
    pub known: Vec<&'static str>,
}

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "must be one of: {}", self.known.join(", "))
    }
}

impl std::error::Error for UnknownWord {}
