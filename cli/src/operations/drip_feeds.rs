//! Drip-feeds: the same order placed repeatedly and paid in advance.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::drip_feeds::CancelDripFeed;
use panel_contract::lists;

use crate::command::act::{Verb, one_request_each, single};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

pub(crate) const NOUN: Noun = Noun {
    name: "drip-feeds",
    alias: Some("drip-feed"),
    about: "Manage drip-feeds: the same order placed repeatedly and paid in advance",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CANCEL), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::drip_feeds::DRIP_FEEDS,
    noun: "drip-feeds",
    one: "drip-feed",
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
        Filter::new("created", "created_at", "Filter by start time"),
    ],
    since: "created_at",
    examples: &[
        ("drip-feeds list --status in_processing", "active drip-feeds"),
        ("orders list --drip-feed-id 17", "the orders of one drip-feed"),
    ],
};

const CANCEL: Verb = Verb {
    name: "cancel",
    past: "canceled",
    about: "Cancel drip-feeds; placed orders continue, the remaining runs are refunded",
    list: &LIST,
    danger: Danger::Final,
    ops: &[CancelDripFeed::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: one_request_each::<CancelDripFeed>,
    single: single::<CancelDripFeed>,
    examples: &[
        ("drip-feeds cancel 17", "cancel one drip-feed"),
        (
            "drip-feeds cancel --status in_processing --user-id 42 --all-matching --dry-run",
            "show what would be refunded",
        ),
    ],
};
