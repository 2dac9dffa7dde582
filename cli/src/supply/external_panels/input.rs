//! The options of `external-panels create` and `update`. A token comes from a file or standard input, never from an argument,
//! because every process on the machine can read arguments.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::external_panels::{ExternalPanelInput, PanelType, StatisticType};
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_contract::string_enum::EnumValues;

use crate::command::request_command::{enum_value, on_off_arg, optional_value, parse_value_or_none};
use crate::command::text::text_arg;
use crate::failure::{CommandResult, Failure};

/// The values of `--sync`.
const SYNC_FIELDS: [&str; 11] = [
    "services",
    "packages",
    "prices",
    "labels",
    "name",
    "meta",
    "service-details",
    "description",
    "short-description",
    "reviews",
    "params",
];

/// The options of `external-panels add-rejection-message`.
pub(super) fn rejection_args(command: Command) -> Command {
    command.args([
        text_arg(
            "message",
            "The external panel's exact message, as in unknown_message of the external order; {number} matches any number",
        )
        .required(true),
        Arg::new("reason")
            .long("reason")
            .value_name("VALUE")
            .required(true)
            .value_parser(PossibleValuesParser::new(RejectionReason::VALUES.texts))
            .help("Reason of the external panel for rejecting the order"),
    ])
}

pub(super) fn token_arg() -> Arg {
    let arg = Arg::new("api-token").long("api-token").value_name("FILE");
    arg.help("File with our API token for the external panel, or - for standard input")
}

pub(super) fn panel_args(command: Command) -> Command {
    let enum_arg = |name: &'static str, help: &'static str, values: EnumValues| {
        let value_parser = PossibleValuesParser::new(values.texts);
        Arg::new(name).long(name).value_name("VALUE").value_parser(value_parser).help(help)
    };
    let sync_values = SYNC_FIELDS.into_iter().chain(["none"]);
    command.args([
        text_arg("name", "Name that staff see"),
        text_arg("endpoint", "URL of the API; https and /api/v2 are added automatically").value_name("URL"),
        token_arg(),
        enum_arg("type", "Type of external panel", PanelType::VALUES),
        text_arg("currency", "Currency of the external panel").value_name("CODE"),
        enum_arg("statistic-type", "What the delivered quantity is computed from: remains (the quantity that the external panel reports as remaining) or charge (the amount that it charged)", StatisticType::VALUES),
        Arg::new("sync")
            .long("sync")
            .value_name("FIELDS")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(sync_values))
            .help("Fields to keep in sync with the external panel, replacing the current fields; none for no fields. params: quantity limits; meta: texts for search engines; service-details: refill and drip-feed"),
        text_arg("resale-margin-fraction", "Margin on the prices of the external panel, such as 0.3, or none")
            .value_name("FRACTION"),
        text_arg("price-jump-fraction", "Price changes above this fraction wait for approval, such as 0.2")
            .value_name("FRACTION")
            .value_parser(clap::value_parser!(Fraction)),
        text_arg("low-balance", "Notify staff once when the balance falls below this amount, or none")
            .value_name("MONEY"),
        on_off_arg("auto-recreate-orders-is-allowed")
            .long("auto-recreate")
            .help("Go on to the next provider automatically if an order is not delivered completely"),
        Arg::new("rejection-message")
            .long("rejection-message")
            .value_name("REASON=MESSAGE")
            .action(ArgAction::Append)
            .help("Message with which the external panel rejects an order; replaces the current messages; may be repeated, none for no messages. {number} matches any number"),
    ])
}

pub(super) fn read_input(matches: &ArgMatches) -> CommandResult<ExternalPanelInput> {
    let selected_fields: Option<Vec<&String>> = matches.get_many::<String>("sync").map(Iterator::collect);
    let is_synced =
        |name: &str| selected_fields.as_ref().map(|fields| fields.iter().any(|field| field.as_str() == name));
    Ok(ExternalPanelInput {
        name: optional_value(matches, "name"),
        kind: enum_value(matches, "type"),
        endpoint: optional_value(matches, "endpoint"),
        api_token: read_token(matches)?,
        currency: optional_value(matches, "currency"),
        statistic_type: enum_value(matches, "statistic-type"),
        sync_services: is_synced("services"),
        sync_packages: is_synced("packages"),
        sync_prices: is_synced("prices"),
        sync_labels: is_synced("labels"),
        sync_name: is_synced("name"),
        sync_meta: is_synced("meta"),
        sync_service_details: is_synced("service-details"),
        sync_description: is_synced("description"),
        sync_short_description: is_synced("short-description"),
        sync_reviews: is_synced("reviews"),
        sync_params: is_synced("params"),
        resale_margin_fraction: parse_value_or_none(matches, "resale-margin-fraction")?,
        price_jump_fraction: optional_value(matches, "price-jump-fraction"),
        low_balance: parse_value_or_none(matches, "low-balance")?,
        auto_recreate_orders_is_allowed: optional_value(matches, "auto-recreate-orders-is-allowed"),
        rejection_messages: read_rejection_messages(matches)?,
        updated_at: None,
    })
}

/// Parses the messages of `--rejection-message`; `none` is an empty list. `None` without the option.
fn read_rejection_messages(matches: &ArgMatches) -> CommandResult<Option<Vec<RejectionMessage>>> {
    let Some(values) = matches.get_many::<String>("rejection-message") else { return Ok(None) };
    let values: Vec<&String> = values.collect();
    if let [value] = values.as_slice()
        && value.as_str() == "none"
    {
        return Ok(Some(Vec::new()));
    }
    let parse = |text: &&String| {
        let (reason, message) = text.split_once('=').unwrap_or((text, ""));
        let usage_error = |problem: String| Failure::usage(format!("--rejection-message {text}: {problem}"));
        let reason = reason.trim().parse().map_err(|_| {
            let allowed_reasons = RejectionReason::VALUES.texts.join(", ");
            usage_error(format!("start with one of {allowed_reasons} and =."))
        })?;
        Ok(RejectionMessage { message: message.to_owned(), reason })
    };
    values.iter().map(parse).collect::<CommandResult<Vec<_>>>().map(Some)
}

/// Reads the token from the file of `--api-token`. Removes trailing line breaks, which editors add.
pub(super) fn read_token(matches: &ArgMatches) -> CommandResult<Option<String>> {
    let Some(file) = optional_value::<String>(matches, "api-token") else { return Ok(None) };
    let text = match file.as_str() {
        "-" => std::io::read_to_string(std::io::stdin().lock()),
        file => std::fs::read_to_string(file),
    };
    let text = text.map_err(|error| Failure::usage(format!("--api-token {file}: {error}.")))?;
    match text.trim() {
        "" => Err(Failure::usage(format!("--api-token {file}: the file is empty."))),
        token => Ok(Some(token.to_owned())),
    }
}
