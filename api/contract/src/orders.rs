//! Orders: list rows, details, request bodies, refills and statistics.

mod attempt;
mod counter;
mod inputs;
mod refill;
mod statistics;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Money, Percent};
use crate::common::{Choice, NamedRef};
use crate::ids::{
    ComboOrderId, DripFeedId, OrderId, PaymentId, PriceModificationId, ProviderId, RecordId, ServiceId,
    SubscriptionId, UserId,
};
use crate::moment::{Time, Timestamp};
use crate::payments::BalanceType;
pub use attempt::OrderAttempt;
pub use counter::OrderCounter;
pub use inputs::{
    ActivatedOrder, AutoRefillInput, BulkCancelInput, CancelInput, CanceledOrder, ChangeProviderInput,
    ChangeUrlInput, CommentInput, HasRefillInput, OrderIds,
};
pub use refill::{
    AutoRefillParams, AutoRefillParamsInput, CountSource, OrderRefill, RefillRequest, RefillRequestInput,
    RefillStatistic,
};
pub use statistics::{GroupBy, PromotableQuery, PromotableStatistic, StatisticsQuery, StatisticsRow};

crate::string_enum! {
    /// Status of an order.
    OrderStatus {
        InProcessing = "in_processing",
        InModeration = "in_moderation",
        Completed = "completed",
        Stopped = "stopped",
        Canceled = "canceled",
        Unpaid = "unpaid",
    }
}

