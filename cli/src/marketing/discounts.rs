//! Discounts: a share off the price of some services, for a while.

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Fraction;
use panel_contract::common::{DryRun, Patch};
use panel_contract::discounts::{DiscountInput, DiscountServiceInput};
use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::discounts::{
    ArchiveDiscount, CompleteDiscount, CreateDiscount, GetDiscount, UnarchiveDiscount, UpdateDiscount,
};
use panel_contract::lists;
use panel_contract::moment::Time;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt};
use crate::command::confirm::{Danger, below_margin_arg, confirms_below_margin, dry_run, is_dry};
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{patch, text_arg};
use crate::command::{Cmd, Noun, when};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};

/// `discounts`.
pub(crate) const NOUN: Noun = Noun {
    name: "discounts",
    alias: Some("discount"),
    about: "Shares off the price of some services, for a while",
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
    of: &lists::discounts::DISCOUNTS,
    noun: "discounts",
    one: "discount",
    about: "Discounts, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("status", "status", "Where it stands now"),
        Filter::new("begins", "valid_from", "When it begins"),
        Filter::new("ends", "valid_to", "When it ends"),
        Filter::new("countries", "countries", "Countries that it names, any of these two-letter codes")
            .value("CODES"),
    ],
    since: "created_at",
    examples: &[("discounts list --status active,scheduled", "what runs and what comes")],
};

const GET: Get = Get {
    one: "discount",
    about: "Discounts with their services, and what overlaps",
    op: GetDiscount::OP,
    columns: &[],
    examples: &[("discounts get 3", "one discount")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a discount; --dry-run shows which others it would meet",
    examples: &[
        (
            "discounts create --name 'Black Friday' --from '2026-11-27 00:00' --to '2026-11-30 00:00' --service 17=0.2 --service 18=0.15 --dry-run",
            "what would overlap",
        ),
        (
            "discounts create --name Launch --from now --to none --service 17=0.1 --countries DE,AT",
            "for two countries",
        ),
    ],
    op: CreateDiscount::OP,
    args: fields,
    request: |ctx, matches| {
        let dry = DryRun { dry_run: is_dry(matches) };
        of::<CreateDiscount>((), &dry, &input(ctx, matches)?)
    },
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this discount?".to_owned(),
        danger: Danger::Reversible("panelctl discounts archive"),
        said: |_| "The discount is made.".to_owned(),
        rehearses: true,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a discount; only what is named",
    examples: &[("discounts update 3 --to '2026-12-02 00:00'", "two days longer")],
    op: UpdateDiscount::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |ctx, matches| {
        let dry = DryRun { dry_run: is_dry(matches) };
        of::<UpdateDiscount>(id(matches)?, &dry, &input(ctx, matches)?)
    },
    write: Some(Write {
        question: |matches| format!("Change discount {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Discount {} is changed.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

const COMPLETE: Call = Call {
    name: "complete",
    about: "Ends a discount now, for good",
    examples: &[("discounts complete 3", "prices are the usual ones from now on")],
    op: CompleteDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<CompleteDiscount>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("End discount {} now?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Discount {} is completed.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveDiscount, {
    about: "Puts a discount away; it lowers nothing any more",
    example: ("discounts archive 3", "see discounts unarchive"),
    question: "Archive discount {}?",
    said: "Discount {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveDiscount, {
    about: "Brings an archived discount back, as its bounds say",
    example: ("discounts unarchive 3", "it runs again, when its time is not over"),
    question: "Bring discount {} back?",
    said: "Discount {} is back.",
});

fn fields(command: Command) -> Command {
    command.args([
        text_arg("name", "What staff call it"),
        text_arg("valid-from", "When it begins, such as now, 2026-11-27 or '2026-11-27 08:00' (UTC)")
            .long("from")
            .value_name("MOMENT"),
        text_arg("valid-to", "When it ends; none: when somebody completes it")
            .long("to")
            .value_name("MOMENT"),
        on_off_arg("is-countdown-enabled")
            .long("countdown")
            .help("Whether customers see how long it still runs"),
        text_arg("countries", "Only for customers of these, by ISO code with commas; none for all")
            .value_name("CODES"),
        Arg::new("services")
            .long("service")
            .value_name("ID=SHARE")
            .action(ArgAction::Append)
            .help("A service and what is taken off, such as 17=0.2; all of them, each once"),
        below_margin_arg(),
    ])
}

/// A moment of a flag; `none` clears.
pub(super) fn moment_of(ctx: &Ctx, matches: &ArgMatches, name: &str) -> Done<Patch<Time>> {
    match patch(matches, name) {
        Patch::Keep => Ok(Patch::Keep),
        Patch::Clear => Ok(Patch::Clear),
        Patch::Set(text) => match when::moment(&text, ctx.now()) {
            Ok(time) => Ok(Patch::Set(time)),
            Err(error) => Err(Failure::usage(format!("--{name}: {error}."))),
        },
    }
}

/// The moment where one is given; `none` is none of them.
pub(super) fn begin_of(ctx: &Ctx, matches: &ArgMatches) -> Done<Option<Time>> {
    match moment_of(ctx, matches, "valid-from")? {
        Patch::Set(time) => Ok(Some(time)),
        Patch::Keep => Ok(None),
        Patch::Clear => Err(Failure::usage("--from: say a moment, such as now.")),
    }
}

fn input(ctx: &Ctx, matches: &ArgMatches) -> Done<DiscountInput> {
    let services = matches.get_many::<String>("services").map(|all| all.map(|text| line(text)).collect());
    let countries = match patch(matches, "countries") {
        Patch::Keep => None,
        Patch::Clear => Some(Vec::new()),
        Patch::Set(codes) => Some(codes.split(',').map(|code| code.trim().to_uppercase()).collect()),
    };
    Ok(DiscountInput {
        name: opt(matches, "name"),
        valid_from: begin_of(ctx, matches)?,
        valid_to: moment_of(ctx, matches, "valid-to")?,
        is_countdown_enabled: opt(matches, "is-countdown-enabled"),
        countries,
        services: services.transpose()?,
        updated_at: None,
        confirm_below_margin: confirms_below_margin(matches),
    })
}

/// `17=0.2`.
fn line(text: &str) -> Done<DiscountServiceInput> {
    let wrong = || Failure::usage(format!("--service {text}: say ID=SHARE, such as 17=0.2 for 20 percent."));
    let (id, share) = text.split_once('=').ok_or_else(wrong)?;
    Ok(DiscountServiceInput {
        id: id.trim().parse().map_err(|_| wrong())?,
        discount_percent: share.trim().parse::<Fraction>().map_err(|_| wrong())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_given_with_their_shares() {
        let read = line("17=0.2").unwrap();
        assert_eq!((read.id.get(), read.discount_percent), (17, Fraction(200_000)));
        for bad in ["17", "x=0.2", "17=much", "=", ""] {
            assert!(line(bad).is_err(), "{bad}");
        }
    }
}
