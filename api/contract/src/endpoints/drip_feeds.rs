//! Endpoints of drip-feeds.

use crate::common::{Data, DryRun};
use crate::drip_feeds::DripFeed;
use crate::endpoint::EmptyBody;
use crate::ids::DripFeedId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_drip_feeds_endpoint "drip-feeds";
    /// Lists drip-feeds, newest first.
    ListDripFeeds list_drip_feeds: GET "/api/v1/admin/drip-feeds" [ViewOrders] ((), TableQuery, EmptyBody) -> Page<DripFeed>;
    /// Cancels a drip-feed: placed orders continue, and the customer gets a refund for the remaining orders.
    CancelDripFeed cancel_drip_feed: POST "/api/v1/admin/drip-feeds/{id}/cancel" [ManageOrders] (DripFeedId, DryRun, EmptyBody) -> Data<DripFeed>;
}
