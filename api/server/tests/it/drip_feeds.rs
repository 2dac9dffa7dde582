//! Drip-feeds: runs are paid ahead and placed when they are due; what is not placed goes back, once.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{DripFeedId, UserId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::shop::{DEPOSIT, EARNED, PLAIN};

both! {
    runs_are_paid_ahead_and_placed_when_due;
    a_cancel_gives_back_what_was_not_placed;
    a_run_that_cannot_be_placed_is_tried_again;
    many_cancel_while_runs_are_placed;
    starting_one_is_checked;
}

/// Four runs of 1,000 at 10 per 1,000: 40 in all.
fn four() -> NewDripFeed {
    NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 1_000,
        runs: 4,
        minutes_between_runs: 30,
        country: None,
        pays: BalanceType::Main,
        targets: Vec::new(),
    }
}

impl Panel {
    async fn drip_shop(dialect: Dialect) -> Self {
        let panel = Self::shop(dialect, 5, 0).await;
        panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
        panel
    }

    async fn drip(&self, new: &NewDripFeed) -> DripFeedId {
        let mut work = self.work().await;
        let id = run::start(&mut work, new).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// The drip-feed as the list shows it.
    async fn drip_feed(&self, id: DripFeedId) -> Value {
        let answer = self
            .get(&format!("/api/v1/admin/drip-feeds?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"][0].clone()
    }

    async fn held(&self, user: i64) -> i64 {
        self.number(Sql::new("SELECT hold_main + hold_task FROM users WHERE id = ?").bind(user)).await
    }

    fn later(&self, minutes: i64) {
        let passed = (self.app.clock.now().0 - NOW) / 1_000_000;
        self.clock.advance_secs(minutes * 60 - passed);
    }
}

fn cancel(id: impl std::fmt::Display) -> String {
    format!("/api/v1/admin/drip-feeds/{id}/cancel")
}

async fn runs_are_paid_ahead_and_placed_when_due(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let id = panel.drip(&four()).await;
    assert_eq!(panel.balances(1).await, (DEPOSIT - 40_000_000, EARNED, 0));
    assert_eq!(panel.held(1).await, 40_000_000);
    for (minutes, placed) in [(0, 1), (0, 1), (29, 1), (30, 2), (61, 3), (90, 3), (91, 4), (500, 4)] {
        panel.later(minutes);
        run::run_due(&panel.app).await.unwrap();
        assert_eq!(panel.drip_feed(id).await["orders_count"], placed, "after {minutes} minutes");
    }
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["status"], &feed["actions"]["cancelable"]), (&json!("completed"), &json!(false)));
    assert_eq!((&feed["next_run_at"], &feed["total_quantity"]), (&Value::Null, &json!(4_000)));
    assert_eq!(
        (panel.balances(1).await, panel.held(1).await),
        ((DEPOSIT - 40_000_000, EARNED, 40_000_000), 0)
    );
    let orders = panel.get(&format!("/api/v1/admin/orders?drip_feed_id={id}")).await.json();
    assert_eq!(orders["recordsFiltered"], 4);
    for order in orders["data"].as_array().unwrap() {
        assert_eq!(
            (&order["source"], &order["cost"], &order["quantity"], &order["drip_feed_id"]),
            (&json!("drip_feed"), &json!("10"), &json!(1_000), &json!(id))
        );
    }
    let order = panel.order(orders["data"][0]["id"].as_i64().unwrap()).await;
    let change = &order["price_modifications"][0];
    assert_eq!((&change["type"], &change["name"]), (&json!("prepaid"), &json!("Paid ahead")));
    assert_eq!(change["cost_after"], order["cost"]);
    panel.assert_healthy().await;
}

async fn a_cancel_gives_back_what_was_not_placed(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    panel.staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.drip(&four()).await;
    run::run_due(&panel.app).await.unwrap();
    assert_eq!(panel.drip_feed(id).await["refund_amount"], "30");
    assert_eq!(panel.send("reader", "POST", &cancel(id), &json!({}), None).await.status, 403);
    let tried = panel.post(&format!("{}?dry_run=1", cancel(id)), &json!({})).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["data"]["returned"]), (200, &json!("30")));
    assert_eq!(panel.held(1).await, 30_000_000);
    let done = panel.send("owner", "POST", &cancel(id), &json!({}), Some("once")).await;
    let data = &done.json()["data"];
    assert_eq!(
        (&data["status"], &data["returned"], &data["refund_amount"]),
        (&json!("canceled"), &json!("30"), &json!("0"))
    );
    assert_eq!(panel.send("owner", "POST", &cancel(id), &json!({}), Some("once")).await.text, done.text);
    let again = panel.post(&cancel(id), &json!({})).await;
    assert_eq!((again.status.as_u16(), &again.json()["code"]), (409, &json!("drip_feed_not_cancelable")));
    assert_eq!(panel.post(&cancel(999), &json!({})).await.status, 404);
    assert_eq!(
        (panel.balances(1).await, panel.held(1).await),
        ((DEPOSIT - 10_000_000, EARNED, 10_000_000), 0)
    );
    panel.later(600);
    run::run_due(&panel.app).await.unwrap();
    let placed = Sql::new("SELECT count(*) FROM orders WHERE drip_feed_id = ? AND status = 'in_processing'");
    assert_eq!(panel.number(placed.bind(id)).await, 1, "the placed order goes on, no other comes");
    let noted =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled' AND auditable_id = ?");
    assert_eq!(panel.number(noted.bind(id)).await, 1);
    panel.assert_healthy().await;
}

