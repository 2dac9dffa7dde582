//! Grades of the loyalty program.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::grades::{
    ArchiveGrade, AvailableGrades, CreateGrade, GetGrade, UnarchiveGrade, UpdateGrade,
};
use panel_contract::grades::GradeInput;
use panel_contract::lists;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, locale_texts, of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::picture;
use crate::command::{Cmd, Noun};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "grades",
    alias: Some("grade"),
    about: "Manage the grades of the loyalty program",
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
    declaration: &lists::grades::GRADES,
    noun: "grades",
    one: "grade",
    about: "List grades, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    since: "created_at",
    examples: &[(
        "grades list --archived 0 --sort spending_goal",
        "active grades in the order customers reach them",
    )],
};

const GET: Get = Get {
    one: "grade",
    about: "Show grades with all details",
    op: GetGrade::OP,
    columns: &[],
    examples: &[("grades get 3", "show one grade")],
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "List grades that customers can reach, the lowest goal first",
    examples: &[],
    op: AvailableGrades::OP,
    args: |command| command,
    request: |_, _| of::<AvailableGrades>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
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
    about: "Create a grade",
    examples: &[(
        "grades create --name en=Gold --name de=Gold --discount 0.05 --spending-goal 1000",
        "a grade with a discount of 5%",
    )],
    op: CreateGrade::OP,
    args: fields,
    request: |_, matches| of::<CreateGrade>((), &EmptyQuery {}, &input(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this grade?".to_owned(),
        danger: Danger::Reversible("panelctl grades archive"),
        success: |_| "Grade created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a grade; fields without an option keep their values",
    examples: &[("grades update 3 --discount 0.075", "change the discount")],
    op: UpdateGrade::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |ctx, matches| update(ctx, matches),
    write: Some(Write {
        question: |matches| format!("Update grade {}?", id_value(matches)),
        danger: Danger::Reversible("panelctl grades update"),
        success: |matches| format!("Grade {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveGrade, {
    about: "Archive a grade; refused while customers have it",
    example: ("grades archive 3", "archive one grade"),
    question: "Archive grade {}?",
    success: "Grade {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveGrade, {
    about: "Restore an archived grade",
    example: ("grades unarchive 3", "restore one grade"),
    question: "Restore grade {}?",
    success: "Grade {} restored.",
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
        flag("name", "LOCALE=TEXT", "Name in a language, such as en=Gold; replaces all names")
            .action(clap::ArgAction::Append),
        flag("discount", "FRACTION", "Discount on every order as a fraction, such as 0.05")
            .value_parser(clap::value_parser!(Fraction)),
        flag("spending-goal", "MONEY", "Amount that a customer must have spent")
            .value_parser(clap::value_parser!(Money)),
        days("thumbnail-period", "Days between two free thumbnails; 0 for none"),
        days("consultation-chat-period", "Days between two consultations; 0 for none"),
        yes_no("closed-sales", "Allow access to closed sales"),
        yes_no("personal-manager", "Assign a personal manager"),
    ])
}

fn input(matches: &ArgMatches) -> CmdResult<GradeInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    Ok(GradeInput {
        translations: locale_texts(matches, "name")?,
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

fn update(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let body = input(matches)?;
    if body == GradeInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --discount 0.05."));
    }
    of::<UpdateGrade>(id(matches)?, &EmptyQuery {}, &body)
}
