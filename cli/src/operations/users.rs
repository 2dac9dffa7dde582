//! `users`: manages customers and staff.

mod access;
mod actions;
mod bulk_actions;
mod documents;
mod personal_data;
mod prices;

use clap::Arg;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::users::{GetUser, SearchUsers};
use panel_contract::lists;
use panel_contract::users::UserSearchQuery;

use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request, required_value};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "users",
    alias: Some("user"),
    about: "Manage customers and staff",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&SEARCH),
        CommandSpec::Export(&LIST),
        CommandSpec::Request(&actions::UPDATE),
        CommandSpec::Bulk(&bulk_actions::FREEZE),
        CommandSpec::Bulk(&bulk_actions::DEACTIVATE),
        CommandSpec::Bulk(&bulk_actions::ACTIVATE),
        CommandSpec::Bulk(&bulk_actions::BULK_UPDATE),
        CommandSpec::Request(&actions::SET_ACCOUNT_MANAGER),
        CommandSpec::Request(&actions::SET_GRADE),
        CommandSpec::Request(&actions::SHOW_DISCOUNT),
        CommandSpec::Request(&actions::SET_DISCOUNT),
        CommandSpec::Request(&actions::LIST_ACCOUNT_MANAGERS),
        CommandSpec::Request(&actions::LIST_CONTACT_STAGES),
        CommandSpec::Nested(&prices::PRICES),
        CommandSpec::Nested(&access::AFFILIATES),
        CommandSpec::Nested(&documents::DOCUMENTS),
        CommandSpec::Nested(&access::PAYMENT_METHODS),
        CommandSpec::Nested(&access::API_KEY),
        CommandSpec::Nested(&access::ROLES),
        CommandSpec::Custom(&personal_data::EXPORT_DATA),
        CommandSpec::Request(&personal_data::ERASE),
    ],
};

pub(crate) const LIST: ListCommand = ListCommand {
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
        Filter::new("manager-id", "manager.id", "Filter by the account manager's id"),
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

const GET: GetCommand = GetCommand {
    singular: "user",
    about: "Show users with all details",
    op: GetUser::OP,
    columns: &[],
    examples: &[("users get 42", "show one user"), ("users get 42 --jq .email", "print one field")],
};

const SEARCH: RequestCommand = RequestCommand {
    name: "search",
    about: "Search users by name, email or id; shows up to 20 users",
    examples: &[("users search olga@", "search by the start of an email address")],
    op: SearchUsers::OP,
    args: |command| {
        command
            .arg(Arg::new("text").value_name("TEXT").required(true).help("Part of a name or email, or an id"))
    },
    request: |_, matches| {
        build_request::<SearchUsers>(
            (),
            &UserSearchQuery { query: required_value(matches, "text")? },
            &EmptyBody {},
        )
    },
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("email", DisplayKind::Text),
    ],
    write: None,
};
