//! Subscriptions: each content consumes its share of the prepaid amount; canceling or ending refunds the remainder once.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::amount::Money;
use panel_contract::ids::{SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::subscriptions::BillingType;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::subscriptions::start::{NewSubscription, ServiceQuantity, start};
use panel_server::operations::subscriptions::{content, renew};
use serde_json::{Value, json};

use crate::notifications::SUPPORT;
use crate::panel::{NOW, Panel};
use crate::shop::{ABANDONED, DEPOSIT, EARNED, PLAIN};

both! {
    each_content_consumes_its_share;
    a_subscription_is_canceled_once;
    a_subscription_paid_per_content_holds_nothing;
    a_subscription_ends_by_time;
    concurrent_cancels_while_contents_are_placed;
    a_cancel_that_waits_for_a_content_refunds_the_remainder;
    subscriptions_are_filtered_by_service;
    a_recurring_subscription_renews_what_was_used;
    a_renewal_without_money_pauses_until_it_is_paid;
    a_renewal_uses_current_prices;
    a_service_off_sale_pauses_its_renewal_and_no_other;
    staff_are_notified_of_a_renewal_without_money;
    an_unexpected_error_pauses_until_the_next_day;
    staff_cannot_renew_for_a_frozen_customer;
    contents_of_a_service_that_asks_by_now_wait;
}

/// Three contents with 1,000 of one service (10) and 500 of another (5): 45 in all.
fn three() -> NewSubscription {
    NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: "https://video.example/@channel".into(),
        kind: "youtube".into(),
        billing_type: BillingType::Prepaid,
        contents_limit: 3,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![ServiceQuantity::exactly(PLAIN, 1_000), ServiceQuantity::exactly(ABANDONED, 500)],
        expired_at: None,
        period_days: None,
    }
}

impl Panel {
    async fn subscribe(&self, new: &NewSubscription) -> SubscriptionId {
        let mut work = self.work().await;
        let id = start(&mut work, new).await.unwrap();
        work.finish(id).await.unwrap()
    }

    async fn content(&self, id: SubscriptionId, nth: i64) -> usize {
        let mut work = self.work().await;
        let placed =
            content::place_by_url(&mut work, id, &format!("https://video.example/{id}/{nth}")).await.unwrap();
        work.finish(()).await.unwrap();
        placed.len()
    }

