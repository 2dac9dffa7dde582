//! Settings of a user: affiliates, offered payment methods, API key, and roles.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::affiliates::AffiliateInput;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::affiliates::*;
use panel_contract::endpoints::staff::SyncGrants;
use panel_contract::endpoints::user_access::*;
use panel_contract::moment::Time;
use panel_contract::staff::GrantsInput;
use panel_contract::user_access::UserPaymentMethodsInput;

use crate::command::call::{Call, Write, arg, id, id_arg, of, opt, repeated};
use crate::command::confirm::{Danger, dry_run};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::operations::staff;
use crate::output::column::{Column, Kind};

pub(crate) const AFFILIATES: Noun = Noun {
    name: "affiliates",
    alias: Some("affiliate"),
    about: "Manage the affiliates who referred a user",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Call(&UPDATE), Cmd::Call(&REMOVE)],
};

pub(crate) const PAYMENT_METHODS: Noun = Noun {
    name: "payment-methods",
    alias: None,
    about: "Manage the payment methods offered to a customer",
    verbs: &[Cmd::Call(&LIST_METHODS), Cmd::Call(&SET_METHODS)],
};

pub(crate) const API_KEY: Noun = Noun {
    name: "api-key",
    alias: None,
    about: "Manage a customer's key for the reseller API",
    verbs: &[Cmd::Call(&CREATE_KEY), Cmd::Call(&REMOVE_KEY)],
};

pub(crate) const ROLES: Noun = Noun {
    name: "roles",
    alias: None,
    about: "Manage the roles and permissions of a user",
    verbs: &[Cmd::Call(&SET_ROLES)],
};

const LIST: Call = Call {
    name: "list",
    about: "List the affiliates of a user, newest first",
    examples: &[("users affiliates list 42", "list who referred the user, and when")],
    op: ListAffiliates::OP,
    args: |command| command.arg(id_arg().help("Id of the referred user")),
    request: |_, matches| of::<ListAffiliates>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("user_id", Kind::Id).titled("affiliate"),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
        Column::new("started_at", Kind::Time).titled("from"),
        Column::new("ended_at", Kind::Time).titled("until"),
        Column::new("is_current", Kind::Word).titled("current"),
        Column::extra("referral_id", Kind::Id),
    ],
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Add an affiliate who referred a user",
    examples: &[
        ("users affiliates add 42 7", "user 7 referred user 42, from now on"),
        ("users affiliates add 42 7 --from 2026-01-01 --until 2026-07-01", "the same for half a year"),
    ],
    op: AddAffiliate::OP,
    args: |command| command.arg(id_arg().help("Id of the referred user")).args(period_args()),
    request: |_, matches| of::<AddAffiliate>(id(matches)?, &EmptyQuery {}, &period_input(matches)?),
    write: Some(Write {
        question: |matches| format!("Add an affiliate of user {}?", id_value_of(matches, "id")),
        danger: Danger::Reversible("panelctl users affiliates remove"),
        success: |matches| format!("Affiliate of user {} added.", id_value_of(matches, "id")),
        has_dry_run: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update the affiliate or the period of a record; without --until the period has no end",
    examples: &[("users affiliates update 42 3 7 --from 2026-01-01 --until 2026-07-01", "end the period")],
    op: UpdateAffiliate::OP,
    args: |command| {
        command.args([id_arg().help("Id of the referred user"), record_arg()]).args(period_args())
    },
    request: |_, matches| {
        let path = (id(matches)?, arg(matches, "record")?);
        of::<UpdateAffiliate>(path, &EmptyQuery {}, &period_input(matches)?)
    },
    write: Some(Write {
        question: |matches| format!("Update affiliate record {}?", id_value_of(matches, "record")),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Affiliate record {} updated.", id_value_of(matches, "record")),
        has_dry_run: false,
    }),
    ..LIST
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Remove an affiliate record; to end its period, update it instead",
    examples: &[("users affiliates remove 42 3", "remove a record that was added by mistake")],
    op: RemoveAffiliate::OP,
    args: |command| command.args([id_arg().help("Id of the referred user"), record_arg()]),
    request: |_, matches| {
        of::<RemoveAffiliate>((id(matches)?, arg(matches, "record")?), &dry_run(matches), &EmptyBody {})
    },
    write: Some(Write {
        question: |matches| format!("Remove affiliate record {}?", id_value_of(matches, "record")),
        danger: Danger::Reversible("panelctl users affiliates add"),
        success: |matches| format!("Affiliate record {} removed.", id_value_of(matches, "record")),
        has_dry_run: true,
    }),
    ..LIST
};

const LIST_METHODS: Call = Call {
    name: "list",
    about: "List all payment methods, and whether they are offered to the customer",
    examples: &[("users payment-methods list 42", "list them for one customer")],
    op: ListUserPaymentMethods::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| of::<ListUserPaymentMethods>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_offered", Kind::Word).titled("offered"),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
    ],
    ..LIST
};

