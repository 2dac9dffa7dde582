//! Drip-feeds: the customer prepays all runs, each run is placed when it is due, and a cancel refunds the other runs once.

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
    runs_are_prepaid_and_placed_when_due;
    a_cancel_refunds_the_runs_that_were_not_placed;
    a_run_that_cannot_be_placed_is_retried;
    parallel_cancels_and_runs_keep_balances_exact;
    invalid_drip_feeds_are_refused;
}

/// A drip-feed of four runs of 1,000 units at 10 per 1,000, so it costs 40.
fn four_runs() -> NewDripFeed {
    NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN,
        url: "https://video.example/drip".into(),
        quantity: 1_000,
        runs: 4,
        minutes_between_runs: 30,
        country: None,
        paying_balance: BalanceType::Main,
        targets: Vec::new(),
    }
}

impl Panel {
    async fn drip_shop(dialect: Dialect) -> Self {
        let panel = Self::shop(dialect, 5, 0).await;
        panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
        panel
    }

    async fn start_drip_feed(&self, new_drip_feed: &NewDripFeed) -> DripFeedId {
        let mut work = self.begin_work().await;
        let id = run::start(&mut work, new_drip_feed).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// The drip-feed as the admin list returns it.
    async fn drip_feed(&self, id: DripFeedId) -> Value {
        let answer = self
            .get(&format!("/api/v1/admin/drip-feeds?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"][0].clone()
    }

    async fn held_amount(&self, user: i64) -> i64 {
        self.number(Sql::new("SELECT hold_main + hold_task FROM users WHERE id = ?").bind(user)).await
    }

    /// Sets the clock to `minutes` after the test began.
    fn set_minutes(&self, minutes: i64) {
        let elapsed_secs = (self.app.clock.now().0 - NOW) / 1_000_000;
        self.clock.advance_secs(minutes * 60 - elapsed_secs);
    }
}

fn cancel_path(id: impl std::fmt::Display) -> String {
    format!("/api/v1/admin/drip-feeds/{id}/cancel")
}

async fn runs_are_prepaid_and_placed_when_due(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let id = panel.start_drip_feed(&four_runs()).await;
    assert_eq!(panel.balances(1).await, (DEPOSIT - 40_000_000, EARNED, 0));
    assert_eq!(panel.held_amount(1).await, 40_000_000);
    for (minutes, placed) in [(0, 1), (0, 1), (29, 1), (30, 2), (61, 3), (90, 3), (91, 4), (500, 4)] {
        panel.set_minutes(minutes);
        run::run_due(&panel.app).await.unwrap();
        assert_eq!(panel.drip_feed(id).await["orders_count"], placed, "after {minutes} minutes");
    }
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["status"], &feed["actions"]["cancelable"]), (&json!("completed"), &json!(false)));
    assert_eq!((&feed["next_run_at"], &feed["total_quantity"]), (&Value::Null, &json!(4_000)));
    assert_eq!(
        (panel.balances(1).await, panel.held_amount(1).await),
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

async fn a_cancel_refunds_the_runs_that_were_not_placed(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.start_drip_feed(&four_runs()).await;
    run::run_due(&panel.app).await.unwrap();
    assert_eq!(panel.drip_feed(id).await["refund_amount"], "30");
    assert_eq!(panel.send("reader", "POST", &cancel_path(id), &json!({}), None).await.status, 403);
    let dry_run = panel.post(&format!("{}?dry_run=1", cancel_path(id)), &json!({})).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["returned"]), (200, &json!("30")));
    assert_eq!(panel.held_amount(1).await, 30_000_000);
    let canceled = panel.send("owner", "POST", &cancel_path(id), &json!({}), Some("once")).await;
    let data = &canceled.json()["data"];
    assert_eq!(
        (&data["status"], &data["returned"], &data["refund_amount"]),
        (&json!("canceled"), &json!("30"), &json!("0"))
    );
    assert_eq!(
        panel.send("owner", "POST", &cancel_path(id), &json!({}), Some("once")).await.text,
        canceled.text
    );
    let repeated = panel.post(&cancel_path(id), &json!({})).await;
    assert_eq!(
        (repeated.status.as_u16(), &repeated.json()["code"]),
        (409, &json!("drip_feed_not_cancelable"))
    );
    assert_eq!(panel.post(&cancel_path(999), &json!({})).await.status, 404);
    assert_eq!(
        (panel.balances(1).await, panel.held_amount(1).await),
        ((DEPOSIT - 10_000_000, EARNED, 10_000_000), 0)
    );
    panel.set_minutes(600);
    run::run_due(&panel.app).await.unwrap();
    let placed = Sql::new("SELECT count(*) FROM orders WHERE drip_feed_id = ? AND status = 'in_processing'");
    assert_eq!(
        panel.number(placed.bind(id)).await,
        1,
        "the placed order continues, and no other run is placed"
    );
    let audits =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled' AND auditable_id = ?");
    assert_eq!(panel.number(audits.bind(id)).await, 1);
    panel.assert_healthy().await;
}

