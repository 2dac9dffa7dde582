//! Commands that manage the affiliates, offered payment methods, API key and roles of a user.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::affiliates::AffiliateInput;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::affiliates::*;
use panel_contract::endpoints::staff::SyncGrants;
use panel_contract::endpoints::user_access::*;
use panel_contract::moment::Time;
use panel_contract::staff::GrantsInput;
use panel_contract::user_access::UserPaymentMethodsInput;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, optional_value, repeated_values,
    required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::operations::staff;
use crate::output::column::{Column, DisplayKind};

pub(crate) const AFFILIATES: CommandGroup = CommandGroup {
    name: "affiliates",
    alias: Some("affiliate"),
    about: "Manage the affiliates who referred a user",
    commands: &[
        CommandSpec::Request(&LIST_AFFILIATES),
        CommandSpec::Request(&ADD_AFFILIATE),
        CommandSpec::Request(&UPDATE_AFFILIATE),
        CommandSpec::Request(&REMOVE_AFFILIATE),
    ],
};

pub(crate) const PAYMENT_METHODS: CommandGroup = CommandGroup {
    name: "payment-methods",
    alias: None,
    about: "Manage the payment methods offered to a customer",
    commands: &[CommandSpec::Request(&LIST_METHODS), CommandSpec::Request(&SET_METHODS)],
};

pub(crate) const API_KEY: CommandGroup = CommandGroup {
    name: "api-key",
    alias: None,
    about: "Manage a customer's API key",
    commands: &[CommandSpec::Request(&CREATE_KEY), CommandSpec::Request(&REMOVE_KEY)],
};

pub(crate) const ROLES: CommandGroup = CommandGroup {
    name: "roles",
    alias: None,
    about: "Manage the roles and permissions of a user",
    commands: &[CommandSpec::Request(&SET_ROLES)],
};

const AFFILIATE_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("user_id", DisplayKind::Id).with_title("affiliate"),
    Column::new("name", DisplayKind::Text),
    Column::new("email", DisplayKind::Text),
    Column::new("started_at", DisplayKind::Time).with_title("from"),
    Column::new("ended_at", DisplayKind::Time).with_title("until"),
    Column::new("is_current", DisplayKind::Enum).with_title("current"),
    Column::hidden("referral_id", DisplayKind::Id),
];

