//! Actions on one order: in which state each is allowed, what it charges and refunds, and what the audit trail records.

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{OrderId, RecordId, ServiceId, UserId};
use panel_contract::payments::{BalanceType, PaymentType};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, Val};
use panel_platform::ledger::{self, Account, Posting, PostingCause};
use panel_platform::sql;
use panel_server::operations::orders::place::NewOrder;
use panel_server::pricing::quote::{PriceChange, PriceModifier};
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::{CUSTOMER_DEPOSIT, MODERATED_SERVICE, PLAIN_SERVICE, SERVICE_WITHOUT_PROVIDER};

test_both_databases! {
    each_action_is_allowed_only_in_its_states;
    a_cancel_refunds_exactly_the_undelivered_part;
    rejects_an_invalid_cancel_request;
    a_refund_returns_to_the_balances_that_paid_and_reverses_the_commission;
    an_unpaid_order_is_charged_once;
    an_order_of_an_inactive_customer_is_not_charged;
    an_unpaid_order_has_no_revenue;
    single_and_bulk_activation_report_the_charge_of_the_ledger;
    placing_an_order_applies_moderation_modifiers_and_limits;
    an_expensive_unpaid_order_also_needs_moderation;
    edits_are_validated_and_recorded_in_the_audit_trail;
    changing_the_provider_sends_only_the_undelivered_part;
    refills_require_a_completed_order_with_a_refill_guarantee;
    returns_statistics_of_days_weeks_and_months;
    staff_with_read_permission_cannot_act_on_orders;
}

const STATUSES: [&str; 6] = ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];

/// The status and approval after an allowed action, or `None` if the server responds with 409. The test repeats the rules of the
/// server, so that a change of a rule fails the test.
fn expected_state_after(
    action: &str,
    status: &str,
    rejected: bool,
) -> Option<(&'static str, Option<&'static str>)> {
    let approval = if rejected { Some("rejected") } else { None };
    match (action, status) {
        ("approve", "in_moderation") => Some(("in_processing", Some("approved"))),
        ("approve", "stopped") if rejected => Some(("in_processing", Some("approved"))),
        ("reject", "in_moderation") => Some(("stopped", Some("rejected"))),
        ("activate", "stopped") if !rejected => Some(("in_processing", None)),
        ("activate", "unpaid") => Some(("in_processing", approval)),
        ("pause", "in_processing") => Some(("stopped", approval)),
        ("complete", "in_processing") => Some(("completed", approval)),
        ("complete", "stopped") if !rejected => Some(("completed", None)),
        ("cancel", "unpaid" | "in_moderation" | "in_processing" | "stopped") => Some(("canceled", approval)),
        _ => None,
    }
}

const ACTIONS: [(&str, &str, &str); 6] = [
    ("approve", "approvable", "order_not_approvable"),
    ("reject", "rejectable", "order_not_rejectable"),
    ("activate", "activable", "order_not_activable"),
    ("pause", "pausable", "order_not_pausable"),
    ("complete", "completable", "order_not_completable"),
    ("cancel", "cancelable", "order_not_cancelable"),
];

fn action_path(id: impl std::fmt::Display, action: &str) -> String {
    format!("/api/v1/admin/orders/{id}/{action}")
}

/// An order that stays unpaid, because the customer's referral balance is empty.
fn unpaid_order(service: ServiceId) -> NewOrder {
    NewOrder {
        paying_balances: vec![BalanceType::Referral],
        ..NewOrder::without_options(UserId::new(4), service, "https://video.example/u", 1000)
    }
}

impl Panel {
    /// Writes a state directly into the database, without the actions that lead to the state.
    async fn set_order_state(&self, id: OrderId, status: &str, approval: Option<&str>) {
        let sql = sql!(
            "UPDATE orders SET status = @status, approval = @approval, completed_at = CASE WHEN @is_completed THEN 1 END, \
               canceled_at = CASE WHEN @is_canceled THEN 1 END WHERE id = @id",
            { status, approval, is_completed: status == "completed", is_canceled: status == "canceled", id },
        );
        assert_eq!(self.execute(sql).await, 1);
    }

    /// Creates an unpaid order for the status `unpaid`, else changes the shop's order `paid_order_id`. Returns the id.
    async fn order_in_state(&self, paid_order_id: i64, status: &str, approval: Option<&str>) -> OrderId {
        let id = match status {
            "unpaid" => self.place_order(&unpaid_order(PLAIN_SERVICE)).await.id,
            _ => OrderId::new(paid_order_id),
        };
        self.set_order_state(id, status, approval).await;
        id
    }

    async fn act(&self, id: impl std::fmt::Display, action: &str, body: Value) -> TestResponse {
        self.post(&action_path(id, action), &body).await
    }

