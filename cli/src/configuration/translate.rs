//! `translate`: translates texts by machine, or the missing texts in a file with the texts of a record.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_contract::common::{LocaleCode, Translations};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::translate::Translate;
use panel_contract::translate::{TranslateInput, TranslationResult};
use serde_json::json;

use crate::command::CustomCommand;
use crate::command::request_command::enum_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const TRANSLATE: CustomCommand = CustomCommand {
    name: "translate",
    about: "Translate texts with the translation service that the server is configured to use",
    examples: &[
        ("translate --to de 'Fast likes' 'Slow likes'", "translate two texts"),
        (
            "translate --missing texts.json -o json > filled.json",
            "translate only the missing texts of a file",
        ),
    ],
    operations: &[Translate::OP],
    args: |command| {
        command.args([
            Arg::new("texts")
                .value_name("TEXT")
                .num_args(0..)
                .conflicts_with("missing")
                .help("Text to translate"),
            locale_arg("from").help("Language of the texts [default: en]"),
            locale_arg("to")
                .required_unless_present("missing")
                .help("Target language; with --missing, fill in only this language"),
            Arg::new("missing")
                .long("missing")
                .value_name("FILE")
                .help("JSON file with all texts of a record, such as {\"en\":{\"name\":\"Likes\"}}"),
        ])
    },
    run: |ctx, matches| Box::pin(run_translate(ctx, matches)),
};

const COLUMNS: &[Column] =
    &[Column::new("text", DisplayKind::Text), Column::new("translation", DisplayKind::Text)];

fn locale_arg(name: &'static str) -> Arg {
    let locales = clap::builder::PossibleValuesParser::new(LocaleCode::VALUES.texts);
    Arg::new(name).long(name).value_name("LOCALE").hide_possible_values(true).value_parser(locales)
}

async fn run_translate(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let source_locale = enum_value::<LocaleCode>(matches, "from").unwrap_or(LocaleCode::En);
    let target_locale = enum_value::<LocaleCode>(matches, "to");
    if let Some(file) = matches.get_one::<String>("missing") {
        return translate_missing(ctx, file, source_locale, target_locale).await;
    }
    let texts: Vec<&String> = matches.get_many::<String>("texts").into_iter().flatten().collect();
    let (Some(target_locale), false) = (target_locale, texts.is_empty()) else {
        return Err(Failure::usage("Specify texts and a target language with --to."));
    };
    let fields = texts.iter().enumerate().map(|(index, text)| (index.to_string(), (*text).clone())).collect();
    let result = translate(ctx, source_locale, target_locale, fields).await?;
    let rows = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "text": text, "translation": result.fields.get(&index.to_string()) }));
    ctx.out.print_records(rows.collect(), COLUMNS)?;
    report_untranslated(ctx, target_locale, &result)
}

async fn translate_missing(
    ctx: &Ctx,
    file: &str,
    source_locale: LocaleCode,
    target_locale: Option<LocaleCode>,
) -> CommandResult {
    let usage_error = |error: String| Failure::usage(format!("--missing {file}: {error}."));
    let text = std::fs::read_to_string(file).map_err(|error| usage_error(error.to_string()))?;
    let mut translations: Translations =
        serde_json::from_str(&text).map_err(|error| usage_error(error.to_string()))?;
    let (mut exit, target_locales) = (
        Exit::Ok,
        LocaleCode::ALL
            .iter()
            .filter(|locale| target_locale.is_none_or(|target_locale| target_locale == **locale)),
    );
    for locale in target_locales {
        let fields = find_missing_texts(&translations, source_locale, *locale);
        if fields.is_empty() {
            continue;
        }
        let result = translate(ctx, source_locale, *locale, fields).await?;
        for (field, text) in &result.fields {
            translations.put(locale.as_str(), field, text);
        }
        if report_untranslated(ctx, *locale, &result)? == Exit::Partial {
            exit = Exit::Partial;
        }
    }
    ctx.out.print_record(&json!(translations), &[])?;
    Ok(exit)
}

/// Returns the texts of `source_locale` that `target_locale` does not have, by field.
fn find_missing_texts(
    translations: &Translations,
    source_locale: LocaleCode,
    target_locale: LocaleCode,
) -> BTreeMap<String, String> {
    let texts = translations.0.get(source_locale.as_str()).into_iter().flatten();
    texts
        .filter(|(field, text)| {
            source_locale != target_locale
                && !text.trim().is_empty()
                && translations.text(target_locale.as_str(), field).is_none()
        })
        .map(|(field, text)| (field.clone(), text.clone()))
        .collect()
}

async fn translate(
    ctx: &Ctx,
    source_locale: LocaleCode,
    target_locale: LocaleCode,
    fields: BTreeMap<String, String>,
) -> CommandResult<TranslationResult> {
    let input = TranslateInput { from_language: source_locale, to_language: target_locale, fields };
    Ok(ctx.client()?.translate((), &EmptyQuery {}, &input).await?.data)
}

fn report_untranslated(ctx: &Ctx, target_locale: LocaleCode, result: &TranslationResult) -> CommandResult {
    if result.left_out.is_empty() {
        return Ok(Exit::Ok);
    }
    let names = result.left_out.join(", ");
    ctx.out.print_message(&format!(
        "{target_locale}: not translated because tags or placeholders were lost: {names}."
    ));
    Ok(Exit::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_only_find_missing_texts() {
        let translations: Translations =
            serde_json::from_str(r#"{"en":{"name":"A","faq":"B","geo":" "},"de":{"name":"C","faq":""}}"#)
                .unwrap();
        let missing_fields = |target_locale| {
            find_missing_texts(&translations, LocaleCode::En, target_locale).into_keys().collect::<Vec<_>>()
        };
        assert_eq!(missing_fields(LocaleCode::De), ["faq"]);
        assert_eq!(missing_fields(LocaleCode::Fr), ["faq", "name"]);
        assert!(missing_fields(LocaleCode::En).is_empty());
    }
}
