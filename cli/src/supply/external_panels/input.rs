//! What is said of an external panel on the command line. A token comes from a file or standard input, never as an
//! argument, where every process of the machine could read it.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::external_panels::{ExternalPanelInput, PanelType, StatisticType};
use panel_contract::rejections::{RejectionMessage, RejectionReason};
use panel_contract::words::Words;

use crate::command::call::{on_off_arg, opt, wish, word};
use crate::command::text::text_arg;
use crate::failure::{Done, Failure};

/// What can be taken over from a panel.
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

/// `--message` and `--reason` of one message.
pub(super) fn rejection_args(command: Command) -> Command {
    command.args([
        text_arg(
            "message",
            "The panel's exact words, as unknown_message of the attempt shows them; {number} stands for a number",
        )
        .required(true),
        Arg::new("reason")
            .long("reason")
            .value_name("WORD")
            .required(true)
            .value_parser(PossibleValuesParser::new(RejectionReason::WORDS.texts))
            .help("What the panel means by them"),
    ])
}

pub(super) fn token_arg() -> Arg {
    let arg = Arg::new("api-token").long("api-token").value_name("FILE");
    arg.help("A file with our token there; - reads standard input")
}

pub(super) fn fields(command: Command) -> Command {
    let words = |name: &'static str, help: &'static str, words: Words| {
        let known = PossibleValuesParser::new(words.texts);
        Arg::new(name).long(name).value_name("WORD").value_parser(known).help(help)
    };
    let sync = SYNC.into_iter().chain(["none"]);
    command.args([
        text_arg("name", "What staff call it"),
        text_arg("endpoint", "The address of its API; https and /api/v2 are added").value_name("URL"),
        token_arg(),
        words("type", "What kind it is", PanelType::WORDS),
        text_arg("currency", "What it counts in").value_name("CODE"),
        words("statistic-type", "What tells how much it delivered", StatisticType::WORDS),
        Arg::new("sync")
            .long("sync")
            .value_name("WORDS")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(sync))
            .help("What is taken over from it, exactly this; none for nothing"),
        text_arg("resale-margin-percent", "On top of its prices, such as 0.3; none for nothing")
            .value_name("FRACTION"),
        text_arg("price-jump-percent", "A price that changes by more waits for a yes, such as 0.2")
            .value_name("FRACTION")
            .value_parser(clap::value_parser!(Fraction)),
        text_arg("low-balance", "Staff are told once when the balance falls below; none for never")
            .value_name("MONEY"),
        on_off_arg("auto-recreate-orders-is-allowed")
            .long("auto-recreate")
            .help("Whether what it leaves undelivered goes to the next provider by itself"),
        Arg::new("rejection-message")
            .long("rejection-message")
            .value_name("REASON=MESSAGE")
            .action(ArgAction::Append)
            .help("A message by which it says that it took no order; exactly these, none for none. {number} stands for a number"),
    ])
}

pub(super) fn input(matches: &ArgMatches) -> Done<ExternalPanelInput> {
    let wanted: Option<Vec<&String>> = matches.get_many::<String>("sync").map(Iterator::collect);
    let sync = |name: &str| wanted.as_ref().map(|all| all.iter().any(|word| word.as_str() == name));
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
        resale_margin_percent: wish(matches, "resale-margin-percent")?,
        price_jump_percent: opt(matches, "price-jump-percent"),
        low_balance: wish(matches, "low-balance")?,
        auto_recreate_orders_is_allowed: opt(matches, "auto-recreate-orders-is-allowed"),
        rejection_messages: rejection_messages(matches)?,
        updated_at: None,
    })
}

/// The messages that were named; an empty list where `none` was.
fn rejection_messages(matches: &ArgMatches) -> Done<Option<Vec<RejectionMessage>>> {
    let Some(named) = matches.get_many::<String>("rejection-message") else { return Ok(None) };
    let named: Vec<&String> = named.collect();
    if let [only] = named.as_slice()
        && only.as_str() == "none"
    {
        return Ok(Some(Vec::new()));
    }
    let read = |text: &&String| {
        let (reason, message) = text.split_once('=').unwrap_or((text, ""));
        let wrong = |why: String| Failure::usage(format!("--rejection-message {text}: {why}"));
        let reason = reason.trim().parse().map_err(|_| {
            let known = RejectionReason::WORDS.texts.join(", ");
            wrong(format!("begin with one of {known} and =."))
        })?;
        Ok(RejectionMessage { message: message.to_owned(), reason })
    };
    named.iter().map(read).collect::<Done<Vec<_>>>().map(Some)
}

/// The text of the file, without the line end that editors put behind it.
pub(super) fn token(matches: &ArgMatches) -> Done<Option<String>> {
    let Some(file) = opt::<String>(matches, "api-token") else { return Ok(None) };
    let text = match file.as_str() {
        "-" => std::io::read_to_string(std::io::stdin().lock()),
        file => std::fs::read_to_string(file),
    };
    let text = text.map_err(|error| Failure::usage(format!("--api-token {file}: {error}.")))?;
    match text.trim() {
        "" => Err(Failure::usage(format!("--api-token {file}: there is nothing in it."))),
        token => Ok(Some(token.to_owned())),
    }
}
