//! Lists of external panels and of the payments to one of them.

use crate::endpoints::external_panels::{ListExternalPanelPayments, ListExternalPanels};
use crate::external_panels::{PanelStatus, PanelType, StatisticType};
use crate::lists::List;
use crate::lists::column::{Column, exact, flag, id, money, number, text, time, word};

/// Payments to one external panel, the newest day first.
pub static EXTERNAL_PANEL_PAYMENTS: List =
    List::of::<ListExternalPanelPayments>("external-panel-payments", EXTERNAL_PANEL_PAYMENTS_COLUMNS)
        .filters(&[id("external_panel_id", "")])
        .order(&[("date", true)])
        .wide(&["date", "amount", "fee", "payment_method_commission", "bonus", "received"])
        .checked();

const EXTERNAL_PANEL_PAYMENTS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("date", "Date"),
    money("amount", "Spent"),
    money("fee", "Fee"),
    money("payment_method_commission", "Commission"),
    money("bonus", "Bonus"),
    money("received", "Received"),
    time("created_at", "Created"),
    time("updated_at", ""),
];

/// External panels, newest first.
pub static EXTERNAL_PANELS: List = List::of::<ListExternalPanels>("external-panels", EXTERNAL_PANELS_COLUMNS)
    .wide(&[
        "id",
        "name",
        "type",
        "status",
        "balance",
        "currency",
        "last_ok_at",
        "last_error",
        "sync_services",
        "providers_count",
        "open_orders_count",
        "created_at",
    ])
    .narrow(&[
        "id",
        "name",
        "type_label",
        "status",
        "balance",
        "currency",
        "last_ok_at",
        "last_error",
        "providers_count",
        "open_orders_count",
    ])
    .checked();

const EXTERNAL_PANELS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    word("type", "Type", PanelType::WORDS),
    word("status", "Status", PanelStatus::WORDS),
    word("statistic_type", "What tells how much was delivered", StatisticType::WORDS),
    text("endpoint", "Address"),
    // The end of a secret: a panel is found by its name.
    text("api_token_hint", "").nullable(),
    text("api_token", "").nullable().alias_of("api_token_hint").filter_only(),
    exact("currency", "Currency"),
    money("balance", "Balance").nullable(),
    // The page of the panel shows it, as the list is short; so are all below without a label.
    time("balance_at", "").nullable(),
    money("low_balance", "").nullable(),
    time("last_ok_at", "Last answer").short("answered").nullable(),
    text("last_error", "Error").nullable(),
    flag("sync_failed", "Sync failed"),
    flag("auto_recreate_orders_is_allowed", ""),
    flag("is_archived", ""),
    number("providers_count", "Providers"),
    number("open_orders_count", "Open orders"),
    time("created_at", "Created"),
    time("updated_at", ""),
    text("type_label", "").short("type").row_only(),
    flag("sync_services", "Taken over from it").row_only(),
];
