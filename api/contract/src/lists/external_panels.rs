//! Lists of external panels and of the payments to one of them.

use crate::endpoints::external_panels::{ListExternalPanelPayments, ListExternalPanels};
use crate::external_panels::{PanelStatus, PanelType, StatisticType};
use crate::lists::column::{Column, enum_value, exact_text, flag, id, money, number, text, time};
use crate::lists::{DESCENDING, List};

/// Payments to one external panel, the newest day first.
pub static EXTERNAL_PANEL_PAYMENTS: List = List::for_endpoint::<ListExternalPanelPayments>(
    "external-panel-payments",
    EXTERNAL_PANEL_PAYMENTS_COLUMNS,
)
.filters(&[id("external_panel_id", "")])
.order(&[("date", DESCENDING)])
.console_columns(&["date", "amount", "fee", "payment_method_commission", "bonus", "received"])
.validate();

const EXTERNAL_PANEL_PAYMENTS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    time("date", "Date"),
    money("amount", "Paid"),
    money("fee", "Fee"),
    money("payment_method_commission", "Payment method fee"),
    money("bonus", "Bonus"),
    money("received", "Credited"),
    time("created_at", "Created"),
    time("updated_at", ""),
];

/// External panels, newest first.
pub static EXTERNAL_PANELS: List =
    List::for_endpoint::<ListExternalPanels>("external-panels", EXTERNAL_PANELS_COLUMNS)
        .console_columns(&[
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
        .terminal_columns(&[
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
        .validate();

const EXTERNAL_PANELS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    enum_value("type", "Type", PanelType::VALUES),
    enum_value("status", "Status", PanelStatus::VALUES),
    enum_value("statistic_type", "Delivered quantity is based on", StatisticType::VALUES),
    text("endpoint", "API URL"),
    // Without a label, because staff find a panel by its name and not by the end of a secret.
    text("api_token_hint", "").nullable(),
    text("api_token", "").nullable().alias_of("api_token_hint").filter_only(),
    exact_text("currency", "Currency"),
    money("balance", "Balance").nullable(),
    // This column and the following columns without a label are displayed only on the detail page, to keep the list short.
    time("balance_at", "").nullable(),
    money("low_balance", "").nullable(),
    time("last_ok_at", "Last response").short_label("answered").nullable(),
    text("last_error", "Error").nullable(),
    flag("sync_failed", "Sync failed"),
    flag("auto_recreate_orders_is_allowed", ""),
    flag("is_archived", ""),
    number("providers_count", "Providers"),
    number("open_orders_count", "Open orders"),
    time("created_at", "Created"),
    time("updated_at", ""),
    text("type_label", "").short_label("type").row_only(),
    flag("sync_services", "Synced fields").row_only(),
];
