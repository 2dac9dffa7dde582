//! Machine translation of texts that customers see.

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

/// Response of `POST translate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TranslationResult {
    /// Language of the translated texts.
    pub to_language: LocaleCode,
    /// Translated texts by their names in the request.
    pub fields: BTreeMap<String, String>,
    /// Names of texts that `fields` omits, because the translation changed their HTML tags or placeholders.
    pub left_out: Vec<String>,
}

crate::json_bodies!(TranslateInput, TranslationResult);
