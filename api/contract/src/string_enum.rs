//! String enums, such as statuses and types. Each value is the same string in JSON and in the database.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

/// Declares a string enum with `ALL`, `VALUES`, `as_str`, parsing, serde, OpenAPI schema and database decoding.
#[macro_export]
macro_rules! string_enum {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name { $(
            #[doc = concat!("`", $text, "`")]
            $(#[$variant_doc])*
            #[serde(rename = $text)]
            $variant
        ),+ }

        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Name of the enum and strings of its values, for declarations of columns and settings.
            pub const VALUES: $crate::string_enum::EnumValues =
                $crate::string_enum::EnumValues { name: stringify!($name), texts: &[$($text),+] };

            /// The string of the value in JSON and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        // Not derived, because the derive macro ignores a `serde(rename)` from a macro and would list the names of the variants.
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                $crate::string_enum::schema(concat!($($doc),*), Self::VALUES)
            }
        }

        impl utoipa::ToSchema for $name {}

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::string_enum::UnknownValue;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    $crate::string_enum::UnknownValue { allowed: Self::VALUES.texts.to_vec() }
                })
            }
        }

        #[cfg(feature = "sqlx")]
        $crate::decode_from_text!($name);
    };
}

/// Implements decoding of a string enum from a text column of SQLite or PostgreSQL.
#[cfg(feature = "sqlx")]
#[macro_export]
macro_rules! decode_from_text {
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

/// Name of a string enum and the strings of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnumValues {
    /// Schema name in the OpenAPI document, such as `OrderStatus`.
    pub name: &'static str,
    /// Strings of the values, in the order of the specification.
    pub texts: &'static [&'static str],
}

/// The OpenAPI schema of a string enum.
#[doc(hidden)]
pub fn schema(description: &str, values: EnumValues) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description.trim()))
        .enum_values(Some(values.texts.iter().copied()))
        .into()
}

/// Error for a string that is not a value of the enum. The error message lists the allowed values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownValue {
    /// Strings of all values, in the order of the specification.
    pub allowed: Vec<&'static str>,
}

impl std::fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "must be one of: {}", self.allowed.join(", "))
    }
}

impl std::error::Error for UnknownValue {}
