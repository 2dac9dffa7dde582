//! Tests the backlog of each poller on `/metrics`: disabled pollers and external panels with an open circuit have none, and a slow
//! database must not remove metrics that need no database.

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::jobs;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::poller::workers::Workers;
use panel_server::app::App;
use panel_server::app::panel_limits::PanelRequestOutcome;
use panel_server::background::worker;
use panel_server::operations::subscriptions::poll_feeds;
use panel_server::supply::dispatch;

use crate::panel::{NOW, Panel};
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    attempts_at_a_panel_with_an_open_circuit_are_not_counted;
    a_disabled_poller_has_no_backlog;
    the_outbox_depth_covers_every_queue;
    metrics_without_database_access_remain_if_the_database_is_slow;
}

/// The number of due records of a poller, and the due time of the oldest.
async fn read_backlog(app: &App, poller: &str) -> (i64, Option<Time>) {
    let backlogs = worker::workers(app).read_backlogs(app).await.unwrap();
    let poller_backlog = backlogs.into_iter().find(|backlog| backlog.poller == poller).unwrap();
    (poller_backlog.due, poller_backlog.oldest)
}

async fn attempts_at_a_panel_with_an_open_circuit_are_not_counted(dialect: Dialect) {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    let app = &shop.panel.app;
    assert_eq!(read_backlog(app, "external_order").await, (0, None));
    for n in 1..=3 {
        shop.place_order(n).await;
    }
    dispatch::dispatch_due_orders(app).await.unwrap();
    let (due_count, oldest_due_at) = read_backlog(app, "external_order").await;
    assert_eq!((due_count, oldest_due_at), (3, Some(Time(NOW))));
    let panel_id_sql = "SELECT min(id) FROM external_panels WHERE api_token_sealed IS NOT NULL";
    let panel_id = ExternalPanelId::new(shop.panel.fetch_number(Sql::new(panel_id_sql)).await);
    for _ in 0..5 {
        app.panel_limits.record(panel_id, PanelRequestOutcome::NoResponse, app.clock.now());
    }
    assert_eq!(
        read_backlog(app, "external_order").await,
        (0, None),
        "orders of an external panel with an open circuit must not be counted"
    );
}

async fn a_disabled_poller_has_no_backlog(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let test_poller = |is_enabled: bool| {
        Poller::<App>::task("test", std::time::Duration::from_secs(3_600), |_| async {
            Ok(WorkSummary::default())
        })
        .with_backlog(|_| Sql::new("SELECT CAST(7 AS BIGINT), CAST(5 AS BIGINT)"))
        .enabled_when(move |_| async move { Ok(is_enabled) })
    };
    for (is_enabled, expected_backlog) in [(true, (7, Some(Time(5)))), (false, (0, None))] {
        let backlogs = Workers::new(vec![test_poller(is_enabled)]).read_backlogs(&panel.app).await.unwrap();
        assert_eq!((backlogs[0].due, backlogs[0].oldest), expected_backlog);
    }
    assert!(poll_feeds::poller().is_enabled(&panel.app).await.unwrap());
    let panel_without_polling =
        Panel::with_config(dialect, |config| config.subscriptions.poll_interval_minutes = 0).await;
    assert!(!poll_feeds::poller().is_enabled(&panel_without_polling.app).await.unwrap());
}

async fn the_outbox_depth_covers_every_queue(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.execute(Sql::new("DELETE FROM jobs")).await;
    assert_eq!(jobs::store::read_queue_depth(&panel.app.db).await.unwrap(), (0, None));
    for (kind, run_at) in [("mail", 30), ("webhook", 10), ("webhook", 20)] {
        let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES (?, '{}', ?, 1)");
        panel.execute(sql.bind(kind).bind(Time(run_at))).await;
    }
    assert_eq!(jobs::store::read_queue_depth(&panel.app.db).await.unwrap(), (3, Some(10)));
}

/// PostgreSQL only: on SQLite, readers never wait for a lock.
async fn metrics_without_database_access_remain_if_the_database_is_slow(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let text = panel.get("/metrics").await.text;
    assert!(text.contains("panel_metrics_database_read 1") && text.contains("panel_outbox_depth"), "{text}");
    if dialect == Dialect::Sqlite {
        return;
    }
    let mut lock = panel.app.db.begin().await.unwrap();
    lock.execute(Sql::new("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")).await.unwrap();
    let response = panel.get("/metrics").await;
    assert_eq!(response.status, 200);
    let is_partial = response.text.contains("panel_metrics_database_read 0")
        && response.text.contains("panel_db_available 1")
        && !response.text.contains("panel_outbox_depth");
    assert!(is_partial, "{}", response.text);
    lock.rollback().await.unwrap();
}
