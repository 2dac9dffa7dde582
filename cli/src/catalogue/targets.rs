//! Targets, what services ask their customers, and the groups of checks that addresses go through.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::targets::{
    CreatePromotableCheckerGroup, CreateTarget, DeletePromotableCheckerGroup, DeleteTarget, GetTarget,
    ListPromotableCheckerGroups, ListTargetAttachmentsTypes, ListTargetTypes, TargetDictionariesOp,
    UpdatePromotableCheckerGroup, UpdateTarget,
};
use panel_contract::lists;
use panel_contract::service_types::ServiceTypeKind;
use panel_contract::targets::{CheckerGroupInput, TargetInput};

use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, word};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::output::column::{Column, Kind};

/// `targets`.
pub(crate) const NOUN: Noun = Noun {
    name: "targets",
    alias: Some("target"),
    about: "What services ask their customers beside the address",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&DELETE),
        Cmd::Call(&TYPES),
        Cmd::Call(&ATTACHMENTS),
        Cmd::Call(&WORDS),
        Cmd::Nested(&GROUPS),
    ],
};

/// `targets groups`.
const GROUPS: Noun = Noun {
    name: "groups",
    alias: Some("group"),
    about: "Groups of checks that addresses go through",
    verbs: &[
        Cmd::Call(&GROUP_LIST),
        Cmd::Call(&GROUP_CREATE),
        Cmd::Call(&GROUP_UPDATE),
        Cmd::Call(&GROUP_DELETE),
    ],
};

const LIST: List = List {
    of: &lists::targets::TARGETS,
    noun: "targets",
    one: "target",
    about: "Targets, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("about", "target_type.name", "What it asks for"),
    ],
    since: "created_at",
    examples: &[("targets list --about geotargeting", "what asks for countries")],
};

const GET: Get = Get {
    one: "target",
    about: "Targets with everything about them",
    op: GetTarget::OP,
    columns: &[],
    examples: &[("targets get 3", "one target")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a target",
    examples: &[(
        "targets create --name Countries --type 1 --values DE,FR,US",
        "customers choose among three countries",
    )],
    op: CreateTarget::OP,
    args: target_args,
    request: |_, matches| of::<CreateTarget>((), &NoQuery {}, &target(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this target?".to_owned(),
        danger: Danger::Reversible("taking it from the services that ask for it"),
        said: |_| "The target is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a target; only what is named",
    examples: &[("targets update 3 --values DE,FR,US,GB", "one country more")],
    op: UpdateTarget::OP,
    args: |command| target_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateTarget>(id(matches)?, &NoQuery {}, &target(matches)?),
    write: Some(Write {
        question: |matches| format!("Change target {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Target {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes a target that nothing uses",
    examples: &[("targets delete 3", "refused with the names of what uses it")],
    op: DeleteTarget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteTarget>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete target {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Target {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
};

const GROUP_DELETE: Call = Call {
    name: "delete",
    about: "Deletes a group that nothing uses",
    examples: &[("targets groups delete 3", "refused with the names of what uses it")],
    op: DeletePromotableCheckerGroup::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeletePromotableCheckerGroup>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "",
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Delete group {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Group {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
};

const TYPES: Call = Call {
    name: "types",
    about: "The kinds of target",
    examples: &[],
    op: ListTargetTypes::OP,
    args: |command| command,
    request: |_, _| of::<ListTargetTypes>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("title", Kind::Text),
        Column::new("name", Kind::Word).titled("about"),
        Column::new("view_type", Kind::Word).titled("asked by"),
        Column::new("selectable", Kind::Word),
    ],
    write: None,
    ..CREATE
};

const CHOICES: &[Column] = &[Column::new("type", Kind::Word), Column::new("label", Kind::Text)];

const ATTACHMENTS: Call = Call {
    name: "attachments",
    about: "How targets hang on services",
    op: ListTargetAttachmentsTypes::OP,
    request: |_, _| of::<ListTargetAttachmentsTypes>((), &NoQuery {}, &NoBody {}),
    columns: CHOICES,
    ..TYPES
};

const WORDS: Call = Call {
    name: "dictionaries",
    about: "All words that targets are described with",
    op: TargetDictionariesOp::OP,
    request: |_, _| of::<TargetDictionariesOp>((), &NoQuery {}, &NoBody {}),
    columns: &[],
    ..TYPES
};

const GROUP_LIST: Call = Call {
    name: "list",
    about: "Groups of checks by name",
    op: ListPromotableCheckerGroups::OP,
    request: |_, _| of::<ListPromotableCheckerGroups>((), &NoQuery {}, &NoBody {}),
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
    about: "Makes a group of checks",
    examples: &[(
        "targets groups create --name Videos --about Youtube --pattern 'youtube.com/watch*' --pattern 'youtu.be/*'",
        "one of the patterns must fit",
    )],
    op: CreatePromotableCheckerGroup::OP,
    args: group_args,
    request: |_, matches| of::<CreatePromotableCheckerGroup>((), &NoQuery {}, &group(matches)),
    write: Some(Write {
        question: |_| "Make this group?".to_owned(),
        danger: Danger::Reversible("taking it from its services"),
        said: |_| "The group is made.".to_owned(),
        rehearses: false,
    }),
    ..CREATE
};

const GROUP_UPDATE: Call = Call {
    name: "update",
    about: "Changes a group of checks; only what is named",
    examples: &[("targets groups update 2 --pattern 'youtube.com/*'", "exactly these patterns")],
    op: UpdatePromotableCheckerGroup::OP,
    args: |command| group_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdatePromotableCheckerGroup>(id(matches)?, &NoQuery {}, &group(matches)),
    write: Some(Write {
        question: |matches| format!("Change group {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Group {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

fn target_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("placeholder", "What stands in the field before something is typed, or none"),
        Arg::new("target-type-id")
            .long("type")
            .value_name("ID")
            .value_parser(clap::value_parser!(i64).range(1..))
            .help("Its kind; see targets types"),
        text_arg("selectable-values", "All values to choose from, with commas, or none")
            .long("values")
            .value_name("VALUES"),
        on_off_arg("is-visible-default-values")
            .long("visible-values")
            .help("Whether customers see the values that a service begins with"),
        translations_arg(),
    ])
}

fn target(matches: &ArgMatches) -> Done<TargetInput> {
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
        text_arg("name", "Its name"),
        Arg::new("service-type-type")
            .long("about")
            .value_name("WORD")
            .value_parser(clap::builder::PossibleValuesParser::new(ServiceTypeKind::WORDS.texts))
            .hide_possible_values(true)
            .help("What its addresses are about, such as Youtube"),
        Arg::new("checkers")
            .long("pattern")
            .value_name("PATTERN")
            .action(ArgAction::Append)
            .help("A host, perhaps a path, and * for anything; once for each"),
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
