//! `targets`: manages the information that services require besides the link, and the groups of link patterns.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::targets::{
    CreatePromotableCheckerGroup, CreateTarget, DeletePromotableCheckerGroup, DeleteTarget, GetTarget,
    GetTargetDictionaries, ListPromotableCheckerGroups, ListTargetAttachmentsTypes, ListTargetTypes,
    UpdatePromotableCheckerGroup, UpdateTarget,
};
use panel_contract::lists;
use panel_contract::service_types::ServiceTypeKind;
use panel_contract::targets::{CheckerGroupInput, TargetInput};

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, on_off_arg,
    optional_value, required_id,
};
use crate::command::text::{read_text_or_none, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "targets",
    alias: Some("target"),
    about: "Manage targets: the extra fields of an order, such as a country or comments",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&DELETE),
        CommandSpec::Request(&TYPES),
        CommandSpec::Request(&ATTACHMENTS),
        CommandSpec::Request(&DICTIONARIES),
        CommandSpec::Nested(&PATTERN_GROUPS),
    ],
};

const PATTERN_GROUPS: CommandGroup = CommandGroup {
    name: "groups",
    alias: Some("group"),
    about: "Manage groups of link patterns",
    commands: &[
        CommandSpec::Request(&GROUP_LIST),
        CommandSpec::Request(&GROUP_CREATE),
        CommandSpec::Request(&GROUP_UPDATE),
        CommandSpec::Request(&GROUP_DELETE),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::targets::TARGETS,
    plural: "targets",
    singular: "target",
    about: "List targets, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("about", "target_type.name", "Filter by the type of information"),
    ],
    time_column: "created_at",
    examples: &[("targets list --about geotargeting", "targets that ask for countries")],
};

