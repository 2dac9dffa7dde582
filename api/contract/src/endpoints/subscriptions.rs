//! Endpoints of subscriptions.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::SubscriptionId;
use crate::subscriptions::{RenewedSubscription, Subscription, SubscriptionCollections, SubscriptionRow};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_subscriptions_endpoint "subscriptions";
    /// Lists subscriptions, newest first.
    ListSubscriptions list_subscriptions: GET "/api/v1/admin/subscriptions" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<SubscriptionRow>;
    /// Lists the billing types of subscriptions.
    GetSubscriptionCollections subscription_collections: GET "/api/v1/admin/subscriptions/collections" [ViewOrders] ((), EmptyQuery, EmptyBody) -> Data<SubscriptionCollections>;
    /// Retrieves a subscription with its services and posts.
    GetSubscription get_subscription: GET "/api/v1/admin/subscriptions/{id}" [ViewOrders] (SubscriptionId, EmptyQuery, EmptyBody) -> Data<Subscription>;
    /// Cancels a subscription: placed orders continue, and the customer gets a refund for the remaining posts.
    CancelSubscription cancel_subscription: POST "/api/v1/admin/subscriptions/{id}/cancel" [ManageOrders] (SubscriptionId, DryRun, EmptyBody) -> Data<Subscription>;
    /// Renews a paused subscription now: charges the next period and resumes polling its channel.
    RenewSubscription renew_subscription: POST "/api/v1/admin/subscriptions/{id}/renew" [ManageOrders] (SubscriptionId, DryRun, EmptyBody) -> RenewedSubscription;
}
