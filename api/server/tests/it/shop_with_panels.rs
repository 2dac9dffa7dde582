//! A shop whose orders go to fake external panels.

use std::fmt::Display;
use std::sync::Arc;

use panel_contract::ids::{ExternalPanelId, OrderId, UserId};
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{dispatch, panels};
use serde_json::Value;

use crate::panel::Panel;
use crate::shop::{self, PLAIN};

/// The key of every fake panel.
pub(crate) const KEY: &str = "key-of-ours";

/// A shop and its external panels: the nth fake panel has the external panel id n, and its provider for `PLAIN` the id n + 10.
pub(crate) struct ShopWithPanels {
    pub(crate) panel: Panel,
    pub(crate) fake_panels: Vec<FakePanel>,
}

impl ShopWithPanels {
    /// One fake panel per behavior, in the order of the service's providers. Each may fail over to the next.
    pub(crate) async fn on(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        Self::with_rate_limit(dialect, behaviors, 10_000).await
    }

    /// `calls` is the number of calls per second to each panel.
    pub(crate) async fn with_rate_limit(dialect: Dialect, behaviors: &[OrderBehavior], calls: u32) -> Self {
        let panel = Panel::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 1;
            config.outbound.panel_calls_per_second = calls;
        })
        .await;
        shop::fill(&panel.app.db, 5, 0).await;
        panel.execute(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN)).await;
        // Some of these tests advance the clock by days, so sessions must last longer.
        panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let mut fake_panels = Vec::new();
        for (n, behavior) in (1..).zip(behaviors) {
            let mut panel_state = FakePanelState::new(KEY);
            panel_state.add_service(7, FakeService { behavior: *behavior, ..FakeService::plain("Likes") });
            let fake = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
            insert_panel(&panel, n, &fake.url).await;
            fake_panels.push(fake);
        }
        Self { panel, fake_panels }
    }

    /// Places an order of 600 units for 6.00 with a URL that ends in `n`.
    pub(crate) async fn order(&self, n: u32) -> OrderId {
        let url = format!("https://video.example/{n}");
        self.panel.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, 600)).await.id
    }

    /// Runs dispatch cycles until no work is due.
    pub(crate) async fn run_until_idle(&self) {
        for _ in 0..50 {
            if dispatch::cycle(&self.panel.app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("work is still due after 50 cycles");
    }

    /// Advances the clock by `seconds`, 30 at a time, and runs the work that is due after each step. Steps without due work are
    /// one step, so that long times are cheap.
    pub(crate) async fn run_for_secs(&self, seconds: i64) {
        let mut steps_left = seconds / 30;
        while steps_left > 0 {
            let steps = self.steps_until_due().await.clamp(1, steps_left);
            self.panel.clock.advance_secs(30 * steps);
            steps_left -= steps;
            self.run_until_idle().await;
        }
    }

    /// The number of 30-second steps until the next order, attempt, refill or cancel request is due: the queues that
    /// `dispatch::cycle` reads. It is 0 or less where a record is due already, as when a rate limit delays it.
    async fn steps_until_due(&self) -> i64 {
        let next_due_at = Sql::new(
            "SELECT min(at) FROM (SELECT min(dispatch_at) AS at FROM orders UNION ALL SELECT min(due_at) FROM external_panel_orders
              UNION ALL SELECT min(due_at) FROM order_refill_requests UNION ALL SELECT min(due_at) FROM order_cancel_requests) AS due",
        );
        let (next_due_at,): (Option<i64>,) = (&mut &self.panel.app.db).fetch_one(next_due_at).await.unwrap();
        next_due_at
            .map_or(i64::MAX, |at| (at - self.panel.app.clock.now().0 + 29_999_999).div_euclid(30_000_000))
    }

    /// The placement attempts of an order as the admin API returns them, oldest first.
    pub(crate) async fn attempts(&self, order: impl Display) -> Vec<Value> {
        let mut attempts = self.panel.order(order).await["external_panel_orders"].as_array().unwrap().clone();
        attempts.reverse();
        attempts
    }

    /// The statuses of an order's placement attempts, oldest first.
    pub(crate) async fn attempt_statuses(&self, order: impl Display) -> Vec<String> {
        let attempts = self.attempts(order).await;
        attempts.iter().map(|attempt| attempt["status"].as_str().unwrap().to_owned()).collect()
    }

    /// The number of orders at each fake panel.
    pub(crate) fn order_counts(&self) -> Vec<usize> {
        self.fake_panels.iter().map(|fake| fake.state().orders.len()).collect()
    }

    /// Changes how one fake panel answers the calls that follow.
    pub(crate) fn set_behavior(&self, panel: usize, behavior: FakeBehavior) {
        self.fake_panels[panel].set_behavior(behavior);
    }

    /// Asserts the doctor's invariants, and that no order has two live attempts.
    pub(crate) async fn assert_healthy(&self) {
        self.panel.assert_healthy().await;
        let orders_with_two_attempts = Sql::new(
            "SELECT count(*) FROM (SELECT order_id FROM external_panel_orders WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing')
               AND cancel_requested_at IS NULL GROUP BY order_id HAVING count(*) > 1) twice",
        );
        assert_eq!(
            self.panel.number(orders_with_two_attempts).await,
            0,
            "an order is with one provider at a time"
        );
    }
}

/// Inserts an external panel, and its provider for `PLAIN` after the existing ones.
pub(crate) async fn insert_panel(panel: &Panel, id: i64, url: &str) {
    let sealed = panels::seal_token(&panel.app, ExternalPanelId::new(id), KEY).unwrap();
    let mut tx = panel.app.db.begin().await.unwrap();
    let sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, auto_recreate_orders_is_allowed, created_at, updated_at)
         VALUES (?, ?, ?, ?, TRUE, 1, 1)",
    );
    tx.execute(sql.bind(id).bind(format!("Panel {id}")).bind(url).bind(sealed)).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, ?, ?, '7', 1000000, 1, 1)",
    );
    tx.execute(sql.bind(id + 10).bind(format!("Likes of panel {id}")).bind(id)).await.unwrap();
    let sql = Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, ?)");
    tx.execute(sql.bind(PLAIN).bind(id + 10).bind(id)).await.unwrap();
    tx.commit().await.unwrap();
}