    /// The sum of the charges for these orders in the ledger.
    async fn fetch_charged(&self, orders: &[OrderId]) -> Money {
        let sql = Sql::new(
            "SELECT CAST(COALESCE(-sum(e.amount), 0) AS BIGINT) FROM ledger_entries e JOIN ledger_txns t ON t.id = e.txn_id
             WHERE t.kind = 'order_charge' AND e.user_id IS NOT NULL AND e.order_id IN ",
        );
        Money(self.fetch_number(sql.ids(orders)).await)
    }

    async fn count_audits_of_order(&self, id: impl Into<Val>) -> i64 {
        self.fetch_number(
            Sql::new("SELECT count(*) FROM audits WHERE auditable_type = 'order' AND auditable_id = ?")
                .bind(id),
        )
        .await
    }
}

async fn each_action_is_allowed_only_in_its_states(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 200).await;
    let mut paid_order_id = 0;
    for status in STATUSES {
        for approval in [None, Some("rejected")] {
            for (action, flag, code) in ACTIONS {
                paid_order_id += 1;
                let id = panel.order_in_state(paid_order_id, status, approval).await;
                let audit_count_before = panel.count_audits_of_order(id).await;
                let expected_state = expected_state_after(action, status, approval.is_some());
                let order_before = panel.fetch_order(id).await;
                assert_eq!(
                    order_before["actions"][flag],
                    Value::Bool(expected_state.is_some()),
                    "{action} {status} {approval:?}"
                );
                let response = panel.act(id, action, json!({})).await;
                match expected_state {
                    Some((status, approval)) => {
                        assert_eq!(response.status, 200, "{action}: {}", response.text);
                        let order = &response.json()["data"];
                        assert_eq!(
                            (&order["status"], &order["approval"]),
                            (&json!(status), &json!(approval)),
                            "{action}"
                        );
                        assert_eq!(panel.count_audits_of_order(id).await, audit_count_before + 1);
                        assert_eq!(order["completed_at"].is_null(), status != "completed");
                    }
                    None => assert_action_rejected(&response, code, status, &panel.fetch_order(id).await),
                }
            }
        }
    }
    assert_eq!(panel.act(999_999, "cancel", json!({})).await.status, 404);
}

fn assert_action_rejected(response: &TestResponse, code: &str, status: &str, order: &Value) {
    assert_eq!(response.status, 409, "{}", response.text);
    let problem = response.json();
    assert_eq!(problem["code"], code);
    let message = problem["message"].as_str().unwrap();
    assert!(message.contains(&status.replace('_', " ")), "{message}");
    assert!(message.contains("allowed actions: ") || message.contains("this status is final"), "{message}");
    assert_eq!(order["status"], status);
}

async fn a_cancel_refunds_exactly_the_undelivered_part(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 50).await;
    // Order 4 costs 5 and belongs to user 1 + 4 × 7919 % 5 = 2; half of it is delivered.
    let balances_before = panel.fetch_balances(2).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 250 WHERE id = 4")).await;
    let refund_amount = panel.get("/api/v1/admin/orders/4/refund-amount").await.json();
    assert_eq!(refund_amount["data"]["amount"], "2.5");
    let dry_run_response =
        panel.post(&(action_path(4, "cancel") + "?dry_run=1"), &json!({ "return_money": true })).await;
    assert_eq!(
        (dry_run_response.status.as_u16(), &dry_run_response.json()["data"]["refunded"]),
        (200, &json!("2.5"))
    );
    assert_eq!(panel.fetch_balances(2).await, balances_before);
    let body = json!({ "return_money": true, "cancel_reason": "other", "cancel_description": " gone " });
    let order = panel.act(4, "cancel", body).await.json()["data"].clone();
    assert_eq!((&order["refunded"], &order["refund_amount"]), (&json!("2.5"), &json!("0")));
    assert_eq!(order["refund_payments"][0]["amount"], "2.5");
    assert_eq!(order["refund_payments"][0]["admin"]["name"], "owner");
    assert_eq!((&order["cancel_reason"], &order["cancel_description"]), (&json!("other"), &json!("gone")));
    let balances_after = panel.fetch_balances(2).await;
    assert_eq!(
        balances_after,
        (balances_before.0 + 2_500_000, balances_before.1, balances_before.2 - 2_500_000)
    );
    let second_cancel_response = panel.act(4, "cancel", json!({ "return_money": true })).await;
    assert_eq!(
        (second_cancel_response.status.as_u16(), &second_cancel_response.json()["code"]),
        (409, &json!("order_not_cancelable"))
    );
    // A cancel with an explicit amount, a cancel without a refund, and a cancel of a delivered order.
    assert_eq!(
        panel.act(3, "cancel", json!({ "return_money": true, "amount": "0.000001" })).await.status,
        200
    );
    assert_eq!(panel.act(2, "cancel", json!({})).await.json()["data"]["refunded"], "0");
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 9999 WHERE id = 1")).await;
    assert_eq!(panel.act(1, "cancel", json!({ "return_money": true })).await.json()["data"]["refunded"], "0");
    panel.assert_healthy().await;
    let count_mail_jobs_sql = |id: i64| {
        Sql::new("SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%Order ' || CAST(? AS TEXT) || ' was%'").bind(id)
    };
    assert_eq!(
        (panel.fetch_number(count_mail_jobs_sql(4)).await, panel.fetch_number(count_mail_jobs_sql(3)).await),
        (1, 1)
    );
    panel.act(5, "cancel", json!({ "send_email_notification": false })).await;
    assert_eq!(panel.fetch_number(count_mail_jobs_sql(5)).await, 0);
}

