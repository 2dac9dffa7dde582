//! A shop whose service is delivered by fake panels.

use std::fmt::Display;
use std::sync::Arc;

use panel_contract::ids::{ExternalPanelId, OrderId, UserId};
use panel_demo::panel::world::{Offer, OrderBehavior, World};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::operations::orders::place::NewOrder;
use panel_server::supply::{dispatch, panels};
use serde_json::Value;

use crate::panel::Panel;
use crate::shop::{self, PLAIN};

/// The key of every fake panel.
pub(crate) const KEY: &str = "key-of-ours";

/// A shop and the panels that deliver for it: panel n is external panel n and provider n + 10 of the plain service.
pub(crate) struct Supplied {
    pub(crate) ours: Panel,
    pub(crate) theirs: Vec<FakePanel>,
}

impl Supplied {
    /// One panel per behavior, in the order of the service's providers; each passes the rest of an order to the next.
    pub(crate) async fn on(dialect: Dialect, behaviors: &[OrderBehavior]) -> Self {
        Self::paced(dialect, behaviors, 10_000).await
    }

    /// With so many calls a second to each.
    pub(crate) async fn paced(dialect: Dialect, behaviors: &[OrderBehavior], calls: u32) -> Self {
        let ours = Panel::with(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.outbound.seconds = 1;
            config.outbound.panel_calls_per_second = calls;
        })
        .await;
        shop::fill(&ours.app.db, 5, 0).await;
        ours.exec(Sql::new("DELETE FROM service_providers WHERE service_id = ?").bind(PLAIN)).await;
        // Some of these tests last for days.
        ours.exec(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
        let mut theirs = Vec::new();
        for (n, behavior) in (1..).zip(behaviors) {
            let mut world = World::new(KEY);
            world.sell(7, Offer { behavior: *behavior, ..Offer::plain("Likes") });
            let fake = FakePanel::start(world, Arc::new(ours.clock.clone())).await.unwrap();
            connect(&ours, n, &fake.url).await;
            theirs.push(fake);
        }
        Self { ours, theirs }
    }

    /// An order of 600 for 6.00, at the address `n`.
    pub(crate) async fn order(&self, n: u32) -> OrderId {
        let url = format!("https://video.example/{n}");
        self.ours.place(&NewOrder::plain(UserId::new(1), PLAIN, &url, 600)).await.id
    }

    /// Does everything that is due, until nothing is.
    pub(crate) async fn settle(&self) {
        for _ in 0..50 {
            if dispatch::cycle(&self.ours.app).await.unwrap() == 0 {
                return;
            }
        }
        panic!("there is always something due");
    }

    /// Lets so many seconds pass, half a minute at a time, doing what comes due. Half minutes in which nothing is due pass at
    /// once.
    pub(crate) async fn pass(&self, seconds: i64) {
        let mut left = seconds / 30;
        while left > 0 {
            let steps = self.steps_until_due().await.clamp(1, left);
            self.ours.clock.advance_secs(30 * steps);
            left -= steps;
            self.settle().await;
        }
    }

    /// After how many half minutes the next order, attempt, refill or cancel request is due: the queues that `dispatch::cycle` works through. At
    /// most 0 where a record is due already that a panel holds up.
    async fn steps_until_due(&self) -> i64 {
        let next = Sql::new(
            "SELECT min(at) FROM (SELECT min(dispatch_at) AS at FROM orders UNION ALL SELECT min(due_at) FROM external_panel_orders
              UNION ALL SELECT min(due_at) FROM order_refill_requests UNION ALL SELECT min(due_at) FROM order_cancel_requests) AS due",
        );
        let (next,): (Option<i64>,) = (&mut &self.ours.app.db).one(next).await.unwrap();
        next.map_or(i64::MAX, |at| (at - self.ours.app.clock.now().0 + 29_999_999).div_euclid(30_000_000))
    }

    /// The attempts of an order as its page shows them, oldest first.
    pub(crate) async fn attempts(&self, order: impl Display) -> Vec<Value> {
        let mut attempts = self.ours.order(order).await["external_panel_orders"].as_array().unwrap().clone();
        attempts.reverse();
        attempts
    }

    /// The states of an order's attempts, oldest first.
    pub(crate) async fn states(&self, order: impl Display) -> Vec<String> {
        let attempts = self.attempts(order).await;
        attempts.iter().map(|attempt| attempt["status"].as_str().unwrap().to_owned()).collect()
    }

    /// How many orders each panel has.
    pub(crate) fn taken(&self) -> Vec<usize> {
        self.theirs.iter().map(|fake| fake.world().orders.len()).collect()
    }

    /// How one panel behaves from now on.
    pub(crate) fn behave(&self, panel: usize, temper: FakeBehavior) {
        self.theirs[panel].behave(temper);
    }

    /// Money, counters and everything else are in order.
    pub(crate) async fn assert_healthy(&self) {
        self.ours.assert_healthy().await;
        let twice = Sql::new(
            "SELECT count(*) FROM (SELECT order_id FROM external_panel_orders WHERE status IN ('Creating', 'Pending', 'In progress', 'Processing')
               AND cancel_requested_at IS NULL GROUP BY order_id HAVING count(*) > 1) twice",
        );
        assert_eq!(self.ours.number(twice).await, 0, "an order is with one provider at a time");
    }
}

/// Connects a panel, with a provider for the plain service behind those that are there.
pub(crate) async fn connect(ours: &Panel, id: i64, url: &str) {
    let sealed = panels::seal(&ours.app, ExternalPanelId::new(id), KEY).unwrap();
    let mut tx = ours.app.db.begin().await.unwrap();
    let sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, api_token_sealed, auto_recreate_orders_is_allowed, created_at, updated_at)
         VALUES (?, ?, ?, ?, TRUE, 1, 1)",
    );
    tx.exec(sql.bind(id).bind(format!("Panel {id}")).bind(url).bind(sealed)).await.unwrap();
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, created_at, updated_at)
         VALUES (?, ?, ?, '7', 1000000, 1, 1)",
    );
    tx.exec(sql.bind(id + 10).bind(format!("Likes of panel {id}")).bind(id)).await.unwrap();
    let sql = Sql::new("INSERT INTO service_providers (service_id, provider_id, position) VALUES (?, ?, ?)");
    tx.exec(sql.bind(PLAIN).bind(id + 10).bind(id)).await.unwrap();
    tx.commit().await.unwrap();
}
