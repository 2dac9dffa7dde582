//! Combo orders: their orders follow them, money goes back once, and they are counted.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{ComboOrderId, PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{ABANDONED, DEPOSIT, EARNED, MODERATED, PLAIN};

both! {
    its_orders_follow;
    a_reject_gives_the_money_back;
    one_that_moved_on_stays;
    approving_leaves_rejected_orders_alone;
    it_completes_with_its_last_order;
    its_orders_are_moderated_one_by_one;
    all_are_canceled_while_in_moderation;
    all_are_canceled_while_in_processing;
    all_are_rejected_while_in_moderation;
    a_rejected_order_keeps_it_open;
    an_undone_approval_takes_it_back;
    two_last_orders_end_side_by_side;
    approve_against_reject;
    buying_is_all_or_nothing;
}

/// Three orders at 10, 5 and 1.
fn pack() -> NewCombo {
    NewCombo {
        user_id: UserId::new(1),
        url: "https://photo.example/p/1".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN, 1_000), (MODERATED, 500), (ABANDONED, 100)],
        targets: std::collections::BTreeMap::new(),
        is_moderated: true,
    }
}

impl Panel {
    async fn combo(&self, new: &NewCombo) -> ComboOrderId {
        let mut work = self.work().await;
        let id = buy(&mut work, new).await.unwrap();
        work.finish(id).await.unwrap()
    }

    async fn on_combo(&self, id: impl std::fmt::Display, action: &str) -> Answer {
        self.post(&format!("/api/v1/admin/combo-orders/{id}/{action}"), &json!({})).await
    }

    /// Statuses of its orders, in the order of their ids.
    async fn parts(&self, id: ComboOrderId) -> Vec<String> {
        let orders = self.get(&format!("/api/v1/admin/orders?combo_order_id={id}&order[0][column]=0&order[0][dir]=asc&columns[0][data]=id")).await.json();
        let rows = orders["data"].as_array().unwrap();
        rows.iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect()
    }

    async fn first_of(&self, id: ComboOrderId) -> i64 {
        self.number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await
    }

    async fn on_part(&self, order: i64, action: &str) -> Answer {
        let answer = self.post(&format!("/api/v1/admin/orders/{order}/{action}"), &json!({})).await;
        assert_eq!(answer.status, 200, "{action} {order}: {}", answer.text);
        answer
    }

    async fn stands(&self, id: ComboOrderId) -> String {
        let rows = self.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        rows["data"][0]["status"].as_str().unwrap().to_owned()
    }

    async fn to_moderate(&self) -> Value {
        self.get("/api/v1/admin/combo-orders/in-moderation-count").await.json()["count"].clone()
    }
}

async fn its_orders_follow(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.staff("reader", &[Permission::ViewOrders]).await;
    let id = panel.combo(&pack()).await;
    assert_eq!(
        (panel.parts(id).await, panel.to_moderate().await),
        (vec!["in_moderation".to_owned(); 3], json!(1))
    );
    assert_eq!(panel.balances(1).await, (DEPOSIT - 16_000_000, EARNED, 16_000_000));
    for action in ["approve", "reject", "complete"] {
        let path = format!("/api/v1/admin/combo-orders/{id}/{action}");
        assert_eq!(panel.send("reader", "POST", &path, &json!({}), None).await.status, 403);
    }
    let early = panel.on_combo(id, "complete").await;
    assert_eq!((early.status.as_u16(), &early.json()["code"]), (409, &json!("combo_order_not_completable")));
    let tried = panel.on_combo(id, "approve?dry_run=1").await;
    assert_eq!((tried.status.as_u16(), panel.to_moderate().await), (200, json!(1)));
    let approved = panel.on_combo(id, "approve").await.json();
    assert_eq!(
        (&approved["data"]["status"], &approved["data"]["cost"]),
        (&json!("in_processing"), &json!("16"))
    );
    assert_eq!(
        (panel.parts(id).await, panel.to_moderate().await),
        (vec!["in_processing".to_owned(); 3], json!(0))
    );
    assert_eq!(panel.on_combo(id, "approve").await.json()["code"], "combo_order_not_approvable");
    let done = panel.on_combo(id, "complete").await.json();
    assert_eq!(
        (&done["data"]["status"], done["data"]["completed_at"].is_string()),
        (&json!("completed"), true)
    );
    assert_eq!(panel.parts(id).await, vec!["completed"; 3]);
    assert_eq!(panel.on_combo(id, "reject").await.status, 409);
    assert_eq!(panel.on_combo(99, "approve").await.status, 404);
    panel.assert_healthy().await;
}

