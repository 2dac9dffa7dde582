//! Order widgets on the wire, which place orders from other pages, and their statistics.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch};
use crate::ids::{OrderWidgetId, PaymentMethodId, UserId};
use crate::moment::{Day, Stamp, Time};
use crate::payments::PaymentUser;

/// An order widget in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetRow {
    /// Id of the widget.
    pub id: OrderWidgetId,
    /// Name for staff and the owner.
    pub name: String,
    /// Owner, who gets the reward.
    pub user: PaymentUser,
    /// Whether it is embedded in pages outside of the panel.
    pub is_outer: bool,
    /// Public token that identifies the widget in pages; not a secret.
    pub api_token: String,
    /// Minimum cost of an order; null for the setting `minimum_purchase_amount_on_widget`. The higher of both applies.
    pub minimum_purchase_amount: Option<Money>,
    /// Reward as a fraction of the cost of an order: `"0.05"` is five percent.
    pub reward_percent: Fraction,
    /// Ids of the offered payment methods, in their order.
    pub payment_methods: Vec<PaymentMethodId>,
    /// When the order widget was created.
    pub created_at: Time,
    /// When the record last changed; editors send it back to detect conflicts.
    pub updated_at: Stamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: OrderWidgetActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetActions {
    /// Whether the caller can update the record.
    pub editable: bool,
}

/// An order widget with its embed HTML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidget {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: OrderWidgetRow,
    /// HTML to embed in another page; null for a widget of the panel's own pages, and while the setting `logo_destination_url` is
    /// empty.
    pub embed: Option<String>,
}

/// Body of `POST order-widgets` and `PUT order-widgets/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrderWidgetInput {
    /// Name, 1 to 100 characters; required for a new record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the owner; required for a new widget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Whether it is embedded in pages outside of the panel; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_outer: Option<bool>,
    /// Minimum cost of an order; null for the setting of the panel.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub minimum_purchase_amount: Patch<Money>,
    /// Reward as a fraction, `"0"` to `"1"` with at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_percent: Option<Fraction>,
    /// Up to 50 enabled payment methods, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
    /// `updated_at` of the widget that the editor read; a 409 `stale_record` if it has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Query of `GET order-widget-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OrderWidgetStatisticsQuery {
    /// Return only these widgets: up to 1,000 comma-separated ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_widgets: Option<String>,
    /// First day; defaults to 30 days before the last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; defaults to today.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
}

crate::plain_query!(OrderWidgetStatisticsQuery);

/// Sums of orders through widgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetSums {
    /// Number of orders, paid or not.
    pub orders: i64,
    /// Cost of the paid orders minus refunds.
    pub spent: Money,
    /// Rewards of the owners minus reversals.
    pub reward: Money,
}

/// Sums of one widget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetStatisticsRow {
    /// Order widget, by id and name.
    pub order_widget: Named<OrderWidgetId>,
    /// Owner of the widget.
    pub user: PaymentUser,
    /// Sums of the row.
    #[serde(flatten)]
    pub sums: OrderWidgetSums,
}

/// Sums of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetDay {
    /// Day on which the orders were placed.
    pub date: Day,
    /// Sums of the row.
    #[serde(flatten)]
    pub sums: OrderWidgetSums,
}

/// Response of `GET order-widget-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetStatistics {
    /// Widgets with an order in the time range, highest sum first.
    pub rows: Vec<OrderWidgetStatisticsRow>,
    /// One entry per day, including days without orders.
    pub days: Vec<OrderWidgetDay>,
    /// Sums over all rows.
    pub totals: OrderWidgetSums,
}

crate::wire!(OrderWidgetInput, OrderWidgetRow, OrderWidget, OrderWidgetStatistics);
