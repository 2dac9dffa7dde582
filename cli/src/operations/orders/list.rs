//! The orders lists: what can be seen and filtered.

use panel_contract::lists;

use crate::command::filter::Filter;
use crate::command::list::List;

/// Orders.
pub(crate) const ORDERS: List = List {
    of: &lists::orders::ORDERS,
    noun: "orders",
    one: "order",
    about: "Orders, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand"),
        Filter::new("approval", "approval", "What moderation said"),
        Filter::new("source", "source", "Where they came from"),
        Filter::new("user-id", "user.id", "The customer"),
        Filter::new("user", "user", "Part of a customer's name or email"),
        Filter::new("service-id", "service.id", "The service"),
        Filter::new("service", "service", "Part of a service's name"),
        Filter::new("url", "url", "Part of the address"),
        Filter::new("cost", "cost", "What was charged"),
        Filter::new("quantity", "quantity", "How many were ordered"),
        Filter::new("created", "created_at", "When they were placed"),
        Filter::new("completed", "completed_at", "When they were completed"),
        Filter::new("no-active-providers", "has_no_active_providers", "In processing, and nobody delivers"),
        Filter::new("subscription-id", "subscription_id", "Placed by it"),
        Filter::new("drip-feed-id", "drip_feed_id", "Placed by it"),
        Filter::new("combo-order-id", "combo_order_id", "Part of it"),
    ],
    since: "created_at",
    examples: &[
        ("orders list --status in_moderation --since 7d", "what waits for moderation, of the last week"),
        (
            "orders list --user-id 42 --cost 10.. --sort -cost",
            "one customer's dear orders, the dearest first",
        ),
        (
            "orders list --status stopped --all -o ids | panelctl orders activate --ids-from - --yes",
            "lists feed actions",
        ),
        ("orders list --all --since 2026-11-01 -o csv > november.csv", "for a spreadsheet"),
    ],
};

/// Orders of child panels.
pub(crate) const CHILD_PANEL_ORDERS: List = List {
    of: &lists::orders::CHILD_PANEL_ORDERS,
    about: "Orders of child panels, newest first",
    examples: &[("child-panel-orders list --status in_processing", "what child panels have running")],
    ..ORDERS
};
