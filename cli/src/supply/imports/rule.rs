//! `import rule`: manages the rule by which an external panel's new services are imported automatically.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::common::{DryRun, Patch};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_services::{GetImportRule, UpdateImportRule};
use panel_contract::import_rules::{ImportRule, ImportRuleInput};
use serde_json::Value;

use crate::command::confirm::{Reversibility, is_dry_run};
use crate::command::edit::EditCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};

pub(super) const RULE: CommandGroup = CommandGroup {
    name: "rule",
    alias: None,
    about: "Manage the automatic import of an external panel's new services",
    commands: &[CommandSpec::Request(&GET), CommandSpec::Edit(&SET)],
};

const GET: RequestCommand = RequestCommand {
    name: "get",
    about: "Show the import rule of an external panel; without a rule, automatic import is disabled",
    examples: &[("import rule get 3", "show the rule of external panel 3")],
    op: GetImportRule::OP,
    args: |command| command.arg(id_arg().help("Id of the external panel")),
    request: |_, matches| {
        build_request::<GetImportRule>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const SET: EditCommand = EditCommand {
    request_command: RequestCommand {
        name: "set",
        about: "Update the import rule of an external panel; fields without an option keep their values, 'none' clears a field",
        examples: &[
            (
                "import rule set 3 --network 1 --keep-categories on --margin 0.3 --enabled on",
                "import new services into service types of network 1, one per category",
            ),
            ("import rule set 3 --enabled off", "disable the rule without changing its other values"),
        ],
        op: UpdateImportRule::OP,
        args: rule_args,
        request: |_, matches| {
            build_request::<GetImportRule>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
        },
        write: Some(WriteSpec {
            question: |matches| {
                format!("Update the import rule of external panel {}?", id_for_message(matches))
            },
            reversibility: Reversibility::Reversible("run the command again with the old values"),
            success: |matches| format!("Import rule of external panel {} updated.", id_for_message(matches)),
            has_dry_run: true,
        }),
        ..BASE_COMMAND
    },
    read_op: GetImportRule::OP,
    write_request: build_update_request,
};

/// The options that keep fields in sync with the external panel, with their help.
const SYNC_OPTIONS: [(&str, &str); 9] = [
    ("sync-params", "Sync the quantity limits; none to use the external panel's setting"),
    ("sync-prices", "Sync the prices"),
    ("sync-labels", "Sync the labels"),
    ("sync-name", "Sync the name"),
    ("sync-meta", "Sync the texts for search engines"),
    ("sync-service-details", "Sync refill and drip-feed"),
    ("sync-description-field", "Sync the description"),
    ("sync-short-description", "Sync the short description"),
    ("sync-reviews", "Sync the reviews"),
];

fn rule_args(command: Command) -> Command {
    let option_arg =
        |name: &'static str, flag: &'static str, value_name: &'static str, help: &'static str| {
            Arg::new(name).long(flag).value_name(value_name).help(help)
        };
    let make_repeatable = |arg: Arg| arg.action(ArgAction::Append);
    let sync_args = SYNC_OPTIONS.map(|(flag, help)| {
        let parser = clap::builder::PossibleValuesParser::new(["on", "off", "none"]);
        option_arg(flag, flag, "on|off|none", help).value_parser(parser).hide_possible_values(true)
    });
    command
        .arg(id_arg().help("Id of the external panel"))
        .args([
            on_off_arg("is-enabled").long("enabled").help("Enable or disable the rule"),
            option_arg(
                "margin-fraction",
                "margin",
                "FRACTION|none",
                "Margin on the external panel's prices, such as 0.3 for 30%, or none",
            ),
            option_arg("network-id", "network", "ID|none", "Id of the network, or none"),
            option_arg(
                "service-type-id",
                "type",
                "ID|none",
                "Id of the service type, or none; with --keep-categories on, only for services without a category",
            ),
            on_off_arg("keep-categories")
                .long("keep-categories")
                .help("Create service types for the external panel's categories"),
            option_arg("promotable-checker-group-id", "checker-group", "ID|none", "Id of the link check (see targets groups list), or none"),
            make_repeatable(option_arg(
                "categories",
                "category",
                "TEXT|none",
                "Import only this category of the external panel; may be repeated, none for all",
            )),
            make_repeatable(option_arg("types", "only-type", "TYPE|none", "Import only this type, such as Default; may be repeated, none for all")),
            option_arg("name-contains", "name-contains", "TEXT|none", "Import only services with this text in the name, or none"),
            option_arg("name-excludes", "name-excludes", "TEXT|none", "Exclude services with this text in the name, or none"),
            option_arg(
                "price-from",
                "price-from",
                "MONEY|none",
                "Import only services from this price on, in the external panel's currency, or none",
            ),
            option_arg("price-to", "price-to", "MONEY|none", "Import only services up to this price, in the external panel's currency, or none"),
        ])
        .args(sync_args)
}

fn build_update_request(matches: &ArgMatches, current_record: Value) -> CommandResult<Request> {
    let rule: ImportRule =
        serde_json::from_value(current_record).map_err(|error| Failure::failed(error.to_string()))?;
    let current_body = to_update_body(rule);
    let mut body = current_body.clone();
    if let Some(is_on) = optional_value(matches, "is-enabled") {
        body.is_enabled = is_on;
    }
    if let Some(is_on) = optional_value(matches, "keep-categories") {
        body.keep_categories = is_on;
    }
    apply_patch(&mut body.margin_fraction, parse_value_or_none(matches, "margin-fraction")?);
    apply_patch(&mut body.network_id, parse_value_or_none(matches, "network-id")?);
    apply_patch(&mut body.service_type_id, parse_value_or_none(matches, "service-type-id")?);
    apply_patch(
        &mut body.promotable_checker_group_id,
        parse_value_or_none(matches, "promotable-checker-group-id")?,
    );
    apply_patch(&mut body.name_contains, parse_value_or_none(matches, "name-contains")?);
    apply_patch(&mut body.name_excludes, parse_value_or_none(matches, "name-excludes")?);
    apply_patch(&mut body.price_from, parse_value_or_none(matches, "price-from")?);
    apply_patch(&mut body.price_to, parse_value_or_none(matches, "price-to")?);
    if let Some(categories) = read_list_values(matches, "categories") {
        body.categories = categories;
    }
    if let Some(types) = read_list_values(matches, "types") {
        let usage_error = |text: &str| Failure::usage(format!("--only-type: {text} is not a valid type."));
        let types = types.iter().map(|text| text.parse().map_err(|_| usage_error(text)));
        body.types = types.collect::<CommandResult<_>>()?;
    }
    let [params, prices, labels, name, meta, service_details, description, short_description, reviews] =
        SYNC_OPTIONS.map(|(flag, _)| matches.get_one::<String>(flag).map(String::as_str));
    let sync_fields = [
        (&mut body.sync_params, params),
        (&mut body.sync_prices, prices),
        (&mut body.sync_labels, labels),
        (&mut body.sync_name, name),
        (&mut body.sync_meta, meta),
        (&mut body.sync_service_details, service_details),
        (&mut body.sync_description_field, description),
        (&mut body.sync_short_description, short_description),
        (&mut body.sync_reviews, reviews),
    ];
    for (field, text) in sync_fields {
        match text {
            None => {}
            Some("none") => *field = None,
            Some(text) => *field = Some(text == "on"),
        }
    }
    if body == current_body {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl import rule set --help).",
        ));
    }
    build_request::<UpdateImportRule>(required_id(matches)?, &DryRun { dry_run: is_dry_run(matches) }, &body)
}

fn apply_patch<T>(field: &mut Option<T>, patch: Patch<T>) {
    match patch {
        Patch::Keep => {}
        Patch::Clear => *field = None,
        Patch::Set(value) => *field = Some(value),
    }
}

/// Reads the values of an option that may be repeated. Returns `None` without the option, and an empty list for `none`.
fn read_list_values(matches: &ArgMatches, name: &str) -> Option<Vec<String>> {
    let values: Vec<String> = matches.get_many::<String>(name)?.cloned().collect();
    Some(if values == ["none"] { Vec::new() } else { values })
}

/// Converts a rule to the body of an update.
fn to_update_body(rule: ImportRule) -> ImportRuleInput {
    ImportRuleInput {
        is_enabled: rule.is_enabled,
        margin_fraction: rule.margin_fraction,
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
