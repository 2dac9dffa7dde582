//! `auto-promotions`: manages the services that the server offers to customers for the automatic promotion of an account.

use clap::{Arg, ArgMatches, Command};
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

use crate::command::confirm::{
    Reversibility, confirm_below_margin_arg, confirms_below_margin, dry_run_query,
};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::text::{parse_ids, text_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::marketing::special_offers::network_arg;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "auto-promotions",
    alias: Some("auto-promotion"),
    about: "Manage auto-promotion: the services that the site offers for the account or link that a customer enters",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&NETWORKS),
        CommandSpec::Request(&TYPES),
        CommandSpec::Request(&ADD),
        CommandSpec::Request(&TOGGLE),
        CommandSpec::Request(&SORT),
        CommandSpec::Request(&UPDATE_NETWORK),
        CommandSpec::Request(&UPDATE_TYPE),
        CommandSpec::Request(&SORT_TYPES),
        CommandSpec::Request(&SORT_SERVICES),
        CommandSpec::Request(&DELETE),
    ],
};

const SERVICE_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("service.name", DisplayKind::Text).with_title("service"),
    Column::new("service_type.name", DisplayKind::Text).with_title("type"),
    Column::new("network.name", DisplayKind::Text).with_title("network"),
    Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
    Column::new("resale_margin_fraction", DisplayKind::Number).with_title("margin"),
    Column::hidden("service.id", DisplayKind::Id),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List the services of the auto-promotion",
    examples: &[("auto-promotions list --network 3", "list the services of one network")],
    op: ListAutoPromotionServices::OP,
    args: |command| command.args([network_arg(), type_arg()]),
    request: |_, matches| {
        build_request::<ListAutoPromotionServices>((), &build_list_query(matches), &EmptyBody {})
    },
    json_pointer: "/data",
    columns: SERVICE_COLUMNS,
    write: None,
};

const NETWORK_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
    Column::new("services_count", DisplayKind::Number).with_title("services"),
    Column::new("enabled_services_count", DisplayKind::Number).with_title("enabled services"),
];

const NETWORKS: RequestCommand = RequestCommand {
    name: "networks",
    about: "List the networks of the auto-promotion, by position",
    examples: &[],
    op: ListAutoPromotionNetworks::OP,
    args: |command| command,
    request: |_, _| build_request::<ListAutoPromotionNetworks>((), &EmptyQuery {}, &EmptyBody {}),
    columns: NETWORK_COLUMNS,
    ..BASE_COMMAND
};

const TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List service types and their number of services in the auto-promotion",
    examples: &[],
    op: ListAutoPromotionServiceTypes::OP,
    args: |command| command.args([network_arg(), type_arg()]),
    request: |_, matches| {
        build_request::<ListAutoPromotionServiceTypes>((), &build_list_query(matches), &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("network.name", DisplayKind::Text).with_title("network"),
        Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
        Column::new("services_count", DisplayKind::Number).with_title("services"),
        Column::new("other_services_count", DisplayKind::Number).with_title("other services"),
    ],
    ..BASE_COMMAND
};