async fn rejects_an_invalid_cancel_request(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    let long_string = "x".repeat(2_001);
    for (body, field, code) in [
        (json!({ "amount": "1" }), "amount", "amount_without_return"),
        (json!({ "return_money": true, "amount": "0" }), "amount", "amount_not_positive"),
        (json!({ "return_money": true, "amount": "-1" }), "amount", "amount_not_positive"),
        (json!({ "return_money": true, "amount": "5.000001" }), "amount", "amount_exceeds_paid"),
        (json!({ "return_money": true, "amount": "1e3" }), "amount", "invalid"),
        (json!({ "return_money": true, "amount": 1.5 }), "amount", "invalid"),
        (json!({ "return_money": "yes" }), "return_money", "invalid"),
        (json!({ "cancel_reason": "other" }), "cancel_description", "description_required"),
        (
            json!({ "cancel_reason": "other", "cancel_description": "  " }),
            "cancel_description",
            "description_required",
        ),
        (json!({ "cancel_reason": "boredom" }), "cancel_reason", "invalid"),
        (json!({ "cancel_description": long_string }), "cancel_description", "description_too_long"),
        (json!({ "order": 1 }), "order", "invalid"),
    ] {
        let response = panel.act(4, "cancel", body.clone()).await;
        assert_eq!(response.status, 422, "{body}: {}", response.text);
        let problem = response.json();
        assert!(problem["errors"][field].is_array(), "{body}: {problem}");
        assert_eq!(problem["code"], code, "{body}");
    }
    assert_eq!(
        (panel.fetch_order(4).await["status"].as_str(), panel.count_audits_of_order(4).await),
        (Some("in_processing"), 0)
    );
    let reasons = panel.get("/api/v1/admin/orders/cancel-reasons").await.json();
    assert!(
        reasons
            .as_array()
            .unwrap()
            .iter()
            .any(|reason| reason["type"] == "other" && reason["label"].is_string())
    );
}

/// Two balances paid the order, and a referrer earned a commission for the order. The refund is split between the two balances, and
/// the referrer loses the same share of the commission.
async fn a_refund_returns_to_the_balances_that_paid_and_reverses_the_commission(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    // Order 10 costs 1 (half main, half task) and belongs to user 1, whom user 3 referred.
    let balances_before = panel.fetch_balances(1).await;
    let mut work = panel.begin_work().await;
    let ledger_legs = vec![
        (Account::User(UserId::new(3), BalanceType::Referral), Money(50_000)),
        (Account::ReferralExpense, Money(-50_000)),
    ];
    let posting = Posting {
        cause: PostingCause {
            kind: "order_commission",
            ref_type: "order",
            ref_id: RecordId::new(10),
            seq: 0,
        },
        kind: PaymentType::Referral,
        order_id: Some(OrderId::new(10)),
        payment_method_id: None,
        comment: None,
        legs: ledger_legs,
        spent_change: None,
        cap_at_balance: false,
    };
    ledger::post(&mut work, vec![posting.clone()]).await.unwrap();
    work.finish(()).await.unwrap();
    let mut work = panel.begin_work().await;
    let duplicate_error = ledger::post(&mut work, vec![posting]).await.unwrap_err().report("");
    assert_eq!((duplicate_error.kind.status(), duplicate_error.code), (409, "already_posted"));
    drop(work);
    let response = panel.act(10, "cancel", json!({ "return_money": true, "amount": "0.600001" })).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let balances_after = panel.fetch_balances(1).await;
    // The refund is split in proportion. The remaining millionth goes to the larger share, or to the first of two equal shares.
    assert_eq!(
        (
            balances_after.0 - balances_before.0,
            balances_after.1 - balances_before.1,
            balances_after.2 - balances_before.2
        ),
        (300_001, 300_000, -600_001)
    );
    let referral_balance =
        panel.fetch_number(Sql::new("SELECT balance_referral FROM users WHERE id = 3")).await;
    assert_eq!(referral_balance, 50_000 - 30_000);
    panel.assert_healthy().await;
}

