//! `discounts`: manages discounts, which lower the prices of services for a limited time.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::common::{DryRun, Patch};
use panel_contract::discounts::{DiscountInput, DiscountServiceInput};
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::discounts::{
    ArchiveDiscount, CompleteDiscount, CreateDiscount, GetDiscount, UnarchiveDiscount, UpdateDiscount,
};
use panel_contract::lists;
use panel_contract::moment::Time;

use crate::command::archive_command::archive_command;
use crate::command::confirm::{
    Reversibility, confirm_below_margin_arg, confirms_below_margin, dry_run_query, is_dry_run,
};
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, required_id,
};
use crate::command::text::{read_text_or_none, text_arg};
use crate::command::{CommandGroup, CommandSpec, times};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "discounts",
    alias: Some("discount"),
    about: "Manage discounts on services",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&COMPLETE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::discounts::DISCOUNTS,
    plural: "discounts",
    singular: "discount",
    about: "List discounts, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("status", "status", "Filter by current status"),
        Filter::new("begins", "valid_from", "Filter by start time"),
        Filter::new("ends", "valid_to", "Filter by end time"),
        Filter::new("countries", "countries", "Filter by country: two-letter codes, separated by commas")
            .text_value("CODES"),
    ],
    time_column: "created_at",
    examples: &[("discounts list --status active,scheduled", "active and scheduled discounts")],
};

const GET: GetCommand = GetCommand {
    singular: "discount",
    about: "Show discounts with their services and overlapping discounts",
    op: GetDiscount::OP,
    columns: &[],
    examples: &[("discounts get 3", "show one discount")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a discount; --dry-run shows overlapping discounts",
    examples: &[
        (
            "discounts create --name 'Black Friday' --from '2026-11-27 00:00' --to '2026-11-30 00:00' --service 17=0.2 --service 18=0.15 --dry-run",
            "show which discounts would overlap",
        ),
        (
            "discounts create --name Launch --from now --to none --service 17=0.1 --countries DE,AT",
            "create a discount for two countries",
        ),
    ],
    op: CreateDiscount::OP,
    args: discount_args,
    request: |ctx, matches| {
        let dry_run = DryRun { dry_run: is_dry_run(matches) };
        build_request::<CreateDiscount>((), &dry_run, &read_input(ctx, matches)?)
    },
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this discount?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl discounts archive"),
        success: |_| "Discount created.".to_owned(),
        has_dry_run: true,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a discount; fields without an option keep their values",
    examples: &[("discounts update 3 --to '2026-12-02 00:00'", "extend the discount by two days")],
    op: UpdateDiscount::OP,
    args: |command| discount_args(command.arg(id_arg())),
    request: |ctx, matches| {
        let dry_run = DryRun { dry_run: is_dry_run(matches) };
        build_request::<UpdateDiscount>(required_id(matches)?, &dry_run, &read_input(ctx, matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update discount {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Discount {} updated.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const COMPLETE: RequestCommand = RequestCommand {
    name: "complete",
    about: "End a discount now; this cannot be undone",
    examples: &[("discounts complete 3", "return to the list prices")],
    op: CompleteDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<CompleteDiscount>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("End discount {} now?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Discount {} ended.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveDiscount, {
    about: "Archive a discount, which then no longer applies",
    example: ("discounts archive 3", "archive one discount; restore it with discounts unarchive"),
    question: "Archive discount {}?",
    success: "Discount {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveDiscount, {
    about: "Restore an archived discount; the start and end time of the discount apply",
    example: ("discounts unarchive 3", "restore one discount, which applies until its end time"),
    question: "Restore discount {}?",
    success: "Discount {} restored.",
});

fn discount_args(command: Command) -> Command {
    command.args([
        text_arg("name", "Name that staff see"),
        text_arg("valid-from", "Start time, such as now, 2026-11-27 or '2026-11-27 08:00' (UTC)")
            .long("from")
            .value_name("TIME"),
        text_arg("valid-to", "End time, or none to end the discount manually").long("to").value_name("TIME"),
        on_off_arg("is-countdown-enabled").long("countdown").help("Show customers a countdown"),
        text_arg(
            "countries",
            "Only for customers of these countries, as ISO codes separated by commas, or none for all",
        )
        .value_name("CODES"),
        Arg::new("services")
            .long("service")
            .value_name("ID=FRACTION")
            .action(ArgAction::Append)
            .help("Service and its discount, such as 17=0.2; repeat for all services"),
        confirm_below_margin_arg(),
    ])
}

/// Parses an option that sets a time; `none` clears the time.
pub(super) fn read_time_or_none(ctx: &Ctx, matches: &ArgMatches, name: &str) -> CommandResult<Patch<Time>> {
    match read_text_or_none(matches, name) {
        Patch::Keep => Ok(Patch::Keep),
        Patch::Clear => Ok(Patch::Clear),
        Patch::Set(text) => match times::parse_time(&text, ctx.now()) {
            Ok(time) => Ok(Patch::Set(time)),
            Err(error) => Err(Failure::usage(format!("--{name}: {error}."))),
        },
    }
}

/// Parses the start time of `--from`, which cannot be `none`.
pub(super) fn read_start_time(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<Option<Time>> {
    match read_time_or_none(ctx, matches, "valid-from")? {
        Patch::Set(time) => Ok(Some(time)),
        Patch::Keep => Ok(None),
        Patch::Clear => Err(Failure::usage("--from: specify a time, such as now.")),
    }
}

fn read_input(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<DiscountInput> {
    let services = matches
        .get_many::<String>("services")
        .map(|texts| texts.map(|text| parse_service_discount(text)).collect());
    let countries = match read_text_or_none(matches, "countries") {
        Patch::Keep => None,
        Patch::Clear => Some(Vec::new()),
        Patch::Set(codes) => Some(codes.split(',').map(|code| code.trim().to_uppercase()).collect()),
    };
    Ok(DiscountInput {
        name: optional_value(matches, "name"),
        valid_from: read_start_time(ctx, matches)?,
        valid_to: read_time_or_none(ctx, matches, "valid-to")?,
        is_countdown_enabled: optional_value(matches, "is-countdown-enabled"),
        countries,
        services: services.transpose()?,
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// Parses a service with its discount, such as `17=0.2`.
fn parse_service_discount(text: &str) -> CommandResult<DiscountServiceInput> {
    let usage_error =
        || Failure::usage(format!("--service {text}: expected ID=FRACTION, such as 17=0.2 for 20 percent."));
    let (id, fraction) = text.split_once('=').ok_or_else(usage_error)?;
    Ok(DiscountServiceInput {
        id: id.trim().parse().map_err(|_| usage_error())?,
        discount_fraction: fraction.trim().parse::<Fraction>().map_err(|_| usage_error())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_services_with_their_discounts() {
        let service_discount = parse_service_discount("17=0.2").unwrap();
        assert_eq!((service_discount.id.get(), service_discount.discount_fraction), (17, Fraction(200_000)));
        for text in ["17", "x=0.2", "17=much", "=", ""] {
            assert!(parse_service_discount(text).is_err(), "{text}");
        }
    }
}
