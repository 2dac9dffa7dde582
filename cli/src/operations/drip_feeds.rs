//! Drip-feeds: the same order placed again and again, paid ahead.

use panel_contract::drip_feeds::BatchStatus;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::drip_feeds::{CancelDripFeed, ListDripFeeds};

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `drip-feeds`.
pub(crate) const NOUN: Noun = Noun {
    name: "drip-feeds",
    alias: Some("drip-feed"),
    about: "Drip-feeds: the same order placed again and again, paid ahead",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&CANCEL), Cmd::Export(&LIST)],
};

const LIST: List = List {
    noun: "drip-feeds",
    one: "drip-feed",
    about: "Drip-feeds, newest first",
    op: ListDripFeeds::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("service.name", Kind::Text).titled("service"),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("quantity", Kind::Number),
        Column::new("orders_count", Kind::Number).titled("orders"),
        Column::new("runs", Kind::Number),
        Column::new("minutes_between_runs", Kind::Number).titled("minutes"),
        Column::new("cost", Kind::Number),
        Column::new("next_run_at", Kind::Time).titled("next run"),
        Column::new("url", Kind::Text),
        Column::more("name", Kind::Text),
        Column::more("last_error", Kind::Text),
        Column::more("total_quantity", Kind::Number),
        Column::more("price", Kind::Number),
        Column::more("returned", Kind::Number),
        Column::more("completed_at", Kind::Time),
        Column::more("canceled_at", Kind::Time),
        Column::more("service.id", Kind::Id),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter { flag: "status", column: "status", takes: words_of!(BatchStatus), help: "Where they stand" },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter {
            flag: "service",
            column: "service",
            takes: Takes::Any("TEXT"),
            help: "Part of the service's name",
        },
        Filter { flag: "url", column: "url", takes: Takes::Any("TEXT"), help: "Part of the address" },
        Filter { flag: "quantity", column: "quantity", takes: Takes::Numbers, help: "Of each run" },
        Filter {
            flag: "total-quantity",
            column: "total_quantity",
            takes: Takes::Numbers,
            help: "Of all runs",
        },
        Filter { flag: "runs", column: "runs", takes: Takes::Numbers, help: "How many runs" },
        Filter {
            flag: "minutes",
            column: "minutes_between_runs",
            takes: Takes::Numbers,
            help: "From one run to the next",
        },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it began" },
    ],
    also_filters: &[],
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
