//! Endpoints of subscriptions.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::SubscriptionId;
use crate::subscriptions::{RenewedSubscription, Subscription, SubscriptionCollections, SubscriptionRow};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_subscriptions_endpoint "subscriptions";
    /// Subscriptions, newest first.
    ListSubscriptions list_subscriptions: GET "/api/v1/admin/subscriptions" [ViewOrders] ((), TableQuery, NoBody) -> Page<SubscriptionRow>;
    /// Billing types.
    SubscriptionCollectionsOp subscription_collections: GET "/api/v1/admin/subscriptions/collections" [ViewOrders] ((), NoQuery, NoBody) -> Data<SubscriptionCollections>;
    /// One subscription with its services and contents.
    GetSubscription get_subscription: GET "/api/v1/admin/subscriptions/{id}" [ViewOrders] (SubscriptionId, NoQuery, NoBody) -> Data<Subscription>;
    /// Cancels one: no more orders, placed ones go on, the money of the other contents goes back.
    CancelSubscription cancel_subscription: POST "/api/v1/admin/subscriptions/{id}/cancel" [ManageOrders] (SubscriptionId, DryRun, NoBody) -> Data<Subscription>;
    /// Renews a paused one now: its next period is paid ahead and its channel is read again.
    RenewSubscription renew_subscription: POST "/api/v1/admin/subscriptions/{id}/renew" [ManageOrders] (SubscriptionId, DryRun, NoBody) -> RenewedSubscription;
}
