//! Auto-promotion: services offered to customers who want an account promoted automatically.

use clap::{Arg, ArgMatches};
use panel_contract::auto_promotions::{
    PromotedLevelInput, PromotedQuery, PromotedServicesInput, SortPromotedInput, SortPromotedServicesInput,
    SortPromotedTypesInput,
};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::auto_promotions::{
    AddPromotedServices, DeletePromotedService, ListPromotedNetworks, ListPromotedServices,
    ListPromotedTypes, SortPromotedNetworks, SortPromotedServices, SortPromotedTypes, TogglePromotedNetwork,
    UpdatePromotedNetwork, UpdatePromotedType,
};

use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, patch_arg};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run};
use crate::command::text::{ids_of, text_arg};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::marketing::special_offers::network_arg;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "auto-promotions",
    alias: Some("auto-promotion"),
    about: "Manage the services offered for automatic promotion of accounts",
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
    about: "List the services of the auto-promotion",
    examples: &[("auto-promotions list --network 3", "list the services of one network")],
    op: ListPromotedServices::OP,
    args: |command| command.args([network_arg(), type_arg()]),
    request: |_, matches| of::<ListPromotedServices>((), &list_query(matches), &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("service.name", Kind::Text).titled("service"),
        Column::new("service_type.name", Kind::Text).titled("type"),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("resale_margin_percent", Kind::Number).titled("margin"),
        Column::extra("service.id", Kind::Id),
    ],
    write: None,
};

const NETWORKS: Call = Call {
    name: "networks",
    about: "List the networks of the auto-promotion, by position",
    examples: &[],
    op: ListPromotedNetworks::OP,
    args: |command| command,
    request: |_, _| of::<ListPromotedNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("enabled_services_count", Kind::Number).titled("enabled services"),
    ],
    ..LIST
};

const TYPES: Call = Call {
    name: "types",
    about: "List service types and their number of services in the auto-promotion",
    examples: &[],
    op: ListPromotedTypes::OP,
    request: |_, matches| of::<ListPromotedTypes>((), &list_query(matches), &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).titled("network"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("other_services_count", Kind::Number).titled("other services"),
    ],
    ..LIST
};