async fn an_unpaid_order_is_charged_once(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    let placed_order = panel.place_order(&unpaid_order(PLAIN_SERVICE)).await;
    assert_eq!((placed_order.status.as_str(), placed_order.cost), ("unpaid", Money(10_000_000)));
    let balances_before = panel.fetch_balances(4).await;
    let dry_run = panel.act(placed_order.id, "activate?dry_run=1", json!({})).await.json();
    assert_eq!((&dry_run["charged"], &dry_run["undo"]), (&json!("10"), &Value::Null));
    assert_eq!(panel.fetch_balances(4).await, balances_before, "a dry run must not charge anything");
    let response = panel.act(placed_order.id, "activate", json!({})).await.json();
    assert_eq!(response["charged"], json!(panel.fetch_charged(&[placed_order.id]).await));
    let order = response["data"].clone();
    assert_eq!((&order["status"], &order["is_paid"]), (&json!("in_processing"), &json!(true)));
    assert_eq!(order["order_balance_payments"], json!([{ "amount": "10", "balance_type": "main" }]));
    assert_eq!(
        panel.fetch_balances(4).await,
        (balances_before.0 - 10_000_000, balances_before.1, balances_before.2 + 10_000_000)
    );
    let second_activation_response = panel.act(placed_order.id, "activate", json!({})).await;
    assert_eq!(
        (second_activation_response.status.as_u16(), &second_activation_response.json()["code"]),
        (409, &json!("order_not_activable"))
    );
    let moderated_order = panel.place_order(&unpaid_order(MODERATED_SERVICE)).await;
    let order = panel.act(moderated_order.id, "activate", json!({})).await.json()["data"].clone();
    assert_eq!((&order["status"], &order["approval"]), (&json!("in_moderation"), &json!("pending")));
    let expensive_order =
        panel.place_order(&NewOrder { quantity: 1_000_000, ..unpaid_order(PLAIN_SERVICE) }).await;
    let withdrawal_body = json!({ "user_id": 4, "transaction_type": "outcome", "amount": Money(CUSTOMER_DEPOSIT - 30_000_000), "balance_type": "main" });
    assert_eq!(
        panel.send("owner", "POST", "/api/v1/admin/payments", &withdrawal_body, Some("drain")).await.status,
        200
    );
    let response = panel.act(expensive_order.id, "activate", json!({})).await;
    assert_eq!(response.status, 422, "{}", response.text);
    assert!(response.json()["errors"]["balance"].is_array(), "{}", response.text);
    let order =
        panel.act(expensive_order.id, "cancel", json!({ "return_money": true })).await.json()["data"].clone();
    assert_eq!((&order["status"], &order["refunded"]), (&json!("canceled"), &json!("0")));
    panel.assert_healthy().await;
}

/// A frozen or deactivated customer cannot order, so the server does not charge an order that waits for payment either.
async fn an_order_of_an_inactive_customer_is_not_charged(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let unpaid_id = panel.place_order(&unpaid_order(PLAIN_SERVICE)).await.id;
    let other_id =
        panel.place_order(&NewOrder { user_id: UserId::new(3), ..unpaid_order(PLAIN_SERVICE) }).await.id;
    let balances_before = panel.fetch_balances(4).await;
    for action in ["freeze", "deactivate"] {
        let action_path = format!("/api/v1/admin/users/4/{action}");
        assert_eq!(panel.post(&action_path, &json!({})).await.status, 200, "{action}");
        let flags = panel.fetch_order(unpaid_id).await["actions"].clone();
        assert_eq!((&flags["activable"], &flags["cancelable"]), (&json!(false), &json!(true)), "{action}");
        let rejection = panel.act(unpaid_id, "activate", json!({})).await;
        assert_eq!(rejection.status_and_code(), (409, "user_not_active".into()), "{action}");
    }
    let order_list = panel.get("/api/v1/admin/orders?user.id=4").await.json();
    assert_eq!(order_list["data"][0]["actions"]["activable"], false);
    let body = json!({ "order_ids": [unpaid_id, other_id] });
    let bulk_response = panel.post("/api/v1/admin/orders/activate", &body).await.json();
    assert_eq!((&bulk_response["processed"], &bulk_response["totals"]["charged"]), (&json!(1), &json!("10")));
    assert_eq!(
        (&bulk_response["skipped"][0]["id"], &bulk_response["skipped"][0]["code"]),
        (&json!(unpaid_id), &json!("user_not_active"))
    );
    assert_eq!(
        (panel.fetch_balances(4).await, panel.fetch_charged(&[unpaid_id]).await),
        (balances_before, Money::ZERO)
    );
    panel.post("/api/v1/admin/users/4/activate", &json!({})).await;
    assert_eq!(panel.act(unpaid_id, "activate", json!({})).await.json()["charged"], "10");
    panel.assert_healthy().await;
}