crate::string_enum! {
    /// Decision of staff about an order in moderation.
    Approval { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

crate::string_enum! {
    /// Channel through which an order was placed.
    OrderSource {
        Api = "api",
        Cabinet = "cabinet",
        OrderWidget = "order_widget",
        Socpanel = "socpanel",
        PerfectPanelApi = "perfect_panel_api",
        Subscription = "subscription",
        OrderWidgetMultiple = "order_widget_multiple",
        BuyPage = "buy_page",
        SingleForm = "single_form",
        DripFeed = "drip_feed",
        FreeTrial = "free_trial",
        Package = "package",
        OrderWidgetStepByStep = "order_widget_step_by_step",
        OrderWidgetMini = "order_widget_mini",
    }
}

crate::string_enum! {
    /// Reason for a cancellation. `other` requires a description.
    CancelReason {
        CustomerRequest = "customer_request",
        WrongLink = "wrong_link",
        PrivateAccount = "private_account",
        Duplicate = "duplicate",
        ProviderFailure = "provider_failure",
        ServiceUnavailable = "service_unavailable",
        RulesViolation = "rules_violation",
        Other = "other",
    }
}

crate::string_enum! {
    /// Status of an external order.
    ExternalStatus {
        Creating = "Creating",
        Pending = "Pending",
        InProgress = "In progress",
        Processing = "Processing",
        Completed = "Completed",
        Partial = "Partial",
        Canceled = "Canceled",
    }
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderActions {
    /// Whether the caller can send `POST orders/{id}/activate`.
    pub activable: bool,
    /// Whether the caller can send `POST orders/{id}/approve`.
    pub approvable: bool,
    /// Whether the caller can send `POST orders/{id}/cancel`.
    pub cancelable: bool,
    /// Whether the caller can send `POST orders/{id}/complete`.
    pub completable: bool,
    /// Whether the caller can change link, comment and refill flags.
    pub editable: bool,
    /// Whether the caller can send `POST orders/{id}/pause`.
    pub pausable: bool,
    /// Whether the caller can send `POST orders/change-provider`.
    pub provider_changeable: bool,
    /// Whether the caller can send `POST orders/{id}/reject`.
    pub rejectable: bool,
    /// Whether the caller can send `POST orders/{id}/set-has-refill` and `set-auto-refill-is-allowed`, also after completion.
    #[serde(default)]
    pub refill_switchable: bool,
    /// Whether the caller can send `POST orders/{id}/order-refill-requests`.
    #[serde(default)]
    pub refillable: bool,
    /// Whether the caller can send `POST provider-statistics` for the order.
    #[serde(default)]
    pub delivery_bookable: bool,
}

/// The customer of an order, in list rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderUser {
    /// Id of the user.
    pub id: UserId,
    /// Display name of the user.
    pub name: String,
    /// Email address of the user.
    pub email: String,
    /// Main balance of the customer, in the panel's currency.
    pub balance: Money,
    /// Charges minus refunds over all orders of the customer, in the panel's currency.
    pub spent: Money,
    /// Telegram user name without the at sign; null if there is none.
    pub telegram_username: Option<String>,
}

/// A row of the orders list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderRow {
    /// Id of the order.
    pub id: OrderId,
    /// Name of the delivery, by default the name of the service at the time of the order.
    pub name: String,
    /// Link to deliver to, as the customer entered it.
    pub url: String,
    /// Status of the order.
    pub status: OrderStatus,
    /// Decision of staff; null if the order was never in moderation.
    pub approval: Option<Approval>,
    /// Channel through which the order was placed.
    pub source: OrderSource,
    /// Amount charged to the customer, in the panel's currency.
    pub cost: Money,
    /// Part of `cost` that was refunded.
    pub refunded: Money,
    /// Price per `pricing_per` units at the time of the order, in the panel's currency.
    pub price: Money,
    /// Quantity of the order in units.
    pub quantity: i64,
    /// Units that providers have delivered so far.
    pub current_quantity: i64,
    /// Delivered units as a percentage of the quantity.
    pub percent_of_current_fill: Percent,
    /// Margin, which is cost minus refunds minus provider cost, as a percentage of cost minus refunds; null if cost minus
    /// refunds is not positive.
    pub margin_percent: Option<Percent>,
    /// When the order was placed.
    pub created_at: Time,
    /// When the order was completed; null until then.
    pub completed_at: Option<Time>,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Whether the order is paid.
    pub is_paid: bool,
    /// Whether a refill of the order can be requested.
    pub has_refill: bool,
    /// Whether the panel requests refills automatically.
    pub auto_refill_is_allowed: bool,
    /// Whether the order is in processing without an active provider of its service.
    pub has_no_active_providers: bool,
    /// Internal comment that only staff see; null if there is none.
    pub comment: Option<String>,
    /// Id of the subscription that placed the order; null for other orders.
    pub subscription_id: Option<SubscriptionId>,
    /// Id of the drip-feed that placed the order; null for other orders.
    pub drip_feed_id: Option<DripFeedId>,
    /// Id of the combo order that the order belongs to; null for other orders.
    pub combo_order_id: Option<ComboOrderId>,
    /// Ordered service, by id and name.
    pub service: NamedRef<ServiceId>,
    /// Customer who placed the order.
    pub user: OrderUser,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: OrderActions,
}

/// A provider of the service of an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderProvider {
    /// Id of the provider.
    pub id: ProviderId,
    /// Name of the provider.
    pub name: String,
    /// Status of the provider: `active`, `disabled` or `error`.
    pub status: String,
    /// Cost of this order at the provider so far, in the panel's currency.
    pub cost: Money,
    /// Units of this order that the provider has delivered.
    pub quantity: i64,
}

/// A modification of the cost of an order before the charge, such as a discount.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PriceModification {
    /// Id of the modification.
    pub id: PriceModificationId,
    /// Id of the record that caused the modification, such as a discount; null if there is none.
    pub modifier_id: Option<RecordId>,
    /// Name of the modification.
    pub name: String,
    /// Type of the modification, such as `discount`, `grade` or `speedup`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Cost before the modification.
    pub cost_before: Money,
    /// Cost after the modification.
    pub cost_after: Money,
    /// `cost_after` minus `cost_before`.
    pub cost_diff: Money,
    /// Whether the modification is a paid speed-up.
    pub is_speedup: bool,
    /// Whether the modification is restricted to customers of some countries.
    pub has_countries: bool,
}

/// A refund that was credited to a balance of the customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundPayment {
    /// Id of the payment.
    pub id: PaymentId,
    /// Staff member who made the refund; null for the system.
    pub admin: Option<NamedRef<UserId>>,
    /// Balance that was credited.
    #[serde(rename = "type")]
    pub kind: BalanceType,
    /// Direction of the movement, always `income`.
    pub transaction_type: crate::payments::TransactionType,
    /// When the refund was credited.
    pub created_at: Time,
    /// Refunded amount in the panel's currency.
    pub amount: Money,
}

/// The part of the cost of an order that was paid from one balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BalancePayment {
    /// Paid amount in the panel's currency.
    pub amount: Money,
    /// Balance that was charged.
    pub balance_type: BalanceType,
}

