//! Translation by machine: texts go to the configured translator and come back; nothing is saved. Tags and placeholders
//! are kept, or the text is left out and named.

pub mod backend;

use std::collections::BTreeMap;

use panel_contract::common::{Data, LocaleCode};
use panel_contract::endpoints::translate::Translate;
use panel_contract::fields::FieldErrors;
use panel_contract::translate::{TranslateInput, Translated};
use panel_kernel::error::{Error, Result};

use crate::configuration::translate::backend::Asked;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_domain::translation_mask::Masked;
use panel_platform::config;

// Routes

/// Adds the endpoint.
pub fn routes(api: Api) -> Api {
    api.on::<Translate, _, _, _>(translate)
}

async fn translate(ctx: Ctx, req: Req<Translate>) -> Result<Data<Translated>> {
    check(&req.body)?;
    let config = &ctx.app.config.translate;
    if !config.is_on() {
        let message = "No translator is configured. Whoever runs the server sets translate.kind, such as deepl or libretranslate.";
        return Err(Error::conflict("translator_not_configured", message));
    }
    let TranslateInput { from_language, to_language, fields } = &req.body;
    let (plain, marked): (Vec<_>, Vec<_>) = fields
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| (name, Masked::of(text)))
        .partition(|(_, masked)| !masked.is_marked);
    let (mut done, mut left_out) = (BTreeMap::new(), Vec::new());
    for (is_html, texts) in [(false, plain), (true, marked)] {
        for part in parts(&texts) {
            let asked = Asked { from: *from_language, to: *to_language, is_html, texts: sent(part) };
            let answers = backend::ask(&ctx.app.outbound, config, &asked, ctx.now()).await?;
            for ((name, masked), answer) in part.iter().zip(answers) {
                match masked.back(&answer) {
                    Some(text) => drop(done.insert((*name).clone(), text)),
                    None => left_out.push((*name).clone()),
                }
            }
        }
    }
    for (name, _) in fields.iter().filter(|(_, text)| text.trim().is_empty()) {
        done.insert(name.clone(), String::new());
    }
    left_out.sort_unstable();
    Ok(Data { data: Translated { to_language: *to_language, fields: done, left_out } })
}

// Rules

/// Texts and characters of one request.
const TEXTS: usize = 100;
const CHARACTERS: usize = 50_000;
/// Texts and bytes of one call; the narrower translator's limits, with room for its envelope.
const TEXTS_OF_CALL: usize = 50;
const BYTES_OF_CALL: usize = 100_000;

fn check(input: &TranslateInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.fields.is_empty() || input.fields.len() > TEXTS {
        errors.add("fields", format!("Give 1 to {TEXTS} texts."));
    }
    if input.fields.values().map(|text| text.chars().count()).sum::<usize>() > CHARACTERS {
        errors.add("fields", format!("Give at most {CHARACTERS} characters at once."));
    }
    if input.from_language == input.to_language {
        errors.add("to_language", "Choose another language than the one the texts are in.");
    }
    errors.or(())
}

fn sent(part: &[(&String, Masked)]) -> Vec<String> {
    part.iter().map(|(_, masked)| masked.text.clone()).collect()
}

/// Cuts a list into what one call carries.
fn parts<'t>(mut texts: &'t [(&'t String, Masked)]) -> Vec<&'t [(&'t String, Masked)]> {
    let mut parts = Vec::new();
    while !texts.is_empty() {
        let (mut count, mut bytes) = (0, 0);
        for (_, masked) in texts.iter().take(TEXTS_OF_CALL) {
            bytes += masked.text.len();
            if count > 0 && bytes > BYTES_OF_CALL {
                break;
            }
            count += 1;
        }
        let (part, rest) = texts.split_at(count);
        parts.push(part);
        texts = rest;
    }
    parts
}

/// Languages that texts can be translated to.
#[must_use]
pub fn locales(config: &config::Translate) -> &'static [LocaleCode] {
    if config.is_on() { LocaleCode::ALL } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_carries_no_more_than_it_may() {
        let names: Vec<String> = (0..120).map(|at| at.to_string()).collect();
        let short: Vec<_> = names.iter().map(|name| (name, Masked::of("a"))).collect();
        let sizes =
            |texts: &[(&String, Masked)]| parts(texts).iter().map(|part| part.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&short), [50, 50, 20]);
        let long: Vec<_> = names.iter().take(3).map(|name| (name, Masked::of(&"ж".repeat(30_000)))).collect();
        assert_eq!(sizes(&long), [1, 1, 1], "bytes count, and a long text goes alone");
        assert_eq!(sizes(&[]), [0_usize; 0]);
    }

    #[test]
    fn what_cannot_be_translated_is_named() {
        let wrong = |json: &str| {
            check(&serde_json::from_str(json).unwrap()).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(
            wrong(r#"{"from_language":"en","to_language":"en","fields":{}}"#),
            ["fields", "to_language"]
        );
        let long = format!(
            r#"{{"from_language":"en","to_language":"de","fields":{{"a":"{}"}}}}"#,
            "x".repeat(50_001)
        );
        assert_eq!(wrong(&long), ["fields"]);
    }
}
