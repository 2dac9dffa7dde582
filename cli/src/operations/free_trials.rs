//! Free trials: what customers ask for.

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, ListFreeTrials, RejectFreeTrial};
use panel_contract::free_trials::{ApproveFreeTrialInput, FreeTrialStatus};

use crate::command::act::{Verb, each, one};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::operations::orders::create::{target_arg, targets_of};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `free-trials`.
pub(crate) const NOUN: Noun = Noun {
    name: "free-trials",
    alias: Some("free-trial"),
    about: "Requests for free trials",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&APPROVE), Cmd::Act(&REJECT), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "free-trials",
    one: "free-trial request",
    about: "Requests for free trials, newest first",
    op: ListFreeTrials::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("name", Kind::Text),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("quantity", Kind::Number),
        Column::new("url", Kind::Text),
        Column::new("proof_url", Kind::Text).titled("proof"),
        Column::new("order_id", Kind::Id).titled("order"),
        Column::more("free_trial_quest_id", Kind::Id),
        Column::more("approved_by.name", Kind::Text),
        Column::more("approved_at", Kind::Time),
        Column::more("valid_from", Kind::Time),
        Column::more("valid_to", Kind::Time),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter {
            flag: "status",
            column: "status",
            takes: words_of!(FreeTrialStatus),
            help: "Where they stand",
        },
        Filter {
            flag: "quest-id",
            column: "quest_id",
            takes: Takes::Plain(&Takes::Ids),
            help: "Of this quest",
        },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter {
            flag: "valid-from",
            column: "valid_from",
            takes: Takes::Time,
            help: "Since when the quest is",
        },
        Filter { flag: "valid-to", column: "valid_to", takes: Takes::Time, help: "When the quest ends" },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it was made" },
    ],
    also_filters: &["approved_by", "approved_by.id"],
    since: "created_at",
    examples: &[("free-trials list --status pending", "what waits to be decided")],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approves requests: an order that costs nothing is placed for each",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[ApproveFreeTrial::OP],
    of_one: &[],
    args: |command| {
        command
            .arg(
                // The list could filter by quantity under the same word.
                Arg::new("give")
                    .long("give")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(i64).range(1..))
                    .help("How many, within the service's bounds [default: what the quest gives]"),
            )
            .arg(target_arg())
    },
    many: |matches| Ok(Action::each::<ApproveFreeTrial>(&wanted(matches)?)?),
    one: |matches, id| {
        Ok(Some(of::<ApproveFreeTrial>(id, &panel_contract::common::DryRun::NO, &wanted(matches)?)?))
    },
    examples: &[
        ("free-trials approve 17", "one request"),
        ("free-trials approve 17 18 --give 500", "two requests, 500 each"),
        ("free-trials approve 17 --target 'Comments=Great!'", "one whose service asks for comments"),
    ],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Rejects requests",
    reaches: &[RejectFreeTrial::OP],
    args: |command| command,
    many: each::<RejectFreeTrial>,
    one: one::<RejectFreeTrial>,
    examples: &[
        ("free-trials reject 17", "one request"),
        ("free-trials reject --status pending --user-id 42 --all-matching", "everything of one customer"),
    ],
    ..APPROVE
};

fn wanted(matches: &ArgMatches) -> Done<ApproveFreeTrialInput> {
    Ok(ApproveFreeTrialInput { quantity: opt(matches, "give"), targets: targets_of(matches)? })
}
