//! What staff do with providers: make, change, put away, bring back.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::providers::{
    ArchiveProvider, CreateProvider, UnarchiveProvider, UpdateProvider,
};
use panel_contract::providers::{ProviderInput, ProviderType};

use super::look::LIST;
use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, Write, given_id, id, id_arg, of, opt, wish, word};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, is_dry};
use crate::command::text::{ids_of, patch, text_arg};
use crate::failure::{Done, Failure};

/// `providers create`.
pub(super) const CREATE: Call = Call {
    name: "create",
    about: "Makes a provider; waiting orders of its services go to it at once",
    examples: &[
        (
            "providers create --name 'Boost likes' --panel-id 2 --panel-service-id 7001 --price 0.9 --services 17,23",
            "a service of an external panel",
        ),
        ("providers create --name 'Our team' --type manual --services 40", "staff who deliver by hand"),
    ],
    op: CreateProvider::OP,
    args: provider_args,
    request: |_, matches| of::<CreateProvider>((), &DryRun { dry_run: is_dry(matches) }, &provider(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this provider?".to_owned(),
        danger: Danger::Reversible("providers archive"),
        said: |_| "The provider is made.".to_owned(),
        rehearses: true,
    }),
};

/// `providers update`.
pub(super) const UPDATE: Call = Call {
    name: "update",
    about: "Changes a provider; only what is named, and 'none' clears",
    examples: &[
        ("providers update 3 --status disabled", "no order goes to it any more"),
        ("providers update 3 --services 17,23,40", "all services that it delivers"),
    ],
    op: UpdateProvider::OP,
    args: |command| provider_args(command.arg(id_arg())),
    request: |_, matches| {
        of::<UpdateProvider>(id(matches)?, &DryRun { dry_run: is_dry(matches) }, &provider(matches)?)
    },
    write: Some(Write {
        question: |matches| format!("Change provider {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Provider {} is changed.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

/// `providers archive`.
pub(super) const ARCHIVE: Verb = Verb {
    name: "archive",
    past: "archived",
    about: "Puts providers away: no order goes to them any more, open ones go on",
    list: &LIST,
    danger: Danger::Reversible("panelctl undo"),
    reaches: &[ArchiveProvider::OP],
    of_one: &[],
    args: |command| command,
    many: each::<ArchiveProvider>,
    one: one::<ArchiveProvider>,
    examples: &[
        ("providers get 3", "first: which services it leaves"),
        ("providers archive 3", "one provider"),
    ],
};

/// `providers unarchive`.
pub(super) const UNARCHIVE: Verb = Verb {
    name: "unarchive",
    past: "brought back",
    about: "Brings archived providers back; orders that waited go to them at once",
    danger: Danger::Reversible("panelctl undo"),
    reaches: &[UnarchiveProvider::OP],
    many: each::<UnarchiveProvider>,
    one: one::<UnarchiveProvider>,
    examples: &[("providers unarchive 3", "one provider")],
    ..ARCHIVE
};

fn provider_args(command: Command) -> Command {
    let whole = || clap::value_parser!(i64).range(1..);
    command.args([
        text_arg("name", "Its name"),
        Arg::new("type")
            .long("type")
            .value_name("external_panel|manual")
            .value_parser(clap::builder::PossibleValuesParser::new(ProviderType::WORDS.texts))
            .hide_possible_values(true)
            .help("A service of an external panel, or staff who deliver by hand"),
        text_arg("external-panel-id", "The external panel").long("panel-id").value_name("ID"),
        text_arg("external-panel-service-id", "The id that the service has there").long("panel-service-id"),
        Arg::new("source-price")
            .long("price")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .help("What it asks"),
        text_arg("source-currency", "Currency of that price").long("currency").value_name("CODE"),
        Arg::new("source-pricing-per")
            .long("per")
            .value_name("UNITS")
            .value_parser(whole())
            .help("Units that price is for"),
        Arg::new("status")
            .long("status")
            .value_name("active|disabled")
            .value_parser(["active", "disabled"])
            .hide_possible_values(true)
            .help("Whether orders may go to it"),
        text_arg("source-event", "The event there that statistics are taken from, or none"),
        text_arg("target-event", "The event here that they count for, or none"),
        text_arg("services", "Every service that it delivers, with commas, or none").value_name("IDS|none"),
        below_margin_arg(),
    ])
}

fn provider(matches: &ArgMatches) -> Done<ProviderInput> {
    let input = ProviderInput {
        name: opt(matches, "name"),
        kind: word(matches, "type"),
        external_panel_id: wish(matches, "external-panel-id")?,
        external_panel_service_id: patch(matches, "external-panel-service-id"),
        source_price: opt(matches, "source-price"),
        source_currency: opt(matches, "source-currency"),
        source_pricing_per: opt(matches, "source-pricing-per"),
        status: word(matches, "status"),
        source_event: patch(matches, "source-event"),
        target_event: patch(matches, "target-event"),
        services: ids_of(matches, "services")?,
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    };
    match input == ProviderInput::default() {
        true => Err(Failure::usage("Say what to write; --help lists it.")),
        false => Ok(input),
    }
}