const ADD: RequestCommand = RequestCommand {
    name: "add",
    about: "Add services to the auto-promotion, or change the margin and availability of added services",
    examples: &[
        ("auto-promotions add --services 17,18", "add two services"),
        ("auto-promotions add --type 4 --margin 0.25", "add all services of a service type with a margin"),
        ("auto-promotions add --services 17 --enabled off", "disable a service"),
    ],
    op: AddAutoPromotionServices::OP,
    args: |command| {
        command.args([
            text_arg(
                "services",
                "Ids of services, separated by commas [default: all enabled services of the type]",
            )
            .value_name("IDS"),
            network_arg(),
            type_arg(),
            on_off_arg("is-enabled")
                .long("enabled")
                .help("Enable or disable the services in the auto-promotion"),
            text_arg(
                "resale-margin-fraction",
                "Margin on the prices of the services, such as 0.25; none to use the margin of each service",
            )
            .long("margin")
            .value_name("FRACTION"),
            confirm_below_margin_arg(),
        ])
    },
    request: |_, matches| {
        let input = AutoPromotionServicesInput {
            services: parse_ids(matches, "services")?,
            network_id: optional_value(matches, "network-id"),
            service_type_id: optional_value(matches, "service-type-id"),
            is_enabled: optional_value(matches, "is-enabled"),
            resale_margin_fraction: parse_value_or_none(matches, "resale-margin-fraction")?,
            confirm_below_margin: confirms_below_margin(matches),
        };
        build_request::<AddAutoPromotionServices>((), &EmptyQuery {}, &input)
    },
    columns: SERVICE_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Add these services to the auto-promotion?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl auto-promotions delete"),
        success: |_| "Services added to the auto-promotion.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const TOGGLE: RequestCommand = RequestCommand {
    name: "toggle",
    about: "Enable a disabled network, or disable an enabled one",
    examples: &[("auto-promotions toggle 3", "toggle network 3")],
    op: ToggleAutoPromotionNetwork::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ToggleAutoPromotionNetwork>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Toggle network {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again"),
        success: |matches| format!("Network {} toggled.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const SORT: RequestCommand = RequestCommand {
    name: "sort",
    about: "Set the positions of all networks",
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
        build_request::<SortAutoPromotionNetworks>((), &EmptyQuery {}, &input)
    },
    columns: NETWORK_COLUMNS,
    write: Some(WriteSpec {
        question: |_| "Save these positions of the networks?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old positions"),
        success: |_| "Positions of the networks saved.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update the auto-promotion settings of {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    success: |matches| format!("Auto-promotion settings of {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

const UPDATE_NETWORK: RequestCommand = RequestCommand {
    name: "update-network",
    about: "Enable or disable a network, and change its margin",
    examples: &[(
        "auto-promotions update-network 3 --margin 0.2",
        "set the margin for services without their own margin",
    )],
    op: UpdateAutoPromotionNetwork::OP,
    args: |command| command.arg(id_arg()).args(update_args()),
    request: |_, matches| {
        build_request::<UpdateAutoPromotionNetwork>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_update_input(matches)?,
        )
    },
    columns: &[],
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

const UPDATE_TYPE: RequestCommand = RequestCommand {
    name: "update-type",
    about: "Enable or disable a service type, and change its margin",
    examples: &[("auto-promotions update-type 7 --enabled off", "stop offering the services of a type")],
    op: UpdateAutoPromotionServiceType::OP,
    args: |command| command.arg(id_arg()).args(update_args()),
    request: |_, matches| {
        build_request::<UpdateAutoPromotionServiceType>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_update_input(matches)?,
        )
    },
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

fn sort_args(command: Command) -> Command {
    let ids = text_arg("ids", "All ids in the new order, separated by commas").required(true);
    command.arg(id_arg()).arg(ids)
}

const SORT_WRITE: WriteSpec = WriteSpec {
    question: |_| "Save these positions?".to_owned(),
    reversibility: Reversibility::Reversible("run the command again with the old positions"),
    success: |_| "Positions saved.".to_owned(),
    has_dry_run: false,
};

const SORT_TYPES: RequestCommand = RequestCommand {
    name: "sort-types",
    about: "Set the positions of all service types of a network",
    examples: &[("auto-promotions sort-types 3 --ids 7,9,8", "list all ids in the new order")],
    op: SortAutoPromotionServiceTypes::OP,
    args: sort_args,
    request: |_, matches| {
        let input = SortAutoPromotionServiceTypesInput {
            service_types: parse_ids(matches, "ids")?.unwrap_or_default(),
        };
        build_request::<SortAutoPromotionServiceTypes>(required_id(matches)?, &EmptyQuery {}, &input)
    },
    columns: &[],
    write: Some(SORT_WRITE),
    ..BASE_COMMAND
};

const SORT_SERVICES: RequestCommand = RequestCommand {
    name: "sort-services",
    about: "Set the positions of all services of a service type",
    examples: &[(
        "auto-promotions sort-services 7 --ids 21,20",
        "list the ids of all services in the new order",
    )],
    op: SortAutoPromotionServices::OP,
    args: sort_args,
    request: |_, matches| {
        let input =
            SortAutoPromotionServicesInput { services: parse_ids(matches, "ids")?.unwrap_or_default() };
        build_request::<SortAutoPromotionServices>(required_id(matches)?, &EmptyQuery {}, &input)
    },
    write: Some(SORT_WRITE),
    ..BASE_COMMAND
};

fn update_args() -> [Arg; 3] {
    [
        on_off_arg("is-enabled").long("enabled").help("Enable or disable the services in the auto-promotion"),
        text_arg(
            "resale-margin-fraction",
            "Margin on prices, such as 0.25; none to use the margin of the network, or of each service",
        )
        .long("margin")
        .value_name("FRACTION"),
        confirm_below_margin_arg(),
    ]
}

fn read_update_input(matches: &ArgMatches) -> CommandResult<AutoPromotionLevelInput> {
    Ok(AutoPromotionLevelInput {
        is_enabled: optional_value(matches, "is-enabled"),
        resale_margin_fraction: parse_value_or_none(matches, "resale-margin-fraction")?,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Remove a service from the auto-promotion",
    examples: &[("auto-promotions delete 12", "use the id of auto-promotions list")],
    op: DeleteAutoPromotionService::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteAutoPromotionService>(
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
    ..BASE_COMMAND
};

fn type_arg() -> Arg {
    Arg::new("service-type-id")
        .long("type")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .help("Id of the service type")
}

fn build_list_query(matches: &ArgMatches) -> AutoPromotionQuery {
    AutoPromotionQuery {
        network_id: optional_value(matches, "network-id"),
        service_type_id: optional_value(matches, "service-type-id"),
    }
}