const GET: GetCommand = GetCommand {
    singular: "target",
    about: "Show targets with all details",
    op: GetTarget::OP,
    columns: &[],
    examples: &[("targets get 3", "show one target")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a target",
    examples: &[(
        "targets create --name Countries --type 1 --values DE,FR,US",
        "customers choose one of three countries",
    )],
    op: CreateTarget::OP,
    args: target_args,
    request: |_, matches| build_request::<CreateTarget>((), &EmptyQuery {}, &read_target_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this target?".to_owned(),
        reversibility: Reversibility::Reversible("remove the target from the services that use it"),
        success: |_| "Target created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a target; fields without an option keep their values",
    examples: &[("targets update 3 --values DE,FR,US,GB", "add a country")],
    op: UpdateTarget::OP,
    args: |command| target_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateTarget>(required_id(matches)?, &EmptyQuery {}, &read_target_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update target {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Target {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete an unused target",
    examples: &[("targets delete 3", "if it is in use, the error lists the records that use it")],
    op: DeleteTarget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteTarget>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete target {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Target {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const GROUP_DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete an unused group",
    examples: &[("targets groups delete 3", "if it is in use, the error lists the records that use it")],
    op: DeletePromotableCheckerGroup::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeletePromotableCheckerGroup>(
            required_id(matches)?,
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    json_pointer: "",
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Delete group {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Group {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
};

const TYPES: RequestCommand = RequestCommand {
    name: "types",
    about: "List the types of targets",
    examples: &[],
    op: ListTargetTypes::OP,
    args: |command| command,
    request: |_, _| build_request::<ListTargetTypes>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("title", DisplayKind::Text),
        Column::new("name", DisplayKind::Enum).with_title("about"),
        Column::new("view_type", DisplayKind::Enum).with_title("input"),
        Column::new("selectable", DisplayKind::Enum),
    ],
    write: None,
    ..BASE_COMMAND
};

const TYPE_AND_LABEL_COLUMNS: &[Column] =
    &[Column::new("type", DisplayKind::Enum), Column::new("label", DisplayKind::Text)];

const ATTACHMENTS: RequestCommand = RequestCommand {
    name: "attachments",
    about: "List the ways to attach targets to services",
    op: ListTargetAttachmentsTypes::OP,
    request: |_, _| build_request::<ListTargetAttachmentsTypes>((), &EmptyQuery {}, &EmptyBody {}),
    columns: TYPE_AND_LABEL_COLUMNS,
    ..BASE_COMMAND
};

const DICTIONARIES: RequestCommand = RequestCommand {
    name: "dictionaries",
    about: "List the allowed values of the fields of targets",
    op: GetTargetDictionaries::OP,
    request: |_, _| build_request::<GetTargetDictionaries>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..BASE_COMMAND
};

const GROUP_LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List groups of link patterns by name",
    op: ListPromotableCheckerGroups::OP,
    request: |_, _| build_request::<ListPromotableCheckerGroups>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("service_type_type", DisplayKind::Enum).with_title("about"),
        Column::new("services_count", DisplayKind::Number).with_title("services"),
        Column::new("checkers", DisplayKind::Text),
    ],
    ..BASE_COMMAND
};

const GROUP_CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a link check: a group of link patterns",
    examples: &[(
        "targets groups create --name Videos --about Youtube --pattern 'youtube.com/watch*' --pattern 'youtu.be/*'",
        "a link must match one of the patterns",
    )],
    op: CreatePromotableCheckerGroup::OP,
    args: group_args,
    request: |_, matches| {
        build_request::<CreatePromotableCheckerGroup>((), &EmptyQuery {}, &read_group_input(matches))
    },
    write: Some(WriteSpec {
        question: |_| "Create this group?".to_owned(),
        reversibility: Reversibility::Reversible("remove the group from its services"),
        success: |_| "Group created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const GROUP_UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a link check; fields without an option keep their values",
    examples: &[("targets groups update 2 --pattern 'youtube.com/*'", "replace its patterns")],
    op: UpdatePromotableCheckerGroup::OP,
    args: |command| group_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdatePromotableCheckerGroup>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_group_input(matches),
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update group {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Group {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

fn target_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("placeholder", "Placeholder of the input field, or none"),
        Arg::new("target-type-id")
            .long("type")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Id of the type (see targets types)"),
        text_arg("selectable-values", "All values to choose from, separated by commas, or none")
            .long("values")
            .value_name("VALUES"),
        on_off_arg("is-visible-default-values")
            .long("visible-values")
            .help("Show customers the values that the service sets; they cannot change them"),
        translations_arg(),
    ])
}

fn read_target_input(matches: &ArgMatches) -> CommandResult<TargetInput> {
    let values = optional_value::<String>(matches, "selectable-values");
    let split_values = |text: String| match text.as_str() {
        "none" => Vec::new(),
        text => text.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    Ok(TargetInput {
        name: optional_value(matches, "name"),
        placeholder: read_text_or_none(matches, "placeholder"),
        target_type_id: optional_value(matches, "target-type-id"),
        is_visible_default_values: optional_value(matches, "is-visible-default-values"),
        selectable_values: values.map(split_values),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}

fn group_args(command: Command) -> Command {
    command.args([
        text_arg("name", "Name"),
        Arg::new("service-type-type")
            .long("about")
            .value_name("VALUE")
            .value_parser(clap::builder::PossibleValuesParser::new(ServiceTypeKind::VALUES.texts))
            .hide_possible_values(true)
            .help("Kind of links that the group is for, such as Youtube"),
        Arg::new("checkers")
            .long("pattern")
            .value_name("PATTERN")
            .action(ArgAction::Append)
            .help("Host with an optional path, with * as wildcard; may be repeated"),
    ])
}

fn read_group_input(matches: &ArgMatches) -> CheckerGroupInput {
    let patterns = matches.get_many::<String>("checkers");
    CheckerGroupInput {
        name: optional_value(matches, "name"),
        service_type_type: enum_value(matches, "service-type-type"),
        checkers: patterns.map(|patterns| patterns.cloned().collect()),
        updated_at: None,
    }
}
