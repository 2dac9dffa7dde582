//! Clients of LibreTranslate and DeepL. The key of a translator is only in its request, and never in a log or an error.

use panel_contract::common::LocaleCode;
use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::RejectionKind;
use serde::Deserialize;
use serde_json::json;

use panel_platform::config::{TranslationConfig, Translator};
use panel_platform::outbound::{OutboundClient, OutboundError, OutboundRequest, OutboundResponse, Purpose};

/// The texts of one request to a translator.
#[derive(Debug)]
pub struct TranslationRequest {
    pub from: LocaleCode,
    pub to: LocaleCode,
    pub is_html: bool,
    pub texts: Vec<String>,
}

/// Sends texts to the configured translator. Returns the translations in the order of the texts.
pub async fn translate(
    outbound: &OutboundClient,
    config: &TranslationConfig,
    request: &TranslationRequest,
    now: Time,
) -> Result<Vec<String>> {
    let Some(translator) = config.kind else { return Err(malformed_response()) };
    let response = outbound
        .send(build_request(translator, config, request))
        .await
        .map_err(|error| unreachable_error(&error))?;
    if !response.is_success() {
        return Err(status_error(translator, &response, now));
    }
    match parse_texts(translator, &response) {
        Some(texts) if texts.len() == request.texts.len() => Ok(texts),
        _ => Err(malformed_response()),
    }
}

/// Parses the texts of a translator's response; `None` if it is malformed.
fn parse_texts(translator: Translator, response: &OutboundResponse) -> Option<Vec<String>> {
    let texts = match translator {
        Translator::Libretranslate => {
            response.json::<LibreTranslateResponse>().map(|response| response.translated_text)
        }
        Translator::Deepl => response
            .json::<DeeplResponse>()
            .map(|response| response.translations.into_iter().map(|translation| translation.text).collect()),
    };
    texts.ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LibreTranslateResponse {
    translated_text: Vec<String>,
}

#[derive(Deserialize)]
struct DeeplResponse {
    translations: Vec<DeeplTranslation>,
}

#[derive(Deserialize)]
struct DeeplTranslation {
    text: String,
}

fn build_request(
    translator: Translator,
    config: &TranslationConfig,
    request: &TranslationRequest,
) -> OutboundRequest {
    let base_url = config.base_url();
    let key = config.key.as_deref().unwrap_or_default();
    match translator {
        Translator::Libretranslate => {
            let mut body = json!({
                "q": request.texts,
                "source": libretranslate_code(request.from),
                "target": libretranslate_code(request.to),
                "format": if request.is_html { "html" } else { "text" },
            });
            if !key.is_empty() {
                body["api_key"] = json!(key);
            }
            OutboundRequest::json(Purpose::Translator, &format!("{base_url}/translate"), &body)
        }
        Translator::Deepl => {
            let mut body = json!({
                "text": request.texts,
                "source_lang": deepl_code(request.from).split('-').next(),
                "target_lang": deepl_code(request.to),
                "preserve_formatting": true,
            });
            if request.is_html {
                body["tag_handling"] = json!("html");
            }
            let deepl_request =
                OutboundRequest::json(Purpose::Translator, &format!("{base_url}/v2/translate"), &body);
            deepl_request.header("authorization", &format!("DeepL-Auth-Key {key}"))
        }
    }
}

/// Returns LibreTranslate's code of a language.
const fn libretranslate_code(locale: LocaleCode) -> &'static str {
    match locale {
        LocaleCode::HiIn => "hi",
        LocaleCode::PtBr => "pt-BR",
        LocaleCode::ZhCn => "zh-Hans",
        other => other.as_str(),
    }
}

/// Returns DeepL's code of a target language. A source language has no region.
const fn deepl_code(locale: LocaleCode) -> &'static str {
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

/// Parses the error message of a response; `None` if it is not the translator's JSON, such as a proxy's page.
fn parse_error_message(response: &OutboundResponse) -> Option<String> {
    #[derive(Deserialize)]
    struct ErrorResponse {
        #[serde(alias = "error")]
        message: String,
    }
    let response: ErrorResponse = response.json().ok()?;
    let message: String =
        response.message.chars().filter(|character| !character.is_control()).take(200).collect();
    Some(message)
}

fn status_error(translator: Translator, response: &OutboundResponse, now: Time) -> Error {
    let (bad_gateway, unavailable) = (RejectionKind::BadGateway, RejectionKind::Unavailable);
    let message_suffix =
        parse_error_message(response).map(|message| format!(" It responded: {message}")).unwrap_or_default();
    match (translator, response.status) {
        (_, 429 | 529) => {
            let wait = response.retry_after(now).map(|wait| wait.as_secs().max(1));
            let wait_text =
                wait.map_or_else(|| "in a minute".to_owned(), |wait| format!("in {wait} seconds"));
            Error::rejected(
                unavailable,
                "translator_busy",
                format!("The translator is busy. Try again {wait_text}."),
            )
        }
        (Translator::Deepl, 456) => Error::rejected(
            bad_gateway,
            "translator_quota",
            "The translator's quota is used up. Wait until it renews, or buy more.".to_owned(),
        ),
        (_, 401 | 403) => Error::rejected(
            bad_gateway,
            "translator_key",
            format!(
                "The translator rejected the panel's key. Check translate.key in the configuration.{message_suffix}"
            ),
        ),
        (_, 413) => Error::rejected(
            bad_gateway,
            "translator_too_much",
            "The texts are too long for the translator. Translate fewer texts at once.".to_owned(),
        ),
        (_, 400) => Error::rejected(
            bad_gateway,
            "translator_rejected",
            format!(
                "The translator rejected the request. Check the languages and the texts.{message_suffix}"
            ),
        ),
        (_, status) => Error::rejected(
            bad_gateway,
            "translator_failed",
            format!("The translator failed with status {status}. Try again later.{message_suffix}"),
        ),
    }
}

fn unreachable_error(error: &OutboundError) -> Error {
    let message =
        format!("The translator is unreachable: {error}. Check translate.url in the configuration.");
    Error::rejected(RejectionKind::BadGateway, "translator_unreachable", message)
}

fn malformed_response() -> Error {
    let message = "The translator's response is malformed. Check translate.kind and translate.url in the configuration.";
    Error::rejected(RejectionKind::BadGateway, "translator_strange", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_translator_responses() {
        const NAMES: &[&str] = &["translatedText", "translations", "text", "message", "error"];
        const SAMPLES: &[&str] =
            &[r#"{"translatedText":["a"]}"#, r#"{"translations":[{"text":"a"}]}"#, r#"{"message":"no"}"#];
        panel_fuzz::FuzzTarget::new("panel-server", "translators").run(
            panel_fuzz::json_documents(NAMES, SAMPLES),
            |text| {
                for translator in [Translator::Libretranslate, Translator::Deepl] {
                    let response = OutboundResponse {
                        status: 403,
                        retry_after: None,
                        body: text.to_vec(),
                        is_truncated: false,
                    };
                    drop(parse_texts(translator, &response));
                    drop(status_error(translator, &response, Time(0)));
                }
            },
        );
    }
}
