//! Tests drip-feeds: the customer prepays all runs, the worker places each run when it is due, and a cancel refunds the other runs
//! once.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{DripFeedId, UserId};
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel};
use crate::shop::{CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, PLAIN_SERVICE};

test_both_databases! {
    runs_are_prepaid_and_placed_when_due;
    a_cancel_refunds_the_runs_that_were_not_placed;
    a_run_that_cannot_be_placed_is_retried;
    parallel_cancels_and_runs_keep_balances_exact;
    invalid_drip_feeds_are_rejected;
}

/// A drip-feed of four runs of 1,000 units at 10 per 1,000, so it costs 40.
fn drip_feed_of_four_runs() -> NewDripFeed {
    NewDripFeed {
        user_id: UserId::new(1),
        service_id: PLAIN_SERVICE,
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
    async fn with_drip_feeds(dialect: Dialect) -> Self {
        let panel = Self::with_users_and_orders(dialect, 5, 0).await;
        panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
        panel
    }

    async fn start_drip_feed(&self, new_drip_feed: &NewDripFeed) -> DripFeedId {
        let mut work = self.begin_work().await;
        let id = run::start(&mut work, new_drip_feed).await.unwrap();
        work.finish(id).await.unwrap()
    }

    /// The drip-feed as the admin list returns it.
    async fn fetch_drip_feed(&self, id: DripFeedId) -> Value {
        let response = self
            .get(&format!("/api/v1/admin/drip-feeds?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"][0].clone()
    }

    async fn fetch_held_amount(&self, user: i64) -> i64 {
        self.fetch_number(Sql::new("SELECT hold_main + hold_task FROM users WHERE id = ?").bind(user)).await
    }

    /// Sets the clock to `minutes` after the start of the test.
    fn set_clock_to_minute(&self, minutes: i64) {
        let elapsed_secs = (self.app.clock.now().0 - NOW) / 1_000_000;
        self.clock.advance_secs(minutes * 60 - elapsed_secs);
    }
}

fn cancel_path(id: impl std::fmt::Display) -> String {
    format!("/api/v1/admin/drip-feeds/{id}/cancel")
}

async fn runs_are_prepaid_and_placed_when_due(dialect: Dialect) {
    let panel = Panel::with_drip_feeds(dialect).await;
    let id = panel.start_drip_feed(&drip_feed_of_four_runs()).await;
    assert_eq!(panel.fetch_balances(1).await, (CUSTOMER_DEPOSIT - 40_000_000, CUSTOMER_EARNINGS, 0));
    assert_eq!(panel.fetch_held_amount(1).await, 40_000_000);
    for (minutes, expected_order_count) in
        [(0, 1), (0, 1), (29, 1), (30, 2), (61, 3), (90, 3), (91, 4), (500, 4)]
    {
        panel.set_clock_to_minute(minutes);
        run::run_due(&panel.app).await.unwrap();
        assert_eq!(
            panel.fetch_drip_feed(id).await["orders_count"],
            expected_order_count,
            "after {minutes} minutes"
        );
    }
    let drip_feed = panel.fetch_drip_feed(id).await;
    assert_eq!(
        (&drip_feed["status"], &drip_feed["actions"]["cancelable"]),
        (&json!("completed"), &json!(false))
    );
    assert_eq!((&drip_feed["next_run_at"], &drip_feed["total_quantity"]), (&Value::Null, &json!(4_000)));
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_held_amount(1).await),
        ((CUSTOMER_DEPOSIT - 40_000_000, CUSTOMER_EARNINGS, 40_000_000), 0)
    );
    let orders = panel.get(&format!("/api/v1/admin/orders?drip_feed_id={id}")).await.json();
    assert_eq!(orders["recordsFiltered"], 4);
    for order in orders["data"].as_array().unwrap() {
        assert_eq!(
            (&order["source"], &order["cost"], &order["quantity"], &order["drip_feed_id"]),
            (&json!("drip_feed"), &json!("10"), &json!(1_000), &json!(id))
        );
    }
    let order = panel.fetch_order(orders["data"][0]["id"].as_i64().unwrap()).await;
    let price_modification = &order["price_modifications"][0];
    assert_eq!(
        (&price_modification["type"], &price_modification["name"]),
        (&json!("prepaid"), &json!("Prepaid"))
    );
    assert_eq!(price_modification["cost_after"], order["cost"]);
    panel.assert_healthy().await;
}

