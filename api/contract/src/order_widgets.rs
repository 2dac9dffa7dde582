//! Order widgets: order forms that users embed in their own web pages. The orders are counted in statistics.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Fraction, Money};
use crate::common::{NamedRef, Patch};
use crate::ids::{OrderWidgetId, PaymentMethodId, UserId};
use crate::moment::{Day, Time, Timestamp};
use crate::payments::UserSummary;

/// A row of the order widgets list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetRow {
    /// Id of the order widget.
    pub id: OrderWidgetId,
    /// Name that staff and the owner see.
    pub name: String,
    /// Owner, who gets the reward for orders that are placed through the widget.
    pub user: UserSummary,
    /// Whether the widget is for pages outside of the panel.
    pub is_outer: bool,
    /// Public token that identifies the widget in pages; not a secret.
    pub api_token: String,
    /// Minimum cost of an order; null for the setting `minimum_purchase_amount_on_widget`. The higher of both applies.
    pub minimum_purchase_amount: Option<Money>,
    /// Reward as a fraction of the cost of an order: `"0.05"` is five percent.
    pub reward_fraction: Fraction,
    /// Ids of the offered payment methods, in their order.
    pub payment_methods: Vec<PaymentMethodId>,
    /// When the order widget was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: OrderWidgetActions,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetActions {
    /// Whether the caller can update the record.
    pub editable: bool,
}

/// An order widget with the HTML to embed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidget {
    /// Fields of a row of the order widgets list.
    #[serde(flatten)]
    pub row: OrderWidgetRow,
    /// HTML to embed the widget in another page. Null for a widget on pages of the panel, and while the setting
    /// `logo_destination_url` is empty.
    pub embed: Option<String>,
}

/// Body of `POST order-widgets` and `PUT order-widgets/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrderWidgetInput {
    /// Name, 1 to 100 characters; required for a new widget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Id of the owner; required for a new widget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Whether the widget is for pages outside of the panel; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_outer: Option<bool>,
    /// Minimum cost of an order; null for the setting `minimum_purchase_amount_on_widget`.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub minimum_purchase_amount: Patch<Money>,
    /// Reward as a fraction, `"0"` to `"1"` with at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_fraction: Option<Fraction>,
    /// Ids of the offered payment methods, in their order; up to 50, all enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
    /// `updated_at` of the widget that the editor read; 409 `stale_record` if the widget has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
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

crate::serde_queries!(OrderWidgetStatisticsQuery);

/// Sums over orders that were placed through widgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetSums {
    /// Number of orders, paid or not.
    pub orders: i64,
    /// Cost of the paid orders minus refunds, in the panel's currency.
    pub spent: Money,
    /// Rewards that owners earned minus reversals, in the panel's currency.
    pub reward: Money,
}

/// Sums over the orders that were placed through one widget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetStatisticsRow {
    /// Order widget, by id and name.
    pub order_widget: NamedRef<OrderWidgetId>,
    /// Owner of the widget, who gets the reward.
    pub user: UserSummary,
    /// Sums over these orders.
    #[serde(flatten)]
    pub sums: OrderWidgetSums,
}

/// Sums over the orders of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetDay {
    /// Day in UTC on which the orders were placed.
    pub date: Day,
    /// Sums over these orders.
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

crate::json_bodies!(OrderWidgetInput, OrderWidgetRow, OrderWidget, OrderWidgetStatistics);