/// The customer was not charged, so the order has no revenue while it is unpaid and after it is canceled.
async fn an_unpaid_order_has_no_revenue(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 1).await;
    let id = panel.place_order(&unpaid_order(PLAIN_SERVICE)).await.id;
    let fetch_margins = async |search: &str| {
        let column_query = format!("columns[0][data]=margin_percent&columns[0][search][value]={search}");
        let order_query = "order[0][column]=0&order[0][dir]=asc";
        let list = panel.get(&format!("/api/v1/admin/orders?{column_query}&{order_query}")).await.json();
        let rows = list["data"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| (row["id"].as_i64().unwrap(), row["margin_percent"].clone()))
            .collect::<Vec<_>>()
    };
    let paid_order = panel.fetch_order(1).await;
    assert_eq!(
        paid_order["revenue"], paid_order["cost"],
        "the revenue of a paid order must equal its charge"
    );
    for action in ["", "cancel"] {
        if !action.is_empty() {
            panel.act(id, action, json!({})).await;
        }
        let order = panel.fetch_order(id).await;
        assert_eq!((&order["revenue"], &order["margin_percent"]), (&json!("0"), &Value::Null), "{action}");
        let margin = paid_order["margin_percent"].clone();
        assert_eq!(fetch_margins("0..1000").await, [(1, margin)], "{action}");
        assert!(fetch_margins("").await.contains(&(id.get(), Value::Null)), "{action}");
    }
    panel.execute(Sql::new("UPDATE orders SET provider_cost = 2000000 WHERE id = ?").bind(id)).await;
    let order = panel.fetch_order(id).await;
    assert_eq!((&order["revenue"], &order["margin_percent"]), (&json!("-2"), &Value::Null));
}

/// A single activation, a bulk activation and a dry run report the charge that the ledger contains. Activating an order
/// that is already paid charges nothing.
async fn single_and_bulk_activation_report_the_charge_of_the_ledger(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    let quantities = [500, 700, 900];
    let mut ids = Vec::new();
    for quantity in quantities {
        ids.push(panel.place_order(&NewOrder { quantity, ..unpaid_order(PLAIN_SERVICE) }).await.id);
    }
    panel.act(1, "pause", json!({})).await;
    let stopped_order_response = panel.act(1, "activate?dry_run=1", json!({})).await.json();
    assert_eq!(
        (&stopped_order_response["charged"], &stopped_order_response["undo"]["records"]),
        (&json!("0"), &json!(1))
    );
    let body = json!({ "order_ids": [ids[1], 1, ids[2], 404] });
    let bulk_path = "/api/v1/admin/orders/activate";
    let dry_run = panel.post(&format!("{bulk_path}?dry_run=1"), &body).await.json();
    assert_eq!((&dry_run["totals"]["charged"], &dry_run["processed"]), (&json!("16"), &json!(3)));
    assert_eq!(panel.fetch_charged(&ids).await, Money::ZERO);
    let bulk_response = panel.post(bulk_path, &body).await.json();
    assert_eq!(bulk_response["totals"]["charged"], json!(panel.fetch_charged(&ids[1..]).await));
    assert_eq!(bulk_response["totals"]["charged"], dry_run["totals"]["charged"]);
    let single_response = panel.act(ids[0], "activate", json!({})).await.json();
    assert_eq!(
        (&single_response["charged"], json!(panel.fetch_charged(&ids[..1]).await)),
        (&json!("5"), json!("5"))
    );
    panel.assert_healthy().await;
}