    async fn subscription(&self, id: SubscriptionId) -> Value {
        let answer = self.get(&format!("/api/v1/admin/subscriptions/{id}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }

    async fn on_hold(&self) -> i64 {
        self.number(Sql::new("SELECT CAST(sum(hold_main) AS BIGINT) FROM users")).await
    }
}

fn cancel(id: impl std::fmt::Display) -> String {
    format!("/api/v1/admin/subscriptions/{id}/cancel")
}

async fn each_content_consumes_its_share(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.subscribe(&three()).await;
    assert_eq!(
        (panel.balances(1).await, panel.on_hold().await),
        ((DEPOSIT - 45_000_000, EARNED, 0), 45_000_000)
    );
    // A prepaid amount does not follow later price changes of the service.
    panel.exec(Sql::new("UPDATE services SET default_price = default_price * 3")).await;
    assert_eq!((panel.content(id, 1).await, panel.content(id, 2).await), (2, 2));
    let shown = panel.subscription(id).await;
    assert_eq!((&shown["orders_count"], &shown["refund_amount"]), (&json!(4), &json!("15")));
    assert_eq!(shown["subscription_services"][1]["service"]["id"], ABANDONED.get());
    let contents = shown["subscription_contents"].as_array().unwrap();
    assert_eq!((contents.len(), &contents[0]["orders_count"]), (2, &json!(2)));
    assert_eq!((panel.content(id, 3).await, panel.content(id, 4).await), (2, 0), "used up");
    assert_eq!(panel.subscription(id).await["status"], "completed");
    assert_eq!(
        (panel.balances(1).await, panel.on_hold().await),
        ((DEPOSIT - 45_000_000, EARNED, 45_000_000), 0)
    );
    let orders = panel.get(&format!("/api/v1/admin/orders?subscription_id={id}")).await.json();
    assert_eq!(
        (&orders["recordsFiltered"], &orders["data"][0]["source"]),
        (&json!(6), &json!("subscription"))
    );
    assert_eq!(panel.post(&cancel(id), &json!({})).await.json()["code"], "subscription_not_cancelable");
    panel.assert_healthy().await;
}

async fn a_subscription_is_canceled_once(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.subscribe(&three()).await;
    panel.content(id, 1).await;
    assert_eq!(panel.send("reader", "POST", &cancel(id), &json!({}), None).await.status, 403);
    let tried = panel.post(&format!("{}?dry_run=1", cancel(id)), &json!({})).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["data"]["returned"]), (200, &json!("30")));
    assert_eq!(panel.on_hold().await, 30_000_000);
    let done = panel.post(&cancel(id), &json!({})).await;
    assert_eq!(
        (&done.json()["data"]["status"], &done.json()["data"]["returned"]),
        (&json!("canceled"), &json!("30"))
    );
    assert_eq!(panel.post(&cancel(id), &json!({})).await.status, 409);
    assert_eq!(panel.post(&cancel(77), &json!({})).await.status, 404);
    assert_eq!(panel.content(id, 2).await, 0, "no more orders");
    assert_eq!(
        (panel.balances(1).await, panel.on_hold().await),
        ((DEPOSIT - 15_000_000, EARNED, 15_000_000), 0)
    );
    let going =
        Sql::new("SELECT count(*) FROM orders WHERE subscription_id = ? AND status = 'in_processing'")
            .bind(id);
    assert_eq!(panel.number(going).await, 2, "placed orders go on");
    panel.assert_healthy().await;
}

async fn a_subscription_paid_per_content_holds_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.subscribe(&NewSubscription { billing_type: BillingType::PerContent, ..three() }).await;
    assert_eq!((panel.balances(1).await.0, panel.on_hold().await), (DEPOSIT, 0));
    panel.content(id, 1).await;
    assert_eq!(panel.balances(1).await, (DEPOSIT - 15_000_000, EARNED, 15_000_000));
    assert_eq!(panel.post(&cancel(id), &json!({})).await.json()["data"]["returned"], "0");
    let types = panel.get("/api/v1/admin/subscriptions/collections").await.json();
    assert_eq!(types["data"]["billing_types"][1]["type"], "per_content");
    panel.assert_healthy().await;
}

async fn a_subscription_ends_by_time(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let soon = Some(Time(NOW + 3_600_000_000));
    let id = panel.subscribe(&NewSubscription { expired_at: soon, ..three() }).await;
    panel.content(id, 1).await;
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(3_601);
    assert_eq!(panel.content(id, 2).await, 0, "too late");
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 1);
    let shown = panel.subscription(id).await;
    assert_eq!((&shown["status"], &shown["returned"]), (&json!("completed"), &json!("30")));
    assert_eq!(panel.on_hold().await, 0);
    panel.assert_healthy().await;
}

/// Contents come while eight cancel each of ten: one cancel each (or none, when it was used up first).
async fn concurrent_cancels_while_contents_are_placed(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    let mut ids = Vec::new();
    for user in (1..=5).cycle().take(10) {
        ids.push(panel.subscribe(&NewSubscription { user_id: UserId::new(user), ..three() }).await);
    }
    let canceling = ids.iter().flat_map(|id| [*id; 8]).map(|id| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move { panel.post(&cancel(id), &json!({})).await.status.as_u16() })
    });
    let coming = ids.iter().flat_map(|id| [(*id, 1), (*id, 2)]).map(|(id, nth)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            panel.content(id, nth).await;
            0
        })
    });
    let answers: Vec<u16> =
        join_all(canceling.chain(coming).collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 10, "{answers:?}");
    let spent = panel.number(Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users")).await;
    let contents = panel.number(Sql::new("SELECT count(*) FROM subscription_contents")).await;
    assert_eq!((spent, panel.on_hold().await), (contents * 15_000_000, 0));
    panel.assert_healthy().await;
}

