//! Lists the placement attempts of orders at external panels, and decides which of them are stuck. `recreate` places an undelivered
//! quantity again. This module sends no request to an external panel, because dispatch sends new attempts. It changes no balance.

pub mod recreate;

use panel_contract::amount::Money;
use panel_contract::common::NamedRef;
use panel_contract::endpoints::external_panel_orders::{ListExternalPanelOrders, RecreateExternalPanelOrder};
use panel_contract::external_panel_orders::{AttemptedOrder, ExternalPanelOrder, ExternalPanelOrderActions};
use panel_contract::ids::{
    ExternalOrderId, ExternalPanelId, ImportableServiceId, OrderId, ProviderId, ServiceId,
};
use panel_contract::moment::{Time, Timestamp, duration_micros};
use panel_contract::orders::{ExternalStatus, OrderStatus};
use panel_contract::permission::Permission;
use panel_domain::states::placement_attempts::state::{AttemptColumns, AttemptState};

use crate::http::api::Api;
use crate::operations::cancel_requests::store::cancel_requested;
use crate::pricing::available::provider_is_available;
use crate::records::search_texts;
use crate::stores::placement_attempts::conditions::attempt_is;
use crate::supply::external_orders::recreate::RecreateFacts;
use crate::supply::late_thresholds::DEFAULT_LATE_AFTER;
use panel_platform::scope::Scope;
use panel_platform::table::{
    ColumnSql, CountGroup, Join, JoinTable, RowSource, SearchTarget, Table, TextIndex, base_column, expr,
};

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListExternalPanelOrders, _, _>(
        &EXTERNAL_PANEL_ORDERS,
        ExternalOrderRow::into_external_panel_order,
    )
    .route::<RecreateExternalPanelOrder, _, _, _>(recreate::recreate)
}

static EXTERNAL_ID_INDEX: TextIndex = TextIndex::trigrams("external_panel_orders", &["external_order_id"]);

pub static EXTERNAL_PANEL_ORDERS: Table = Table::new(
    &panel_contract::lists::external_panel_orders::EXTERNAL_PANEL_ORDERS,
    RowSource {
        base: "external_panel_orders",
        alias: "e",
        key: "e.id",
        joins: &[
            Join { alias: "o", sql: "JOIN orders o ON o.id = e.order_id" },
            Join {
                alias: "s",
                sql: "JOIN services s ON s.id = (SELECT so.service_id FROM orders so WHERE so.id = e.order_id)",
            },
            Join { alias: "p", sql: "JOIN providers p ON p.id = e.provider_id" },
            Join { alias: "x", sql: "LEFT JOIN external_panels x ON x.id = e.external_panel_id" },
        ],
        select: ATTEMPT_SELECT_LIST,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("e.id", &EXTERNAL_ID_INDEX, "external_panel_order_id").own_columns(&["e.external_order_id"]),
    SearchTarget::new("e.provider_id", &search_texts::PROVIDERS, "provider"),
    SearchTarget::new("e.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel"),
    SearchTarget::new("e.order_id", &search_texts::ORDERS, "order.id"),
    SearchTarget::new("e.order_id", &search_texts::SERVICES, "service.name").through_join_table(ORDERS_OF_SERVICE),
])
.count_from("external_panel_orders", "");

