//! Saved views: a name for the filters and columns of one list.

use clap::{Arg, ArgAction};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::saved_views::{CreateSavedView, DeleteSavedView, ListSavedViews};
use panel_contract::saved_views::{SavedViewInput, SavedViewsQuery};

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, opt};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

/// `views`.
pub(crate) const NOUN: Noun = Noun {
    name: "views",
    alias: Some("view"),
    about: "Saved views of the console's lists",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&CREATE), Cmd::Call(&DELETE)],
};

const LIST: Call = Call {
    name: "list",
    about: "One's own and the shared views of one list",
    examples: &[("views list orders", "views of the orders list")],
    op: ListSavedViews::OP,
    args: |command| command.arg(Arg::new("list").value_name("LIST").required(true).help("Such as orders")),
    request: |_, matches| {
        of::<ListSavedViews>((), &SavedViewsQuery { list: arg(matches, "list")? }, &NoBody {})
    },
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("query", Kind::Text),
        Column::new("is_shared", Kind::Word),
        Column::new("is_own", Kind::Word),
        Column::more("list", Kind::Word),
        Column::more("columns", Kind::Text),
        Column::more("editable", Kind::Word),
        Column::more("updated_at", Kind::Time),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Saves a view",
    examples: &[(
        "views create orders 'In moderation' --query status=in_moderation --shared",
        "for everybody",
    )],
    op: CreateSavedView::OP,
    args: |command| {
        command.args([
            Arg::new("list").value_name("LIST").required(true).help("Such as orders"),
            Arg::new("name").value_name("NAME").required(true).help("What it is called"),
            Arg::new("query")
                .long("query")
                .value_name("QUERY")
                .help("The list's query string in the console"),
            Arg::new("shared").long("shared").action(ArgAction::SetTrue).help("Everybody sees it"),
        ])
    },
    request: |_, matches| {
        let body = SavedViewInput {
            list: arg(matches, "list")?,
            name: arg(matches, "name")?,
            query: opt(matches, "query").unwrap_or_default(),
            columns: Vec::new(),
            is_shared: matches.get_flag("shared"),
            updated_at: None,
        };
        of::<CreateSavedView>((), &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Save the view {}?", arg::<String>(matches, "name").unwrap_or_default()),
        danger: Danger::Reversible("panelctl views delete"),
        said: |_| "The view is saved.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes a view",
    examples: &[("views delete 3", "one view, by its id")],
    op: DeleteSavedView::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteSavedView>(id(matches)?, &NoQuery {}, &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete view {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("View {} is deleted.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};