/// On SQLite transactions that write wait for one another, so none is in the way of another.
#[tokio::test]
async fn a_run_stays_due_where_another_transaction_was_in_the_way() {
    let panel = Panel::drip_shop(Dialect::Postgres).await;
    let id = panel.drip(&four()).await;
    let conflict = "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$";
    panel.exec(Sql::new(conflict)).await;
    let trigger = "CREATE TRIGGER conflict BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION conflict()";
    panel.exec(Sql::new(trigger)).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1);
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["last_error"]), (&json!(0), &Value::Null));
    panel.exec(Sql::new("DROP TRIGGER conflict ON orders")).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1, "it is due at once");
    assert_eq!(panel.drip_feed(id).await["orders_count"], json!(1));
}

async fn a_run_that_cannot_be_placed_is_tried_again(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let id = panel.drip(&NewDripFeed { pays: BalanceType::Task, ..four() }).await;
    panel.exec(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = ?").bind(PLAIN)).await;
    run::run_due(&panel.app).await.unwrap();
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["status"]), (&json!(0), &json!("in_processing")));
    assert!(feed["last_error"].as_str().unwrap().contains("not on sale"), "{feed}");
    assert_eq!(panel.held(1).await, 40_000_000);
    panel.exec(Sql::new("UPDATE services SET is_enabled = TRUE WHERE id = ?").bind(PLAIN)).await;
    panel.later(6);
    run::run_due(&panel.app).await.unwrap();
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["last_error"]), (&json!(1), &Value::Null));
    panel.post(&cancel(id), &json!({})).await;
    assert_eq!(
        panel.balances(1).await,
        (DEPOSIT, EARNED - 10_000_000, 10_000_000),
        "task money goes back as task money"
    );
    panel.assert_healthy().await;
}

/// Eight cancels of each of ten while their runs are placed by four processes: one cancel each, the money to the cent.
async fn many_cancel_while_runs_are_placed(dialect: Dialect) {
    let panel = Arc::new(Panel::drip_shop(dialect).await);
    let mut ids = Vec::new();
    for user in (1..=5).cycle().take(10) {
        ids.push(panel.drip(&NewDripFeed { user_id: UserId::new(user), runs: 3, ..four() }).await);
    }
    let placing = (0..4).map(|_| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            run::run_due(&panel.app).await.unwrap();
            200
        })
    });
    let canceling = ids.iter().flat_map(|id| [*id; 8]).map(|id| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move { panel.post(&cancel(id), &json!({})).await.status.as_u16() })
    });
    let tasks: Vec<_> = placing.chain(canceling).collect();
    let answers: Vec<u16> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers[4..].iter().filter(|status| **status == 200).count(), 10);
    assert!(answers.iter().all(|status| matches!(status, 200 | 409)), "{answers:?}");
    let (placed, spent) = (
        panel.number(Sql::new("SELECT count(*) FROM orders")).await,
        panel.number(Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users")).await,
    );
    assert_eq!(spent, placed * 10_000_000);
    assert_eq!(panel.number(Sql::new("SELECT CAST(sum(hold_main) AS BIGINT) FROM users")).await, 0);
    panel.assert_healthy().await;
}

async fn starting_one_is_checked(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let refused = async |new: NewDripFeed| {
        let mut work = panel.work().await;
        run::start(&mut work, &new)
            .await
            .unwrap_err()
            .report("test")
            .errors
            .0
            .into_keys()
            .collect::<Vec<_>>()
            .join(",")
    };
    assert_eq!(refused(NewDripFeed { quantity: 10, runs: 0, ..four() }).await, "quantity,runs");
    assert_eq!(refused(NewDripFeed { minutes_between_runs: 0, ..four() }).await, "minutes_between_runs");
    assert_eq!(refused(NewDripFeed { url: "javascript:alert(1)".into(), ..four() }).await, "url");
    assert_eq!(refused(NewDripFeed { runs: 10_000, quantity: 100_000, ..four() }).await, "balance");
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(refused(four()).await, "service_id");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM drip_feeds")).await, 0);
    panel.assert_healthy().await;
}
