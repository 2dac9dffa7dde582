//! Undo of archive, restore, enable and disable: it restores a record of each kind, from each state.

use std::collections::BTreeSet;

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::records::undo;
use serde_json::{Value, json};

use crate::panel::{Panel, TestResponse};

test_both_databases! {
    an_undo_restores_a_record_of_every_kind;
    an_undo_restores_a_staff_member;
    an_undo_does_not_archive_a_service_in_use;
    an_undo_does_not_archive_a_quest_or_a_page_in_use;
}

/// A kind of record that supports undo, with a record that nothing uses, and its actions.
struct UndoKind {
    kind: &'static str,
    table: &'static str,
    /// Inserts record 901.
    insert: &'static str,
    path: &'static str,
    /// The flags of the record: column, the action that sets it, the action that clears it.
    flags: &'static [(&'static str, &'static str, &'static str)],
    /// The number of accepted actions over all combinations of the flags.
    accepted_actions: usize,
}

const ARCHIVED: (&str, &str, &str) = ("is_archived", "archive", "unarchive");
const ENABLED: (&str, &str, &str) = ("is_enabled", "enable", "disable");
const RECORD_ID: i64 = 901;

const KINDS: &[UndoKind] = &[
    UndoKind {
        kind: "page",
        table: "panel_pages",
        insert: "INSERT INTO panel_pages (id, name, route_name, created_at, updated_at) VALUES (901, 'About', 'about', 1, 1)",
        path: "panel-pages",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "coupon",
        table: "coupons",
        insert: "INSERT INTO coupons (id, name, code, payment_type, valid_from, bonus_type, bonus_amount_calculation_type, bonus_ppm, created_at, updated_at)
          VALUES (901, 'Autumn', 'AUTUMN', 'order', 1, 'discount', 'percent', 100000, 1, 1)",
        path: "coupons",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "package",
        table: "packages",
        insert: "INSERT INTO packages (id, name, type, network_id, created_at, updated_at) VALUES (901, 'Starter', 'manual', 1, 1, 1)",
        path: "packages",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "provider",
        table: "providers",
        insert: "INSERT INTO providers (id, name, status, created_at, updated_at) VALUES (901, 'Third', 'active', 1, 1)",
        path: "providers",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "special_offer",
        table: "special_offers",
        insert: "INSERT INTO special_offers (id, name, network_id, place, position, created_at, updated_at) VALUES (901, 'Week', 1, 'orders', 'top', 1, 1)",
        path: "special-offers",
        flags: &[ARCHIVED, ENABLED],
        accepted_actions: 6,
    },
    UndoKind {
        kind: "payment_method",
        table: "payment_methods",
        insert: "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (901, 'Card', 'card', 901, 1, 1)",
        path: "payment-methods",
        flags: &[ENABLED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "discount",
        table: "discounts",
        insert: "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (901, 'Sale', 1, 1, 1)",
        path: "discounts",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "quest",
        table: "free_trial_quests",
        insert: "INSERT INTO free_trial_quests (id, name, service_id, quantity, created_at, updated_at) VALUES (901, 'Post', 1, 100, 1, 1)",
        path: "free-trial-quests",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "grade",
        table: "grades",
        insert: "INSERT INTO grades (id, name, created_at, updated_at) VALUES (901, 'Gold', 1, 1)",
        path: "grades",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "service",
        table: "services",
        insert: "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, min_price, default_price, created_at, updated_at)
          VALUES (901, 1, 'Likes', 100, 1000, 1, 1000000, 1, 1)",
        path: "services",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "menu_item",
        table: "menu_items",
        insert: "INSERT INTO menu_items (id, name, url, created_at, updated_at) VALUES (901, 'Help', 'https://help.example', 1, 1)",
        path: "panel-menu-items",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "external_panel",
        table: "external_panels",
        insert: "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (901, 'Boost', 'https://boost.example/api', 1, 1)",
        path: "external-panels",
        flags: &[ARCHIVED],
        accepted_actions: 2,
    },
    UndoKind {
        kind: "webhook",
        table: "webhooks",
        insert: "INSERT INTO webhooks (id, url, created_at, updated_at) VALUES (901, 'https://hook.example/in', 1, 1)",
        path: "webhooks",
        flags: &[("is_active", "true", "false")],
        accepted_actions: 2,
    },
];

impl Panel {
    /// Archives, restores, enables or disables record 901. A webhook has no such action: its `PUT` sets the flag.
    async fn post_kind_action(&self, kind: &UndoKind, action: &str) -> TestResponse {
        let path = format!("/api/v1/admin/{}/{RECORD_ID}", kind.path);
        match kind.kind {
            "webhook" => {
                self.send("owner", "PUT", &path, &json!({ "is_active": action == "true" }), None).await
            }
            _ => self.post(&format!("{path}/{action}"), &json!({})).await,
        }
    }

    async fn set_flags(&self, kind: &UndoKind, flags: &[bool]) {
        for ((flag, _, _), value) in kind.flags.iter().zip(flags) {
            let sql = Sql::new("UPDATE ").push(kind.table).push(" SET ").push(flag).push(" = ? WHERE id = ?");
            self.execute(sql.bind(*value).bind(RECORD_ID)).await;
        }
    }

    async fn post_undo(&self, response: &TestResponse) -> TestResponse {
        self.post("/api/v1/admin/undo", &json!({ "request_id": response.json()["undo"]["request_id"] })).await
    }
}

/// All combinations of this number of flags.
fn flag_combinations(flag_count: usize) -> Vec<Vec<bool>> {
    (0..1_u32 << flag_count)
        .map(|bits| (0..flag_count).map(|flag| bits & (1 << flag) != 0).collect())
        .collect()
}

async fn an_undo_restores_a_record_of_every_kind(dialect: Dialect) {
    let declared_kinds: BTreeSet<&str> = undo::kind_names().collect();
    assert_eq!(
        KINDS.iter().map(|kind| kind.kind).collect::<BTreeSet<_>>(),
        declared_kinds,
        "`KINDS` must have a row for each kind"
    );
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let mut unexpected_kinds = Vec::new();
    for kind in KINDS {
        panel.execute(Sql::new(kind.insert)).await;
        let (mut accepted_count, mut rejection) = (0, Vec::new());
        for state in flag_combinations(kind.flags.len()) {
            for action in kind.flags.iter().flat_map(|(_, set, clear)| [*set, *clear]) {
                panel.set_flags(kind, &state).await;
                let label = format!("{action} {} {state:?}", kind.kind);
                let before = panel.load_row(kind.table, RECORD_ID).await;
                let response = panel.post_kind_action(kind, action).await;
                if response.status != 200 || response.json()["undo"].is_null() {
                    assert_eq!(
                        panel.load_row(kind.table, RECORD_ID).await,
                        before,
                        "{label}: {}",
                        response.text
                    );
                    rejection.push(response.text);
                    continue;
                }
                assert_ne!(panel.load_row(kind.table, RECORD_ID).await, before, "{label}");
                let undo_response = panel.post_undo(&response).await;
                assert_eq!(undo_response.status, 200, "{label}: {}", undo_response.text);
                assert_eq!(panel.load_row(kind.table, RECORD_ID).await, before, "{label}");
                assert_eq!(panel.post_undo(&response).await.status, 409, "{label}: an undo works only once");
                accepted_count += 1;
            }
        }
        if accepted_count != kind.accepted_actions {
            unexpected_kinds.push((kind.kind, accepted_count, rejection));
        }
    }
    assert!(unexpected_kinds.is_empty(), "another number of actions can be undone: {unexpected_kinds:#?}");
}

async fn an_undo_restores_a_staff_member(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    let id = panel.fetch_number(Sql::new("SELECT id FROM users WHERE email = 'clerk@panel.test'")).await;
    let mut undo_count = 0;
    for status in ["active", "frozen", "deactivated"] {
        for is_active in [true, false] {
            let sql = Sql::new(
                "UPDATE users SET status = ?, frozen_at = CASE WHEN ? THEN 5 END, deactivated_at = CASE WHEN ? THEN 7 END WHERE id = ?",
            );
            let sql = sql.bind(status).bind(status == "frozen").bind(status == "deactivated");
            panel.execute(sql.bind(id)).await;
            let before = panel.load_row("users", id).await;
            let path = format!("/api/v1/admin/staffs/{id}");
            let response =
                panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await;
            assert_eq!(response.status, 200, "{}", response.text);
            if response.json()["undo"].is_null() {
                assert_eq!(panel.load_row("users", id).await, before, "{status} {is_active}");
                continue;
            }
            assert_eq!(panel.post_undo(&response).await.status, 200, "{status} {is_active}");
            assert_eq!(panel.load_row("users", id).await, before, "{status} {is_active}");
            undo_count += 1;
        }
    }
    assert!(undo_count >= 2, "{undo_count}");
}

/// A discount that uses the service since its restoration prevents the undo, and the error names it, as for an archive request.
async fn an_undo_does_not_archive_a_service_in_use(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    let kind = KINDS.iter().find(|kind| kind.kind == "service").unwrap();
    panel.execute(Sql::new(kind.insert)).await;
    panel.set_flags(kind, &[true]).await;
    let restored = panel.post_kind_action(kind, "unarchive").await;
    assert_eq!(restored.status, 200, "{}", restored.text);
    for sql in [
        "INSERT INTO discounts (id, name, valid_from, created_at, updated_at) VALUES (901, 'Sale', 1, 1, 1)",
        "INSERT INTO discount_services (discount_id, service_id, discount_ppm) VALUES (901, 901, 100000)",
    ] {
        panel.execute(Sql::new(sql)).await;
    }
    let rejection = panel.post_undo(&restored).await;
    assert_eq!((rejection.status.as_u16(), &rejection.json()["code"]), (409, &json!("undo_conflict")));
    assert!(
        rejection.json()["message"].as_str().unwrap().contains("discounts: Sale (901)"),
        "{}",
        rejection.text
    );
    assert_eq!(rejection.json()["skipped"][0]["id"], Value::from(RECORD_ID), "{}", rejection.text);
    panel.execute(Sql::new("DELETE FROM discount_services WHERE discount_id = 901")).await;
    assert_eq!(panel.post_undo(&restored).await.status, 200);
}

/// The undo checks the same uses as the archive action, from the declaration of the kind.
async fn an_undo_does_not_archive_a_quest_or_a_page_in_use(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 5, 0).await;
    for (kind, insert_use, use_text) in [
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
        let kind = KINDS.iter().find(|row| row.kind == kind).unwrap();
        panel.execute(Sql::new(kind.insert)).await;
        panel.set_flags(kind, &[true]).await;
        let restored = panel.post_kind_action(kind, "unarchive").await;
        assert_eq!(restored.status, 200, "{}", restored.text);
        panel.execute(Sql::new(insert_use)).await;
        let rejection = panel.post_undo(&restored).await;
        assert_eq!((rejection.status.as_u16(), &rejection.json()["code"]), (409, &json!("undo_conflict")));
        assert!(rejection.json()["message"].as_str().unwrap().contains(use_text), "{}", rejection.text);
    }
}
