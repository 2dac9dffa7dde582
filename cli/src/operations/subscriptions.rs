//! Subscriptions: orders for every new content of a channel.

use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::subscriptions::{
    CancelSubscription, GetSubscription, RenewSubscription, SubscriptionCollectionsOp,
};
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::call::{Call, of};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};

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
    of: &lists::subscriptions::SUBSCRIPTIONS,
    noun: "subscriptions",
    one: "subscription",
    about: "Subscriptions, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("billing", "billing_type", "How they are paid"),
        Filter::new("name", "name", "Part of the name"),
        Filter::new("url", "url", "Part of the channel's address"),
        Filter::new("user-id", "user_id", "The customer"),
        Filter::new("user", "user", "The customer, by name or email"),
        Filter::new("service", "subscription_services", "With this service").value("ID|TEXT"),
        Filter::new("limit-contents", "contents_limit", "Contents at the most"),
        Filter::new("looked", "looked_at", "When their channel was last read"),
        Filter::new("trouble", "last_error", "Part of why their channel cannot be read"),
        Filter::new("waits", "wait_reason", "Part of why a content waits for its orders"),
        Filter::new("renews", "renews_at", "When their period is renewed"),
        Filter::new("paused", "paused_at", "Since when they are paused"),
        Filter::new("expires", "expired_at", "When it ends at the latest"),
        Filter::new("completed", "completed_at", "When it was completed"),
        Filter::new("created", "created_at", "When it began"),
    ],
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
