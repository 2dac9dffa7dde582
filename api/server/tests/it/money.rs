//! Runs random actions of every kind that moves money. Each must change the balances of the right customer by the right amount,
//! once, in any order, and the ledger must balance. `model.rs` models the rules of orders; this test compares the balances only with
//! the responses and the stored records.
//!
//! `PANEL_TEST_OPS=100000` sets the number of actions for a full run, and `PANEL_TEST_SEED` repeats a failed run.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, SubscriptionId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::subscriptions::BillingType;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::invoices::bill::{NewInvoice, issue_invoice};
use panel_server::operations::orders::place::NewOrder;
use panel_server::operations::subscriptions::content;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_server::operations::withdrawals::request::{NewWithdrawal, submit_withdrawal};
use serde_json::{Value, json};

use crate::model::{check_interval, number_from_env, random_below};
use crate::panel::Panel;
use crate::shop::{MODERATED_SERVICE, PLAIN_SERVICE};
use crate::withdrawals::add_payment_methods;

test_both_databases! {
    each_action_changes_balances_once_by_its_amount;
}

const USER_COUNT: i64 = 6;
/// The price of one unit in millionths: every service costs 10 per 1,000.
const UNIT_PRICE: i64 = 10_000;
/// The minimum number of actions between two runs of the doctor.
const DOCTOR_INTERVAL: u64 = 40;
/// The clock advances no further than this, because staff sessions expire after a day.
const MAX_MINUTES: i64 = 1_400;

/// These statements select the id, the customer and the held amount of each drip-feed or subscription.
const DRIP_FEED_HOLDS_SQL: &str = "SELECT id, user_id, CASE WHEN status = 'in_processing' THEN (runs - orders_count) * quantity * 10000 ELSE 0 END FROM drip_feeds";
const SUBSCRIPTION_HOLDS_SQL: &str = "SELECT id, user_id, CASE WHEN status = 'in_processing' THEN
    cost / contents_limit * (contents_limit - subscription_contents_count) ELSE 0 END FROM subscriptions";

/// The sums of a customer's balances and holds, in millionths.
#[derive(Debug, PartialEq)]
struct CustomerBalance {
    available: i64,
    held: i64,
}

struct BalanceChange {
    user_id: i64,
    available: i64,
    held: i64,
}

struct MoneyRun {
    panel: Panel,
    random: Random,
    /// Minutes by which the test advanced the clock.
    elapsed_minutes: i64,
    step: u64,
}

impl MoneyRun {
    fn random_below(&self, bound: i64) -> i64 {
        random_below(&self.random, bound)
    }

    async fn fetch_rows(&self, sql: &'static str) -> Vec<(i64, i64, i64)> {
        (&mut &self.panel.app.db).fetch_all(Sql::new(sql)).await.unwrap()
    }

    async fn fetch_balances(&self) -> BTreeMap<i64, CustomerBalance> {
        let rows = self
            .fetch_rows(
                "SELECT id, balance_main + balance_task + balance_referral, hold_main + hold_task + hold_referral FROM users WHERE id < 1000000",
            )
            .await;
        rows.into_iter().map(|(id, available, held)| (id, CustomerBalance { available, held })).collect()
    }

    /// A random id of a table, or one of two ids that do not exist yet.
    async fn random_id(&self, table: &'static str) -> i64 {
        1 + self
            .random_below(self.panel.fetch_number(Sql::new("SELECT count(*) FROM ").push(table)).await + 2)
    }

    /// Sends the request twice with the same idempotency key. The second response must equal the first; the later comparison of the
    /// balances shows that the second request moved no money.
    async fn post_twice(&self, path: &str, body: &Value) -> (u16, Value) {
        let key = format!("money-{}", self.step);
        let first_response = self.panel.send("owner", "POST", path, body, Some(&key)).await;
        let replay_response = self.panel.send("owner", "POST", path, body, Some(&key)).await;
        assert_eq!(first_response.status, replay_response.status, "{path}");
        assert!(first_response.status != 200 || first_response.text == replay_response.text, "{path}");
        let status = first_response.status.as_u16();
        assert!(matches!(status, 200 | 404 | 409 | 422), "{path}: {}", first_response.text);
        (status, first_response.json())
    }

