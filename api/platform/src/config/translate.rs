//! Configuration of machine translation.

use serde::{Deserialize, Serialize};

/// The translation service of the action "translate missing texts".
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Translate {
    /// `libretranslate` or `deepl`; no translator when absent.
    pub kind: Option<Translator>,
    /// Its address; DeepL's own by default, the free one for keys that end in `:fx`.
    pub url: Option<String>,
    /// Its key.
    pub key: Option<String>,
}

/// The supported translation services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Translator {
    /// LibreTranslate, self-hosted or hosted.
    Libretranslate,
    /// DeepL.
    Deepl,
}

// Not derived: the key must not be logged.
impl std::fmt::Debug for Translate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Translate").field("kind", &self.kind).field("url", &self.url).finish_non_exhaustive()
    }
}

impl Translate {
    /// Whether a translator is configured.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.kind.is_some()
    }

    /// The base address of the service, without a slash at the end.
    #[must_use]
    pub fn base(&self) -> &str {
        let is_free = self.key.as_deref().is_some_and(|key| key.ends_with(":fx"));
        let usual = if is_free { "https://api-free.deepl.com" } else { "https://api.deepl.com" };
        self.url.as_deref().unwrap_or(usual).trim_end_matches('/')
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.kind {
            Some(Translator::Libretranslate) if self.url.is_none() => Err(
                "configuration: translate.url is needed with libretranslate, such as http://127.0.0.1:5000"
                    .into(),
            ),
            Some(Translator::Deepl) if self.key.is_none() => {
                Err("configuration: translate.key is needed with deepl".into())
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
        let key = |text: &str| Translate { key: Some(text.into()), ..Translate::default() };
        assert!(!format!("{:?}", key("secret")).contains("secret"));
        assert_eq!(key("a:fx").base(), "https://api-free.deepl.com");
        assert_eq!(key("a").base(), "https://api.deepl.com");
    }
}
