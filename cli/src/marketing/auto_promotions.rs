//! Auto-promotion: what is offered to customers who want an account promoted by itself.

use clap::{Arg, ArgMatches};
use panel_contract::auto_promotions::{
    PromotedLevelInput, PromotedQuery, PromotedServicesInput, SortPromotedInput, SortPromotedServicesInput,
    SortPromotedTypesInput,
};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::auto_promotions::{
    AddPromotedServices, DeletePromotedService, ListPromotedNetworks, ListPromotedServices,
    ListPromotedTypes, SortPromotedNetworks, SortPromotedServices, SortPromotedTypes, TogglePromotedNetwork,
    UpdatePromotedNetwork, UpdatePromotedType,
};

use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run};
use crate::command::text::{ids_of, text_arg};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::marketing::special_offers::network_arg;
use crate::output::column::{Column, Kind};

/// `auto-promotions`.
pub(crate) const NOUN: Noun = Noun {
    name: "auto-promotions",
    alias: Some("auto-promotion"),
    about: "What is offered to customers who want an account promoted by itself",
    verbs: &[
        Cmd::Call(&LIST),
        Cmd::Call(&NETWORKS),
        Cmd::Call(&TYPES),
        Cmd::Call(&ADD),
        Cmd::Call(&TOGGLE),
        Cmd::Call(&SORT),
        Cmd::Call(&UPDATE_NETWORK),
        Cmd::Call(&UPDATE_TYPE),
        Cmd::Call(&SORT_TYPES),
        Cmd::Call(&SORT_SERVICES),
        Cmd::Call(&DELETE),
    ],
};

const LIST: Call = Call {
    name: "list",
    about: "Services of the auto-promotion",
    examples: &[("auto-promotions list --network 3", "of one network")],
    op: ListPromotedServices::OP,
    args: |command| command.args([network_arg(), type_arg()]),
    request: |_, matches| of::<ListPromotedServices>((), &asked(matches), &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("service.name", Kind::Text).titled("service"),
        Column::new("service_type.name", Kind::Text).titled("type"),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("resale_margin_percent", Kind::Number).titled("margin"),
        Column::more("service.id", Kind::Id),
    ],
    write: None,
};

const NETWORKS: Call = Call {
    name: "networks",
    about: "Networks of the auto-promotion, in their order",
    examples: &[],
    op: ListPromotedNetworks::OP,
    args: |command| command,
    request: |_, _| of::<ListPromotedNetworks>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("enabled_services_count", Kind::Number).titled("of them enabled"),
    ],
    ..LIST
};

const TYPES: Call = Call {
    name: "types",
    about: "Service types, and how many of their services are in the auto-promotion",
    examples: &[],
    op: ListPromotedTypes::OP,
    request: |_, matches| of::<ListPromotedTypes>((), &asked(matches), &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("services_count", Kind::Number).titled("in it"),
        Column::new("other_services_count", Kind::Number).titled("others"),
    ],
    ..LIST
};