    async fn run_step(&mut self) {
        self.step += 1;
        let mut expected_balances = self.fetch_balances().await;
        let action = self.random_below(24);
        let changes = match action {
            0..=2 => self.place_order().await,
            3..=5 => self.post_manual_payment().await,
            6..=8 => self.cancel_order().await,
            9 | 10 => self.start_drip_feed().await,
            11 => self.run_due_drip_feeds().await,
            12 => self.cancel_with_advance("drip-feeds", DRIP_FEED_HOLDS_SQL).await,
            13 => self.start_subscription().await,
            14 | 15 => self.place_content_orders().await,
            16 => self.cancel_with_advance("subscriptions", SUBSCRIPTION_HOLDS_SQL).await,
            17 => self.buy_combo_order().await,
            18 => self.act_on_combo_order().await,
            19 => self.request_withdrawal().await,
            20 | 21 => self.act_on_withdrawal().await,
            22 => self.create_invoice().await,
            _ => self.pay_invoice().await,
        };
        for change in changes {
            let balance = expected_balances.get_mut(&change.user_id).unwrap();
            balance.available += change.available;
            balance.held += change.held;
        }
        assert_eq!(self.fetch_balances().await, expected_balances, "action {action}, step {}", self.step);
        let is_negative = |balance: &CustomerBalance| balance.available < 0 || balance.held < 0;
        assert!(!expected_balances.values().any(is_negative), "step {}", self.step);
    }

    async fn place_order(&self) -> Vec<BalanceChange> {
        let (user, quantity) = (1 + self.random_below(USER_COUNT), 100 + self.random_below(900_000));
        let placed_order = self
            .panel
            .place_order(&NewOrder::without_options(
                UserId::new(user),
                PLAIN_SERVICE,
                "https://video.example/m",
                quantity,
            ))
            .await;
        if placed_order.status.as_str() == "unpaid" {
            vec![]
        } else {
            vec![BalanceChange { user_id: user, available: -quantity * UNIT_PRICE, held: 0 }]
        }
    }

    async fn post_manual_payment(&self) -> Vec<BalanceChange> {
        let (user, amount, is_credit) = (
            1 + self.random_below(USER_COUNT),
            1 + self.random_below(9_000_000_000),
            self.random_below(2) == 0,
        );
        let balance = ["main", "task", "referral"][usize::try_from(self.random_below(3)).unwrap()];
        let direction = if is_credit { "income" } else { "outcome" };
        let body = json!({ "user_id": user, "transaction_type": direction, "amount": Money(amount), "balance_type": balance, "comment": "Test" });
        let (status, _) = self.post_twice("/api/v1/admin/payments", &body).await;
        let available = if is_credit { amount } else { -amount };
        if status == 200 { vec![BalanceChange { user_id: user, available, held: 0 }] } else { vec![] }
    }