async fn placing_an_order_applies_moderation_modifiers_and_limits(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let order_of = |service, quantity| {
        NewOrder::without_options(UserId::new(1), service, "https://video.example/p", quantity)
    };
    assert_eq!(panel.place_order(&order_of(MODERATED_SERVICE, 100)).await.status.as_str(), "in_moderation");
    let order_without_provider = panel.place_order(&order_of(SERVICE_WITHOUT_PROVIDER, 100)).await;
    assert_eq!(panel.fetch_order(order_without_provider.id).await["has_no_active_providers"], true);
    let modifier = PriceModifier {
        id: Some(RecordId::new(7)),
        name: "Autumn".into(),
        kind: "discount".into(),
        change: PriceChange::ByFraction(Fraction(-333_333)),
        is_speedup: false,
        is_country_restricted: false,
    };
    let paying_balances = vec![BalanceType::Task, BalanceType::Main];
    let quantity = 150_000;
    panel.execute(Sql::new("INSERT INTO targets (id, name, target_type_id, created_at, updated_at) VALUES (1, 'Keyword', 4, 1, 1)")).await;
    panel.execute(Sql::new("INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (1, 1, 1, 'optional')")).await;
    let targets = vec![("Keyword".to_owned(), "cats".to_owned())];
    let placed_order = panel
        .place_order(&NewOrder {
            modifiers: vec![modifier],
            paying_balances,
            targets,
            ..order_of(PLAIN_SERVICE, quantity)
        })
        .await;
    // 1,500 minus a third, rounded up to cents: 1,000.01. The task balance holds 1,000, so the main balance pays 0.01.
    assert_eq!(placed_order.cost, Money(1_000_010_000));
    let order = panel.fetch_order(placed_order.id).await;
    assert_eq!(order["price_modifications"][0]["cost_diff"], "-499.99");
    assert_eq!(order["targetable_values"], json!([{ "name": "Keyword", "value": "cats" }]));
    let payments =
        json!([{ "amount": "0.01", "balance_type": "main" }, { "amount": "1000", "balance_type": "task" }]);
    assert_eq!(order["order_balance_payments"], payments);
    panel.execute(Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('maximal_order_cost_without_approval_required', '\"5\"', 1)")).await;
    assert_eq!(panel.place_order(&order_of(PLAIN_SERVICE, 500)).await.status.as_str(), "in_processing");
    assert_eq!(panel.place_order(&order_of(PLAIN_SERVICE, 501)).await.status.as_str(), "in_moderation");
    let free_order = panel.place_order(&NewOrder { is_free: true, ..order_of(PLAIN_SERVICE, 1_000) }).await;
    assert_eq!((free_order.cost, free_order.status.as_str()), (Money::ZERO, "in_processing"));
    assert_eq!(panel.act(free_order.id, "cancel", json!({ "return_money": true })).await.status, 200);
    for (invalid_order, field) in [
        (order_of(PLAIN_SERVICE, 99), "quantity"),
        (order_of(PLAIN_SERVICE, 1_000_001), "quantity"),
        (NewOrder { url: "javascript:alert(1)".into(), ..order_of(PLAIN_SERVICE, 100) }, "url"),
        (NewOrder { url: String::new(), ..order_of(PLAIN_SERVICE, 100) }, "url"),
        (order_of(ServiceId::new(99), 100), "service_id"),
    ] {
        let mut work = panel.begin_work().await;
        let error =
            panel_server::operations::orders::place::place(&mut work, &invalid_order).await.unwrap_err();
        assert!(error.report("").errors.0.contains_key(field), "{invalid_order:?}");
    }
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 1")).await;
    let mut work = panel.begin_work().await;
    let error = panel_server::operations::orders::place::place(&mut work, &order_of(PLAIN_SERVICE, 100))
        .await
        .unwrap_err();
    assert_eq!(error.report("").code, "user_not_active");
    drop(work);
    panel.assert_healthy().await;
}

async fn edits_are_validated_and_recorded_in_the_audit_trail(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    let order = panel.act(1, "change-url", json!({ "url": " https://video.example/new " })).await.json();
    assert_eq!(order["data"]["url"], "https://video.example/new");
    assert_eq!(
        panel.act(1, "update-comment", json!({ "comment": "<b>x</b>" })).await.json()["data"]["comment"],
        "<b>x</b>"
    );
    assert_eq!(
        panel.act(1, "update-comment", json!({ "comment": " " })).await.json()["data"]["comment"],
        Value::Null
    );
    assert_eq!(
        panel.act(1, "set-has-refill", json!({ "has_refill": true })).await.json()["data"]["has_refill"],
        true
    );
    let auto_refill_body = json!({ "auto_refill_is_allowed": true });
    assert_eq!(
        panel.act(1, "set-auto-refill-is-allowed", auto_refill_body).await.json()["data"]["auto_refill_is_allowed"],
        true
    );
    assert_eq!(panel.count_audits_of_order(1).await, 5);
    for invalid_url in
        ["", "video.example", "ftp://video.example/x", "javascript:alert(1)", "https://", "https://a b"]
    {
        let response = panel.act(1, "change-url", json!({ "url": invalid_url })).await;
        assert_eq!(response.status, 422, "{invalid_url}: {}", response.text);
    }
    let long_body = json!({ "comment": "x".repeat(5_001) });
    assert_eq!(panel.act(1, "update-comment", long_body).await.status, 422);
    panel.act(1, "complete", json!({})).await;
    let rejection = panel.act(1, "change-url", json!({ "url": "https://video.example/late" })).await;
    assert_eq!((rejection.status.as_u16(), &rejection.json()["code"]), (409, &json!("order_not_editable")));
    assert_eq!(panel.act(1, "set-has-refill", json!({ "has_refill": false })).await.status, 200);
}

async fn changing_the_provider_sends_only_the_undelivered_part(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    panel.execute(Sql::new("UPDATE orders SET current_quantity = 60 WHERE id = 1")).await;
    let provider_change_body =
        |provider: i64, ids: Value| json!({ "provider_id": provider, "order_ids": ids });
    let url = "/api/v1/admin/orders/change-provider";
    let result = panel.post(url, &provider_change_body(1, json!([1, 77, 1]))).await.json();
    assert_eq!((&result["processed"], &result["skipped"][0]["code"]), (&json!(1), &json!("not_found")));
    panel.post(url, &provider_change_body(1, json!([1]))).await;
    let attempts = panel.fetch_order(1).await["external_panel_orders"].clone();
    assert_eq!((&attempts[0]["status"], &attempts[0]["initial_quantity"]), (&json!("Creating"), &json!(140)));
    assert!(attempts[0]["cancel_requested_at"].is_null() && attempts[1]["cancel_requested_at"].is_string());
    let disabled_provider_response = panel.post(url, &provider_change_body(2, json!([1]))).await;
    assert!(
        disabled_provider_response.status == 422
            && disabled_provider_response.json()["errors"]["provider_id"].is_array(),
        "{}",
        disabled_provider_response.text
    );
    panel.act(2, "complete", json!({})).await;
    let unprocessed_response = panel.post(url, &provider_change_body(1, json!([2, 99]))).await;
    assert_eq!(
        (unprocessed_response.status.as_u16(), &unprocessed_response.json()["code"]),
        (422, &json!("nothing_processed"))
    );
    panel.act(1, "cancel", json!({})).await;
    let count_not_canceled_sql =
        "SELECT count(*) FROM external_panel_orders WHERE order_id = 1 AND cancel_requested_at IS NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_not_canceled_sql)).await, 0);
}

async fn refills_require_a_completed_order_with_a_refill_guarantee(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    let url = "/api/v1/admin/orders/1/order-refill-requests";
    let fetch_refillable = async || panel.fetch_order(1).await["actions"]["refillable"].clone();
    assert_eq!(panel.post(url, &json!({ "quantity": 5 })).await.json()["code"], "order_not_refillable");
    panel.act(1, "complete", json!({})).await;
    assert_eq!(panel.post(url, &json!({ "quantity": 5 })).await.json()["code"], "order_without_refill");
    let flags = panel.fetch_order(1).await["actions"].clone();
    assert_eq!((&flags["refill_switchable"], &flags["editable"]), (&json!(true), &json!(false)));
    assert_eq!(fetch_refillable().await, false);
    panel.act(1, "set-has-refill", json!({ "has_refill": true })).await;
    assert_eq!(fetch_refillable().await, true);
    assert_eq!(panel.post(url, &json!({ "quantity": 0 })).await.status, 422);
    assert_eq!(panel.post(url, &json!({ "quantity": 5 })).await.json()["data"]["status"], "pending");
    assert_eq!(panel.get(url).await.json()["data"].as_array().unwrap().len(), 1);
    let url = "/api/v1/admin/orders/1/auto-refill-params";
    let patch = json!({ "drop_quantity": 20, "broken_pipes": true });
    let auto_refill_params = panel.send("owner", "PATCH", url, &patch, None).await.json()["data"].clone();
    assert_eq!(
        (&auto_refill_params["drop_quantity"], &auto_refill_params["broken_pipes"]),
        (&json!(20), &json!(true))
    );
    assert_eq!(panel.send("owner", "PATCH", url, &json!({ "drop_quantity": -1 }), None).await.status, 422);
    assert_eq!(panel.get(url).await.json()["data"]["drop_quantity"], 20);
}

async fn returns_statistics_of_days_weeks_and_months(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 100).await;
    panel.act(4, "cancel", json!({ "return_money": true })).await;
    let action_path = |query: &str| format!("/api/v1/admin/orders/statistics?{query}");
    // All orders of the shop were created on 2026-11-18.
    let weeks = panel.get(&action_path("groupBy=week&startDate=2026-11-02&endDate=2026-11-20")).await.json();
    let weeks = weeks["data"].as_array().unwrap();
    assert_eq!((&weeks[2]["quantity"], &weeks[2]["provider_cost"]), (&json!(30_000), &json!("0")));
    assert_eq!(weeks.iter().map(|row| row["orders"].as_i64().unwrap()).collect::<Vec<_>>(), [0, 0, 100]);
    assert_eq!((&weeks[2]["date"], &weeks[2]["cost"]), (&json!("2026-11-16"), &json!("300")));
    assert_eq!(
        (&weeks[2]["refunded"], &weeks[2]["revenue"], &weeks[2]["canceled"]),
        (&json!("5"), &json!("295"), &json!(1))
    );
    assert_eq!(panel.get(&action_path("")).await.json()["data"].as_array().unwrap().len(), 30);
    assert_unpaid_orders_have_no_revenue(&panel).await;
    let months = panel
        .get(&action_path("groupBy=month&startDate=2026-01-15&endDate=2026-11-20&orders=1,2,4"))
        .await
        .json();
    let months = months["data"].as_array().unwrap();
    assert_eq!((months.len(), &months[10]["orders"], &months[10]["cost"]), (11, &json!(3), &json!("10")));
    for invalid_query in [
        "groupBy=year",
        "startDate=2026-12-01&endDate=2026-11-01",
        "startDate=1900-01-01",
        "orders=1,x",
        "startDate=x",
    ] {
        assert_eq!(panel.get(&action_path(invalid_query)).await.status, 422, "{invalid_query}");
    }
    assert_eq!(
        panel.get("/api/v1/admin/orders/promotable-statistics?order=4").await.json()["data"],
        json!([])
    );
}

