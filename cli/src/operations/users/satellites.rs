//! What hangs on a user: who brought them, which payment methods they are offered, their API key, their roles.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::affiliates::AffiliateInput;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::affiliates::*;
use panel_contract::endpoints::staff::SyncGrants;
use panel_contract::endpoints::user_access::*;
use panel_contract::moment::Time;
use panel_contract::staff::GrantsInput;
use panel_contract::user_access::UserPaymentMethodsInput;

use crate::command::call::{Call, Write, arg, every, id, id_arg, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::operations::staff;
use crate::output::column::{Column, Kind};

/// `users affiliates`.
pub(crate) const AFFILIATES: Noun = Noun {
    name: "affiliates",
    alias: Some("affiliate"),
    about: "Who brought a user, and from when to when that counts",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Call(&UPDATE), Cmd::Call(&REMOVE)],
};

/// `users payment-methods`.
pub(crate) const PAYMENT_METHODS: Noun = Noun {
    name: "payment-methods",
    alias: None,
    about: "The payment methods that a customer is offered",
    verbs: &[Cmd::Call(&LIST_METHODS), Cmd::Call(&SET_METHODS)],
};

/// `users api-key`.
pub(crate) const API_KEY: Noun = Noun {
    name: "api-key",
    alias: None,
    about: "A customer's key to the reseller API",
    verbs: &[Cmd::Call(&MAKE_KEY), Cmd::Call(&REMOVE_KEY)],
};

/// `users roles`.
pub(crate) const ROLES: Noun = Noun {
    name: "roles",
    alias: None,
    about: "Roles and permissions of a user",
    verbs: &[Cmd::Call(&SET_ROLES)],
};

const LIST: Call = Call {
    name: "list",
    about: "A user's affiliates, newest first",
    examples: &[("users affiliates list 42", "who brought them, and when")],
    op: ListAffiliates::OP,
    args: |command| command.arg(id_arg().help("The user who was brought")),
    request: |_, matches| of::<ListAffiliates>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("user_id", Kind::Id).titled("affiliate"),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
        Column::new("started_at", Kind::Time).titled("from"),
        Column::new("ended_at", Kind::Time).titled("until"),
        Column::new("is_current", Kind::Word).titled("now"),
        Column::more("referral_id", Kind::Id),
    ],
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Says who brought a user",
    examples: &[
        ("users affiliates add 42 7", "from now on"),
        ("users affiliates add 42 7 --from 2026-01-01 --until 2026-07-01", "half a year"),
    ],
    op: AddAffiliate::OP,
    args: |command| command.arg(id_arg().help("The user who was brought")).args(span_args()),
    request: |_, matches| of::<AddAffiliate>(id(matches)?, &NoQuery {}, &span(matches)?),
    write: Some(Write {
        question: |matches| format!("Give user {} another affiliate?", shown(matches, "id")),
        danger: Danger::Reversible("panelctl users affiliates remove"),
        said: |matches| format!("User {} has another affiliate.", shown(matches, "id")),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes who it is and for which time; without --until it goes on",
    examples: &[("users affiliates update 42 3 7 --from 2026-01-01 --until 2026-07-01", "ends it")],
    op: UpdateAffiliate::OP,
    args: |command| command.args([id_arg().help("The user who was brought"), record_arg()]).args(span_args()),
    request: |_, matches| {
        let path = (id(matches)?, arg(matches, "record")?);
        of::<UpdateAffiliate>(path, &NoQuery {}, &span(matches)?)
    },
    write: Some(Write {
        question: |matches| format!("Change affiliate record {}?", shown(matches, "record")),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Affiliate record {} is changed.", shown(matches, "record")),
        rehearses: false,
    }),
    ..LIST
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Removes the record that somebody brought a user; to end it, update it",
    examples: &[("users affiliates remove 42 3", "as if it had not been")],
    op: RemoveAffiliate::OP,
    args: |command| command.args([id_arg().help("The user who was brought"), record_arg()]),
    request: |_, matches| {
        of::<RemoveAffiliate>((id(matches)?, arg(matches, "record")?), &dry_run(matches), &NoBody {})
    },
    write: Some(Write {
        question: |matches| format!("Remove affiliate record {}?", shown(matches, "record")),
        danger: Danger::Reversible("panelctl users affiliates add"),
        said: |matches| format!("Affiliate record {} is removed.", shown(matches, "record")),
        rehearses: true,
    }),
    ..LIST
};

const LIST_METHODS: Call = Call {
    name: "list",
    about: "Every payment method, and whether the customer is offered it",
    examples: &[("users payment-methods list 42", "one customer")],
    op: ListUserPaymentMethods::OP,
    args: |command| command.arg(id_arg().help("The customer")),
    request: |_, matches| of::<ListUserPaymentMethods>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("is_offered", Kind::Word).titled("offered"),
        Column::new("is_enabled", Kind::Word).titled("switched on"),
    ],
    ..LIST
};

