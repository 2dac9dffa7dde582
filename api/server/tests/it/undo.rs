//! Undo: every action that offers it leaves the whole record as it was before; what moved on meanwhile stays as it is.

use panel_contract::ids::{PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};
use crate::shop::{MODERATED, PLAIN};

both! {
    orders_are_as_they_were;
    users_are_as_they_were;
    what_moved_on_stays;
    requests_are_undone_from_the_last_backwards;
    what_was_sent_stays_and_what_was_not_is_taken_back;
    many_are_restored_each_by_itself;
    who_may_not_do_it_may_not_undo_it;
    an_undo_is_tried_repeated_and_told;
    what_is_final_offers_nothing;
}

const UNDO: &str = "/api/v1/admin/undo";
const ORDERS: [&str; 6] = ["approve", "reject", "activate", "pause", "complete", "cancel"];
const STATUSES: [&str; 6] = ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];

impl Panel {
    /// Everything that a row holds, but when it last changed.
    pub(crate) async fn row(&self, table: &'static str, id: i64) -> Vec<(String, String)> {
        let columns = match self.app.db.dialect() {
            Dialect::Sqlite => Sql::new("SELECT name FROM pragma_table_info(?)").bind(table),
            Dialect::Postgres => {
                Sql::new("SELECT column_name FROM information_schema.columns WHERE table_name = ?")
                    .bind(table)
            }
        };
        let columns: Vec<(String,)> = (&mut &self.app.db).all(columns).await.unwrap();
        let mut row = Vec::new();
        for (column,) in columns.into_iter().filter(|(column,)| column != "updated_at") {
            let sql = format!("SELECT COALESCE(CAST({column} AS TEXT), 'NULL') FROM {table} WHERE id = ?");
            let sql = Sql::new(Box::leak(sql.into_boxed_str())).bind(id);
            row.push((column, (&mut &self.app.db).one::<(String,)>(sql).await.unwrap().0));
        }
        row
    }

    async fn on_order(&self, id: i64, action: &str) -> Answer {
        self.post(&format!("/api/v1/admin/orders/{id}/{action}"), &json!({})).await
    }

    async fn on_user(&self, id: i64, action: &str) -> Answer {
        self.post(&format!("/api/v1/admin/users/{id}/{action}"), &json!({})).await
    }

    async fn undo(&self, answer: &Answer) -> Answer {
        self.post(UNDO, &json!({ "request_id": offered(answer) })).await
    }

    async fn in_moderation(&self, ids: &[i64]) {
        let sql = Sql::new("UPDATE orders SET status = 'in_moderation', approval = 'pending' WHERE id IN ");
        self.exec(sql.numbers(ids.iter().copied())).await;
    }
}

/// The request that an answer says can be undone.
fn offered(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["undo"]["request_id"].clone()
}

async fn orders_are_as_they_were(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 200).await;
    let (mut id, mut undone) = (0, 0);
    for status in STATUSES {
        for approval in [None, Some("pending"), Some("approved"), Some("rejected")] {
            for action in ORDERS {
                id += 1;
                let paid = status != "unpaid";
                let sql = Sql::new("UPDATE orders SET status = ?, approval = ?, is_paid = ? WHERE id = ?");
                panel.exec(sql.bind(status).bind(approval).bind(paid).bind(id)).await;
                let before = panel.row("orders", id).await;
                let answer = panel.on_order(id, action).await;
                if answer.status != 200 || answer.json()["undo"].is_null() {
                    let is_final = matches!(action, "complete" | "cancel") || status == "unpaid";
                    assert!(is_final || answer.status == 409, "{action} {status}: {}", answer.text);
                    continue;
                }
                let case = format!("{action} of {status} {approval:?}");
                assert_ne!(panel.row("orders", id).await, before, "{case}");
                let back = panel.undo(&answer).await;
                assert_eq!(back.status, 200, "{case}: {}", back.text);
                assert_eq!(panel.row("orders", id).await, before, "{case}");
                assert_eq!(panel.undo(&answer).await.json()["code"], "undo_conflict", "{case}: once");
                undone += 1;
            }
        }
    }
    // Pause of 4; approve and reject of 4 each in moderation; of stopped ones approve of 1, activate of 3.
    assert_eq!(undone, 4 + 8 + 4);
}

