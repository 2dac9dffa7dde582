//! Undo restores the whole record. It is rejected after a later change of the record.

use panel_contract::ids::{PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::operations::combo_orders::buy::{NewCombo, buy};
use panel_server::operations::orders::place::NewOrder;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};
use crate::shop::{MODERATED_SERVICE, PLAIN_SERVICE};

test_both_databases! {
    an_undo_restores_an_order;
    an_undo_restores_a_user;
    an_undo_is_rejected_after_a_later_change;
    requests_must_be_undone_from_the_last_to_the_first;
    an_approval_can_be_undone_until_the_order_is_sent;
    a_bulk_undo_restores_each_record_independently;
    an_undo_needs_the_permission_of_the_action;
    an_undo_supports_dry_runs_replays_and_the_audit_trail;
    a_final_action_offers_no_undo;
}

const UNDO_PATH: &str = "/api/v1/admin/undo";
const ORDER_ACTIONS: [&str; 6] = ["approve", "reject", "activate", "pause", "complete", "cancel"];
const STATUSES: [&str; 6] = ["in_processing", "in_moderation", "completed", "stopped", "canceled", "unpaid"];

impl Panel {
    /// All columns of a row except `updated_at`, as texts.
    pub(crate) async fn load_row(&self, table: &'static str, id: i64) -> Vec<(String, String)> {
        let columns = match self.app.db.dialect() {
            Dialect::Sqlite => Sql::new("SELECT name FROM pragma_table_info(?)").bind(table),
            Dialect::Postgres => {
                Sql::new("SELECT column_name FROM information_schema.columns WHERE table_name = ?")
                    .bind(table)
            }
        };
        let columns: Vec<(String,)> = (&mut &self.app.db).fetch_all(columns).await.unwrap();
        let mut row = Vec::new();
        for (column,) in columns.into_iter().filter(|(column,)| column != "updated_at") {
            let sql = format!("SELECT COALESCE(CAST({column} AS TEXT), 'NULL') FROM {table} WHERE id = ?");
            let sql = Sql::new(Box::leak(sql.into_boxed_str())).bind(id);
            row.push((column, (&mut &self.app.db).fetch_one::<(String,)>(sql).await.unwrap().0));
        }
        row
    }

    async fn post_order_action(&self, id: i64, action: &str) -> TestResponse {
        self.post(&format!("/api/v1/admin/orders/{id}/{action}"), &json!({})).await
    }

    async fn post_user_action(&self, id: i64, action: &str) -> TestResponse {
        self.post(&format!("/api/v1/admin/users/{id}/{action}"), &json!({})).await
    }

    async fn undo_request(&self, response: &TestResponse) -> TestResponse {
        self.post(UNDO_PATH, &json!({ "request_id": undoable_request_id(response) })).await
    }

    async fn put_in_moderation(&self, ids: &[i64]) {
        let sql = Sql::new("UPDATE orders SET status = 'in_moderation', approval = 'pending' WHERE id IN ");
        self.execute(sql.numbers(ids.iter().copied())).await;
    }
}

/// The id of the request that can be undone with this response.
fn undoable_request_id(response: &TestResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["undo"]["request_id"].clone()
}

async fn an_undo_restores_an_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 200).await;
    let (mut id, mut undo_count) = (0, 0);
    for status in STATUSES {
        for approval in [None, Some("pending"), Some("approved"), Some("rejected")] {
            for action in ORDER_ACTIONS {
                id += 1;
                let is_paid = status != "unpaid";
                let sql = Sql::new("UPDATE orders SET status = ?, approval = ?, is_paid = ? WHERE id = ?");
                panel.execute(sql.bind(status).bind(approval).bind(is_paid).bind(id)).await;
                let before = panel.load_row("orders", id).await;
                let response = panel.post_order_action(id, action).await;
                if response.status != 200 || response.json()["undo"].is_null() {
                    let is_final = matches!(action, "complete" | "cancel") || status == "unpaid";
                    assert!(is_final || response.status == 409, "{action} {status}: {}", response.text);
                    continue;
                }
                let label = format!("{action} of {status} {approval:?}");
                assert_ne!(panel.load_row("orders", id).await, before, "{label}");
                let undo_response = panel.undo_request(&response).await;
                assert_eq!(undo_response.status, 200, "{label}: {}", undo_response.text);
                assert_eq!(panel.load_row("orders", id).await, before, "{label}");
                assert_eq!(
                    panel.undo_request(&response).await.json()["code"],
                    "undo_conflict",
                    "{label}: an undo works only once"
                );
                undo_count += 1;
            }
        }
    }
    // In processing: pause with 4 approvals. In moderation: approve and reject with 4 each. Stopped: approve 1, activate 3.
    assert_eq!(undo_count, 4 + 8 + 4);
}