const SET_METHODS: Call = Call {
    name: "set",
    about: "Sets the payment methods that a customer is offered; none gives back what new users have",
    examples: &[
        ("users payment-methods set 42 1 3", "only these two"),
        ("users payment-methods set 42", "what new users have"),
    ],
    op: SyncPaymentMethods::OP,
    args: |command| {
        let methods = Arg::new("methods").value_name("METHOD").num_args(0..).action(ArgAction::Append);
        command.args([
            id_arg().help("The customer"),
            methods.value_parser(clap::value_parser!(i64)).help("Ids of payment methods"),
        ])
    },
    request: |_, matches| {
        let body = UserPaymentMethodsInput { payment_methods: Some(every(matches, "methods")) };
        of::<SyncPaymentMethods>(id(matches)?, &NoQuery {}, &body)
    },
    at: "/data/payment_methods",
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
    write: Some(Write {
        question: |matches| format!("Replace the payment methods of user {}?", shown(matches, "id")),
        danger: Danger::Reversible("The same command with the old ones"),
        said: |matches| format!("The payment methods of user {} are set.", shown(matches, "id")),
        rehearses: false,
    }),
};

const MAKE_KEY: Call = Call {
    name: "make",
    about: "Makes a new key, which is shown this once; the old one stops",
    examples: &[("users api-key make 42 --yes --jq .key", "the key alone")],
    op: MakeApiKey::OP,
    args: |command| command.arg(id_arg().help("The customer")),
    request: |_, matches| of::<MakeApiKey>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |matches| {
            format!("Make a new API key for user {}? The old one stops.", shown(matches, "id"))
        },
        danger: Danger::Final,
        said: |matches| format!("User {} has a new API key; it is not shown again.", shown(matches, "id")),
        rehearses: false,
    }),
};

const REMOVE_KEY: Call = Call {
    name: "remove",
    about: "Takes the key away",
    examples: &[("users api-key remove 42", "no API for this customer")],
    op: RemoveApiKey::OP,
    request: |_, matches| of::<RemoveApiKey>(id(matches)?, &NoQuery {}, &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Take the API key of user {} away?", shown(matches, "id")),
        danger: Danger::Final,
        said: |matches| format!("User {} has no API key any more.", shown(matches, "id")),
        rehearses: false,
    }),
    ..MAKE_KEY
};

const SET_ROLES: Call = Call {
    name: "set",
    about: "Replaces all roles and permissions of a user; none makes a customer of them",
    examples: &[
        ("users roles set 42 --role 2 --permission 'view audits'", "a role and one permission more"),
        ("users roles set 42", "no longer staff"),
    ],
    op: SyncGrants::OP,
    args: |command| command.arg(id_arg()).args(staff::grant_args()),
    request: |_, matches| {
        let body = GrantsInput {
            roles: Some(every(matches, "role")),
            permissions: Some(staff::permissions(matches)),
        };
        of::<SyncGrants>(id(matches)?, &NoQuery {}, &body)
    },
    at: "/data",
    columns: staff::COLUMNS,
    write: Some(Write {
        question: |matches| format!("Replace all roles and permissions of user {}?", shown(matches, "id")),
        danger: Danger::Reversible("The same command with the old ones"),
        said: |matches| format!("User {} has these roles and permissions.", shown(matches, "id")),
        rehearses: false,
    }),
};

fn record_arg() -> Arg {
    Arg::new("record")
        .value_name("RECORD")
        .value_parser(clap::value_parser!(i64))
        .required(true)
        .help("The record's id, of panelctl users affiliates list")
}

fn span_args() -> [Arg; 3] {
    let parser = clap::value_parser!(i64).range(1..);
    let time = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TIME").value_parser(moment).help(help)
    };
    [
        Arg::new("affiliate")
            .value_name("AFFILIATE")
            .value_parser(parser)
            .required(true)
            .help("Who brought them"),
        time("from", "From when it counts, in UTC [default: now]"),
        time("until", "Until when, in UTC [default: it goes on]"),
    ]
}

/// A day, or a day and a time, in UTC.
fn moment(text: &str) -> Result<Time, String> {
    let whole = if text.len() == 10 { format!("{text} 00:00:00") } else { text.to_owned() };
    whole.parse::<Time>().map_err(|error| error.to_string())
}

fn span(matches: &ArgMatches) -> Done<AffiliateInput> {
    Ok(AffiliateInput {
        affiliate_id: arg(matches, "affiliate")?,
        started_at: opt(matches, "from"),
        ended_at: opt(matches, "until"),
    })
}

fn shown(matches: &ArgMatches, name: &str) -> i64 {
    opt(matches, name).unwrap_or_default()
}
