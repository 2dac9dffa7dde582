//! Targets, the information that services require from customers, and groups of link patterns.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::targets::{
    CreatePromotableCheckerGroup, CreateTarget, DeletePromotableCheckerGroup, DeleteTarget, GetTarget,
    ListPromotableCheckerGroups, ListTargetAttachmentsTypes, ListTargetTypes, TargetDictionariesOp,
    UpdatePromotableCheckerGroup, UpdateTarget,
};
use panel_contract::lists;
use panel_contract::service_types::ServiceTypeKind;
use panel_contract::targets::{CheckerGroupInput, TargetInput};

use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "targets",
    alias: Some("target"),
    about: "Manage targets: information that services require besides the link",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&TYPES),
        Cmd::Call(&ATTACHMENTS),
        Cmd::Call(&DICTIONARIES),
        Cmd::Nested(&GROUPS),
    ],
};

const GROUPS: Noun = Noun {
    name: "groups",
    alias: Some("group"),
    about: "Manage groups of link patterns",
    verbs: &[
        Cmd::Call(&GROUP_LIST),
        Cmd::Call(&GROUP_CREATE),
        Cmd::Call(&GROUP_UPDATE),
        Cmd::Call(&GROUP_DELETE),
    ],
};

const LIST: List = List {
    declaration: &lists::targets::TARGETS,
    noun: "targets",
    one: "target",
    about: "List targets, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("about", "target_type.name", "Filter by the information it asks the customer for"),
    ],
    since: "created_at",
    examples: &[("targets list --about geotargeting", "targets that ask for countries")],
};

const GET: Get = Get {
    one: "target",
    about: "Show targets with all details",
    op: GetTarget::OP,
    columns: &[],
    examples: &[("targets get 3", "show one target")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a target",
    examples: &[(
        "targets create --name Countries --type 1 --values DE,FR,US",
        "customers choose one of three countries",
    )],
    op: CreateTarget::OP,
    args: target_args,
    request: |_, matches| of::<CreateTarget>((), &EmptyQuery {}, &target(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this target?".to_owned(),
        danger: Danger::Reversible("remove it from the services that use it"),
        success: |_| "Target created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a target; fields without an option keep their values",
    examples: &[("targets update 3 --values DE,FR,US,GB", "add a country")],
    op: UpdateTarget::OP,
    args: |command| target_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateTarget>(id(matches)?, &EmptyQuery {}, &target(matches)?),
    write: Some(Write {
        question: |matches| format!("Update target {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Target {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const DELETE: Call = Call {
    name: "delete",
    about: "Delete an unused target",
    examples: &[("targets delete 3", "if it is in use, the error lists what uses it")],
    op: DeleteTarget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteTarget>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete target {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Target {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
};

const GROUP_DELETE: Call = Call {
    name: "delete",
    about: "Delete an unused group",
    examples: &[("targets groups delete 3", "if it is in use, the error lists what uses it")],
    op: DeletePromotableCheckerGroup::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeletePromotableCheckerGroup>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete group {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Group {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
};

const TYPES: Call = Call {
    name: "types",
    about: "List the types of targets",
    examples: &[],
    op: ListTargetTypes::OP,
    args: |command| command,
    request: |_, _| of::<ListTargetTypes>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("title", Kind::Text),
        Column::new("name", Kind::Word).titled("about"),
        Column::new("view_type", Kind::Word).titled("input"),
        Column::new("selectable", Kind::Word),
    ],
    write: None,
    ..CREATE
};

const CHOICES: &[Column] = &[Column::new("type", Kind::Word), Column::new("label", Kind::Text)];

const ATTACHMENTS: Call = Call {
    name: "attachments",
    about: "List the ways to attach targets to services",
    op: ListTargetAttachmentsTypes::OP,
    request: |_, _| of::<ListTargetAttachmentsTypes>((), &EmptyQuery {}, &EmptyBody {}),
    columns: CHOICES,
    ..TYPES
};

const DICTIONARIES: Call = Call {
    name: "dictionaries",
    about: "List all values that describe targets",
    op: TargetDictionariesOp::OP,
    request: |_, _| of::<TargetDictionariesOp>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[],
    ..TYPES
};

const GROUP_LIST: Call = Call {
    name: "list",
    about: "List groups by name",
    op: ListPromotableCheckerGroups::OP,
    request: |_, _| of::<ListPromotableCheckerGroups>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("service_type_type", Kind::Word).titled("about"),
        Column::new("services_count", Kind::Number).titled("services"),
        Column::new("checkers", Kind::Text),
    ],
    ..TYPES
};

const GROUP_CREATE: Call = Call {
    name: "create",
    about: "Create a group of link patterns",
    examples: &[(
        "targets groups create --name Videos --about Youtube --pattern 'youtube.com/watch*' --pattern 'youtu.be/*'",
        "a link must match one of the patterns",
    )],
    op: CreatePromotableCheckerGroup::OP,
    args: group_args,
    request: |_, matches| of::<CreatePromotableCheckerGroup>((), &EmptyQuery {}, &group(matches)),
    write: Some(Write {
        question: |_| "Create this group?".to_owned(),
        danger: Danger::Reversible("remove it from its services"),
        success: |_| "Group created.".to_owned(),
        has_dry_run: false,
    }),
    ..CREATE
};

const GROUP_UPDATE: Call = Call {
    name: "update",
    about: "Update a group of link patterns; fields without an option keep their values",
    examples: &[("targets groups update 2 --pattern 'youtube.com/*'", "replace its patterns")],
    op: UpdatePromotableCheckerGroup::OP,
    args: |command| group_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdatePromotableCheckerGroup>(id(matches)?, &EmptyQuery {}, &group(matches)),
    write: Some(Write {
        question: |matches| format!("Update group {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Group {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
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
            .help("Show customers the default values of a service"),
        translations_arg(),
    ])
}

fn target(matches: &ArgMatches) -> CmdResult<TargetInput> {
    let values = opt::<String>(matches, "selectable-values");
    let split = |text: String| match text.as_str() {
        "none" => Vec::new(),
        text => text.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    Ok(TargetInput {
        name: opt(matches, "name"),
        placeholder: patch(matches, "placeholder"),
        target_type_id: opt(matches, "target-type-id"),
        is_visible_default_values: opt(matches, "is-visible-default-values"),
        selectable_values: values.map(split),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}

fn group_args(command: Command) -> Command {
    command.args([
        text_arg("name", "Name"),
        Arg::new("service-type-type")
            .long("about")
            .value_name("WORD")
            .value_parser(clap::builder::PossibleValuesParser::new(ServiceTypeKind::VALUES.texts))
            .hide_possible_values(true)
            .help("Kind of service that its links belong to, such as Youtube"),
        Arg::new("checkers")
            .long("pattern")
            .value_name("PATTERN")
            .action(ArgAction::Append)
            .help("Host with an optional path, with * as wildcard; may be repeated"),
    ])
}

fn group(matches: &ArgMatches) -> CheckerGroupInput {
    let patterns = matches.get_many::<String>("checkers");
    CheckerGroupInput {
        name: opt(matches, "name"),
        service_type_type: word(matches, "service-type-type"),
        checkers: patterns.map(|all| all.cloned().collect()),
        updated_at: None,
    }
}
