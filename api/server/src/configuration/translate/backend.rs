//! The translators that the panel can talk to: LibreTranslate and DeepL, each in its own words. Their keys go out in the
//! call and nowhere else.

use panel_contract::common::LocaleCode;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use serde::Deserialize;
use serde_json::json;

use panel_platform::config::{Translate, Translator};
use panel_platform::outbound::{Answer, Call, Outbound, OutboundError, Purpose};

/// What is asked in one call.
#[derive(Debug)]
pub struct Asked {
    /// The language of the texts.
    pub from: LocaleCode,
    /// The language that is wanted.
    pub to: LocaleCode,
    /// Whether the texts are HTML.
    pub is_html: bool,
    /// In their order.
    pub texts: Vec<String>,
}

/// Asks the configured translator; as many texts come back, in their order.
pub async fn ask(outbound: &Outbound, config: &Translate, asked: &Asked, now: Time) -> Result<Vec<String>> {
    let Some(kind) = config.kind else { return Err(strange()) };
    let answer = outbound.send(call(kind, config, asked)).await.map_err(|error| unreached(&error))?;
    if !answer.is_success() {
        return Err(refused(kind, &answer, now));
    }
    match texts_of(kind, &answer) {
        Some(texts) if texts.len() == asked.texts.len() => Ok(texts),
        _ => Err(strange()),
    }
}

/// The texts of a translator's answer; none where it has no such shape.
fn texts_of(kind: Translator, answer: &Answer) -> Option<Vec<String>> {
    let texts = match kind {
        Translator::Libretranslate => answer.json::<Libre>().map(|answer| answer.translated_text),
        Translator::Deepl => {
            answer.json::<Deepl>().map(|answer| answer.translations.into_iter().map(|one| one.text).collect())
        }
    };
    texts.ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Libre {
    translated_text: Vec<String>,
}

#[derive(Deserialize)]
struct Deepl {
    translations: Vec<DeeplText>,
}

#[derive(Deserialize)]
struct DeeplText {
    text: String,
}

fn call(kind: Translator, config: &Translate, asked: &Asked) -> Call {
    let base = config.base();
    let key = config.key.as_deref().unwrap_or_default();
    match kind {
        Translator::Libretranslate => {
            let mut body = json!({
                "q": asked.texts,
                "source": libre(asked.from),
                "target": libre(asked.to),
                "format": if asked.is_html { "html" } else { "text" },
            });
            if !key.is_empty() {
                body["api_key"] = json!(key);
            }
            Call::json(Purpose::Translator, &format!("{base}/translate"), &body)
        }
        Translator::Deepl => {
            let mut body = json!({
                "text": asked.texts,
                "source_lang": deepl(asked.from).split('-').next(),
                "target_lang": deepl(asked.to),
                "preserve_formatting": true,
            });
            if asked.is_html {
                body["tag_handling"] = json!("html");
            }
            let call = Call::json(Purpose::Translator, &format!("{base}/v2/translate"), &body);
            call.header("authorization", &format!("DeepL-Auth-Key {key}"))
        }
    }
}

/// A language as LibreTranslate spells it.
const fn libre(locale: LocaleCode) -> &'static str {
    match locale {
        LocaleCode::HiIn => "hi",
        LocaleCode::PtBr => "pt-BR",
        LocaleCode::ZhCn => "zh-Hans",
        other => other.as_str(),
    }
}

/// A language as DeepL spells it when it is wanted; as a source it has no region.
const fn deepl(locale: LocaleCode) -> &'static str {
    match locale {
        LocaleCode::En => "EN-US",
        LocaleCode::Ru => "RU",
        LocaleCode::Es => "ES",
        LocaleCode::Fr => "FR",
        LocaleCode::De => "DE",
        LocaleCode::HiIn => "HI",
        LocaleCode::Ko => "KO",
        LocaleCode::PtBr => "PT-BR",
        LocaleCode::Tr => "TR",
        LocaleCode::ZhCn => "ZH-HANS",
        LocaleCode::Ja => "JA",
        LocaleCode::Vi => "VI",
    }
}

/// The words of an answer that is no translation; a proxy's page says nothing.
fn words(answer: &Answer) -> Option<String> {
    #[derive(Deserialize)]
    struct Said {
        #[serde(alias = "error")]
        message: String,
    }
    let said: Said = answer.json().ok()?;
    let plain: String = said.message.chars().filter(|letter| !letter.is_control()).take(200).collect();
    Some(plain)
}

fn refused(kind: Translator, answer: &Answer, now: Time) -> Error {
    let (bad, busy) = (RejectionKind::BadGateway, RejectionKind::Unavailable);
    let said = words(answer).map(|words| format!(" It said: {words}")).unwrap_or_default();
    match (kind, answer.status) {
        (_, 429 | 529) => {
            let wait = answer.retry_after(now).map(|wait| wait.as_secs().max(1));
            let when = wait.map_or_else(|| "in a minute".to_owned(), |wait| format!("in {wait} seconds"));
            Error::rejected(
                busy,
                "translator_busy",
                format!("The translator asks to slow down; try again {when}."),
            )
        }
        (Translator::Deepl, 456) => Error::rejected(
            bad,
            "translator_quota",
            "The translator's quota is used up; wait until it renews, or buy more.".to_owned(),
        ),
        (_, 401 | 403) => Error::rejected(
            bad,
            "translator_key",
            format!(
                "The translator refuses the panel's key; check translate.key in the configuration.{said}"
            ),
        ),
        (_, 413) => Error::rejected(
            bad,
            "translator_too_much",
            "This is too much for the translator; translate less at once.".to_owned(),
        ),
        (_, 400) => {
            Error::rejected(bad, "translator_refused", format!("The translator cannot do this.{said}"))
        }
        (_, status) => Error::rejected(
            bad,
            "translator_failed",
            format!("The translator failed with {status}; try again later.{said}"),
        ),
    }
}

fn unreached(error: &OutboundError) -> Error {
    let message =
        format!("The translator cannot be reached: {error}. Check translate.url in the configuration.");
    Error::rejected(RejectionKind::BadGateway, "translator_unreachable", message)
}

fn strange() -> Error {
    let message = "The translator's answer cannot be understood; check translate.kind and translate.url in the configuration.";
    Error::rejected(RejectionKind::BadGateway, "translator_strange", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_translator_answers() {
        const NAMES: &[&str] = &["translatedText", "translations", "text", "message", "error"];
        const SAMPLES: &[&str] =
            &[r#"{"translatedText":["a"]}"#, r#"{"translations":[{"text":"a"}]}"#, r#"{"message":"no"}"#];
        panel_fuzz::Run::new("panel-server", "translators").on(
            panel_fuzz::json_texts(NAMES, SAMPLES),
            |text| {
                for kind in [Translator::Libretranslate, Translator::Deepl] {
                    let answer =
                        Answer { status: 403, retry_after: None, body: text.to_vec(), is_cut: false };
                    drop(texts_of(kind, &answer));
                    drop(refused(kind, &answer, Time(0)));
                }
            },
        );
    }
}