/// The cancel reads the refundable amount after it got the lock, not while it waits for the content.
async fn a_cancel_that_waits_for_a_content_refunds_the_remainder(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    let id = panel.subscribe(&three()).await;
    let mut work = panel.work().await;
    let placed = content::place_by_url(&mut work, id, "https://video.example/1").await.unwrap();
    assert_eq!(placed.len(), 2);
    let canceling = tokio::spawn({
        let panel = Arc::clone(&panel);
        async move { panel.post(&cancel(id), &json!({})).await }
    });
    // SQLite has a single writer, which waits before it reads anything.
    while dialect == Dialect::Postgres && panel.number(Sql::new(WAITING)).await == 0 {
        tokio::task::yield_now().await;
    }
    work.finish(()).await.unwrap();
    let canceled = canceling.await.unwrap();
    assert_eq!(canceled.status, 200, "{}", canceled.text);
    assert_eq!(
        (panel.balances(1).await, panel.on_hold().await),
        ((DEPOSIT - 15_000_000, EARNED, 15_000_000), 0)
    );
    panel.assert_healthy().await;
}

/// Number of transactions of this database that wait for a row lock.
const WAITING: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

async fn subscriptions_are_filtered_by_service(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let both = panel.subscribe(&three()).await;
    let plain = panel
        .subscribe(&NewSubscription {
            services: vec![ServiceQuantity::exactly(PLAIN, 100)],
            user_id: UserId::new(2),
            ..three()
        })
        .await;
    let ids = async |wanted: &str| {
        let path =
            "/api/v1/admin/subscriptions?columns[0][data]=subscription_services&columns[0][search][value]=";
        let answer = panel.get(&format!("{path}{wanted}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let rows = answer.json();
        let id = |row: &Value| SubscriptionId::new(row["id"].as_i64().unwrap());
        let ids: Vec<SubscriptionId> = rows["data"].as_array().unwrap().iter().map(id).collect();
        assert_eq!(rows["recordsFiltered"], ids.len());
        ids
    };
    assert_eq!(ids("1").await, [plain, both]);
    assert_eq!(ids("3").await, [both]);
    assert_eq!(ids("1,3").await, [plain, both]);
    assert_eq!(ids("service").await, [plain, both], "each once");
    assert_eq!(ids("service%203").await, [both]);
    assert_eq!(ids("nothing").await, []);
}

const DAY_SECS: i64 = 86_400;

/// Three contents (45 in all) every ten days.
fn by_period() -> NewSubscription {
    NewSubscription { billing_type: BillingType::Recurring, period_days: Some(10), ..three() }
}

async fn recurring(dialect: Dialect) -> (Panel, SubscriptionId) {
    let panel = Panel::shop(dialect, 5, 0).await;
    // These tests span days, so sessions must last longer.
    panel.exec(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
    let id = panel.subscribe(&by_period()).await;
    (panel, id)
}

async fn a_recurring_subscription_renews_what_was_used(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    let renewed = async || renew::renew_due(&panel.app).await.unwrap();
    assert_eq!((panel.content(id, 1).await, panel.content(id, 2).await), (2, 2));
    panel.clock.advance_secs(10 * DAY_SECS - 1);
    assert_eq!(renewed().await, 0, "its period goes on");
    panel.clock.advance_secs(1);
    assert_eq!((renewed().await, renewed().await), (1, 0));
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 75_000_000, "one content was left");
    let shown = panel.subscription(id).await;
    assert_eq!(
        (&shown["contents_limit"], &shown["cost"], &shown["refund_amount"], &shown["period_days"]),
        (&json!(5), &json!("75"), &json!("45"), &json!(10))
    );
    for nth in 3..=5 {
        assert_eq!(panel.content(id, nth).await, 2);
    }
    assert_eq!(panel.content(id, 6).await, 0, "used up until the next period");
    assert_eq!(panel.subscription(id).await["status"], "in_processing");
    assert_eq!(panel.post(&format!("/api/v1/admin/subscriptions/{id}/renew"), &json!({})).await.status, 409);
    panel.clock.advance_secs(35 * DAY_SECS);
    assert_eq!((renewed().await, renewed().await), (1, 0), "one period after downtime");
    assert_eq!(panel.content(id, 6).await, 2);
    assert_eq!(panel.post(&cancel(id), &json!({})).await.json()["data"]["returned"], "30");
    panel.clock.advance_secs(20 * DAY_SECS);
    assert_eq!((renewed().await, panel.on_hold().await), (0, 0));
    let audited =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.renewed' AND auditable_id = ?");
    assert_eq!(panel.number(audited.bind(id)).await, 2);
    panel.assert_healthy().await;
}

async fn a_renewal_without_money_pauses_until_it_is_paid(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    for nth in 1..=3 {
        panel.content(id, nth).await;
    }
    let take = |amount: &str| json!({ "user_id": 1, "transaction_type": "outcome", "amount": amount, "comment": "Test", "balance_type": "main" });
    let left = DEPOSIT / 1_000_000 - 45 - 44;
    let payments = "/api/v1/admin/payments";
    let paid = panel.send("owner", "POST", payments, &take(&left.to_string()), Some("take")).await;
    assert_eq!(paid.status, 200, "{}", paid.text);
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    let shown = panel.subscription(id).await;
    assert_eq!(
        (&shown["status"], shown["paused_at"].is_string(), &shown["look_at"], &shown["actions"]),
        (&json!("in_processing"), true, &Value::Null, &json!({ "cancelable": true, "renewable": true }))
    );
    assert!(shown["wait_reason"].as_str().unwrap().contains("balance"), "{shown}");
    let mails = Sql::new(
        "SELECT count(*) FROM jobs WHERE payload LIKE '%is paused%c1@shop.example%' OR payload LIKE '%c1@shop.example%is paused%'",
    );
    assert_eq!(panel.number(mails).await, 1, "the customer gets an email");
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    assert_eq!(panel.post(&path, &json!({})).await.status, 422, "too little balance");
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "tried again");
    let audited =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.paused' AND auditable_id = ?");
    assert_eq!(panel.number(audited.bind(id)).await, 1, "one audit entry");
    let give = json!({ "user_id": 1, "transaction_type": "income", "amount": "1", "comment": "Test", "balance_type": "main" });
    assert_eq!(panel.send("owner", "POST", payments, &give, Some("give")).await.status, 200);
    let before = panel.balances(1).await.0;
    let tried = panel.post(&format!("{path}?dry_run=1"), &json!({})).await.json();
    assert_eq!((&tried["charged"], panel.balances(1).await.0), (&json!(Money(before)), before), "only tried");
    let renewed = panel.post(&path, &json!({})).await;
    assert_eq!(renewed.status, 200, "{}", renewed.text);
    let paid = before - panel.balances(1).await.0;
    assert!(paid > 0 && renewed.json()["charged"] == json!(Money(paid)), "{}", renewed.text);
    let data = renewed.json()["data"].clone();
    assert_eq!(
        (&data["paused_at"], data["look_at"].is_string(), &data["wait_reason"]),
        (&Value::Null, true, &Value::Null)
    );
    assert_eq!(panel.balances(1).await.0, 0);
    assert_eq!(panel.content(id, 4).await, 2);
    panel.assert_healthy().await;
}

/// Sets the price of the first service: 1,000 of it are 10 at first.
async fn price(panel: &Panel, per_thousand: i64) {
    let sql = Sql::new("UPDATE services SET default_price = ? WHERE id = ?");
    panel.exec(sql.bind(per_thousand * 1_000_000).bind(PLAIN)).await;
}

async fn a_renewal_uses_current_prices(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    for nth in 1..=2 {
        panel.content(id, nth).await;
    }
    price(&panel, 20).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    // Three contents at 25, of which 15 are held for the one that is left.
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 45_000_000 - 60_000_000);
    let stored = "SELECT CAST(sum(cost) AS BIGINT) FROM subscription_services WHERE subscription_id = ?";
    assert_eq!(panel.number(Sql::new(stored).bind(id)).await, 25_000_000);
    assert_eq!(panel.subscription(id).await["refund_amount"], "75");
    panel.content(id, 3).await;
    let paid = Sql::new("SELECT CAST(max(cost) AS BIGINT) FROM orders WHERE subscription_id = ?");
    assert_eq!(panel.number(paid.bind(id)).await, 20_000_000);
    // A lower price is charged as it is, and a cancel refunds the remainder.
    price(&panel, 1).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 105_000_000, "50 are held for 18");
    panel.content(id, 4).await;
    assert_eq!(panel.post(&cancel(id), &json!({})).await.json()["data"]["returned"], "44");
    assert_eq!(panel.on_hold().await, 0);
    panel.assert_healthy().await;
}

