//! Free trials: a request is decided once; its order costs nothing; the quest's bounds hold at approval.

use std::sync::Arc;

use futures_util::future::join_all;
use panel_contract::ids::{FreeTrialId, FreeTrialQuestId, UserId};
use panel_contract::permission::Permission;
use panel_contract::upload::data_url;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::operations::free_trials::request::{NewTrial, request};
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};
use crate::shop::{DEPOSIT, EARNED, PLAIN};
use crate::uploads::PIXEL;

both! {
    an_approval_makes_an_order_that_costs_nothing;
    required_answers_are_given_at_approval;
    a_rejection_is_final;
    the_quest_holds_at_approval;
    many_decide_at_once;
    quests_are_made_changed_and_put_away;
    a_deadline_that_passed_may_stay;
    a_request_says_whether_it_can_be_approved;
    a_wrong_quest_is_told_why;
    a_quests_terms_hold_when_it_is_asked_for;
}

impl Panel {
    pub(crate) async fn quest(&self, more: Value) -> FreeTrialQuestId {
        let mut quest = json!({ "translations": { "en": { "name": "Post about us" } }, "service_id": PLAIN, "quantity": 200 });
        for (name, value) in more.as_object().unwrap() {
            quest[name] = value.clone();
        }
        let answer = self.post("/api/v1/admin/free-trial-quests", &quest).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        FreeTrialQuestId::new(answer.json()["data"]["id"].as_i64().unwrap())
    }

    /// A customer asks.
    pub(crate) async fn trial(&self, quest: FreeTrialQuestId, user: i64) -> FreeTrialId {
        let sql = Sql::new(
            "INSERT INTO free_trials (free_trial_quest_id, user_id, name, url, quantity, created_at) VALUES (?, ?, 'Post about us', 'https://photo.example/p', 200, ?) RETURNING id",
        );
        let mut tx = self.app.db.begin().await.unwrap();
        let (id,): (FreeTrialId,) = tx.one(sql.bind(quest).bind(user).bind(NOW)).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    async fn decide(&self, id: impl std::fmt::Display, how: &str, body: Value) -> Answer {
        self.post(&format!("/api/v1/admin/free-trials/{id}/{how}"), &body).await
    }

    async fn replace(&self, path: &str, body: Value) -> Answer {
        self.send("owner", "PUT", path, &body, None).await
    }
}

async fn an_approval_makes_an_order_that_costs_nothing(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    panel.staff("orders", &[Permission::ManageOrders, Permission::ViewOrders]).await;
    let (quest, before) = (panel.quest(json!({})).await, panel.balances(1).await);
    let id = panel.trial(quest, 1).await;
    let path = format!("/api/v1/admin/free-trials/{id}/approve");
    assert_eq!(panel.send("orders", "POST", &path, &json!({}), None).await.status, 403);
    let tried = panel.decide(id, "approve?dry_run=1", json!({})).await;
    assert_eq!((tried.status.as_u16(), tried.json()["data"]["order_id"].is_i64()), (200, true));
    let outside = panel.decide(id, "approve", json!({ "quantity": 5 })).await;
    assert_eq!((outside.status.as_u16(), outside.json()["errors"]["quantity"].is_array()), (422, true));
    let done = panel.decide(id, "approve", json!({ "quantity": 300 })).await.json();
    let trial = &done["data"];
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
    let plain = panel.trial(quest, 2).await;
    let done = panel.decide(plain, "approve", json!({})).await.json();
    assert_eq!(done["data"]["quantity"], 200, "the quest's");
    panel.assert_healthy().await;
}

async fn required_answers_are_given_at_approval(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let poll = "INSERT INTO targets (id, name, target_type_id, parameter, created_at, updated_at) SELECT 900, 'Answer', min(id), 'answer_number', 1, 1 FROM target_types WHERE name = 'keyword'";
    panel.exec(Sql::new(poll)).await;
    let asks = "INSERT INTO service_targets (service_id, target_id, position, attachment) VALUES (?, 900, 1, 'required')";
    panel.exec(Sql::new(asks).bind(PLAIN)).await;
    let good = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "0" });
    let quest = panel.quest(good).await;
    let mut work = panel.work().await;
    let new = NewTrial {
        user_id: UserId::new(1),
        quest_id: quest,
        url: "https://photo.example/p",
        proof_url: None,
    };
    let id = request(&mut work, new).await.unwrap();
    work.finish(()).await.unwrap();
    let listed = panel.get("/api/v1/admin/free-trials").await.json()["data"][0].clone();
    assert_eq!(
        (&listed["status"], &listed["service_id"]),
        (&json!("pending"), &json!(PLAIN)),
        "it waits for staff"
    );
    let refused = panel.decide(id, "approve", json!({})).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    assert!(refused.json()["errors"].get("targets.Answer").is_some(), "{}", refused.text);
    let unknown = panel.decide(id, "approve", json!({ "targets": { "Answer": "2", "Else": "x" } })).await;
    assert!(unknown.json()["errors"].get("targets.Else").is_some(), "{}", unknown.text);
    let done = panel.decide(id, "approve", json!({ "targets": { "Answer": "2" } })).await.json();
    let order = panel.order(done["data"]["order_id"].as_i64().unwrap()).await;
    assert_eq!(order["targetable_values"], json!([{ "name": "Answer", "value": "2" }]));
    panel.assert_healthy().await;
}

