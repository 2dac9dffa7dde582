//! `grades`: manages the grades of the loyalty program.

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

use crate::command::archive_command::archive_command;
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::image_args;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    parse_locale_texts, required_id,
};
use crate::command::{CommandGroup, CommandSpec};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "grades",
    alias: Some("grade"),
    about: "Manage the grades of the loyalty program",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&LIST_AVAILABLE),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::grades::GRADES,
    plural: "grades",
    singular: "grade",
    about: "List grades, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[(
        "grades list --archived 0 --sort spending_goal",
        "active grades, the lowest spending goal first",
    )],
};

const GET: GetCommand = GetCommand {
    singular: "grade",
    about: "Show grades with all details",
    op: GetGrade::OP,
    columns: &[],
    examples: &[("grades get 3", "show one grade")],
};

const LIST_AVAILABLE: RequestCommand = RequestCommand {
    name: "available",
    about: "List grades that customers can reach, the lowest goal first",
    examples: &[],
    op: AvailableGrades::OP,
    args: |command| command,
    request: |_, _| build_request::<AvailableGrades>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("discount_fraction", DisplayKind::Number).with_title("discount"),
        Column::new("spending_goal", DisplayKind::Number),
    ],
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a grade",
    examples: &[(
        "grades create --name en=Gold --name de=Gold --discount 0.05 --spending-goal 1000",
        "a grade with a discount of 5%",
    )],
    op: CreateGrade::OP,
    args: grade_args,
    request: |_, matches| build_request::<CreateGrade>((), &EmptyQuery {}, &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this grade?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl grades archive"),
        success: |_| "Grade created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a grade; fields without an option keep their values",
    examples: &[("grades update 3 --discount 0.075", "change the discount")],
    op: UpdateGrade::OP,
    args: |command| grade_args(command.arg(id_arg())),
    request: |ctx, matches| build_update_request(ctx, matches),
    write: Some(WriteSpec {
        question: |matches| format!("Update grade {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("panelctl grades update"),
        success: |matches| format!("Grade {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveGrade, {
    about: "Archive a grade; rejected while customers have the grade",
    example: ("grades archive 3", "archive one grade"),
    question: "Archive grade {}?",
    success: "Grade {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveGrade, {
    about: "Restore an archived grade",
    example: ("grades unarchive 3", "restore one grade"),
    question: "Restore grade {}?",
    success: "Grade {} restored.",
});

fn grade_args(command: Command) -> Command {
    let option_arg = |name: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value_name).help(help)
    };
    let days_arg = |name: &'static str, help: &'static str| {
        option_arg(name, "DAYS", help).value_parser(clap::value_parser!(i64).range(0..=3_650))
    };
    let on_off_arg = |name: &'static str, help: &'static str| {
        option_arg(name, "on|off", help)
            .value_parser(PossibleValuesParser::new(["on", "off"]))
            .hide_possible_values(true)
    };
    image_args::add(command, "icon", "no-icon").args([
        option_arg("name", "LOCALE=TEXT", "Name in a language, such as en=Gold; replaces all names")
            .action(clap::ArgAction::Append),
        option_arg("discount", "FRACTION", "Discount on every order as a fraction, such as 0.05")
            .value_parser(clap::value_parser!(Fraction)),
        option_arg("spending-goal", "MONEY", "Amount that a customer must have spent")
            .value_parser(clap::value_parser!(Money)),
        days_arg("thumbnail-period", "Days between two free video thumbnails; 0 for none"),
        days_arg("consultation-chat-period", "Days between two consultation chats; 0 for none"),
        on_off_arg("closed-sales", "Give customers with the grade access to sales that are not public"),
        on_off_arg("personal-manager", "Give customers with the grade an account manager"),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<GradeInput> {
    let is_on = |name: &str| matches.get_one::<String>(name).map(|text| text == "on");
    Ok(GradeInput {
        translations: parse_locale_texts(matches, "name")?,
        icon: image_args::read(matches, "icon", "no-icon")?,
        discount_fraction: optional_value(matches, "discount"),
        thumbnail_period: optional_value(matches, "thumbnail-period"),
        consultation_chat_period: optional_value(matches, "consultation-chat-period"),
        available_closed_sales: is_on("closed-sales"),
        available_personal_manager: is_on("personal-manager"),
        spending_goal: optional_value(matches, "spending-goal"),
        updated_at: None,
    })
}

fn build_update_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let body = read_input(matches)?;
    if body == GradeInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --discount 0.05."));
    }
    build_request::<UpdateGrade>(required_id(matches)?, &EmptyQuery {}, &body)
}