/// Columns whose SQL differs from the column of the same name in the base table, or that have a count or a search index.
const COLUMN_SQL: &[ColumnSql] = &[
    expr("order.id", "e.order_id"),
    expr("order.name", "o.name").join("o"),
    expr("order.status", "o.status").join("o"),
    expr("service", "s.name")
        .join("s")
        .text_index("e.order_id", &search_texts::SERVICES, "name")
        .through_join_table(ORDERS_OF_SERVICE.select, ORDERS_OF_SERVICE.column),
    expr("service.id", "s.id").join("s"),
    expr("service.name", "s.name").join("s"),
    expr("provider", "p.name").join("p").text_index("e.provider_id", &search_texts::PROVIDERS, "name"),
    expr("provider.id", "e.provider_id"),
    expr("provider.name", "p.name").join("p").text_index("e.provider_id", &search_texts::PROVIDERS, "name"),
    expr("external_panel", "x.name").join("x").text_index(
        "e.external_panel_id",
        &search_texts::EXTERNAL_PANELS,
        "name",
    ),
    expr("external_panel.id", "e.external_panel_id"),
    expr("external_panel.name", "x.name").join("x"),
    expr("external_panel_order_id", "e.external_order_id"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("currency", "x.currency").join("x"),
    expr("sold_quantity", "COALESCE(e.sold_quantity, e.initial_quantity)"),
    expr("stuck", IS_STUCK_SQL).condition_flag(),
];

/// SQL condition: the attempt has been live for longer than usual for its service, or it has an alert while its order is in
/// processing. The subquery reads only live attempts and attempts with an alert, which are few compared with all attempts.
const IS_STUCK_SQL: &str = concat!(
    "e.id IN (SELECT l.id FROM external_panel_orders l JOIN orders lo ON lo.id = l.order_id LEFT JOIN late_thresholds w ON w.service_id = lo.service_id
    WHERE ",
    attempt_is!(unfinished, "l"),
    " AND COALESCE(l.sent_at, l.created_at) <= @now - COALESCE(w.late_after_micros, 259200000000)
  UNION ALL SELECT l.id FROM external_panel_orders l JOIN orders lo ON lo.id = l.order_id WHERE l.alert_at IS NOT NULL AND lo.status = 'in_processing')"
);

const ATTEMPT_SELECT_LIST: &str = concat!(
    "e.id, e.order_id, o.name AS order_name, o.status AS order_status, o.quantity AS order_quantity, o.current_quantity, o.service_id,
     s.name AS service_name, e.provider_id, p.name AS provider_name, e.external_panel_id, x.name AS panel_name, e.external_panel_service_id,
     e.external_order_id, e.status, e.charge, e.initial_charge, x.currency, e.initial_quantity,
     (SELECT y.id FROM external_panel_services y WHERE y.external_panel_id = e.external_panel_id
       AND y.external_panel_service_id = e.external_panel_service_id) AS panel_service_row_id,
     (SELECT y.name FROM external_panel_services y WHERE y.external_panel_id = e.external_panel_id
       AND y.external_panel_service_id = e.external_panel_service_id) AS panel_service_name,
     COALESCE(e.sold_quantity, e.initial_quantity) AS sold_quantity, e.remains, e.start_count, e.last_error,
     e.last_request, e.last_response, e.not_forwarded, e.unknown_message, e.alert_at, e.due_at IS NOT NULL AS is_due, e.sent_at, e.cancel_requested_at, e.ended_at, e.created_at, e.updated_at,
     (SELECT w.late_after_micros FROM late_thresholds w WHERE w.service_id = o.service_id) AS late_after_micros,
     EXISTS (SELECT 1 FROM external_panel_orders l WHERE l.order_id = e.order_id AND l.id <> e.id AND l.cancel_requested_at IS NULL AND ",
    attempt_is!(unfinished, "l"),
    ") AS has_unfinished_attempt, ",
    provider_is_available!(),
    " AS is_available, ",
    cancel_requested!("e.order_id"),
    " AS is_cancel_requested"
);

// Rules

/// Whether staff should check the attempt, by the same rule as [`IS_STUCK_SQL`].
fn is_stuck(row: &ExternalOrderRow, now: Time) -> bool {
    let live_since = row.sent_at.unwrap_or(row.created_at);
    // A row whose columns match no known state counts as live.
    let is_live = row.state().is_none_or(AttemptState::is_live);
    let is_late = is_live
        && live_since.0
            <= now.0 - row.late_after_micros.unwrap_or_else(|| duration_micros(DEFAULT_LATE_AFTER));
    is_late || (row.alert_at.is_some() && row.order_status == OrderStatus::InProcessing)
}

// Store

/// Joins placement attempts to the service of their order.
const ORDERS_OF_SERVICE: JoinTable = JoinTable {
    select: "SELECT id FROM orders WHERE ",
    column: "service_id",
    row_key: "(SELECT so.service_id FROM orders so WHERE so.id = e.order_id)",
};

/// A row of [`EXTERNAL_PANEL_ORDERS`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct ExternalOrderRow {
    id: ExternalOrderId,
    order_id: OrderId,
    order_name: String,
    order_status: OrderStatus,
    order_quantity: i64,
    current_quantity: i64,
    service_id: ServiceId,
    service_name: String,
    provider_id: ProviderId,
    provider_name: String,
    external_panel_id: Option<ExternalPanelId>,
    panel_name: Option<String>,
    external_panel_service_id: Option<String>,
    panel_service_row_id: Option<ImportableServiceId>,
    panel_service_name: Option<String>,
    external_order_id: Option<String>,
    status: ExternalStatus,
    charge: Money,
    initial_charge: Money,
    currency: Option<String>,
    initial_quantity: i64,
    sold_quantity: i64,
    remains: Option<i64>,
    start_count: Option<i64>,
    last_error: Option<String>,
    last_request: Option<String>,
    last_response: Option<String>,
    not_forwarded: String,
    unknown_message: Option<String>,
    alert_at: Option<Time>,
    is_due: bool,
    sent_at: Option<Time>,
    cancel_requested_at: Option<Time>,
    ended_at: Option<Time>,
    created_at: Time,
    updated_at: Timestamp,
    late_after_micros: Option<i64>,
    has_unfinished_attempt: bool,
    is_available: bool,
    is_cancel_requested: bool,
}