/// The statistics count the quantity of an unpaid order, but not the cost and the revenue: for all orders and for selected orders,
/// canceled or not. A paid order counts in full.
async fn assert_unpaid_orders_have_no_revenue(panel: &Panel) {
    let [unpaid_id, canceled_id] = [
        panel.place_order(&unpaid_order(PLAIN_SERVICE)).await.id,
        panel.place_order(&unpaid_order(PLAIN_SERVICE)).await.id,
    ];
    panel.execute(Sql::new("UPDATE orders SET provider_cost = 1500000 WHERE id IN (1, 2)")).await;
    panel.act(canceled_id, "cancel", json!({})).await;
    let fetch_week = async |orders_parameter: &str| {
        let query = format!("groupBy=week&startDate=2026-11-16&endDate=2026-11-20{orders_parameter}");
        let rows = panel.get(&format!("/api/v1/admin/orders/statistics?{query}")).await.json();
        ["orders", "quantity", "cost", "provider_cost", "revenue"].map(|name| rows["data"][0][name].clone())
    };
    let both_orders_parameter = format!("&orders={unpaid_id},{canceled_id}");
    // The hundred orders of the shop have 30,000 units and cost 300, of which 5 were refunded.
    let expected_totals = [json!(102), json!(32_000), json!("300"), json!("3"), json!("292")];
    assert_eq!(fetch_week("").await, expected_totals);
    assert_eq!(
        fetch_week(&both_orders_parameter).await,
        [json!(2), json!(2_000), json!("0"), json!("0"), json!("0")]
    );
    panel.act(unpaid_id, "activate", json!({})).await;
    let expected_totals = [json!(102), json!(32_000), json!("310"), json!("3"), json!("302")];
    assert_eq!(fetch_week("").await, expected_totals);
    assert_eq!(
        fetch_week(&both_orders_parameter).await,
        [json!(2), json!(2_000), json!("10"), json!("0"), json!("10")]
    );
    panel.assert_healthy().await;
}

