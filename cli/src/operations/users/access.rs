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

use crate::command::call::{
    Call, WriteSpec, id_arg, optional_value, repeated_values, request_for, required_id, required_value,
};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::{Cmd, CommandGroup};
use crate::failure::CmdResult;
use crate::operations::staff;
use crate::output::column::{Column, Kind};

pub(crate) const AFFILIATES: CommandGroup = CommandGroup {
    name: "affiliates",
    alias: Some("affiliate"),
    about: "Manage the affiliates who referred a user",
    commands: &[
        Cmd::Call(&LIST_AFFILIATES),
        Cmd::Call(&ADD_AFFILIATE),
        Cmd::Call(&UPDATE_AFFILIATE),
        Cmd::Call(&REMOVE_AFFILIATE),
    ],
};

pub(crate) const PAYMENT_METHODS: CommandGroup = CommandGroup {
    name: "payment-methods",
    alias: None,
    about: "Manage the payment methods offered to a customer",
    commands: &[Cmd::Call(&LIST_METHODS), Cmd::Call(&SET_METHODS)],
};

pub(crate) const API_KEY: CommandGroup = CommandGroup {
    name: "api-key",
    alias: None,
    about: "Manage a customer's key for the reseller API",
    commands: &[Cmd::Call(&CREATE_KEY), Cmd::Call(&REMOVE_KEY)],
};

pub(crate) const ROLES: CommandGroup = CommandGroup {
    name: "roles",
    alias: None,
    about: "Manage the roles and permissions of a user",
    commands: &[Cmd::Call(&SET_ROLES)],
};

const LIST_AFFILIATES: Call = Call {
    name: "list",
    about: "List the affiliates of a user, newest first",
    examples: &[("users affiliates list 42", "list who referred the user, and when")],
    op: ListAffiliates::OP,
    args: |command| command.arg(id_arg().help("Id of the referred user")),
    request: |_, matches| request_for::<ListAffiliates>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("user_id", Kind::Id).with_title("affiliate"),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
        Column::new("started_at", Kind::Time).with_title("from"),
        Column::new("ended_at", Kind::Time).with_title("until"),
        Column::new("is_current", Kind::Enum).with_title("current"),
        Column::hidden("referral_id", Kind::Id),
    ],
    write: None,
};

const ADD_AFFILIATE: Call = Call {
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
        request_for::<AddAffiliate>(required_id(matches)?, &EmptyQuery {}, &period_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Add an affiliate of user {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Reversible("panelctl users affiliates remove"),
        success: |matches| format!("Affiliate of user {} added.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..LIST_AFFILIATES
};

const UPDATE_AFFILIATE: Call = Call {
    name: "update",
    about: "Update the affiliate or the period of a record; without --until the period has no end",
    examples: &[("users affiliates update 42 3 7 --from 2026-01-01 --until 2026-07-01", "end the period")],
    op: UpdateAffiliate::OP,
    args: |command| {
        command.args([id_arg().help("Id of the referred user"), record_arg()]).args(period_args())
    },
    request: |_, matches| {
        let path = (required_id(matches)?, required_value(matches, "record")?);
        request_for::<UpdateAffiliate>(path, &EmptyQuery {}, &period_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update affiliate record {}?", id_arg_for_message(matches, "record")),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Affiliate record {} updated.", id_arg_for_message(matches, "record")),
        has_dry_run: false,
    }),
    ..LIST_AFFILIATES
};

const REMOVE_AFFILIATE: Call = Call {
    name: "remove",
    about: "Remove an affiliate record; to end its period, update it instead",
    examples: &[("users affiliates remove 42 3", "remove a record that was added by mistake")],
    op: RemoveAffiliate::OP,
    args: |command| command.args([id_arg().help("Id of the referred user"), record_arg()]),
    request: |_, matches| {
        request_for::<RemoveAffiliate>(
            (required_id(matches)?, required_value(matches, "record")?),
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Remove affiliate record {}?", id_arg_for_message(matches, "record")),
        reversibility: Reversibility::Reversible("panelctl users affiliates add"),
        success: |matches| format!("Affiliate record {} removed.", id_arg_for_message(matches, "record")),
        has_dry_run: true,
    }),
    ..LIST_AFFILIATES
};

const LIST_METHODS: Call = Call {
    name: "list",
    about: "List all payment methods, and whether they are offered to the customer",
    examples: &[("users payment-methods list 42", "list them for one customer")],
    op: ListUserPaymentMethods::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        request_for::<ListUserPaymentMethods>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_offered", Kind::Enum).with_title("offered"),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
    ],
    ..LIST_AFFILIATES
};

const SET_METHODS: Call = Call {
    name: "set",
    about: "Set the payment methods offered to a customer; without ids, offer those of new users",
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
        request_for::<SyncPaymentMethods>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    pointer: "/data/payment_methods",
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
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

const CREATE_KEY: Call = Call {
    name: "make",
    about: "Create a new key and show it once; the old key stops working",
    examples: &[("users api-key make 42 --yes --jq .key", "print only the key")],
    op: MakeApiKey::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| request_for::<MakeApiKey>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
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
                "API key of customer {} created. It is not shown again.",
                id_arg_for_message(matches, "id")
            )
        },
        has_dry_run: false,
    }),
};

const REMOVE_KEY: Call = Call {
    name: "remove",
    about: "Revoke the key",
    examples: &[("users api-key remove 42", "end the API access of this customer")],
    op: RemoveApiKey::OP,
    request: |_, matches| request_for::<RemoveApiKey>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    write: Some(WriteSpec {
        question: |matches| format!("Revoke the API key of customer {}?", id_arg_for_message(matches, "id")),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("API key of customer {} revoked.", id_arg_for_message(matches, "id")),
        has_dry_run: false,
    }),
    ..CREATE_KEY
};

const SET_ROLES: Call = Call {
    name: "set",
    about: "Replace all roles and permissions of a user; without any, the user is only a customer",
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
        request_for::<SyncGrants>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    pointer: "/data",
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
    let time_arg = if text.len() == 10 { format!("{text} 00:00:00") } else { text.to_owned() };
    time_arg.parse::<Time>().map_err(|error| error.to_string())
}

fn period_input(matches: &ArgMatches) -> CmdResult<AffiliateInput> {
    Ok(AffiliateInput {
        affiliate_id: required_value(matches, "affiliate")?,
        started_at: optional_value(matches, "from"),
        ended_at: optional_value(matches, "until"),
    })
}

fn id_arg_for_message(matches: &ArgMatches, name: &str) -> i64 {
    optional_value(matches, name).unwrap_or_default()
}
