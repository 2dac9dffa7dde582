//! `users`: manages customers and staff.

mod access;
mod bulk_actions;
mod documents;
mod edit;
mod personal_data;
mod prices;

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::users::{GetUser, SearchUsers};
use panel_contract::lists;
use panel_contract::users::UserSearchQuery;

use crate::command::call::{Call, request_for, required_value};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "users",
    alias: Some("user"),
    about: "Manage customers and staff",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&SEARCH),
        Cmd::Export(&LIST),
        Cmd::Call(&edit::UPDATE),
        Cmd::Bulk(&bulk_actions::FREEZE),
        Cmd::Bulk(&bulk_actions::DEACTIVATE),
        Cmd::Bulk(&bulk_actions::ACTIVATE),
        Cmd::Bulk(&bulk_actions::BULK_UPDATE),
        Cmd::Call(&edit::SET_SELLER),
        Cmd::Call(&edit::SET_GRADE),
        Cmd::Call(&edit::DISCOUNT),
        Cmd::Call(&edit::SET_DISCOUNT),
        Cmd::Call(&edit::SELLERS),
        Cmd::Call(&edit::CONTACT_STEPS),
        Cmd::Nested(&prices::PRICES),
        Cmd::Nested(&access::AFFILIATES),
        Cmd::Nested(&documents::DOCUMENTS),
        Cmd::Nested(&access::PAYMENT_METHODS),
        Cmd::Nested(&access::API_KEY),
        Cmd::Nested(&access::ROLES),
        Cmd::Custom(&personal_data::EXPORT_DATA),
        Cmd::Call(&personal_data::ERASE),
    ],
};

pub(crate) const LIST: List = List {
    declaration: &lists::users::USERS,
    plural: "users",
    singular: "user",
    about: "List users, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("email", "email", "Filter by part of the email address"),
        Filter::new("balance", "balance", "Filter by main balance"),
        Filter::new("spent", "spent", "Filter by net spending: charges minus refunds"),
        Filter::new("created", "created_at", "Filter by sign-up time"),
        Filter::new("manager-id", "manager.id", "Filter by the manager's id"),
        Filter::new("affiliate-id", "affiliate.id", "Filter by affiliate id"),
    ],
    time_column: "created_at",
    examples: &[
        ("users list --balance 100.. --sort -balance", "users with the highest balances"),
        (
            "users list --since 7d --status active --columns id,email,spent",
            "users who signed up in the last week",
        ),
    ],
};

const GET: Get = Get {
    singular: "user",
    about: "Show users with all details",
    op: GetUser::OP,
    columns: &[],
    examples: &[("users get 42", "show one user"), ("users get 42 --jq .email", "print one field")],
};

const SEARCH: Call = Call {
    name: "search",
    about: "Search users by name, email or id; shows up to 20",
    examples: &[("users search olga@", "search by the start of an email address")],
    op: SearchUsers::OP,
    args: |command| {
        command
            .arg(Arg::new("text").value_name("TEXT").required(true).help("Part of a name or email, or an id"))
    },
    request: |_, matches| {
        request_for::<SearchUsers>(
            (),
            &UserSearchQuery { query: required_value(matches, "text")? },
            &EmptyBody {},
        )
    },
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
    ],
    write: None,
};
