//! Translation by machine: texts, or the file of a record's texts with those filled in that are missing.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches};
use panel_contract::common::{LocaleCode, Translations};
use panel_contract::endpoint::{Endpoint as _, NoQuery};
use panel_contract::endpoints::translate::Translate;
use panel_contract::translate::{TranslateInput, Translated};
use serde_json::json;

use crate::command::Own;
use crate::command::call::word;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `translate`.
pub(crate) const TRANSLATE: Own = Own {
    name: "translate",
    about: "Texts in another language, by the translator that the panel is configured with",
    examples: &[
        ("translate --to de 'Fast likes' 'Slow likes'", "two texts"),
        (
            "translate --missing texts.json -o json > filled.json",
            "fills in what other languages lack; what is there stays",
        ),
    ],
    reaches: &[Translate::OP],
    args: |command| {
        command.args([
            Arg::new("texts").value_name("TEXT").num_args(0..).conflicts_with("missing").help("What to say"),
            locale("from").help("The language of the texts [default: en]"),
            locale("to")
                .required_unless_present("missing")
                .help("The language that is wanted; with --missing, only this one"),
            Arg::new("missing")
                .long("missing")
                .value_name("FILE")
                .help("JSON with all texts of a record, such as {\"en\":{\"name\":\"Likes\"}}"),
        ])
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

const COLUMNS: &[Column] = &[Column::new("text", Kind::Text), Column::new("translation", Kind::Text)];

fn locale(name: &'static str) -> Arg {
    let known = clap::builder::PossibleValuesParser::new(LocaleCode::WORDS.texts);
    Arg::new(name).long(name).value_name("LOCALE").hide_possible_values(true).value_parser(known)
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let from = word::<LocaleCode>(matches, "from").unwrap_or(LocaleCode::En);
    let to = word::<LocaleCode>(matches, "to");
    if let Some(file) = matches.get_one::<String>("missing") {
        return missing(ctx, file, from, to).await;
    }
    let texts: Vec<&String> = matches.get_many::<String>("texts").into_iter().flatten().collect();
    let (Some(to), false) = (to, texts.is_empty()) else {
        return Err(Failure::usage("Say what to translate and --to which language."));
    };
    let fields = texts.iter().enumerate().map(|(at, text)| (at.to_string(), (*text).clone())).collect();
    let answer = ask(ctx, from, to, fields).await?;
    let rows = texts
        .iter()
        .enumerate()
        .map(|(at, text)| json!({ "text": text, "translation": answer.fields.get(&at.to_string()) }));
    ctx.out.records(rows.collect(), COLUMNS)?;
    left(ctx, to, &answer)
}

async fn missing(ctx: &Ctx, file: &str, from: LocaleCode, to: Option<LocaleCode>) -> Done {
    let told = |why: String| Failure::usage(format!("--missing {file}: {why}."));
    let text = std::fs::read_to_string(file).map_err(|error| told(error.to_string()))?;
    let mut all: Translations = serde_json::from_str(&text).map_err(|error| told(error.to_string()))?;
    let (mut exit, wanted) =
        (Exit::Ok, LocaleCode::ALL.iter().filter(|locale| to.is_none_or(|to| to == **locale)));
    for locale in wanted {
        let fields = lacking(&all, from, *locale);
        if fields.is_empty() {
            continue;
        }
        let answer = ask(ctx, from, *locale, fields).await?;
        for (field, text) in &answer.fields {
            all.put(locale.as_str(), field, text);
        }
        if left(ctx, *locale, &answer)? == Exit::Partial {
            exit = Exit::Partial;
        }
    }
    ctx.out.record(&json!(all), &[])?;
    Ok(exit)
}

/// What a language lacks of what another has.
fn lacking(all: &Translations, from: LocaleCode, to: LocaleCode) -> BTreeMap<String, String> {
    let said = all.0.get(from.as_str()).into_iter().flatten();
    said.filter(|(field, text)| {
        from != to && !text.trim().is_empty() && all.text(to.as_str(), field).is_none()
    })
    .map(|(field, text)| (field.clone(), text.clone()))
    .collect()
}

async fn ask(
    ctx: &Ctx,
    from: LocaleCode,
    to: LocaleCode,
    fields: BTreeMap<String, String>,
) -> Done<Translated> {
    let input = TranslateInput { from_language: from, to_language: to, fields };
    Ok(ctx.client()?.translate((), &NoQuery {}, &input).await?.data)
}

fn left(ctx: &Ctx, to: LocaleCode, answer: &Translated) -> Done {
    if answer.left_out.is_empty() {
        return Ok(Exit::Ok);
    }
    let names = answer.left_out.join(", ");
    ctx.out.say(&format!("{to}: left out, as tags or placeholders got lost: {names}."));
    Ok(Exit::Partial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_asked_for() {
        let all: Translations =
            serde_json::from_str(r#"{"en":{"name":"A","faq":"B","geo":" "},"de":{"name":"C","faq":""}}"#)
                .unwrap();
        let lacks = |to| lacking(&all, LocaleCode::En, to).into_keys().collect::<Vec<_>>();
        assert_eq!(lacks(LocaleCode::De), ["faq"]);
        assert_eq!(lacks(LocaleCode::Fr), ["faq", "name"]);
        assert!(lacks(LocaleCode::En).is_empty());
    }
}
