//! Active subscriptions of the demo. Their channels publish every few minutes in feeds on this machine.

use std::sync::Arc;
use std::time::Duration;

use panel_contract::ids::{ServiceId, UserId};
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_demo::feed::FakeFeeds;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::settings;

/// Interval at which each channel publishes.
const PUBLISH_INTERVAL: Duration = Duration::from_mins(4);
/// Number of active subscriptions with such a channel.
const SUBSCRIPTION_COUNT: i64 = 3;
/// Start of the channels' URLs; the number follows.
const CHANNEL_PREFIX: &str = "https://video.example/@live";

/// Starts the feeds, sets them as the panel's content source, and starts the missing subscriptions.
pub(super) async fn start_feeds_and_subscriptions(app: &App) -> Result<FakeFeeds> {
    let to_internal_error = |error: std::io::Error| Error::Internal(error.to_string());
    let feeds =
        FakeFeeds::start(Arc::clone(&app.clock), Some(PUBLISH_INTERVAL)).await.map_err(to_internal_error)?;
    let now = app.clock.now();
    settings::put(&mut &app.db, settings::CONTENT_FEED, &json!(feeds.url_template), now).await?;
    let sql = Sql::new("SELECT count(*) FROM subscriptions WHERE status = 'in_processing' AND url LIKE ?");
    let (existing_count,): (i64,) = (&mut &app.db).fetch_one(sql.bind(format!("{CHANNEL_PREFIX}%"))).await?;
    for (number, (user_id, service_id, quantity)) in
        (1..).zip(load_customers_with_services(app, SUBSCRIPTION_COUNT - existing_count).await?)
    {
        let new_subscription = NewSubscription {
            user_id,
            name: format!("New videos of live {number}"),
            url: format!("{CHANNEL_PREFIX}{number}"),
            kind: "youtube".into(),
            billing_type: BillingType::PerContent,
            contents_limit: 1_002,
            old_contents: 2,
            delay_minutes: number - 1,
            services: vec![ServiceQuantity { service_id, min: quantity, max: quantity }],
            expired_at: None,
            period_days: None,
        };
        let mut work = Scope::system(app, "demo").begin().await?;
        start(&mut work, &new_subscription).await?;
        work.finish(()).await?;
    }
    Ok(feeds)
}

/// Customers with a balance above 50, each with a service that needs no further input and the minimum quantity of that service.
async fn load_customers_with_services(app: &App, limit: i64) -> Result<Vec<(UserId, ServiceId, i64)>> {
    let sql = Sql::new(
        "SELECT u.id, s.id, s.min_quantity FROM (SELECT id, row_number() OVER (ORDER BY balance_main DESC, id) AS number FROM users
           WHERE status = 'active' AND balance_main > 50000000) AS u
         JOIN (SELECT id, min_quantity, row_number() OVER (ORDER BY id) AS number FROM services WHERE is_enabled AND NOT is_archived AND NOT is_deactivated
           AND has_active_providers AND NOT forbids_orders_with_same_url AND promotable_checker_group_id IS NULL
           AND NOT EXISTS (SELECT 1 FROM service_targets t WHERE t.service_id = services.id)) AS s ON s.number = u.number
         ORDER BY u.number LIMIT ?",
    );
    Ok((&mut &app.db).fetch_all(sql.bind(limit.max(0))).await?)
}
