//! Machine translation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::LocaleCode;

/// Body of `POST translate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TranslateInput {
    /// Language of the texts.
    pub from_language: LocaleCode,
    /// Language to translate to.
    pub to_language: LocaleCode,
    /// 1 to 100 texts by name, at most 50,000 characters in total. Empty texts stay empty.
    pub fields: BTreeMap<String, String>,
}

/// Result of a translation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Translated {
    /// Language to translate to.
    pub to_language: LocaleCode,
    /// Translated texts by name.
    pub fields: BTreeMap<String, String>,
    /// Names of omitted texts, whose tags or placeholders did not survive the translation.
    pub left_out: Vec<String>,
}

crate::wire!(TranslateInput, Translated);
