//! Records end by their age, in small batches, and nothing that is money or sealed ever does.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::moment::Time;
use panel_contract::upload::data_url;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::auth::store::delete_ended_sessions;
use panel_server::background::retention::declared::{RETENTION_RULES, RetentionPeriod};
use panel_server::background::retention::{remove_due, run_daily};
use panel_server::configuration::webhooks::outbox::remove_orphans;
use serde_json::json;

use crate::panel::{NOW, Panel};
use crate::uploads::PIXEL;

both! {
    old_records_end_in_batches_and_young_ones_stay;
    a_run_is_once_a_day_and_audited_by_table;
    deliveries_of_deleted_webhooks_end_with_their_events;
    change_logs_end_by_their_setting_alone;
    documents_end_with_their_files_after_the_customer_left;
    settings_out_of_bounds_are_refused;
    counts_and_searches_agree_after_a_removal;
    sessions_that_ended_go_in_batches;
}

const DAY_MICROS: i64 = 86_400_000_000;

async fn count(panel: &Panel, sql: &'static str) -> i64 {
    panel.number(Sql::new(sql)).await
}

async fn put(panel: &Panel, key: &str, days: i64) {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
    panel.exec(sql.bind(key.to_owned()).bind(days.to_string())).await;
}

/// 1,200 done jobs of ten days ago at different moments, and one of today.
async fn jobs(panel: &Panel) {
    let rows = (0..1_200).map(|at| vec![(NOW - 10 * DAY_MICROS + at / 3).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, done_at) SELECT 'mail', '{}', 1, 1, r.at FROM ",
    );
    panel.exec(sql.rows("r", &["at"], rows)).await;
    let sql = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, done_at) VALUES ('mail', '{}', 1, 1, ?)",
    );
    panel.exec(sql.bind(NOW - DAY_MICROS)).await;
}

async fn old_records_end_in_batches_and_young_ones_stay(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    jobs(&panel).await;
    let event = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) VALUES (1, 'a', 'order.created', '{}', ?), (2, 'b', 'order.created', '{}', ?)",
    );
    panel.exec(event.bind(NOW - 31 * DAY_MICROS).bind(NOW - 29 * DAY_MICROS)).await;
    for event in [1_i64, 2] {
        let sql = Sql::new(
            "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) VALUES (1, ?, 'delivered', 1)",
        );
        panel.exec(sql.bind(event)).await;
    }
    let webhook = Sql::new(
        "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at) VALUES (1, 'https://a.test', '[]', TRUE, 1, 1)",
    );
    panel.exec(webhook).await;
    let dead = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, dead_at) VALUES ('mail', '{}', 1, 1, ?), ('mail', '{}', 1, 1, ?)",
    );
    panel.exec(dead.bind(NOW - 91 * DAY_MICROS).bind(NOW - 89 * DAY_MICROS)).await;
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM jobs WHERE done_at IS NOT NULL").await, 1);
    assert_eq!(count(&panel, "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL").await, 1);
    assert_eq!(count(&panel, "SELECT CAST(sum(id) AS BIGINT) FROM webhook_events").await, 2);
    assert_eq!(count(&panel, "SELECT CAST(sum(event_id) AS BIGINT) FROM webhook_deliveries").await, 2);
}

async fn a_run_is_once_a_day_and_audited_by_table(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    jobs(&panel).await;
    let audited = "SELECT count(*) FROM audits WHERE event = 'retention.removed'";
    let (one, two) = tokio::join!(run_daily(&panel.app), run_daily(&panel.app));
    one.unwrap();
    two.unwrap();
    assert_eq!(count(&panel, audited).await, 1, "one process runs, and one table had something");
    let entry = panel
        .get("/api/v1/admin/audits?columns[0][data]=event&columns[0][search][value]=retention.removed")
        .await;
    let new = &entry.json()["data"][0]["new_values"];
    assert_eq!(
        (&new["table"], &new["records"], &new["kept_days"]),
        (&json!("jobs"), &json!(1_200), &json!(7))
    );
    jobs(&panel).await;
    run_daily(&panel.app).await.unwrap();
    assert_eq!(count(&panel, audited).await, 1, "not again on the same day");
    panel.clock.advance_secs(86_400);
    run_daily(&panel.app).await.unwrap();
    assert_eq!(count(&panel, audited).await, 2);
}

