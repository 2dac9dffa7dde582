//! Free trials: staff decide each request once, its order is free, and the limits of the quest apply at the approval.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, UserId};
use panel_contract::permission::Permission;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::operations::free_trials::request::{NewTrial, submit_trial};
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};
use crate::shop::{DEPOSIT, EARNED, PLAIN};
use crate::uploads::PIXEL;

both! {
    an_approval_places_a_free_order;
    required_answers_are_given_at_approval;
    a_rejection_is_final;
    the_limits_of_a_quest_apply_at_approval;
    parallel_decisions_approve_one_request;
    quests_are_created_changed_and_archived;
    a_past_deadline_may_stay;
    the_actions_of_a_request_agree_with_its_endpoint;
    invalid_fields_of_a_quest_are_named;
    the_conditions_of_a_quest_apply_to_a_request;
}

impl Panel {
    pub(crate) async fn create_quest(&self, fields: Value) -> FreeTrialQuestId {
        let mut quest = json!({ "translations": { "en": { "name": "Post about us" } }, "service_id": PLAIN, "quantity": 200 });
        for (name, value) in fields.as_object().unwrap() {
            quest[name] = value.clone();
        }
        let answer = self.post("/api/v1/admin/free-trial-quests", &quest).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        FreeTrialQuestId::new(answer.json()["data"]["id"].as_i64().unwrap())
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

    async fn act_on_trial(&self, id: impl std::fmt::Display, action: &str, body: Value) -> Answer {
        self.post(&format!("/api/v1/admin/free-trials/{id}/{action}"), &body).await
    }

    async fn put_quest(&self, path: &str, body: Value) -> Answer {
        self.send("owner", "PUT", path, &body, None).await
    }
}

async fn an_approval_places_a_free_order(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.create_staff("orders", &[Permission::ManageOrders, Permission::ViewOrders]).await;
    let (quest, before) = (panel.create_quest(json!({})).await, panel.balances(1).await);
    let id = panel.insert_trial(quest, 1).await;
    let path = format!("/api/v1/admin/free-trials/{id}/approve");
    assert_eq!(panel.send("orders", "POST", &path, &json!({}), None).await.status, 403);
    let dry_run = panel.act_on_trial(id, "approve?dry_run=1", json!({})).await;
    assert_eq!((dry_run.status.as_u16(), dry_run.json()["data"]["order_id"].is_i64()), (200, true));
    let out_of_bounds = panel.act_on_trial(id, "approve", json!({ "quantity": 5 })).await;
    assert_eq!(
        (out_of_bounds.status.as_u16(), out_of_bounds.json()["errors"]["quantity"].is_array()),
        (422, true)
    );
    let approved = panel.act_on_trial(id, "approve", json!({ "quantity": 300 })).await.json();
    let trial = &approved["data"];
    assert_eq!((&trial["status"], &trial["quantity"]), (&json!("approved"), &json!(300)));
    assert_eq!(trial["approved_by"]["name"], "owner");
    assert_eq!(trial["actions"], json!({ "approvable": false, "rejectable": false }));
    let order = panel.order(trial["order_id"].as_i64().unwrap()).await;
    assert_eq!(
        (&order["cost"], &order["source"], &order["quantity"]),
        (&json!("0"), &json!("free_trial"), &json!(300))
    );
    assert_eq!(order["status"], "in_processing");
    assert_eq!(panel.balances(1).await, before);
    assert_eq!(before, (DEPOSIT, EARNED, 0));
    let other_request = panel.insert_trial(quest, 2).await;
    let approved = panel.act_on_trial(other_request, "approve", json!({})).await.json();
    assert_eq!(approved["data"]["quantity"], 200, "the quantity of the quest");
    panel.assert_healthy().await;
}

async fn required_answers_are_given_at_approval(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let insert_target = "INSERT INTO targets (id, name, target_type_id, parameter, created_at, updated_at) SELECT 900, 'Answer', min(id), 'answer_number', 1, 1 FROM target_types WHERE name = 'keyword'";
    panel.execute(Sql::new(insert_target)).await;
    let attach_target = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'required')";
    panel.execute(Sql::new(attach_target).bind(PLAIN)).await;
    let auto_approval = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "0" });
    let quest = panel.create_quest(auto_approval).await;
    let mut work = panel.begin_work().await;
    let new_trial = NewTrial {
        user_id: UserId::new(1),
        quest_id: quest,
        url: "https://photo.example/p",
        proof_url: None,
    };
    let id = submit_trial(&mut work, new_trial).await.unwrap();
    work.finish(()).await.unwrap();
    let request_row = panel.get("/api/v1/admin/free-trials").await.json()["data"][0].clone();
    assert_eq!(
        (&request_row["status"], &request_row["service_id"]),
        (&json!("pending"), &json!(PLAIN)),
        "without the required answer the request waits for staff"
    );
    let refused = panel.act_on_trial(id, "approve", json!({})).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"].get("targets.Answer").is_some(), "{}", refused.text);
    let unknown_target =
        panel.act_on_trial(id, "approve", json!({ "targets": { "Answer": "2", "Else": "x" } })).await;
    assert!(unknown_target.json()["errors"].get("targets.Else").is_some(), "{}", unknown_target.text);
    let approved = panel.act_on_trial(id, "approve", json!({ "targets": { "Answer": "2" } })).await.json();
    let order = panel.order(approved["data"]["order_id"].as_i64().unwrap()).await;
    assert_eq!(order["targetable_values"], json!([{ "name": "Answer", "value": "2" }]));
    panel.assert_healthy().await;
}