async fn users_are_as_they_were(dialect: Dialect) {
    let panel = Panel::shop(dialect, 20, 0).await;
    let (mut id, mut undone) = (0, 0);
    for status in ["active", "frozen", "deactivated"] {
        for action in ["freeze", "deactivate", "activate"] {
            id += 1;
            let sql = Sql::new(
                "UPDATE users SET status = ?, frozen_at = CASE WHEN ? THEN 5 END, deactivated_at = CASE WHEN ? THEN 7 END WHERE id = ?",
            );
            let sql = sql.bind(status).bind(status == "frozen").bind(status == "deactivated");
            panel.exec(sql.bind(id)).await;
            let before = panel.row("users", id).await;
            let answer = panel.on_user(id, action).await;
            if answer.status != 200 {
                continue;
            }
            let back = panel.undo(&answer).await;
            assert_eq!(back.status, 200, "{action} of {status}: {}", back.text);
            assert_eq!(panel.row("users", id).await, before, "{action} of {status}");
            undone += 1;
        }
    }
    assert_eq!(undone, 5);
    let alone = json!({ "user_ids": [11, 12], "status": "frozen" });
    let path = "/api/v1/admin/users/bulk-actions";
    let answer = panel.post(path, &alone).await;
    assert_eq!(answer.json()["undo"]["records"], 2);
    assert_eq!(panel.undo(&answer).await.json()["processed"], 2);
    let with_more = json!({ "user_ids": [11, 12], "status": "frozen", "contact_step": null });
    assert!(panel.post(path, &with_more).await.json()["undo"].is_null(), "the rest would stay changed");
}

async fn what_moved_on_stays(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.in_moderation(&[1, 2]).await;
    let rejected = panel.on_order(1, "reject").await;
    panel.on_order(1, "approve").await;
    let refused = panel.undo(&rejected).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (409, &json!("undo_conflict")));
    assert_eq!(panel.order(1).await["status"], "in_processing");
    // The same state once more, but of another request.
    let first = panel.on_order(2, "reject").await;
    panel.undo(&first).await;
    panel.on_order(2, "reject").await;
    assert_eq!(panel.undo(&first).await.status, 409);
    // Money moved.
    let paused = panel.on_order(3, "pause").await;
    panel.exec(Sql::new("UPDATE orders SET refunded = 1 WHERE id = 3")).await;
    assert_eq!(panel.undo(&paused).await.status, 409);
    let frozen = panel.on_user(2, "freeze").await;
    panel.on_user(2, "deactivate").await;
    assert_eq!(panel.undo(&frozen).await.status, 409);
}

async fn requests_are_undone_from_the_last_backwards(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.in_moderation(&[1]).await;
    let first = panel.row("orders", 1).await;
    let approved = panel.on_order(1, "approve").await;
    let second = panel.row("orders", 1).await;
    let paused = panel.on_order(1, "pause").await;
    let third = panel.row("orders", 1).await;
    let activated = panel.on_order(1, "activate").await;
    for earlier in [&approved, &paused] {
        assert_eq!(panel.undo(earlier).await.json()["code"], "undo_conflict", "a later change stands");
    }
    for (answer, before) in [(&activated, third), (&paused, second), (&approved, first)] {
        let back = panel.undo(answer).await;
        assert_eq!(back.status, 200, "{}", back.text);
        assert_eq!(panel.row("orders", 1).await, before);
        assert_eq!(panel.undo(answer).await.json()["code"], "undo_conflict", "once");
    }
    // A change after an undo is undone like any other, and what was undone stays so.
    let rejected = panel.on_order(1, "reject").await;
    assert_eq!(panel.undo(&approved).await.status, 409);
    assert_eq!(panel.undo(&rejected).await.status, 200);
    assert_eq!(panel.undo(&rejected).await.status, 409);
}

async fn what_was_sent_stays_and_what_was_not_is_taken_back(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.in_moderation(&[1, 2]).await;
    let [unsent, sent] = [panel.on_order(1, "approve").await, panel.on_order(2, "approve").await];
    let attempts = "INSERT INTO external_panel_orders (id, order_id, provider_id, status, initial_quantity, due_at, created_at, updated_at)
      SELECT id, id, 1, 'Creating', quantity, 1, 1, 1 FROM orders WHERE id <= 2";
    panel.exec(Sql::new(attempts)).await;
    panel.exec(Sql::new("UPDATE external_panel_orders SET sent_at = 1 WHERE order_id = 2")).await;
    panel.exec(Sql::new("UPDATE orders SET quantity_for_full_fill = 660 WHERE id = 1")).await;
    assert_eq!(panel.undo(&unsent).await.status, 200);
    assert_eq!(panel.order(1).await["quantity_for_full_fill"], Value::Null, "the dispatcher had noted it");
    assert_eq!(panel.order(1).await["status"], "in_moderation");
    let ended = "SELECT count(*) FROM external_panel_orders WHERE order_id = 1 AND status = 'Canceled' AND due_at IS NULL";
    assert_eq!(panel.number(Sql::new(ended)).await, 1);
    assert_eq!(panel.undo(&sent).await.json()["code"], "undo_conflict");
    assert_eq!(panel.order(2).await["status"], "in_processing");
}

async fn many_are_restored_each_by_itself(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    let body = json!({ "order_ids": [1, 2, 3, 404] });
    let answer = panel.post("/api/v1/admin/orders/pause", &body).await;
    assert_eq!(answer.json()["undo"]["records"], 3);
    panel.on_order(2, "cancel").await;
    let outcome = panel.undo(&answer).await.json();
    assert_eq!((&outcome["processed"], &outcome["skipped"][0]["id"]), (&json!(2), &json!(2)));
    assert_eq!(outcome["skipped"][0]["code"], "undo_conflict");
    for (id, status) in [(1, "in_processing"), (2, "canceled"), (3, "in_processing")] {
        assert_eq!(panel.order(id).await["status"], status);
    }
    panel.assert_healthy().await;
}

