//! Free trials: what customers ask for.

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, RejectFreeTrial};
use panel_contract::free_trials::ApproveFreeTrialInput;
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::Done;
use crate::operations::orders::create::{target_arg, targets_of};

/// `free-trials`.
pub(crate) const NOUN: Noun = Noun {
    name: "free-trials",
    alias: Some("free-trial"),
    about: "Requests for free trials",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&APPROVE), Cmd::Act(&REJECT), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::free_trials::FREE_TRIALS,
    noun: "free-trials",
    one: "free-trial request",
    about: "Requests for free trials, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("quest-id", "quest_id", "Of this quest"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("valid-from", "valid_from", "Since when the quest is"),
        Filter::new("valid-to", "valid_to", "When the quest ends"),
        Filter::new("created", "created_at", "When it was made"),
    ],
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
        Ok(Some(of::<ApproveFreeTrial>(
            id.known_as(),
            &panel_contract::common::DryRun::NO,
            &wanted(matches)?,
        )?))
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