async fn a_cancel_refunds_the_runs_that_were_not_placed(dialect: Dialect) {
    let panel = Panel::with_drip_feeds(dialect).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.start_drip_feed(&drip_feed_of_four_runs()).await;
    run::run_due(&panel.app).await.unwrap();
    assert_eq!(panel.fetch_drip_feed(id).await["refund_amount"], "30");
    assert_eq!(panel.send("reader", "POST", &cancel_path(id), &json!({}), None).await.status, 403);
    let dry_run = panel.post(&format!("{}?dry_run=1", cancel_path(id)), &json!({})).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["refunded"]), (200, &json!("30")));
    assert_eq!(panel.fetch_held_amount(1).await, 30_000_000);
    let cancel_response = panel.send("owner", "POST", &cancel_path(id), &json!({}), Some("once")).await;
    let canceled_drip_feed = &cancel_response.json()["data"];
    assert_eq!(
        (
            &canceled_drip_feed["status"],
            &canceled_drip_feed["refunded"],
            &canceled_drip_feed["refund_amount"]
        ),
        (&json!("canceled"), &json!("30"), &json!("0"))
    );
    assert_eq!(
        panel.send("owner", "POST", &cancel_path(id), &json!({}), Some("once")).await.text,
        cancel_response.text
    );
    let repeated_response = panel.post(&cancel_path(id), &json!({})).await;
    assert_eq!(
        (repeated_response.status.as_u16(), &repeated_response.json()["code"]),
        (409, &json!("drip_feed_not_cancelable"))
    );
    assert_eq!(panel.post(&cancel_path(999), &json!({})).await.status, 404);
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_held_amount(1).await),
        ((CUSTOMER_DEPOSIT - 10_000_000, CUSTOMER_EARNINGS, 10_000_000), 0)
    );
    panel.set_clock_to_minute(600);
    run::run_due(&panel.app).await.unwrap();
    let count_placed_sql =
        Sql::new("SELECT count(*) FROM orders WHERE drip_feed_id = ? AND status = 'in_processing'");
    assert_eq!(
        panel.fetch_number(count_placed_sql.bind(id)).await,
        1,
        "only the run placed before the cancel may have an order, and this order must continue"
    );
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'drip_feed.canceled' AND auditable_id = ?");
    assert_eq!(panel.fetch_number(count_audits_sql.bind(id)).await, 1);
    panel.assert_healthy().await;
}

/// PostgreSQL only: on SQLite one transaction at a time writes, so transactions cannot conflict.
#[tokio::test]
async fn a_run_stays_due_after_a_serialization_failure() {
    let panel = Panel::with_drip_feeds(Dialect::Postgres).await;
    let id = panel.start_drip_feed(&drip_feed_of_four_runs()).await;
    let create_function_sql = "CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'rejected by the test' USING ERRCODE = '40001'; END $$";
    panel.execute(Sql::new(create_function_sql)).await;
    let create_trigger_sql =
        "CREATE TRIGGER conflict BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION conflict()";
    panel.execute(Sql::new(create_trigger_sql)).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1);
    let drip_feed = panel.fetch_drip_feed(id).await;
    assert_eq!((&drip_feed["orders_count"], &drip_feed["last_error"]), (&json!(0), &Value::Null));
    panel.execute(Sql::new("DROP TRIGGER conflict ON orders")).await;
    assert_eq!(run::run_due(&panel.app).await.unwrap(), 1, "the run must still be due");
    assert_eq!(panel.fetch_drip_feed(id).await["orders_count"], json!(1));
}

