//! `import rule`: the rule by which new services of a panel are imported automatically.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::{DryRun, Patch};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_services::{GetImportRule, UpdateImportRule};
use panel_contract::import_rules::{ImportRule, ImportRuleInput};
use serde_json::Value;

use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, patch_arg};
use crate::command::confirm::{Danger, is_dry};
use crate::command::edit::Edit;
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};

pub(super) const RULE: Noun = Noun {
    name: "rule",
    alias: None,
    about: "Manage the automatic import of a panel's new services",
    verbs: &[Cmd::Call(&GET), Cmd::Edit(&SET)],
};

const GET: Call = Call {
    name: "get",
    about: "Show the import rule of a panel; without a rule, automatic import is disabled",
    examples: &[("import rule get 3", "show the rule of panel 3")],
    op: GetImportRule::OP,
    args: |command| command.arg(id_arg().help("Id of the panel")),
    request: |_, matches| of::<GetImportRule>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const SET: Edit = Edit {
    call: Call {
        name: "set",
        about: "Update the import rule of a panel; fields without an option keep their values, 'none' clears a field",
        examples: &[
            (
                "import rule set 3 --network 1 --keep-categories on --margin 0.3 --enabled on",
                "import new services into service types of network 1, one per category",
            ),
            ("import rule set 3 --enabled off", "disable the rule and keep its values"),
        ],
        op: UpdateImportRule::OP,
        args,
        write: Some(Write {
            question: |matches| format!("Update the import rule of panel {}?", id_value(matches)),
            danger: Danger::Reversible("run the command again with the old values"),
            success: |matches| format!("Import rule of panel {} updated.", id_value(matches)),
            has_dry_run: true,
        }),
        ..GET
    },
    read_op: GetImportRule::OP,
    change,
};

/// The options that keep fields in sync with the panel, with their help.
const SYNC_OPTIONS: [(&str, &str); 9] = [
    ("sync-params", "Sync the quantity limits; none to use the panel's setting"),
    ("sync-prices", "Sync the prices"),
    ("sync-labels", "Sync the labels"),
    ("sync-name", "Sync the name"),
    ("sync-meta", "Sync the texts for search engines"),
    ("sync-service-details", "Sync refill and drip-feed"),
    ("sync-description-field", "Sync the description"),
    ("sync-short-description", "Sync the short description"),
    ("sync-reviews", "Sync the reviews"),
];

fn args(command: Command) -> Command {
    let text = |name: &'static str, flag: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(flag).value_name(value).help(help)
    };
    let repeated = |arg: Arg| arg.action(ArgAction::Append);
    let flags = SYNC_OPTIONS.map(|(flag, help)| {
        let words = clap::builder::PossibleValuesParser::new(["on", "off", "none"]);
        text(flag, flag, "on|off|none", help).value_parser(words).hide_possible_values(true)
    });
    command
        .arg(id_arg().help("Id of the panel"))
        .args([
            on_off_arg("is-enabled").long("enabled").help("Enable the rule"),
            text(
                "margin-percent",
                "margin",
                "FRACTION|none",
                "Margin on the panel's prices, such as 0.3 for 30%, or none",
            ),
            text("network-id", "network", "ID|none", "Id of the network, or none"),
            text(
                "service-type-id",
                "type",
                "ID|none",
                "Id of the service type, or none; with --keep-categories on, only for services without a category",
            ),
            on_off_arg("keep-categories")
                .long("keep-categories")
                .help("Create service types for the panel's categories"),
            text("promotable-checker-group-id", "checker-group", "ID|none", "Id of the group of link patterns, or none"),
            repeated(text(
                "categories",
                "category",
                "TEXT|none",
                "Import only this category of the panel; may be repeated, none for all",
            )),
            repeated(text("types", "only-type", "TYPE|none", "Import only this type, such as Default; may be repeated, none for all")),
            text("name-contains", "name-contains", "TEXT|none", "Import only services with this text in the name, or none"),
            text("name-excludes", "name-excludes", "TEXT|none", "Exclude services with this text in the name, or none"),
            text(
                "price-from",
                "price-from",
                "MONEY|none",
                "Import only services from this price on, in the panel's currency, or none",
            ),
            text("price-to", "price-to", "MONEY|none", "Import only services up to this price, in the panel's currency, or none"),
        ])
        .args(flags)
}

