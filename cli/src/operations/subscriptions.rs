//! Subscriptions: orders for every new content of a channel.

use panel_contract::drip_feeds::BatchStatus;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::subscriptions::{
    CancelSubscription, GetSubscription, ListSubscriptions, RenewSubscription, SubscriptionCollectionsOp,
};
use panel_contract::subscriptions::BillingType;

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, of};
use crate::command::confirm::Danger;
use crate::command::filter::{Filter, Takes};
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::words_of;

/// `subscriptions`.
pub(crate) const NOUN: Noun = Noun {
    name: "subscriptions",
    alias: Some("subscription"),
    about: "Subscriptions: orders for every new content of a channel",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Act(&CANCEL),
        Cmd::Act(&RENEW),
        Cmd::Call(&COLLECTIONS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    noun: "subscriptions",
    one: "subscription",
    about: "Subscriptions, newest first",
    op: ListSubscriptions::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("status", Kind::Word),
        Column::new("created_at", Kind::Time).titled("created"),
        Column::new("name", Kind::Text),
        Column::new("user.email", Kind::Text).titled("user"),
        Column::new("billing_type", Kind::Word).titled("billing"),
        Column::new("subscription_contents_count", Kind::Number).titled("contents"),
        Column::new("contents_limit", Kind::Number).titled("limit"),
        Column::new("orders_count", Kind::Number).titled("orders"),
        Column::new("cost", Kind::Number),
        Column::new("expired_at", Kind::Time).titled("ends"),
        Column::new("url", Kind::Text),
        Column::more("type", Kind::Word),
        Column::more("delay_minutes", Kind::Number).titled("delay"),
        Column::more("old_contents", Kind::Number).titled("old"),
        Column::more("looked_at", Kind::Time).titled("looked"),
        Column::more("look_at", Kind::Time).titled("looks"),
        Column::more("last_error", Kind::Text).titled("trouble"),
        Column::more("wait_reason", Kind::Text).titled("waits"),
        Column::more("period_days", Kind::Number).titled("period"),
        Column::more("renews_at", Kind::Time).titled("renews"),
        Column::more("paused_at", Kind::Time).titled("paused"),
        Column::more("returned", Kind::Number),
        Column::more("completed_at", Kind::Time),
        Column::more("canceled_at", Kind::Time),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
    ],
    filters: &[
        Filter { flag: "status", column: "status", takes: words_of!(BatchStatus), help: "Where they stand" },
        Filter {
            flag: "billing",
            column: "billing_type",
            takes: words_of!(BillingType),
            help: "How they are paid",
        },
        Filter { flag: "name", column: "name", takes: Takes::Any("TEXT"), help: "Part of the name" },
        Filter {
            flag: "url",
            column: "url",
            takes: Takes::Any("TEXT"),
            help: "Part of the channel's address",
        },
        Filter { flag: "user-id", column: "user_id", takes: Takes::Plain(&Takes::Ids), help: "The customer" },
        Filter {
            flag: "user",
            column: "user",
            takes: Takes::Any("TEXT"),
            help: "The customer, by name or email",
        },
        Filter {
            flag: "service",
            column: "subscription_services",
            takes: Takes::Any("ID|TEXT"),
            help: "With this service",
        },
        Filter {
            flag: "limit-contents",
            column: "contents_limit",
            takes: Takes::Numbers,
            help: "Contents at the most",
        },
        Filter {
            flag: "looked",
            column: "looked_at",
            takes: Takes::Time,
            help: "When their channel was last read",
        },
        Filter {
            flag: "trouble",
            column: "last_error",
            takes: Takes::Any("TEXT"),
            help: "Part of why their channel cannot be read",
        },
        Filter {
            flag: "waits",
            column: "wait_reason",
            takes: Takes::Any("TEXT"),
            help: "Part of why a content waits for its orders",
        },
        Filter {
            flag: "renews",
            column: "renews_at",
            takes: Takes::Time,
            help: "When their period is renewed",
        },
        Filter {
            flag: "paused",
            column: "paused_at",
            takes: Takes::Time,
            help: "Since when they are paused",
        },
        Filter {
            flag: "expires",
            column: "expired_at",
            takes: Takes::Time,
            help: "When it ends at the latest",
        },
        Filter {
            flag: "completed",
            column: "completed_at",
            takes: Takes::Time,
            help: "When it was completed",
        },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When it began" },
    ],
    also_filters: &[],
    since: "created_at",
    examples: &[
        ("subscriptions list --status in_processing", "what still places orders"),
        ("subscriptions list --service 17", "with a service"),
        (
            "subscriptions list --waits balance --columns id,user.email,wait_reason",
            "whose customers have too little money",
        ),
    ],
};

const GET: Get = Get {
    one: "subscription",
    about: "Subscriptions with their services and newest contents",
    op: GetSubscription::OP,
    columns: &[],
    examples: &[("subscriptions get 17", "one subscription")],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "Billing types with their labels",
    examples: &[],
    op: SubscriptionCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<SubscriptionCollectionsOp>((), &NoQuery {}, &NoBody {}),
    at: "/data/billing_types",
    columns: &[Column::new("type", Kind::Word), Column::new("label", Kind::Text)],
    write: None,
};

const CANCEL: Verb = Verb {
    name: "cancel",
    past: "canceled",
    about: "Cancels subscriptions: no more orders, placed ones go on, what was paid ahead for other contents goes back",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[CancelSubscription::OP],
    of_one: &[],
    args: |command| command,
    many: each::<CancelSubscription>,
    one: one::<CancelSubscription>,
    examples: &[
        ("subscriptions cancel 17", "one subscription"),
        (
            "subscriptions cancel --user-id 42 --status in_processing --all-matching --dry-run",
            "what would go back",
        ),
    ],
};

const RENEW: Verb = Verb {
    name: "renew",
    past: "renewed",
    about: "Renews paused subscriptions now: their next period is paid ahead from the balance",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[RenewSubscription::OP],
    of_one: &[],
    args: |command| command,
    many: each::<RenewSubscription>,
    one: one::<RenewSubscription>,
    examples: &[("subscriptions renew 17", "one subscription, after its customer paid in")],
};
