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

use crate::notifications::SUPPORT_PATH;
use crate::panel::{NOW, Panel};
use crate::shop::{CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

test_both_databases! {
    each_content_consumes_its_share;
    a_subscription_is_canceled_once;
    a_subscription_paid_per_content_holds_no_amount;
    a_subscription_ends_at_its_expiry;
    concurrent_cancellations_refund_a_subscription_once;
    a_cancel_that_waits_for_a_content_refunds_the_remainder;
    subscriptions_can_be_filtered_by_service;
    a_renewal_replaces_the_used_contents;
    a_renewal_without_money_pauses_until_it_is_paid;
    a_renewal_uses_current_prices;
    a_disabled_service_pauses_only_the_subscriptions_with_it;
    staff_are_notified_of_a_renewal_without_money;
    an_unexpected_error_pauses_the_subscription_until_the_next_day;
    staff_cannot_renew_for_a_frozen_customer;
    contents_wait_if_their_service_has_a_new_required_target;
}

/// A prepaid subscription of three contents at 15 each: 1,000 of one service for 10 and 500 of another for 5; 45 in all.
fn three_contents() -> NewSubscription {
    NewSubscription {
        user_id: UserId::new(1),
        name: "New videos".into(),
        url: "https://video.example/@channel".into(),
        kind: "youtube".into(),
        billing_type: BillingType::Prepaid,
        contents_limit: 3,
        old_contents: 0,
        delay_minutes: 0,
        services: vec![
            ServiceQuantity::fixed(PLAIN_SERVICE, 1_000),
            ServiceQuantity::fixed(SERVICE_WITHOUT_PROVIDER, 500),
        ],
        expired_at: None,
        period_days: None,
    }
}

impl Panel {
    async fn subscribe(&self, subscription: &NewSubscription) -> SubscriptionId {
        let mut work = self.begin_work().await;
        let id = start(&mut work, subscription).await.unwrap();
        work.finish(id).await.unwrap()
    }

    async fn place_content(&self, id: SubscriptionId, content_number: i64) -> usize {
        let mut work = self.begin_work().await;
        let placed_orders =
            content::place_by_url(&mut work, id, &format!("https://video.example/{id}/{content_number}"))
                .await
                .unwrap();
        work.finish(()).await.unwrap();
        placed_orders.len()
    }

    async fn fetch_subscription(&self, id: SubscriptionId) -> Value {
        let response = self.get(&format!("/api/v1/admin/subscriptions/{id}")).await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["data"].clone()
    }

    async fn fetch_total_on_hold(&self) -> i64 {
        self.fetch_number(Sql::new("SELECT CAST(sum(hold_main) AS BIGINT) FROM users")).await
    }
}

fn cancel_path(id: impl std::fmt::Display) -> String {
    format!("/api/v1/admin/subscriptions/{id}/cancel")
}

async fn each_content_consumes_its_share(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.subscribe(&three_contents()).await;
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_total_on_hold().await),
        ((CUSTOMER_DEPOSIT - 45_000_000, CUSTOMER_EARNINGS, 0), 45_000_000)
    );
    // A prepaid amount does not follow later price changes of the service.
    panel.execute(Sql::new("UPDATE services SET default_price = default_price * 3")).await;
    assert_eq!((panel.place_content(id, 1).await, panel.place_content(id, 2).await), (2, 2));
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!((&subscription["orders_count"], &subscription["refund_amount"]), (&json!(4), &json!("15")));
    assert_eq!(subscription["subscription_services"][1]["service"]["id"], SERVICE_WITHOUT_PROVIDER.get());
    let contents = subscription["subscription_contents"].as_array().unwrap();
    assert_eq!((contents.len(), &contents[0]["orders_count"]), (2, &json!(2)));
    assert_eq!(
        (panel.place_content(id, 3).await, panel.place_content(id, 4).await),
        (2, 0),
        "all contents must be used"
    );
    assert_eq!(panel.fetch_subscription(id).await["status"], "completed");
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_total_on_hold().await),
        ((CUSTOMER_DEPOSIT - 45_000_000, CUSTOMER_EARNINGS, 45_000_000), 0)
    );
    let orders = panel.get(&format!("/api/v1/admin/orders?subscription_id={id}")).await.json();
    assert_eq!(
        (&orders["recordsFiltered"], &orders["data"][0]["source"]),
        (&json!(6), &json!("subscription"))
    );
    assert_eq!(panel.post(&cancel_path(id), &json!({})).await.json()["code"], "subscription_not_cancelable");
    panel.assert_healthy().await;
}

