//! Tests free trials. A customer completes a quest (a task, such as a post about the panel) and requests free units of a service. Staff
//! decide each request once, its order is free, and the limits of the quest apply when staff approve the request.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, UserId};
use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::operations::free_trials::request::{NewTrial, submit_trial};
use serde_json::{Value, json};

use crate::panel::{NOW, Panel, TestResponse};
use crate::shop::{CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, PLAIN_SERVICE};
use crate::uploads::PIXEL;

test_both_databases! {
    an_approval_places_a_free_order;
    an_approval_contains_required_target_values;
    a_rejection_is_final;
    the_limits_of_a_quest_apply_when_staff_approve;
    parallel_decisions_approve_one_request;
    quests_are_created_changed_and_archived;
    a_quest_with_a_past_deadline_can_be_changed;
    the_actions_of_a_request_match_its_approve_endpoint;
    invalid_fields_of_a_quest_are_named;
    the_conditions_of_a_quest_apply_to_a_request;
}

impl Panel {
    pub(crate) async fn create_quest(&self, fields: Value) -> FreeTrialQuestId {
        let mut quest = json!({ "translations": { "en": { "name": "Post about us" } }, "service_id": PLAIN_SERVICE, "quantity": 200 });
        for (name, value) in fields.as_object().unwrap() {
            quest[name] = value.clone();
        }
        let response = self.post("/api/v1/admin/free-trial-quests", &quest).await;
        assert_eq!(response.status, 200, "{}", response.text);
        FreeTrialQuestId::new(response.json()["data"]["id"].as_i64().unwrap())
    }

    pub(crate) async fn insert_trial(&self, quest: FreeTrialQuestId, user: i64) -> FreeTrialId {
        let sql = Sql::new(
            "INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, quantity, created_at) VALUES (?, ?, 'Post about us', 'https://photo.example/p', 200, ?) RETURNING id",
        );
        let mut tx = self.app.db.begin().await.unwrap();
        let (id,): (FreeTrialId,) = tx.fetch_one(sql.bind(quest).bind(user).bind(NOW)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    async fn act_on_trial(&self, id: impl std::fmt::Display, action: &str, body: Value) -> TestResponse {
        self.post(&format!("/api/v1/admin/free-trials/{id}/{action}"), &body).await
    }

    async fn put_quest(&self, path: &str, body: Value) -> TestResponse {
        self.send("owner", "PUT", path, &body, None).await
    }
}

async fn an_approval_places_a_free_order(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    panel.create_staff("orders", &[Permission::ManageOrders, Permission::ViewOrders]).await;
    let (quest, balances_before) = (panel.create_quest(json!({})).await, panel.fetch_balances(1).await);
    let id = panel.insert_trial(quest, 1).await;
    let path = format!("/api/v1/admin/free-trials/{id}/approve");
    assert_eq!(panel.send("orders", "POST", &path, &json!({}), None).await.status, 403);
    let dry_run = panel.act_on_trial(id, "approve?dry_run=1", json!({})).await;
    assert_eq!((dry_run.status.as_u16(), dry_run.json()["data"]["order_id"].is_i64()), (200, true));
    let rejected_response = panel.act_on_trial(id, "approve", json!({ "quantity": 5 })).await;
    assert_eq!(
        (rejected_response.status.as_u16(), rejected_response.json()["errors"]["quantity"].is_array()),
        (422, true)
    );
    let approval = panel.act_on_trial(id, "approve", json!({ "quantity": 300 })).await.json();
    let trial = &approval["data"];
    assert_eq!((&trial["status"], &trial["quantity"]), (&json!("approved"), &json!(300)));
    assert_eq!(trial["approved_by"]["name"], "owner");
    assert_eq!(trial["actions"], json!({ "approvable": false, "rejectable": false }));
    let order = panel.fetch_order(trial["order_id"].as_i64().unwrap()).await;
    assert_eq!(
        (&order["cost"], &order["source"], &order["quantity"]),
        (&json!("0"), &json!("free_trial"), &json!(300))
    );
    assert_eq!(order["status"], "in_processing");
    assert_eq!(panel.fetch_balances(1).await, balances_before);
    assert_eq!(balances_before, (CUSTOMER_DEPOSIT, CUSTOMER_EARNINGS, 0));
    let other_trial_id = panel.insert_trial(quest, 2).await;
    let approval = panel.act_on_trial(other_trial_id, "approve", json!({})).await.json();
    assert_eq!(approval["data"]["quantity"], 200, "the order must have the quantity of the quest");
    panel.assert_healthy().await;
}

async fn an_approval_contains_required_target_values(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let insert_target_sql = "INSERT INTO targets (id, name, target_type_id, parameter, created_at, updated_at) SELECT 900, 'Answer', min(id), 'answer_number', 1, 1 FROM target_types WHERE name = 'keyword'";
    panel.execute(Sql::new(insert_target_sql)).await;
    let attach_target_sql = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'required')";
    panel.execute(Sql::new(attach_target_sql).bind(PLAIN_SERVICE)).await;
    let auto_approval = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "0" });
    let quest_id = panel.create_quest(auto_approval).await;
    let mut work = panel.begin_work().await;
    let new_trial =
        NewTrial { user_id: UserId::new(1), quest_id, url: "https://photo.example/p", proof_url: None };
    let id = submit_trial(&mut work, new_trial).await.unwrap();
    work.finish(()).await.unwrap();
    let trial = panel.get("/api/v1/admin/free-trials").await.json()["data"][0].clone();
    assert_eq!(
        (&trial["status"], &trial["service_id"]),
        (&json!("pending"), &json!(PLAIN_SERVICE)),
        "a request without the required target value must wait for staff"
    );
    let rejected_response = panel.act_on_trial(id, "approve", json!({})).await;
    assert_eq!(rejected_response.status, 422, "{}", rejected_response.text);
    assert!(rejected_response.json()["errors"].get("targets.Answer").is_some(), "{}", rejected_response.text);
    let rejected_response =
        panel.act_on_trial(id, "approve", json!({ "targets": { "Answer": "2", "Else": "x" } })).await;
    assert!(rejected_response.json()["errors"].get("targets.Else").is_some(), "{}", rejected_response.text);
    let approval = panel.act_on_trial(id, "approve", json!({ "targets": { "Answer": "2" } })).await.json();
    let order = panel.fetch_order(approval["data"]["order_id"].as_i64().unwrap()).await;
    assert_eq!(order["targetable_values"], json!([{ "name": "Answer", "value": "2" }]));
    panel.assert_healthy().await;
}

