//! Retention: the server deletes old records in small batches, but never deletes ledger entries or sealed audit entries.

use std::collections::BTreeSet;
use std::path::Path;

use panel_contract::moment::Time;
use panel_contract::upload::to_data_url;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_server::auth::store::delete_expired_sessions;
use panel_server::background::retention::rules::{RETENTION_RULES, RetentionPeriod};
use panel_server::background::retention::{remove_expired_records, run_daily};
use panel_server::configuration::webhooks::outbox::remove_orphans;
use serde_json::json;

use crate::panel::{NOW, Panel};
use crate::uploads::PIXEL;

test_both_databases! {
    deletes_old_records_in_batches_and_no_newer_records;
    retention_runs_once_a_day_and_is_audited_per_table;
    deliveries_of_deleted_webhooks_are_deleted_with_their_events;
    deletes_change_logs_only_if_the_setting_is_set;
    documents_and_files_of_a_deactivated_customer_are_deleted;
    settings_out_of_bounds_are_rejected;
    row_counts_and_search_are_correct_after_a_removal;
    ended_sessions_are_deleted_in_batches;
}

const DAY_MICROS: i64 = 86_400_000_000;

async fn fetch_number(panel: &Panel, sql: &'static str) -> i64 {
    panel.fetch_number(Sql::new(sql)).await
}

async fn set_retention_days(panel: &Panel, setting: &str, age_days: i64) {
    let sql = Sql::new(
        "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    );
    panel.execute(sql.bind(setting.to_owned()).bind(age_days.to_string())).await;
}

/// Inserts 1,200 jobs that were done ten days ago at different times, and one that was done yesterday.
async fn insert_done_jobs(panel: &Panel) {
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

async fn deletes_old_records_in_batches_and_no_newer_records(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    insert_done_jobs(&panel).await;
    let insert_events_sql = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) VALUES (1, 'a', 'order.created', '{}', ?), (2, 'b', 'order.created', '{}', ?)",
    );
    panel.execute(insert_events_sql.bind(NOW - 31 * DAY_MICROS).bind(NOW - 29 * DAY_MICROS)).await;
    for event_id in [1_i64, 2] {
        let sql = Sql::new(
            "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) VALUES (1, ?, 'delivered', 1)",
        );
        panel.execute(sql.bind(event_id)).await;
    }
    let insert_webhook_sql = Sql::new(
        "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at) VALUES (1, 'https://a.test', '[]', TRUE, 1, 1)",
    );
    panel.execute(insert_webhook_sql).await;
    let insert_given_up_jobs_sql = Sql::new(
        "INSERT INTO jobs (kind, payload, run_at, created_at, dead_at) VALUES ('mail', '{}', 1, 1, ?), ('mail', '{}', 1, 1, ?)",
    );
    panel.execute(insert_given_up_jobs_sql.bind(NOW - 91 * DAY_MICROS).bind(NOW - 89 * DAY_MICROS)).await;
    assert!(remove_expired_records(&panel.app, None).await.unwrap());
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM jobs WHERE done_at IS NOT NULL").await, 1);
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM jobs WHERE dead_at IS NOT NULL").await, 1);
    assert_eq!(fetch_number(&panel, "SELECT CAST(sum(id) AS BIGINT) FROM webhook_events").await, 2);
    assert_eq!(fetch_number(&panel, "SELECT CAST(sum(event_id) AS BIGINT) FROM webhook_deliveries").await, 2);
}

async fn retention_runs_once_a_day_and_is_audited_per_table(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    insert_done_jobs(&panel).await;
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'retention.removed'";
    let (first_result, second_result) = tokio::join!(run_daily(&panel.app), run_daily(&panel.app));
    first_result.unwrap();
    second_result.unwrap();
    assert_eq!(
        fetch_number(&panel, count_audits_sql).await,
        1,
        "only one process must run, and write one audit entry for the table with deleted rows"
    );
    let audit_response = panel
        .get("/api/v1/admin/audits?columns[0][data]=event&columns[0][search][value]=retention.removed")
        .await;
    let new_values = &audit_response.json()["data"][0]["new_values"];
    assert_eq!(
        (&new_values["table"], &new_values["records"], &new_values["kept_days"]),
        (&json!("jobs"), &json!(1_200), &json!(7))
    );
    insert_done_jobs(&panel).await;
    run_daily(&panel.app).await.unwrap();
    assert_eq!(
        fetch_number(&panel, count_audits_sql).await,
        1,
        "a second run on the same day must not do anything"
    );
    panel.clock.advance_secs(86_400);
    run_daily(&panel.app).await.unwrap();
    assert_eq!(fetch_number(&panel, count_audits_sql).await, 2);
}

