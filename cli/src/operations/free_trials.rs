//! `free-trials`: approves or rejects requests of customers for a free trial.

use clap::{Arg, ArgMatches};
use panel_client::bulk::action::BulkAction;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::free_trials::{ApproveFreeTrial, RejectFreeTrial};
use panel_contract::free_trials::ApproveFreeTrialInput;
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{build_request, optional_value};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;
use crate::operations::orders::create::{read_targets, target_arg};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "free-trials",
    alias: Some("free-trial"),
    about: "Manage requests for free trials",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Bulk(&APPROVE),
        CommandSpec::Bulk(&REJECT),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::free_trials::FREE_TRIALS,
    plural: "free-trial requests",
    singular: "free-trial request",
    about: "List free-trial requests, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("quest-id", "quest_id", "Filter by quest id"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new(
            "valid-from",
            "valid_from",
            "Filter by the start of the period in which the quest can be completed",
        ),
        Filter::new("valid-to", "valid_to", "Filter by the quest's end time"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[("free-trials list --status pending", "requests that wait for a decision")],
};

const APPROVE: BulkCommand = BulkCommand {
    name: "approve",
    past_participle: "approved",
    about: "Approve requests; places a free order for each request",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[ApproveFreeTrial::OP],
    single_record_flags: &[],
    args: |command| {
        command
            .arg(
                // The name `--quantity` is reserved for a filter of the list.
                Arg::new("order-quantity")
                    .long("order-quantity")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(i64).range(1..))
                    .help("Quantity to order, within the limits of the service [default: the quantity of the quest]"),
            )
            .arg(target_arg())
    },
    bulk_action: |matches| Ok(BulkAction::per_id::<ApproveFreeTrial>(&read_approval_input(matches)?)?),
    single_request: |matches, id| {
        Ok(Some(build_request::<ApproveFreeTrial>(
            id.typed_as(),
            &panel_contract::common::DryRun::NO,
            &read_approval_input(matches)?,
        )?))
    },
    examples: &[
        ("free-trials approve 17", "approve one request"),
        ("free-trials approve 17 18 --order-quantity 500", "approve two requests with 500 each"),
        (
            "free-trials approve 17 --target 'Comments=Great!'",
            "approve a request for a service that requires comments",
        ),
    ],
};

const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject requests",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RejectFreeTrial::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<RejectFreeTrial>,
    single_request: single_record_request::<RejectFreeTrial>,
    examples: &[
        ("free-trials reject 17", "reject one request"),
        (
            "free-trials reject --status pending --user-id 42 --all-matching",
            "reject all requests of one customer",
        ),
    ],
};

fn read_approval_input(matches: &ArgMatches) -> CommandResult<ApproveFreeTrialInput> {
    Ok(ApproveFreeTrialInput {
        quantity: optional_value(matches, "order-quantity"),
        targets: read_targets(matches)?,
    })
}