async fn staff_with_read_permission_cannot_act_on_orders(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 10).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    let order = panel.get_as("reader", "/api/v1/admin/orders/1", "*/*").await.json();
    assert!(order["data"]["actions"].as_object().unwrap().values().all(|flag| flag == false));
    for (action, _, _) in ACTIONS {
        let response = panel.send("reader", "POST", &action_path(1, action), &json!({}), None).await;
        assert_eq!(
            (response.status.as_u16(), &response.json()["code"]),
            (403, &json!("forbidden")),
            "{action}"
        );
    }
    let body = json!({ "order_ids": [1] });
    assert_eq!(panel.send("reader", "POST", "/api/v1/admin/orders/cancel", &body, None).await.status, 403);
}

async fn an_expensive_unpaid_order_also_needs_moderation(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.save_settings(json!({ "maximal_order_cost_without_approval_required": "9.99" })).await;
    let expensive_order = panel.place_order(&unpaid_order(PLAIN_SERVICE)).await.id;
    let cheap_order = panel.place_order(&NewOrder { quantity: 500, ..unpaid_order(PLAIN_SERVICE) }).await.id;
    let body = json!({ "order_ids": [expensive_order, cheap_order] });
    assert_eq!(panel.post("/api/v1/admin/orders/activate", &body).await.json()["processed"], 2);
    let status_and_approval = async |id: OrderId| {
        let order = panel.fetch_order(id).await;
        (order["status"].clone(), order["approval"].clone())
    };
    assert_eq!(status_and_approval(expensive_order).await, (json!("in_moderation"), json!("pending")));
    assert_eq!(status_and_approval(cheap_order).await, (json!("in_processing"), Value::Null));
    panel.assert_healthy().await;
}