async fn an_undo_restores_a_user(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 20, 0).await;
    let (mut id, mut undo_count) = (0, 0);
    for status in ["active", "frozen", "deactivated"] {
        for action in ["freeze", "deactivate", "activate"] {
            id += 1;
            let sql = Sql::new(
                "UPDATE users SET status = ?, frozen_at = CASE WHEN ? THEN 5 END, deactivated_at = CASE WHEN ? THEN 7 END WHERE id = ?",
            );
            let sql = sql.bind(status).bind(status == "frozen").bind(status == "deactivated");
            panel.execute(sql.bind(id)).await;
            let before = panel.load_row("users", id).await;
            let response = panel.post_user_action(id, action).await;
            if response.status != 200 {
                continue;
            }
            let undo_response = panel.undo_request(&response).await;
            assert_eq!(undo_response.status, 200, "{action} of {status}: {}", undo_response.text);
            assert_eq!(panel.load_row("users", id).await, before, "{action} of {status}");
            undo_count += 1;
        }
    }
    assert_eq!(undo_count, 5);
    let status_only_body = json!({ "user_ids": [11, 12], "status": "frozen" });
    let path = "/api/v1/admin/users/bulk-actions";
    let response = panel.post(path, &status_only_body).await;
    assert_eq!(response.json()["undo"]["records"], 2);
    assert_eq!(panel.undo_request(&response).await.json()["processed"], 2);
    let status_and_step_body = json!({ "user_ids": [11, 12], "status": "frozen", "contact_step": null });
    assert!(
        panel.post(path, &status_and_step_body).await.json()["undo"].is_null(),
        "an undo would not restore the contact step"
    );
}

async fn an_undo_is_rejected_after_a_later_change(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.put_in_moderation(&[1, 2]).await;
    let rejected = panel.post_order_action(1, "reject").await;
    panel.post_order_action(1, "approve").await;
    let rejection = panel.undo_request(&rejected).await;
    assert_eq!((rejection.status.as_u16(), &rejection.json()["code"]), (409, &json!("undo_conflict")));
    assert_eq!(panel.fetch_order(1).await["status"], "in_processing");
    // The order has the same state again, but another request wrote it.
    let first_rejection = panel.post_order_action(2, "reject").await;
    panel.undo_request(&first_rejection).await;
    panel.post_order_action(2, "reject").await;
    assert_eq!(panel.undo_request(&first_rejection).await.status, 409);
    // The order was refunded in part.
    let paused = panel.post_order_action(3, "pause").await;
    panel.execute(Sql::new("UPDATE orders SET refunded = 1 WHERE id = 3")).await;
    assert_eq!(panel.undo_request(&paused).await.status, 409);
    let frozen = panel.post_user_action(2, "freeze").await;
    panel.post_user_action(2, "deactivate").await;
    assert_eq!(panel.undo_request(&frozen).await.status, 409);
}

async fn requests_must_be_undone_from_the_last_to_the_first(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.put_in_moderation(&[1]).await;
    let before_approval = panel.load_row("orders", 1).await;
    let approved = panel.post_order_action(1, "approve").await;
    let before_pause = panel.load_row("orders", 1).await;
    let paused = panel.post_order_action(1, "pause").await;
    let before_activation = panel.load_row("orders", 1).await;
    let activated = panel.post_order_action(1, "activate").await;
    for earlier in [&approved, &paused] {
        assert_eq!(
            panel.undo_request(earlier).await.json()["code"],
            "undo_conflict",
            "the record has a later change"
        );
    }
    for (response, before) in
        [(&activated, before_activation), (&paused, before_pause), (&approved, before_approval)]
    {
        let undo_response = panel.undo_request(response).await;
        assert_eq!(undo_response.status, 200, "{}", undo_response.text);
        assert_eq!(panel.load_row("orders", 1).await, before);
        assert_eq!(
            panel.undo_request(response).await.json()["code"],
            "undo_conflict",
            "an undo works only once"
        );
    }
    // A change after an undo can be undone too, and the former undo cannot be repeated.
    let rejected = panel.post_order_action(1, "reject").await;
    assert_eq!(panel.undo_request(&approved).await.status, 409);
    assert_eq!(panel.undo_request(&rejected).await.status, 200);
    assert_eq!(panel.undo_request(&rejected).await.status, 409);
}