    async fn cancel_order(&self) -> Vec<BalanceChange> {
        let id = self.random_id("orders").await;
        let body = match self.random_below(3) {
            0 => json!({}),
            1 => json!({ "return_money": true }),
            _ => json!({ "return_money": true, "amount": Money(1 + self.random_below(2_000_000_000)) }),
        };
        self.post_refund_request(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await
    }

    /// Sends a request that may refund orders, and returns the refunds that the orders record.
    async fn post_refund_request(&self, path: &str, body: &Value) -> Vec<BalanceChange> {
        let refunded_amounts_sql = "SELECT id, user_id, refunded FROM orders ORDER BY id";
        let before = self.fetch_rows(refunded_amounts_sql).await;
        self.post_twice(path, body).await;
        let after = self.fetch_rows(refunded_amounts_sql).await;
        before
            .iter()
            .zip(&after)
            .map(|(before, after)| BalanceChange { user_id: after.1, available: after.2 - before.2, held: 0 })
            .collect()
    }

    async fn buy_combo_order(&self) -> Vec<BalanceChange> {
        let contents = vec![
            (PLAIN_SERVICE, 100 + self.random_below(90_000)),
            (MODERATED_SERVICE, 100 + self.random_below(90_000)),
        ];
        let cost = contents.iter().map(|(_, quantity)| quantity * UNIT_PRICE).sum::<i64>();
        let input = NewCombo {
            user_id: UserId::new(1 + self.random_below(USER_COUNT)),
            url: format!("https://photo.example/{}", self.step),
            source: OrderSource::Cabinet,
            package: (None, "Pack".into(), "combo".into()),
            parts: contents,
            targets: BTreeMap::new(),
            is_moderated: self.random_below(2) == 0,
        };
        let mut work = self.panel.begin_work().await;
        match buy(&mut work, &input).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![BalanceChange { user_id: input.user_id.get(), available: -cost, held: 0 }]
    }

    async fn act_on_combo_order(&self) -> Vec<BalanceChange> {
        let id = self.random_id("combo_orders").await;
        let action = ["approve", "reject", "complete"][usize::try_from(self.random_below(3)).unwrap()];
        self.post_refund_request(&format!("/api/v1/admin/combo-orders/{id}/{action}"), &json!({})).await
    }

    async fn start_subscription(&self) -> Vec<BalanceChange> {
        let services = [PLAIN_SERVICE, MODERATED_SERVICE]
            .map(|service| ServiceQuantity::fixed(service, 100 + self.random_below(20_000)));
        let contents = 1 + self.random_below(4);
        let cost = services.iter().map(|service| service.max * UNIT_PRICE * contents).sum::<i64>();
        let input = NewSubscription {
            user_id: UserId::new(1 + self.random_below(USER_COUNT)),
            name: "New videos".into(),
            url: format!("https://video.example/@{}", self.step),
            kind: "youtube".into(),
            billing_type: BillingType::Prepaid,
            contents_limit: contents,
            old_contents: 0,
            delay_minutes: 0,
            services: services.to_vec(),
            expired_at: None,
            period_days: None,
        };
        let mut work = self.panel.begin_work().await;
        match start(&mut work, &input).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![BalanceChange { user_id: input.user_id.get(), available: -cost, held: cost }]
    }

    /// Adds a content to a subscription. The orders of the content are paid from the held amount.
    async fn place_content_orders(&self) -> Vec<BalanceChange> {
        let id = self.random_id("subscriptions").await;
        let cost_per_content_sql = "SELECT id, user_id, cost / contents_limit FROM subscriptions";
        let rows = self.fetch_rows(cost_per_content_sql).await;
        let Some((_, user_id, cost)) = rows.into_iter().find(|row| row.0 == id) else { return vec![] };
        let mut work = self.panel.begin_work().await;
        let url = format!("https://video.example/{id}/{}", self.step);
        let placed_orders = content::place_by_url(&mut work, SubscriptionId::new(id), &url).await.unwrap();
        work.finish(()).await.unwrap();
        if placed_orders.is_empty() {
            vec![]
        } else {
            vec![BalanceChange { user_id, available: 0, held: -cost }]
        }
    }

    async fn request_withdrawal(&self) -> Vec<BalanceChange> {
        let input = NewWithdrawal {
            user_id: UserId::new(1 + self.random_below(USER_COUNT)),
            amount: Money(1 + self.random_below(40_000_000_000)),
            balance_type: [BalanceType::Main, BalanceType::Referral]
                [usize::try_from(self.random_below(2)).unwrap()],
            payment_method_id: PaymentMethodId::new(1),
            account_number: "DE1".into(),
            user_comment: None,
        };
        let mut work = self.panel.begin_work().await;
        match submit_withdrawal(&mut work, &input).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![BalanceChange { user_id: input.user_id.get(), available: -input.amount.0, held: input.amount.0 }]
    }

    async fn act_on_withdrawal(&self) -> Vec<BalanceChange> {
        let id = self.random_id("withdrawals").await;
        let open_withdrawals_sql =
            "SELECT id, user_id, amount FROM withdrawals WHERE status IN ('pending', 'approved')";
        let open_withdrawal = self.fetch_rows(open_withdrawals_sql).await.into_iter().find(|row| row.0 == id);
        // `returned_part` is 1 if the action returns the held amount, 0 if it pays the amount out, `None` if the hold continues.
        let (action, body, returned_part) = match self.random_below(3) {
            0 => ("approve", json!({}), None),
            1 => ("reject", json!({ "admin_note": "No" }), Some(1)),
            _ => ("mark-as-paid", json!({ "transaction_id": format!("T{}", self.step) }), Some(0)),
        };
        let (status, _) = self.post_twice(&format!("/api/v1/admin/withdrawals/{id}/{action}"), &body).await;
        match (open_withdrawal, returned_part) {
            (Some((_, user_id, amount)), Some(returned_part)) if status == 200 => {
                vec![BalanceChange { user_id, available: returned_part * amount, held: -amount }]
            }
            _ => vec![],
        }
    }

    async fn create_invoice(&self) -> Vec<BalanceChange> {
        let input = NewInvoice {
            user_id: UserId::new(1 + self.random_below(USER_COUNT)),
            amount: Money(1 + self.random_below(9_000_000_000)),
            payment_method_id: PaymentMethodId::new(1),
            short_name: format!("INV-{}", self.step),
            coupon: None,
        };
        let mut work = self.panel.begin_work().await;
        let id = issue_invoice(&mut work, &input).await.unwrap();
        work.finish(id).await.unwrap();
        vec![]
    }

    async fn pay_invoice(&self) -> Vec<BalanceChange> {
        let id = self.random_id("invoices").await;
        let body = json!({ "amount": Money(10_000 * (1 + self.random_below(900_000))) });
        let credited_amounts_sql =
            "SELECT id, user_id, COALESCE(paid_amount, 0) + bonus_amount FROM invoices ORDER BY id";
        let before = self.fetch_rows(credited_amounts_sql).await;
        self.post_twice(&format!("/api/v1/admin/invoices/{id}/mark-as-paid"), &body).await;
        let after = self.fetch_rows(credited_amounts_sql).await;
        before
            .iter()
            .zip(&after)
            .map(|(before, after)| BalanceChange { user_id: after.1, available: after.2 - before.2, held: 0 })
            .collect()
    }

    async fn start_drip_feed(&self) -> Vec<BalanceChange> {
        let input = NewDripFeed {
            user_id: UserId::new(1 + self.random_below(USER_COUNT)),
            service_id: PLAIN_SERVICE,
            url: format!("https://video.example/drip/{}", self.step),
            quantity: 100 + self.random_below(90_000),
            runs: 2 + self.random_below(4),
            minutes_between_runs: 10,
            country: None,
            paying_balance: [BalanceType::Main, BalanceType::Task]
                [usize::try_from(self.random_below(2)).unwrap()],
            targets: Vec::new(),
        };
        let mut work = self.panel.begin_work().await;
        match run::start(&mut work, &input).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        let cost = input.quantity * input.runs * UNIT_PRICE;
        vec![BalanceChange { user_id: input.user_id.get(), available: -cost, held: cost }]
    }

    /// Places the orders of due runs, which are paid from the held amounts.
    async fn run_due_drip_feeds(&mut self) -> Vec<BalanceChange> {
        if self.elapsed_minutes < MAX_MINUTES {
            self.elapsed_minutes += 10;
            self.panel.clock.advance_secs(600);
        }
        let placed_quantities_sql = "SELECT user_id, user_id, CAST(sum(orders_count * quantity) AS BIGINT) FROM drip_feeds GROUP BY user_id ORDER BY user_id";
        let before = self.fetch_rows(placed_quantities_sql).await;
        run::run_due(&self.panel.app).await.unwrap();
        let after = self.fetch_rows(placed_quantities_sql).await;
        before
            .iter()
            .zip(after)
            .map(|(before, after)| BalanceChange {
                user_id: after.0,
                available: 0,
                held: (before.2 - after.2) * UNIT_PRICE,
            })
            .collect()
    }

    /// Cancels a drip-feed or subscription, which returns the amount that is still held for it.
    async fn cancel_with_advance(
        &self,
        resource: &'static str,
        holds_sql: &'static str,
    ) -> Vec<BalanceChange> {
        let holds = self.fetch_rows(holds_sql).await;
        // A random id, or one of two ids that do not exist.
        let id = 1 + self.random_below(i64::try_from(holds.len()).unwrap() + 2);
        let (status, response) =
            self.post_twice(&format!("/api/v1/admin/{resource}/{id}/cancel"), &json!({})).await;
        match holds.into_iter().find(|row| row.0 == id) {
            Some((_, user_id, returned_amount)) if status == 200 => {
                assert_eq!(response["data"]["refunded"], json!(Money(returned_amount)), "{resource} {id}");
                vec![BalanceChange { user_id, available: returned_amount, held: -returned_amount }]
            }
            _ => vec![],
        }
    }

    async fn assert_ledger_balances(&self) {
        let ledger_sum_sql = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries";
        assert_eq!(self.panel.fetch_number(Sql::new(ledger_sum_sql)).await, 0, "step {}", self.step);
        self.panel.assert_healthy().await;
    }
}

async fn each_action_changes_balances_once_by_its_amount(dialect: Dialect) {
    let (action_count, seed) =
        (number_from_env("PANEL_TEST_OPS", 600), number_from_env("PANEL_TEST_SEED", 20_261_121));
    eprintln!("{action_count} actions, PANEL_TEST_SEED={seed}");
    let panel = Panel::with_users_and_orders(dialect, USER_COUNT, 40).await;
    panel.execute(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    add_payment_methods(&panel).await;
    panel
        .execute(Sql::new(
            "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at) VALUES (1, 100000000, 50000, TRUE, 1, 1)",
        ))
        .await;
    let mut run = MoneyRun { panel, random: Random::seeded(seed), elapsed_minutes: 0, step: 0 };
    while run.step < action_count {
        run.run_step().await;
        if run.step.is_multiple_of(check_interval(DOCTOR_INTERVAL, action_count)) || run.step == action_count
        {
            run.assert_ledger_balances().await;
        }
    }
}