async fn a_service_off_sale_pauses_its_renewal_and_no_other(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    let alone = [ServiceQuantity::exactly(ABANDONED, 500)].to_vec();
    let other =
        panel.subscribe(&NewSubscription { services: alone, user_id: UserId::new(2), ..by_period() }).await;
    panel.content(id, 1).await;
    panel.content(other, 1).await;
    panel.exec(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = ?").bind(PLAIN)).await;
    panel.exec(Sql::new("DELETE FROM jobs")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 2);
    let shown = panel.subscription(id).await;
    let why = shown["wait_reason"].as_str().unwrap();
    assert!(why.starts_with(&format!("Service {PLAIN} is not on sale.")), "{why}");
    assert!(shown["paused_at"].is_string() && shown["cost"] == "45", "{shown}");
    assert_eq!(panel.subscription(other).await["paused_at"], Value::Null, "the other renewed");
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    let refused = panel.post(&path, &json!({})).await;
    assert_eq!(refused.says(), (422, "service_unsuitable".into()));
    panel.exec(Sql::new("UPDATE services SET is_enabled = TRUE")).await;
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(panel.subscription(id).await["paused_at"], Value::Null);
    panel.assert_healthy().await;
}

async fn staff_are_notified_of_a_renewal_without_money(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    let clerk = panel.member("clerk", &[Permission::ViewOrders]).await;
    panel.tell(SUPPORT, &[clerk]).await;
    panel.content(id, 1).await;
    panel.exec(Sql::new("DELETE FROM jobs")).await;
    let take = json!({ "user_id": 1, "transaction_type": "outcome", "amount": (DEPOSIT / 1_000_000 - 45).to_string(), "comment": "Test", "balance_type": "main" });
    let taken = panel.send("owner", "POST", "/api/v1/admin/payments", &take, Some("all")).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "tried again");
    let letters = panel.letters().await;
    let to_staff: Vec<_> = letters.iter().filter(|(email, _)| email == "clerk@panel.test").collect();
    assert_eq!(to_staff.len(), 1, "once: {letters:?}");
    assert!(to_staff[0].1["subject"].as_str().unwrap().contains("A subscription is paused"), "{letters:?}");
    panel.assert_healthy().await;
}

