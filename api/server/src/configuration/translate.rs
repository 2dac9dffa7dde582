//! Machine translation: sends texts to the configured translator and returns its translations. Nothing is saved. A translation that
//! loses a tag or a placeholder is omitted, and the response names its field.

pub mod backend;

use std::collections::BTreeMap;

use panel_contract::common::{Data, LocaleCode};
use panel_contract::endpoints::translate::Translate;
use panel_contract::fields::FieldErrors;
use panel_contract::translate::{TranslateInput, TranslationResult};
use panel_kernel::error::{Error, Result};

use crate::configuration::translate::backend::TranslationRequest;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_domain::translation_mask::MaskedText;
use panel_platform::config;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<Translate, _, _, _>(translate)
}

async fn translate(ctx: Ctx, req: Req<Translate>) -> Result<Data<TranslationResult>> {
    validate(&req.body)?;
    let config = &ctx.app.config.translate;
    if !config.is_on() {
        let message = "No translator is configured. Set translate.kind in the server's configuration, such as deepl or libretranslate.";
        return Err(Error::conflict("translator_not_configured", message));
    }
    let TranslateInput { from_language, to_language, fields } = &req.body;
    let (plain_texts, html_texts): (Vec<_>, Vec<_>) = fields
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| (name, MaskedText::new(text)))
        .partition(|(_, masked)| !masked.is_html);
    let (mut translations_by_field, mut omitted_fields) = (BTreeMap::new(), Vec::new());
    for (is_html, texts) in [(false, plain_texts), (true, html_texts)] {
        for batch in split_into_batches(&texts) {
            let request = TranslationRequest {
                from: *from_language,
                to: *to_language,
                is_html,
                texts: to_masked_texts(batch),
            };
            let translations = backend::translate(&ctx.app.outbound, config, &request, ctx.now()).await?;
            for ((name, masked), translation) in batch.iter().zip(translations) {
                match masked.restore(&translation) {
                    Some(text) => drop(translations_by_field.insert((*name).clone(), text)),
                    None => omitted_fields.push((*name).clone()),
                }
            }
        }
    }
    for (name, _) in fields.iter().filter(|(_, text)| text.trim().is_empty()) {
        translations_by_field.insert(name.clone(), String::new());
    }
    omitted_fields.sort_unstable();
    Ok(Data {
        data: TranslationResult {
            to_language: *to_language,
            fields: translations_by_field,
            left_out: omitted_fields,
        },
    })
}

// Rules

/// Maximum number of texts in one request of a client.
const MAX_TEXTS: usize = 100;
/// Maximum number of characters of all texts in one request of a client.
const MAX_CHARS: usize = 50_000;
/// Maximum number of texts and of bytes in one request to the translator: the lower limits of the two translators, minus the
/// JSON around the texts.
const MAX_TEXTS_PER_REQUEST: usize = 50;
const MAX_BYTES_PER_REQUEST: usize = 100_000;

fn validate(input: &TranslateInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.fields.is_empty() || input.fields.len() > MAX_TEXTS {
        errors.add("fields", format!("Send 1 to {MAX_TEXTS} texts."));
    }
    if input.fields.values().map(|text| text.chars().count()).sum::<usize>() > MAX_CHARS {
        errors.add("fields", format!("Send at most {MAX_CHARS} characters in one request."));
    }
    if input.from_language == input.to_language {
        errors.add("to_language", "Choose a language other than that of the texts.");
    }
    errors.into_result(())
}

fn to_masked_texts(batch: &[(&String, MaskedText)]) -> Vec<String> {
    batch.iter().map(|(_, masked)| masked.text.clone()).collect()
}

/// Splits the texts into batches of one request each. A text that is too long gets a batch of its own.
fn split_into_batches<'t>(mut texts: &'t [(&'t String, MaskedText)]) -> Vec<&'t [(&'t String, MaskedText)]> {
    let mut batches = Vec::new();
    while !texts.is_empty() {
        let (mut count, mut bytes) = (0, 0);
        for (_, masked) in texts.iter().take(MAX_TEXTS_PER_REQUEST) {
            bytes += masked.text.len();
            if count > 0 && bytes > MAX_BYTES_PER_REQUEST {
                break;
            }
            count += 1;
        }
        let (batch, remaining_texts) = texts.split_at(count);
        batches.push(batch);
        texts = remaining_texts;
    }
    batches
}

/// Returns the languages into which the panel can translate; empty without a translator.
#[must_use]
pub fn translatable_locales(config: &config::TranslationConfig) -> &'static [LocaleCode] {
    if config.is_on() { LocaleCode::ALL } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_texts_into_batches_within_the_limits() {
        let names: Vec<String> = (0..120).map(|index| index.to_string()).collect();
        let short_texts: Vec<_> = names.iter().map(|name| (name, MaskedText::new("a"))).collect();
        let batch_sizes = |texts: &[(&String, MaskedText)]| {
            split_into_batches(texts).iter().map(|batch| batch.len()).collect::<Vec<_>>()
        };
        assert_eq!(batch_sizes(&short_texts), [50, 50, 20]);
        let long_texts: Vec<_> =
            names.iter().take(3).map(|name| (name, MaskedText::new(&"ж".repeat(30_000)))).collect();
        assert_eq!(
            batch_sizes(&long_texts),
            [1, 1, 1],
            "the limit is in bytes, and a long text gets its own batch"
        );
        assert_eq!(batch_sizes(&[]), [0_usize; 0]);
    }

    #[test]
    fn rejects_invalid_fields_by_name() {
        let invalid_fields = |json: &str| {
            validate(&serde_json::from_str(json).unwrap()).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(
            invalid_fields(r#"{"from_language":"en","to_language":"en","fields":{}}"#),
            ["fields", "to_language"]
        );
        let too_long = format!(
            r#"{{"from_language":"en","to_language":"de","fields":{{"a":"{}"}}}}"#,
            "x".repeat(50_001)
        );
        assert_eq!(invalid_fields(&too_long), ["fields"]);
    }
}
