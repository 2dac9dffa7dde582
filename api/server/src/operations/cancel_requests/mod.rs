//! Cancel requests: customers request to cancel orders (`request`), the worker sends the requests to the providers
//! (`supply::dispatch::cancels`), and staff decide if no provider does (`decide`). `panel_domain::states::cancel_requests` lists
//! the allowed transitions. Only the cancel action of the order books payments.

pub mod decide;
pub mod request;
pub mod store;

use panel_contract::amount::Money;
use panel_contract::cancel_requests::*;
use panel_contract::common::NamedRef;
use panel_contract::endpoints::cancel_requests::*;
use panel_contract::ids::{CancelRequestId, ExternalOrderId, OrderId, ProviderId, UserId};
use panel_contract::moment::Time;
use panel_contract::orders::OrderStatus;
use panel_contract::payments::UserSummary;
use panel_contract::permission::Permission;
use panel_domain::state_machine::next_state;
use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_domain::refund::BilledOrder;
use panel_platform::scope::Scope;
use panel_platform::table::{
    ColumnSql, CountGroup, Join, JoinTable, RowSource, SearchTarget, Table, base_column, expr,
};

// Routes

/// Adds the endpoints of cancel requests.
pub fn routes(api: Api) -> Api {
    api.list_route::<ListCancelRequests, _, _>(&CANCEL_REQUESTS, CancelRequestRow::into_response)
        .route::<ConfirmCancelRequests, _, _, _>(async |ctx, req: Req<ConfirmCancelRequests>| {
            decide::confirm_requests(ctx, &req.body).await
        })
        .route::<RejectCancelRequests, _, _, _>(async |ctx, req: Req<RejectCancelRequests>| {
            decide::reject_requests(ctx, &req.body.ids).await
        })
        .route::<ConfirmCancelRequest, _, _, _>(async |ctx, req: Req<ConfirmCancelRequest>| {
            decide::confirm_request(ctx, req.path, req.body).await
        })
        .route::<RejectCancelRequest, _, _, _>(async |ctx, req: Req<RejectCancelRequest>| {
            decide::reject_request(ctx, req.path).await
        })
}

pub static CANCEL_REQUESTS: Table = Table::new(
    &panel_contract::lists::cancel_requests::CANCEL_REQUESTS,
    RowSource {
        base: "order_cancel_requests",
        alias: "c",
        key: "c.id",
        joins: &[
            Join { alias: "o", sql: "JOIN orders o ON o.id = c.order_id" },
            Join {
                alias: "u",
                sql: "JOIN users u ON u.id = (SELECT uo.user_id FROM orders uo WHERE uo.id = c.order_id)",
            },
            Join {
                alias: "s",
                sql: "JOIN services s ON s.id = (SELECT so.service_id FROM orders so WHERE so.id = c.order_id)",
            },
            Join {
                alias: "p",
                sql: "LEFT JOIN providers p ON p.id = (SELECT pe.provider_id FROM external_panel_orders pe WHERE pe.id = c.external_panel_order_id)",
            },
            Join { alias: "a", sql: "LEFT JOIN users a ON a.id = c.decided_by" },
        ],
        select: SELECT,
        ..RowSource::NONE
    },
    COLUMN_SQL,
)
.global_search(&[
    SearchTarget::new("c.order_id", &search_texts::ORDERS, "order.name"),
    SearchTarget::new("c.order_id", &search_texts::USERS, "user").through_join_table(ORDERS_OF_USER),
    SearchTarget::new("c.order_id", &search_texts::SERVICES, "order.name").through_join_table(ORDERS_OF_SERVICE),
])
.count_from("order_cancel_requests", "");

/// Columns whose SQL is not a table column of the same name, or that have materialized counts or a text index.
const COLUMN_SQL: &[ColumnSql] = &[
    expr("order.id", "c.order_id"),
    expr("order.name", "o.name").join("o"),
    expr("order.status", "o.status").join("o"),
    expr("order.quantity", "o.quantity").join("o"),
    expr("order.current_quantity", "o.current_quantity").join("o"),
    expr("user", "u.name")
        .join("u")
        .text_index("c.order_id", &search_texts::USERS, "")
        .through_join_table(SELECT_ORDER_IDS, "user_id"),
    expr("user.id", "u.id").join("u"),
    expr("user.name", "u.name")
        .join("u")
        .text_index("c.order_id", &search_texts::USERS, "name")
        .through_join_table(SELECT_ORDER_IDS, "user_id"),
    expr("user.email", "u.email")
        .join("u")
        .text_index("c.order_id", &search_texts::USERS, "email")
        .through_join_table(SELECT_ORDER_IDS, "user_id"),
    expr("external_order_id", "c.external_panel_order_id"),
    expr("provider", "p.name")
        .join("p")
        .text_index("c.external_panel_order_id", &search_texts::PROVIDERS, "name")
        .through_join_table(SELECT_EXTERNAL_ORDER_IDS, "provider_id"),
    expr("provider.id", "p.id").join("p"),
    expr("provider.name", "p.name").join("p"),
    base_column("status").count_group(CountGroup::FilterValue),
    expr("decided_by", "a.name").join("a").text_index("c.decided_by", &search_texts::USERS, ""),
    expr("decided_by.id", "c.decided_by"),
    expr("decided_by.name", "a.name").join("a").text_index("c.decided_by", &search_texts::USERS, "name"),
    expr("waiting", WAITS_FOR_STAFF_CONDITION).condition_flag(),
];