const ADD: Call = Call {
    name: "add",
    about: "Adds services, or changes whether they are offered and with which margin",
    examples: &[
        ("auto-promotions add --services 17,18", "two services"),
        ("auto-promotions add --type 4 --margin 0.25", "all of a service type, with a margin"),
        ("auto-promotions add --services 17 --enabled off", "switches one off"),
    ],
    op: AddPromotedServices::OP,
    args: |command| {
        command.args([
            text_arg("services", "The services, with commas; all on sale when left out").value_name("IDS"),
            network_arg(),
            type_arg(),
            on_off_arg("is-enabled").long("enabled").help("Whether they are offered"),
            text_arg(
                "resale-margin-percent",
                "What is added to their prices, such as 0.25; none: as each service says",
            )
            .long("margin")
            .value_name("SHARE"),
            below_margin_arg(),
        ])
    },
    request: |_, matches| {
        let input = PromotedServicesInput {
            services: ids_of(matches, "services")?,
            network_id: opt(matches, "network-id"),
            service_type_id: opt(matches, "service-type-id"),
            is_enabled: opt(matches, "is-enabled"),
            resale_margin_percent: wish(matches, "resale-margin-percent")?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        of::<AddPromotedServices>((), &NoQuery {}, &input)
    },
    write: Some(Write {
        question: |_| "Put these services into the auto-promotion?".to_owned(),
        danger: Danger::Reversible("panelctl auto-promotions delete"),
        said: |_| "The services are in the auto-promotion.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const TOGGLE: Call = Call {
    name: "toggle",
    about: "Offers a network that is not offered, and the other way round",
    examples: &[("auto-promotions toggle 3", "by the network's id")],
    op: TogglePromotedNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<TogglePromotedNetwork>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Switch network {} the other way round?", given_id(matches)),
        danger: Danger::Reversible("The same command"),
        said: |matches| format!("Network {} is switched.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

const SORT: Call = Call {
    name: "sort",
    about: "Puts the networks in order",
    examples: &[("auto-promotions sort 3,1,2", "all of them, in their new order")],
    op: SortPromotedNetworks::OP,
    args: |command| {
        command.arg(Arg::new("networks").value_name("IDS").required(true).help("All networks, with commas"))
    },
    request: |_, matches| {
        let input = SortPromotedInput { networks: ids_of(matches, "networks")?.unwrap_or_default() };
        of::<SortPromotedNetworks>((), &NoQuery {}, &input)
    },
    write: Some(Write {
        question: |_| "Put the networks in this order?".to_owned(),
        danger: Danger::Reversible("The same command with the old order"),
        said: |_| "The networks are in order.".to_owned(),
        rehearses: false,
    }),
    ..NETWORKS
};

const LEVEL_CHANGED: Write = Write {
    question: |matches| format!("Change the terms of {}?", given_id(matches)),
    danger: Danger::Reversible("The same command with the old values"),
    said: |matches| format!("The terms of {} are changed.", given_id(matches)),
    rehearses: false,
};

const UPDATE_NETWORK: Call = Call {
    name: "update-network",
    about: "Changes whether a network is offered and with which margin",
    examples: &[(
        "auto-promotions update-network 3 --margin 0.2",
        "for services without a margin of their own",
    )],
    op: UpdatePromotedNetwork::OP,
    args: |command| command.arg(id_arg()).args(level_args()),
    request: |_, matches| of::<UpdatePromotedNetwork>(id(matches)?, &NoQuery {}, &level(matches)?),
    columns: &[],
    write: Some(LEVEL_CHANGED),
    ..LIST
};

const UPDATE_TYPE: Call = Call {
    name: "update-type",
    about: "Changes whether a service type is offered and with which margin",
    examples: &[("auto-promotions update-type 7 --enabled off", "no service of it is offered")],
    op: UpdatePromotedType::OP,
    request: |_, matches| of::<UpdatePromotedType>(id(matches)?, &NoQuery {}, &level(matches)?),
    ..UPDATE_NETWORK
};

const SORT_TYPES: Call = Call {
    name: "sort-types",
    about: "Puts the service types of a network in order",
    examples: &[("auto-promotions sort-types 3 --ids 7,9,8", "all of them, in their new order")],
    op: SortPromotedTypes::OP,
    args: |command| command.arg(id_arg()).arg(text_arg("ids", "All of them, with commas").required(true)),
    request: |_, matches| {
        let input = SortPromotedTypesInput { service_types: ids_of(matches, "ids")?.unwrap_or_default() };
        of::<SortPromotedTypes>(id(matches)?, &NoQuery {}, &input)
    },
    columns: &[],
    write: Some(Write {
        question: |_| "Save this order?".to_owned(),
        danger: Danger::Reversible("The same command with the old order"),
        said: |_| "The order is saved.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const SORT_SERVICES: Call = Call {
    name: "sort-services",
    about: "Puts the services of a service type in order",
    examples: &[("auto-promotions sort-services 7 --ids 21,20", "all of them, by the ids of the services")],
    op: SortPromotedServices::OP,
    request: |_, matches| {
        let input = SortPromotedServicesInput { services: ids_of(matches, "ids")?.unwrap_or_default() };
        of::<SortPromotedServices>(id(matches)?, &NoQuery {}, &input)
    },
    ..SORT_TYPES
};

fn level_args() -> [Arg; 3] {
    [
        on_off_arg("is-enabled").long("enabled").help("Whether it is offered"),
        text_arg(
            "resale-margin-percent",
            "What is added to prices, such as 0.25; none: as the level above says",
        )
        .long("margin")
        .value_name("SHARE"),
        below_margin_arg(),
    ]
}

fn level(matches: &ArgMatches) -> Done<PromotedLevelInput> {
    Ok(PromotedLevelInput {
        is_enabled: opt(matches, "is-enabled"),
        resale_margin_percent: wish(matches, "resale-margin-percent")?,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

const DELETE: Call = Call {
    name: "delete",
    about: "Takes a service out of the auto-promotion",
    examples: &[("auto-promotions delete 12", "by the id that auto-promotions list shows")],
    op: DeletePromotedService::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeletePromotedService>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Take {} out of the auto-promotion?", given_id(matches)),
        danger: Danger::Reversible("panelctl auto-promotions add"),
        said: |matches| format!("{} is out of the auto-promotion.", given_id(matches)),
        rehearses: true,
    }),
    ..LIST
};

fn type_arg() -> Arg {
    Arg::new("service-type-id")
        .long("type")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("The service type")
}

fn asked(matches: &ArgMatches) -> PromotedQuery {
    PromotedQuery { network_id: opt(matches, "network-id"), service_type_id: opt(matches, "service-type-id") }
}
