//! `drip-feeds`: manages drip-feeds. A drip-feed is a prepaid series of equal orders.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::drip_feeds::CancelDripFeed;
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "drip-feeds",
    alias: Some("drip-feed"),
    about: "Manage drip-feeds: prepaid series of equal orders",
    commands: &[CommandSpec::List(&LIST), CommandSpec::Bulk(&CANCEL), CommandSpec::Export(&LIST)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::drip_feeds::DRIP_FEEDS,
    plural: "drip-feeds",
    singular: "drip-feed",
    about: "List drip-feeds, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("service", "service", "Filter by part of the service's name"),
        Filter::new("url", "url", "Filter by part of the link"),
        Filter::new("quantity", "quantity", "Filter by the quantity of each run"),
        Filter::new("total-quantity", "total_quantity", "Filter by the quantity of all runs"),
        Filter::new("runs", "runs", "Filter by number of runs"),
        Filter::new("minutes", "minutes_between_runs", "Filter by minutes between runs"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("drip-feeds list --status in_processing", "active drip-feeds"),
        ("orders list --drip-feed-id 17", "the orders of one drip-feed"),
    ],
};

const CANCEL: BulkCommand = BulkCommand {
    name: "cancel",
    past_participle: "canceled",
    about: "Cancel drip-feeds; placed orders continue, the remaining runs are refunded",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[CancelDripFeed::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<CancelDripFeed>,
    single_request: single_record_request::<CancelDripFeed>,
    examples: &[
        ("drip-feeds cancel 17", "cancel one drip-feed"),
        (
            "drip-feeds cancel --status in_processing --user-id 42 --all-matching --dry-run",
            "show what would be refunded",
        ),
    ],
};
