//! `auto-promotions`: manages the services that the panel offers to customers for the automatic promotion of an account.

use clap::{Arg, ArgMatches};
use panel_contract::auto_promotions::{
    AutoPromotionLevelInput, AutoPromotionQuery, AutoPromotionServicesInput, SortAutoPromotionNetworksInput,
    SortAutoPromotionServiceTypesInput, SortAutoPromotionServicesInput,
};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::auto_promotions::{
    AddAutoPromotionServices, DeleteAutoPromotionService, ListAutoPromotionNetworks,
    ListAutoPromotionServiceTypes, ListAutoPromotionServices, SortAutoPromotionNetworks,
    SortAutoPromotionServiceTypes, SortAutoPromotionServices, ToggleAutoPromotionNetwork,
    UpdateAutoPromotionNetwork, UpdateAutoPromotionServiceType,
};

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, on_off_arg, optional_value, parse_patch, request_for,
    required_id,
};
use crate::command::confirm::{Reversibility, below_margin_arg, confirms_below_margin, dry_run_query};
use crate::command::text::{parse_ids, text_arg};
use crate::command::{Cmd, CommandGroup};
use crate::failure::CmdResult;
use crate::marketing::special_offers::network_arg;
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "auto-promotions",
    alias: Some("auto-promotion"),
    about: "Manage the services offered for automatic promotion of accounts",
    commands: &[
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
    op: ListAutoPromotionServices::OP,
    args: |command| command.args([network_arg(), type_arg()]),
    request: |_, matches| request_for::<ListAutoPromotionServices>((), &list_query(matches), &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("service.name", Kind::Text).with_title("service"),
        Column::new("service_type.name", Kind::Text).with_title("type"),
        Column::new("network.name", Kind::Text).with_title("network"),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
        Column::new("resale_margin_fraction", Kind::Number).with_title("margin"),
        Column::hidden("service.id", Kind::Id),
    ],
    write: None,
};

const NETWORKS: Call = Call {
    name: "networks",
    about: "List the networks of the auto-promotion, by position",
    examples: &[],
    op: ListAutoPromotionNetworks::OP,
    args: |command| command,
    request: |_, _| request_for::<ListAutoPromotionNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
        Column::new("services_count", Kind::Number).with_title("services"),
        Column::new("enabled_services_count", Kind::Number).with_title("enabled services"),
    ],
    ..LIST
};

