//! Users.

mod act;
mod documents;
mod edit;
mod personal_data;
mod prices;
mod satellites;

use clap::Arg;
use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::users::{GetUser, SearchUsers};
use panel_contract::lists;
use panel_contract::users::UserSearchQuery;

use crate::command::call::{Call, arg, of};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `users`.
pub(crate) const NOUN: Noun = Noun {
    name: "users",
    alias: Some("user"),
    about: "Customers and staff",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&SEARCH),
        Cmd::Export(&LIST),
        Cmd::Call(&edit::UPDATE),
        Cmd::Act(&act::FREEZE),
        Cmd::Act(&act::DEACTIVATE),
        Cmd::Act(&act::ACTIVATE),
        Cmd::Act(&act::BULK_UPDATE),
        Cmd::Call(&edit::SET_SELLER),
        Cmd::Call(&edit::SET_GRADE),
        Cmd::Call(&edit::DISCOUNT),
        Cmd::Call(&edit::SET_DISCOUNT),
        Cmd::Call(&edit::SELLERS),
        Cmd::Call(&edit::CONTACT_STEPS),
        Cmd::Nested(&prices::PRICES),
        Cmd::Nested(&satellites::AFFILIATES),
        Cmd::Nested(&documents::DOCUMENTS),
        Cmd::Nested(&satellites::PAYMENT_METHODS),
        Cmd::Nested(&satellites::API_KEY),
        Cmd::Nested(&satellites::ROLES),
        Cmd::Own(&personal_data::EXPORT_DATA),
        Cmd::Call(&personal_data::ERASE),
    ],
};

pub(crate) const LIST: List = List {
    of: &lists::users::USERS,
    noun: "users",
    one: "user",
    about: "Users, newest first",
    filters: &[
        Filter::new("status", "status", "Whether they may order"),
        Filter::new("name", "name", "Part of the name"),
        Filter::new("email", "email", "Part of the email address"),
        Filter::new("balance", "balance", "Main balance"),
        Filter::new("spent", "spent", "Charged minus returned"),
        Filter::new("created", "created_at", "When they signed up"),
        Filter::new("manager-id", "manager.id", "Who looks after them"),
        Filter::new("affiliate-id", "affiliate.id", "Who brought them"),
    ],
    since: "created_at",
    examples: &[
        ("users list --balance 100.. --sort -balance", "the fullest balances"),
        ("users list --since 7d --status active --columns id,email,spent", "who came this week"),
    ],
};

const GET: Get = Get {
    one: "user",
    about: "Users with everything about them",
    op: GetUser::OP,
    columns: &[],
    examples: &[("users get 42", "one user"), ("users get 42 --jq .email", "one field")],
};

const SEARCH: Call = Call {
    name: "search",
    about: "Up to 20 users whose name, email or id matches",
    examples: &[("users search olga@", "by the beginning of an email")],
    op: SearchUsers::OP,
    args: |command| {
        command
            .arg(Arg::new("text").value_name("TEXT").required(true).help("Part of a name or email, or an id"))
    },
    request: |_, matches| {
        of::<SearchUsers>((), &UserSearchQuery { query: arg(matches, "text")? }, &NoBody {})
    },
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
    ],
    write: None,
};
