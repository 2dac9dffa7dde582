//! Free trials that customers request.

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::Action;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, RejectFreeTrial};
use panel_contract::free_trials::ApproveFreeTrialInput;
use panel_contract::lists;

use crate::command::act::{Verb, one_request_each, single};
use crate::command::call::{of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;
use crate::operations::orders::create::{target_arg, targets_of};

pub(crate) const NOUN: Noun = Noun {
    name: "free-trials",
    alias: Some("free-trial"),
    about: "Manage requests for free trials",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&APPROVE), Cmd::Act(&REJECT), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::free_trials::FREE_TRIALS,
    noun: "free-trial requests",
    one: "free-trial request",
    about: "List free-trial requests, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("quest-id", "quest_id", "Filter by quest id"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("valid-from", "valid_from", "Filter by the quest's start time"),
        Filter::new("valid-to", "valid_to", "Filter by the quest's end time"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    since: "created_at",
    examples: &[("free-trials list --status pending", "requests that wait for a decision")],
};

const APPROVE: Verb = Verb {
    name: "approve",
    past: "approved",
    about: "Approve requests; places a free order for each",
    list: &LIST,
    danger: Danger::Final,
    ops: &[ApproveFreeTrial::OP],
    single_record_flags: &[],
    args: |command| {
        command
            .arg(
                // Not `--quantity`: that name is reserved for a filter of the list.
                Arg::new("give")
                    .long("give")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(i64).range(1..))
                    .help("Quantity to order, within the service's limits [default: the quest's quantity]"),
            )
            .arg(target_arg())
    },
    bulk: |matches| Ok(Action::each::<ApproveFreeTrial>(&approval_input(matches)?)?),
    single: |matches, id| {
        Ok(Some(of::<ApproveFreeTrial>(
            id.typed_as(),
            &panel_contract::common::DryRun::NO,
            &approval_input(matches)?,
        )?))
    },
    examples: &[
        ("free-trials approve 17", "approve one request"),
        ("free-trials approve 17 18 --give 500", "approve two requests with 500 each"),
        (
            "free-trials approve 17 --target 'Comments=Great!'",
            "approve a request for a service that requires comments",
        ),
    ],
};

const REJECT: Verb = Verb {
    name: "reject",
    past: "rejected",
    about: "Reject requests",
    ops: &[RejectFreeTrial::OP],
    args: |command| command,
    bulk: one_request_each::<RejectFreeTrial>,
    single: single::<RejectFreeTrial>,
    examples: &[
        ("free-trials reject 17", "reject one request"),
        (
            "free-trials reject --status pending --user-id 42 --all-matching",
            "reject all requests of one customer",
        ),
    ],
    ..APPROVE
};

fn approval_input(matches: &ArgMatches) -> CmdResult<ApproveFreeTrialInput> {
    Ok(ApproveFreeTrialInput { quantity: opt(matches, "give"), targets: targets_of(matches)? })
}
