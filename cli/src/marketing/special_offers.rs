//! Special offers: highlighted services and service types at a place of the panel.

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

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{ids_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "special-offers",
    alias: Some("special-offer"),
    about: "Manage special offers: highlighted services and service types",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ENABLE),
        Cmd::Call(&DISABLE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Call(&DELETE),
        Cmd::Call(&COLLECTION),
        Cmd::Call(&SERVICES),
        Cmd::Call(&TYPES),
        Cmd::Call(&NETWORKS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::special_offers::SPECIAL_OFFERS,
    noun: "special offers",
    one: "special offer",
    about: "List special offers, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("place", "place", "Filter by place"),
        Filter::new("position", "position", "Filter by position"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("network", "network", "Filter by part of the network's name"),
    ],
    since: "created_at",
    examples: &[("special-offers list --place home_page --status active", "special offers on the home page")],
};

const GET: Get = Get {
    one: "special offer",
    about: "Show special offers with all details",
    op: GetSpecialOffer::OP,
    columns: &[],
    examples: &[("special-offers get 3", "show one special offer")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a special offer",
    examples: &[(
        "special-offers create --name 'Hot now' --network 3 --place home_page --position first --services 17,18 --enabled on",
        "highlight two services on the home page",
    )],
    op: CreateSpecialOffer::OP,
    args: fields,
    request: |_, matches| of::<CreateSpecialOffer>((), &EmptyQuery {}, &input(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this special offer?".to_owned(),
        danger: Danger::Reversible("panelctl special-offers archive"),
        success: |_| "Special offer created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a special offer; fields without an option keep their values",
    examples: &[("special-offers update 3 --services 17,18,20", "replace its services, in this order")],
    op: UpdateSpecialOffer::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateSpecialOffer>(id(matches)?, &EmptyQuery {}, &input(matches)?),
    write: Some(Write {
        question: |matches| format!("Update special offer {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Special offer {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ENABLE: Call = Call {
    name: "enable",
    about: "Enable a special offer",
    examples: &[("special-offers enable 3", "show it to customers")],
    op: EnableSpecialOffer::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EnableSpecialOffer>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Enable special offer {}?", id_value(matches)),
        danger: Danger::Reversible("panelctl undo"),
        success: |matches| format!("Special offer {} enabled.", id_value(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

const DISABLE: Call = Call {
    name: "disable",
    about: "Disable a special offer",
    examples: &[("special-offers disable 3", "hide it from customers")],
    op: DisableSpecialOffer::OP,
    request: |_, matches| of::<DisableSpecialOffer>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Disable special offer {}?", id_value(matches)),
        danger: Danger::Reversible("panelctl undo"),
        success: |matches| format!("Special offer {} disabled.", id_value(matches)),
        has_dry_run: true,
    }),
    ..ENABLE
};

const ARCHIVE: Call = archiving!("archive", ArchiveSpecialOffer, {
    about: "Archive a special offer",
    example: ("special-offers archive 3", "archive one offer; restore it with special-offers unarchive"),
    question: "Archive special offer {}?",
    success: "Special offer {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveSpecialOffer, {
    about: "Restore an archived special offer",
    example: ("special-offers unarchive 3", "restore one offer"),
    question: "Restore special offer {}?",
    success: "Special offer {} restored.",
});

const DELETE: Call = Call {
    name: "delete",
    about: "Delete an archived special offer permanently",
    examples: &[("special-offers delete 3", "the offer must be archived")],
    op: DeleteSpecialOffer::OP,
    request: |_, matches| of::<DeleteSpecialOffer>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Delete special offer {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Special offer {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
    ..ENABLE
};

const COLLECTION: Call = Call {
    name: "collection",
    about: "List places and positions",
    examples: &[("special-offers collection", "list the positions of each place")],
    op: GetSpecialOfferCollection::OP,
    args: |command| command,
    request: |_, _| of::<GetSpecialOfferCollection>((), &EmptyQuery {}, &EmptyBody {}),
    write: None,
    ..CREATE
};

const SERVICES: Call = Call {
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
            network_id: opt(matches, "network-id"),
            page: opt(matches, "page"),
            search: opt(matches, "search"),
        };
        of::<ListOfferServices>((), &query, &EmptyBody {})
    },
    pointer: "/items",
    columns: ID_AND_NAME,
    ..COLLECTION
};

const TYPES: Call = Call {
    name: "types",
    about: "List service types that an offer can contain",
    examples: &[("special-offers types --network 3", "list the types of one network")],
    op: ListOfferTypes::OP,
    args: |command| command.arg(network_arg()),
    request: |_, matches| {
        let query = OfferTypesQuery { network_id: opt(matches, "network-id") };
        of::<ListOfferTypes>((), &query, &EmptyBody {})
    },
    columns: ID_AND_NAME,
    ..COLLECTION
};

const NETWORKS: Call = Call {
    name: "networks",
    about: "List networks that an offer can belong to",
    examples: &[],
    op: ListOfferNetworks::OP,
    request: |_, _| of::<ListOfferNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    columns: ID_AND_NAME,
    ..COLLECTION
};

const ID_AND_NAME: &[Column] = &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)];

pub(super) fn network_arg() -> Arg {
    Arg::new("network-id")
        .long("network")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Id of the network")
}

fn fields(command: Command) -> Command {
    let words = |name: &'static str, words: EnumValues, help: &'static str| {
        let allowed = PossibleValuesParser::new(words.texts);
        Arg::new(name).long(name).value_name("WORD").value_parser(allowed).help(help)
    };
    command.args([
        text_arg("name", "English name"),
        network_arg(),
        words("place", OfferPlace::VALUES, "Place where it is shown"),
        words("position", OfferPosition::VALUES, "Position at that place"),
        text_arg("services", "Ids of all its services in order, separated by commas, or none")
            .value_name("IDS"),
        text_arg("service-types", "Ids of all its service types in order, separated by commas, or none")
            .value_name("IDS"),
        on_off_arg("is-enabled").long("enabled").help("Enable the special offer"),
        translations_arg(),
    ])
}

fn input(matches: &ArgMatches) -> CmdResult<SpecialOfferInput> {
    Ok(SpecialOfferInput {
        name: opt(matches, "name"),
        network_id: opt(matches, "network-id"),
        place: word(matches, "place"),
        position: word(matches, "position"),
        is_enabled: opt(matches, "is-enabled"),
        services: ids_of(matches, "services")?,
        service_types: ids_of(matches, "service-types")?,
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
