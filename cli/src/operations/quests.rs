//! `quests`: manages tasks that customers complete for a free trial.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::free_trials::{
    ArchiveFreeTrialQuest, CreateFreeTrialQuest, GetFreeTrialQuest, UnarchiveFreeTrialQuest,
    UpdateFreeTrialQuest,
};
use panel_contract::free_trials::QuestInput;
use panel_contract::lists;
use panel_contract::moment::Time;

use crate::command::archive_command::archive_command;
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    parse_locale_texts, parse_value_or_none, required_id,
};
use crate::command::{CommandGroup, CommandSpec, image_args};
use crate::failure::{CommandResult, Failure};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "quests",
    alias: Some("quest"),
    about: "Manage quests: what customers do to get a free trial",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::free_trials::FREE_TRIAL_QUESTS,
    plural: "quests",
    singular: "quest",
    about: "List quests, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("service", "service", "Filter by the service's id or part of its name"),
        Filter::new("enabled", "is_enabled", "Filter by enabled (1) or disabled (0)"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[("quests list --archived 0", "quests that are not archived")],
};

const GET: GetCommand = GetCommand {
    singular: "quest",
    about: "Show quests with all details",
    op: GetFreeTrialQuest::OP,
    columns: &[],
    examples: &[("quests get 3", "show one quest")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a quest",
    examples: &[(
        "quests create --name 'en=Post about us' --name 'de=Schreib über uns' --service 17 --quantity 100",
        "a quest whose reward is 100 units of a service",
    )],
    op: CreateFreeTrialQuest::OP,
    args: quest_args,
    request: |_, matches| build_request::<CreateFreeTrialQuest>((), &EmptyQuery {}, &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this quest?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl quests archive"),
        success: |_| "Quest created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a quest; fields without an option keep their values",
    examples: &[(
        "quests update 3 --deadline '2026-12-31 23:59:59'",
        "set the deadline to the end of the year",
    )],
    op: UpdateFreeTrialQuest::OP,
    args: |command| quest_args(command.arg(id_arg())),
    request: |_, matches| build_update_request(matches),
    write: Some(WriteSpec {
        question: |matches| format!("Update quest {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl quests update"),
        success: |matches| format!("Quest {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveFreeTrialQuest, {
    about: "Archive a quest; staff can still decide pending requests",
    example: ("quests archive 3", "archive one quest"),
    question: "Archive quest {}?",
    success: "Quest {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveFreeTrialQuest, {
    about: "Restore an archived quest",
    example: ("quests unarchive 3", "restore one quest"),
    question: "Restore quest {}?",
    success: "Quest {} restored.",
});

fn quest_args(command: Command) -> Command {
    let option_arg = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value_name).help(help)
    };
    let on_off_arg = |name: &'static str, help: &'static str| {
        let parser = PossibleValuesParser::new(["on", "off"]);
        option_arg(name, "on|off", help).value_parser(parser).hide_possible_values(true)
    };
    let number_arg = |name: &'static str, value_name: &'static str, help: &'static str| {
        option_arg(name, value_name, help).value_parser(clap::value_parser!(i64).range(1..))
    };
    image_args::add(image_args::add(command, "image", "no-image"), "icon", "no-icon").args([
        option_arg("name", "LOCALE=TEXT", "Name in a language, such as en=Post; replaces all names")
            .action(ArgAction::Append),
        number_arg("service", "ID", "Id of the rewarded service"),
        number_arg("quantity", "NUMBER", "Rewarded quantity"),
        option_arg("deadline", "TIME|none", "Last time at which requests can be approved, in UTC, or none"),
        on_off_arg("enabled", "Show the quest to customers"),
        on_off_arg("repeatable", "Let a customer complete the quest more than once"),
        option_arg("repeats", "NUMBER|none", "Maximum number of times per customer, or none"),
        on_off_arg("proof", "Ask customers for a link as proof"),
        on_off_arg(
            "auto-approve",
            "Approve requests of customers who have spent at least --spent-from automatically",
        ),
        option_arg(
            "auto-approve-from",
            "MONEY|none",
            "Spending from which requests are approved automatically, or none",
        ),
        on_off_arg("only-spenders", "Only accept requests of customers who have spent at least --spent-from"),
        option_arg("spent-from", "MONEY|none", "Spending required to request the free trial, or none"),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<QuestInput> {
    let is_on = |name: &str| matches.get_one::<String>(name).map(|text| text == "on");
    Ok(QuestInput {
        translations: parse_locale_texts(matches, "name")?,
        image: image_args::read(matches, "image", "no-image")?,
        icon: image_args::read(matches, "icon", "no-icon")?,
        service_id: optional_value(matches, "service"),
        quantity: optional_value(matches, "quantity"),
        deadline: parse_value_or_none::<Time>(matches, "deadline")?,
        is_enabled: is_on("enabled"),
        is_repeatable: is_on("repeatable"),
        repeats_count: parse_value_or_none::<i64>(matches, "repeats")?,
        allow_proof_url: is_on("proof"),
        auto_approve_is_allowed: is_on("auto-approve"),
        min_amount_for_auto_approve: parse_value_or_none::<Money>(matches, "auto-approve-from")?,
        is_allowed_with_spend_above: is_on("only-spenders"),
        min_user_spend_amount: parse_value_or_none::<Money>(matches, "spent-from")?,
        updated_at: None,
    })
}

fn build_update_request(matches: &ArgMatches) -> CommandResult<Request> {
    let body = read_input(matches)?;
    if body == QuestInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --quantity 100."));
    }
    build_request::<UpdateFreeTrialQuest>(required_id(matches)?, &EmptyQuery {}, &body)
}