async fn a_reject_gives_the_money_back(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let tried = panel.on_combo(id, "reject?dry_run=1").await.json();
    assert_eq!((&tried["data"]["returned"], panel.balances(1).await.2), (&json!("16"), 16_000_000));
    let rejected = panel.on_combo(id, "reject").await.json();
    assert_eq!(
        (&rejected["data"]["status"], &rejected["data"]["returned"]),
        (&json!("canceled"), &json!("16"))
    );
    assert_eq!(
        (panel.parts(id).await, panel.balances(1).await),
        (vec!["canceled".to_owned(); 3], (DEPOSIT, EARNED, 0))
    );
    assert_eq!(panel.on_combo(id, "reject").await.status, 409);
    assert_eq!(panel.balances(1).await.0, DEPOSIT, "once");
    panel.assert_healthy().await;
}

/// Staff canceled one of the orders before: the others follow, and its money goes back no second time.
async fn one_that_moved_on_stays(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    panel.post(&format!("/api/v1/admin/orders/{first}/cancel"), &json!({ "return_money": true })).await;
    assert_eq!(panel.balances(1).await.2, 6_000_000);
    panel.on_combo(id, "approve").await;
    assert_eq!(panel.parts(id).await, ["canceled", "in_processing", "in_processing"]);
    panel.on_combo(id, "complete").await;
    assert_eq!(panel.parts(id).await, ["canceled", "completed", "completed"]);
    assert_eq!(panel.balances(1).await, (DEPOSIT - 6_000_000, EARNED, 6_000_000));
    panel.assert_healthy().await;
}

/// Staff rejected one of the orders: approving the whole does not send it out after all.
async fn approving_leaves_rejected_orders_alone(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    panel.post(&format!("/api/v1/admin/orders/{first}/reject"), &json!({})).await;
    assert_eq!(panel.on_combo(id, "approve").await.status, 200);
    assert_eq!(panel.parts(id).await, ["stopped", "in_processing", "in_processing"]);
    assert_eq!(panel.order(first).await["approval"], "rejected");
    panel.assert_healthy().await;
}

async fn it_completes_with_its_last_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    panel.on_combo(id, "approve").await;
    let first = panel.number(Sql::new("SELECT min(id) FROM orders WHERE combo_order_id = ?").bind(id)).await;
    let status =
        Sql::new("SELECT count(*) FROM combo_orders WHERE status = 'completed' AND completed_at IS NOT NULL");
    for (order, action, completed) in
        [(first, "complete", 0), (first + 1, "cancel", 0), (first + 2, "complete", 1)]
    {
        let answer = panel.post(&format!("/api/v1/admin/orders/{order}/{action}"), &json!({})).await;
        assert_eq!((answer.status.as_u16(), panel.number(status.clone()).await), (200, completed), "{order}");
    }
    let noted = "SELECT count(*) FROM audits WHERE event = 'combo_order.completed'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
    assert_eq!(panel.on_combo(id, "complete").await.status, 409);
    panel.assert_healthy().await;
}

/// Approved, rejected and completed one by one, many at once as well, it leaves moderation and the count with the last.
async fn its_orders_are_moderated_one_by_one(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.first_of(id).await;
    panel.on_part(first, "approve").await;
    assert_eq!((panel.stands(id).await, panel.to_moderate().await), ("in_moderation".to_owned(), json!(1)));
    panel.on_part(first, "complete").await;
    let tried = panel
        .post("/api/v1/admin/orders/reject?dry_run=1", &json!({ "order_ids": [first + 1, first + 2] }))
        .await;
    assert_eq!((tried.status.as_u16(), panel.to_moderate().await), (200, json!(1)));
    panel.post("/api/v1/admin/orders/reject", &json!({ "order_ids": [first + 1, first + 2] })).await;
    assert_eq!((panel.stands(id).await, panel.to_moderate().await), ("in_processing".to_owned(), json!(0)));
    let refused = panel.on_combo(id, "reject").await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (409, &json!("combo_order_not_rejectable"))
    );
    assert_eq!(panel.parts(id).await, ["completed", "stopped", "stopped"], "what was delivered stays");
    let noted =
        "SELECT count(*) FROM audits WHERE event = 'combo_order.approved' AND auditable_type = 'combo_order'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
    // A rejected order has not ended: staff cancel it.
    panel.on_part(first + 1, "cancel").await;
    assert_eq!(panel.stands(id).await, "in_processing");
    panel.on_part(first + 2, "cancel").await;
    assert_eq!(panel.stands(id).await, "completed");
    panel.assert_healthy().await;
}