/// PostgreSQL only: on SQLite one transaction at a time writes, so transactions cannot conflict.
#[tokio::test]
async fn a_run_stays_due_after_a_serialization_failure() {
    let panel = Panel::drip_shop(Dialect::Postgres).await;
    let id = panel.start_drip_feed(&four_runs()).await;
    let create_function = "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$";
    panel.execute(Sql::new(create_function)).await;
    let create_trigger =
        "CREATE TRIGGER conflict BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION conflict()";
    panel.execute(Sql::new(create_trigger)).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1);
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["last_error"]), (&json!(0), &Value::Null));
    panel.execute(Sql::new("DROP TRIGGER conflict ON orders")).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1, "the run is still due");
    assert_eq!(panel.drip_feed(id).await["orders_count"], json!(1));
}

async fn a_run_that_cannot_be_placed_is_retried(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let id = panel.start_drip_feed(&NewDripFeed { paying_balance: BalanceType::Task, ..four_runs() }).await;
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = ?").bind(PLAIN)).await;
    run::run_due(&panel.app).await.unwrap();
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["status"]), (&json!(0), &json!("in_processing")));
    assert!(feed["last_error"].as_str().unwrap().contains("not on sale"), "{feed}");
    assert_eq!(panel.held_amount(1).await, 40_000_000);
    panel.execute(Sql::new("UPDATE services SET is_enabled = TRUE WHERE id = ?").bind(PLAIN)).await;
    panel.set_minutes(6);
    run::run_due(&panel.app).await.unwrap();
    let feed = panel.drip_feed(id).await;
    assert_eq!((&feed["orders_count"], &feed["last_error"]), (&json!(1), &Value::Null));
    panel.post(&cancel_path(id), &json!({})).await;
    assert_eq!(
        panel.balances(1).await,
        (DEPOSIT, EARNED - 10_000_000, 10_000_000),
        "the refund goes to the task balance, which paid"
    );
    panel.assert_healthy().await;
}

/// Four tasks place the runs of ten drip-feeds, and eight requests cancel each of them: one cancel succeeds for each drip-feed, and
/// balances are exact.
async fn parallel_cancels_and_runs_keep_balances_exact(dialect: Dialect) {
    let panel = Arc::new(Panel::drip_shop(dialect).await);
    let mut ids = Vec::new();
    for user in (1..=5).cycle().take(10) {
        ids.push(
            panel.start_drip_feed(&NewDripFeed { user_id: UserId::new(user), runs: 3, ..four_runs() }).await,
        );
    }
    let placing_tasks = (0..4).map(|_| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            run::run_due(&panel.app).await.unwrap();
            200
        })
    });
    let cancel_requests = ids.iter().flat_map(|id| [*id; 8]).map(|id| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move { panel.post(&cancel_path(id), &json!({})).await.status.as_u16() })
    });
    let tasks: Vec<_> = placing_tasks.chain(cancel_requests).collect();
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

async fn invalid_drip_feeds_are_refused(dialect: Dialect) {
    let panel = Panel::drip_shop(dialect).await;
    let wrong_fields = async |new_drip_feed: NewDripFeed| {
        let mut work = panel.begin_work().await;
        run::start(&mut work, &new_drip_feed)
            .await
            .unwrap_err()
            .report("test")
            .errors
            .0
            .into_keys()
            .collect::<Vec<_>>()
            .join(",")
    };
    assert_eq!(wrong_fields(NewDripFeed { quantity: 10, runs: 0, ..four_runs() }).await, "quantity,runs");
    assert_eq!(
        wrong_fields(NewDripFeed { minutes_between_runs: 0, ..four_runs() }).await,
        "minutes_between_runs"
    );
    assert_eq!(wrong_fields(NewDripFeed { url: "javascript:alert(1)".into(), ..four_runs() }).await, "url");
    assert_eq!(wrong_fields(NewDripFeed { runs: 10_000, quantity: 100_000, ..four_runs() }).await, "balance");
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(wrong_fields(four_runs()).await, "service_id");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM drip_feeds")).await, 0);
    panel.assert_healthy().await;
}