// Store

/// The start of a query for the orders of a user or service; a search finds their requests by these ids.
const SELECT_ORDER_IDS: &str = "SELECT id FROM orders WHERE ";

const SELECT_EXTERNAL_ORDER_IDS: &str = "SELECT id FROM external_panel_orders WHERE ";

/// Finds requests by the customer of the order.
const ORDERS_OF_USER: JoinTable = JoinTable {
    select: SELECT_ORDER_IDS,
    column: "user_id",
    row_key: "(SELECT uo.user_id FROM orders uo WHERE uo.id = c.order_id)",
};

/// Finds requests by the service of the order.
const ORDERS_OF_SERVICE: JoinTable = JoinTable {
    select: SELECT_ORDER_IDS,
    column: "service_id",
    row_key: "(SELECT so.service_id FROM orders so WHERE so.id = c.order_id)",
};

/// SQL condition: the request is open, and staff must decide it.
const WAITS_FOR_STAFF_CONDITION: &str = "c.status IN ('requested', 'sent') AND c.escalated_at IS NOT NULL";

const SELECT: &str = "c.id, c.order_id, o.name AS order_name, o.status AS order_status, o.quantity, o.current_quantity, o.cost, o.refunded AS order_refunded,
  o.rounding_precision, o.is_paid, s.no_refund, u.id AS user_id, u.name AS user_name, u.email AS user_email, c.external_panel_order_id, p.id AS provider_id,
  p.name AS provider_name, c.status, c.cause, c.escalated_at, c.provider_response, c.refunded, c.created_at, c.sent_at, c.acknowledged_at, c.deadline_at, c.decided_at,
  c.decided_by, a.name AS decided_by_name";

/// A row of the list of cancel requests.
#[derive(Debug, sqlx::FromRow)]
pub struct CancelRequestRow {
    id: CancelRequestId,
    order_id: OrderId,
    order_name: String,
    order_status: OrderStatus,
    quantity: i64,
    current_quantity: i64,
    cost: Money,
    order_refunded: Money,
    rounding_precision: i64,
    is_paid: bool,
    no_refund: bool,
    user_id: UserId,
    user_name: String,
    user_email: String,
    external_panel_order_id: Option<ExternalOrderId>,
    provider_id: Option<ProviderId>,
    provider_name: Option<String>,
    status: CancelRequestStatus,
    cause: Option<CancelRequestCause>,
    escalated_at: Option<Time>,
    provider_response: Option<String>,
    refunded: Money,
    created_at: Time,
    sent_at: Option<Time>,
    acknowledged_at: Option<Time>,
    deadline_at: Time,
    decided_at: Option<Time>,
    decided_by: Option<UserId>,
    decided_by_name: Option<String>,
}

impl CancelRequestRow {
    fn state(&self) -> CancelRequestState {
        CancelRequestState::of(self.status, self.acknowledged_at.is_some(), self.escalated_at.is_some())
    }

    /// The refunded amount if the request was decided, else the amount that a confirmation would refund now.
    fn refund_amount(&self) -> Money {
        let bill = BilledOrder {
            cost: self.cost,
            refunded: self.order_refunded,
            quantity: self.quantity,
            delivered: self.current_quantity,
            precision: u8::try_from(self.rounding_precision).unwrap_or(6),
            is_paid: self.is_paid,
        };
        match self.decided_at {
            Some(_) => self.refunded,
            None if self.no_refund => Money::ZERO,
            None => bill.default_refund().unwrap_or(Money::ZERO),
        }
    }

    fn into_response(self, scope: &Scope) -> OrderCancelRequest {
        let may_manage = scope.has_permission(Permission::ManageOrders);
        let is_allowed = |event| may_manage && next_state::<CancelRequests>(self.state(), event).is_some();
        OrderCancelRequest {
            actions: CancelRequestActions {
                confirmable: is_allowed(CancelRequestEvent::OrderCanceled),
                rejectable: is_allowed(CancelRequestEvent::Reject),
            },
            refunded: self.refund_amount(),
            id: self.id,
            order: CancelRequestOrder {
                id: self.order_id,
                name: self.order_name,
                status: self.order_status,
                quantity: self.quantity,
                current_quantity: self.current_quantity,
            },
            user: UserSummary { id: self.user_id, name: self.user_name, email: self.user_email },
            external_order_id: self.external_panel_order_id,
            provider: self.provider_id.zip(self.provider_name).map(|(id, name)| NamedRef { id, name }),
            status: self.status,
            cause: self.cause,
            escalated_at: self.escalated_at,
            provider_response: self.provider_response,
            created_at: self.created_at,
            sent_at: self.sent_at,
            acknowledged_at: self.acknowledged_at,
            deadline_at: self.deadline_at,
            decided_at: self.decided_at,
            decided_by: self.decided_by.zip(self.decided_by_name).map(|(id, name)| NamedRef { id, name }),
        }
    }
}