const ADD: Call = Call {
    name: "add",
    about: "Add services, or change whether they are offered and their margin",
    examples: &[
        ("auto-promotions add --services 17,18", "add two services"),
        ("auto-promotions add --type 4 --margin 0.25", "add all services of a service type with a margin"),
        ("auto-promotions add --services 17 --enabled off", "disable a service"),
    ],
    op: AddPromotedServices::OP,
    args: |command| {
        command.args([
            text_arg("services", "Ids of services, separated by commas [default: all enabled services]")
                .value_name("IDS"),
            network_arg(),
            type_arg(),
            on_off_arg("is-enabled").long("enabled").help("Offer the services"),
            text_arg(
                "resale-margin-percent",
                "Margin on their prices, such as 0.25; none to use the margin of each service",
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
            resale_margin_percent: patch_arg(matches, "resale-margin-percent")?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        of::<AddPromotedServices>((), &EmptyQuery {}, &input)
    },
    write: Some(Write {
        question: |_| "Add these services to the auto-promotion?".to_owned(),
        danger: Danger::Reversible("panelctl auto-promotions delete"),
        success: |_| "Services added to the auto-promotion.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const TOGGLE: Call = Call {
    name: "toggle",
    about: "Enable a disabled network, or disable an enabled one",
    examples: &[("auto-promotions toggle 3", "toggle network 3")],
    op: TogglePromotedNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<TogglePromotedNetwork>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Toggle network {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again"),
        success: |matches| format!("Network {} toggled.", id_value(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const SORT: Call = Call {
    name: "sort",
    about: "Set the order of all networks",
    examples: &[("auto-promotions sort 3,1,2", "list all ids in the new order")],
    op: SortPromotedNetworks::OP,
    args: |command| {
        command.arg(
            Arg::new("networks")
                .value_name("IDS")
                .required(true)
                .help("Ids of all networks in the new order, separated by commas"),
        )
    },
    request: |_, matches| {
        let input = SortPromotedInput { networks: ids_of(matches, "networks")?.unwrap_or_default() };
        of::<SortPromotedNetworks>((), &EmptyQuery {}, &input)
    },
    write: Some(Write {
        question: |_| "Save this order of the networks?".to_owned(),
        danger: Danger::Reversible("run the command again with the old order"),
        success: |_| "Order of the networks saved.".to_owned(),
        has_dry_run: false,
    }),
    ..NETWORKS
};

const UPDATE_LEVEL_WRITE: Write = Write {
    question: |matches| format!("Update the terms of {}?", id_value(matches)),
    danger: Danger::Reversible("run the command again with the old values"),
    success: |matches| format!("Terms of {} updated.", id_value(matches)),
    has_dry_run: false,
};

const UPDATE_NETWORK: Call = Call {
    name: "update-network",
    about: "Change whether a network is offered, and its margin",
    examples: &[(
        "auto-promotions update-network 3 --margin 0.2",
        "set the margin for services without their own margin",
    )],
    op: UpdatePromotedNetwork::OP,
    args: |command| command.arg(id_arg()).args(level_args()),
    request: |_, matches| of::<UpdatePromotedNetwork>(id(matches)?, &EmptyQuery {}, &level(matches)?),
    columns: &[],
    write: Some(UPDATE_LEVEL_WRITE),
    ..LIST
};

const UPDATE_TYPE: Call = Call {
    name: "update-type",
    about: "Change whether a service type is offered, and its margin",
    examples: &[("auto-promotions update-type 7 --enabled off", "stop offering its services")],
    op: UpdatePromotedType::OP,
    request: |_, matches| of::<UpdatePromotedType>(id(matches)?, &EmptyQuery {}, &level(matches)?),
    ..UPDATE_NETWORK
};

const SORT_TYPES: Call = Call {
    name: "sort-types",
    about: "Set the order of all service types of a network",
    examples: &[("auto-promotions sort-types 3 --ids 7,9,8", "list all ids in the new order")],
    op: SortPromotedTypes::OP,
    args: |command| {
        command
            .arg(id_arg())
            .arg(text_arg("ids", "All ids in the new order, separated by commas").required(true))
    },
    request: |_, matches| {
        let input = SortPromotedTypesInput { service_types: ids_of(matches, "ids")?.unwrap_or_default() };
        of::<SortPromotedTypes>(id(matches)?, &EmptyQuery {}, &input)
    },
    columns: &[],
    write: Some(Write {
        question: |_| "Save this order?".to_owned(),
        danger: Danger::Reversible("run the command again with the old order"),
        success: |_| "Order saved.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const SORT_SERVICES: Call = Call {
    name: "sort-services",
    about: "Set the order of all services of a service type",
    examples: &[(
        "auto-promotions sort-services 7 --ids 21,20",
        "list the ids of all services in the new order",
    )],
    op: SortPromotedServices::OP,
    request: |_, matches| {
        let input = SortPromotedServicesInput { services: ids_of(matches, "ids")?.unwrap_or_default() };
        of::<SortPromotedServices>(id(matches)?, &EmptyQuery {}, &input)
    },
    ..SORT_TYPES
};

fn level_args() -> [Arg; 3] {
    [
        on_off_arg("is-enabled").long("enabled").help("Offer the services"),
        text_arg(
            "resale-margin-percent",
            "Margin on prices, such as 0.25; none to use the margin of the level above",
        )
        .long("margin")
        .value_name("SHARE"),
        below_margin_arg(),
    ]
}

fn level(matches: &ArgMatches) -> CmdResult<PromotedLevelInput> {
    Ok(PromotedLevelInput {
        is_enabled: opt(matches, "is-enabled"),
        resale_margin_percent: patch_arg(matches, "resale-margin-percent")?,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

const DELETE: Call = Call {
    name: "delete",
    about: "Remove a service from the auto-promotion",
    examples: &[("auto-promotions delete 12", "use the id of auto-promotions list")],
    op: DeletePromotedService::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeletePromotedService>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Remove {} from the auto-promotion?", id_value(matches)),
        danger: Danger::Reversible("panelctl auto-promotions add"),
        success: |matches| format!("{} removed from the auto-promotion.", id_value(matches)),
        has_dry_run: true,
    }),
    ..LIST
};

fn type_arg() -> Arg {
    Arg::new("service-type-id")
        .long("type")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Id of the service type")
}

fn list_query(matches: &ArgMatches) -> PromotedQuery {
    PromotedQuery { network_id: opt(matches, "network-id"), service_type_id: opt(matches, "service-type-id") }
}
