//! Random actions of every kind that moves money: each moves what it says, for whom it says, once, whatever came
//! before; and the books balance. `model.rs` knows the rules of orders; here nothing is known but what answers said.
//!
//! `PANEL_TEST_OPS=100000` is the whole run: it raises the number of actions, `PANEL_TEST_SEED` repeats a run that failed.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::ids::{PaymentMethodId, SubscriptionId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::subscriptions::BillingType;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::drip_feeds::run::{self, NewDripFeed};
use panel_server::operations::invoices::bill::{NewInvoice, bill};
use panel_server::operations::orders::place::NewOrder;
use panel_server::operations::subscriptions::content;
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_server::operations::withdrawals::request::{NewWithdrawal, request};
use serde_json::{Value, json};

use crate::model::{below, between, number_of};
use crate::panel::Panel;
use crate::shop::{MODERATED, PLAIN};
use crate::withdrawals::methods;

both! {
    every_action_moves_what_it_says;
}

const USERS: i64 = 6;
/// Everything here is sold at 10 per 1,000.
const UNIT: i64 = 10_000;
/// Actions between two looks of the doctor, at least.
const BATCH: u64 = 40;
/// The staff's sessions last a day.
const MINUTES: i64 = 1_400;

/// What is held for each drip-feed, and for each subscription.
const DRIPS_LEFT: &str = "SELECT id, user_id, CASE WHEN status = 'in_processing' THEN (runs - orders_count) * quantity * 10000 ELSE 0 END FROM drip_feeds";
const SUBSCRIPTIONS_LEFT: &str = "SELECT id, user_id, CASE WHEN status = 'in_processing' THEN
    cost / contents_limit * (contents_limit - subscription_contents_count) ELSE 0 END FROM subscriptions";

/// What each customer may spend, and what is held of them.
type Purses = BTreeMap<i64, (i64, i64)>;
/// How one purse changes.
type Moved = Vec<(i64, i64, i64)>;

struct Books {
    panel: Panel,
    random: Random,
    minutes: i64,
    at: u64,
}

impl Books {
    fn below(&self, bound: i64) -> i64 {
        below(&self.random, bound)
    }

    async fn rows(&self, text: &'static str) -> Vec<(i64, i64, i64)> {
        (&mut &self.panel.app.db).all(Sql::new(text)).await.unwrap()
    }

    async fn purses(&self) -> Purses {
        let rows = self
            .rows(
                "SELECT id, balance_main + balance_task + balance_referral, hold_main + hold_task + hold_referral FROM users WHERE id < 1000000",
            )
            .await;
        rows.into_iter().map(|row| (row.0, (row.1, row.2))).collect()
    }

    /// One of a table's ids, or one that nothing has.
    async fn one_of(&self, table: &'static str) -> i64 {
        1 + self.below(self.panel.number(Sql::new("SELECT count(*) FROM ").push(table)).await + 2)
    }

    /// The same request twice under one key: the second is answered as the first, and does nothing.
    async fn twice(&self, path: &str, body: &Value) -> (u16, Value) {
        let key = format!("money-{}", self.at);
        let first = self.panel.send("owner", "POST", path, body, Some(&key)).await;
        let again = self.panel.send("owner", "POST", path, body, Some(&key)).await;
        assert_eq!(first.status, again.status, "{path}");
        assert!(first.status != 200 || first.text == again.text, "{path}");
        let status = first.status.as_u16();
        assert!(matches!(status, 200 | 404 | 409 | 422), "{path}: {}", first.text);
        (status, first.json())
    }

    async fn step(&mut self) {
        self.at += 1;
        let mut expected = self.purses().await;
        let action = self.below(24);
        let moved = match action {
            0..=2 => self.place().await,
            3..=5 => self.pay().await,
            6..=8 => self.cancel_order().await,
            9 | 10 => self.drip().await,
            11 => self.run().await,
            12 => self.cancel_batch("drip-feeds", DRIPS_LEFT).await,
            13 => self.subscribe().await,
            14 | 15 => self.content().await,
            16 => self.cancel_batch("subscriptions", SUBSCRIPTIONS_LEFT).await,
            17 => self.buy_combo().await,
            18 => self.on_combo().await,
            19 => self.ask().await,
            20 | 21 => self.on_withdrawal().await,
            22 => self.bill().await,
            _ => self.on_invoice().await,
        };
        for (user, free, held) in moved {
            let purse = expected.get_mut(&user).unwrap();
            *purse = (purse.0 + free, purse.1 + held);
        }
        assert_eq!(self.purses().await, expected, "action {action}, step {}", self.at);
        assert!(expected.values().all(|(free, held)| *free >= 0 && *held >= 0), "step {}", self.at);
    }

    async fn place(&self) -> Moved {
        let (user, quantity) = (1 + self.below(USERS), 100 + self.below(900_000));
        let placed = self
            .panel
            .place(&NewOrder::plain(UserId::new(user), PLAIN, "https://video.example/m", quantity))
            .await;
        if placed.status.as_str() == "unpaid" { vec![] } else { vec![(user, -quantity * UNIT, 0)] }
    }

