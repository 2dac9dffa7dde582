//! The backlog of each poller on `/metrics`: a disabled poller and a panel that is not called have none, and a slow database
//! removes no other metric.

use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_demo::panel::world::OrderBehavior;
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
use crate::supplied::Supplied;

both! {
    attempts_wait_at_panels_that_are_called;
    nothing_waits_for_a_poller_that_is_off;
    the_outbox_is_counted_queue_by_queue;
    a_slow_database_takes_no_other_number_away;
}

/// Records that are due for a poller, and since when the first is.
async fn waits(app: &App, poller: &str) -> (i64, Option<Time>) {
    let backlog = worker::workers(app).backlog(app).await.unwrap();
    let own = backlog.into_iter().find(|one| one.poller == poller).unwrap();
    (own.due, own.oldest)
}

async fn attempts_wait_at_panels_that_are_called(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let app = &shop.ours.app;
    assert_eq!(waits(app, "external_order").await, (0, None));
    for n in 1..=3 {
        shop.order(n).await;
    }
    dispatch::dispatch_due_orders(app).await.unwrap();
    let (due, oldest) = waits(app, "external_order").await;
    assert_eq!((due, oldest), (3, Some(Time(NOW))));
    let called = "SELECT min(id) FROM external_panels WHERE api_token_sealed IS NOT NULL";
    let panel = ExternalPanelId::new(shop.ours.number(Sql::new(called)).await);
    for _ in 0..5 {
        app.panel_limits.record(panel, CallOutcome::NoAnswer, app.clock.now());
    }
    assert_eq!(waits(app, "external_order").await, (0, None), "its circuit is open");
}

async fn nothing_waits_for_a_poller_that_is_off(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let test = |is_on: bool| {
        Poller::<App>::task("test", std::time::Duration::from_secs(3_600), |_| async {
            Ok(WorkSummary::default())
        })
        .with_backlog(|_| Sql::new("SELECT CAST(7 AS BIGINT), CAST(5 AS BIGINT)"))
        .enabled_when(move |_| async move { Ok(is_on) })
    };
    for (is_on, expected) in [(true, (7, Some(Time(5)))), (false, (0, None))] {
        let backlog = Workers::new(vec![test(is_on)]).backlog(&panel.app).await.unwrap();
        assert_eq!((backlog[0].due, backlog[0].oldest), expected);
    }
    assert!(poll_feeds::poller().is_enabled(&panel.app).await.unwrap());
    let never = Panel::with(dialect, |config| config.subscriptions.look_minutes = 0).await;
    assert!(!poll_feeds::poller().is_enabled(&never.app).await.unwrap());
}

async fn the_outbox_is_counted_queue_by_queue(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.exec(Sql::new("DELETE FROM jobs")).await;
    assert_eq!(jobs::store::depth(&panel.app.db).await.unwrap(), (0, None));
    for (kind, run_at) in [("mail", 30), ("webhook", 10), ("webhook", 20)] {
        let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES (?, '{}', ?, 1)");
        panel.exec(sql.bind(kind).bind(Time(run_at))).await;
    }
    assert_eq!(jobs::store::depth(&panel.app.db).await.unwrap(), (3, Some(10)));
}

/// Of PostgreSQL alone: nothing makes a reader of SQLite wait.
async fn a_slow_database_takes_no_other_number_away(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let text = panel.get("/metrics").await.text;
    assert!(text.contains("panel_metrics_database_read 1") && text.contains("panel_outbox_depth"), "{text}");
    if dialect == Dialect::Sqlite {
        return;
    }
    let mut lock = panel.app.db.begin().await.unwrap();
    lock.exec(Sql::new("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")).await.unwrap();
    let answer = panel.get("/metrics").await;
    assert_eq!(answer.status, 200);
    let is_partial = answer.text.contains("panel_metrics_database_read 0")
        && answer.text.contains("panel_db_available 1")
        && !answer.text.contains("panel_outbox_depth");
    assert!(is_partial, "{}", answer.text);
    lock.rollback().await.unwrap();
}
