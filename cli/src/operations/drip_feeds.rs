//! Drip-feeds: the same order placed again and again, paid ahead.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::drip_feeds::CancelDripFeed;
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `drip-feeds`.
pub(crate) const NOUN: Noun = Noun {
    name: "drip-feeds",
    alias: Some("drip-feed"),
    about: "Drip-feeds: the same order placed again and again, paid ahead",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CANCEL), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::drip_feeds::DRIP_FEEDS,
    noun: "drip-feeds",
    one: "drip-feed",
    about: "Drip-feeds, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("service", "service", "Part of the service's name"),
        Filter::new("url", "url", "Part of the address"),
        Filter::new("quantity", "quantity", "Of each run"),
        Filter::new("total-quantity", "total_quantity", "Of all runs"),
        Filter::new("runs", "runs", "How many runs"),
        Filter::new("minutes", "minutes_between_runs", "From one run to the next"),
        Filter::new("created", "created_at", "When it began"),
    ],
    since: "created_at",
    examples: &[
        ("drip-feeds list --status in_processing", "what still places orders"),
        ("orders list --drip-feed-id 17", "the orders of one"),
    ],
};

const CANCEL: Verb = Verb {
    name: "cancel",
    past: "canceled",
    about: "Cancels drip-feeds: no more runs, placed orders go on, the money of the other runs goes back",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[CancelDripFeed::OP],
    of_one: &[],
    args: |command| command,
    many: each::<CancelDripFeed>,
    one: one::<CancelDripFeed>,
    examples: &[
        ("drip-feeds cancel 17", "one drip-feed"),
        (
            "drip-feeds cancel --status in_processing --user-id 42 --all-matching --dry-run",
            "what would go back",
        ),
    ],
};