    async fn pay(&self) -> Moved {
        let (user, amount, credit) =
            (1 + self.below(USERS), 1 + self.below(9_000_000_000), self.below(2) == 0);
        let balance = ["main", "task", "referral"][usize::try_from(self.below(3)).unwrap()];
        let direction = if credit { "income" } else { "outcome" };
        let body = json!({ "user_id": user, "transaction_type": direction, "amount": Money(amount), "balance_type": balance, "comment": "Test" });
        let (status, _) = self.twice("/api/v1/admin/payments", &body).await;
        if status == 200 { vec![(user, if credit { amount } else { -amount }, 0)] } else { vec![] }
    }

    async fn cancel_order(&self) -> Moved {
        let id = self.one_of("orders").await;
        let body = match self.below(3) {
            0 => json!({}),
            1 => json!({ "return_money": true }),
            _ => json!({ "return_money": true, "amount": Money(1 + self.below(2_000_000_000)) }),
        };
        self.refunding(&format!("/api/v1/admin/orders/{id}/cancel"), &body).await
    }

    /// A request that gives money back: as much as its orders say.
    async fn refunding(&self, path: &str, body: &Value) -> Moved {
        let refunded = "SELECT id, user_id, refunded FROM orders ORDER BY id";
        let before = self.rows(refunded).await;
        self.twice(path, body).await;
        let after = self.rows(refunded).await;
        before.iter().zip(&after).map(|(before, after)| (after.1, after.2 - before.2, 0)).collect()
    }

    async fn buy_combo(&self) -> Moved {
        let parts = vec![(PLAIN, 100 + self.below(90_000)), (MODERATED, 100 + self.below(90_000))];
        let cost = parts.iter().map(|part| part.1 * UNIT).sum::<i64>();
        let new = NewCombo {
            user_id: UserId::new(1 + self.below(USERS)),
            url: format!("https://photo.example/{}", self.at),
            source: OrderSource::Cabinet,
            package: (None, "Pack".into(), "combo".into()),
            parts,
            targets: BTreeMap::new(),
            is_moderated: self.below(2) == 0,
        };
        let mut work = self.panel.work().await;
        match buy(&mut work, &new).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![(new.user_id.get(), -cost, 0)]
    }

    async fn on_combo(&self) -> Moved {
        let id = self.one_of("combo_orders").await;
        let action = ["approve", "reject", "complete"][usize::try_from(self.below(3)).unwrap()];
        self.refunding(&format!("/api/v1/admin/combo-orders/{id}/{action}"), &json!({})).await
    }

    async fn subscribe(&self) -> Moved {
        let services =
            [PLAIN, MODERATED].map(|service| ServiceQuantity::exactly(service, 100 + self.below(20_000)));
        let contents = 1 + self.below(4);
        let cost = services.iter().map(|each| each.most * UNIT * contents).sum::<i64>();
        let new = NewSubscription {
            user_id: UserId::new(1 + self.below(USERS)),
            name: "New videos".into(),
            url: format!("https://video.example/@{}", self.at),
            kind: "youtube".into(),
            billing_type: BillingType::Prepaid,
            contents_limit: contents,
            old_contents: 0,
            delay_minutes: 0,
            services: services.to_vec(),
            expired_at: None,
            period_days: None,
        };
        let mut work = self.panel.work().await;
        match start(&mut work, &new).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![(new.user_id.get(), -cost, cost)]
    }

    /// Something new in a channel: its orders are paid of what is held.
    async fn content(&self) -> Moved {
        let id = self.one_of("subscriptions").await;
        let share = "SELECT id, user_id, cost / contents_limit FROM subscriptions";
        let Some(row) = self.rows(share).await.into_iter().find(|row| row.0 == id) else { return vec![] };
        let mut work = self.panel.work().await;
        let url = format!("https://video.example/{id}/{}", self.at);
        let placed = content::place_by_url(&mut work, SubscriptionId::new(id), &url).await.unwrap();
        work.finish(()).await.unwrap();
        if placed.is_empty() { vec![] } else { vec![(row.1, 0, -row.2)] }
    }

    async fn ask(&self) -> Moved {
        let new = NewWithdrawal {
            user_id: UserId::new(1 + self.below(USERS)),
            amount: Money(1 + self.below(40_000_000_000)),
            balance_type: [BalanceType::Main, BalanceType::Referral][usize::try_from(self.below(2)).unwrap()],
            payment_method_id: PaymentMethodId::new(1),
            account_number: "DE1".into(),
            user_comment: None,
        };
        let mut work = self.panel.work().await;
        match request(&mut work, &new).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        vec![(new.user_id.get(), -new.amount.0, new.amount.0)]
    }