/// Inserts sessions of different sign-ins: `expired_count` have reached their absolute end, `idle_count` were not used for eight days.
async fn insert_ended_sessions(panel: &Panel, expired_count: i64, idle_count: i64) {
    let session_row = |number: i64| {
        let expires_at = if number < expired_count { NOW - 1 } else { NOW + DAY_MICROS };
        let last_used_at = if number < expired_count { NOW - 2 } else { NOW - 8 * DAY_MICROS };
        vec![number.into(), expires_at.into(), last_used_at.into()]
    };
    let sql = Sql::new(
        "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
         SELECT (SELECT min(id) FROM users), 'family-' || r.at, CAST('ended-' || r.at AS ",
    );
    let binary_type = if panel.app.db.dialect() == Dialect::Postgres { "BYTEA" } else { "BLOB" };
    let sql = sql.push(binary_type).push("), 1, 1, r.ends, r.used, '127.0.0.1', 'test' FROM ");
    let rows = (0..expired_count + idle_count).map(session_row).collect();
    panel.execute(sql.rows("r", &["at", "ends", "used"], rows)).await;
}

async fn ended_sessions_are_deleted_in_batches(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    insert_ended_sessions(&panel, 1_100, 600).await;
    // Older tokens of a family are not deleted while a newer token of the family is in use.
    let insert_refreshed_session_sql = "INSERT INTO sessions (user_id, family_id, token_hash, created_at, signed_in_at, expires_at, last_used_at, ip_address, user_agent)
      SELECT user_id, family_id, ?, 1, 1, expires_at, ?, ip_address, user_agent FROM sessions WHERE family_id = 'family-1699'";
    panel.execute(Sql::new(insert_refreshed_session_sql).bind(vec![1_u8; 32]).bind(NOW - 1)).await;
    let mut batch_sizes = Vec::new();
    while batch_sizes.last() != Some(&0) {
        batch_sizes.push(delete_expired_sessions(&mut &panel.app.db, Time(NOW)).await.unwrap());
    }
    assert_eq!(batch_sizes, [500, 500, 100, 500, 99, 0]);
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM sessions WHERE family_id LIKE 'family-%'").await,
        2
    );
    insert_ended_sessions(&panel, 1_100, 0).await;
    assert!(remove_expired_records(&panel.app, None).await.unwrap());
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM sessions").await,
        3,
        "the owner's session must remain"
    );
}

/// Webhooks 1 and 3 exist. Webhooks 2, 7 and 8 were deleted while orders created deliveries for them. Of the 1,300 events, 800 also
/// have a delivery to webhook 3.
async fn deliveries_of_deleted_webhooks_are_deleted_with_their_events(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let insert_webhooks_sql = "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at)
      VALUES (1, 'https://a.test', '[]', TRUE, 1, 1), (3, 'https://c.test', '[]', TRUE, 1, 1)";
    panel.execute(Sql::new(insert_webhooks_sql)).await;
    let events = (1..=1_300_i64).map(|id| vec![id.into(), format!("m{id}").into(), NOW.into()]);
    let sql = Sql::new(
        "INSERT INTO webhook_events (id, message_id, type, body, created_at) SELECT r.id, r.m, 'order.created', '{}', r.at FROM ",
    );
    panel.execute(sql.rows("r", &["id", "m", "at"], events.collect())).await;
    let deliveries_to = |webhook: i64, last_event_id: i64| {
        (1..=last_event_id).map(move |event| vec![webhook.into(), event.into()])
    };
    let deliveries = deliveries_to(2, 1_300)
        .chain(deliveries_to(3, 800))
        .chain(deliveries_to(7, 1))
        .chain(deliveries_to(8, 1));
    let sql = Sql::new(
        "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) SELECT r.w, r.e, 'pending', 1 FROM ",
    );
    panel.execute(sql.rows("r", &["w", "e"], deliveries.collect())).await;

    assert_eq!(
        remove_orphans(&panel.app.db).await.unwrap(),
        Some(500),
        "one transaction must remove one batch"
    );
    assert!(remove_expired_records(&panel.app, None).await.unwrap());
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = 3").await,
        800
    );
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM webhook_deliveries").await, 800);
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM webhook_events").await, 800);
    assert_eq!(remove_orphans(&panel.app.db).await.unwrap(), None);
}

