//! Retention: the server deletes old records in small batches, but never ledger entries or the sealed audit trail.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::moment::Time;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Source, Sql};
use panel_server::auth::store::delete_ended_sessions;
use panel_server::background::retention::rules::{RETENTION_RULES, RetentionPeriod};
use panel_server::background::retention::{remove_due, run_daily};
use panel_server::configuration::webhooks::outbox::remove_orphans;
use serde_json::json;

use crate::panel::{NOW, Panel};
use crate::uploads::PIXEL;

both! {
    old_records_are_deleted_in_batches_and_newer_ones_stay;
    retention_runs_once_a_day_and_is_audited_per_table;
    deliveries_of_deleted_webhooks_are_deleted_with_their_events;
    change_logs_are_deleted_only_if_the_setting_is_set;
    documents_and_files_of_a_deactivated_customer_are_deleted;
    settings_out_of_bounds_are_refused;
    row_counts_and_search_are_correct_after_a_removal;
    ended_sessions_are_deleted_in_batches;
}

const DAY_MICROS: i64 = 86_400_000_000;

async fn count(panel: &Panel, sql: &'static str) -> i64 {
    panel.number(Sql::new(sql)).await
}

async fn set_days(panel: &Panel, key: &str, days: i64) {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
    panel.execute(sql.bind(key.to_owned()).bind(days.to_string())).await;
}

/// Inserts 1,200 jobs that were done ten days ago at different times, and one that was done yesterday.
async fn add_jobs(panel: &Panel) {
    let rows = (0..1_200).map(|number| vec![(NOW - 10 * DAY_MICROS + number / 3).into()]).collect();
    let sql = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, done_at) SELECT 'mail', '{}', 1, 1, r.at FROM ",
    );
    panel.execute(sql.rows("r", &["at"], rows)).await;
    let sql = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, done_at) VALUES ('mail', '{}', 1, 1, ?)",
    );
    panel.execute(sql.bind(NOW - DAY_MICROS)).await;
}

async fn old_records_are_deleted_in_batches_and_newer_ones_stay(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    add_jobs(&panel).await;
    let event = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) VALUES (1, 'a', 'order.created', '{}', ?), (2, 'b', 'order.created', '{}', ?)",
    );
    panel.execute(event.bind(NOW - 31 * DAY_MICROS).bind(NOW - 29 * DAY_MICROS)).await;
    for event in [1_i64, 2] {
        let sql = Sql::new(
            "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) VALUES (1, ?, 'delivered', 1)",
        );
        panel.execute(sql.bind(event)).await;
    }
    let webhook = Sql::new(
        "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at) VALUES (1, 'https://a.test', '[]', TRUE, 1, 1)",
    );
    panel.execute(webhook).await;
    let dead = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, dead_at) VALUES ('mail', '{}', 1, 1, ?), ('mail', '{}', 1, 1, ?)",
    );
    panel.execute(dead.bind(NOW - 91 * DAY_MICROS).bind(NOW - 89 * DAY_MICROS)).await;
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM jobs WHERE done_at IS NOT NULL").await, 1);
    assert_eq!(count(&panel, "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL").await, 1);
    assert_eq!(count(&panel, "SELECT CAST(sum(id) AS BIGINT) FROM webhook_events").await, 2);
    assert_eq!(count(&panel, "SELECT CAST(sum(event_id) AS BIGINT) FROM webhook_deliveries").await, 2);
}

async fn retention_runs_once_a_day_and_is_audited_per_table(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    add_jobs(&panel).await;
    let audit_count = "SELECT count(*) FROM audits WHERE event = 'retention.removed'";
    let (first, second) = tokio::join!(run_daily(&panel.app), run_daily(&panel.app));
    first.unwrap();
    second.unwrap();
    assert_eq!(count(&panel, audit_count).await, 1, "one process runs, and it deleted rows of one table");
    let entry = panel
        .get("/api/v1/admin/audits?columns[0][data]=event&columns[0][search][value]=retention.removed")
        .await;
    let new = &entry.json()["data"][0]["new_values"];
    assert_eq!(
        (&new["table"], &new["records"], &new["kept_days"]),
        (&json!("jobs"), &json!(1_200), &json!(7))
    );
    add_jobs(&panel).await;
    run_daily(&panel.app).await.unwrap();
    assert_eq!(count(&panel, audit_count).await, 1, "a second run on the same day does nothing");
    panel.clock.advance_secs(86_400);
    run_daily(&panel.app).await.unwrap();
    assert_eq!(count(&panel, audit_count).await, 2);
}

