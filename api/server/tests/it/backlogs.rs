//! The backlog of each poller on `/metrics`: a disabled poller and a panel with an open circuit have none, and a slow database
//! removes no other metric.

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_demo::panel::state::OrderBehavior;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::jobs;
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::poller::workers::Workers;
use panel_server::app::App;
use panel_server::app::panel_limits::CallOutcome;
use panel_server::background::worker;
use panel_server::operations::subscriptions::poll_feeds;
use panel_server::supply::dispatch;

use crate::panel::{NOW, Panel};
use crate::shop_with_panels::ShopWithPanels;

both! {
    attempts_at_a_panel_with_an_open_circuit_are_no_backlog;
    a_disabled_poller_has_no_backlog;
    the_outbox_depth_covers_every_queue;
    a_slow_database_removes_no_other_metric;
}

/// The number of due records of a poller, and since when the oldest is due.
async fn backlog_of(app: &App, poller: &str) -> (i64, Option<Time>) {
    let backlog = worker::workers(app).read_backlogs(app).await.unwrap();
    let poller_backlog = backlog.into_iter().find(|backlog| backlog.poller == poller).unwrap();
    (poller_backlog.due, poller_backlog.oldest)
}

async fn attempts_at_a_panel_with_an_open_circuit_are_no_backlog(dialect: Dialect) {
    let shop = ShopWithPanels::on(dialect, &[OrderBehavior::Delivered]).await;
    let app = &shop.panel.app;
    assert_eq!(backlog_of(app, "external_order").await, (0, None));
    for n in 1..=3 {
        shop.order(n).await;
    }
    dispatch::dispatch_due_orders(app).await.unwrap();
    let (due, oldest) = backlog_of(app, "external_order").await;
    assert_eq!((due, oldest), (3, Some(Time(NOW))));
    let id_of_panel = "SELECT min(id) FROM external_panels WHERE api_token_sealed IS NOT NULL";
    let panel_id = ExternalPanelId::new(shop.panel.number(Sql::new(id_of_panel)).await);
    for _ in 0..5 {
        app.panel_limits.record(panel_id, CallOutcome::NoResponse, app.clock.now());
    }
    assert_eq!(backlog_of(app, "external_order").await, (0, None), "its circuit is open");
}

async fn a_disabled_poller_has_no_backlog(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let test_poller = |is_enabled: bool| {
        Poller::<App>::task("test", std::time::Duration::from_secs(3_600), |_| async {
            Ok(WorkSummary::default())
        })
        .with_backlog(|_| Sql::new("SELECT CAST(7 AS BIGINT), CAST(5 AS BIGINT)"))
        .enabled_when(move |_| async move { Ok(is_enabled) })
    };
    for (is_enabled, expected) in [(true, (7, Some(Time(5)))), (false, (0, None))] {
        let backlog = Workers::new(vec![test_poller(is_enabled)]).read_backlogs(&panel.app).await.unwrap();
        assert_eq!((backlog[0].due, backlog[0].oldest), expected);
    }
    assert!(poll_feeds::poller().is_enabled(&panel.app).await.unwrap());
    let without_polls =
        Panel::with_config(dialect, |config| config.subscriptions.poll_interval_minutes = 0).await;
    assert!(!poll_feeds::poller().is_enabled(&without_polls.app).await.unwrap());
}

async fn the_outbox_depth_covers_every_queue(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.execute(Sql::new("DELETE FROM jobs")).await;
    assert_eq!(jobs::store::read_queue_depth(&panel.app.db).await.unwrap(), (0, None));
    for (kind, run_at) in [("mail", 30), ("webhook", 10), ("webhook", 20)] {
        let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES (?, '{}', ?, 1)");
        panel.execute(sql.bind(kind).bind(Time(run_at))).await;
    }
    assert_eq!(jobs::store::read_queue_depth(&panel.app.db).await.unwrap(), (3, Some(10)));
}

/// PostgreSQL only: on SQLite no lock makes a reader wait.
async fn a_slow_database_removes_no_other_metric(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let text = panel.get("/metrics").await.text;
    assert!(text.contains("panel_metrics_database_read 1") && text.contains("panel_outbox_depth"), "{text}");
    if dialect == Dialect::Sqlite {
        return;
    }
    let mut lock = panel.app.db.begin().await.unwrap();
    lock.execute(Sql::new("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")).await.unwrap();
    let answer = panel.get("/metrics").await;
    assert_eq!(answer.status, 200);
    let is_partial = answer.text.contains("panel_metrics_database_read 0")
        && answer.text.contains("panel_db_available 1")
        && !answer.text.contains("panel_outbox_depth");
    assert!(is_partial, "{}", answer.text);
    lock.rollback().await.unwrap();
}