async fn insert_change_logs(panel: &Panel, ages_in_days: &[i64]) {
    for age_days in ages_in_days {
        let sql = Sql::new(
            "INSERT INTO change_logs (created_at, action_type, type, target_id, information) VALUES (?, 'updated', 'service', 1, 'traceable')",
        );
        panel.execute(sql.bind(NOW - age_days * DAY_MICROS)).await;
    }
}

async fn deletes_change_logs_only_if_the_setting_is_set(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    insert_change_logs(&panel, &[400, 31, 29]).await;
    remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(
        fetch_number(&panel, "SELECT count(*) FROM change_logs").await,
        3,
        "change logs must not be deleted without the setting"
    );
    let rejection = (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await;
    assert!(rejection.unwrap_err().to_string().contains("append-only"));
    set_retention_days(&panel, "change_logs_keep_days", 30).await;
    remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(fetch_number(&panel, "SELECT count(*) FROM change_logs").await, 1);
    let rejection = (&mut &panel.app.db).execute(Sql::new("DELETE FROM change_logs")).await;
    assert!(rejection.is_err(), "an entry within the retention period must be append-only");
}

async fn row_counts_and_search_are_correct_after_a_removal(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    insert_change_logs(&panel, &[400, 31, 29]).await;
    set_retention_days(&panel, "change_logs_keep_days", 30).await;
    remove_expired_records(&panel.app, None).await.unwrap();
    let list_path = "/api/v1/admin/services/logs";
    let page = panel.get(list_path).await.json();
    assert_eq!((&page["recordsTotal"], page["data"].as_array().unwrap().len()), (&json!(1), 1));
    let search_page = panel.get(&format!("{list_path}?search[value]=traceable")).await.json();
    assert_eq!(
        (&search_page["recordsFiltered"], search_page["data"].as_array().unwrap().len()),
        (&json!(1), 1)
    );
}

async fn documents_and_files_of_a_deactivated_customer_are_deleted(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    for user in [5, 6] {
        let path = format!("/api/v1/admin/users/{user}/verification-documents");
        let body = json!({ "group": "card", "picture": to_data_url(PIXEL) });
        assert_eq!(panel.post(&path, &body).await.status, 200);
    }
    let deactivate_sql = Sql::new("UPDATE users SET status = 'deactivated', deactivated_at = ? WHERE id = 5");
    panel.execute(deactivate_sql.bind(Time(NOW - 31 * DAY_MICROS))).await;
    let count_files =
        || std::fs::read_dir(panel.app.config.data_dir.join("uploads/private")).unwrap().count();
    remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(
        (count_files(), fetch_number(&panel, "SELECT count(*) FROM verification_documents").await),
        (2, 2)
    );
    set_retention_days(&panel, "documents_keep_days", 30).await;
    remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(count_files(), 1);
    assert_eq!(
        fetch_number(&panel, "SELECT CAST(sum(user_id) AS BIGINT) FROM verification_documents").await,
        6
    );
}

async fn settings_out_of_bounds_are_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for setting in ["documents_keep_days", "change_logs_keep_days"] {
        for invalid_value in [json!(-1), json!(3_651), json!("soon")] {
            let response = panel.post("/api/v1/admin/settings", &json!({ setting: invalid_value })).await;
            assert_eq!(response.status, 422, "{setting}: {}", response.text);
        }
    }
}

/// The table of docs/security.md must list exactly the declared retention rules.
#[test]
fn the_documentation_lists_each_retention_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let security_page = std::fs::read_to_string(path).unwrap();
    let section = security_page.split("\n## Retention").nth(1).unwrap().split("\n## ").next().unwrap();
    let parse_row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        let name = cells[0].trim_end_matches('`').to_owned();
        Some((name, cells[1].trim_matches('`').to_owned(), cells[2].to_owned()))
    };
    let documented_rules: BTreeSet<_> = section.lines().filter_map(parse_row).collect();
    let declared_rules: BTreeSet<_> = RETENTION_RULES
        .iter()
        .map(|rule| {
            let period = match rule.period {
                RetentionPeriod::Days(age_days) => format!("{age_days} days"),
                RetentionPeriod::Setting(setting) => format!("`{setting}`"),
                RetentionPeriod::Webhooks => "`webhooks.keep_days`".to_owned(),
            };
            (rule.table.to_owned(), rule.age_column.to_owned(), period)
        })
        .collect();
    assert_eq!(documented_rules, declared_rules);
}
