//! Endpoints of drip-feeds.

use crate::common::{Data, DryRun};
use crate::drip_feeds::DripFeed;
use crate::endpoint::NoBody;
use crate::ids::DripFeedId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_drip_feeds_endpoint "drip-feeds";
    /// Drip-feeds, newest first.
    ListDripFeeds list_drip_feeds: GET "/api/v1/admin/drip-feeds" [ViewOrders] ((), TableQuery, NoBody) -> Page<DripFeed>;
    /// Cancels one: no more runs, placed orders go on, the money of the other runs goes back.
    CancelDripFeed cancel_drip_feed: POST "/api/v1/admin/drip-feeds/{id}/cancel" [ManageOrders] (DripFeedId, DryRun, NoBody) -> Data<DripFeed>;
}
