//! Options of external panels. A token is read from a file or standard input and is never an argument, which every process of
//! the machine could read.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::external_panels::{ExternalPanelInput, PanelType, StatisticType};
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_contract::string_enum::EnumValues;

use crate::command::call::{on_off_arg, opt, patch_arg, word};
use crate::command::text::text_arg;
use crate::failure::{CmdResult, Failure};

/// The values of `--sync`.
const SYNC: [&str; 11] = [
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

/// The options of one rejection message.
pub(super) fn rejection_args(command: Command) -> Command {
    command.args([
        text_arg(
            "message",
            "The panel's exact message, as in unknown_message of the external order; {number} matches any number",
        )
        .required(true),
        Arg::new("reason")
            .long("reason")
            .value_name("WORD")
            .required(true)
            .value_parser(PossibleValuesParser::new(RejectionReason::VALUES.texts))
            .help("Reason that the message stands for"),
    ])
}

pub(super) fn token_arg() -> Arg {
    let arg = Arg::new("api-token").long("api-token").value_name("FILE");
    arg.help("File with our token for the panel, or - for standard input")
}

pub(super) fn fields(command: Command) -> Command {
    let words = |name: &'static str, help: &'static str, words: EnumValues| {
        let allowed = PossibleValuesParser::new(words.texts);
        Arg::new(name).long(name).value_name("WORD").value_parser(allowed).help(help)
    };
    let sync = SYNC.into_iter().chain(["none"]);
    command.args([
        text_arg("name", "Name that staff see"),
        text_arg("endpoint", "URL of its API; https and /api/v2 are added automatically").value_name("URL"),
        token_arg(),
        words("type", "Type of panel", PanelType::VALUES),
        text_arg("currency", "Currency of the panel").value_name("CODE"),
        words("statistic-type", "Source of the delivered quantity", StatisticType::VALUES),
        Arg::new("sync")
            .long("sync")
            .value_name("WORDS")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(sync))
            .help("Fields to keep in sync with the panel, replacing the current ones; none for no fields"),
        text_arg("resale-margin-percent", "Margin on its prices, such as 0.3, or none")
            .value_name("FRACTION"),
        text_arg("price-jump-percent", "Price changes above this fraction wait for approval, such as 0.2")
            .value_name("FRACTION")
            .value_parser(clap::value_parser!(Fraction)),
        text_arg("low-balance", "Notify staff once when the balance falls below this amount, or none")
            .value_name("MONEY"),
        on_off_arg("auto-recreate-orders-is-allowed")
            .long("auto-recreate")
            .help("Place undelivered quantities at the next provider automatically"),
        Arg::new("rejection-message")
            .long("rejection-message")
            .value_name("REASON=MESSAGE")
            .action(ArgAction::Append)
            .help("Message that means it rejected an order, replacing the current ones; may be repeated, none for no messages. {number} matches any number"),
    ])
}

pub(super) fn input(matches: &ArgMatches) -> CmdResult<ExternalPanelInput> {
    let selected: Option<Vec<&String>> = matches.get_many::<String>("sync").map(Iterator::collect);
    let sync = |name: &str| selected.as_ref().map(|all| all.iter().any(|word| word.as_str() == name));
    Ok(ExternalPanelInput {
        name: opt(matches, "name"),
        kind: word(matches, "type"),
        endpoint: opt(matches, "endpoint"),
        api_token: token(matches)?,
        currency: opt(matches, "currency"),
        statistic_type: word(matches, "statistic-type"),
        sync_services: sync("services"),
        sync_packages: sync("packages"),
        sync_prices: sync("prices"),
        sync_labels: sync("labels"),
        sync_name: sync("name"),
        sync_meta: sync("meta"),
        sync_service_details: sync("service-details"),
        sync_description: sync("description"),
        sync_short_description: sync("short-description"),
        sync_reviews: sync("reviews"),
        sync_params: sync("params"),
        resale_margin_percent: patch_arg(matches, "resale-margin-percent")?,
        price_jump_percent: opt(matches, "price-jump-percent"),
        low_balance: patch_arg(matches, "low-balance")?,
        auto_recreate_orders_is_allowed: opt(matches, "auto-recreate-orders-is-allowed"),
        rejection_messages: rejection_messages(matches)?,
        updated_at: None,
    })
}

/// The messages of `--rejection-message`; an empty list for `none`.
fn rejection_messages(matches: &ArgMatches) -> CmdResult<Option<Vec<RejectionMessage>>> {
    let Some(values) = matches.get_many::<String>("rejection-message") else { return Ok(None) };
    let values: Vec<&String> = values.collect();
    if let [only] = values.as_slice()
        && only.as_str() == "none"
    {
        return Ok(Some(Vec::new()));
    }
    let parse = |text: &&String| {
        let (reason, message) = text.split_once('=').unwrap_or((text, ""));
        let invalid = |why: String| Failure::usage(format!("--rejection-message {text}: {why}"));
        let reason = reason.trim().parse().map_err(|_| {
            let allowed = RejectionReason::VALUES.texts.join(", ");
            invalid(format!("start with one of {allowed} and =."))
        })?;
        Ok(RejectionMessage { message: message.to_owned(), reason })
    };
    values.iter().map(parse).collect::<CmdResult<Vec<_>>>().map(Some)
}

/// The token in the file without trailing line breaks, which editors add.
pub(super) fn token(matches: &ArgMatches) -> CmdResult<Option<String>> {
    let Some(file) = opt::<String>(matches, "api-token") else { return Ok(None) };
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