async fn a_subscription_is_canceled_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.subscribe(&three_contents()).await;
    panel.place_content(id, 1).await;
    assert_eq!(panel.send("reader", "POST", &cancel_path(id), &json!({}), None).await.status, 403);
    let dry_run = panel.post(&format!("{}?dry_run=1", cancel_path(id)), &json!({})).await;
    assert_eq!((dry_run.status.as_u16(), &dry_run.json()["data"]["refunded"]), (200, &json!("30")));
    assert_eq!(panel.fetch_total_on_hold().await, 30_000_000);
    let cancel_response = panel.post(&cancel_path(id), &json!({})).await;
    assert_eq!(
        (&cancel_response.json()["data"]["status"], &cancel_response.json()["data"]["refunded"]),
        (&json!("canceled"), &json!("30"))
    );
    assert_eq!(panel.post(&cancel_path(id), &json!({})).await.status, 409);
    assert_eq!(panel.post(&cancel_path(77), &json!({})).await.status, 404);
    assert_eq!(panel.place_content(id, 2).await, 0, "a canceled subscription must not place orders");
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_total_on_hold().await),
        ((CUSTOMER_DEPOSIT - 15_000_000, CUSTOMER_EARNINGS, 15_000_000), 0)
    );
    let count_open_orders_sql =
        Sql::new("SELECT count(*) FROM orders WHERE subscription_id = ? AND status = 'in_processing'")
            .bind(id);
    assert_eq!(panel.fetch_number(count_open_orders_sql).await, 2, "placed orders must continue");
    panel.assert_healthy().await;
}

async fn a_subscription_paid_per_content_holds_no_amount(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id =
        panel.subscribe(&NewSubscription { billing_type: BillingType::PerContent, ..three_contents() }).await;
    assert_eq!((panel.fetch_main_balance(1).await, panel.fetch_total_on_hold().await), (CUSTOMER_DEPOSIT, 0));
    panel.place_content(id, 1).await;
    assert_eq!(panel.fetch_balances(1).await, (CUSTOMER_DEPOSIT - 15_000_000, CUSTOMER_EARNINGS, 15_000_000));
    assert_eq!(panel.post(&cancel_path(id), &json!({})).await.json()["data"]["refunded"], "0");
    let collections = panel.get("/api/v1/admin/subscriptions/collections").await.json();
    assert_eq!(collections["data"]["billing_types"][1]["type"], "per_content");
    panel.assert_healthy().await;
}

async fn a_subscription_ends_at_its_expiry(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let in_an_hour = Some(Time(NOW + 3_600_000_000));
    let id = panel.subscribe(&NewSubscription { expired_at: in_an_hour, ..three_contents() }).await;
    panel.place_content(id, 1).await;
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(3_601);
    assert_eq!(panel.place_content(id, 2).await, 0, "an expired subscription must not place orders");
    assert_eq!(content::end_expired(&panel.app).await.unwrap(), 1);
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!((&subscription["status"], &subscription["refunded"]), (&json!("completed"), &json!("30")));
    assert_eq!(panel.fetch_total_on_hold().await, 0);
    panel.assert_healthy().await;
}