const TYPES: Call = Call {
    name: "types",
    about: "List service types and their number of services in the auto-promotion",
    examples: &[],
    op: ListAutoPromotionServiceTypes::OP,
    request: |_, matches| {
        request_for::<ListAutoPromotionServiceTypes>((), &list_query(matches), &EmptyBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("network.name", Kind::Text).with_title("network"),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
        Column::new("services_count", Kind::Number).with_title("services"),
        Column::new("other_services_count", Kind::Number).with_title("other services"),
    ],
    ..LIST
};

const ADD: Call = Call {
    name: "add",
    about: "Add services to the auto-promotion, or change their margin and whether they are offered",
    examples: &[
        ("auto-promotions add --services 17,18", "add two services"),
        ("auto-promotions add --type 4 --margin 0.25", "add all services of a service type with a margin"),
        ("auto-promotions add --services 17 --enabled off", "disable a service"),
    ],
    op: AddAutoPromotionServices::OP,
    args: |command| {
        command.args([
            text_arg("services", "Ids of services, separated by commas [default: all enabled services]")
                .value_name("IDS"),
            network_arg(),
            type_arg(),
            on_off_arg("is-enabled").long("enabled").help("Offer the services"),
            text_arg(
                "resale-margin-fraction",
                "Margin on their prices, such as 0.25; none to use the margin of each service",
            )
            .long("margin")
            .value_name("FRACTION"),
            below_margin_arg(),
        ])
    },
    request: |_, matches| {
        let input = AutoPromotionServicesInput {
            services: parse_ids(matches, "services")?,
            network_id: optional_value(matches, "network-id"),
            service_type_id: optional_value(matches, "service-type-id"),
            is_enabled: optional_value(matches, "is-enabled"),
            resale_margin_fraction: parse_patch(matches, "resale-margin-fraction")?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        request_for::<AddAutoPromotionServices>((), &EmptyQuery {}, &input)
    },
    write: Some(WriteSpec {
        question: |_| "Add these services to the auto-promotion?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl auto-promotions delete"),
        success: |_| "Services added to the auto-promotion.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const TOGGLE: Call = Call {
    name: "toggle",
    about: "Enable a disabled network, or disable an enabled one",
    examples: &[("auto-promotions toggle 3", "toggle network 3")],
    op: ToggleAutoPromotionNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<ToggleAutoPromotionNetwork>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Toggle network {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again"),
        success: |matches| format!("Network {} toggled.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const SORT: Call = Call {
    name: "sort",
    about: "Set the order of all networks",
    examples: &[("auto-promotions sort 3,1,2", "list all ids in the new order")],
    op: SortAutoPromotionNetworks::OP,
    args: |command| {
        command.arg(
            Arg::new("networks")
                .value_name("IDS")
                .required(true)
                .help("Ids of all networks in the new order, separated by commas"),
        )
    },
    request: |_, matches| {
        let input =
            SortAutoPromotionNetworksInput { networks: parse_ids(matches, "networks")?.unwrap_or_default() };
        request_for::<SortAutoPromotionNetworks>((), &EmptyQuery {}, &input)
    },
    write: Some(WriteSpec {
        question: |_| "Save this order of the networks?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old order"),
        success: |_| "Order of the networks saved.".to_owned(),
        has_dry_run: false,
    }),
    ..NETWORKS
};

const UPDATE_LEVEL_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update the terms of {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    success: |matches| format!("Terms of {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

const UPDATE_NETWORK: Call = Call {
    name: "update-network",
    about: "Change whether a network is offered, and its margin",
    examples: &[(
        "auto-promotions update-network 3 --margin 0.2",
        "set the margin for services without their own margin",
    )],
    op: UpdateAutoPromotionNetwork::OP,
    args: |command| command.arg(id_arg()).args(level_args()),
    request: |_, matches| {
        request_for::<UpdateAutoPromotionNetwork>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_level_input(matches)?,
        )
    },
    columns: &[],
    write: Some(UPDATE_LEVEL_WRITE),
    ..LIST
};

const UPDATE_TYPE: Call = Call {
    name: "update-type",
    about: "Change whether a service type is offered, and its margin",
    examples: &[("auto-promotions update-type 7 --enabled off", "stop offering its services")],
    op: UpdateAutoPromotionServiceType::OP,
    request: |_, matches| {
        request_for::<UpdateAutoPromotionServiceType>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_level_input(matches)?,
        )
    },
    ..UPDATE_NETWORK
};

const SORT_TYPES: Call = Call {
    name: "sort-types",
    about: "Set the order of all service types of a network",
    examples: &[("auto-promotions sort-types 3 --ids 7,9,8", "list all ids in the new order")],
    op: SortAutoPromotionServiceTypes::OP,
    args: |command| {
        command
            .arg(id_arg())
            .arg(text_arg("ids", "All ids in the new order, separated by commas").required(true))
    },
    request: |_, matches| {
        let input = SortAutoPromotionServiceTypesInput {
            service_types: parse_ids(matches, "ids")?.unwrap_or_default(),
        };
        request_for::<SortAutoPromotionServiceTypes>(required_id(matches)?, &EmptyQuery {}, &input)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Save this order?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old order"),
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
    op: SortAutoPromotionServices::OP,
    request: |_, matches| {
        let input =
            SortAutoPromotionServicesInput { services: parse_ids(matches, "ids")?.unwrap_or_default() };
        request_for::<SortAutoPromotionServices>(required_id(matches)?, &EmptyQuery {}, &input)
    },
    ..SORT_TYPES
};

fn level_args() -> [Arg; 3] {
    [
        on_off_arg("is-enabled").long("enabled").help("Offer the services"),
        text_arg(
            "resale-margin-fraction",
            "Margin on prices, such as 0.25; none to use the margin of the network, or of each service",
        )
        .long("margin")
        .value_name("FRACTION"),
        below_margin_arg(),
    ]
}

fn read_level_input(matches: &ArgMatches) -> CmdResult<AutoPromotionLevelInput> {
    Ok(AutoPromotionLevelInput {
        is_enabled: optional_value(matches, "is-enabled"),
        resale_margin_fraction: parse_patch(matches, "resale-margin-fraction")?,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

const DELETE: Call = Call {
    name: "delete",
    about: "Remove a service from the auto-promotion",
    examples: &[("auto-promotions delete 12", "use the id of auto-promotions list")],
    op: DeleteAutoPromotionService::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<DeleteAutoPromotionService>(
            required_id(matches)?,
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Remove {} from the auto-promotion?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl auto-promotions add"),
        success: |matches| format!("{} removed from the auto-promotion.", id_for_message(matches)),
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

fn list_query(matches: &ArgMatches) -> AutoPromotionQuery {
    AutoPromotionQuery {
        network_id: optional_value(matches, "network-id"),
        service_type_id: optional_value(matches, "service-type-id"),
    }
}