impl ExternalOrderRow {
    fn state(&self) -> Option<AttemptState> {
        AttemptState::of(AttemptColumns {
            status: self.status,
            is_by_hand: self.external_panel_id.is_none(),
            is_sent: self.sent_at.is_some(),
            has_external_id: self.external_order_id.is_some(),
            has_alert: self.alert_at.is_some(),
            is_due: self.is_due,
        })
    }

    fn recreate_facts(&self) -> RecreateFacts {
        RecreateFacts {
            order_status: self.order_status,
            undelivered_quantity: self.order_quantity - self.current_quantity,
            status: self.status,
            state: self.state(),
            quantity: self.initial_quantity,
            sold_quantity: self.sold_quantity,
            remains: self.remains,
            has_unfinished_attempt: self.has_unfinished_attempt,
            is_available: self.is_available,
            is_cancel_requested: self.is_cancel_requested,
        }
    }

    fn into_external_panel_order(self, scope: &Scope) -> ExternalPanelOrder {
        let facts = self.recreate_facts();
        let may_recreate = scope.has_permission(Permission::ManageExternalPanelOrders);
        let is_stuck = is_stuck(&self, scope.now());
        ExternalPanelOrder {
            id: self.id,
            order: AttemptedOrder {
                id: self.order_id,
                name: self.order_name,
                status: self.order_status,
                quantity: self.order_quantity,
                current_quantity: self.current_quantity,
            },
            service: NamedRef { id: self.service_id, name: self.service_name },
            provider: NamedRef { id: self.provider_id, name: self.provider_name },
            external_panel: self
                .external_panel_id
                .zip(self.panel_name)
                .map(|(id, name)| NamedRef { id, name }),
            external_panel_service_id: self.external_panel_service_id,
            external_panel_service: self
                .panel_service_row_id
                .zip(self.panel_service_name)
                .map(|(id, name)| NamedRef { id, name }),
            external_panel_order_id: self.external_order_id,
            status: self.status,
            charge: self.charge,
            initial_charge: self.initial_charge,
            currency: self.currency,
            initial_quantity: self.initial_quantity,
            sold_quantity: self.sold_quantity,
            remains: self.remains,
            start_count: self.start_count,
            last_error: self.last_error,
            last_request: self.last_request,
            last_response: self.last_response,
            not_forwarded: serde_json::from_str(&self.not_forwarded).unwrap_or_default(),
            unknown_message: self.unknown_message,
            is_unknown: facts.is_unknown(),
            is_stuck,
            alert_at: self.alert_at,
            sent_at: self.sent_at,
            cancel_requested_at: self.cancel_requested_at,
            ended_at: self.ended_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: ExternalPanelOrderActions {
                recreatable: may_recreate && recreate::recreatable_quantity(&facts).is_ok(),
            },
        }
    }
}
