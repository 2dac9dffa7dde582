//! `settings`: prints, exports and changes the settings of the server. panelctl converts the values from strings to JSON;
//! the server validates them.

use clap::{Arg, ArgMatches};
use panel_contract::common::DryRun;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::settings::{GetSettings, UpdateSettings};
use panel_contract::settings::{Setting, SettingKind, SettingsTree};
use panel_contract::upload::to_data_url;
use serde_json::{Value, json};

use crate::command::confirm::{self, Reversibility};
use crate::command::request_command::{RequestCommand, WriteSpec, build_request};
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "settings",
    alias: Some("setting"),
    about: "Manage the panel settings",
    commands: &[CommandSpec::Custom(&GET), CommandSpec::Request(&EXPORT), CommandSpec::Request(&SET)],
};

const COLUMNS: &[Column] = &[
    Column::new("key", DisplayKind::Enum),
    Column::new("value", DisplayKind::Text),
    Column::new("is_default", DisplayKind::Enum).with_title("default"),
    Column::hidden("group", DisplayKind::Enum),
    Column::hidden("kind", DisplayKind::Enum),
    Column::hidden("may_be_empty", DisplayKind::Enum),
    Column::hidden("is_public", DisplayKind::Enum),
];

const GET: CustomCommand = CustomCommand {
    name: "get",
    about: "Show all settings, or some settings or groups",
    examples: &[
        ("settings get", "show all settings"),
        ("settings get rounding_precision colors.dark", "show one setting and a group"),
    ],
    operations: &[GetSettings::OP],
    args: |command| {
        command.arg(
            Arg::new("keys").value_name("KEY").num_args(0..).help("Setting or group, such as colors.dark"),
        )
    },
    run: |ctx, matches| Box::pin(print_settings(ctx, matches)),
};

async fn print_settings(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let keys: Vec<&String> = matches.get_many::<String>("keys").into_iter().flatten().collect();
    let is_in_group = |key: &str, prefix: &str| key == prefix || key.starts_with(&format!("{prefix}."));
    let response = ctx.client()?.get_settings((), &EmptyQuery {}, &EmptyBody {}).await?;
    for key in &keys {
        if !response.fields.iter().any(|field| is_in_group(&field.key, key)) {
            return Err(Failure::usage(format!("Unknown setting: {key}. See panelctl settings get.")));
        }
    }
    let selected_fields = response
        .fields
        .iter()
        .filter(|field| keys.is_empty() || keys.iter().any(|key| is_in_group(&field.key, key)));
    let rows = selected_fields.map(|field| {
        let value = response.data.get(&field.key).cloned().unwrap_or(Value::Null);
        let mut row = json!(field);
        row["value"] = match value {
            Value::Array(_) | Value::Object(_) => json!(value.to_string()),
            scalar => scalar,
        };
        row
    });
    ctx.out.print_records(rows.collect(), COLUMNS)?;
    Ok(Exit::Ok)
}

const EXPORT: RequestCommand = RequestCommand {
    name: "export",
    about: "Export all settings as JSON for settings set --file; without the values of secrets",
    examples: &[("settings export -o json > settings.json", "save a copy to keep or edit")],
    op: GetSettings::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSettings>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const SET: RequestCommand = RequestCommand {
    name: "set",
    about: "Change settings",
    examples: &[
        ("settings set panel_name=Shop rounding_precision=3", "change two settings"),
        (
            "settings set colors.dark.primary=#c4b5fd light_logo=@logo.png",
            "change a color, and read an image from a file",
        ),
        ("settings set integrations.telegram_bot_token=@token.txt", "read a secret from a file"),
        ("settings set min_margin_fraction=none", "none clears a value"),
        ("settings set --file settings.json --dry-run", "show what a file would change"),
    ],
    op: UpdateSettings::OP,
    args: |command| {
        command.args([
            Arg::new("settings")
                .value_name("KEY=VALUE")
                .num_args(0..)
                .help("Settings with their values; @FILE reads a value from a file, none clears it"),
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .help("JSON file in the format of settings export"),
        ])
    },
    request: |_, matches| {
        let dry_run = confirm::is_dry_run(matches);
        build_request::<UpdateSettings>((), &DryRun { dry_run }, &read_input(matches)?)
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update {} settings?", describe_setting_count(matches)),
        reversibility: Reversibility::Reversible("panelctl settings set, with the old values"),
        success: |_| "Settings updated.".to_owned(),
        has_dry_run: true,
    }),
};