/// The value of the customer for a target, which is an additional parameter of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetableValue {
    /// Name of the target.
    pub name: String,
    /// Value that the customer entered.
    pub value: String,
}

/// Information about the promoted content, such as a video or live stream. Each field is null if it is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Promotable {
    /// URL by which the content can be embedded.
    pub embed_url: Option<String>,
    /// Countries in which the content is blocked, in one string.
    pub region_restriction: Option<String>,
    /// Average number of viewers of a live stream.
    pub average_viewers: Option<i64>,
    /// Number of viewers of a live stream at the first measurement.
    pub first_statistic_viewers: Option<i64>,
    /// Start of the time in which the order keeps viewers in a live stream.
    pub supported_at: Option<Time>,
    /// End of the time in which the order keeps viewers in a live stream.
    pub supported_until: Option<Time>,
}

/// An order with all details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Order {
    /// Fields of a row of the orders list.
    #[serde(flatten)]
    pub row: OrderRow,
    /// Cost minus refunds minus `provider_cost`, in the panel's currency. The cost of an order that was never charged counts as 0.
    pub revenue: Money,
    /// Cost of the order at all providers, in the panel's currency.
    pub provider_cost: Money,
    /// Number of units that `price` is for.
    pub pricing_per: i64,
    /// Units that providers must deliver in total; null if the same as `quantity`.
    pub quantity_for_full_fill: Option<i64>,
    /// Units that external statistics report as delivered, as a percentage of the quantity; null without such statistics.
    pub percent_of_external_statistics_fill: Option<Percent>,
    /// Public counter before the first delivery, such as the views; null if unknown.
    pub external_order_start_count: Option<i64>,
    /// Reason of the cancellation; null if there is none.
    pub cancel_reason: Option<CancelReason>,
    /// Description of the reason of the cancellation; null if there is none.
    pub cancel_description: Option<String>,
    /// Id of the order at the child panel that placed it; null for other orders.
    pub child_id: Option<i64>,
    /// The same value as `service.id`, for old clients.
    pub service_id: ServiceId,
    /// The same value as `service.name`, for old clients.
    pub service_name: String,
    /// ISO codes of the countries that the order is restricted to; empty for all countries.
    pub countries: Vec<String>,
    /// Search keyword by which viewers should find the content; null if there is none.
    pub seo_keyword: Option<String>,
    /// Keyword that the customer entered; null if there is none.
    pub keyword: Option<String>,
    /// Units of the next automatic refill, if staff set a number; otherwise null.
    pub refill_quantity: Option<i64>,
    /// Amount that a cancellation would refund now by default.
    pub refund_amount: Money,
    /// Providers of the service, then other providers that the order was sent to.
    pub providers: Vec<OrderProvider>,
    /// Placement attempts at external panels, newest first.
    pub external_panel_orders: Vec<OrderAttempt>,
    /// Modifications of the cost before the charge, in the sequence in which they apply.
    pub price_modifications: Vec<PriceModification>,
    /// Refunds, newest first.
    pub refund_payments: Vec<RefundPayment>,
    /// Parts of the cost by the balance that paid them.
    pub order_balance_payments: Vec<BalancePayment>,
    /// Values of the customer for the targets of the service.
    pub targetable_values: Vec<TargetableValue>,
    /// Information about the promoted content.
    pub promotable: Promotable,
    /// Measured counts and losses of a completed order.
    pub refill: OrderRefill,
    /// Measured public counter; null if the service does not use one.
    #[serde(default)]
    pub counter: Option<OrderCounter>,
}

/// Ids of the previous and the next order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderLinks {
    /// Id of the next older order; null for the oldest one.
    pub previous: Option<OrderId>,
    /// Id of the next newer order; null for the newest one.
    pub next: Option<OrderId>,
}

/// Response of `GET orders/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderDetail {
    /// Order with all details.
    pub data: Order,
    /// Ids of the previous and the next order.
    pub links: OrderLinks,
}

/// Response of `GET orders/{id}/refund-amount`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundAmount {
    /// Amount that a cancellation would refund now by default, in the panel's currency.
    pub amount: Money,
}

crate::json_bodies!(OrderDetail, Order, Vec<Choice>);