async fn who_may_not_do_it_may_not_undo_it(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.staff("reader", &[Permission::ViewOrders]).await;
    panel.staff("clerk", &[Permission::ManageOrders, Permission::ViewOrders]).await;
    let answer = panel.on_order(1, "pause").await;
    let body = json!({ "request_id": offered(&answer) });
    let refused = panel.send("reader", "POST", UNDO, &body, None).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("manage orders"), "{}", refused.text);
    assert_eq!(panel.order(1).await["status"], "stopped");
    assert_eq!(panel.send("clerk", "POST", UNDO, &body, None).await.status, 200, "a colleague may");
    let frozen = panel.on_user(1, "freeze").await;
    let body = json!({ "request_id": offered(&frozen) });
    assert_eq!(panel.send("clerk", "POST", UNDO, &body, None).await.status, 403);
}

async fn an_undo_is_tried_repeated_and_told(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    panel.in_moderation(&[1]).await;
    let body = json!({ "order_ids": [1] });
    let tried = panel.post("/api/v1/admin/orders/reject?dry_run=1", &body).await;
    assert_eq!(tried.json()["undo"]["records"], 1, "said before it is done");
    assert_eq!(panel.undo(&tried).await.json()["code"], "nothing_to_undo");
    let rejected = panel.send("owner", "POST", "/api/v1/admin/orders/1/reject", &json!({}), Some("k1")).await;
    let again = panel.send("owner", "POST", "/api/v1/admin/orders/1/reject", &json!({}), Some("k1")).await;
    assert_eq!(offered(&again), offered(&rejected), "a replay offers the same");
    let body = json!({ "request_id": offered(&rejected) });
    let tried = panel.post(&format!("{UNDO}?dry_run=1"), &body).await.json();
    assert_eq!((&tried["processed"], &tried["dry_run"]), (&json!(1), &json!(true)));
    assert_eq!((&tried["totals"]["orders"], &tried["totals"]["users"]), (&json!(1), &json!(0)));
    let frozen = panel.on_user(2, "freeze").await;
    let back = panel.undo(&frozen).await.json();
    assert_eq!((&back["processed"], &back["totals"]["orders"]), (&json!(1), &json!(0)));
    assert_eq!(back["totals"]["users"], 1, "a user is no order");
    assert_eq!(panel.order(1).await["status"], "stopped");
    for _ in 0..2 {
        let back = panel.send("owner", "POST", UNDO, &body, Some("k2")).await;
        assert_eq!((back.status.as_u16(), &back.json()["processed"]), (200, &json!(1)));
        assert!(back.json()["undo"].is_null());
    }
    let order = panel.order(1).await;
    assert_eq!((&order["status"], &order["approval"]), (&json!("in_moderation"), &json!("pending")));
    let sql = Sql::new(
        "SELECT old_values, new_values FROM audits WHERE event = 'order.rejected.undone' AND auditable_id = 1",
    );
    let (old, new): (String, String) = (&mut &panel.app.db).one(sql).await.unwrap();
    let [old, new]: [Value; 2] = [old.parse().unwrap(), new.parse().unwrap()];
    assert_eq!(old, json!({ "status": "stopped", "approval": "rejected" }));
    assert_eq!(new, json!({ "status": "in_moderation", "approval": "pending" }));
    panel.assert_healthy().await;
}

async fn what_is_final_offers_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 20).await;
    let new = NewOrder {
        pays: vec![BalanceType::Referral],
        ..NewOrder::plain(UserId::new(4), PLAIN, "https://video.example/u", 1000)
    };
    let unpaid = panel.place(&new).await.id;
    panel.on_order(1, "pause").await;
    let body = json!({ "order_ids": [unpaid, 1] });
    let charged = panel.post("/api/v1/admin/orders/activate", &body).await;
    assert_eq!(charged.json()["undo"]["records"], 1, "the charge is final: {}", charged.text);
    assert_eq!(panel.undo(&charged).await.json()["processed"], 1);
    assert_eq!(panel.order(unpaid).await["status"], "in_processing");
    let mut work = panel.work().await;
    let combo = NewCombo {
        user_id: UserId::new(1),
        url: "https://photo.example/p/1".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN, 1_000), (MODERATED, 500)],
        targets: Default::default(),
        is_moderated: true,
    };
    let id = buy(&mut work, &combo).await.unwrap();
    work.finish(()).await.unwrap();
    let approved = panel.post(&format!("/api/v1/admin/combo-orders/{id}/approve"), &json!({})).await;
    assert!(
        approved.status == 200 && approved.json()["undo"].is_null(),
        "its orders follow it: {}",
        approved.text
    );
}
