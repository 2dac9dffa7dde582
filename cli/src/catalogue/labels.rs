//! Labels of services.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::labels::{
    CreateLabel, DeleteLabel, GetLabel, ListAvailableLabels, ListLabels, ListServicesOfLabel, UpdateLabel,
};
use panel_contract::labels::LabelInput;

use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::text::{ids_of, picture_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};

/// `labels`.
pub(crate) const NOUN: Noun = Noun {
    name: "labels",
    alias: Some("label"),
    about: "What services are marked with",
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
    about: "Labels by name",
    examples: &[("labels list -o csv", "for a script")],
    op: ListLabels::OP,
    args: |command| command,
    request: |_, _| of::<ListLabels>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("is_custom_comments", Kind::Word).titled("custom comments"),
        Column::more("icon", Kind::Text),
    ],
    write: None,
};

const GET: Call = Call {
    name: "get",
    about: "One label with its services and texts",
    examples: &[("labels get 3", "one label")],
    op: GetLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<GetLabel>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: &[],
    ..LIST
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a label",
    examples: &[("labels create --name 'Fast start' --services 4,8", "on two services")],
    op: CreateLabel::OP,
    args: label_args,
    request: |_, matches| of::<CreateLabel>((), &NoQuery {}, &label(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Make this label?".to_owned(),
        danger: Danger::Reversible("labels delete"),
        said: |_| "The label is made.".to_owned(),
        rehearses: false,
    }),
    ..LIST
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a label; only what is named",
    examples: &[("labels update 3 --services 4,8,15", "exactly these services")],
    op: UpdateLabel::OP,
    args: |command| label_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateLabel>(id(matches)?, &NoQuery {}, &label(matches)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Change label {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Label {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

const DELETE: Call = Call {
    name: "delete",
    about: "Takes a label from its services and deletes it",
    examples: &[("labels delete 3", "see labels services 3 first")],
    op: DeleteLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteLabel>(id(matches)?, &dry_run(matches), &NoBody {}),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete label {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Label {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
    ..LIST
};

const SERVICES: Call = Call {
    name: "services",
    about: "The services that have a label",
    examples: &[("labels services 3", "before it is deleted")],
    op: ListServicesOfLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<ListServicesOfLabel>(id(matches)?, &NoQuery {}, &NoBody {}),
    columns: NAMED,
    ..LIST
};

const NAMES: Call = Call {
    name: "names",
    about: "Ids and names of all labels",
    examples: &[],
    op: ListAvailableLabels::OP,
    request: |_, _| of::<ListAvailableLabels>((), &NoQuery {}, &NoBody {}),
    columns: NAMED,
    ..LIST
};

const NAMED: &[Column] = &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)];

fn label_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "A file with an image, or none").value_name("FILE"),
        on_off_arg("is-custom-comments")
            .long("custom-comments")
            .help("Whether services that have it take comments from the customer"),
        Arg::new("services")
            .long("services")
            .value_name("IDS")
            .help("All services that shall have it, with commas; none for no service"),
        translations_arg(),
    ])
}

fn label(matches: &ArgMatches) -> Done<LabelInput> {
    Ok(LabelInput {
        name: opt(matches, "name"),
        icon: picture_of(matches, "icon")?,
        is_custom_comments: opt(matches, "is-custom-comments"),
        services: ids_of(matches, "services")?,
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
