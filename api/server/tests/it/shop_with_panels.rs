//! A shop whose orders go to fake external panels.

use std::fmt::Display;
use std::sync::Arc;

use panel_contract::ids::{ExternalPanelId, OrderId, UserId};
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{dispatch, panels};
use serde_json::Value;

use crate::panel::Panel;
use crate::shop::{self, PLAIN_SERVICE};

/// The key of every fake panel.
pub(crate) const FAKE_PANEL_KEY: &str = "key-of-ours";

/// The id of the only service at each fake panel.
pub(crate) const FAKE_SERVICE_ID: i64 = 7;

/// A shop and its external panels. The nth fake panel has the external panel id n. Its provider for `PLAIN_SERVICE` has the id n + 10.
pub(crate) struct ShopWithPanels {
    pub(crate) panel: Panel,
    pub(crate) fake_panels: Vec<FakePanel>,
}

impl ShopWithPanels {
    /// One fake panel per behavior, in the order of the service's providers. Each may fail over to the next.
    pub(crate) async fn start(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        Self::with_rate_limit(dialect, behaviors, 10_000).await
    }

    /// `requests_per_second` is the limit for each panel.
    pub(crate) async fn with_rate_limit(
        dialect: Dialect,
        behaviors: &[OrderBehavior],
        requests_per_second: u32,
    ) -> Self {
        let panel = Panel::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.timeout_seconds = 1;
            config.outbound.panel_calls_per_second = requests_per_second;
        })
        .await;
        shop::insert_shop_records(&panel.app.db, 5, 0).await;
        panel
            .execute(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN_SERVICE))
            .await;
        // Some of these tests advance the clock by days, so sessions must last longer.
        panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let mut fake_panels = Vec::new();
        for (n, behavior) in (1..).zip(behaviors) {
            let mut panel_state = FakePanelState::new(FAKE_PANEL_KEY);
            panel_state.add_service(
                FAKE_SERVICE_ID,
                FakeService { behavior: *behavior, ..FakeService::with_name("Likes") },
            );
            let fake_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
            insert_external_panel(&panel, n, &fake_panel.url).await;
            fake_panels.push(fake_panel);
        }
        Self { panel, fake_panels }
    }

    /// Places an order of 600 units for 6.00 with a URL that ends in `n`.
    pub(crate) async fn place_order(&self, n: u32) -> OrderId {
        let url = format!("https://video.example/{n}");
        self.panel.place_order(&NewOrder::without_options(UserId::new(1), PLAIN_SERVICE, &url, 600)).await.id
    }

    /// Runs dispatch cycles until no work is due.
    pub(crate) async fn run_until_idle(&self) {
        for _ in 0..50 {
            if dispatch::process_all_queues(&self.panel.app).await.unwrap() == 0 {
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
    /// `dispatch::process_all_queues` reads. It is 0 or less where a record is due already, as when a rate limit delays it.
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
    pub(crate) async fn fetch_attempts(&self, order: impl Display) -> Vec<Value> {
        let mut attempts =
            self.panel.fetch_order(order).await["external_panel_orders"].as_array().unwrap().clone();
        attempts.reverse();
        attempts
    }

    /// The statuses of an order's placement attempts, oldest first.
    pub(crate) async fn fetch_attempt_statuses(&self, order: impl Display) -> Vec<String> {
        let attempts = self.fetch_attempts(order).await;
        attempts.iter().map(|attempt| attempt["status"].as_str().unwrap().to_owned()).collect()
    }

    /// The number of orders at each fake panel.
    pub(crate) fn order_counts(&self) -> Vec<usize> {
        self.fake_panels.iter().map(|fake_panel| fake_panel.state().orders.len()).collect()
    }

    /// Changes how a fake panel responds to the following requests.
    pub(crate) fn set_behavior(&self, panel: usize, behavior: FakeBehavior) {
        self.fake_panels[panel].set_behavior(behavior);
    }

    /// Asserts the doctor's invariants, and that no order has two live attempts.
    pub(crate) async fn assert_healthy(&self) {
        self.panel.assert_healthy().await;
        let count_orders_with_two_attempts_sql = Sql::new(
            "SELECT count(*) FROM (SELECT order_id FROM external_panel_orders WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing')
               AND cancel_requested_at IS NULL GROUP BY order_id HAVING count(*) > 1) twice",
        );
        assert_eq!(
            self.panel.fetch_number(count_orders_with_two_attempts_sql).await,
            0,
            "an order must not have two live attempts"
        );
    }
}

/// Inserts an external panel, and its provider for `PLAIN_SERVICE` after the existing providers.
pub(crate) async fn insert_external_panel(panel: &Panel, id: i64, url: &str) {
    let sealed_token = panels::seal_token(&panel.app, ExternalPanelId::new(id), FAKE_PANEL_KEY).unwrap();
    let mut tx = panel.app.db.begin().await.unwrap();
    let sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, auto_recreate_orders_is_allowed, created_at, updated_at)
         VALUES (?, ?, ?, ?, TRUE, 1, 1)",
    );
    tx.execute(sql.bind(id).bind(format!("Panel {id}")).bind(url).bind(sealed_token)).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, ?, ?, '7', 1000000, 1, 1)",
    );
    tx.execute(sql.bind(id + 10).bind(format!("Likes of panel {id}")).bind(id)).await.unwrap();
    let sql = Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, ?)");
    tx.execute(sql.bind(PLAIN_SERVICE).bind(id + 10).bind(id)).await.unwrap();
    tx.commit().await.unwrap();
}