/// Eight concurrent requests cancel each of ten subscriptions while contents are placed. One of the eight must succeed.
async fn concurrent_cancellations_refund_a_subscription_once(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 5, 0).await);
    let mut ids = Vec::new();
    for user in (1..=5).cycle().take(10) {
        ids.push(panel.subscribe(&NewSubscription { user_id: UserId::new(user), ..three_contents() }).await);
    }
    let cancellations = ids.iter().flat_map(|id| [*id; 8]).map(|id| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move { panel.post(&cancel_path(id), &json!({})).await.status.as_u16() })
    });
    let placements = ids.iter().flat_map(|id| [(*id, 1), (*id, 2)]).map(|(id, content_number)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            panel.place_content(id, content_number).await;
            0
        })
    });
    let responses: Vec<u16> = join_all(cancellations.chain(placements).collect::<Vec<_>>())
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(responses.iter().filter(|status| **status == 200).count(), 10, "{responses:?}");
    let total_spent = panel.fetch_number(Sql::new("SELECT CAST(sum(spent) AS BIGINT) FROM users")).await;
    let contents = panel.fetch_number(Sql::new("SELECT count(*) FROM subscription_contents")).await;
    assert_eq!((total_spent, panel.fetch_total_on_hold().await), (contents * 15_000_000, 0));
    panel.assert_healthy().await;
}

/// The cancellation must read the refundable amount after it gets the lock, not while it waits for the content.
async fn a_cancel_that_waits_for_a_content_refunds_the_remainder(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 5, 0).await);
    let id = panel.subscribe(&three_contents()).await;
    let mut work = panel.begin_work().await;
    let placed_orders = content::place_by_url(&mut work, id, "https://video.example/1").await.unwrap();
    assert_eq!(placed_orders.len(), 2);
    let cancellation = tokio::spawn({
        let panel = Arc::clone(&panel);
        async move { panel.post(&cancel_path(id), &json!({})).await }
    });
    // SQLite has a single writer, which waits before it reads anything.
    while dialect == Dialect::Postgres && panel.fetch_number(Sql::new(COUNT_LOCK_WAITS)).await == 0 {
        tokio::task::yield_now().await;
    }
    work.finish(()).await.unwrap();
    let cancel_response = cancellation.await.unwrap();
    assert_eq!(cancel_response.status, 200, "{}", cancel_response.text);
    assert_eq!(
        (panel.fetch_balances(1).await, panel.fetch_total_on_hold().await),
        ((CUSTOMER_DEPOSIT - 15_000_000, CUSTOMER_EARNINGS, 15_000_000), 0)
    );
    panel.assert_healthy().await;
}

/// Number of transactions of this database that wait for a row lock.
const COUNT_LOCK_WAITS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

async fn subscriptions_can_be_filtered_by_service(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let two_services = panel.subscribe(&three_contents()).await;
    let one_service = panel
        .subscribe(&NewSubscription {
            services: vec![ServiceQuantity::fixed(PLAIN_SERVICE, 100)],
            user_id: UserId::new(2),
            ..three_contents()
        })
        .await;
    let filtered_ids = async |filter: &str| {
        let path =
            "/api/v1/admin/subscriptions?columns[0][data]=subscription_services&columns[0][search][value]=";
        let response = panel.get(&format!("{path}{filter}")).await;
        assert_eq!(response.status, 200, "{}", response.text);
        let rows = response.json();
        let id = |row: &Value| SubscriptionId::new(row["id"].as_i64().unwrap());
        let ids: Vec<SubscriptionId> = rows["data"].as_array().unwrap().iter().map(id).collect();
        assert_eq!(rows["recordsFiltered"], ids.len());
        ids
    };
    assert_eq!(filtered_ids("1").await, [one_service, two_services]);
    assert_eq!(filtered_ids("3").await, [two_services]);
    assert_eq!(filtered_ids("1,3").await, [one_service, two_services]);
    assert_eq!(
        filtered_ids("service").await,
        [one_service, two_services],
        "the list must contain each subscription once"
    );
    assert_eq!(filtered_ids("service%203").await, [two_services]);
    assert_eq!(filtered_ids("nothing").await, []);
}

const DAY_SECS: i64 = 86_400;

/// The three contents (45 in all) every ten days.
fn every_ten_days() -> NewSubscription {
    NewSubscription { billing_type: BillingType::Recurring, period_days: Some(10), ..three_contents() }
}

async fn panel_with_recurring(dialect: Dialect) -> (Panel, SubscriptionId) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    // These tests span days, so sessions must last longer.
    panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at * 2, signed_in_at = expires_at * 2, last_used_at = expires_at * 2")).await;
    let id = panel.subscribe(&every_ten_days()).await;
    (panel, id)
}

