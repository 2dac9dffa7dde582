//! Discounts: a percentage off the price of some services, for a limited time.

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

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run, is_dry};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, text_arg};
use crate::command::{Cmd, Noun, times};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};

pub(crate) const NOUN: Noun = Noun {
    name: "discounts",
    alias: Some("discount"),
    about: "Manage discounts on services",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&COMPLETE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::discounts::DISCOUNTS,
    noun: "discounts",
    one: "discount",
    about: "List discounts, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("status", "status", "Filter by current status"),
        Filter::new("begins", "valid_from", "Filter by start time"),
        Filter::new("ends", "valid_to", "Filter by end time"),
        Filter::new("countries", "countries", "Filter by country: any of these two-letter codes")
            .value("CODES"),
    ],
    since: "created_at",
    examples: &[("discounts list --status active,scheduled", "active and scheduled discounts")],
};

const GET: Get = Get {
    one: "discount",
    about: "Show discounts with their services and overlapping discounts",
    op: GetDiscount::OP,
    columns: &[],
    examples: &[("discounts get 3", "show one discount")],
};

const CREATE: Call = Call {
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
    args: fields,
    request: |ctx, matches| {
        let dry = DryRun { dry_run: is_dry(matches) };
        of::<CreateDiscount>((), &dry, &input(ctx, matches)?)
    },
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this discount?".to_owned(),
        danger: Danger::Reversible("panelctl discounts archive"),
        success: |_| "Discount created.".to_owned(),
        has_dry_run: true,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a discount; fields without an option keep their values",
    examples: &[("discounts update 3 --to '2026-12-02 00:00'", "extend it by two days")],
    op: UpdateDiscount::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |ctx, matches| {
        let dry = DryRun { dry_run: is_dry(matches) };
        of::<UpdateDiscount>(id(matches)?, &dry, &input(ctx, matches)?)
    },
    write: Some(Write {
        question: |matches| format!("Update discount {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Discount {} updated.", id_value(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

const COMPLETE: Call = Call {
    name: "complete",
    about: "End a discount now; this is final",
    examples: &[("discounts complete 3", "return to the standard prices")],
    op: CompleteDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<CompleteDiscount>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("End discount {} now?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Discount {} ended.", id_value(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveDiscount, {
    about: "Archive a discount; it no longer applies",
    example: ("discounts archive 3", "archive one discount; restore it with discounts unarchive"),
    question: "Archive discount {}?",
    success: "Discount {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveDiscount, {
    about: "Restore an archived discount; its start and end time apply",
    example: ("discounts unarchive 3", "restore one discount; it applies until its end time"),
    question: "Restore discount {}?",
    success: "Discount {} restored.",
});

fn fields(command: Command) -> Command {
    command.args([
        text_arg("name", "Name that staff see"),
        text_arg("valid-from", "Start time, such as now, 2026-11-27 or '2026-11-27 08:00' (UTC)")
            .long("from")
            .value_name("MOMENT"),
        text_arg("valid-to", "End time, or none to end it manually").long("to").value_name("MOMENT"),
        on_off_arg("is-countdown-enabled").long("countdown").help("Show customers a countdown"),
        text_arg(
            "countries",
            "Only for customers of these countries, as ISO codes separated by commas, or none for all",
        )
        .value_name("CODES"),
        Arg::new("services")
            .long("service")
            .value_name("ID=SHARE")
            .action(ArgAction::Append)
            .help("Service and its discount, such as 17=0.2; repeat for all services"),
        below_margin_arg(),
    ])
}

/// The time of an option; `none` clears it.
pub(super) fn time_patch(ctx: &Ctx, matches: &ArgMatches, name: &str) -> CmdResult<Patch<Time>> {
    match patch(matches, name) {
        Patch::Keep => Ok(Patch::Keep),
        Patch::Clear => Ok(Patch::Clear),
        Patch::Set(text) => match times::moment(&text, ctx.now()) {
            Ok(time) => Ok(Patch::Set(time)),
            Err(error) => Err(Failure::usage(format!("--{name}: {error}."))),
        },
    }
}

/// The start time of `--from`, which cannot be `none`.
pub(super) fn start_time(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<Option<Time>> {
    match time_patch(ctx, matches, "valid-from")? {
        Patch::Set(time) => Ok(Some(time)),
        Patch::Keep => Ok(None),
        Patch::Clear => Err(Failure::usage("--from: specify a time, such as now.")),
    }
}

fn input(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<DiscountInput> {
    let services =
        matches.get_many::<String>("services").map(|all| all.map(|text| parse_service(text)).collect());
    let countries = match patch(matches, "countries") {
        Patch::Keep => None,
        Patch::Clear => Some(Vec::new()),
        Patch::Set(codes) => Some(codes.split(',').map(|code| code.trim().to_uppercase()).collect()),
    };
    Ok(DiscountInput {
        name: opt(matches, "name"),
        valid_from: start_time(ctx, matches)?,
        valid_to: time_patch(ctx, matches, "valid-to")?,
        is_countdown_enabled: opt(matches, "is-countdown-enabled"),
        countries,
        services: services.transpose()?,
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// Parses `17=0.2`.
fn parse_service(text: &str) -> CmdResult<DiscountServiceInput> {
    let invalid =
        || Failure::usage(format!("--service {text}: expected ID=SHARE, such as 17=0.2 for 20 percent."));
    let (id, share) = text.split_once('=').ok_or_else(invalid)?;
    Ok(DiscountServiceInput {
        id: id.trim().parse().map_err(|_| invalid())?,
        discount_percent: share.trim().parse::<Fraction>().map_err(|_| invalid())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_services_with_their_discounts() {
        let parsed = parse_service("17=0.2").unwrap();
        assert_eq!((parsed.id.get(), parsed.discount_percent), (17, Fraction(200_000)));
        for bad in ["17", "x=0.2", "17=much", "=", ""] {
            assert!(parse_service(bad).is_err(), "{bad}");
        }
    }
}
