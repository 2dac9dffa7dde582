//! Errors of external panels and of this panel change no order and no balance, and the dispatcher never guesses an unknown outcome.

use std::pin::pin;

use futures_util::poll;
use panel_contract::ids::OrderId;
use panel_demo::panel::FakeBehavior;
use panel_demo::panel::world::{OrderBehavior, World};
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::supply::dispatch;
use serde_json::json;

use crate::shop::DEPOSIT;
use crate::supplied::{self, Supplied};

both! {
    panel_errors_change_no_order;
    an_unreachable_panel_changes_no_order;
    a_failed_write_loses_one_id_and_no_other;
    a_short_database_outage_loses_no_id;
    an_unknown_attempt_does_not_block_its_order;
    a_manual_delivery_ends_with_its_order;
    an_ambiguous_id_is_not_adopted;
    an_order_of_another_connection_is_not_adopted;
    one_id_is_one_open_attempt;
    attempts_over_the_rate_limit_are_not_claimed;
    a_low_rate_limit_still_reconciles_accepted_orders;
    a_quota_share_is_enough_to_deliver;
    a_disabled_provider_gets_no_orders;
    a_pause_comes_before_a_claim_or_after;
}

const ALERTS: &str = "SELECT count(*) FROM external_panel_orders WHERE alert_at IS NOT NULL";
const STUCK: &str = "/api/v1/admin/external-panel-orders?stuck=1";

impl Supplied {
    /// Repeatedly advances the clock by three hours and dispatches.
    async fn long(&self, times: usize) {
        for _ in 0..times {
            self.ours.clock.advance_secs(10_801);
            self.settle().await;
        }
    }

