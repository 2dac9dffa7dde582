//! Orders as they cross the wire: statuses, list rows and the detail; inputs, refills and statistics beside them.

mod attempt;
mod counter;
mod inputs;
mod refill;
mod statistics;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Money, Percent};
use crate::common::{Choice, Named};
use crate::ids::{
    ComboOrderId, DripFeedId, OrderId, PaymentId, PriceModificationId, ProviderId, RecordId, ServiceId,
    SubscriptionId, UserId,
};
use crate::moment::{Stamp, Time};
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

crate::words! {
    /// Where an order stands.
    OrderStatus {
        InProcessing = "in_processing",
        InModeration = "in_moderation",
        Completed = "completed",
        Stopped = "stopped",
        Canceled = "canceled",
        Unpaid = "unpaid",
    }
}

crate::words! {
    /// What moderation said of an order.
    Approval { Pending = "pending", Approved = "approved", Rejected = "rejected" }
}

crate::words! {
    /// Where an order came from.
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

crate::words! {
    /// Why an order is canceled. `other` wants a description.
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

crate::words! {
    /// The words of an order at an external panel.
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

/// What the caller may do with an order now; the endpoint and its button agree by this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderActions {
    /// `POST orders/{id}/activate`.
    pub activable: bool,
    /// `POST orders/{id}/approve`.
    pub approvable: bool,
    /// `POST orders/{id}/cancel`.
    pub cancelable: bool,
    /// `POST orders/{id}/complete`.
    pub completable: bool,
    /// Url, comment, refill flags.
    pub editable: bool,
    /// `POST orders/{id}/pause`.
    pub pausable: bool,
    /// `POST orders/change-provider`.
    pub provider_changeable: bool,
    /// `POST orders/{id}/reject`.
    pub rejectable: bool,
    /// `POST orders/{id}/set-has-refill` and `set-auto-refill-is-allowed`: as long as it is edited, and after its completion.
    #[serde(default)]
    pub refill_switchable: bool,
    /// `POST orders/{id}/order-refill-requests`.
    #[serde(default)]
    pub refillable: bool,
    /// `POST provider-statistics` with what providers did for it.
    #[serde(default)]
    pub delivery_bookable: bool,
}

/// The customer of an order, as list rows show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderUser {
    /// The user's id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// E-mail address.
    pub email: String,
    /// Main balance.
    pub balance: Money,
    /// Charged minus returned, over all orders.
    pub spent: Money,
    /// Telegram name, without the at sign.
    pub telegram_username: Option<String>,
}

/// One row of the orders list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderRow {
    /// The order's id.
    pub id: OrderId,
    /// What is delivered, usually the service's name when it was ordered.
    pub name: String,
    /// Where it is delivered: what the customer typed.
    pub url: String,
    /// Where it stands.
    pub status: OrderStatus,
    /// What moderation said.
    pub approval: Option<Approval>,
    /// Where it came from.
    pub source: OrderSource,
    /// What the customer was charged.
    pub cost: Money,
    /// What was returned of it.
    pub refunded: Money,
    /// Unit price, per `pricing_per`.
    pub price: Money,
    /// How many were ordered.
    pub quantity: i64,
    /// How many are delivered.
    pub current_quantity: i64,
    /// Delivered of ordered.
    pub percent_of_current_fill: Percent,
    /// Revenue of cost less refunds; none of an order that was never charged.
    pub margin_percent: Option<Percent>,
    /// When it was placed.
    pub created_at: Time,
    /// When it was completed.
    pub completed_at: Option<Time>,
    /// When it last changed.
    pub updated_at: Stamp,
    /// Whether it is paid.
    pub is_paid: bool,
    /// Whether a refill may be asked for.
    pub has_refill: bool,
    /// Whether refills come by themselves.
    pub auto_refill_is_allowed: bool,
    /// In processing, and none of its service's providers is active.
    pub has_no_active_providers: bool,
    /// The staff's comment.
    pub comment: Option<String>,
    /// The subscription that placed it.
    pub subscription_id: Option<SubscriptionId>,
    /// The drip-feed that placed it.
    pub drip_feed_id: Option<DripFeedId>,
    /// The combo order it belongs to.
    pub combo_order_id: Option<ComboOrderId>,
    /// The service.
    pub service: Named<ServiceId>,
    /// The customer.
    pub user: OrderUser,
    /// What the caller may do now.
    pub actions: OrderActions,
}

/// A provider that serves an order's service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderProvider {
    /// The provider's id.
    pub id: ProviderId,
    /// Its name.
    pub name: String,
    /// `active`, `disabled` or `error`.
    pub status: String,
    /// What it charged for this order so far.
    pub cost: Money,
    /// What it delivered of this order so far.
    pub quantity: i64,
}