    async fn on_withdrawal(&self) -> Moved {
        let id = self.one_of("withdrawals").await;
        let held = "SELECT id, user_id, amount FROM withdrawals WHERE status IN ('pending', 'approved')";
        let held = self.rows(held).await.into_iter().find(|row| row.0 == id);
        let (step, body, free) = match self.below(3) {
            0 => ("approve", json!({}), None),
            1 => ("reject", json!({ "admin_note": "No" }), Some(1)),
            _ => ("mark-as-paid", json!({ "transaction_id": format!("T{}", self.at) }), Some(0)),
        };
        let (status, _) = self.twice(&format!("/api/v1/admin/withdrawals/{id}/{step}"), &body).await;
        match (held, free) {
            (Some((_, user, amount)), Some(free)) if status == 200 => vec![(user, free * amount, -amount)],
            _ => vec![],
        }
    }

    async fn bill(&self) -> Moved {
        let new = NewInvoice {
            user_id: UserId::new(1 + self.below(USERS)),
            amount: Money(1 + self.below(9_000_000_000)),
            payment_method_id: PaymentMethodId::new(1),
            short_name: format!("INV-{}", self.at),
            coupon: None,
        };
        let mut work = self.panel.work().await;
        let id = bill(&mut work, &new).await.unwrap();
        work.finish(id).await.unwrap();
        vec![]
    }

    async fn on_invoice(&self) -> Moved {
        let id = self.one_of("invoices").await;
        let body = json!({ "amount": Money(10_000 * (1 + self.below(900_000))) });
        let credited =
            "SELECT id, user_id, COALESCE(paid_amount, 0) + bonus_amount FROM invoices ORDER BY id";
        let before = self.rows(credited).await;
        self.twice(&format!("/api/v1/admin/invoices/{id}/mark-as-paid"), &body).await;
        let after = self.rows(credited).await;
        before.iter().zip(&after).map(|(before, after)| (after.1, after.2 - before.2, 0)).collect()
    }

    async fn drip(&self) -> Moved {
        let new = NewDripFeed {
            user_id: UserId::new(1 + self.below(USERS)),
            service_id: PLAIN,
            url: format!("https://video.example/drip/{}", self.at),
            quantity: 100 + self.below(90_000),
            runs: 2 + self.below(4),
            minutes_between_runs: 10,
            country: None,
            pays: [BalanceType::Main, BalanceType::Task][usize::try_from(self.below(2)).unwrap()],
            targets: Vec::new(),
        };
        let mut work = self.panel.work().await;
        match run::start(&mut work, &new).await {
            Ok(id) => work.finish(id).await.unwrap(),
            Err(_) => return vec![],
        };
        let cost = new.quantity * new.runs * UNIT;
        vec![(new.user_id.get(), -cost, cost)]
    }

    /// Runs that are due become orders, and what was held for them is paid.
    async fn run(&mut self) -> Moved {
        if self.minutes < MINUTES {
            self.minutes += 10;
            self.panel.clock.advance_secs(600);
        }
        let placed = "SELECT user_id, user_id, CAST(sum(orders_count * quantity) AS BIGINT) FROM drip_feeds GROUP BY user_id ORDER BY user_id";
        let before = self.rows(placed).await;
        run::run_due(&self.panel.app).await.unwrap();
        let after = self.rows(placed).await;
        before.iter().zip(after).map(|(before, after)| (after.0, 0, (before.2 - after.2) * UNIT)).collect()
    }

    /// What was paid ahead and not placed goes back.
    async fn cancel_batch(&self, what: &'static str, left: &'static str) -> Moved {
        let left = self.rows(left).await;
        // One of them, or one that nothing has.
        let id = 1 + self.below(i64::try_from(left.len()).unwrap() + 2);
        let (status, answer) = self.twice(&format!("/api/v1/admin/{what}/{id}/cancel"), &json!({})).await;
        match left.into_iter().find(|row| row.0 == id) {
            Some((_, user, returned)) if status == 200 => {
                assert_eq!(answer["data"]["returned"], json!(Money(returned)), "{what} {id}");
                vec![(user, returned, -returned)]
            }
            _ => vec![],
        }
    }

    /// Nothing came into being and nothing was lost.
    async fn balanced(&self) {
        let sum = "SELECT CAST(COALESCE(sum(amount), 0) AS BIGINT) FROM ledger_entries";
        assert_eq!(self.panel.number(Sql::new(sum)).await, 0, "step {}", self.at);
        self.panel.assert_healthy().await;
    }
}

async fn every_action_moves_what_it_says(dialect: Dialect) {
    let (ops, seed) = (number_of("PANEL_TEST_OPS", 600), number_of("PANEL_TEST_SEED", 20_261_121));
    eprintln!("{ops} actions, PANEL_TEST_SEED={seed}");
    let panel = Panel::shop(dialect, USERS, 40).await;
    panel.exec(Sql::new("UPDATE services SET drip_feed_is_allowed = TRUE")).await;
    methods(&panel).await;
    panel
        .exec(Sql::new(
            "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at) VALUES (1, 100000000, 50000, TRUE, 1, 1)",
        ))
        .await;
    let mut books = Books { panel, random: Random::seeded(seed), minutes: 0, at: 0 };
    while books.at < ops {
        books.step().await;
        if books.at.is_multiple_of(between(BATCH, ops)) || books.at == ops {
            books.balanced().await;
        }
    }
}
