//! External panel orders: orders as they were placed at external panels.

use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::external_panel_orders::RecreateExternalPanelOrder;
use panel_contract::lists;

use crate::command::act::{Verb, each, one};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun};

/// `external-panel-orders`.
pub(crate) const NOUN: Noun = Noun {
    name: "external-panel-orders",
    alias: Some("external-orders"),
    about: "Orders as they were placed at external panels",
    verbs: &[Cmd::List(&LIST), Cmd::Act(&RECREATE), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::external_panel_orders::EXTERNAL_PANEL_ORDERS,
    noun: "external panel orders",
    one: "external panel order",
    about: "Orders as they were placed at external panels, newest first",
    filters: &[
        Filter::new("status", "status", "Where they stand there"),
        Filter::new("stuck", "stuck", "Open for longer than is usual, or waiting for a person"),
        Filter::new("order-id", "order_id", "The order"),
        Filter::new("order-status", "order.status", "Where the order stands"),
        Filter::new("provider-id", "provider_id", "The provider"),
        Filter::new("provider", "provider", "Part of the provider's name"),
        Filter::new("panel-id", "external_panel_id", "The external panel"),
        Filter::new("panel", "external_panel", "Part of the external panel's name"),
        Filter::new("id-there", "external_panel_order_id", "The id that it has there").value("ID"),
        Filter::new("alert", "alert_at", "Since when a person should look"),
        Filter::new(
            "unknown-message",
            "unknown_message",
            "Part of the words that left it open whether the panel took it",
        ),
        Filter::new("created", "created_at", "When it was made"),
    ],
    since: "created_at",
    examples: &[
        ("external-panel-orders list --stuck 1", "what a person should look at"),
        (
            "external-panel-orders list --stuck 1 --columns id,order.id,external_panel.id,unknown_message",
            "the panels' words that left it open; where they mean \"not taken\": external-panels add-rejection-message",
        ),
        ("external-panel-orders list --order-id 981204", "all attempts of one order"),
    ],
};

const RECREATE: Verb = Verb {
    name: "recreate",
    past: "recreated",
    about: "Places once more, at the same provider, what was left undelivered. Of one that nobody knows about this says that the panel did not take it: look there first",
    list: &LIST,
    danger: Danger::Final,
    reaches: &[RecreateExternalPanelOrder::OP],
    of_one: &[],
    args: |command| command,
    many: each::<RecreateExternalPanelOrder>,
    one: one::<RecreateExternalPanelOrder>,
    examples: &[
        ("external-panel-orders recreate 9001 9002", "two of them"),
        (
            "external-panel-orders recreate --stuck 1 --status Canceled --all-matching --dry-run",
            "what would be placed again",
        ),
    ],
};
