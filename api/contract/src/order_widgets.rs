//! Order widgets as they cross the wire: through which orders come in from other pages, and what they came to.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::amount::{Fraction, Money};
use crate::common::{Named, Patch};
use crate::ids::{OrderWidgetId, PaymentMethodId, UserId};
use crate::moment::{Day, Stamp, Time};
use crate::payments::PaymentUser;

/// An order widget, as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetRow {
    /// The widget's id.
    pub id: OrderWidgetId,
    /// What staff and its owner call it.
    pub name: String,
    /// Whose it is: who is rewarded.
    pub user: PaymentUser,
    /// Whether it stands on pages outside of the panel.
    pub is_outer: bool,
    /// What its pages name it by; it can be read there, so it is no secret.
    pub api_token: String,
    /// What an order must cost at least; none leaves that to the panel's `minimum_purchase_amount_on_widget`. The higher
    /// of both holds.
    pub minimum_purchase_amount: Option<Money>,
    /// Of what an order costs, as a fraction: "0.05" is five percent.
    pub reward_percent: Fraction,
    /// Ids of the payment methods that it offers, in their order.
    pub payment_methods: Vec<PaymentMethodId>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: OrderWidgetActions,
}

/// What the caller may do with an order widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetActions {
    /// Change it.
    pub editable: bool,
}

/// One order widget with what is copied into pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidget {
    /// What the list shows.
    #[serde(flatten)]
    pub row: OrderWidgetRow,
    /// HTML for another page; none for a widget of the panel's own pages, and none while the address of the customers'
    /// site (`logo_destination_url`) is not set.
    pub embed: Option<String>,
}

/// Body of `POST order-widgets` and `PUT order-widgets/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrderWidgetInput {
    /// 1 to 100 characters; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose it is; required for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Whether it stands on pages outside of the panel; a new one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_outer: Option<bool>,
    /// What an order must cost at least; null leaves that to the panel's setting.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub minimum_purchase_amount: Patch<Money>,
    /// "0" to "1", at most three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward_percent: Option<Fraction>,
    /// Up to 50 enabled payment methods, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethodId>>,
    /// As it was read: refused when somebody changed the widget meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Query of `GET order-widget-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct OrderWidgetStatisticsQuery {
    /// Only these widgets: up to 1,000 ids joined by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_widgets: Option<String>,
    /// First day; 30 days before the last when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-01")]
    pub start_date: Option<Day>,
    /// Last day; today when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, example = "2026-11-20")]
    pub end_date: Option<Day>,
}

crate::plain_query!(OrderWidgetStatisticsQuery);

/// What came in through widgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetSums {
    /// Orders, paid or not.
    pub orders: i64,
    /// What the paid ones cost, less what was returned.
    pub spent: Money,
    /// What the owners were rewarded with, less what was taken back.
    pub reward: Money,
}

/// What came in through one widget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetStatisticsRow {
    /// The widget.
    pub order_widget: Named<OrderWidgetId>,
    /// Whose it is.
    pub user: PaymentUser,
    /// The numbers.
    #[serde(flatten)]
    pub sums: OrderWidgetSums,
}

/// What came in on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetDay {
    /// The day on which the orders were made.
    pub date: Day,
    /// The numbers.
    #[serde(flatten)]
    pub sums: OrderWidgetSums,
}

/// Answer of `GET order-widget-statistics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderWidgetStatistics {
    /// Widgets with an order in that time, the one that brought most first.
    pub rows: Vec<OrderWidgetStatisticsRow>,
    /// Each day, also those without an order.
    pub days: Vec<OrderWidgetDay>,
    /// Everything together.
    pub totals: OrderWidgetSums,
}

crate::wire!(OrderWidgetInput, OrderWidgetRow, OrderWidget, OrderWidgetStatistics);