async fn a_rejection_is_final(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let quest = panel.create_quest(json!({})).await;
    let id = panel.insert_trial(quest, 1).await;
    let waiting = "/api/v1/admin/free-trials?columns[0][data]=status&columns[0][search][value]=pending";
    assert_eq!(panel.get(waiting).await.json()["recordsFiltered"], 1);
    assert_eq!(panel.act_on_trial(id, "reject", json!({})).await.json()["data"]["status"], "rejected");
    assert_eq!(panel.get(waiting).await.json()["recordsFiltered"], 0);
    assert_eq!(
        panel.act_on_trial(id, "approve", json!({})).await.json()["code"],
        "free_trial_not_approvable"
    );
    assert_eq!(panel.act_on_trial(id, "reject", json!({})).await.json()["code"], "free_trial_not_rejectable");
    assert_eq!(panel.act_on_trial(99, "reject", json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 0);
    panel.assert_healthy().await;
}

async fn the_limits_of_a_quest_apply_at_approval(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let approve = async |quest: FreeTrialQuestId, user: i64| {
        let id = panel.insert_trial(quest, user).await;
        let answer = panel.act_on_trial(id, "approve", json!({})).await;
        (answer.status.as_u16(), answer.json()["code"].as_str().map(str::to_owned))
    };
    let used_up = || (409, Some("quest_used_up".to_owned()));
    let single_use = panel.create_quest(json!({})).await;
    assert_eq!(
        (approve(single_use, 1).await.0, approve(single_use, 1).await, approve(single_use, 2).await.0),
        (200, used_up(), 200)
    );
    let two_uses = panel.create_quest(json!({ "is_repeatable": true, "repeats_count": 2 })).await;
    assert_eq!(
        (approve(two_uses, 1).await.0, approve(two_uses, 1).await.0, approve(two_uses, 1).await),
        (200, 200, used_up())
    );
    let ends_soon =
        panel.create_quest(json!({ "deadline": "2026-11-20 18:00:00", "is_repeatable": true })).await;
    assert_eq!(approve(ends_soon, 1).await.0, 200);
    panel.clock.advance_secs(40 * 86_400);
    let extend_sessions = "UPDATE sessions SET expires_at = expires_at + 9000000000000, signed_in_at = signed_in_at + 3456000000000, last_used_at = last_used_at + 3456000000000";
    panel.execute(Sql::new(extend_sessions)).await;
    let late_request = panel.insert_trial(ends_soon, 1).await;
    assert_eq!(panel.act_on_trial(late_request, "approve", json!({})).await.json()["code"], "quest_over");
    let request_of_frozen = panel.insert_trial(two_uses, 3).await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 3")).await;
    assert_eq!(
        panel.act_on_trial(request_of_frozen, "approve", json!({})).await.json()["code"],
        "user_not_active"
    );
    panel.assert_healthy().await;
}

/// Six requests of one customer for a quest that allows one, and four decisions on each: one order is placed in all.
async fn parallel_decisions_approve_one_request(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    let quest = panel.create_quest(json!({})).await;
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(panel.insert_trial(quest, 1).await);
    }
    let decisions = ids.iter().flat_map(|id| (0..4).map(|nth| (*id, nth))).map(|(id, nth)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let action = if id.get() % 2 == 0 && nth % 2 == 0 { "reject" } else { "approve" };
            panel.act_on_trial(id, action, json!({})).await.status.as_u16()
        })
    });
    let answers: Vec<u16> = join_all(decisions).await.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|status| matches!(status, 200 | 409)), "{answers:?}");
    let approved = Sql::new("SELECT count(*) FROM free_trials WHERE status = 'approved'");
    assert_eq!(panel.number(approved).await, 1);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn quests_are_created_changed_and_archived(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let icon = to_data_url(PIXEL);
    let id = panel
        .create_quest(json!({ "translations": { "en": { "name": " Post " }, "de": { "name": "Schreib" }, "fr": { "name": " " } }, "icon": icon }))
        .await;
    let path = format!("/api/v1/admin/free-trial-quests/{id}");
    let created = panel.get(&path).await.json()["data"].clone();
    assert_eq!(
        (&created["name"], &created["translations"]["de"]["name"]),
        (&json!("Post"), &json!("Schreib"))
    );
    assert!(created["translations"].get("fr").is_none() && created["image"].is_null());
    assert!(created["icon"].as_str().unwrap().starts_with("/uploads/"));
    let change = json!({ "icon": created["icon"], "quantity": 500, "is_enabled": false, "updated_at": created["updated_at"] });
    panel.clock.advance_secs(1);
    let changed = panel.put_quest(&path, change.clone()).await.json()["data"].clone();
    assert_eq!(
        (&changed["quantity"], &changed["is_enabled"], &changed["icon"]),
        (&json!(500), &json!(false), &created["icon"])
    );
    let stale = panel.put_quest(&path, change).await;
    assert_eq!((stale.status.as_u16(), &stale.json()["code"]), (409, &json!("changed_meanwhile")));
    let archived = panel.post(&format!("{path}/archive"), &json!({})).await.json();
    assert_eq!(
        (&archived["data"]["is_archived"], &archived["data"]["actions"]["archivable"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(panel.post(&format!("{path}/archive"), &json!({})).await.status, 409);
    let list = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(list["recordsFiltered"], 0);
    let restore = async || panel.post(&format!("{path}/unarchive"), &json!({})).await;
    panel.execute(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = ?").bind(PLAIN)).await;
    assert_eq!(restore().await.status_and_code(), (409, "service_archived".into()));
    panel.execute(Sql::new("UPDATE services SET is_archived = FALSE WHERE id = ?").bind(PLAIN)).await;
    assert_eq!(restore().await.json()["data"]["actions"]["unarchivable"], false);
    assert_eq!(restore().await.status_and_code(), (409, "quest_not_archived".into()));
    let list = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(list["recordsFiltered"], 1);
    let events = Sql::new(
        "SELECT count(*) FROM audits WHERE auditable_type = 'quest' AND event IN ('quest.created', 'quest.updated', 'quest.archived', 'quest.unarchived')",
    );
    assert_eq!(panel.number(events).await, 4);
}

/// A form sends all its fields, so a quest whose deadline has passed can be changed without a new deadline.
async fn a_past_deadline_may_stay(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
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
    let changed = panel.put_quest(&path, json!({ "deadline": deadline, "quantity": 300 })).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(
        (&changed.json()["data"]["quantity"], &changed.json()["data"]["deadline"]),
        (&json!(300), &deadline)
    );
    let earlier = panel.put_quest(&path, json!({ "deadline": "2020-01-01 00:00:00" })).await;
    assert_eq!((earlier.status.as_u16(), earlier.json()["errors"]["deadline"].is_array()), (422, true));
    assert_eq!(panel.put_quest(&path, json!({ "deadline": null })).await.status, 200);
}

/// `actions.approvable` of a request, its dry run and its error code agree.
async fn the_actions_of_a_request_agree_with_its_endpoint(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let assert_actions = async |id: FreeTrialId, code: Option<&str>| {
        let list = panel
            .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        let flags = json!({ "approvable": code.is_none(), "rejectable": true });
        assert_eq!(list.json()["data"][0]["actions"], flags, "{code:?}");
        let dry_run = panel.act_on_trial(id, "approve?dry_run=1", json!({})).await;
        let expected_status = code.map_or(200, |_| 409);
        assert_eq!(
            (dry_run.status.as_u16(), dry_run.json()["code"].as_str()),
            (expected_status, code),
            "{}",
            dry_run.text
        );
    };
    let single_use = panel.create_quest(json!({})).await;
    let (first, second) = (panel.insert_trial(single_use, 1).await, panel.insert_trial(single_use, 1).await);
    assert_actions(second, None).await;
    assert_eq!(panel.act_on_trial(first, "approve", json!({})).await.status, 200);
    assert_actions(second, Some("quest_used_up")).await;
    let of_other_customer = panel.insert_trial(single_use, 2).await;
    assert_actions(of_other_customer, None).await;
    panel.set_setting("free_trials_is_enabled", "false").await;
    assert_actions(of_other_customer, Some("free_trials_off")).await;
    panel.set_setting("free_trials_is_enabled", "true").await;
    panel.execute(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 2")).await;
    assert_actions(of_other_customer, Some("user_not_active")).await;
    let for_spenders = panel
        .create_quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" }))
        .await;
    let below_spending = panel.insert_trial(for_spenders, 3).await;
    assert_actions(below_spending, Some("quest_not_earned")).await;
    let ended_quest = panel.create_quest(json!({})).await;
    let late_request = panel.insert_trial(ended_quest, 3).await;
    assert_actions(late_request, None).await;
    let sql = Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?");
    panel.execute(sql.bind(NOW - 1).bind(ended_quest)).await;
    assert_actions(late_request, Some("quest_over")).await;
}

async fn invalid_fields_of_a_quest_are_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for (fields, field) in [
        (json!({ "quantity": 5 }), "quantity"),
        (json!({ "service_id": 99 }), "service_id"),
        (json!({ "deadline": "2020-01-01 00:00:00" }), "deadline"),
        (json!({ "repeats_count": 0 }), "repeats_count"),
        (json!({ "translations": { "de": { "name": "Schreib" } } }), "translations.en.name"),
        (json!({ "icon": "https://elsewhere.example/a.png" }), "icon"),
        (json!({ "image": to_data_url(b"<svg/>") }), "image"),
    ] {
        let mut quest =
            json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN, "quantity": 200 });
        for (name, value) in fields.as_object().unwrap() {
            quest[name] = value.clone();
        }
        let answer = panel.post("/api/v1/admin/free-trial-quests", &quest).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][field].is_array()),
            (422, true),
            "{field}: {}",
            answer.text
        );
    }
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM free_trial_quests")).await, 0);
}

