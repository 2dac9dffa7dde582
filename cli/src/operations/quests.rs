//! Quests: tasks that customers complete for a free trial.

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

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, locale_texts, of, opt, patch_arg};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun, picture};
use crate::failure::{CmdResult, Failure};

pub(crate) const NOUN: Noun = Noun {
    name: "quests",
    alias: Some("quest"),
    about: "Manage quests: tasks that customers complete for a free trial",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::free_trials::FREE_TRIAL_QUESTS,
    noun: "quests",
    one: "quest",
    about: "List quests, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("service", "service", "Filter by the service's id or part of its name"),
        Filter::new("enabled", "is_enabled", "Enabled or not"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    since: "created_at",
    examples: &[("quests list --archived 0", "quests that are not archived")],
};

const GET: Get = Get {
    one: "quest",
    about: "Show quests with all details",
    op: GetFreeTrialQuest::OP,
    columns: &[],
    examples: &[("quests get 3", "show one quest")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a quest",
    examples: &[(
        "quests create --name 'en=Post about us' --name 'de=Schreib über uns' --service 17 --quantity 100",
        "a quest that rewards 100 of a service",
    )],
    op: CreateFreeTrialQuest::OP,
    args: fields,
    request: |_, matches| of::<CreateFreeTrialQuest>((), &EmptyQuery {}, &input(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this quest?".to_owned(),
        danger: Danger::Reversible("panelctl quests archive"),
        success: |_| "Quest created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a quest; fields without an option keep their values",
    examples: &[(
        "quests update 3 --deadline '2026-12-31 23:59:59'",
        "set the deadline to the end of the year",
    )],
    op: UpdateFreeTrialQuest::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| update(matches),
    write: Some(Write {
        question: |matches| format!("Update quest {}?", id_value(matches)),
        danger: Danger::Reversible("panelctl quests update"),
        success: |matches| format!("Quest {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveFreeTrialQuest, {
    about: "Archive a quest; pending requests can still be decided",
    example: ("quests archive 3", "archive one quest"),
    question: "Archive quest {}?",
    success: "Quest {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveFreeTrialQuest, {
    about: "Restore an archived quest",
    example: ("quests unarchive 3", "restore one quest"),
    question: "Restore quest {}?",
    success: "Quest {} restored.",
});

fn fields(command: Command) -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let switch = |name: &'static str, help: &'static str| {
        let words = PossibleValuesParser::new(["on", "off"]);
        flag(name, "on|off", help).value_parser(words).hide_possible_values(true)
    };
    let number = |name: &'static str, value: &'static str, help: &'static str| {
        flag(name, value, help).value_parser(clap::value_parser!(i64).range(1..))
    };
    picture::args(picture::args(command, "image", "no-image"), "icon", "no-icon").args([
        flag("name", "LOCALE=TEXT", "Name in a language, such as en=Post; replaces all names")
            .action(ArgAction::Append),
        number("service", "ID", "Id of the rewarded service"),
        number("quantity", "NUMBER", "Rewarded quantity"),
        flag("deadline", "TIME|none", "Last time at which requests can be approved, in UTC, or none"),
        switch("enabled", "Show it to customers"),
        switch("repeatable", "Let a customer complete it more than once"),
        flag("repeats", "NUMBER|none", "Maximum number of times per customer, or none"),
        switch("proof", "Ask customers for a link as proof"),
        switch("auto-approve", "Approve requests of customers with enough spending automatically"),
        flag("auto-approve-from", "MONEY|none", "Spending required for automatic approval, or none"),
        switch("only-spenders", "Only accept requests of customers with enough spending"),
        flag("spent-from", "MONEY|none", "Spending required to request it, or none"),
    ])
}

fn input(matches: &ArgMatches) -> CmdResult<QuestInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    Ok(QuestInput {
        translations: locale_texts(matches, "name")?,
        image: picture::read(matches, "image", "no-image")?,
        icon: picture::read(matches, "icon", "no-icon")?,
        service_id: opt(matches, "service"),
        quantity: opt(matches, "quantity"),
        deadline: patch_arg::<Time>(matches, "deadline")?,
        is_enabled: on("enabled"),
        is_repeatable: on("repeatable"),
        repeats_count: patch_arg::<i64>(matches, "repeats")?,
        allow_proof_url: on("proof"),
        auto_approve_is_allowed: on("auto-approve"),
        min_amount_for_auto_approve: patch_arg::<Money>(matches, "auto-approve-from")?,
        is_allowed_with_spend_above: on("only-spenders"),
        min_user_spend_amount: patch_arg::<Money>(matches, "spent-from")?,
        updated_at: None,
    })
}

fn update(matches: &ArgMatches) -> CmdResult<Request> {
    let body = input(matches)?;
    if body == QuestInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --quantity 100."));
    }
    of::<UpdateFreeTrialQuest>(id(matches)?, &EmptyQuery {}, &body)
}