/// Inserts sessions, each of its own sign-in: `expired` ones past their absolute end, and `idle` ones unused for eight days.
async fn add_sessions(panel: &Panel, expired: i64, idle: i64) {
    let session_row = |number: i64| {
        let expires_at = if number < expired { NOW - 1 } else { NOW + DAY_MICROS };
        let last_used_at = if number < expired { NOW - 2 } else { NOW - 8 * DAY_MICROS };
        vec![number.into(), expires_at.into(), last_used_at.into()]
    };
    let sql = Sql::new(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
         SELECT (SELECT min(id) FROM users), 'family-' || r.at, CAST('ended-' || r.at AS ",
    );
    let bytes = if panel.app.db.dialect() == Dialect::Postgres { "BYTEA" } else { "BLOB" };
    let sql = sql.push(bytes).push("), 1, 1, r.ends, r.used, '127.0.0.1', 'test' FROM ");
    let rows = (0..expired + idle).map(session_row).collect();
    panel.execute(sql.rows("r", &["at", "ends", "used"], rows)).await;
}

async fn ended_sessions_are_deleted_in_batches(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    add_sessions(&panel, 1_100, 600).await;
    // A family with a token in use keeps its older tokens too.
    let refreshed = "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
      SELECT user_id, family_id, ?, 1, 1, expires_at, ?, ip_address, user_agent FROM sessions WHERE family_id = 'family-1699'";
    panel.execute(Sql::new(refreshed).bind(vec![1_u8; 32]).bind(NOW - 1)).await;
    let mut batches = Vec::new();
    while batches.last() != Some(&0) {
        batches.push(delete_ended_sessions(&mut &panel.app.db, Time(NOW)).await.unwrap());
    }
    assert_eq!(batches, [500, 500, 100, 500, 99, 0]);
    assert_eq!(count(&panel, "SELECT count(*) FROM sessions WHERE family_id LIKE 'family-%'").await, 2);
    add_sessions(&panel, 1_100, 0).await;
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM sessions").await, 3, "the owner's session stays too");
}

/// Webhooks 1 and 3 exist. 2, 7 and 8 were deleted while orders wrote deliveries for them; 800 of the 1,300 events also have a
/// delivery to webhook 3.
async fn deliveries_of_deleted_webhooks_are_deleted_with_their_events(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let webhooks = "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at)
      VALUES (1, 'https://a.test', '[]', TRUE, 1, 1), (3, 'https://c.test', '[]', TRUE, 1, 1)";
    panel.execute(Sql::new(webhooks)).await;
    let events = (1..=1_300_i64).map(|id| vec![id.into(), format!("m{id}").into(), NOW.into()]);
    let sql = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) SELECT r.id, r.m, 'order.created', '{}', r.at FROM ",
    );
    panel.execute(sql.rows("r", &["id", "m", "at"], events.collect())).await;
    let deliveries_to =
        |webhook: i64, last: i64| (1..=last).map(move |event| vec![webhook.into(), event.into()]);
    let deliveries = deliveries_to(2, 1_300)
        .chain(deliveries_to(3, 800))
        .chain(deliveries_to(7, 1))
        .chain(deliveries_to(8, 1));
    let sql = Sql::new(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) SELECT r.w, r.e, 'pending', 1 FROM ",
    );
    panel.execute(sql.rows("r", &["w", "e"], deliveries.collect())).await;

    assert_eq!(remove_orphans(&panel.app.db).await.unwrap(), Some(500), "one transaction removes one batch");
    assert!(remove_due(&panel.app, None).await.unwrap());
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = 3").await, 800);
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_deliveries").await, 800);
    assert_eq!(count(&panel, "SELECT count(*) FROM webhook_events").await, 800);
    assert_eq!(remove_orphans(&panel.app.db).await.unwrap(), None);
}