async fn all_are_canceled_while_in_moderation(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.first_of(id).await;
    let body = json!({ "order_ids": [first, first + 1, first + 2], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.status, 200);
    let shown = panel.get("/api/v1/admin/combo-orders").await.json()["data"][0].clone();
    assert_eq!(
        (&shown["status"], shown["canceled_at"].is_string(), &shown["completed_at"]),
        (&json!("canceled"), true, &Value::Null)
    );
    assert_eq!((panel.to_moderate().await, panel.balances(1).await.0), (json!(0), DEPOSIT));
    let noted = "SELECT count(*) FROM audits WHERE event = 'combo_order.canceled'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
    panel.assert_healthy().await;
}

async fn all_are_canceled_while_in_processing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    panel.on_combo(id, "approve").await;
    let first = panel.first_of(id).await;
    let body = json!({ "order_ids": [first, first + 1, first + 2], "return_money": true });
    assert_eq!(panel.post("/api/v1/admin/orders/cancel", &body).await.status, 200);
    assert_eq!((panel.stands(id).await, panel.balances(1).await.0), ("canceled".to_owned(), DEPOSIT));
    panel.assert_healthy().await;
}

/// Nothing of it was approved, so it stays in moderation: rejecting it returns the money, and approving one of its orders
/// approves it. Approving the whole revives no order that staff rejected.
async fn all_are_rejected_while_in_moderation(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for is_rejected in [true, false] {
        let id = panel.combo(&pack()).await;
        let first = panel.first_of(id).await;
        for order in first..first + 3 {
            panel.on_part(order, "reject").await;
            assert_eq!(panel.stands(id).await, "in_moderation");
        }
        let shown = panel.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        let flags = json!({ "approvable": false, "rejectable": true, "completable": false });
        assert_eq!((&shown["data"][0]["actions"], panel.to_moderate().await), (&flags, json!(1)));
        let approved = panel.on_combo(id, "approve").await;
        assert_eq!(approved.says(), (409, "combo_order_not_approvable".into()));
        assert_eq!(panel.parts(id).await, ["stopped"; 3]);
        if is_rejected {
            assert_eq!(panel.on_combo(id, "reject").await.json()["data"]["status"], "canceled");
            assert_eq!(
                (panel.parts(id).await, panel.balances(1).await.0),
                (vec!["canceled".into(); 3], DEPOSIT)
            );
        } else {
            panel.on_part(first, "approve").await;
            assert_eq!(panel.parts(id).await, ["in_processing", "stopped", "stopped"]);
            assert_eq!(panel.stands(id).await, "in_processing");
        }
        assert_eq!(panel.to_moderate().await, json!(0));
    }
    panel.assert_healthy().await;
}

/// Completing is final: an order that was rejected keeps its money, so staff decide about it first.
async fn a_rejected_order_keeps_it_open(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.first_of(id).await;
    panel.on_part(first, "reject").await;
    panel.on_combo(id, "approve").await;
    let completable = async || {
        let shown = panel.get(&format!("/api/v1/admin/combo-orders?id={id}")).await.json();
        shown["data"][0]["actions"]["completable"].clone()
    };
    assert_eq!(completable().await, false);
    let refused = panel.on_combo(id, "complete").await;
    assert_eq!(refused.says(), (409, "combo_order_has_undecided_orders".into()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&format!(": {first}.")), "{message}");
    assert_eq!(panel.parts(id).await, ["stopped", "in_processing", "in_processing"]);
    let cancel = json!({ "return_money": true });
    panel.post(&format!("/api/v1/admin/orders/{first}/cancel"), &cancel).await;
    assert_eq!(completable().await, true);
    assert_eq!(panel.on_combo(id, "complete").await.status, 200);
    assert_eq!(panel.parts(id).await, ["canceled", "completed", "completed"]);
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 6_000_000);
    panel.assert_healthy().await;
}