/// Sessions that were made so many days ago, each a sign-in of its own: the first number of them reached its absolute end, the
/// second was not used for eight days.
async fn sessions(panel: &Panel, expired: i64, idle: i64) {
    let row = |at: i64| {
        let ends = if at < expired { NOW - 1 } else { NOW + DAY_MICROS };
        let used = if at < expired { NOW - 2 } else { NOW - 8 * DAY_MICROS };
        vec![at.into(), ends.into(), used.into()]
    };
    let sql = Sql::new(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
         SELECT (SELECT min(id) FROM users), 'family-' || r.at, CAST('ended-' || r.at AS ",
    );
    let bytes = if panel.app.db.dialect() == Dialect::Postgres { "BYTEA" } else { "BLOB" };
    let sql = sql.push(bytes).push("), 1, 1, r.ends, r.used, '127.0.0.1', 'test' FROM ");
    let rows = (0..expired + idle).map(row).collect();
    panel.exec(sql.rows("r", &["at", "ends", "used"], rows)).await;
}

async fn sessions_that_ended_go_in_batches(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    sessions(&panel, 1_100, 600).await;
    // Of a sign-in that is still used the older token stays.
    let newer = "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
      SELECT user_id, family_id, ?, 1, 1, expires_at, ?, ip_address, user_agent FROM sessions WHERE family_id = 'family-1699'";
    panel.exec(Sql::new(newer).bind(vec![1_u8; 32]).bind(NOW - 1)).await;
    let mut batches = Vec::new();
    while batches.last() != Some(&0) {
        batches.push(delete_ended_sessions(&mut &panel.app.db, Time(NOW)).await.unwrap());
    }
    assert_eq!(batches, [500, 500, 100, 500, 99, 0]);
    assert_eq!(count(&panel, "SELECT count(*) FROM sessions WHERE family_id LIKE 'family-%'").await, 2);
    sessions(&panel, 1_100, 0).await;
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM sessions").await, 3, "the owner's stays as well");
}

/// Webhooks 1 and 3 are there. 2, 7 and 8 were deleted while orders wrote deliveries for them; 800 of the 1,300 events went to
/// webhook 3 as well.
async fn deliveries_of_deleted_webhooks_end_with_their_events(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let webhooks = "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at)
      VALUES (1, 'https://a.test', '[]', TRUE, 1, 1), (3, 'https://c.test', '[]', TRUE, 1, 1)";
    panel.exec(Sql::new(webhooks)).await;
    let events = (1..=1_300_i64).map(|id| vec![id.into(), format!("m{id}").into(), NOW.into()]);
    let sql = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) SELECT r.id, r.m, 'order.created', '{}', r.at FROM ",
    );
    panel.exec(sql.rows("r", &["id", "m", "at"], events.collect())).await;
    let to = |webhook: i64, last: i64| (1..=last).map(move |event| vec![webhook.into(), event.into()]);
    let ways = to(2, 1_300).chain(to(3, 800)).chain(to(7, 1)).chain(to(8, 1));
    let sql = Sql::new(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) SELECT r.w, r.e, 'pending', 1 FROM ",
    );
    panel.exec(sql.rows("r", &["w", "e"], ways.collect())).await;

    assert_eq!(remove_orphans(&panel.app.db).await.unwrap(), Some(500), "one transaction removes so many");
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = 3").await, 800);
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_deliveries").await, 800);
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_events").await, 800);
    assert_eq!(remove_orphans(&panel.app.db).await.unwrap(), None);
}

async fn log(panel: &Panel, ages: &[i64]) {
    for days in ages {
        let sql = Sql::new(
            "INSERT INTO change_logs (created_at, action_type, type, target_id, information) VALUES (?, 'updated', 'service', 1, 'traceable')",
        );
        panel.exec(sql.bind(NOW - days * DAY_MICROS)).await;
    }
}

async fn change_logs_end_by_their_setting_alone(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    log(&panel, &[400, 31, 29]).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(count(&panel, "SELECT count(*) FROM change_logs").await, 3, "for ever, unless it is set");
    let refused = (&mut &panel.app.db).exec(Sql::new("DELETE FROM change_logs")).await;
    assert!(refused.unwrap_err().to_string().contains("append-only"));
    put(&panel, "change_logs_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(count(&panel, "SELECT count(*) FROM change_logs").await, 1);
    let refused = (&mut &panel.app.db).exec(Sql::new("DELETE FROM change_logs")).await;
    assert!(refused.is_err(), "a young entry stays append-only");
}

async fn counts_and_searches_agree_after_a_removal(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    log(&panel, &[400, 31, 29]).await;
    put(&panel, "change_logs_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    let list = "/api/v1/admin/services/logs";
    let page = panel.get(list).await.json();
    assert_eq!((&page["recordsTotal"], page["data"].as_array().unwrap().len()), (&json!(1), 1));
    let found = panel.get(&format!("{list}?search[value]=traceable")).await.json();
    assert_eq!((&found["recordsFiltered"], found["data"].as_array().unwrap().len()), (&json!(1), 1));
}

async fn documents_end_with_their_files_after_the_customer_left(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    for user in [5, 6] {
        let path = format!("/api/v1/admin/users/{user}/verification-documents");
        let body = json!({ "group": "card", "picture": data_url(PIXEL) });
        assert_eq!(panel.post(&path, &body).await.status, 200);
    }
    let left = Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = ? WHERE id = 5");
    panel.exec(left.bind(Time(NOW - 31 * DAY_MICROS))).await;
    let files = || std::fs::read_dir(panel.app.config.data_dir.join("uploads/private")).unwrap().count();
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!((files(), count(&panel, "SELECT count(*) FROM verification_documents").await), (2, 2));
    put(&panel, "documents_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(files(), 1);
    assert_eq!(count(&panel, "SELECT CAST(sum(user_id) AS BIGINT) FROM verification_documents").await, 6);
}

async fn settings_out_of_bounds_are_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for key in ["documents_keep_days", "change_logs_keep_days"] {
        for wrong in [json!(-1), json!(3_651), json!("soon")] {
            let answer = panel.post("/api/v1/admin/settings", &json!({ key: wrong })).await;
            assert_eq!(answer.status, 422, "{key}: {}", answer.text);
        }
    }
}

/// docs/security.md has a table of what ends when: each declaration, and nothing that is none.
#[test]
fn the_documentation_has_each_declaration() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(path).unwrap();
    let part = text.split("\n## Retention").nth(1).unwrap().split("\n## ").next().unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let name = cells[0].trim_end_matches('`').to_owned();
        Some((name, cells[1].trim_matches('`').to_owned(), cells[2].to_owned()))
    };
    let documented: BTreeSet<_> = part.lines().filter_map(row).collect();
    let declared: BTreeSet<_> = RETENTION_RULES
        .iter()
        .map(|of| {
            let keep = match of.period {
                RetentionPeriod::Days(days) => format!("{days} days"),
                RetentionPeriod::Setting(key) => format!("`{key}`"),
                RetentionPeriod::Webhooks => "`webhooks.keep_days`".to_owned(),
            };
            (of.table.to_owned(), of.age.to_owned(), keep)
        })
        .collect();
    assert_eq!(documented, declared);
}