async fn add_change_logs(panel: &Panel, ages: &[i64]) {
    for days in ages {
        let sql = Sql::new(
            "INSERT INTO change_logs (created_at, action_type, type, target_id, information) VALUES (?, 'updated', 'service', 1, 'traceable')",
        );
        panel.execute(sql.bind(NOW - days * DAY_MICROS)).await;
    }
}

async fn change_logs_are_deleted_only_if_the_setting_is_set(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    add_change_logs(&panel, &[400, 31, 29]).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(
        count(&panel, "SELECT count(*) FROM change_logs").await,
        3,
        "change logs are kept unless the setting is set"
    );
    let refused = (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await;
    assert!(refused.unwrap_err().to_string().contains("append-only"));
    set_days(&panel, "change_logs_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(count(&panel, "SELECT count(*) FROM change_logs").await, 1);
    let refused = (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await;
    assert!(refused.is_err(), "an entry within the retention period is append-only");
}

async fn row_counts_and_search_are_correct_after_a_removal(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    add_change_logs(&panel, &[400, 31, 29]).await;
    set_days(&panel, "change_logs_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    let list = "/api/v1/admin/services/logs";
    let page = panel.get(list).await.json();
    assert_eq!((&page["recordsTotal"], page["data"].as_array().unwrap().len()), (&json!(1), 1));
    let search_page = panel.get(&format!("{list}?search[value]=traceable")).await.json();
    assert_eq!(
        (&search_page["recordsFiltered"], search_page["data"].as_array().unwrap().len()),
        (&json!(1), 1)
    );
}

async fn documents_and_files_of_a_deactivated_customer_are_deleted(dialect: Dialect) {
    let panel = Panel::shop(dialect, 9, 0).await;
    for user in [5, 6] {
        let path = format!("/api/v1/admin/users/{user}/verification-documents");
        let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
        assert_eq!(panel.post(&path, &body).await.status, 200);
    }
    let deactivate = Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = ? WHERE id = 5");
    panel.execute(deactivate.bind(Time(NOW - 31 * DAY_MICROS))).await;
    let files = || std::fs::read_dir(panel.app.config.data_dir.join("uploads/private")).unwrap().count();
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!((files(), count(&panel, "SELECT count(*) FROM verification_documents").await), (2, 2));
    set_days(&panel, "documents_keep_days", 30).await;
    remove_due(&panel.app, None).await.unwrap();
    assert_eq!(files(), 1);
    assert_eq!(count(&panel, "SELECT CAST(sum(user_id) AS BIGINT) FROM verification_documents").await, 6);
}

async fn settings_out_of_bounds_are_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for key in ["documents_keep_days", "change_logs_keep_days"] {
        for out_of_bounds in [json!(-1), json!(3_651), json!("soon")] {
            let answer = panel.post("/api/v1/admin/settings", &json!({ key: out_of_bounds })).await;
            assert_eq!(answer.status, 422, "{key}: {}", answer.text);
        }
    }
}

/// The table of docs/security.md has exactly the declared retention rules.
#[test]
fn the_documentation_lists_each_retention_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(path).unwrap();
    let section = text.split("\n## Retention").nth(1).unwrap().split("\n## ").next().unwrap();
    let parse_row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let name = cells[0].trim_end_matches('`').to_owned();
        Some((name, cells[1].trim_matches('`').to_owned(), cells[2].to_owned()))
    };
    let documented: BTreeSet<_> = section.lines().filter_map(parse_row).collect();
    let declared: BTreeSet<_> = RETENTION_RULES
        .iter()
        .map(|rule| {
            let period = match rule.period {
                RetentionPeriod::Days(days) => format!("{days} days"),
                RetentionPeriod::Setting(key) => format!("`{key}`"),
                RetentionPeriod::Webhooks => "`webhooks.keep_days`".to_owned(),
            };
            (rule.table.to_owned(), rule.age_column.to_owned(), period)
        })
        .collect();
    assert_eq!(documented, declared);
}