fn change(matches: &ArgMatches, data: Value) -> CmdResult<Request> {
    let rule: ImportRule =
        serde_json::from_value(data).map_err(|error| Failure::failed(error.to_string()))?;
    let current = to_input(rule);
    let mut body = current.clone();
    if let Some(on) = opt(matches, "is-enabled") {
        body.is_enabled = on;
    }
    if let Some(on) = opt(matches, "keep-categories") {
        body.keep_categories = on;
    }
    apply_patch(&mut body.margin_percent, patch_arg(matches, "margin-percent")?);
    apply_patch(&mut body.network_id, patch_arg(matches, "network-id")?);
    apply_patch(&mut body.service_type_id, patch_arg(matches, "service-type-id")?);
    apply_patch(&mut body.promotable_checker_group_id, patch_arg(matches, "promotable-checker-group-id")?);
    apply_patch(&mut body.name_contains, patch_arg(matches, "name-contains")?);
    apply_patch(&mut body.name_excludes, patch_arg(matches, "name-excludes")?);
    apply_patch(&mut body.price_from, patch_arg(matches, "price-from")?);
    apply_patch(&mut body.price_to, patch_arg(matches, "price-to")?);
    if let Some(categories) = list_arg(matches, "categories") {
        body.categories = categories;
    }
    if let Some(types) = list_arg(matches, "types") {
        let invalid = |word: &str| Failure::usage(format!("--only-type: {word} is not a valid type."));
        let types = types.iter().map(|word| word.parse().map_err(|_| invalid(word)));
        body.types = types.collect::<CmdResult<_>>()?;
    }
    let [params, prices, labels, name, meta, details, description, short, reviews] =
        SYNC_OPTIONS.map(|(flag, _)| matches.get_one::<String>(flag).map(String::as_str));
    let flags = [
        (&mut body.sync_params, params),
        (&mut body.sync_prices, prices),
        (&mut body.sync_labels, labels),
        (&mut body.sync_name, name),
        (&mut body.sync_meta, meta),
        (&mut body.sync_service_details, details),
        (&mut body.sync_description_field, description),
        (&mut body.sync_short_description, short),
        (&mut body.sync_reviews, reviews),
    ];
    for (flag, word) in flags {
        match word {
            None => {}
            Some("none") => *flag = None,
            Some(word) => *flag = Some(word == "on"),
        }
    }
    if body == current {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl import rule set --help).",
        ));
    }
    of::<UpdateImportRule>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &body)
}

fn apply_patch<T>(field: &mut Option<T>, patch: Patch<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(value),
    }
}

/// The values of a repeated option: None if it is absent, empty for the word `none`.
fn list_arg(matches: &ArgMatches, name: &str) -> Option<Vec<String>> {
    let values: Vec<String> = matches.get_many::<String>(name)?.cloned().collect();
    Some(if values == ["none"] { Vec::new() } else { values })
}

/// The rule as the body of an update.
fn to_input(rule: ImportRule) -> ImportRuleInput {
    ImportRuleInput {
        is_enabled: rule.is_enabled,
        margin_percent: rule.margin_percent,
        network_id: rule.network_id,
        service_type_id: rule.service_type_id,
        keep_categories: rule.keep_categories,
        promotable_checker_group_id: rule.promotable_checker_group_id,
        sync_params: rule.sync_params,
        sync_prices: rule.sync_prices,
        sync_labels: rule.sync_labels,
        sync_name: rule.sync_name,
        sync_meta: rule.sync_meta,
        sync_service_details: rule.sync_service_details,
        sync_description_field: rule.sync_description_field,
        sync_short_description: rule.sync_short_description,
        sync_reviews: rule.sync_reviews,
        categories: rule.categories,
        types: rule.types,
        name_contains: rule.name_contains,
        name_excludes: rule.name_excludes,
        price_from: rule.price_from,
        price_to: rule.price_to,
        updated_at: rule.updated_at,
    }
}