async fn a_run_that_cannot_be_placed_is_retried(dialect: Dialect) {
    let panel = Panel::with_drip_feeds(dialect).await;
    let id = panel
        .start_drip_feed(&NewDripFeed { paying_balance: BalanceType::Task, ..drip_feed_of_four_runs() })
        .await;
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = ?").bind(PLAIN_SERVICE)).await;
    run::run_due(&panel.app).await.unwrap();
    let drip_feed = panel.fetch_drip_feed(id).await;
    assert_eq!((&drip_feed["orders_count"], &drip_feed["status"]), (&json!(0), &json!("in_processing")));
    assert!(drip_feed["last_error"].as_str().unwrap().contains("not on sale"), "{drip_feed}");
    assert_eq!(panel.fetch_held_amount(1).await, 40_000_000);
    panel.execute(Sql::new("UPDATE services SET is_enabled = TRUE WHERE id = ?").bind(PLAIN_SERVICE)).await;
    panel.set_clock_to_minute(6);
    run::run_due(&panel.app).await.unwrap();
    let drip_feed = panel.fetch_drip_feed(id).await;
    assert_eq!((&drip_feed["orders_count"], &drip_feed["last_error"]), (&json!(1), &Value::Null));
    panel.post(&cancel_path(id), &json!({})).await;
    assert_eq!(
        panel.fetch_balances(1).await,
        (CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS - 10_000_000, 10_000_000),
        "the refund must go to the task balance, which paid the drip-feed"
    );
    panel.assert_healthy().await;
}

/// Four tasks place the runs of ten drip-feeds while eight requests cancel each drip-feed. One cancel must succeed for each
/// drip-feed, and balances must be exact.
async fn parallel_cancels_and_runs_keep_balances_exact(dialect: Dialect) {
    let panel = Arc::new(Panel::with_drip_feeds(dialect).await);
    let mut ids = Vec::new();
    for user in (1..=5).cycle().take(10) {
        ids.push(
            panel
                .start_drip_feed(&NewDripFeed {
                    user_id: UserId::new(user),
                    runs: 3,
                    ..drip_feed_of_four_runs()
                })
                .await,
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
    let statuses: Vec<u16> = join_all(tasks).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(statuses[4..].iter().filter(|status| **status == 200).count(), 10);
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
    let (order_count, total_spent) = (
        panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await,
        panel.fetch_number(Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users")).await,
    );
    assert_eq!(total_spent, order_count * 10_000_000);
    assert_eq!(panel.fetch_number(Sql::new("SELECT CAST(sum(hold_main) AS BIGINT) FROM users")).await, 0);
    panel.assert_healthy().await;
}

async fn invalid_drip_feeds_are_rejected(dialect: Dialect) {
    let panel = Panel::with_drip_feeds(dialect).await;
    let start_and_get_invalid_fields = async |new_drip_feed: NewDripFeed| {
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
    assert_eq!(
        start_and_get_invalid_fields(NewDripFeed { quantity: 10, runs: 0, ..drip_feed_of_four_runs() }).await,
        "quantity,runs"
    );
    assert_eq!(
        start_and_get_invalid_fields(NewDripFeed { minutes_between_runs: 0, ..drip_feed_of_four_runs() })
            .await,
        "minutes_between_runs"
    );
    assert_eq!(
        start_and_get_invalid_fields(NewDripFeed {
            url: "javascript:alert(1)".into(),
            ..drip_feed_of_four_runs()
        })
        .await,
        "url"
    );
    assert_eq!(
        start_and_get_invalid_fields(NewDripFeed {
            runs: 10_000,
            quantity: 100_000,
            ..drip_feed_of_four_runs()
        })
        .await,
        "balance"
    );
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = FALSE")).await;
    assert_eq!(start_and_get_invalid_fields(drip_feed_of_four_runs()).await, "service_id");
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM drip_feeds")).await, 0);
    panel.assert_healthy().await;
}