async fn an_approval_can_be_undone_until_the_order_is_sent(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.put_in_moderation(&[1, 2]).await;
    let [unsent, sent] =
        [panel.post_order_action(1, "approve").await, panel.post_order_action(2, "approve").await];
    let insert_attempts_sql = "INSERT INTO external_panel_orders (id, order_id, provider_id, status, initial_quantity, due_at, created_at, updated_at)
      SELECT id, id, 1, 'Creating', quantity, 1, 1, 1 FROM orders WHERE id <= 2";
    panel.execute(Sql::new(insert_attempts_sql)).await;
    panel.execute(Sql::new("UPDATE external_panel_orders SET sent_at = 1 WHERE order_id = 2")).await;
    panel.execute(Sql::new("UPDATE orders SET quantity_for_full_fill = 660 WHERE id = 1")).await;
    assert_eq!(panel.undo_request(&unsent).await.status, 200);
    assert_eq!(
        panel.fetch_order(1).await["quantity_for_full_fill"],
        Value::Null,
        "the undo must clear the quantity of the dispatcher"
    );
    assert_eq!(panel.fetch_order(1).await["status"], "in_moderation");
    let count_canceled_attempts_sql = "SELECT count(*) FROM external_panel_orders WHERE order_id = 1 AND status = 'Canceled' AND due_at IS NULL";
    assert_eq!(panel.fetch_number(Sql::new(count_canceled_attempts_sql)).await, 1);
    assert_eq!(panel.undo_request(&sent).await.json()["code"], "undo_conflict");
    assert_eq!(panel.fetch_order(2).await["status"], "in_processing");
}

async fn a_bulk_undo_restores_each_record_independently(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    let body = json!({ "order_ids": [1, 2, 3, 404] });
    let response = panel.post("/api/v1/admin/orders/pause", &body).await;
    assert_eq!(response.json()["undo"]["records"], 3);
    panel.post_order_action(2, "cancel").await;
    let outcome = panel.undo_request(&response).await.json();
    assert_eq!((&outcome["processed"], &outcome["skipped"][0]["id"]), (&json!(2), &json!(2)));
    assert_eq!(outcome["skipped"][0]["code"], "undo_conflict");
    for (id, status) in [(1, "in_processing"), (2, "canceled"), (3, "in_processing")] {
        assert_eq!(panel.fetch_order(id).await["status"], status);
    }
    panel.assert_healthy().await;
}

async fn an_undo_needs_the_permission_of_the_action(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.create_staff("reader", &[Permission::ViewOrders]).await;
    panel.create_staff("clerk", &[Permission::ManageOrders, Permission::ViewOrders]).await;
    let response = panel.post_order_action(1, "pause").await;
    let body = json!({ "request_id": undoable_request_id(&response) });
    let rejection = panel.send("reader", "POST", UNDO_PATH, &body, None).await;
    assert_eq!(rejection.status, 403);
    assert!(rejection.text.contains("manage orders"), "{}", rejection.text);
    assert_eq!(panel.fetch_order(1).await["status"], "stopped");
    assert_eq!(
        panel.send("clerk", "POST", UNDO_PATH, &body, None).await.status,
        200,
        "another staff member with the permission may undo the action"
    );
    let frozen = panel.post_user_action(1, "freeze").await;
    let body = json!({ "request_id": undoable_request_id(&frozen) });
    assert_eq!(panel.send("clerk", "POST", UNDO_PATH, &body, None).await.status, 403);
}

