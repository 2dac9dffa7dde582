//! The lists of orders and of the orders of child panels.

use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::list::ListCommand;

const ORDER_FILTERS: &[Filter] = &[
    Filter::new("status", "status", "Filter by status"),
    Filter::new("approval", "approval", "Filter by moderation result"),
    Filter::new("source", "source", "Filter by source"),
    Filter::new("user-id", "user.id", "Filter by customer id"),
    Filter::new("user", "user", "Filter by part of a customer's name or email"),
    Filter::new("service-id", "service.id", "Filter by service id"),
    Filter::new("service", "service", "Filter by part of a service's name"),
    Filter::new("url", "url", "Filter by part of the link"),
    Filter::new("cost", "cost", "Filter by cost"),
    Filter::new("quantity", "quantity", "Filter by ordered quantity"),
    Filter::new("created", "created_at", "Filter by creation time"),
    Filter::new("completed", "completed_at", "Filter by completion time"),
    Filter::new(
        "no-active-providers",
        "has_no_active_providers",
        "Filter by orders in progress whose service has no available provider (1), or all other orders (0)",
    ),
    Filter::new("subscription-id", "subscription_id", "Filter by subscription id"),
    Filter::new("drip-feed-id", "drip_feed_id", "Filter by drip-feed id"),
    Filter::new("combo-order-id", "combo_order_id", "Filter by combo order id"),
];

pub(crate) const ORDERS: ListCommand = ListCommand {
    declaration: &lists::orders::ORDERS,
    plural: "orders",
    singular: "order",
    about: "List orders, newest first",
    filters: ORDER_FILTERS,
    time_column: "created_at",
    examples: &[
        ("orders list --status in_moderation --since 7d", "orders of the last week that wait for moderation"),
        (
            "orders list --user-id 42 --cost 10.. --sort -cost",
            "one customer's expensive orders, the most expensive first",
        ),
        (
            "orders list --status stopped --all -o ids | panelctl orders activate --ids-from - --yes",
            "pass the ids of a list to an action",
        ),
        ("orders list --all --since 2026-11-01 -o csv > november.csv", "export to a file for a spreadsheet"),
    ],
};

pub(crate) const CHILD_PANEL_ORDERS: ListCommand = ListCommand {
    declaration: &lists::orders::CHILD_PANEL_ORDERS,
    plural: "orders",
    singular: "order",
    about: "List orders of child panels, newest first",
    filters: ORDER_FILTERS,
    time_column: "created_at",
    examples: &[("child-panel-orders list --status in_processing", "active orders of child panels")],
};
