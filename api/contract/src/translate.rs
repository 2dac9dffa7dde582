//! Translation by machine as it crosses the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::LocaleCode;

/// Body of `POST translate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslateInput {
    /// The language that the texts are in.
    pub from_language: LocaleCode,
    /// The language that is wanted.
    pub to_language: LocaleCode,
    /// Name → text: 1 to 100 texts, 50,000 characters in all. Empty texts come back empty.
    pub fields: BTreeMap<String, String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Translated {
    /// The language that was wanted.
    pub to_language: LocaleCode,
    /// The same names → translated texts.
    pub fields: BTreeMap<String, String>,
    /// Names of texts that were left out, as their tags or placeholders got lost on the way.
    pub left_out: Vec<String>,
}

crate::wire!(TranslateInput, Translated);
