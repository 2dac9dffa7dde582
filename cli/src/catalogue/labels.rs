//! Labels of services.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::labels::{
    CreateLabel, DeleteLabel, GetLabel, ListAvailableLabels, ListLabels, ListServicesOfLabel, UpdateLabel,
};
use panel_contract::labels::LabelInput;

use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::text::{ids_of, picture_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "labels",
    alias: Some("label"),
    about: "Manage the labels of services",
    verbs: &[
        Cmd::Call(&LIST),
        Cmd::Call(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&SERVICES),
        Cmd::Call(&NAMES),
    ],
};

const LIST: Call = Call {
    name: "list",
    about: "List labels by name",
    examples: &[("labels list -o csv", "print as CSV, for a script")],
    op: ListLabels::OP,
    args: |command| command,
    request: |_, _| of::<ListLabels>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("is_custom_comments", Kind::Word).titled("custom comments"),
        Column::extra("icon", Kind::Text),
    ],
    write: None,
};

const GET: Call = Call {
    name: "get",
    about: "Show a label with its services and texts",
    examples: &[("labels get 3", "show one label")],
    op: GetLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<GetLabel>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..LIST
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a label",
    examples: &[("labels create --name 'Fast start' --services 4,8", "create a label for two services")],
    op: CreateLabel::OP,
    args: label_args,
    request: |_, matches| of::<CreateLabel>((), &EmptyQuery {}, &label(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Create this label?".to_owned(),
        danger: Danger::Reversible("panelctl labels delete"),
        success: |_| "Label created.".to_owned(),
        has_dry_run: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a label; fields without an option keep their values",
    examples: &[("labels update 3 --services 4,8,15", "replace its services")],
    op: UpdateLabel::OP,
    args: |command| label_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateLabel>(id(matches)?, &EmptyQuery {}, &label(matches)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Update label {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Label {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete a label and remove it from its services",
    examples: &[("labels delete 3", "check its services with labels services 3 first")],
    op: DeleteLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteLabel>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete label {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Label {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
    ..LIST
};

const SERVICES: Call = Call {
    name: "services",
    about: "List the services with a label",
    examples: &[("labels services 3", "list its services before deleting it")],
    op: ListServicesOfLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListServicesOfLabel>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: ID_AND_NAME,
    ..LIST
};

const NAMES: Call = Call {
    name: "names",
    about: "List ids and names of all labels",
    examples: &[],
    op: ListAvailableLabels::OP,
    request: |_, _| of::<ListAvailableLabels>((), &EmptyQuery {}, &EmptyBody {}),
    columns: ID_AND_NAME,
    ..LIST
};

const ID_AND_NAME: &[Column] = &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)];

fn label_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "Image file, or none to remove the image").value_name("FILE"),
        on_off_arg("is-custom-comments")
            .long("custom-comments")
            .help("Ask customers for comments on services with this label"),
        Arg::new("services")
            .long("services")
            .value_name("IDS")
            .help("All services with this label, separated by commas, or none"),
        translations_arg(),
    ])
}

fn label(matches: &ArgMatches) -> CmdResult<LabelInput> {
    Ok(LabelInput {
        name: opt(matches, "name"),
        icon: picture_of(matches, "icon")?,
        is_custom_comments: opt(matches, "is-custom-comments"),
        services: ids_of(matches, "services")?,
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