async fn a_renewal_replaces_the_used_contents(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    let renew_due = async || renew::renew_due(&panel.app).await.unwrap();
    assert_eq!((panel.place_content(id, 1).await, panel.place_content(id, 2).await), (2, 2));
    panel.clock.advance_secs(10 * DAY_SECS - 1);
    assert_eq!(renew_due().await, 0, "the period must not have ended");
    panel.clock.advance_secs(1);
    assert_eq!((renew_due().await, renew_due().await), (1, 0));
    assert_eq!(
        panel.fetch_main_balance(1).await,
        CUSTOMER_DEPOSIT - 75_000_000,
        "the unused content must be refunded"
    );
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!(
        (
            &subscription["contents_limit"],
            &subscription["cost"],
            &subscription["refund_amount"],
            &subscription["period_days"]
        ),
        (&json!(5), &json!("75"), &json!("45"), &json!(10))
    );
    for content_number in 3..=5 {
        assert_eq!(panel.place_content(id, content_number).await, 2);
    }
    assert_eq!(panel.place_content(id, 6).await, 0, "all contents must be used until the next period");
    assert_eq!(panel.fetch_subscription(id).await["status"], "in_processing");
    assert_eq!(panel.post(&format!("/api/v1/admin/subscriptions/{id}/renew"), &json!({})).await.status, 409);
    panel.clock.advance_secs(35 * DAY_SECS);
    assert_eq!(
        (renew_due().await, renew_due().await),
        (1, 0),
        "only one period must be charged after downtime"
    );
    assert_eq!(panel.place_content(id, 6).await, 2);
    assert_eq!(panel.post(&cancel_path(id), &json!({})).await.json()["data"]["refunded"], "30");
    panel.clock.advance_secs(20 * DAY_SECS);
    assert_eq!((renew_due().await, panel.fetch_total_on_hold().await), (0, 0));
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.renewed' AND auditable_id = ?");
    assert_eq!(panel.fetch_number(count_audits_sql.bind(id)).await, 2);
    panel.assert_healthy().await;
}

async fn a_renewal_without_money_pauses_until_it_is_paid(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    for content_number in 1..=3 {
        panel.place_content(id, content_number).await;
    }
    let debit_body = |amount: &str| json!({ "user_id": 1, "transaction_type": "outcome", "amount": amount, "comment": "Test", "balance_type": "main" });
    let amount_to_debit = CUSTOMER_DEPOSIT / 1_000_000 - 45 - 44;
    let payments_path = "/api/v1/admin/payments";
    let debit_response = panel
        .send("owner", "POST", payments_path, &debit_body(&amount_to_debit.to_string()), Some("take"))
        .await;
    assert_eq!(debit_response.status, 200, "{}", debit_response.text);
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!(
        (
            &subscription["status"],
            subscription["paused_at"].is_string(),
            &subscription["next_poll_at"],
            &subscription["actions"]
        ),
        (&json!("in_processing"), true, &Value::Null, &json!({ "cancelable": true, "renewable": true }))
    );
    assert!(subscription["wait_reason"].as_str().unwrap().contains("balance"), "{subscription}");
    let count_emails_sql = Sql::new(
        "SELECT count(*) FROM jobs WHERE payload LIKE '%is paused%c1@shop.example%' OR payload LIKE '%c1@shop.example%is paused%'",
    );
    assert_eq!(panel.fetch_number(count_emails_sql).await, 1, "the customer must get one email");
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    assert_eq!(panel.post(&path, &json!({})).await.status, 422, "too little balance");
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "the server must try again");
    let count_audits_sql =
        Sql::new("SELECT count(*) FROM audits WHERE event = 'subscription.paused' AND auditable_id = ?");
    assert_eq!(
        panel.fetch_number(count_audits_sql.bind(id)).await,
        1,
        "the second failure must not write an audit entry"
    );
    let credit_body = json!({ "user_id": 1, "transaction_type": "income", "amount": "1", "comment": "Test", "balance_type": "main" });
    assert_eq!(panel.send("owner", "POST", payments_path, &credit_body, Some("give")).await.status, 200);
    let balance_before = panel.fetch_main_balance(1).await;
    let dry_run = panel.post(&format!("{path}?dry_run=1"), &json!({})).await.json();
    assert_eq!(
        (&dry_run["charged"], panel.fetch_main_balance(1).await),
        (&json!(Money(balance_before)), balance_before),
        "a dry run must not charge anything"
    );
    let renew_response = panel.post(&path, &json!({})).await;
    assert_eq!(renew_response.status, 200, "{}", renew_response.text);
    let paid_amount = balance_before - panel.fetch_main_balance(1).await;
    assert!(
        paid_amount > 0 && renew_response.json()["charged"] == json!(Money(paid_amount)),
        "{}",
        renew_response.text
    );
    let data = renew_response.json()["data"].clone();
    assert_eq!(
        (&data["paused_at"], data["next_poll_at"].is_string(), &data["wait_reason"]),
        (&Value::Null, true, &Value::Null)
    );
    assert_eq!(panel.fetch_main_balance(1).await, 0);
    assert_eq!(panel.place_content(id, 4).await, 2);
    panel.assert_healthy().await;
}