async fn an_unexpected_error_pauses_until_the_next_day(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    panel.content(id, 1).await;
    let before = panel.balances(1).await;
    // The quote succeeds, and writing the renewal fails.
    panel.exec(Sql::new("ALTER TABLE subscription_services RENAME COLUMN cost TO broken_cost")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 0, "it does not hold up the others");
    panel.exec(Sql::new("ALTER TABLE subscription_services RENAME COLUMN broken_cost TO cost")).await;
    let shown = panel.subscription(id).await;
    assert!(shown["paused_at"].is_string() && shown["wait_reason"].is_string(), "{shown}");
    assert_eq!(panel.balances(1).await, before, "nothing was charged");
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "tried again on the next day");
    let shown = panel.subscription(id).await;
    assert_eq!((&shown["paused_at"], &shown["wait_reason"]), (&Value::Null, &Value::Null), "{shown}");
    panel.assert_healthy().await;
}

async fn staff_cannot_renew_for_a_frozen_customer(dialect: Dialect) {
    let (panel, id) = recurring(dialect).await;
    panel.content(id, 1).await;
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    let shown = panel.subscription(id).await;
    assert_eq!((shown["paused_at"].is_string(), &shown["actions"]["renewable"]), (true, &json!(false)));
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    let refused = panel.post(&path, &json!({})).await;
    assert_eq!(refused.says(), (409, "user_not_active".into()));
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 45_000_000);
}

async fn contents_of_a_service_that_asks_by_now_wait(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.subscribe(&three()).await;
    for sql in [
        "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) SELECT 1, 'Comments', id, 1, 1 FROM target_types WHERE name = 'comment'",
        "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values) SELECT id, 1, 1, 'required', '[]' FROM services",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let mut work = panel.work().await;
    assert!(
        content::place_by_url(&mut work, id, "https://video.example/x").await.is_err(),
        "nothing answers"
    );
    drop(work);
    let mut work = panel.work().await;
    assert!(start(&mut work, &three()).await.is_err(), "and none begins");
    drop(work);
    assert_eq!(panel.on_hold().await, 45_000_000);
    panel.assert_healthy().await;
}