const LIST_AFFILIATES: RequestCommand = RequestCommand {
    name: "list",
    about: "List the affiliates of a user, newest first",
    examples: &[("users affiliates list 42", "list who referred the user, and when")],
    op: ListAffiliates::OP,
    args: |command| command.arg(id_arg().help("Id of the referred user")),
    request: |_, matches| {
        build_request::<ListAffiliates>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: AFFILIATE_COLUMNS,
    write: None,
};

const ADD_AFFILIATE: RequestCommand = RequestCommand {
    name: "add",
    about: "Add an affiliate who referred a user",
    examples: &[
        ("users affiliates add 42 7", "user 7 referred user 42, from now on"),
        (
            "users affiliates add 42 7 --from 2026-01-01 --until 2026-07-01",
            "user 7 referred user 42, for half a year",
        ),
    ],
    op: AddAffiliate::OP,
    args: |command| command.arg(id_arg().help("Id of the referred user")).args(period_args()),
    request: |_, matches| {
        build_request::<AddAffiliate>(required_id(matches)?, &EmptyQuery {}, &read_period(matches)?)
    },
    columns: AFFILIATE_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Add an affiliate of user {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Reversible("panelctl users affiliates remove"),
        success: |matches| format!("Affiliate of user {} added.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE_AFFILIATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update the affiliate or the period of a record; without --until the period has no end",
    examples: &[("users affiliates update 42 3 7 --from 2026-01-01 --until 2026-07-01", "end the period")],
    op: UpdateAffiliate::OP,
    args: |command| {
        command.args([id_arg().help("Id of the referred user"), record_arg()]).args(period_args())
    },
    request: |_, matches| {
        let path = (required_id(matches)?, required_value(matches, "record")?);
        build_request::<UpdateAffiliate>(path, &EmptyQuery {}, &read_period(matches)?)
    },
    columns: AFFILIATE_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Update affiliate record {}?", id_arg_for_message(matches, "record")),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Affiliate record {} updated.", id_arg_for_message(matches, "record")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const REMOVE_AFFILIATE: RequestCommand = RequestCommand {
    name: "remove",
    about: "Remove an affiliate record; to end the period of a record, update the record instead",
    examples: &[("users affiliates remove 42 3", "remove a record that was added by mistake")],
    op: RemoveAffiliate::OP,
    args: |command| command.args([id_arg().help("Id of the referred user"), record_arg()]),
    request: |_, matches| {
        build_request::<RemoveAffiliate>(
            (required_id(matches)?, required_value(matches, "record")?),
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    columns: AFFILIATE_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Remove affiliate record {}?", id_arg_for_message(matches, "record")),
        reversibility: Reversibility::Reversible("panelctl users affiliates add"),
        success: |matches| format!("Affiliate record {} removed.", id_arg_for_message(matches, "record")),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const LIST_METHODS: RequestCommand = RequestCommand {
    name: "list",
    about: "List all payment methods, and whether they are offered to the customer",
    examples: &[("users payment-methods list 42", "list the payment methods of one customer")],
    op: ListUserPaymentMethods::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        build_request::<ListUserPaymentMethods>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("is_offered", DisplayKind::Enum).with_title("offered"),
        Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
    ],
    ..BASE_COMMAND
};

const SET_METHODS: RequestCommand = RequestCommand {
    name: "set",
    about: "Set the payment methods offered to a customer; without ids, offer the payment methods of new users",
    examples: &[
        ("users payment-methods set 42 1 3", "offer only the payment methods 1 and 3"),
        ("users payment-methods set 42", "offer the payment methods of new users"),
    ],
    op: SyncPaymentMethods::OP,
    args: |command| {
        let methods = Arg::new("methods").value_name("METHOD").num_args(0..).action(ArgAction::Append);
        command.args([
            id_arg().help("Id of the customer"),
            methods.value_parser(clap::value_parser!(i64)).help("Ids of payment methods"),
        ])
    },
    request: |_, matches| {
        let body = UserPaymentMethodsInput { payment_methods: Some(repeated_values(matches, "methods")) };
        build_request::<SyncPaymentMethods>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    json_pointer: "/data/payment_methods",
    columns: &[Column::new("id", DisplayKind::Id), Column::new("name", DisplayKind::Text)],
    write: Some(WriteSpec {
        question: |matches| {
            format!("Replace the payment methods of customer {}?", id_arg_for_message(matches, "id"))
        },
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| {
            format!("Payment methods of customer {} updated.", id_arg_for_message(matches, "id"))
        },
        has_dry_run: false,
    }),
};

const CREATE_KEY: RequestCommand = RequestCommand {
    name: "make",
    about: "Create a new API key and show it once; the old key stops working",
    examples: &[("users api-key make 42 --yes --jq .key", "print only the key")],
    op: CreateUserApiKey::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        build_request::<CreateUserApiKey>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| {
            format!(
                "Create a new API key for customer {}? The old key stops working.",
                id_arg_for_message(matches, "id")
            )
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!(
                "API key of customer {} created. The key is not shown again.",
                id_arg_for_message(matches, "id")
            )
        },
        has_dry_run: false,
    }),
};

const REMOVE_KEY: RequestCommand = RequestCommand {
    name: "remove",
    about: "Revoke the key",
    examples: &[("users api-key remove 42", "end the API access of this customer")],
    op: RemoveApiKey::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| build_request::<RemoveApiKey>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    write: Some(WriteSpec {
        question: |matches| format!("Revoke the API key of customer {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("API key of customer {} revoked.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const SET_ROLES: RequestCommand = RequestCommand {
    name: "set",
    about: "Replace all roles and permissions of a user; without roles and permissions, the user is only a customer",
    examples: &[
        ("users roles set 42 --role 2 --permission 'view audits'", "set a role and an extra permission"),
        ("users roles set 42", "remove all staff access"),
    ],
    op: SyncGrants::OP,
    args: |command| command.arg(id_arg()).args(staff::grant_args()),
    request: |_, matches| {
        let body = GrantsInput {
            roles: Some(repeated_values(matches, "role")),
            permissions: Some(staff::read_permission_flags(matches)),
        };
        build_request::<SyncGrants>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    json_pointer: "/data",
    columns: staff::COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!("Replace all roles and permissions of user {}?", id_arg_for_message(matches, "id"))
        },
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| {
            format!("Roles and permissions of user {} updated.", id_arg_for_message(matches, "id"))
        },
        has_dry_run: false,
    }),
};

fn record_arg() -> Arg {
    Arg::new("record")
        .value_name("RECORD")
        .value_parser(clap::value_parser!(i64))
        .required(true)
        .help("Id of the record (see panelctl users affiliates list)")
}

fn period_args() -> [Arg; 3] {
    let parser = clap::value_parser!(i64).range(1..);
    let time_arg = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TIME").value_parser(parse_time).help(help)
    };
    [
        Arg::new("affiliate")
            .value_name("AFFILIATE")
            .value_parser(parser)
            .required(true)
            .help("Id of the affiliate"),
        time_arg("from", "Start of the period, in UTC [default: now]"),
        time_arg("until", "End of the period, in UTC [default: no end]"),
    ]
}

/// Parses a day, or a day and a time, in UTC.
fn parse_time(text: &str) -> Result<Time, String> {
    let time_text = if text.len() == 10 { format!("{text} 00:00:00") } else { text.to_owned() };
    time_text.parse::<Time>().map_err(|error| error.to_string())
}

fn read_period(matches: &ArgMatches) -> CommandResult<AffiliateInput> {
    Ok(AffiliateInput {
        affiliate_id: required_value(matches, "affiliate")?,
        started_at: optional_value(matches, "from"),
        ended_at: optional_value(matches, "until"),
    })
}

fn id_arg_for_message(matches: &ArgMatches, name: &str) -> i64 {
    optional_value(matches, name).unwrap_or_default()
}
