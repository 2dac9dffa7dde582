//! Changes of providers by staff: create, update, archive, restore.

use clap::{Arg, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::common::DryRun;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::providers::{
    ArchiveProvider, CreateProvider, UnarchiveProvider, UpdateProvider,
};
use panel_contract::providers::{ProviderInput, ProviderType};

use super::details::LIST;
use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::{Reversibility, confirm_below_margin_arg, confirms_below_margin, is_dry_run};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::text::{parse_ids, read_text_or_none, text_arg};
use crate::failure::{CommandResult, Failure};

pub(super) const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a provider; waiting orders of its services are sent to the provider at once",
    examples: &[
        (
            "providers create --name 'Boost likes' --panel-id 2 --panel-service-id 7001 --price 0.9 --services 17,23",
            "create a provider for a service of an external panel",
        ),
        (
            "providers create --name 'Our team' --type manual --services 40",
            "create a provider for manual delivery by staff",
        ),
    ],
    op: CreateProvider::OP,
    args: provider_args,
    request: |_, matches| {
        build_request::<CreateProvider>((), &DryRun { dry_run: is_dry_run(matches) }, &read_input(matches)?)
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this provider?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl providers archive"),
        success: |_| "Provider created.".to_owned(),
        has_dry_run: true,
    }),
};

pub(super) const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a provider; fields without an option keep their values, 'none' clears a field",
    examples: &[
        ("providers update 3 --status disabled", "send no more orders to a provider"),
        ("providers update 3 --services 17,23,40", "replace the services of a provider"),
    ],
    op: UpdateProvider::OP,
    args: |command| provider_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateProvider>(
            required_id(matches)?,
            &DryRun { dry_run: is_dry_run(matches) },
            &read_input(matches)?,
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update provider {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Provider {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

pub(super) const ARCHIVE: BulkCommand = BulkCommand {
    name: "archive",
    past_participle: "archived",
    about: "Archive providers; archived providers get no more orders, open orders continue",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[ArchiveProvider::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<ArchiveProvider>,
    single_request: single_record_request::<ArchiveProvider>,
    examples: &[
        ("providers get 3", "check the services of the provider first"),
        ("providers archive 3", "archive one provider"),
    ],
};

pub(super) const UNARCHIVE: BulkCommand = BulkCommand {
    name: "unarchive",
    past_participle: "restored",
    about: "Restore archived providers; waiting orders are sent to the providers at once",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[UnarchiveProvider::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<UnarchiveProvider>,
    single_request: single_record_request::<UnarchiveProvider>,
    examples: &[("providers unarchive 3", "restore one provider")],
};

fn provider_args(command: Command) -> Command {
    let positive_parser = || clap::value_parser!(i64).range(1..);
    command.args([
        text_arg("name", "Name"),
        Arg::new("type")
            .long("type")
            .value_name("external_panel|manual")
            .value_parser(clap::builder::PossibleValuesParser::new(ProviderType::VALUES.texts))
            .hide_possible_values(true)
            .help("Type: a service of an external panel, or manual delivery by staff"),
        text_arg("external-panel-id", "Id of the external panel").long("panel-id").value_name("ID"),
        text_arg("external-panel-service-id", "Id of the service at the external panel")
            .long("panel-service-id"),
        Arg::new("source-price")
            .long("price")
            .value_name("MONEY")
            .value_parser(clap::value_parser!(Money))
            .help("Price that the provider charges us"),
        text_arg("source-currency", "Currency of the price").long("currency").value_name("CODE"),
        Arg::new("source-pricing-per")
            .long("per")
            .value_name("UNITS")
            .value_parser(positive_parser())
            .help("Number of units that the price is for"),
        Arg::new("status")
            .long("status")
            .value_name("active|disabled")
            .value_parser(["active", "disabled"])
            .hide_possible_values(true)
            .help("Status; a disabled provider gets no orders"),
        text_arg("source-event", "Name of the provider's event from which statistics are read, or none"),
        text_arg("target-event", "Name of our event that corresponds to --source-event, or none"),
        text_arg("services", "Ids of all services that the provider delivers, separated by commas, or none")
            .value_name("IDS|none"),
        confirm_below_margin_arg(),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<ProviderInput> {
    let input = ProviderInput {
        name: optional_value(matches, "name"),
        kind: enum_value(matches, "type"),
        external_panel_id: parse_value_or_none(matches, "external-panel-id")?,
        external_panel_service_id: read_text_or_none(matches, "external-panel-service-id"),
        source_price: optional_value(matches, "source-price"),
        source_currency: optional_value(matches, "source-currency"),
        source_pricing_per: optional_value(matches, "source-pricing-per"),
        status: enum_value(matches, "status"),
        source_event: read_text_or_none(matches, "source-event"),
        target_event: read_text_or_none(matches, "target-event"),
        services: parse_ids(matches, "services")?,
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    };
    match input == ProviderInput::default() {
        true => Err(Failure::usage("Nothing to change: set an option (see --help).")),
        false => Ok(input),
    }
}