fn describe_setting_count(matches: &ArgMatches) -> String {
    match (matches.get_many::<String>("settings"), matches.contains_id("file")) {
        (Some(values), false) => values.len().to_string(),
        _ => "several".to_owned(),
    }
}

fn read_input(matches: &ArgMatches) -> CommandResult<SettingsTree> {
    let mut tree = match matches.get_one::<String>("file") {
        None => SettingsTree::default(),
        Some(file) => {
            let usage_error = |problem: String| Failure::usage(format!("--file {file}: {problem}."));
            let text = std::fs::read_to_string(file).map_err(|error| usage_error(error.to_string()))?;
            serde_json::from_str(&text).map_err(|error| usage_error(error.to_string()))?
        }
    };
    for pair in matches.get_many::<String>("settings").into_iter().flatten() {
        let (key, text) = pair
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("{pair}: expected KEY=VALUE, such as panel_name=Shop.")))?;
        let setting = Setting::find(key)
            .ok_or_else(|| Failure::usage(format!("Unknown setting: {key}. See panelctl settings get.")))?;
        tree.put(key, parse_setting_value(setting, text)?);
    }
    match tree.0.is_empty() {
        true => Err(Failure::usage(
            "Nothing to change: specify settings, such as panel_name=Shop, or --file FILE.",
        )),
        false => Ok(tree),
    }
}

/// Parses the value of a setting according to its kind.
fn parse_setting_value(setting: &Setting, text: &str) -> CommandResult<Value> {
    if text == "none" {
        return Ok(Value::Null);
    }
    let usage_error = |problem: String| Failure::usage(format!("{}: {problem}.", setting.key));
    if setting.kind == SettingKind::Image {
        // Without @ the text is the URL of the current image.
        let Some(file) = text.strip_prefix('@') else { return Ok(json!(text)) };
        let bytes = std::fs::read(file).map_err(|error| usage_error(format!("{file}: {error}")))?;
        return Ok(json!(to_data_url(&bytes)));
    }
    let text = match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map(|text| text.trim_end().to_owned())
            .map_err(|error| usage_error(format!("{file}: {error}")))?,
        None => text.to_owned(),
    };
    if text.trim().is_empty() {
        return Err(usage_error("the value is empty; use none to clear it".to_owned()));
    }
    match setting.kind {
        SettingKind::ExchangeRates | SettingKind::MetaTags | SettingKind::Ids | SettingKind::ReadOnly => {
            serde_json::from_str(&text).map_err(|error| usage_error(format!("expected JSON: {error}")))
        }
        _ => Ok(json!(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_texts_by_the_kind_of_the_setting() {
        let parse = |key: &str, text: &str| parse_setting_value(Setting::find(key).unwrap(), text).ok();
        assert_eq!(parse("panel_name", "Shop"), Some(json!("Shop")));
        assert_eq!(parse("min_margin_fraction", "none"), Some(Value::Null));
        assert_eq!(parse("service_types", "[1,2]"), Some(json!([1, 2])));
        assert_eq!(parse("service_types", "1,2"), None);
        assert_eq!(parse("currencies.exchange_rates", r#"{"EUR":"0.9"}"#), Some(json!({ "EUR": "0.9" })));
        assert_eq!(parse("light_logo", "/uploads/a.png"), Some(json!("/uploads/a.png")));
        assert_eq!(parse("light_logo", "@/nowhere.png"), None);
        assert_eq!(parse("panel_name", " "), None);
    }
}