const SET_METHODS: Call = Call {
    name: "set",
    about: "Set the payment methods offered to a customer; none resets them to those of new users",
    examples: &[
        ("users payment-methods set 42 1 3", "offer only these two"),
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
        let body = UserPaymentMethodsInput { payment_methods: Some(repeated(matches, "methods")) };
        of::<SyncPaymentMethods>(id(matches)?, &EmptyQuery {}, &body)
    },
    pointer: "/data/payment_methods",
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
    write: Some(Write {
        question: |matches| {
            format!("Replace the payment methods of customer {}?", id_value_of(matches, "id"))
        },
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Payment methods of customer {} updated.", id_value_of(matches, "id")),
        has_dry_run: false,
    }),
};

const CREATE_KEY: Call = Call {
    name: "make",
    about: "Create a new key and show it once; the old key stops working",
    examples: &[("users api-key make 42 --yes --jq .key", "print only the key")],
    op: MakeApiKey::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| of::<MakeApiKey>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!(
                "Create a new API key for customer {}? The old key stops working.",
                id_value_of(matches, "id")
            )
        },
        danger: Danger::Final,
        success: |matches| {
            format!("API key of customer {} created. It is not shown again.", id_value_of(matches, "id"))
        },
        has_dry_run: false,
    }),
};

const REMOVE_KEY: Call = Call {
    name: "remove",
    about: "Revoke the key",
    examples: &[("users api-key remove 42", "end the API access of this customer")],
    op: RemoveApiKey::OP,
    request: |_, matches| of::<RemoveApiKey>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Revoke the API key of customer {}?", id_value_of(matches, "id")),
        danger: Danger::Final,
        success: |matches| format!("API key of customer {} revoked.", id_value_of(matches, "id")),
        has_dry_run: false,
    }),
    ..CREATE_KEY
};

const SET_ROLES: Call = Call {
    name: "set",
    about: "Set all roles and permissions of a user; without any, the user is a customer only",
    examples: &[
        ("users roles set 42 --role 2 --permission 'view audits'", "set a role and an extra permission"),
        ("users roles set 42", "remove all staff access"),
    ],
    op: SyncGrants::OP,
    args: |command| command.arg(id_arg()).args(staff::grant_args()),
    request: |_, matches| {
        let body = GrantsInput {
            roles: Some(repeated(matches, "role")),
            permissions: Some(staff::permissions(matches)),
        };
        of::<SyncGrants>(id(matches)?, &EmptyQuery {}, &body)
    },
    pointer: "/data",
    columns: staff::COLUMNS,
    write: Some(Write {
        question: |matches| {
            format!("Replace all roles and permissions of user {}?", id_value_of(matches, "id"))
        },
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Roles and permissions of user {} updated.", id_value_of(matches, "id")),
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
    let time = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TIME").value_parser(parse_time).help(help)
    };
    [
        Arg::new("affiliate")
            .value_name("AFFILIATE")
            .value_parser(parser)
            .required(true)
            .help("Id of the affiliate"),
        time("from", "Start of the period, in UTC [default: now]"),
        time("until", "End of the period, in UTC [default: no end]"),
    ]
}

/// Parses a day, or a day and a time, in UTC.
fn parse_time(text: &str) -> Result<Time, String> {
    let time = if text.len() == 10 { format!("{text} 00:00:00") } else { text.to_owned() };
    time.parse::<Time>().map_err(|error| error.to_string())
}

fn period_input(matches: &ArgMatches) -> CmdResult<AffiliateInput> {
    Ok(AffiliateInput {
        affiliate_id: arg(matches, "affiliate")?,
        started_at: opt(matches, "from"),
        ended_at: opt(matches, "until"),
    })
}

fn id_value_of(matches: &ArgMatches, name: &str) -> i64 {
    opt(matches, name).unwrap_or_default()
}
