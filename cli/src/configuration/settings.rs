//! Settings of the panel: read, kept in a file, changed. What each may be is the panel's to judge; here texts only find
//! their places.

use clap::{Arg, ArgMatches};
use panel_contract::common::DryRun;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::settings::{GetSettings, UpdateSettings};
use panel_contract::settings::{Setting, SettingKind, SettingsTree};
use panel_contract::upload::data_url;
use serde_json::{Value, json};

use crate::command::call::{Call, Write, of};
use crate::command::confirm::{self, Danger};
use crate::command::{Cmd, Noun, Own};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `settings`.
pub(crate) const NOUN: Noun = Noun {
    name: "settings",
    alias: Some("setting"),
    about: "What rules the whole panel: name, colours, currencies, limits, integrations",
    verbs: &[Cmd::Own(&GET), Cmd::Call(&EXPORT), Cmd::Call(&SET)],
};

const COLUMNS: &[Column] = &[
    Column::new("key", Kind::Word),
    Column::new("value", Kind::Text),
    Column::new("is_default", Kind::Word).titled("default"),
    Column::more("group", Kind::Word),
    Column::more("kind", Kind::Word),
    Column::more("may_be_empty", Kind::Word),
    Column::more("is_public", Kind::Word),
];

const GET: Own = Own {
    name: "get",
    about: "All settings, or those below some places",
    examples: &[
        ("settings get", "everything"),
        ("settings get rounding_precision colors.dark", "one, and a whole group"),
    ],
    reaches: &[GetSettings::OP],
    args: |command| {
        command.arg(
            Arg::new("keys")
                .value_name("KEY")
                .num_args(0..)
                .help("A setting or a group, such as colors.dark"),
        )
    },
    run: |ctx, matches| Box::pin(get(ctx, matches)),
};

async fn get(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let keys: Vec<&String> = matches.get_many::<String>("keys").into_iter().flatten().collect();
    let wanted = |key: &str, of: &str| key == of || key.starts_with(&format!("{of}."));
    let answer = ctx.client()?.get_settings((), &NoQuery {}, &NoBody {}).await?;
    for key in &keys {
        if !answer.fields.iter().any(|field| wanted(&field.key, key)) {
            return Err(Failure::usage(format!("There is no setting {key}; see panelctl settings get.")));
        }
    }
    let shown = answer
        .fields
        .iter()
        .filter(|field| keys.is_empty() || keys.iter().any(|key| wanted(&field.key, key)));
    let rows = shown.map(|field| {
        let value = answer.data.get(&field.key).cloned().unwrap_or(Value::Null);
        let mut row = json!(field);
        row["value"] = match value {
            Value::Array(_) | Value::Object(_) => json!(value.to_string()),
            plain => plain,
        };
        row
    });
    ctx.out.records(rows.collect(), COLUMNS)?;
    Ok(Exit::Ok)
}

const EXPORT: Call = Call {
    name: "export",
    about: "All settings as one JSON tree, for settings set --file; secrets only as set or not",
    examples: &[("settings export -o json > settings.json", "a copy to keep or to change")],
    op: GetSettings::OP,
    args: |command| command,
    request: |_, _| of::<GetSettings>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const SET: Call = Call {
    name: "set",
    about: "Changes settings",
    examples: &[
        ("settings set panel_name=Shop rounding_precision=3", "two of them"),
        (
            "settings set colors.dark.primary=#c4b5fd light_logo=@logo.png",
            "a colour, and an image from a file",
        ),
        ("settings set integrations.telegram_bot_token=@token.txt", "a secret from a file"),
        ("settings set min_margin_percent=none", "none takes a value away"),
        ("settings set --file settings.json --dry-run", "what a file would do"),
    ],
    op: UpdateSettings::OP,
    args: |command| {
        command.args([
            Arg::new("settings")
                .value_name("KEY=VALUE")
                .num_args(0..)
                .help("Settings with their values; @FILE reads one from a file"),
            Arg::new("file").long("file").value_name("FILE").help("JSON as settings export writes it"),
        ])
    },
    request: |_, matches| {
        let dry_run = confirm::is_dry(matches);
        of::<UpdateSettings>((), &DryRun { dry_run }, &given(matches)?)
    },
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Change {} of the panel's settings?", count(matches)),
        danger: Danger::Reversible("panelctl settings set with the old values"),
        said: |_| "The settings are changed.".to_owned(),
        rehearses: true,
    }),
};

fn count(matches: &ArgMatches) -> String {
    match (matches.get_many::<String>("settings"), matches.contains_id("file")) {
        (Some(given), false) => given.len().to_string(),
        _ => "several".to_owned(),
    }
}

fn given(matches: &ArgMatches) -> Done<SettingsTree> {
    let mut tree = match matches.get_one::<String>("file") {
        None => SettingsTree::default(),
        Some(file) => {
            let told = |why: String| Failure::usage(format!("--file {file}: {why}."));
            let text = std::fs::read_to_string(file).map_err(|error| told(error.to_string()))?;
            serde_json::from_str(&text).map_err(|error| told(error.to_string()))?
        }
    };
    for said in matches.get_many::<String>("settings").into_iter().flatten() {
        let (key, text) = said
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("{said}: say KEY=VALUE, such as panel_name=Shop.")))?;
        let setting = Setting::find(key).ok_or_else(|| {
            Failure::usage(format!("There is no setting {key}; see panelctl settings get."))
        })?;
        tree.put(key, value(setting, text)?);
    }
    match tree.0.is_empty() {
        true => Err(Failure::usage("Say what to change, such as panel_name=Shop, or --file FILE.")),
        false => Ok(tree),
    }
}

/// What the text of a setting means.
fn value(setting: &Setting, text: &str) -> Done<Value> {
    if text == "none" {
        return Ok(Value::Null);
    }
    let wrong = |why: String| Failure::usage(format!("{}: {why}.", setting.key));
    if setting.kind == SettingKind::Picture {
        // An address is the image's present one.
        let Some(file) = text.strip_prefix('@') else { return Ok(json!(text)) };
        let bytes = std::fs::read(file).map_err(|error| wrong(format!("{file}: {error}")))?;
        return Ok(json!(data_url(&bytes)));
    }
    let text = match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map(|text| text.trim_end().to_owned())
            .map_err(|error| wrong(format!("{file}: {error}")))?,
        None => text.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(wrong("the value is empty; none takes it away".to_owned()));
    }
    match setting.kind {
        SettingKind::Rates | SettingKind::MetaTags | SettingKind::Ids | SettingKind::Shown => {
            serde_json::from_str(&text).map_err(|error| wrong(format!("give JSON: {error}")))
        }
        _ => Ok(json!(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_mean_what_their_setting_holds() {
        let of = |key: &str, text: &str| value(Setting::find(key).unwrap(), text).ok();
        assert_eq!(of("panel_name", "Shop"), Some(json!("Shop")));
        assert_eq!(of("min_margin_percent", "none"), Some(Value::Null));
        assert_eq!(of("service_types", "[1,2]"), Some(json!([1, 2])));
        assert_eq!(of("service_types", "1,2"), None);
        assert_eq!(of("currencies.exchange_rates", r#"{"EUR":"0.9"}"#), Some(json!({ "EUR": "0.9" })));
        assert_eq!(of("light_logo", "/uploads/a.png"), Some(json!("/uploads/a.png")));
        assert_eq!(of("light_logo", "@/nowhere.png"), None);
        assert_eq!(of("panel_name", " "), None);
    }
}