async fn a_rejection_is_final(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let quest = panel.quest(json!({})).await;
    let id = panel.trial(quest, 1).await;
    let waiting = "/api/v1/admin/free-trials?columns[0][data]=status&columns[0][search][value]=pending";
    assert_eq!(panel.get(waiting).await.json()["recordsFiltered"], 1);
    assert_eq!(panel.decide(id, "reject", json!({})).await.json()["data"]["status"], "rejected");
    assert_eq!(panel.get(waiting).await.json()["recordsFiltered"], 0);
    assert_eq!(panel.decide(id, "approve", json!({})).await.json()["code"], "free_trial_not_approvable");
    assert_eq!(panel.decide(id, "reject", json!({})).await.json()["code"], "free_trial_not_rejectable");
    assert_eq!(panel.decide(99, "reject", json!({})).await.status, 404);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 0);
    panel.assert_healthy().await;
}

async fn the_quest_holds_at_approval(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let approve = async |quest: FreeTrialQuestId, user: i64| {
        let id = panel.trial(quest, user).await;
        let answer = panel.decide(id, "approve", json!({})).await;
        (answer.status.as_u16(), answer.json()["code"].as_str().map(str::to_owned))
    };
    let used_up = || (409, Some("quest_used_up".to_owned()));
    let once = panel.quest(json!({})).await;
    assert_eq!(
        (approve(once, 1).await.0, approve(once, 1).await, approve(once, 2).await.0),
        (200, used_up(), 200)
    );
    let twice = panel.quest(json!({ "is_repeatable": true, "repeats_count": 2 })).await;
    assert_eq!(
        (approve(twice, 1).await.0, approve(twice, 1).await.0, approve(twice, 1).await),
        (200, 200, used_up())
    );
    let soon = panel.quest(json!({ "deadline": "2026-11-20 18:00:00", "is_repeatable": true })).await;
    assert_eq!(approve(soon, 1).await.0, 200);
    panel.clock.advance_secs(40 * 86_400);
    let later = "UPDATE sessions SET expires_at = expires_at + 9000000000000, signed_in_at = signed_in_at + 3456000000000, last_used_at = last_used_at + 3456000000000";
    panel.exec(Sql::new(later)).await;
    let late = panel.trial(soon, 1).await;
    assert_eq!(panel.decide(late, "approve", json!({})).await.json()["code"], "quest_over");
    let frozen = panel.trial(twice, 3).await;
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 3")).await;
    assert_eq!(panel.decide(frozen, "approve", json!({})).await.json()["code"], "user_not_active");
    panel.assert_healthy().await;
}

/// Requests of one customer for a quest that allows one, and eight decisions on each: one order in all.
async fn many_decide_at_once(dialect: Dialect) {
    let panel = Arc::new(Panel::shop(dialect, 5, 0).await);
    let quest = panel.quest(json!({})).await;
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.push(panel.trial(quest, 1).await);
    }
    let tries = ids.iter().flat_map(|id| (0..4).map(|nth| (*id, nth))).map(|(id, nth)| {
        let panel = Arc::clone(&panel);
        tokio::spawn(async move {
            let how = if id.get() % 2 == 0 && nth % 2 == 0 { "reject" } else { "approve" };
            panel.decide(id, how, json!({})).await.status.as_u16()
        })
    });
    let answers: Vec<u16> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|status| matches!(status, 200 | 409)), "{answers:?}");
    let approved = Sql::new("SELECT count(*) FROM free_trials WHERE status = 'approved'");
    assert_eq!(panel.number(approved).await, 1);
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM orders")).await, 1);
    panel.assert_healthy().await;
}