/// Sets the price of 1,000 of the first service, which is 10 at first.
async fn set_price(panel: &Panel, per_thousand: i64) {
    let sql = Sql::new("UPDATE services SET default_price = ? WHERE id = ?");
    panel.execute(sql.bind(per_thousand * 1_000_000).bind(PLAIN_SERVICE)).await;
}

async fn a_renewal_uses_current_prices(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    for content_number in 1..=2 {
        panel.place_content(id, content_number).await;
    }
    set_price(&panel, 20).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    // Three contents cost 25 each. The 15 that were held for the unused content are subtracted.
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 45_000_000 - 60_000_000);
    let cost_sql = "SELECT CAST(sum(cost) AS BIGINT) FROM subscription_services WHERE subscription_id = ?";
    assert_eq!(panel.fetch_number(Sql::new(cost_sql).bind(id)).await, 25_000_000);
    assert_eq!(panel.fetch_subscription(id).await["refund_amount"], "75");
    panel.place_content(id, 3).await;
    let paid_sql = Sql::new("SELECT CAST(max(cost) AS BIGINT) FROM orders WHERE subscription_id = ?");
    assert_eq!(panel.fetch_number(paid_sql.bind(id)).await, 20_000_000);
    // A renewal also uses a lower price, and a cancellation refunds the remainder.
    set_price(&panel, 1).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(
        panel.fetch_main_balance(1).await,
        CUSTOMER_DEPOSIT - 105_000_000,
        "the held 50 must cover the price of 18"
    );
    panel.place_content(id, 4).await;
    assert_eq!(panel.post(&cancel_path(id), &json!({})).await.json()["data"]["refunded"], "44");
    assert_eq!(panel.fetch_total_on_hold().await, 0);
    panel.assert_healthy().await;
}

