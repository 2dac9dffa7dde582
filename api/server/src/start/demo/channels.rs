//! Subscriptions of the demo that go on by themselves: their channels publish something every few minutes, at feeds on this
//! machine.

use std::sync::Arc;
use std::time::Duration;

use panel_contract::ids::{ServiceId, UserId};
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::app::App;
use crate::operations::subscriptions::start::{Each, NewSubscription, start};
use panel_demo::feed::FakeFeeds;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;

/// How often a channel publishes something.
const RHYTHM: Duration = Duration::from_mins(4);
/// Subscriptions that go on.
const SUBSCRIPTIONS: i64 = 3;
/// What their channels are called, before a number.
const CHANNEL: &str = "https://video.example/@live";

/// Starts the feeds, points the panel there, and sees to it that somebody is subscribed.
pub(super) async fn connect(app: &App) -> Result<FakeFeeds> {
    let fault = |error: std::io::Error| Error::Fault(error.to_string());
    let feeds = FakeFeeds::start(Arc::clone(&app.clock), Some(RHYTHM)).await.map_err(fault)?;
    let now = app.clock.now();
    settings::put(&mut &app.db, settings::CONTENT_FEED, &json!(feeds.template), now).await?;
    let sql = Sql::new("SELECT count(*) FROM subscriptions WHERE status = 'in_processing' AND url LIKE ?");
    let (there,): (i64,) = (&mut &app.db).one(sql.bind(format!("{CHANNEL}%"))).await?;
    for (n, (user_id, service_id, least)) in (1..).zip(pairs(app, SUBSCRIPTIONS - there).await?) {
        let new = NewSubscription {
            user_id,
            name: format!("New videos of live {n}"),
            url: format!("{CHANNEL}{n}"),
            kind: "youtube".into(),
            billing_type: BillingType::PerContent,
            contents_limit: 1_002,
            old_contents: 2,
            delay_minutes: n - 1,
            services: vec![Each { service_id, least, most: least }],
            expired_at: None,
            period_days: None,
        };
        let mut work = Scope::system(app, "demo").begin().await?;
        start(&mut work, &new).await?;
        work.finish(()).await?;
    }
    Ok(feeds)
}

/// Customers with money, and a service that asks nothing for each.
async fn pairs(app: &App, most: i64) -> Result<Vec<(UserId, ServiceId, i64)>> {
    let sql = Sql::new(
        "SELECT u.id, s.id, s.min_quantity FROM (SELECT id, row_number() OVER (ORDER BY balance_main DESC, id) AS n FROM users
           WHERE status = 'active' AND balance_main > 50000000) AS u
         JOIN (SELECT id, min_quantity, row_number() OVER (ORDER BY id) AS n FROM services WHERE is_enabled AND NOT is_archived AND NOT is_deactivated
           AND has_active_providers AND NOT forbids_orders_with_same_url AND promotable_checker_group_id IS NULL
           AND NOT EXISTS (SELECT 1 FROM service_targets t WHERE t.service_id = services.id)) AS s ON s.n = u.n
         ORDER BY u.n LIMIT ?",
    );
    Ok((&mut &app.db).all(sql.bind(most.max(0))).await?)
}