    async fn move_to(&self, order: OrderId, provider: i64) {
        let moved = json!({ "order_ids": [order], "provider_id": provider });
        let answer = self.ours.post("/api/v1/admin/orders/change-provider", &moved).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    /// Asserts that the order still waits and nothing was refunded.
    async fn assert_waits(&self, order: OrderId, why: &str) {
        let order = self.ours.order(order).await;
        assert_eq!((&order["status"], &order["refunded"]), (&json!("in_processing"), &json!("0")), "{why}");
        assert_eq!(self.ours.balances(1).await.0, DEPOSIT - 6_000_000, "{why}");
        self.assert_healthy().await;
    }
}

/// A refusal, and whether the dispatcher retries it without limit.
type Rejection = (&'static str, fn(&mut World), bool);

const REFUSALS: [Rejection; 5] = [
    ("our balance there", |world| world.balance.0 = 0, true),
    ("our key", |world| world.key = "another".into(), true),
    ("an open order for this address", |_| {}, true),
    ("no such service", |world| world.offers.clear(), false),
    ("too few", |world| world.offers.get_mut(&7).unwrap().min = 5_000, false),
];

async fn panel_errors_change_no_order(dialect: Dialect) {
    for (why, refuse, asks_on) in REFUSALS {
        let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
        shop.ours.exec(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
        let now = shop.ours.app.clock.now();
        if why.starts_with("an open") {
            shop.theirs[0].world().take(7, "https://video.example/1", 100, now);
        }
        refuse(&mut shop.theirs[0].world());
        let id = shop.order(1).await;
        shop.settle().await;
        shop.long(9).await;
        shop.assert_waits(id, why).await;
        let abandoned = shop.ours.order(id).await["has_no_active_providers"].clone();
        let wanted = if asks_on { ("Creating", 1, false) } else { ("Canceled", 0, true) };
        let seen = (shop.states(id).await, shop.ours.number(Sql::new(ALERTS)).await, abandoned);
        assert_eq!(seen, (vec![wanted.0.to_owned()], wanted.1, json!(wanted.2)), "{why}");
        if why == "our balance there" {
            shop.theirs[0].world().balance.0 = 1_000_000;
            shop.long(1).await;
            assert_eq!(shop.states(id).await, ["Pending"], "it is mended");
            assert_eq!(shop.ours.number(Sql::new(ALERTS)).await, 0);
        }
    }
}

async fn an_unreachable_panel_changes_no_order(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[]).await;
    shop.ours.exec(Sql::new("UPDATE services SET auto_cancel = TRUE")).await;
    supplied::connect(&shop.ours, 1, "http://127.0.0.1:9").await;
    let id = shop.order(1).await;
    shop.settle().await;
    shop.long(9).await;
    shop.assert_waits(id, "connection refused").await;
    assert_eq!(
        (shop.states(id).await, shop.ours.number(Sql::new(ALERTS)).await),
        (vec!["Creating".to_owned()], 1)
    );
}

/// Makes the database refuse to write one external order id.
async fn refuse_to_write(shop: &Supplied, dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        shop.ours
            .exec(Sql::new(
                "CREATE TRIGGER refuse BEFORE UPDATE OF external_order_id ON external_panel_orders WHEN new.external_order_id = '23501'
                 BEGIN SELECT RAISE(ABORT, 'not this one'); END",
            ))
            .await;
        return;
    }
    let function = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF new.external_order_id = '23501' THEN RAISE EXCEPTION 'not this one'; END IF; RETURN new; END $$";
    shop.ours.exec(Sql::new(function)).await;
    let trigger =
        "CREATE TRIGGER refuse BEFORE UPDATE ON external_panel_orders FOR EACH ROW EXECUTE FUNCTION refuse()";
    shop.ours.exec(Sql::new(trigger)).await;
}

async fn a_failed_write_loses_one_id_and_no_other(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    refuse_to_write(&shop, dialect).await;
    for n in 0..10 {
        shop.order(n).await;
    }
    let unrecorded = || {
        let text = shop.ours.app.metrics.render();
        let line = text.lines().find_map(|line| line.strip_prefix("panel_external_orders_unrecorded_total "));
        line.unwrap().parse::<u64>().unwrap()
    };
    // Other tests of this process increase the same counters.
    let before = unrecorded();
    assert!(dispatch::cycle(&shop.ours.app).await.is_err(), "the cycle returns the error");
    assert!(unrecorded() > before, "and an alert");
    let known = "SELECT count(*) FROM external_panel_orders WHERE status = 'Pending' AND external_order_id IS NOT NULL";
    assert_eq!((shop.taken(), shop.ours.number(Sql::new(known)).await), (vec![10], 9));
}

async fn a_short_database_outage_loses_no_id(dialect: Dialect) {
    // SQLite runs inside the process, so there are no connections to end.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    let other = shop.ours.twin().await;
    let id = shop.order(1).await;
    let app = &shop.ours.app;
    {
        let mut round = pin!(dispatch::cycle(app));
        while shop.taken() == [0] {
            assert!(poll!(round.as_mut()).is_pending());
            tokio::task::yield_now().await;
        }
        // The panel accepted the order, and this is not recorded yet: end all database connections of this process now.
        let end = "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()) ended";
        (&mut &other.db).one::<(i64,)>(Sql::new(end)).await.unwrap();
        // Every other statement on such a connection fails.
        drop(round.await);
    }
    let known =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE order_id = ? AND status = 'Pending'");
    let mut seen = None;
    // Each ended connection returns one error.
    for _ in 0..20 {
        match (&mut &other.db).one::<(i64,)>(known.clone().bind(id)).await {
            Err(error) if error.is_unavailable() => {}
            known => seen = Some(known.unwrap().0),
        }
    }
    assert_eq!((seen, shop.taken()), (Some(1), vec![1]));
}

async fn an_unknown_attempt_does_not_block_its_order(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.behave(0, FakeBehavior::Down);
    let id = shop.order(1).await;
    shop.settle().await;
    shop.move_to(id, 12).await;
    shop.pass(60).await;
    assert_eq!((shop.states(id).await, shop.taken()), (vec!["Creating".to_owned(); 2], vec![0, 0]));
    shop.ours.clock.advance_secs(1_801);
    shop.settle().await;
    shop.pass(300).await;
    assert_eq!(shop.ours.order(id).await["status"], "completed", "{:?}", shop.states(id).await);
    shop.long(10).await;
    assert_eq!(
        (shop.states(id).await, shop.taken()),
        (vec!["Canceled".to_owned(), "Completed".into()], vec![0, 1])
    );
    assert_eq!(shop.ours.get(STUCK).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn a_manual_delivery_ends_with_its_order(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let mut ids = Vec::new();
    for n in 1..=4 {
        let id = shop.order(n).await;
        shop.move_to(id, 1).await;
        ids.push(id);
    }
    shop.settle().await;
    shop.move_to(ids[0], 11).await;
    shop.settle().await;
    assert_eq!(
        (shop.states(ids[0]).await, shop.taken()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![1]),
        "no attempt is pending"
    );
    for (id, verb) in [(ids[1], "complete"), (ids[2], "cancel")] {
        let answer = shop.ours.post(&format!("/api/v1/admin/orders/{id}/{verb}"), &json!({})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(shop.states(ids[1]).await, ["Completed"]);
    assert_eq!(shop.states(ids[2]).await, ["Canceled"]);
    // The whole quantity is delivered, which the dispatcher sees at its next poll.
    let full = Sql::new("UPDATE orders SET current_quantity = quantity, dispatch_at = 1 WHERE id = ?");
    shop.ours.exec(full.bind(ids[3])).await;
    shop.pass(300).await;
    assert_eq!(shop.states(ids[3]).await, ["Completed"]);
    for id in [ids[0], ids[3]] {
        assert_eq!(shop.ours.order(id).await["status"], "completed");
    }
    shop.ours.clock.advance_secs(86_400 * 4);
    assert_eq!(shop.ours.get(STUCK).await.json()["recordsFiltered"], 0);
    shop.assert_healthy().await;
}

async fn an_ambiguous_id_is_not_adopted(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    shop.order(1).await;
    shop.settle().await;
    shop.ours.clock.advance_secs(1);
    let (lost, other) = (shop.order(2).await, shop.order(3).await);
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    // Another process is about to send an identical order.
    let now = shop.ours.app.clock.now();
    let claim = "UPDATE external_panel_orders SET sent_at = ?, due_at = ?, tries = 1 WHERE order_id = ?";
    shop.ours.exec(Sql::new(claim).bind(now).bind(now.0 + 120_000_000).bind(other)).await;
    shop.behave(0, FakeBehavior::Forgetful);
    shop.settle().await;
    shop.behave(0, FakeBehavior::Good);
    shop.pass(90).await;
    assert_eq!((shop.states(lost).await, shop.taken()), (vec!["Creating".to_owned()], vec![2]));
    // That order was refused, so only one attempt can have created the external order.
    let back = "UPDATE external_panel_orders SET status = 'Canceled', ended_at = 1, due_at = NULL WHERE order_id = ?";
    shop.ours.exec(Sql::new(back).bind(other)).await;
    shop.pass(600).await;
    assert_eq!(shop.states(lost).await, ["Pending"]);
}

/// One account may be connected twice; both connections then share one sequence of ids.
async fn an_order_of_another_connection_is_not_adopted(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    supplied::connect(&shop.ours, 2, &shop.theirs[0].url).await;
    shop.order(1).await;
    shop.settle().await;
    shop.ours.clock.advance_secs(1);
    shop.behave(0, FakeBehavior::Down);
    let lost = shop.order(2).await;
    shop.settle().await;
    shop.behave(0, FakeBehavior::Good);
    shop.ours.clock.advance_secs(1);
    let other = shop.order(3).await;
    shop.move_to(other, 12).await;
    shop.settle().await;
    shop.pass(3_600).await;
    assert_eq!(shop.attempts(other).await[0]["external_panel_order_id"], "23502");
    assert_eq!((shop.states(lost).await, shop.taken()), (vec!["Creating".to_owned()], vec![2]));
    shop.assert_healthy().await;
}

async fn one_id_is_one_open_attempt(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
    let first = shop.order(1).await;
    shop.settle().await;
    let next = "UPDATE external_panel_orders SET external_order_id = '23502' WHERE order_id = ?";
    shop.ours.exec(Sql::new(next).bind(first)).await;
    let second = shop.order(2).await;
    shop.settle().await;
    shop.pass(600).await;
    let attempt = shop.attempts(second).await[0].clone();
    assert_eq!((&attempt["status"], &attempt["is_unknown"]), (&json!("Creating"), &json!(true)), "{attempt}");
    assert!(
        attempt["last_error"].as_str().unwrap().contains("order id 23502, which another attempt already has")
    );
    assert_eq!(shop.taken(), [2], "and it is not sent again");
    shop.assert_healthy().await;
}

async fn attempts_over_the_rate_limit_are_not_claimed(dialect: Dialect) {
    let shop = Supplied::paced(dialect, &[OrderBehavior::Stuck], 1).await;
    for n in 0..5 {
        shop.order(n).await;
    }
    shop.settle().await;
    let due = || {
        Sql::new(
            "SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND tries = 0 AND due_at <= ?",
        )
    };
    let now = || shop.ours.app.clock.now();
    assert_eq!(
        (shop.taken(), shop.ours.number(due().bind(now())).await),
        (vec![2], 3),
        "they stay where they are"
    );
    shop.ours.clock.advance_secs(1);
    shop.settle().await;
    assert_eq!((shop.taken(), shop.ours.number(due().bind(now())).await), (vec![3], 2));
    // Status polls get their share of the calls and are not postponed either.
    shop.ours.clock.advance_secs(60);
    shop.settle().await;
    let asked = shop.theirs[0].calls().iter().filter(|call| call["action"] == "status").count();
    assert_eq!((shop.taken(), asked), (vec![4], 1));
}

async fn a_low_rate_limit_still_reconciles_accepted_orders(dialect: Dialect) {
    let shop = Supplied::paced(dialect, &[OrderBehavior::Stuck], 1).await;
    shop.order(1).await;
    shop.settle().await;
    shop.pass(60).await;
    shop.behave(0, FakeBehavior::Forgetful);
    let lost = shop.order(2).await;
    shop.settle().await;
    assert_eq!((shop.states(lost).await, shop.taken()), (vec!["Creating".to_owned()], vec![2]));
    shop.behave(0, FakeBehavior::Good);
    // No later order bounds the range of ids to search, so the search uses the whole burst.
    shop.ours.clock.advance_secs(60);
    let next = shop.order(3).await;
    shop.settle().await;
    assert_eq!((shop.states(lost).await, shop.taken()), (vec!["Pending".to_owned()], vec![2]));
    for _ in 0..4 {
        shop.ours.clock.advance_secs(1);
        shop.settle().await;
    }
    assert_eq!((shop.states(next).await, shop.taken()), (vec!["Pending".to_owned()], vec![3]), "not put off");
}

/// Eight processes share the rate limit, and six of them send nothing.
async fn a_quota_share_is_enough_to_deliver(dialect: Dialect) {
    let shop = Supplied::paced(dialect, &[OrderBehavior::Delivered], 2).await;
    let other = shop.ours.twin().await;
    for app in [&shop.ours.app, &other] {
        app.processes.set_count(8);
    }
    let mut orders = Vec::new();
    for n in 0..12 {
        orders.push(shop.order(n).await);
    }
    for _ in 0..40 {
        shop.ours.clock.advance_secs(30);
        for app in [&shop.ours.app, &other] {
            while dispatch::cycle(app).await.unwrap() > 0 {}
        }
    }
    for order in orders {
        assert_eq!(shop.ours.order(order).await["status"], "completed", "{:?}", shop.states(order).await);
    }
    assert_eq!(shop.taken(), [12]);
    shop.assert_healthy().await;
}

async fn a_disabled_provider_gets_no_orders(dialect: Dialect) {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered, OrderBehavior::Delivered]).await;
    shop.ours.exec(Sql::new("UPDATE external_panels SET auto_recreate_orders_is_allowed = FALSE")).await;
    shop.theirs[0].world().balance.0 = 0;
    let id = shop.order(1).await;
    shop.settle().await;
    assert_eq!(shop.states(id).await, ["Creating"]);
    let off = shop.ours.post("/api/v1/admin/providers/11/archive", &json!({})).await;
    assert_eq!(off.status, 200, "{}", off.text);
    shop.theirs[0].world().balance.0 = 1_000_000;
    shop.settle().await;
    assert_eq!(
        (shop.states(id).await, shop.taken()),
        (vec!["Canceled".to_owned(), "Pending".into()], vec![0, 1]),
        "the next one's turn, at once"
    );
    // A process that reads the provider before the cache is invalidated does not send either.
    let late = shop.order(2).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    shop.ours.exec(Sql::new("UPDATE providers SET status = 'disabled' WHERE id = 12")).await;
    dispatch::cycle(&shop.ours.app).await.unwrap();
    assert_eq!((shop.states(late).await, shop.taken()), (vec!["Creating".to_owned()], vec![0, 1]));
    shop.ours.exec(Sql::new("UPDATE providers SET status = 'active' WHERE id = 12")).await;
    let off = shop.ours.post("/api/v1/admin/providers/12/archive", &json!({})).await;
    assert_eq!(off.status, 200, "{}", off.text);
    shop.settle().await;
    let order = shop.ours.order(late).await;
    assert_eq!(
        (&order["status"], &order["has_no_active_providers"]),
        (&json!("in_processing"), &json!(true))
    );
    let on = shop.ours.post("/api/v1/admin/providers/12/unarchive", &json!({})).await;
    assert_eq!(on.status, 200, "{}", on.text);
    shop.pass(600).await;
    assert_eq!(shop.states(late).await, ["Canceled", "Completed"]);
    shop.assert_healthy().await;
}

async fn a_pause_comes_before_a_claim_or_after(dialect: Dialect) {
    // SQLite has a single writer, so the two cannot overlap.
    if dialect == Dialect::Sqlite {
        return;
    }
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    let id = shop.order(1).await;
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    let mut pause = shop.ours.app.db.begin().await.unwrap();
    pause.exec(Sql::new("UPDATE orders SET status = 'stopped' WHERE id = ?").bind(id)).await.unwrap();
    dispatch::cycle(&shop.ours.app).await.unwrap();
    pause.commit().await.unwrap();
    shop.pass(120).await;
    assert_eq!((shop.states(id).await, shop.taken()), (vec!["Creating".to_owned()], vec![0]));
}
