//! `labels`: manages the labels of services.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::labels::{
    CreateLabel, DeleteLabel, GetLabel, ListAvailableLabels, ListLabels, ListServicesOfLabel, UpdateLabel,
};
use panel_contract::labels::LabelInput;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, required_id,
};
use crate::command::text::{parse_ids, read_image, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "labels",
    alias: Some("label"),
    about: "Manage the labels of services",
    commands: &[
        CommandSpec::Request(&LIST),
        CommandSpec::Request(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
        CommandSpec::Request(&SERVICES),
        CommandSpec::Request(&LIST_NAMES),
    ],
};

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List labels by name",
    examples: &[("labels list -o csv", "print as CSV, for a script")],
    op: ListLabels::OP,
    args: |command| command,
    request: |_, _| build_request::<ListLabels>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("services_count", DisplayKind::Number).with_title("services"),
        Column::new("is_custom_comments", DisplayKind::Enum).with_title("custom comments"),
        Column::hidden("icon", DisplayKind::Text),
    ],
    write: None,
};

const GET: RequestCommand = RequestCommand {
    name: "get",
    about: "Show a label with its services and texts",
    examples: &[("labels get 3", "show one label")],
    op: GetLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| build_request::<GetLabel>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..BASE_COMMAND
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a label",
    examples: &[("labels create --name 'Fast start' --services 4,8", "create a label for two services")],
    op: CreateLabel::OP,
    args: label_args,
    request: |_, matches| build_request::<CreateLabel>((), &EmptyQuery {}, &read_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this label?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl labels delete"),
        success: |_| "Label created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a label; fields without an option keep their values",
    examples: &[("labels update 3 --services 4,8,15", "replace its services")],
    op: UpdateLabel::OP,
    args: |command| label_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateLabel>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Update label {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Label {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a label and remove it from its services",
    examples: &[("labels delete 3", "check its services with labels services 3 first")],
    op: DeleteLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteLabel>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete label {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Label {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const SERVICES: RequestCommand = RequestCommand {
    name: "services",
    about: "List the services with a label",
    examples: &[("labels services 3", "list its services before deleting it")],
    op: ListServicesOfLabel::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<ListServicesOfLabel>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    columns: ID_AND_NAME_COLUMNS,
    ..BASE_COMMAND
};

const LIST_NAMES: RequestCommand = RequestCommand {
    name: "names",
    about: "List ids and names of all labels",
    examples: &[],
    op: ListAvailableLabels::OP,
    request: |_, _| build_request::<ListAvailableLabels>((), &EmptyQuery {}, &EmptyBody {}),
    columns: ID_AND_NAME_COLUMNS,
    ..BASE_COMMAND
};

const ID_AND_NAME_COLUMNS: &[Column] =
    &[Column::new("id", DisplayKind::Id), Column::new("name", DisplayKind::Text)];

fn label_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("icon", "Image file, or none to remove the image").value_name("FILE"),
        on_off_arg("is-custom-comments")
            .long("custom-comments")
            .help("Require comments from customers who order services with this label"),
        Arg::new("services")
            .long("services")
            .value_name("IDS")
            .help("All services with this label, separated by commas, or none"),
        translations_arg(),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<LabelInput> {
    Ok(LabelInput {
        name: optional_value(matches, "name"),
        icon: read_image(matches, "icon")?,
        is_custom_comments: optional_value(matches, "is-custom-comments"),
        services: parse_ids(matches, "services")?,
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
