//! Saved views: named filters and columns of a list.

use clap::{Arg, ArgAction};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::saved_views::{CreateSavedView, DeleteSavedView, ListSavedViews};
use panel_contract::saved_views::{SavedViewInput, SavedViewsQuery};

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "views",
    alias: Some("view"),
    about: "Manage saved views of the console's lists",
    commands: &[CommandSpec::Request(&LIST), CommandSpec::Request(&CREATE), CommandSpec::Request(&DELETE)],
};

const VIEW_COLUMNS: &[Column] = &[
    Column::new("id", DisplayKind::Id),
    Column::new("name", DisplayKind::Text),
    Column::new("query", DisplayKind::Text),
    Column::new("is_shared", DisplayKind::Enum),
    Column::new("is_own", DisplayKind::Enum),
    Column::hidden("list", DisplayKind::Enum),
    Column::hidden("columns", DisplayKind::Text),
    Column::hidden("editable", DisplayKind::Enum),
    Column::hidden("updated_at", DisplayKind::Time),
];

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List your views and the shared views of a list",
    examples: &[("views list orders", "list the views of the orders list")],
    op: ListSavedViews::OP,
    args: |command| {
        command.arg(
            Arg::new("list").value_name("LIST").required(true).help("List of the console, such as orders"),
        )
    },
    request: |_, matches| {
        build_request::<ListSavedViews>(
            (),
            &SavedViewsQuery { list: required_value(matches, "list")? },
            &EmptyBody {},
        )
    },
    json_pointer: "/data",
    columns: VIEW_COLUMNS,
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a view",
    examples: &[(
        "views create orders 'In moderation' --query status=in_moderation --shared",
        "create a view for all staff",
    )],
    op: CreateSavedView::OP,
    args: |command| {
        command.args([
            Arg::new("list").value_name("LIST").required(true).help("List of the console, such as orders"),
            Arg::new("name").value_name("NAME").required(true).help("Name of the view"),
            Arg::new("query")
                .long("query")
                .value_name("QUERY")
                .help("Query string of the list in the console"),
            Arg::new("shared")
                .long("shared")
                .action(ArgAction::SetTrue)
                .help("Share the view with all staff"),
        ])
    },
    request: |_, matches| {
        let body = SavedViewInput {
            list: required_value(matches, "list")?,
            name: required_value(matches, "name")?,
            query: optional_value(matches, "query").unwrap_or_default(),
            columns: Vec::new(),
            is_shared: matches.get_flag("shared"),
            updated_at: None,
        };
        build_request::<CreateSavedView>((), &EmptyQuery {}, &body)
    },
    columns: VIEW_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| {
            format!("Create view {}?", required_value::<String>(matches, "name").unwrap_or_default())
        },
        reversibility: Reversibility::Reversible("panelctl views delete"),
        success: |_| "View created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a view",
    examples: &[("views delete 3", "delete one view by its id")],
    op: DeleteSavedView::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteSavedView>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: VIEW_COLUMNS,
    write: Some(WriteSpec {
        question: |matches| format!("Delete view {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("View {} deleted.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};
