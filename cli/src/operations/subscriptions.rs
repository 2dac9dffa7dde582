//! `subscriptions`: manages subscriptions, which place orders for each new content of a channel.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::subscriptions::{
    CancelSubscription, GetSubscription, GetSubscriptionCollections, RenewSubscription,
};
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request};
use crate::command::{CommandGroup, CommandSpec};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "subscriptions",
    alias: Some("subscription"),
    about: "Manage subscriptions: orders for each new content of a channel",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Bulk(&CANCEL),
        CommandSpec::Bulk(&RENEW),
        CommandSpec::Request(&COLLECTIONS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::subscriptions::SUBSCRIPTIONS,
    plural: "subscriptions",
    singular: "subscription",
    about: "List subscriptions, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("billing", "billing_type", "Filter by billing type"),
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("url", "url", "Filter by part of the channel's URL"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("service", "subscription_services", "Filter by service").text_value("ID|TEXT"),
        Filter::new("limit-contents", "contents_limit", "Filter by content limit"),
        Filter::new("polled", "last_polled_at", "Filter by the time the channel was last checked"),
        Filter::new("error", "last_error", "Filter by part of the error of reading the channel"),
        Filter::new(
            "wait-reason",
            "wait_reason",
            "Filter by part of the reason why the orders for a content are not placed yet",
        ),
        Filter::new("renews", "renews_at", "Filter by renewal time"),
        Filter::new("paused", "paused_at", "Filter by pause time"),
        Filter::new("expires", "expired_at", "Filter by expiry time"),
        Filter::new("completed", "completed_at", "Filter by completion time"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("subscriptions list --status in_processing", "active subscriptions"),
        ("subscriptions list --service 17", "subscriptions with a service"),
        (
            "subscriptions list --wait-reason balance --columns id,user.email,wait_reason",
            "subscriptions that wait for a sufficient balance",
        ),
    ],
};

const GET: GetCommand = GetCommand {
    singular: "subscription",
    about: "Show subscriptions with their services and newest contents",
    op: GetSubscription::OP,
    columns: &[],
    examples: &[("subscriptions get 17", "show one subscription")],
};

const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List billing types with their labels",
    examples: &[],
    op: GetSubscriptionCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetSubscriptionCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data/billing_types",
    columns: &[Column::new("type", DisplayKind::Enum), Column::new("label", DisplayKind::Text)],
    write: None,
};

const CANCEL: BulkCommand = BulkCommand {
    name: "cancel",
    past_participle: "canceled",
    about: "Cancel subscriptions; placed orders continue, the unused prepayment is refunded",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[CancelSubscription::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<CancelSubscription>,
    single_request: single_record_request::<CancelSubscription>,
    examples: &[
        ("subscriptions cancel 17", "cancel one subscription"),
        (
            "subscriptions cancel --user-id 42 --status in_processing --all-matching --dry-run",
            "show what would be refunded",
        ),
    ],
};

const RENEW: BulkCommand = BulkCommand {
    name: "renew",
    past_participle: "renewed",
    about: "Renew subscriptions that are paused because a renewal failed; charges the next period to the balance",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RenewSubscription::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<RenewSubscription>,
    single_request: single_record_request::<RenewSubscription>,
    examples: &[("subscriptions renew 17", "renew one subscription after the customer added funds")],
};
