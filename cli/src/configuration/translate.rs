//! `translate`: machine translation of texts, or of the missing texts in a record's file.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_contract::common::{LocaleCode, Translations};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::translate::Translate;
use panel_contract::translate::{TranslateInput, Translated};
use serde_json::json;

use crate::command::Custom;
use crate::command::call::word;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const TRANSLATE: Custom = Custom {
    name: "translate",
    about: "Translate texts with the translator configured in the panel",
    examples: &[
        ("translate --to de 'Fast likes' 'Slow likes'", "translate two texts"),
        (
            "translate --missing texts.json -o json > filled.json",
            "translate only the missing texts of a file",
        ),
    ],
    ops: &[Translate::OP],
    args: |command| {
        command.args([
            Arg::new("texts")
                .value_name("TEXT")
                .num_args(0..)
                .conflicts_with("missing")
                .help("Text to translate"),
            locale("from").help("Language of the texts [default: en]"),
            locale("to")
                .required_unless_present("missing")
                .help("Target language; with --missing, fill in only this language"),
            Arg::new("missing")
                .long("missing")
                .value_name("FILE")
                .help("JSON file with all texts of a record, such as {\"en\":{\"name\":\"Likes\"}}"),
        ])
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[Column::new("text", Kind::Text), Column::new("translation", Kind::Text)];

fn locale(name: &'static str) -> Arg {
    let locales = clap::builder::PossibleValuesParser::new(LocaleCode::VALUES.texts);
    Arg::new(name).long(name).value_name("LOCALE").hide_possible_values(true).value_parser(locales)
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let from = word::<LocaleCode>(matches, "from").unwrap_or(LocaleCode::En);
    let to = word::<LocaleCode>(matches, "to");
    if let Some(file) = matches.get_one::<String>("missing") {
        return translate_missing(ctx, file, from, to).await;
    }
    let texts: Vec<&String> = matches.get_many::<String>("texts").into_iter().flatten().collect();
    let (Some(to), false) = (to, texts.is_empty()) else {
        return Err(Failure::usage("Specify texts and a target language with --to."));
    };
    let fields = texts.iter().enumerate().map(|(index, text)| (index.to_string(), (*text).clone())).collect();
    let answer = translate(ctx, from, to, fields).await?;
    let rows = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({ "text": text, "translation": answer.fields.get(&index.to_string()) }));
    ctx.out.records(rows.collect(), COLUMNS)?;
    report_omitted(ctx, to, &answer)
}

async fn translate_missing(ctx: &Ctx, file: &str, from: LocaleCode, to: Option<LocaleCode>) -> CmdResult {
    let invalid = |why: String| Failure::usage(format!("--missing {file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| invalid(error.to_string()))?;
    let mut all: Translations = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    let (mut exit, targets) =
        (Exit::Ok, LocaleCode::ALL.iter().filter(|locale| to.is_none_or(|to| to == **locale)));
    for locale in targets {
        let fields = missing_texts(&all, from, *locale);
        if fields.is_empty() {
            continue;
        }
        let answer = translate(ctx, from, *locale, fields).await?;
        for (field, text) in &answer.fields {
            all.put(locale.as_str(), field, text);
        }
        if report_omitted(ctx, *locale, &answer)? == Exit::Partial {
            exit = Exit::Partial;
        }
    }
    ctx.out.record(&json!(all), &[])?;
    Ok(exit)
}

/// The texts of `from` that `to` does not have.
fn missing_texts(all: &Translations, from: LocaleCode, to: LocaleCode) -> BTreeMap<String, String> {
    let texts = all.0.get(from.as_str()).into_iter().flatten();
    texts
        .filter(|(field, text)| {
            from != to && !text.trim().is_empty() && all.text(to.as_str(), field).is_none()
        })
        .map(|(field, text)| (field.clone(), text.clone()))
        .collect()
}

async fn translate(
    ctx: &Ctx,
    from: LocaleCode,
    to: LocaleCode,
    fields: BTreeMap<String, String>,
) -> CmdResult<Translated> {
    let input = TranslateInput { from_language: from, to_language: to, fields };
    Ok(ctx.client()?.translate((), &EmptyQuery {}, &input).await?.data)
}

fn report_omitted(ctx: &Ctx, to: LocaleCode, answer: &Translated) -> CmdResult {
    if answer.left_out.is_empty() {
        return Ok(Exit::Ok);
    }
    let names = answer.left_out.join(", ");
    ctx.out.print_message(&format!("{to}: not translated because tags or placeholders were lost: {names}."));
    Ok(Exit::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_only_missing_texts() {
        let all: Translations =
            serde_json::from_str(r#"{"en":{"name":"A","faq":"B","geo":" "},"de":{"name":"C","faq":""}}"#)
                .unwrap();
        let missing = |to| missing_texts(&all, LocaleCode::En, to).into_keys().collect::<Vec<_>>();
        assert_eq!(missing(LocaleCode::De), ["faq"]);
        assert_eq!(missing(LocaleCode::Fr), ["faq", "name"]);
        assert!(missing(LocaleCode::En).is_empty());
    }
}