/// Undoing the approval of one order takes the combo order back to moderation; one that staff completed meanwhile keeps
/// its orders as they are.
async fn an_undone_approval_takes_it_back(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.combo(&pack()).await;
    let first = panel.first_of(id).await;
    let mut approved = Vec::new();
    for order in first..first + 3 {
        approved.push(panel.on_part(order, "approve").await.json()["undo"].clone());
    }
    let undo = async |offer: &Value| {
        panel.post("/api/v1/admin/undo", &json!({ "request_id": offer["request_id"] })).await.status.as_u16()
    };
    assert_eq!(panel.stands(id).await, "in_processing");
    assert_eq!(undo(&approved[2]).await, 200);
    assert_eq!((panel.stands(id).await, panel.to_moderate().await), ("in_moderation".to_owned(), json!(1)));
    let noted = "SELECT count(*) FROM audits WHERE event = 'combo_order.approved.undone'";
    assert_eq!(panel.number(Sql::new(noted)).await, 1);
    let rejected = panel.on_part(first + 2, "reject").await.json()["undo"].clone();
    let completed = "UPDATE combo_orders SET status = ?, completed_at = CASE WHEN ? THEN 1 END WHERE id = ?";
    let put = async |status: &'static str| {
        let sql = Sql::new(completed).bind(status).bind(status == "completed").bind(id);
        panel.exec(sql).await;
    };
    put("completed").await;
    assert_eq!(undo(&rejected).await, 409, "the combo order ended");
    put("in_processing").await;
    assert_eq!(undo(&rejected).await, 200);
    assert_eq!(panel.parts(id).await, ["in_processing", "in_processing", "in_moderation"]);
    assert_eq!(panel.stands(id).await, "in_moderation");
    panel.assert_healthy().await;
}

async fn two_last_orders_end_side_by_side(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    for _ in 0..5 {
        let id = panel.combo(&NewCombo { parts: vec![(PLAIN, 100), (PLAIN, 100)], ..pack() }).await;
        panel.on_combo(id, "approve").await;
    }
    let last = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    let ends = (last - 9..=last).map(|order| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            panel.post(&format!("/api/v1/admin/orders/{order}/complete"), &json!({})).await.status.as_u16()
        })
    });
    for ended in join_all(ends).await {
        assert_eq!(ended.unwrap(), 200);
    }
    let open = "SELECT count(*) FROM combo_orders WHERE status <> 'completed'";
    assert_eq!(panel.number(Sql::new(open)).await, 0);
    panel.assert_healthy().await;
}

/// Four approve and four reject each of ten: exactly one of them wins.
async fn approve_against_reject(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    let mut ids = Vec::new();
    for user_id in (1..=5).cycle().take(10) {
        ids.push(panel.combo(&NewCombo { user_id: UserId::new(user_id), ..pack() }).await);
    }
    let tries = ids.iter().flat_map(|id| (0..8).map(|nth| (*id, nth))).map(|(id, nth)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let action = if nth % 2 == 0 { "approve" } else { "reject" };
            (action, panel.on_combo(id, action).await.status.as_u16())
        })
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    for lot in answers.chunks(8) {
        assert_eq!(lot.iter().filter(|(_, status)| *status == 200).count(), 1, "{lot:?}");
        assert!(lot.iter().all(|(_, status)| matches!(status, 200 | 409)), "{lot:?}");
    }
    let rejected = answers.iter().filter(|answer| **answer == ("reject", 200)).count();
    let refunds =
        panel.number(Sql::new("SELECT count(*) FROM ledger_txns WHERE kind = 'order_refund'")).await;
    assert_eq!(refunds, i64::try_from(rejected).unwrap() * 3);
    panel.assert_healthy().await;
}

async fn buying_is_all_or_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let mut work = panel.work().await;
    let dear = NewCombo { parts: vec![(PLAIN, 1_000_000); 15], ..pack() };
    let refused = buy(&mut work, &dear).await.unwrap_err().report("test");
    drop(work);
    assert_eq!(refused.code, "not_enough_balance");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 0);
    let plain = panel.combo(&NewCombo { parts: vec![(PLAIN, 100)], is_moderated: false, ..pack() }).await;
    assert_eq!(panel.parts(plain).await, ["in_processing"]);
    panel.assert_healthy().await;
}
