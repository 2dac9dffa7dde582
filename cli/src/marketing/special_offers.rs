//! Special offers: services and service types that stand out at a place of the panel.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::special_offers::{
    ArchiveSpecialOffer, CreateSpecialOffer, DeleteSpecialOffer, DisableSpecialOffer, EnableSpecialOffer,
    GetSpecialOffer, GetSpecialOfferCollection, ListOfferNetworks, ListOfferServices, ListOfferTypes,
    UnarchiveSpecialOffer, UpdateSpecialOffer,
};
use panel_contract::lists;
use panel_contract::special_offers::{
    OfferPlace, OfferPosition, OfferServicesQuery, OfferTypesQuery, SpecialOfferInput,
};
use panel_contract::words::Words;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{ids_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};

/// `special-offers`.
pub(crate) const NOUN: Noun = Noun {
    name: "special-offers",
    alias: Some("special-offer"),
    about: "Services and service types that stand out at a place of the panel",
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
    of: &lists::special_offers::SPECIAL_OFFERS,
    noun: "special offers",
    one: "special offer",
    about: "Special offers, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("place", "place", "Where it is shown"),
        Filter::new("position", "position", "Where at that place"),
        Filter::new("status", "status", "Whether it is shown"),
        Filter::new("network", "network", "Part of the network's name"),
    ],
    since: "created_at",
    examples: &[("special-offers list --place home_page --status active", "what the home page shows")],
};

const GET: Get = Get {
    one: "special offer",
    about: "Special offers with everything about them",
    op: GetSpecialOffer::OP,
    columns: &[],
    examples: &[("special-offers get 3", "one special offer")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a special offer",
    examples: &[(
        "special-offers create --name 'Hot now' --network 3 --place home_page --position first --services 17,18 --enabled on",
        "two services on the home page",
    )],
    op: CreateSpecialOffer::OP,
    args: fields,
    request: |_, matches| of::<CreateSpecialOffer>((), &NoQuery {}, &input(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this special offer?".to_owned(),
        danger: Danger::Reversible("panelctl special-offers archive"),
        said: |_| "The special offer is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a special offer; only what is named",
    examples: &[("special-offers update 3 --services 17,18,20", "exactly these services, in this order")],
    op: UpdateSpecialOffer::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateSpecialOffer>(id(matches)?, &NoQuery {}, &input(matches)?),
    write: Some(Write {
        question: |matches| format!("Change special offer {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Special offer {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ENABLE: Call = Call {
    name: "enable",
    about: "Shows a special offer",
    examples: &[("special-offers enable 3", "customers see it")],
    op: EnableSpecialOffer::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EnableSpecialOffer>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Show special offer {}?", given_id(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Special offer {} is shown.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

const DISABLE: Call = Call {
    name: "disable",
    about: "Hides a special offer",
    examples: &[("special-offers disable 3", "customers do not see it")],
    op: DisableSpecialOffer::OP,
    request: |_, matches| of::<DisableSpecialOffer>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Hide special offer {}?", given_id(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Special offer {} is hidden.", given_id(matches)),
        rehearses: true,
    }),
    ..ENABLE
};

const ARCHIVE: Call = archiving!("archive", ArchiveSpecialOffer, {
    about: "Puts a special offer away",
    example: ("special-offers archive 3", "see special-offers unarchive"),
    question: "Archive special offer {}?",
    said: "Special offer {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveSpecialOffer, {
    about: "Brings an archived special offer back",
    example: ("special-offers unarchive 3", "as it was"),
    question: "Bring special offer {} back?",
    said: "Special offer {} is back.",
});

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes an archived special offer for good",
    examples: &[("special-offers delete 3", "archive it first")],
    op: DeleteSpecialOffer::OP,
    request: |_, matches| of::<DeleteSpecialOffer>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete special offer {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Special offer {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
    ..ENABLE
};

const COLLECTION: Call = Call {
    name: "collection",
    about: "Places and positions",
    examples: &[("special-offers collection", "the home page has positions of its own")],
    op: GetSpecialOfferCollection::OP,
    args: |command| command,
    request: |_, _| of::<GetSpecialOfferCollection>((), &NoQuery {}, &NoBody {}),
    write: None,
    ..CREATE
};

const SERVICES: Call = Call {
    name: "services",
    about: "Services that an offer can have, page by page",
    examples: &[("special-offers services --network 3 --search likes", "of one network")],
    op: ListOfferServices::OP,
    args: |command| {
        command.args([
            network_arg(),
            text_arg("search", "Part of a name, or an id"),
            Arg::new("page")
                .long("page")
                .value_name("PAGE")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("The page [default: 1]"),
        ])
    },
    request: |_, matches| {
        let query = OfferServicesQuery {
            network_id: opt(matches, "network-id"),
            page: opt(matches, "page"),
            search: opt(matches, "search"),
        };
        of::<ListOfferServices>((), &query, &NoBody {})
    },
    at: "/items",
    columns: NAMED,
    ..COLLECTION
};

const TYPES: Call = Call {
    name: "types",
    about: "Service types that an offer can have",
    examples: &[("special-offers types --network 3", "of one network")],
    op: ListOfferTypes::OP,
    args: |command| command.arg(network_arg()),
    request: |_, matches| {
        let query = OfferTypesQuery { network_id: opt(matches, "network-id") };
        of::<ListOfferTypes>((), &query, &NoBody {})
    },
    columns: NAMED,
    ..COLLECTION
};

const NETWORKS: Call = Call {
    name: "networks",
    about: "Networks that an offer can have",
    examples: &[],
    op: ListOfferNetworks::OP,
    request: |_, _| of::<ListOfferNetworks>((), &NoQuery {}, &NoBody {}),
    columns: NAMED,
    ..COLLECTION
};

const NAMED: &[Column] = &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)];

pub(super) fn network_arg() -> Arg {
    Arg::new("network-id")
        .long("network")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("The network")
}

fn fields(command: Command) -> Command {
    let words = |name: &'static str, words: Words, help: &'static str| {
        let known = PossibleValuesParser::new(words.texts);
        Arg::new(name).long(name).value_name("WORD").value_parser(known).help(help)
    };
    command.args([
        text_arg("name", "English name"),
        network_arg(),
        words("place", OfferPlace::WORDS, "Where it is shown"),
        words("position", OfferPosition::WORDS, "Where at that place"),
        text_arg("services", "All its services in order, with commas; none for no service").value_name("IDS"),
        text_arg("service-types", "All its service types in order, with commas; none for none")
            .value_name("IDS"),
        on_off_arg("is-enabled").long("enabled").help("Whether it is shown"),
        translations_arg(),
    ])
}

fn input(matches: &ArgMatches) -> Done<SpecialOfferInput> {
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