async fn a_rejection_is_final(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let quest_id = panel.create_quest(json!({})).await;
    let id = panel.insert_trial(quest_id, 1).await;
    let pending_path = "/api/v1/admin/free-trials?columns[0][data]=status&columns[0][search][value]=pending";
    assert_eq!(panel.get(pending_path).await.json()["recordsFiltered"], 1);
    assert_eq!(panel.act_on_trial(id, "reject", json!({})).await.json()["data"]["status"], "rejected");
    assert_eq!(panel.get(pending_path).await.json()["recordsFiltered"], 0);
    assert_eq!(
        panel.act_on_trial(id, "approve", json!({})).await.json()["code"],
        "free_trial_not_approvable"
    );
    assert_eq!(panel.act_on_trial(id, "reject", json!({})).await.json()["code"], "free_trial_not_rejectable");
    assert_eq!(panel.act_on_trial(99, "reject", json!({})).await.status, 404);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 0);
    panel.assert_healthy().await;
}

async fn the_limits_of_a_quest_apply_when_staff_approve(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let insert_and_approve = async |quest: FreeTrialQuestId, user: i64| {
        let id = panel.insert_trial(quest, user).await;
        let response = panel.act_on_trial(id, "approve", json!({})).await;
        (response.status.as_u16(), response.json()["code"].as_str().map(str::to_owned))
    };
    let used_up_error = || (409, Some("quest_used_up".to_owned()));
    let single_use_quest = panel.create_quest(json!({})).await;
    assert_eq!(
        (
            insert_and_approve(single_use_quest, 1).await.0,
            insert_and_approve(single_use_quest, 1).await,
            insert_and_approve(single_use_quest, 2).await.0
        ),
        (200, used_up_error(), 200)
    );
    let two_use_quest = panel.create_quest(json!({ "is_repeatable": true, "repeats_count": 2 })).await;
    assert_eq!(
        (
            insert_and_approve(two_use_quest, 1).await.0,
            insert_and_approve(two_use_quest, 1).await.0,
            insert_and_approve(two_use_quest, 1).await
        ),
        (200, 200, used_up_error())
    );
    let ending_quest =
        panel.create_quest(json!({ "deadline": "2026-11-20 18:00:00", "is_repeatable": true })).await;
    assert_eq!(insert_and_approve(ending_quest, 1).await.0, 200);
    panel.clock.advance_secs(40 * 86_400);
    let extend_sessions_sql = "UPDATE sessions SET expires_at = expires_at + 9000000000000, signed_in_at = signed_in_at + 3456000000000, last_used_at = last_used_at + 3456000000000";
    panel.execute(Sql::new(extend_sessions_sql)).await;
    let late_trial_id = panel.insert_trial(ending_quest, 1).await;
    assert_eq!(panel.act_on_trial(late_trial_id, "approve", json!({})).await.json()["code"], "quest_over");
    let frozen_user_trial_id = panel.insert_trial(two_use_quest, 3).await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 3")).await;
    assert_eq!(
        panel.act_on_trial(frozen_user_trial_id, "approve", json!({})).await.json()["code"],
        "user_not_active"
    );
    panel.assert_healthy().await;
}