/// Something that changed the price before the charge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PriceModification {
    /// Its id.
    pub id: PriceModificationId,
    /// The id of what modified the price, such as a discount's.
    pub modifier_id: Option<RecordId>,
    /// Its name.
    pub name: String,
    /// Its kind, such as `discount`, `grade`, `speedup`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Before.
    pub cost_before: Money,
    /// After.
    pub cost_after: Money,
    /// After less before.
    pub cost_diff: Money,
    /// A paid speed-up.
    pub is_speedup: bool,
    /// Bound to countries.
    pub has_countries: bool,
}

/// Money returned for an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundPayment {
    /// The payment's id.
    pub id: PaymentId,
    /// Who returned it; none for the system.
    pub admin: Option<Named<UserId>>,
    /// The balance it went to.
    #[serde(rename = "type")]
    pub kind: BalanceType,
    /// `income`.
    pub transaction_type: crate::payments::TransactionType,
    /// When.
    pub created_at: Time,
    /// How much.
    pub amount: Money,
}

/// What paid for an order, by balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BalancePayment {
    /// How much.
    pub amount: Money,
    /// From which balance.
    pub balance_type: BalanceType,
}

/// A value of one of the service's targets (extra inputs).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetableValue {
    /// The target's name.
    pub name: String,
    /// What the customer gave.
    pub value: String,
}

/// What is known of the promoted thing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Promotable {
    /// An address that can be embedded.
    pub embed_url: Option<String>,
    /// Countries that may not see it.
    pub region_restriction: Option<String>,
    /// Viewers on average, of a live stream.
    pub average_viewers: Option<i64>,
    /// Viewers at the first look.
    pub first_statistic_viewers: Option<i64>,
    /// Supported from.
    pub supported_at: Option<Time>,
    /// Supported until.
    pub supported_until: Option<Time>,
}

/// One order with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Order {
    /// What the list shows.
    #[serde(flatten)]
    pub row: OrderRow,
    /// Cost less refunds less what providers charged; an order that was never charged has no cost here.
    pub revenue: Money,
    /// What providers charged.
    pub provider_cost: Money,
    /// Units that `price` is for.
    pub pricing_per: i64,
    /// What providers must deliver in all, where it differs from `quantity`.
    pub quantity_for_full_fill: Option<i64>,
    /// Delivered by the external statistics.
    pub percent_of_external_statistics_fill: Option<Percent>,
    /// The counter before the first delivery.
    pub external_order_start_count: Option<i64>,
    /// Why it was canceled.
    pub cancel_reason: Option<CancelReason>,
    /// In words.
    pub cancel_description: Option<String>,
    /// The order at the child panel.
    pub child_id: Option<i64>,
    /// The service's id, once more for old clients.
    pub service_id: ServiceId,
    /// The service's name, once more for old clients.
    pub service_name: String,
    /// ISO codes the order is bound to.
    pub countries: Vec<String>,
    /// Search keyword to be found by.
    pub seo_keyword: Option<String>,
    /// Keyword.
    pub keyword: Option<String>,
    /// Units to refill.
    pub refill_quantity: Option<i64>,
    /// What a cancel with money would return by default.
    pub refund_amount: Money,
    /// Providers of its service, then those that it went to beside them.
    pub providers: Vec<OrderProvider>,
    /// Attempts at external panels, newest first.
    pub external_panel_orders: Vec<OrderAttempt>,
    /// What changed the price.
    pub price_modifications: Vec<PriceModification>,
    /// Money returned, newest first.
    pub refund_payments: Vec<RefundPayment>,
    /// What paid.
    pub order_balance_payments: Vec<BalancePayment>,
    /// Extra inputs.
    pub targetable_values: Vec<TargetableValue>,
    /// The promoted thing.
    pub promotable: Promotable,
    /// Looks at the counter.
    pub refill: OrderRefill,
    /// The real counter, where it is asked.
    #[serde(default)]
    pub counter: Option<OrderCounter>,
}

/// Links of an order to its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct OrderLinks {
    /// The next older order.
    pub previous: Option<OrderId>,
    /// The next newer order.
    pub next: Option<OrderId>,
}

/// Answer of `GET orders/{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderDetail {
    /// The order.
    pub data: Order,
    /// Its neighbours by id.
    pub links: OrderLinks,
}

/// What a cancel with money would return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefundAmount {
    /// The default refund.
    pub amount: Money,
}

crate::wire!(OrderDetail, Order, Vec<Choice>);
