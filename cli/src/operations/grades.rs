//! Grades of the loyalty program.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::grades::{
    ArchiveGrade, AvailableGrades, CreateGrade, GetGrade, UnarchiveGrade, UpdateGrade,
};
use panel_contract::grades::GradeInput;
use panel_contract::lists;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, by_language, given_id, id, id_arg, of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::picture;
use crate::command::{Cmd, Noun};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `grades`.
pub(crate) const NOUN: Noun = Noun {
    name: "grades",
    alias: Some("grade"),
    about: "Grades of the loyalty program",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&AVAILABLE),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    of: &lists::grades::GRADES,
    noun: "grades",
    one: "grade",
    about: "Grades, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("archived", "is_archived", "Whether it is put away"),
    ],
    since: "created_at",
    examples: &[("grades list --archived 0 --sort spending_goal", "the ladder as customers climb it")],
};

const GET: Get = Get {
    one: "grade",
    about: "Grades with everything about them",
    op: GetGrade::OP,
    columns: &[],
    examples: &[("grades get 3", "one grade")],
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "Grades that customers can have, the cheapest to reach first",
    examples: &[],
    op: AvailableGrades::OP,
    args: |command| command,
    request: |_, _| of::<AvailableGrades>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("discount_percent", Kind::Number).titled("discount"),
        Column::new("spending_goal", Kind::Number),
    ],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a grade",
    examples: &[(
        "grades create --name en=Gold --name de=Gold --discount 0.05 --spending-goal 1000",
        "five percent off",
    )],
    op: CreateGrade::OP,
    args: fields,
    request: |_, matches| of::<CreateGrade>((), &NoQuery {}, &input(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this grade?".to_owned(),
        danger: Danger::Reversible("panelctl grades archive"),
        said: |_| "The grade is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes what is given",
    examples: &[("grades update 3 --discount 0.075", "another discount")],
    op: UpdateGrade::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |ctx, matches| update(ctx, matches),
    write: Some(Write {
        question: |matches| format!("Change grade {}?", given_id(matches)),
        danger: Danger::Reversible("panelctl grades update"),
        said: |matches| format!("Grade {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveGrade, {
    about: "Puts a grade away; refused while customers have it",
    example: ("grades archive 3", "one grade"),
    question: "Archive grade {}?",
    said: "Grade {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveGrade, {
    about: "Takes a grade back",
    example: ("grades unarchive 3", "one grade"),
    question: "Restore grade {}?",
    said: "Grade {} is restored.",
});

fn fields(command: Command) -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let days = |name: &'static str, help: &'static str| {
        flag(name, "DAYS", help).value_parser(clap::value_parser!(i64).range(0..=3_650))
    };
    let yes_no = |name: &'static str, help: &'static str| {
        flag(name, "on|off", help)
            .value_parser(PossibleValuesParser::new(["on", "off"]))
            .hide_possible_values(true)
    };
    picture::args(command, "icon", "no-icon").args([
        flag("name", "LOCALE=TEXT", "Its name in a language, such as en=Gold; takes the place of all names")
            .action(clap::ArgAction::Append),
        flag("discount", "FRACTION", "Off every order, such as 0.05")
            .value_parser(clap::value_parser!(Fraction)),
        flag("spending-goal", "MONEY", "What a customer must have spent")
            .value_parser(clap::value_parser!(Money)),
        days("thumbnail-period", "Days between two free thumbnails; 0 for none"),
        days("consultation-chat-period", "Days between two consultations; 0 for none"),
        yes_no("closed-sales", "Whether closed sales are open to them"),
        yes_no("personal-manager", "Whether they have a manager of their own"),
    ])
}

fn input(matches: &ArgMatches) -> Done<GradeInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    Ok(GradeInput {
        translations: by_language(matches, "name")?,
        icon: picture::read(matches, "icon", "no-icon")?,
        discount_percent: opt(matches, "discount"),
        thumbnail_period: opt(matches, "thumbnail-period"),
        consultation_chat_period: opt(matches, "consultation-chat-period"),
        available_closed_sales: on("closed-sales"),
        available_personal_manager: on("personal-manager"),
        spending_goal: opt(matches, "spending-goal"),
        updated_at: None,
    })
}

fn update(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let body = input(matches)?;
    if body == GradeInput::default() {
        return Err(Failure::usage("Say what to change, such as --discount 0.05."));
    }
    of::<UpdateGrade>(id(matches)?, &NoQuery {}, &body)
}