/// One customer has six requests for a quest that allows one, and staff send four decisions for each. Only one order may be placed.
async fn parallel_decisions_approve_one_request(dialect: Dialect) {
    let panel = Arc::new(Panel::with_users_and_orders(dialect, 5, 0).await);
    let quest_id = panel.create_quest(json!({})).await;
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(panel.insert_trial(quest_id, 1).await);
    }
    let decisions = ids.iter().flat_map(|id| (0..4).map(|number| (*id, number))).map(|(id, number)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let action = if id.get() % 2 == 0 && number % 2 == 0 { "reject" } else { "approve" };
            panel.act_on_trial(id, action, json!({})).await.status.as_u16()
        })
    });
    let statuses: Vec<u16> = join_all(decisions).await.into_iter().map(Result::unwrap).collect();
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
    let count_approved_sql = Sql::new("SELECT count(*) FROM free_trials WHERE status = 'approved'");
    assert_eq!(panel.fetch_number(count_approved_sql).await, 1);
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn quests_are_created_changed_and_archived(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let icon = to_data_url(PIXEL);
    let id = panel
        .create_quest(json!({ "translations": { "en": { "name": " Post " }, "de": { "name": "Schreib" }, "fr": { "name": " " } }, "icon": icon }))
        .await;
    let path = format!("/api/v1/admin/free-trial-quests/{id}");
    let quest = panel.get(&path).await.json()["data"].clone();
    assert_eq!((&quest["name"], &quest["translations"]["de"]["name"]), (&json!("Post"), &json!("Schreib")));
    assert!(quest["translations"].get("fr").is_none() && quest["image"].is_null());
    assert!(quest["icon"].as_str().unwrap().starts_with("/uploads/"));
    let change_body = json!({ "icon": quest["icon"], "quantity": 500, "is_enabled": false, "updated_at": quest["updated_at"] });
    panel.clock.advance_secs(1);
    let changed_quest = panel.put_quest(&path, change_body.clone()).await.json()["data"].clone();
    assert_eq!(
        (&changed_quest["quantity"], &changed_quest["is_enabled"], &changed_quest["icon"]),
        (&json!(500), &json!(false), &quest["icon"])
    );
    let stale_response = panel.put_quest(&path, change_body).await;
    assert_eq!(
        (stale_response.status.as_u16(), &stale_response.json()["code"]),
        (409, &json!("changed_meanwhile"))
    );
    let archived_quest = panel.post(&format!("{path}/archive"), &json!({})).await.json();
    assert_eq!(
        (&archived_quest["data"]["is_archived"], &archived_quest["data"]["actions"]["archivable"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(panel.post(&format!("{path}/archive"), &json!({})).await.status, 409);
    let page = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(page["recordsFiltered"], 0);
    let post_unarchive = async || panel.post(&format!("{path}/unarchive"), &json!({})).await;
    panel.execute(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = ?").bind(PLAIN_SERVICE)).await;
    assert_eq!(post_unarchive().await.status_and_code(), (409, "service_archived".into()));
    panel.execute(Sql::new("UPDATE services SET is_archived = FALSE WHERE id = ?").bind(PLAIN_SERVICE)).await;
    assert_eq!(post_unarchive().await.json()["data"]["actions"]["unarchivable"], false);
    assert_eq!(post_unarchive().await.status_and_code(), (409, "quest_not_archived".into()));
    let page = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(page["recordsFiltered"], 1);
    let count_audits_sql = Sql::new(
        "SELECT count(*) FROM audits WHERE auditable_type = 'quest' AND event IN ('quest.created', 'quest.updated', 'quest.archived', 'quest.unarchived')",
    );
    assert_eq!(panel.fetch_number(count_audits_sql).await, 4);
}

/// A form sends all fields, so the server accepts a past deadline if it is the current one.
async fn a_quest_with_a_past_deadline_can_be_changed(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let id = panel.create_quest(json!({ "deadline": "2026-11-20 18:00:00" })).await;
    let path = format!("/api/v1/admin/free-trial-quests/{id}");
    panel
        .execute(
            Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?")
                .bind(NOW - 60_000_000)
                .bind(id),
        )
        .await;
    let deadline = panel.get(&path).await.json()["data"]["deadline"].clone();
    let change_response = panel.put_quest(&path, json!({ "deadline": deadline, "quantity": 300 })).await;
    assert_eq!(change_response.status, 200, "{}", change_response.text);
    assert_eq!(
        (&change_response.json()["data"]["quantity"], &change_response.json()["data"]["deadline"]),
        (&json!(300), &deadline)
    );
    let rejected_response = panel.put_quest(&path, json!({ "deadline": "2020-01-01 00:00:00" })).await;
    assert_eq!(
        (rejected_response.status.as_u16(), rejected_response.json()["errors"]["deadline"].is_array()),
        (422, true)
    );
    assert_eq!(panel.put_quest(&path, json!({ "deadline": null })).await.status, 200);
}

/// `actions.approvable` of a request must match the status and the error code of a dry run of its approval.
async fn the_actions_of_a_request_match_its_approve_endpoint(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let assert_actions = async |id: FreeTrialId, code: Option<&str>| {
        let page = panel
            .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        let expected_actions = json!({ "approvable": code.is_none(), "rejectable": true });
        assert_eq!(page.json()["data"][0]["actions"], expected_actions, "{code:?}");
        let dry_run = panel.act_on_trial(id, "approve?dry_run=1", json!({})).await;
        let expected_status = code.map_or(200, |_| 409);
        assert_eq!(
            (dry_run.status.as_u16(), dry_run.json()["code"].as_str()),
            (expected_status, code),
            "{}",
            dry_run.text
        );
    };
    let single_use_quest = panel.create_quest(json!({})).await;
    let (first_trial_id, second_trial_id) =
        (panel.insert_trial(single_use_quest, 1).await, panel.insert_trial(single_use_quest, 1).await);
    assert_actions(second_trial_id, None).await;
    assert_eq!(panel.act_on_trial(first_trial_id, "approve", json!({})).await.status, 200);
    assert_actions(second_trial_id, Some("quest_used_up")).await;
    let other_customer_trial_id = panel.insert_trial(single_use_quest, 2).await;
    assert_actions(other_customer_trial_id, None).await;
    panel.set_setting("free_trials_is_enabled", "false").await;
    assert_actions(other_customer_trial_id, Some("free_trials_off")).await;
    panel.set_setting("free_trials_is_enabled", "true").await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 2")).await;
    assert_actions(other_customer_trial_id, Some("user_not_active")).await;
    let quest_for_spenders = panel
        .create_quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" }))
        .await;
    let ineligible_trial_id = panel.insert_trial(quest_for_spenders, 3).await;
    assert_actions(ineligible_trial_id, Some("quest_not_earned")).await;
    let ended_quest = panel.create_quest(json!({})).await;
    let late_trial_id = panel.insert_trial(ended_quest, 3).await;
    assert_actions(late_trial_id, None).await;
    let sql = Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?");
    panel.execute(sql.bind(NOW - 1).bind(ended_quest)).await;
    assert_actions(late_trial_id, Some("quest_over")).await;
}

async fn invalid_fields_of_a_quest_are_named(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    for (fields, field) in [
        (json!({ "quantity": 5 }), "quantity"),
        (json!({ "service_id": 99 }), "service_id"),
        (json!({ "deadline": "2020-01-01 00:00:00" }), "deadline"),
        (json!({ "repeats_count": 0 }), "repeats_count"),
        (json!({ "translations": { "de": { "name": "Schreib" } } }), "translations.en.name"),
        (json!({ "icon": "https://elsewhere.example/a.png" }), "icon"),
        (json!({ "image": to_data_url(b"<svg/>") }), "image"),
    ] {
        let mut quest = json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN_SERVICE, "quantity": 200 });
        for (name, value) in fields.as_object().unwrap() {
            quest[name] = value.clone();
        }
        let response = panel.post("/api/v1/admin/free-trial-quests", &quest).await;
        assert_eq!(
            (response.status.as_u16(), response.json()["errors"][field].is_array()),
            (422, true),
            "{field}: {}",
            response.text
        );
    }
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM free_trial_quests")).await, 0);
}

/// Submits a request of customer 1 with the function that the customer API uses. Returns the error code if the server rejects it.
async fn submit_request(
    panel: &Panel,
    quest_id: FreeTrialQuestId,
    proof_url: Option<&str>,
) -> Result<FreeTrialId, &'static str> {
    let mut work = panel.begin_work().await;
    let new_trial = NewTrial { user_id: UserId::new(1), quest_id, url: "https://photo.example/p", proof_url };
    match submit_trial(&mut work, new_trial).await {
        Ok(id) => {
            work.finish(()).await.unwrap();
            Ok(id)
        }
        Err(error) => Err(error.report("test").code),
    }
}

async fn the_conditions_of_a_quest_apply_to_a_request(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let disabled_quest = panel.create_quest(json!({ "is_enabled": false })).await;
    assert_eq!(submit_request(&panel, disabled_quest, None).await, Err("quest_unknown"));
    let ended_quest = panel.create_quest(json!({})).await;
    panel
        .execute(
            Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?")
                .bind(NOW - 1)
                .bind(ended_quest),
        )
        .await;
    assert_eq!(submit_request(&panel, ended_quest, None).await, Err("quest_over"));
    let quest_for_spenders = panel
        .create_quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" }))
        .await;
    assert_eq!(submit_request(&panel, quest_for_spenders, None).await, Err("quest_not_earned"));
    let single_use_quest = panel.create_quest(json!({})).await;
    assert_eq!(
        submit_request(&panel, single_use_quest, Some("https://photo.example/proof")).await,
        Err("proof_not_taken")
    );
    submit_request(&panel, single_use_quest, None).await.unwrap();
    assert_eq!(
        submit_request(&panel, single_use_quest, None).await,
        Err("quest_used_up"),
        "a pending request must count as a use"
    );
    let quest_with_proof = panel.create_quest(json!({ "allow_proof_url": true })).await;
    assert_eq!(submit_request(&panel, quest_with_proof, Some("javascript:alert(1)")).await, Err("invalid"));
    let id = submit_request(&panel, quest_with_proof, Some(" https://photo.example/proof ")).await.unwrap();
    let page = panel
        .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
        .await;
    let row = page.json()["data"][0].clone();
    assert_eq!(
        (&row["proof_url"], &row["status"]),
        (&json!("https://photo.example/proof"), &json!("pending"))
    );
    // The request of a customer who has spent enough is approved automatically, but the other conditions still apply.
    let quest_body = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "5" });
    let auto_approval_quest = panel.create_quest(quest_body).await;
    let pending_id = submit_request(&panel, auto_approval_quest, None).await.unwrap();
    assert_eq!(
        panel.act_on_trial(pending_id, "reject", json!({})).await.status,
        200,
        "the request must wait for staff, because the customer has not spent 5 yet"
    );
    panel
        .place_order(&panel_server::operations::orders::place::NewOrder::without_options(
            UserId::new(1),
            PLAIN_SERVICE,
            "https://video.example/1",
            500,
        ))
        .await;
    let id = submit_request(&panel, auto_approval_quest, None).await.unwrap();
    let sql = Sql::new(
        "SELECT count(*) FROM free_trials t JOIN orders o ON o.id = t.order_id WHERE t.id = ? AND t.status = 'approved' AND o.cost = 0",
    );
    assert_eq!(panel.fetch_number(sql.bind(id)).await, 1);
    submit_request(&panel, quest_for_spenders, None).await.unwrap();
    panel.assert_healthy().await;
}