async fn quests_are_made_changed_and_put_away(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let icon = data_url(PIXEL);
    let id = panel
        .quest(json!({ "translations": { "en": { "name": " Post " }, "de": { "name": "Schreib" }, "fr": { "name": " " } }, "icon": icon }))
        .await;
    let path = format!("/api/v1/admin/free-trial-quests/{id}");
    let made = panel.get(&path).await.json()["data"].clone();
    assert_eq!((&made["name"], &made["translations"]["de"]["name"]), (&json!("Post"), &json!("Schreib")));
    assert!(made["translations"].get("fr").is_none() && made["image"].is_null());
    assert!(made["icon"].as_str().unwrap().starts_with("/uploads/"));
    let change = json!({ "icon": made["icon"], "quantity": 500, "is_enabled": false, "updated_at": made["updated_at"] });
    panel.clock.advance_secs(1);
    let changed = panel.replace(&path, change.clone()).await.json()["data"].clone();
    assert_eq!(
        (&changed["quantity"], &changed["is_enabled"], &changed["icon"]),
        (&json!(500), &json!(false), &made["icon"])
    );
    let stale = panel.replace(&path, change).await;
    assert_eq!((stale.status.as_u16(), &stale.json()["code"]), (409, &json!("changed_meanwhile")));
    let away = panel.post(&format!("{path}/archive"), &json!({})).await.json();
    assert_eq!(
        (&away["data"]["is_archived"], &away["data"]["actions"]["archivable"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(panel.post(&format!("{path}/archive"), &json!({})).await.status, 409);
    let list = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(list["recordsFiltered"], 0);
    let back = async || panel.post(&format!("{path}/unarchive"), &json!({})).await;
    panel.exec(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = ?").bind(PLAIN)).await;
    assert_eq!(back().await.says(), (409, "service_archived".into()));
    panel.exec(Sql::new("UPDATE services SET is_archived = FALSE WHERE id = ?").bind(PLAIN)).await;
    assert_eq!(back().await.json()["data"]["actions"]["unarchivable"], false);
    assert_eq!(back().await.says(), (409, "quest_not_archived".into()));
    let list = panel.get("/api/v1/admin/free-trial-quests?is_archived=0").await.json();
    assert_eq!(list["recordsFiltered"], 1);
    let events = Sql::new(
        "SELECT count(*) FROM audits WHERE auditable_type = 'quest' AND event IN ('quest.created', 'quest.updated', 'quest.archived', 'quest.unarchived')",
    );
    assert_eq!(panel.number(events).await, 4);
}

/// A form sends all its fields, so a quest that is over can be changed without a new deadline.
async fn a_deadline_that_passed_may_stay(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let id = panel.quest(json!({ "deadline": "2026-11-20 18:00:00" })).await;
    let path = format!("/api/v1/admin/free-trial-quests/{id}");
    panel
        .exec(
            Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?")
                .bind(NOW - 60_000_000)
                .bind(id),
        )
        .await;
    let deadline = panel.get(&path).await.json()["data"]["deadline"].clone();
    let changed = panel.replace(&path, json!({ "deadline": deadline, "quantity": 300 })).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(
        (&changed.json()["data"]["quantity"], &changed.json()["data"]["deadline"]),
        (&json!(300), &deadline)
    );
    let earlier = panel.replace(&path, json!({ "deadline": "2020-01-01 00:00:00" })).await;
    assert_eq!((earlier.status.as_u16(), earlier.json()["errors"]["deadline"].is_array()), (422, true));
    assert_eq!(panel.replace(&path, json!({ "deadline": null })).await.status, 200);
}

/// The button of a request and its endpoint agree.
async fn a_request_says_whether_it_can_be_approved(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let agree = async |id: FreeTrialId, code: Option<&str>| {
        let listed = panel
            .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
            .await;
        let flags = json!({ "approvable": code.is_none(), "rejectable": true });
        assert_eq!(listed.json()["data"][0]["actions"], flags, "{code:?}");
        let tried = panel.decide(id, "approve?dry_run=1", json!({})).await;
        let wanted = code.map_or(200, |_| 409);
        assert_eq!((tried.status.as_u16(), tried.json()["code"].as_str()), (wanted, code), "{}", tried.text);
    };
    let once = panel.quest(json!({})).await;
    let (first, second) = (panel.trial(once, 1).await, panel.trial(once, 1).await);
    agree(second, None).await;
    assert_eq!(panel.decide(first, "approve", json!({})).await.status, 200);
    agree(second, Some("quest_used_up")).await;
    let of_another = panel.trial(once, 2).await;
    agree(of_another, None).await;
    panel.setting("free_trials_is_enabled", "false").await;
    agree(of_another, Some("free_trials_off")).await;
    panel.setting("free_trials_is_enabled", "true").await;
    panel.exec(Sql::new("UPDATE users SET status = 'frozen', frozen_at = 1 WHERE id = 2")).await;
    agree(of_another, Some("user_not_active")).await;
    let earned =
        panel.quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" })).await;
    let unearned = panel.trial(earned, 3).await;
    agree(unearned, Some("quest_not_earned")).await;
    let over = panel.quest(json!({})).await;
    let late = panel.trial(over, 3).await;
    agree(late, None).await;
    let sql = Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?");
    panel.exec(sql.bind(NOW - 1).bind(over)).await;
    agree(late, Some("quest_over")).await;
}

async fn a_wrong_quest_is_told_why(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for (more, field) in [
        (json!({ "quantity": 5 }), "quantity"),
        (json!({ "service_id": 99 }), "service_id"),
        (json!({ "deadline": "2020-01-01 00:00:00" }), "deadline"),
        (json!({ "repeats_count": 0 }), "repeats_count"),
        (json!({ "translations": { "de": { "name": "Schreib" } } }), "translations.en.name"),
        (json!({ "icon": "https://elsewhere.example/a.png" }), "icon"),
        (json!({ "image": data_url(b"<svg/>") }), "image"),
    ] {
        let mut quest =
            json!({ "translations": { "en": { "name": "Post" } }, "service_id": PLAIN, "quantity": 200 });
        for (name, value) in more.as_object().unwrap() {
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

/// A customer asks by the room itself: the request's id, or the code of the refusal.
async fn asks(
    panel: &Panel,
    quest_id: FreeTrialQuestId,
    proof_url: Option<&str>,
) -> Result<FreeTrialId, &'static str> {
    let mut work = panel.work().await;
    let new = NewTrial { user_id: UserId::new(1), quest_id, url: "https://photo.example/p", proof_url };
    match request(&mut work, new).await {
        Ok(id) => {
            work.finish(()).await.unwrap();
            Ok(id)
        }
        Err(error) => Err(error.report("test").code),
    }
}

async fn a_quests_terms_hold_when_it_is_asked_for(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let off = panel.quest(json!({ "is_enabled": false })).await;
    assert_eq!(asks(&panel, off, None).await, Err("quest_unknown"));
    let over = panel.quest(json!({})).await;
    panel
        .exec(Sql::new("UPDATE free_trial_quests SET deadline = ? WHERE id = ?").bind(NOW - 1).bind(over))
        .await;
    assert_eq!(asks(&panel, over, None).await, Err("quest_over"));
    let earned =
        panel.quest(json!({ "is_allowed_with_spend_above": true, "min_user_spend_amount": "5" })).await;
    assert_eq!(asks(&panel, earned, None).await, Err("quest_not_earned"));
    let once = panel.quest(json!({})).await;
    assert_eq!(asks(&panel, once, Some("https://photo.example/proof")).await, Err("proof_not_taken"));
    asks(&panel, once, None).await.unwrap();
    assert_eq!(asks(&panel, once, None).await, Err("quest_used_up"), "one that waits counts");
    let shown = panel.quest(json!({ "allow_proof_url": true })).await;
    assert_eq!(asks(&panel, shown, Some("javascript:alert(1)")).await, Err("invalid"));
    let id = asks(&panel, shown, Some(" https://photo.example/proof ")).await.unwrap();
    let listed = panel
        .get(&format!("/api/v1/admin/free-trials?columns[0][data]=id&columns[0][search][value]={id}"))
        .await;
    let row = listed.json()["data"][0].clone();
    assert_eq!(
        (&row["proof_url"], &row["status"]),
        (&json!("https://photo.example/proof"), &json!("pending"))
    );
    // A good customer is approved at once; the other terms hold for them as well.
    let good = json!({ "auto_approve_is_allowed": true, "min_amount_for_auto_approve": "5" });
    let good = panel.quest(good).await;
    let waits = asks(&panel, good, None).await.unwrap();
    assert_eq!(panel.decide(waits, "reject", json!({})).await.status, 200, "five were not spent yet");
    panel
        .place(&panel_server::operations::orders::place::NewOrder::plain(
            UserId::new(1),
            PLAIN,
            "https://video.example/1",
            500,
        ))
        .await;
    let id = asks(&panel, good, None).await.unwrap();
    let sql = Sql::new(
        "SELECT count(*) FROM free_trials t JOIN orders o ON o.id = t.order_id WHERE t.id = ? AND t.status = 'approved' AND o.cost = 0",
    );
    assert_eq!(panel.number(sql.bind(id)).await, 1);
    asks(&panel, earned, None).await.unwrap();
    panel.assert_healthy().await;
}
