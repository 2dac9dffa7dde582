//! The list of external panels, with the SQL of its computed columns.

use crate::records::references::external_panel_reference;
use crate::records::search_texts;
use panel_platform::table::{RowSource, SearchTarget, Table, expr};

/// SQL expression: `archived` for an archived external panel, otherwise its stored status.
macro_rules! displayed_status {
    () => {
        "(CASE WHEN e.is_archived THEN 'archived' ELSE e.status END)"
    };
}

macro_rules! count_providers {
    () => {
        "(SELECT count(*) FROM providers p WHERE p.external_panel_id = e.id AND NOT p.is_archived)"
    };
}

macro_rules! count_open_orders {
    () => {
        "(SELECT count(*) FROM external_panel_orders a WHERE a.external_panel_id = e.id AND a.status IN ('Creating', 'Pending', 'In progress', 'Processing'))"
    };
}

pub static PANELS: Table = Table::new(
    &panel_contract::lists::external_panels::EXTERNAL_PANELS,
    RowSource {
        base: "external_panels",
        alias: "e",
        key: "e.id",
        select: concat!(
        "e.id, e.name, e.type AS kind, e.endpoint, e.api_token_sealed IS NOT NULL AS api_token_is_set, e.api_token_hint, e.currency, e.balance, e.balance_at,
  e.last_ok_at, e.last_error, e.low_balance, COALESCE(e.statistic_type, 'remains') AS statistic_type, e.sync_services, e.sync_packages, e.sync_prices,
  e.sync_labels, e.sync_name, e.sync_meta, e.sync_service_details, e.sync_description, e.sync_short_description, e.sync_reviews, e.sync_params,
  e.resale_margin_ppm, e.price_jump_ppm, e.auto_recreate_orders_is_allowed, e.rejection_messages, e.sync_failed, e.is_archived, e.status, e.created_at, e.updated_at, ",
        count_providers!(),
        " AS providers_count, ",
        count_open_orders!(),
        " AS open_orders_count, EXISTS (SELECT 1 FROM packages k JOIN provider_packages y ON y.id = k.provider_package_id WHERE y.external_panel_id = e.id AND k.sync AND NOT k.is_archived) AS has_synced_packages, EXISTS (",
        external_panel_reference!(settings, "e.id"),
        ") AS is_in_settings"
    ),
        ..RowSource::NONE
    },
    &[
        expr("status", displayed_status!()),
        expr("statistic_type", "COALESCE(e.statistic_type, 'remains')"),
        expr("providers_count", count_providers!()),
        expr("open_orders_count", count_open_orders!()),
    ],
)
.global_search(&[
    SearchTarget::new("e.id", &search_texts::EXTERNAL_PANELS, "name").own_columns(&["e.name", "e.endpoint"]),
]);