async fn an_undo_supports_dry_runs_replays_and_the_audit_trail(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    panel.put_in_moderation(&[1]).await;
    let body = json!({ "order_ids": [1] });
    let dry_run = panel.post("/api/v1/admin/orders/reject?dry_run=1", &body).await;
    assert_eq!(dry_run.json()["undo"]["records"], 1, "a dry run reports the undo too");
    assert_eq!(panel.undo_request(&dry_run).await.json()["code"], "nothing_to_undo");
    let rejected_response =
        panel.send("owner", "POST", "/api/v1/admin/orders/1/reject", &json!({}), Some("k1")).await;
    let replay_response =
        panel.send("owner", "POST", "/api/v1/admin/orders/1/reject", &json!({}), Some("k1")).await;
    assert_eq!(
        undoable_request_id(&replay_response),
        undoable_request_id(&rejected_response),
        "a replay offers the same undo"
    );
    let body = json!({ "request_id": undoable_request_id(&rejected_response) });
    let dry_run = panel.post(&format!("{UNDO_PATH}?dry_run=1"), &body).await.json();
    assert_eq!((&dry_run["processed"], &dry_run["dry_run"]), (&json!(1), &json!(true)));
    assert_eq!((&dry_run["totals"]["orders"], &dry_run["totals"]["users"]), (&json!(1), &json!(0)));
    let frozen = panel.post_user_action(2, "freeze").await;
    let undo_response = panel.undo_request(&frozen).await.json();
    assert_eq!((&undo_response["processed"], &undo_response["totals"]["orders"]), (&json!(1), &json!(0)));
    assert_eq!(undo_response["totals"]["users"], 1, "the total of users counts the user");
    assert_eq!(panel.fetch_order(1).await["status"], "stopped");
    for _ in 0..2 {
        let undo_response = panel.send("owner", "POST", UNDO_PATH, &body, Some("k2")).await;
        assert_eq!((undo_response.status.as_u16(), &undo_response.json()["processed"]), (200, &json!(1)));
        assert!(undo_response.json()["undo"].is_null());
    }
    let order = panel.fetch_order(1).await;
    assert_eq!((&order["status"], &order["approval"]), (&json!("in_moderation"), &json!("pending")));
    let sql = Sql::new(
        "SELECT old_values, new_values FROM audits WHERE event = 'order.rejected.undone' AND auditable_id = 1",
    );
    let (old, new): (String, String) = (&mut &panel.app.db).fetch_one(sql).await.unwrap();
    let [old, new]: [Value; 2] = [old.parse().unwrap(), new.parse().unwrap()];
    assert_eq!(old, json!({ "status": "stopped", "approval": "rejected" }));
    assert_eq!(new, json!({ "status": "in_moderation", "approval": "pending" }));
    panel.assert_healthy().await;
}

async fn a_final_action_offers_no_undo(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 20).await;
    let new_order = NewOrder {
        paying_balances: vec![BalanceType::Referral],
        ..NewOrder::without_options(UserId::new(4), PLAIN_SERVICE, "https://video.example/u", 1000)
    };
    let unpaid_id = panel.place_order(&new_order).await.id;
    panel.post_order_action(1, "pause").await;
    let body = json!({ "order_ids": [unpaid_id, 1] });
    let charged = panel.post("/api/v1/admin/orders/activate", &body).await;
    assert_eq!(charged.json()["undo"]["records"], 1, "the charge is final: {}", charged.text);
    assert_eq!(panel.undo_request(&charged).await.json()["processed"], 1);
    assert_eq!(panel.fetch_order(unpaid_id).await["status"], "in_processing");
    let mut work = panel.begin_work().await;
    let combo = NewCombo {
        user_id: UserId::new(1),
        url: "https://photo.example/p/1".into(),
        source: OrderSource::Cabinet,
        package: (Some(PackageId::new(3)), "Starter".into(), "combo".into()),
        parts: vec![(PLAIN_SERVICE, 1_000), (MODERATED_SERVICE, 500)],
        targets: Default::default(),
        is_moderated: true,
    };
    let id = buy(&mut work, &combo).await.unwrap();
    work.finish(()).await.unwrap();
    let approve_response = panel.post(&format!("/api/v1/admin/combo-orders/{id}/approve"), &json!({})).await;
    assert!(
        approve_response.status == 200 && approve_response.json()["undo"].is_null(),
        "the approval also changed its orders: {}",
        approve_response.text
    );
}