async fn a_disabled_service_pauses_only_the_subscriptions_with_it(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    let services = [ServiceQuantity::fixed(SERVICE_WITHOUT_PROVIDER, 500)].to_vec();
    let other_id =
        panel.subscribe(&NewSubscription { services, user_id: UserId::new(2), ..every_ten_days() }).await;
    panel.place_content(id, 1).await;
    panel.place_content(other_id, 1).await;
    panel.execute(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = ?").bind(PLAIN_SERVICE)).await;
    panel.execute(Sql::new("DELETE FROM jobs")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 2);
    let subscription = panel.fetch_subscription(id).await;
    let message = subscription["wait_reason"].as_str().unwrap();
    assert!(message.starts_with(&format!("Service {PLAIN_SERVICE} is not on sale.")), "{message}");
    assert!(subscription["paused_at"].is_string() && subscription["cost"] == "45", "{subscription}");
    assert_eq!(
        panel.fetch_subscription(other_id).await["paused_at"],
        Value::Null,
        "the other subscription must be renewed"
    );
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    let rejection = panel.post(&path, &json!({})).await;
    assert_eq!(rejection.status_and_code(), (422, "service_unsuitable".into()));
    panel.execute(Sql::new("UPDATE services SET is_enabled = TRUE")).await;
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(panel.fetch_subscription(id).await["paused_at"], Value::Null);
    panel.assert_healthy().await;
}

async fn staff_are_notified_of_a_renewal_without_money(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    let clerk_id = panel.create_staff_member("clerk", &[Permission::ViewOrders]).await;
    panel.set_recipients(SUPPORT_PATH, &[clerk_id]).await;
    panel.place_content(id, 1).await;
    panel.execute(Sql::new("DELETE FROM jobs")).await;
    let debit_body = json!({ "user_id": 1, "transaction_type": "outcome", "amount": (CUSTOMER_DEPOSIT / 1_000_000 - 45).to_string(), "comment": "Test", "balance_type": "main" });
    let debit_response =
        panel.send("owner", "POST", "/api/v1/admin/payments", &debit_body, Some("all")).await;
    assert_eq!(debit_response.status, 200, "{}", debit_response.text);
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "the server must try again");
    let emails = panel.queued_emails().await;
    let staff_emails: Vec<_> = emails.iter().filter(|(email, _)| email == "clerk@panel.test").collect();
    assert_eq!(staff_emails.len(), 1, "staff must get one email: {emails:?}");
    assert!(
        staff_emails[0].1["subject"].as_str().unwrap().contains("A subscription is paused"),
        "{emails:?}"
    );
    panel.assert_healthy().await;
}

async fn an_unexpected_error_pauses_the_subscription_until_the_next_day(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    panel.place_content(id, 1).await;
    let balances_before = panel.fetch_balances(1).await;
    // The price quote succeeds, but the write of the renewal fails.
    panel.execute(Sql::new("ALTER TABLE subscription_services RENAME COLUMN cost TO broken_cost")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 0, "the failed renewal must not be due again");
    panel.execute(Sql::new("ALTER TABLE subscription_services RENAME COLUMN broken_cost TO cost")).await;
    let subscription = panel.fetch_subscription(id).await;
    assert!(
        subscription["paused_at"].is_string() && subscription["wait_reason"].is_string(),
        "{subscription}"
    );
    assert_eq!(panel.fetch_balances(1).await, balances_before, "a failed renewal must not charge anything");
    panel.clock.advance_secs(DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1, "the server must try again on the next day");
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!(
        (&subscription["paused_at"], &subscription["wait_reason"]),
        (&Value::Null, &Value::Null),
        "{subscription}"
    );
    panel.assert_healthy().await;
}

async fn staff_cannot_renew_for_a_frozen_customer(dialect: Dialect) {
    let (panel, id) = panel_with_recurring(dialect).await;
    panel.place_content(id, 1).await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    panel.clock.advance_secs(10 * DAY_SECS);
    assert_eq!(renew::renew_due(&panel.app).await.unwrap(), 1);
    let subscription = panel.fetch_subscription(id).await;
    assert_eq!(
        (subscription["paused_at"].is_string(), &subscription["actions"]["renewable"]),
        (true, &json!(false))
    );
    let path = format!("/api/v1/admin/subscriptions/{id}/renew");
    let rejection = panel.post(&path, &json!({})).await;
    assert_eq!(rejection.status_and_code(), (409, "user_not_active".into()));
    assert_eq!(panel.fetch_main_balance(1).await, CUSTOMER_DEPOSIT - 45_000_000);
}

async fn contents_wait_if_their_service_has_a_new_required_target(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.subscribe(&three_contents()).await;
    for sql in [
        "INSERT INTO targets (id, name, target_type_id, created_at, updated_at) SELECT 1, 'Comments', id, 1, 1 FROM target_types WHERE name = 'comment'",
        "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values) SELECT id, 1, 1, 'required', '[]' FROM services",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let mut work = panel.begin_work().await;
    assert!(
        content::place_by_url(&mut work, id, "https://video.example/x").await.is_err(),
        "the required target has no value"
    );
    drop(work);
    let mut work = panel.begin_work().await;
    assert!(
        start(&mut work, &three_contents()).await.is_err(),
        "a new subscription has no value for it either"
    );
    drop(work);
    assert_eq!(panel.fetch_total_on_hold().await, 45_000_000);
    panel.assert_healthy().await;
}