/// Requests a trial by the server's own function, as a customer does; the error is the code of the rejection.
async fn request_trial(
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
    let panel = Panel::shop(dialect, 5, 0).await;
    let disabled = panel.create_quest(json!({ "is_enabled": false })).await;
    assert_eq!(request_trial(&panel, disabled, None).await, Err("quest_unknown"));
    let ended = panel.create_quest(json!({})).await;
    panel
        .execute(Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?").bind(NOW - 1).bind(ended))
        .await;
    assert_eq!(request_trial(&panel, ended, None).await, Err("quest_over"));
    let for_spenders = panel
        .create_quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" }))
        .await;
    assert_eq!(request_trial(&panel, for_spenders, None).await, Err("quest_not_earned"));
    let single_use = panel.create_quest(json!({})).await;
    assert_eq!(
        request_trial(&panel, single_use, Some("https://photo.example/proof")).await,
        Err("proof_not_taken")
    );
    request_trial(&panel, single_use, None).await.unwrap();
    assert_eq!(
        request_trial(&panel, single_use, None).await,
        Err("quest_used_up"),
        "a pending request counts"
    );
    let with_proof = panel.create_quest(json!({ "allow_proof_url": true })).await;
    assert_eq!(request_trial(&panel, with_proof, Some("javascript:alert(1)")).await, Err("invalid"));
    let id = request_trial(&panel, with_proof, Some(" https://photo.example/proof ")).await.unwrap();
    let list = panel
        .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
        .await;
    let row = list.json()["data"][0].clone();
    assert_eq!(
        (&row["proof_url"], &row["status"]),
        (&json!("https://photo.example/proof"), &json!("pending"))
    );
    // A customer who spent enough is approved automatically, but the other conditions still apply.
    let auto_approval = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "5" });
    let auto_approval = panel.create_quest(auto_approval).await;
    let pending = request_trial(&panel, auto_approval, None).await.unwrap();
    assert_eq!(
        panel.act_on_trial(pending, "reject", json!({})).await.status,
        200,
        "the customer has not spent 5 yet"
    );
    panel
        .place(&panel_server::operations::orders::place::NewOrder::plain(
            UserId::new(1),
            PLAIN,
            "https://video.example/1",
            500,
        ))
        .await;
    let id = request_trial(&panel, auto_approval, None).await.unwrap();
    let sql = Sql::new(
        "SELECT count(*) FROM free_trials t JOIN orders o ON o.id = t.order_id WHERE t.id = ? AND t.status = 'approved' AND o.cost = 0",
    );
    assert_eq!(panel.number(sql.bind(id)).await, 1);
    request_trial(&panel, for_spenders, None).await.unwrap();
    panel.assert_healthy().await;
}
