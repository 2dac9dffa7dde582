//! Quests: what customers do for a free trial.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::endpoint::{Endpoint as _, NoQuery};
use panel_contract::endpoints::free_trials::{
    ArchiveFreeTrialQuest, CreateFreeTrialQuest, GetFreeTrialQuest, UnarchiveFreeTrialQuest,
    UpdateFreeTrialQuest,
};
use panel_contract::free_trials::QuestInput;
use panel_contract::lists;
use panel_contract::moment::Time;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, by_language, given_id, id, id_arg, of, opt, wish};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun, picture};
use crate::failure::{Done, Failure};

/// `quests`.
pub(crate) const NOUN: Noun = Noun {
    name: "quests",
    alias: Some("quest"),
    about: "Quests: what customers do for a free trial",
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
    of: &lists::free_trials::FREE_TRIAL_QUESTS,
    noun: "quests",
    one: "quest",
    about: "Quests, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("service", "service", "The service, by id or part of its name"),
        Filter::new("enabled", "is_enabled", "Whether customers see it"),
        Filter::new("archived", "is_archived", "Whether it is put away"),
    ],
    since: "created_at",
    examples: &[("quests list --archived 0", "what is offered")],
};

const GET: Get = Get {
    one: "quest",
    about: "Quests with everything about them",
    op: GetFreeTrialQuest::OP,
    columns: &[],
    examples: &[("quests get 3", "one quest")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a quest",
    examples: &[(
        "quests create --name 'en=Post about us' --name 'de=Schreib über uns' --service 17 --quantity 100",
        "a hundred of a service",
    )],
    op: CreateFreeTrialQuest::OP,
    args: fields,
    request: |_, matches| of::<CreateFreeTrialQuest>((), &NoQuery {}, &input(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this quest?".to_owned(),
        danger: Danger::Reversible("panelctl quests archive"),
        said: |_| "The quest is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes what is given",
    examples: &[("quests update 3 --deadline '2026-12-31 23:59:59'", "until the end of the year")],
    op: UpdateFreeTrialQuest::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| update(matches),
    write: Some(Write {
        question: |matches| format!("Change quest {}?", given_id(matches)),
        danger: Danger::Reversible("panelctl quests update"),
        said: |matches| format!("Quest {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveFreeTrialQuest, {
    about: "Puts a quest away; requests that wait are still decided",
    example: ("quests archive 3", "one quest"),
    question: "Archive quest {}?",
    said: "Quest {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveFreeTrialQuest, {
    about: "Takes a quest back",
    example: ("quests unarchive 3", "one quest"),
    question: "Restore quest {}?",
    said: "Quest {} is restored.",
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
        flag("name", "LOCALE=TEXT", "Its name in a language, such as en=Post; takes the place of all names")
            .action(ArgAction::Append),
        number("service", "ID", "What is given"),
        number("quantity", "NUMBER", "How many of it"),
        flag("deadline", "TIME|none", "Until when requests are approved, in UTC"),
        switch("enabled", "Whether customers see it"),
        switch("repeatable", "Whether a customer may have it more than once"),
        flag("repeats", "NUMBER|none", "How often at the most"),
        switch("proof", "Whether customers show what they did by an address"),
        switch("auto-approve", "Whether requests of good customers are approved at once"),
        flag("auto-approve-from", "MONEY|none", "What a good customer has spent"),
        switch("only-spenders", "Whether only customers who spent enough may ask"),
        flag("spent-from", "MONEY|none", "How much is enough"),
    ])
}

fn input(matches: &ArgMatches) -> Done<QuestInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    Ok(QuestInput {
        translations: by_language(matches, "name")?,
        image: picture::read(matches, "image", "no-image")?,
        icon: picture::read(matches, "icon", "no-icon")?,
        service_id: opt(matches, "service"),
        quantity: opt(matches, "quantity"),
        deadline: wish::<Time>(matches, "deadline")?,
        is_enabled: on("enabled"),
        is_repeatable: on("repeatable"),
        repeats_count: wish::<i64>(matches, "repeats")?,
        allow_proof_url: on("proof"),
        auto_approve_is_allowed: on("auto-approve"),
        min_amount_for_auto_approve: wish::<Money>(matches, "auto-approve-from")?,
        is_allowed_with_spend_above: on("only-spenders"),
        min_user_spend_amount: wish::<Money>(matches, "spent-from")?,
        updated_at: None,
    })
}

fn update(matches: &ArgMatches) -> Done<Request> {
    let body = input(matches)?;
    if body == QuestInput::default() {
        return Err(Failure::usage("Say what to change, such as --quantity 100."));
    }
    of::<UpdateFreeTrialQuest>(id(matches)?, &NoQuery {}, &body)
}
