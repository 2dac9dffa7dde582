//! Undo of archiving and switching: each kind of the catalogue, from each of its states, is as it was before.

use std::collections::BTreeSet;

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::records::undo;
use serde_json::{Value, json};

use crate::panel::{Answer, Panel};

both! {
    every_kind_is_as_it_was;
    staff_are_as_they_were;
    a_service_in_use_is_not_archived_by_an_undo;
    a_quest_or_a_page_in_use_is_not_archived_by_an_undo;
}

/// A kind of record, with one that nothing uses and what can be done to it.
struct Kind {
    kind: &'static str,
    table: &'static str,
    /// Makes record 901.
    insert: &'static str,
    path: &'static str,
    /// Flags of the record, each with the verbs that set and clear it.
    flags: &'static [(&'static str, &'static str, &'static str)],
    /// How many of the verbs are allowed over all states.
    allowed: usize,
}

const ARCHIVED: (&str, &str, &str) = ("is_archived", "archive", "unarchive");
const ENABLED: (&str, &str, &str) = ("is_enabled", "enable", "disable");
const ID: i64 = 901;

const KINDS: &[Kind] = &[
    Kind {
        kind: "page",
        table: "panel_pages",
        insert: "INSERT INTO panel_pages (id, name, route_name, created_at, updated_at) VALUES (901, 'About', 'about', 1, 1)",
        path: "panel-pages",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "coupon",
        table: "coupons",
        insert: "INSERT INTO coupons (id, name, code, payment_type, valid_from, bonus_type, bonus_amount_calculation_type, bonus_ppm, created_at, updated_at)
          VALUES (901, 'Autumn', 'AUTUMN', 'order', 1, 'discount', 'percent', 100000, 1, 1)",
        path: "coupons",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "package",
        table: "packages",
        insert: "INSERT INTO packages (id, name, type, network_id, created_at, updated_at) VALUES (901, 'Starter', 'manual', 1, 1, 1)",
        path: "packages",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "provider",
        table: "providers",
        insert: "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (901, 'Third', 'active', 1, 1)",
        path: "providers",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "special_offer",
        table: "special_offers",
        insert: "INSERT INTO special_offers (id, name, network_id, place, position, created_at, updated_at) VALUES (901, 'Week', 1, 'orders', 'top', 1, 1)",
        path: "special-offers",
        flags: &[ARCHIVED, ENABLED],
        allowed: 6,
    },
    Kind {
        kind: "payment_method",
        table: "payment_methods",
        insert: "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (901, 'Card', 'card', 901, 1, 1)",
        path: "payment-methods",
        flags: &[ENABLED],
        allowed: 2,
    },
    Kind {
        kind: "discount",
        table: "discounts",
        insert: "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (901, 'Sale', 1, 1, 1)",
        path: "discounts",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "quest",
        table: "free_trial_quests",
        insert: "INSERT INTO free_trial_quests (id, name, service_id, quantity, created_at, updated_at) VALUES (901, 'Post', 1, 100, 1, 1)",
        path: "free-trial-quests",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "grade",
        table: "grades",
        insert: "INSERT INTO grades (id, name, created_at, updated_at) VALUES (901, 'Gold', 1, 1)",
        path: "grades",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "service",
        table: "services",
        insert: "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
          VALUES (901, 1, 'Likes', 100, 1000, 1, 1000000, 1, 1)",
        path: "services",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "menu_item",
        table: "menu_items",
        insert: "INSERT INTO menu_items (id, name, url, created_at, updated_at) VALUES (901, 'Help', 'https://help.example', 1, 1)",
        path: "panel-menu-items",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "external_panel",
        table: "external_panels",
        insert: "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (901, 'Boost', 'https://boost.example/api', 1, 1)",
        path: "external-panels",
        flags: &[ARCHIVED],
        allowed: 2,
    },
    Kind {
        kind: "webhook",
        table: "webhooks",
        insert: "INSERT INTO webhooks (id, url, created_at, updated_at) VALUES (901, 'https://hook.example/in', 1, 1)",
        path: "webhooks",
        flags: &[("is_active", "true", "false")],
        allowed: 2,
    },
];

impl Panel {
    /// Archives, brings back, enables or disables record 901; a webhook is switched by its editor.
    async fn switched(&self, kind: &Kind, verb: &str) -> Answer {
        let path = format!("/api/v1/admin/{}/{ID}", kind.path);
        match kind.kind {
            "webhook" => {
                self.send("owner", "PUT", &path, &json!({ "is_active": verb == "true" }), None).await
            }
            _ => self.post(&format!("{path}/{verb}"), &json!({})).await,
        }
    }

    async fn flagged(&self, kind: &Kind, flags: &[bool]) {
        for ((flag, _, _), value) in kind.flags.iter().zip(flags) {
            let sql = Sql::new("UPDATE ").push(kind.table).push(" SET ").push(flag).push(" = ? WHERE id = ?");
            self.exec(sql.bind(*value).bind(ID)).await;
        }
    }

    async fn taken_back(&self, answer: &Answer) -> Answer {
        self.post("/api/v1/admin/undo", &json!({ "request_id": answer.json()["undo"]["request_id"] })).await
    }
}

/// All states of so many flags.
fn states(flags: usize) -> Vec<Vec<bool>> {
    (0..1_u32 << flags).map(|bits| (0..flags).map(|flag| bits & (1 << flag) != 0).collect()).collect()
}

