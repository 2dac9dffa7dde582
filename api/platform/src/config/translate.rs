//! Configuration of machine translation.

use serde::{Deserialize, Serialize};

/// The translation service that translates missing texts.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TranslationConfig {
    /// `libretranslate` or `deepl`; `None` disables translation.
    pub kind: Option<Translator>,
    /// Base URL. Default: the DeepL API; the free DeepL API for keys that end in `:fx`.
    pub url: Option<String>,
    pub key: Option<String>,
}

/// The supported translation services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Translator {
    /// LibreTranslate, self-hosted or hosted.
    Libretranslate,
    Deepl,
}

// Not derived: the key must not be logged.
impl std::fmt::Debug for TranslationConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TranslationConfig")
            .field("kind", &self.kind)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl TranslationConfig {
    /// Whether a translator is configured.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.kind.is_some()
    }

    /// The base URL of the service, without a slash at the end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        let is_free = self.key.as_deref().is_some_and(|key| key.ends_with(":fx"));
        let default_url = if is_free { "https://api-free.deepl.com" } else { "https://api.deepl.com" };
        self.url.as_deref().unwrap_or(default_url).trim_end_matches('/')
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.kind {
            Some(Translator::Libretranslate) if self.url.is_none() => {
                Err("configuration: set translate.url for libretranslate, for example http://127.0.0.1:5000"
                    .into())
            }
            Some(Translator::Deepl) if self.key.is_none() => {
                Err("configuration: set translate.key for deepl".into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_has_no_key() {
        let config =
            |text: &str| TranslationConfig { key: Some(text.into()), ..TranslationConfig::default() };
        assert!(!format!("{:?}", config("secret")).contains("secret"));
    }

    #[test]
    fn the_default_url_depends_on_the_key() {
        let config = |key: &str| TranslationConfig { key: Some(key.into()), ..TranslationConfig::default() };
        assert_eq!(config("a:fx").base_url(), "https://api-free.deepl.com");
        assert_eq!(config("a").base_url(), "https://api.deepl.com");
    }
}
