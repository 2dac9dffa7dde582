//! `special-offers`: manages highlighted services and service types, each at a placement on the customer site.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::special_offers::{
    ArchiveSpecialOffer, CreateSpecialOffer, DeleteSpecialOffer, DisableSpecialOffer, EnableSpecialOffer,
    GetSpecialOffer, GetSpecialOfferCollection, ListOfferNetworks, ListOfferServices, ListOfferTypes,
    UnarchiveSpecialOffer, UpdateSpecialOffer,
};
use panel_contract::lists;
use panel_contract::special_offers::{
    OfferPlace, OfferPosition, OfferServicesQuery, OfferTypesQuery, SpecialOfferInput,
};
use panel_contract::string_enum::EnumValues;

use crate::command::archive_command::archive_command;
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, on_off_arg,
    optional_value, required_id,
};
use crate::command::text::{parse_ids, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "special-offers",
    alias: Some("special-offer"),
    about: "Manage special offers: highlighted services and service types",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ENABLE),
        CommandSpec::Request(&DISABLE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Request(&DELETE),
        CommandSpec::Request(&COLLECTION),
        CommandSpec::Request(&SERVICES),
        CommandSpec::Request(&TYPES),
        CommandSpec::Request(&NETWORKS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::special_offers::SPECIAL_OFFERS,
    plural: "special offers",
    singular: "special offer",
    about: "List special offers, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("place", "place", "Filter by placement"),
        Filter::new("position", "position", "Filter by position"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("network", "network", "Filter by part of the network's name"),
    ],
    time_column: "created_at",
    examples: &[("special-offers list --place home_page --status active", "special offers on the home page")],
};

const GET: GetCommand = GetCommand {
    singular: "special offer",
    about: "Show special offers with all details",
    op: GetSpecialOffer::OP,
    columns: &[],
    examples: &[("special-offers get 3", "show one special offer")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a special offer",
    examples: &[(
        "special-offers create --name 'Hot now' --network 3 --place home_page --position first --services 17,18 --enabled on",
        "highlight two services on the home page",
    )],
    op: CreateSpecialOffer::OP,
    args: offer_args,
    request: |_, matches| build_request::<CreateSpecialOffer>((), &EmptyQuery {}, &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this special offer?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl special-offers archive"),
        success: |_| "Special offer created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a special offer; fields without an option keep their values",
    examples: &[(
        "special-offers update 3 --services 17,18,20",
        "replace the services of the offer, in this order",
    )],
    op: UpdateSpecialOffer::OP,
    args: |command| offer_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateSpecialOffer>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update special offer {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Special offer {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ENABLE: RequestCommand = RequestCommand {
    name: "enable",
    about: "Enable a special offer",
    examples: &[("special-offers enable 3", "show an offer to customers")],
    op: EnableSpecialOffer::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<EnableSpecialOffer>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Enable special offer {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Special offer {} enabled.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const DISABLE: RequestCommand = RequestCommand {
    name: "disable",
    about: "Disable a special offer",
    examples: &[("special-offers disable 3", "hide an offer from customers")],
    op: DisableSpecialOffer::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DisableSpecialOffer>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Disable special offer {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Special offer {} disabled.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveSpecialOffer, {
    about: "Archive a special offer",
    example: ("special-offers archive 3", "archive one offer; restore it with special-offers unarchive"),
    question: "Archive special offer {}?",
    success: "Special offer {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveSpecialOffer, {
    about: "Restore an archived special offer",
    example: ("special-offers unarchive 3", "restore one offer"),
    question: "Restore special offer {}?",
    success: "Special offer {} restored.",
});

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete an archived special offer permanently",
    examples: &[("special-offers delete 3", "the offer must be archived")],
    op: DeleteSpecialOffer::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteSpecialOffer>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete special offer {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Special offer {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const COLLECTION: RequestCommand = RequestCommand {
    name: "collection",
    about: "List placements and positions",
    examples: &[("special-offers collection", "list the positions of each placement")],
    op: GetSpecialOfferCollection::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSpecialOfferCollection>((), &EmptyQuery {}, &EmptyBody {}),
    write: None,
    ..BASE_COMMAND
};

const SERVICES: RequestCommand = RequestCommand {
    name: "services",
    about: "List services that an offer can contain, page by page",
    examples: &[("special-offers services --network 3 --search likes", "search the services of one network")],
    op: ListOfferServices::OP,
    args: |command| {
        command.args([
            network_arg(),
            text_arg("search", "Part of a name, or an id"),
            Arg::new("page")
                .long("page")
                .value_name("PAGE")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Page number [default: 1]"),
        ])
    },
    request: |_, matches| {
        let query = OfferServicesQuery {
            network_id: optional_value(matches, "network-id"),
            page: optional_value(matches, "page"),
            search: optional_value(matches, "search"),
        };
        build_request::<ListOfferServices>((), &query, &EmptyBody {})
    },
    json_pointer: "/items",
    columns: ID_AND_NAME_COLUMNS,
    ..BASE_COMMAND
};

const TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List service types that an offer can contain",
    examples: &[("special-offers types --network 3", "list the types of one network")],
    op: ListOfferTypes::OP,
    args: |command| command.arg(network_arg()),
    request: |_, matches| {
        let query = OfferTypesQuery { network_id: optional_value(matches, "network-id") };
        build_request::<ListOfferTypes>((), &query, &EmptyBody {})
    },
    columns: ID_AND_NAME_COLUMNS,
    ..BASE_COMMAND
};

const NETWORKS: RequestCommand = RequestCommand {
    name: "networks",
    about: "List networks that an offer can belong to",
    examples: &[],
    op: ListOfferNetworks::OP,
    request: |_, _| build_request::<ListOfferNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    columns: ID_AND_NAME_COLUMNS,
    ..BASE_COMMAND
};

const ID_AND_NAME_COLUMNS: &[Column] =
    &[Column::new("id", DisplayKind::Id), Column::new("name", DisplayKind::Text)];

pub(super) fn network_arg() -> Arg {
    Arg::new("network-id")
        .long("network")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Id of the network")
}

fn offer_args(command: Command) -> Command {
    let enum_arg = |name: &'static str, values: EnumValues, help: &'static str| {
        let value_parser = PossibleValuesParser::new(values.texts);
        Arg::new(name).long(name).value_name("VALUE").value_parser(value_parser).help(help)
    };
    command.args([
        text_arg("name", "English name"),
        network_arg(),
        enum_arg("place", OfferPlace::VALUES, "Placement of the offer"),
        enum_arg("position", OfferPosition::VALUES, "Position at the placement"),
        text_arg("services", "Ids of all services of the offer in order, separated by commas, or none")
            .value_name("IDS"),
        text_arg(
            "service-types",
            "Ids of all service types of the offer in order, separated by commas, or none",
        )
        .value_name("IDS"),
        on_off_arg("is-enabled").long("enabled").help("Enable the special offer"),
        translations_arg(),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<SpecialOfferInput> {
    Ok(SpecialOfferInput {
        name: optional_value(matches, "name"),
        network_id: optional_value(matches, "network-id"),
        place: enum_value(matches, "place"),
        position: enum_value(matches, "position"),
        is_enabled: optional_value(matches, "is-enabled"),
        services: parse_ids(matches, "services")?,
        service_types: parse_ids(matches, "service-types")?,
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