async fn every_kind_is_as_it_was(dialect: Dialect) {
    let known: BTreeSet<&str> = undo::kinds().collect();
    assert_eq!(
        KINDS.iter().map(|kind| kind.kind).collect::<BTreeSet<_>>(),
        known,
        "a kind without a row here"
    );
    let panel = Panel::shop(dialect, 5, 0).await;
    let mut others = Vec::new();
    for kind in KINDS {
        panel.exec(Sql::new(kind.insert)).await;
        let (mut allowed, mut refused) = (0, Vec::new());
        for state in states(kind.flags.len()) {
            for verb in kind.flags.iter().flat_map(|(_, set, clear)| [*set, *clear]) {
                panel.flagged(kind, &state).await;
                let case = format!("{verb} {} {state:?}", kind.kind);
                let before = panel.row(kind.table, ID).await;
                let answer = panel.switched(kind, verb).await;
                if answer.status != 200 || answer.json()["undo"].is_null() {
                    assert_eq!(panel.row(kind.table, ID).await, before, "{case}: {}", answer.text);
                    refused.push(answer.text);
                    continue;
                }
                assert_ne!(panel.row(kind.table, ID).await, before, "{case}");
                let back = panel.taken_back(&answer).await;
                assert_eq!(back.status, 200, "{case}: {}", back.text);
                assert_eq!(panel.row(kind.table, ID).await, before, "{case}");
                assert_eq!(panel.taken_back(&answer).await.status, 409, "{case}: once");
                allowed += 1;
            }
        }
        if allowed != kind.allowed {
            others.push((kind.kind, allowed, refused));
        }
    }
    assert!(others.is_empty(), "other than as many actions can be undone: {others:#?}");
}

async fn staff_are_as_they_were(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.staff("clerk", &[Permission::ViewOrders]).await;
    let id = panel.number(Sql::new("SELECT id FROM users WHERE email = 'clerk@panel.test'")).await;
    let mut undone = 0;
    for status in ["active", "frozen", "deactivated"] {
        for is_active in [true, false] {
            let sql = Sql::new(
                "UPDATE users SET status = ?, frozen_at = CASE WHEN ? THEN 5 END, deactivated_at = CASE WHEN ? THEN 7 END WHERE id = ?",
            );
            let sql = sql.bind(status).bind(status == "frozen").bind(status == "deactivated");
            panel.exec(sql.bind(id)).await;
            let before = panel.row("users", id).await;
            let path = format!("/api/v1/admin/staffs/{id}");
            let answer = panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            if answer.json()["undo"].is_null() {
                assert_eq!(panel.row("users", id).await, before, "{status} {is_active}");
                continue;
            }
            assert_eq!(panel.taken_back(&answer).await.status, 200, "{status} {is_active}");
            assert_eq!(panel.row("users", id).await, before, "{status} {is_active}");
            undone += 1;
        }
    }
    assert!(undone >= 2, "{undone}");
}

/// What came to use a service since it was brought back keeps it: the undo names the use, as archiving it does.
async fn a_service_in_use_is_not_archived_by_an_undo(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    let kind = KINDS.iter().find(|kind| kind.kind == "service").unwrap();
    panel.exec(Sql::new(kind.insert)).await;
    panel.flagged(kind, &[true]).await;
    let back = panel.switched(kind, "unarchive").await;
    assert_eq!(back.status, 200, "{}", back.text);
    for sql in [
        "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (901, 'Sale', 1, 1, 1)",
        "INSERT INTO discount_services (discount_id, service_id, percent_ppm) VALUES (901, 901, 100000)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let refused = panel.taken_back(&back).await;
    assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (409, &json!("undo_conflict")));
    assert!(
        refused.json()["message"].as_str().unwrap().contains("discounts: Sale (901)"),
        "{}",
        refused.text
    );
    assert_eq!(refused.json()["skipped"][0]["id"], Value::from(ID), "{}", refused.text);
    panel.exec(Sql::new("DELETE FROM discount_services WHERE discount_id = 901")).await;
    assert_eq!(panel.taken_back(&back).await.status, 200);
}

/// The declaration of a kind names its uses once, for its action and for the undo.
async fn a_quest_or_a_page_in_use_is_not_archived_by_an_undo(dialect: Dialect) {
    let panel = Panel::shop(dialect, 5, 0).await;
    for (kind, uses, used) in [
        (
            "quest",
            "INSERT INTO free_trials (id, free_trial_quest_id, user_id, name, url, quantity, created_at)
             VALUES (901, 901, 1, 'Post', 'https://photo.example/p', 100, 1)",
            "pending free-trial requests: Post (901)",
        ),
        (
            "page",
            "INSERT INTO menu_items (id, name, url, created_at, updated_at) VALUES (901, 'About us', '/about', 1, 1)",
            "menu items: About us (901)",
        ),
    ] {
        let kind = KINDS.iter().find(|known| known.kind == kind).unwrap();
        panel.exec(Sql::new(kind.insert)).await;
        panel.flagged(kind, &[true]).await;
        let restored = panel.switched(kind, "unarchive").await;
        assert_eq!(restored.status, 200, "{}", restored.text);
        panel.exec(Sql::new(uses)).await;
        let refused = panel.taken_back(&restored).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (409, &json!("undo_conflict")));
        assert!(refused.json()["message"].as_str().unwrap().contains(used), "{}", refused.text);
    }
}
