//! Each list of the API in the list engine. Each column must sort and filter correctly, on both databases.

use std::collections::BTreeSet;

use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::table::{Column, FilterKind, IndexKind, JoinTable, SearchTarget, Table, TextIndex};
use panel_server::router::routes;
use serde_json::Value;

use crate::panel::Panel;

/// The only list that needs a filter: it shows the payments of one external panel.
const LIST_OF_ONE_PANEL: &str = "external-panel-payments";

/// Every list that needs no filter, with its path; an `{id}` in the path becomes 1.
pub(crate) fn lists() -> Vec<(&'static str, &'static Table)> {
    let with_path = |table: &'static Table| (leak_text(table.list.op.path.replace("{id}", "1")), table);
    tables().into_iter().filter(|table| table.name() != LIST_OF_ONE_PANEL).map(with_path).collect()
}

const WEBHOOKS: &str = "SELECT i, 'https://hooks' || i % 5 || '.example/' || i, '[\"order.created\"]', FALSE, CASE WHEN i % 3 = 0 THEN 1700000000000000 + i * 1000000 END,
  CASE WHEN i % 2 = 0 THEN 1700000000000000 + i * 2000000 END, 1700000000000000 + i * 1000000, 1700000000000000 + i FROM n";

const SERVICE_TYPES: &str = "SELECT i + 1000, (SELECT min(id) FROM networks), 'Kind ' || i, CASE WHEN i % 2 = 0 THEN 'Title ' || i END,
  CASE i % 3 WHEN 0 THEN 'Youtube' WHEN 1 THEN 'Tiktok' ELSE 'Other' END, 'kind-' || i, i, 1700000000000000 + i * 1000000, 1700000000000000 + i FROM n";

/// Event i belongs to delivery i; all deliveries are of webhook 1.
const WEBHOOK_EVENTS: &str = "SELECT i, 'msg_' || (i + 1000), CASE i % 3 WHEN 0 THEN 'order.created' WHEN 1 THEN 'order.completed' ELSE 'user.created' END,
  '{\"event\":' || i || '}', 1700000000000000 + i FROM n";

const WEBHOOK_DELIVERIES: &str = "SELECT i, 1, i, CASE i % 3 WHEN 0 THEN 'pending' WHEN 1 THEN 'delivered' ELSE 'failed' END, i % 5, CASE i % 3 WHEN 1 THEN 200 WHEN 2 THEN 500 + i % 3 END,
  CASE WHEN i % 3 = 2 THEN 'Rejected by receiver ' || i END, CASE WHEN i % 3 = 0 THEN 1900000000000000 + i * 1000000 END, CASE WHEN i % 3 > 0 THEN 1700000000000000 + i * 2000000 END,
  1700000000000000 + i * 1000000 FROM n";

const QUARANTINE_RECORDS: &str = "SELECT i, CASE i % 3 WHEN 0 THEN 'mail' WHEN 1 THEN 'order' ELSE 'external_order' END, i, CASE i % 3 WHEN 0 THEN 'suspected' ELSE 'quarantined' END, i % 4 + 1,
  1700000000000000 + i * 1000000, CASE WHEN i % 3 = 0 THEN 1900000000000000 + i * 1000000 END, CASE WHEN i % 4 > 0 THEN 'Ended by signal ' || i END, 1700000000000000 + i, 1700000000000000 + i * 3000000 FROM n";

const JOBS: &str = "SELECT i, CASE i % 3 WHEN 0 THEN 'webhook' ELSE 'mail' END, CASE i % 3 WHEN 0 THEN '{\"kind\":\"webhook\",\"delivery_id\":1}' ELSE '{}' END, 1900000000000000 + i * 1000000,
  i % 5, CASE WHEN i % 7 = 1 THEN 1900000000000000 + i END, CASE WHEN i % 4 = 0 THEN 'Connection refused ' || i END, CASE WHEN i % 7 = 2 THEN 1700000000000000 + i END,
  CASE WHEN i % 7 = 3 THEN 1700000000000000 + i END, 1700000000000000 + i * 1000000 FROM n";

const PANEL_SERVICES: &str = "SELECT i, 1, 's' || i, CASE i % 2 WHEN 0 THEN 'Líkes ' ELSE 'Views ' END || i, CASE i % 3 WHEN 0 THEN 'Package' ELSE 'Default' END, 'Group ' || i % 4,
  i * 1000, CASE i % 3 WHEN 0 THEN 1 ELSE 1000 END, i, i * 100, i % 2 = 0, i % 3 = 0, FALSE, CASE WHEN i % 5 = 0 THEN 1700000000000000 + i * 1000000 END, 1700000000000000 + i * 1000000, 1 FROM n";
const SYNC_RUNS: &str = "SELECT i, i % 3 + 1, 1700000000000000 + i * 1000000, CASE WHEN i % 4 > 0 THEN 1700000000000000 + i * 2000000 END, i, i % 2, i % 3, i % 4, i % 5, i % 6,
  CASE WHEN i % 7 = 0 THEN 'Nothing heard ' || i END FROM n";
const CANCEL_REQUESTS: &str = "SELECT i + 1000, o.id, CASE i % 4 WHEN 0 THEN 'requested' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'rejected' ELSE 'expired' END,
  CASE WHEN i % 4 = 2 THEN 'by_hand' END, 'answer ' || i, i * 10000, 1700000000000000 + i * 1000000, 1700000010000000 + i * 2000000, 1700000020000000 + i * 2000000, 1700000100000000 + i * 1000000,
  CASE WHEN i % 4 = 2 THEN 1700000050000000 + i END, CASE WHEN i % 4 > 0 THEN 1700000090000000 + i * 3000000 END,
  CASE WHEN i % 4 = 2 THEN i % 20 + 1 END FROM n JOIN (SELECT id, row_number() OVER (ORDER BY id DESC) AS place FROM orders) o ON o.place = n.i";

const SYNC_CHANGES: &str = "SELECT i, i, i % 3 + 1, 's' || i, i, CASE WHEN i % 2 = 0 THEN i % 20 + 1 END, CASE i % 2 WHEN 0 THEN 'name' ELSE 'source_price' END, '' || i, '' || (i + 1),
  CASE i % 4 WHEN 0 THEN 'held' WHEN 1 THEN 'applied' WHEN 2 THEN 'rejected' ELSE 'accepted' END, i % 4 = 0, 1700000000000000 + i * 1000000,
  CASE WHEN i % 4 > 1 THEN 1700000000000000 + i * 3000000 END, CASE WHEN i % 4 > 1 THEN i % 20 + 1 END FROM n";

/// Percent-encodes every byte but ASCII letters, digits, `.`, `-` and `_`.
pub(crate) fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn value_at_path<'v>(row: &'v Value, name: &str) -> &'v Value {
    name.split('.').fold(row, |value, part| value.get(part).unwrap_or(&Value::Null))
}

/// The number by which a value sorts and compares; `None` for a text that is not a number.
fn sort_number(column: &Column, value: &Value) -> Option<i128> {
    let text = match value {
        Value::Null => return None,
        Value::Bool(flag) => return Some(i128::from(*flag)),
        Value::Number(number) => return number.as_i64().map(i128::from),
        Value::String(text) => text.as_str(),
        _ => return None,
    };
    match column.kind {
        FilterKind::Money => {
            text.parse::<panel_contract::amount::Money>().ok().map(|money| i128::from(money.0))
        }
        FilterKind::Percent => {
            text.parse::<panel_contract::amount::Percent>().ok().map(|percent| i128::from(percent.0))
        }
        FilterKind::Time => text.parse::<panel_contract::moment::Time>().ok().map(|time| i128::from(time.0)),
        _ => None,
    }
}

async fn page(panel: &Panel, path: &str, query: &str) -> Value {
    let response = panel.get(&format!("{path}?{query}")).await;
    assert_eq!(response.status, 200, "{path}?{query}: {}", response.text);
    response.json()
}

async fn fetch_all_rows(panel: &Panel, path: &str) -> Vec<Value> {
    page(panel, path, "length=1000").await["data"].as_array().unwrap().clone()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Lists without a common search, and why.
const LISTS_WITHOUT_SEARCH: [(&str, &str); 1] =
    [(LIST_OF_ONE_PANEL, "a payment has only amounts and a day, and the list shows one panel")];

/// Every list that the API serves, by the names of their operations.
pub(crate) fn tables() -> Vec<&'static Table> {
    routes::all_routes().into_parts().1.tables().collect()
}

#[test]
fn every_list_declares_its_common_search() {
    let all = tables();
    for table in &all {
        let opted_out = LISTS_WITHOUT_SEARCH.iter().any(|(name, _)| *name == table.name());
        assert_ne!(
            opted_out,
            !table.global_search.is_empty(),
            "{}: declare the columns of its common search",
            table.name()
        );
        let has_text = table
            .columns()
            .iter()
            .any(|column| matches!(column.kind, FilterKind::Text | FilterKind::Reference));
        assert!(!opted_out || !has_text, "{} has text columns: declare a common search", table.name());
    }
    let declared_count: usize = sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")))
        .iter()
        .map(|text| {
            text.lines().filter(|line| line.starts_with("pub static ") && line.contains(": Table =")).count()
        })
        .sum();
    assert_eq!(all.len(), declared_count, "`tables()` does not return every declared list");
}

pub(crate) fn sources(folder: &std::path::Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|name| name == "rs") {
            texts.push(std::fs::read_to_string(&path).unwrap());
        }
    }
    texts
}

/// Tables whose rows must not change: the test searches for a word that a row already has.
const APPEND_ONLY: [&str; 3] = ["audits", "change_logs", "webhook_events"];

/// Text columns with a closed set of values: the test cannot write a new word there.
const ENUM_COLUMNS: [(&str, &str); 3] =
    [("target_types", "name"), ("quarantine", "poller"), ("banners", "place")];

fn leak_text(text: String) -> &'static str {
    text.leak()
}

/// A row of the list and the id of the record whose texts the search target reads for it. Prefers a record with a text in
/// `column`.
async fn row_and_searched_record(
    panel: &Panel,
    table: &Table,
    target: &SearchTarget,
    column: &str,
) -> Option<(i64, i64)> {
    let condition = target.condition.unwrap_or("TRUE");
    let (key, join) = match target.join_table {
        Some(JoinTable { select, column, row_key: "" }) => {
            let TextIndex { table, key, .. } = target.index;
            (
                leak_text(format!("z.{key}")),
                format!(" JOIN {table} z ON {} IN ({select}{column} = z.{key})", target.key),
            )
        }
        Some(join_table) => (join_table.row_key, String::new()),
        None => (target.key, String::new()),
    };
    let sql = format!(
        "SELECT id, record FROM (SELECT {id} AS id, {key} AS record FROM {} {}{join} WHERE {} AND {condition} AND {key} IS NOT NULL) candidate
         ORDER BY CASE WHEN EXISTS (SELECT 1 FROM {} y WHERE y.{} = candidate.record AND y.{column} IS NOT NULL) THEN 0 ELSE 1 END, id DESC LIMIT 1",
        table.source.base,
        table.source.alias,
        table.source.scope.unwrap_or("TRUE"),
        target.index.table,
        target.index.key,
        id = table.source.key,
    );
    let rows: Vec<(i64, i64)> = (&mut &panel.app.db).fetch_all(Sql::new(leak_text(sql))).await.unwrap();
    rows.first().copied()
}

/// Writes a unique word into each text of the common search, then searches for it, with and without a filter.
async fn assert_search_finds_every_text(panel: &Panel, path: &str, table: &Table) {
    for (target_number, target) in table.global_search.iter().enumerate() {
        let label = format!("{path}: {} of {} by {}", target.column, target.index.table, target.key);
        if target.index.kind == IndexKind::Values || APPEND_ONLY.contains(&target.index.table) {
            for column in target.index.columns {
                let sql = format!(
                    "SELECT id, {column} FROM {} WHERE length({column}) >= 3 ORDER BY id DESC LIMIT 1",
                    target.index.table
                );
                let rows: Vec<(i64, String)> =
                    (&mut &panel.app.db).fetch_all(Sql::new(leak_text(sql))).await.unwrap();
                let (id, text) = rows.first().unwrap_or_else(|| panic!("{label}: no entry has {column}"));
                let word = text.split_whitespace().max_by_key(|word| word.chars().count()).unwrap();
                assert_search_finds(panel, path, word, *id, &label).await;
            }
            continue;
        }
        let writable = target
            .index
            .columns
            .iter()
            .filter(|column| !ENUM_COLUMNS.contains(&(target.index.table, column)));
        for (column, suffix) in writable.zip('a'..) {
            let candidate = row_and_searched_record(panel, table, target, column).await;
            let (row, record) = candidate.unwrap_or_else(|| panic!("{label}: no row has such a record"));
            // The word contains the name of the list: the email address of a customer must be unique.
            let word = format!(
                "zebra{}{}{suffix}",
                path.split('/').next_back().unwrap().replace('-', ""),
                "xyzuvwqrst".chars().cycle().skip(target_number).take(target_number + 3).collect::<String>()
            );
            let sql =
                format!("UPDATE {} SET {column} = ? WHERE {} = ?", target.index.table, target.index.key);
            let sql = match target.index.scope {
                Some(scope) => format!("{sql} AND {scope}"),
                None => sql,
            };
            panel.execute(Sql::new(leak_text(sql)).bind(word.clone()).bind(record)).await;
            assert_search_finds(panel, path, &word.to_uppercase(), row, &format!("{label} in {column}"))
                .await;
        }
    }
}

async fn assert_search_finds(panel: &Panel, path: &str, word: &str, id: i64, label: &str) {
    for filter in [String::new(), format!("&id={id}")] {
        let page = page(panel, path, &format!("search={}&length=1000{filter}", percent_encoded(word))).await;
        assert!(ids(&page).contains(&id), "{label}: {word} with {filter:?} finds {:?}, not {id}", ids(&page));
    }
}

#[tokio::test]
async fn every_column_sorts_and_filters_on_sqlite() {
    every_column(Dialect::Sqlite).await;
}

#[tokio::test]
async fn every_column_sorts_and_filters_on_postgres() {
    every_column(Dialect::Postgres).await;
}

/// Fills every list with more than ten rows.
pub(crate) async fn fill_lists(panel: &Panel) {
    panel.insert_generated_records(150, 700).await;
    let insert_permissions_sql = "INSERT INTO user_permissions (user_id, permission) SELECT id, 'view orders' FROM users WHERE id <= 30";
    panel.execute(Sql::new(insert_permissions_sql)).await;
    for (insert_sql, rows) in [
        (
            "INSERT INTO webhooks (id, url, types, is_active, failing_since, last_delivered_at, created_at, updated_at) ",
            WEBHOOKS,
        ),
        (
            "INSERT INTO jobs (id, kind, payload, run_at, attempts, lease_until, last_error, done_at, dead_at, created_at) ",
            JOBS,
        ),
        (
            "INSERT INTO external_panel_services (id, external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
              refill, cancel, dripfeed, vanished_at, created_at, updated_at) ",
            PANEL_SERVICES,
        ),
        (
            "INSERT INTO service_types (id, network_id, name, title, type, slug, sorting, created_at, updated_at) ",
            SERVICE_TYPES,
        ),
        (
            "INSERT INTO webhook_events (id, message_id, type, body, created_at) ",
            WEBHOOK_EVENTS,
        ),
        (
            "INSERT INTO webhook_deliveries (id, webhook_id, event_id, status, attempts, response_status, error, next_attempt_at, attempted_at, created_at) ",
            WEBHOOK_DELIVERIES,
        ),
        (
            "INSERT INTO quarantine (id, poller, record_id, status, crashes, first_crash_at, retry_at, reason, created_at, updated_at) ",
            QUARANTINE_RECORDS,
        ),
        (
            "INSERT INTO sync_runs (id, external_panel_id, started_at, ended_at, services_count, unreadable_count, new_count, vanished_count, applied_count, held_count, error) ",
            SYNC_RUNS,
        ),
        (
            "INSERT INTO sync_changes (id, sync_run_id, external_panel_id, external_panel_service_id, provider_id, service_id, field, old_value, new_value, state, is_current,
              created_at, decided_at, decided_by) ",
            SYNC_CHANGES,
        ),
        (
            "INSERT INTO order_cancel_requests (id, order_id, status, cause, provider_response, refunded, created_at, sent_at, acknowledged_at, deadline_at, escalated_at, decided_at, decided_by) ",
            CANCEL_REQUESTS,
        ),
    ] {
        let series_sql =
            "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 40) ";
        panel.execute(Sql::new(insert_sql).push(series_sql).push(rows)).await;
    }
    add_records_for_search(panel).await;
}

async fn every_column(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    fill_lists(&panel).await;
    for (path, table) in lists() {
        let rows = fetch_all_rows(&panel, path).await;
        assert!(rows.len() > 10, "{path}: {}", rows.len());
        assert_newest_first(&panel, path, table, rows.len()).await;
        for column in table.columns().iter().filter(|column| !matches!(column.kind, FilterKind::DisplayOnly))
        {
            assert_sorts(&panel, path, column, &rows).await;
            assert_filters(&panel, path, column, &rows).await;
        }
    }
    for (path, table) in lists() {
        assert_search_finds_every_text(&panel, path, table).await;
    }
}

/// Adds the kinds of records that `Panel::insert_generated_records` does not insert and that the global search reads.
async fn add_records_for_search(panel: &Panel) {
    let changed_models = [
        ("package", "packages"),
        ("coupon", "coupons"),
        ("discount", "discounts"),
        ("special_offer", "special_offers"),
        ("menu_item", "menu_items"),
        ("page", "panel_pages"),
        ("banner", "banners"),
        ("label", "labels"),
        ("target", "targets"),
        ("promotable_checker_group", "promotable_checker_groups"),
        ("grade", "grades"),
        ("quest", "free_trial_quests"),
        ("service", "services"),
        ("provider", "providers"),
        ("external_panel", "external_panels"),
        ("service_type", "service_types"),
        ("network", "networks"),
    ];
    panel.execute(Sql::new("INSERT INTO labels (name, created_at, updated_at) VALUES ('Label', 1, 1)")).await;
    for banner in [
        "INSERT INTO banners (id, place, type, content, created_at, updated_at) VALUES (7, 'sidebar', 'slider', 'Off', 1, 1)",
        "INSERT INTO banner_informations (id, banner_id, sorting, created_at) VALUES (70, 7, 1, 1)",
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) VALUES ('banner_information', 70, 'en', 'title', 'Sale')",
    ] {
        panel.execute(Sql::new(banner)).await;
    }
    panel
        .execute(Sql::new(
            "INSERT INTO promotable_checker_groups (name, service_type_type) VALUES ('Group', 'other')",
        ))
        .await;
    let update_external_providers_sql = "UPDATE providers SET external_panel_id = 1 + id % 3, external_panel_service_id = 'p' || id WHERE id <= 30";
    panel.execute(Sql::new(update_external_providers_sql)).await;
    for (model, table) in changed_models {
        let sql = format!(
            "INSERT INTO change_logs (created_at, user_id, action_type, type, target_id, information, old_value, new_value)
             SELECT 1, 1, 'updated', '{model}', max(id), 'Field', 'before', 'after' FROM {table}"
        );
        panel.execute(Sql::new(leak_text(sql))).await;
    }
    panel
        .execute(Sql::new("INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'coupon', max(id), 'vi', 'name', 'Ngựa' FROM coupons"))
        .await;
}

/// Without parameters a list returns 30 rows (the pages of the site: 15), the newest first unless it declares an order.
async fn assert_newest_first(panel: &Panel, path: &str, table: &Table, rows: usize) {
    let first = ids(&panel.get(path).await.json());
    let length = if path.ends_with("/panel-pages") { 15 } else { 30 };
    assert_eq!(first.len(), rows.min(length), "{path}");
    if table.list.order.is_empty() {
        assert!(first.is_sorted_by(|one, next| one > next), "{path}: {first:?}");
    }
}

async fn assert_sorts(panel: &Panel, path: &str, column: &Column, rows: &[Value]) {
    for dir in ["asc", "desc"] {
        let query =
            format!("columns[0][data]={}&order[0][column]=0&order[0][dir]={dir}&length=1000", column.name);
        let page = page(panel, path, &query).await;
        let sorted = page["data"].as_array().unwrap();
        assert_eq!(ids(&page).into_iter().collect::<BTreeSet<_>>().len(), rows.len(), "{path} {query}");
        let numbers: Vec<i128> =
            sorted.iter().filter_map(|row| sort_number(column, value_at_path(row, column.name))).collect();
        let is_in_order = match dir {
            "asc" => numbers.is_sorted(),
            _ => numbers.iter().rev().is_sorted(),
        };
        assert!(is_in_order, "{path} {query}");
        // Pages do not overlap, because the id is the last sort key.
        let mut paged = Vec::new();
        for start in (0..rows.len().min(90)).step_by(30) {
            paged.extend(ids(
                &self::page(panel, path, &query.replace("1000", &format!("30&start={start}"))).await
            ));
        }
        assert_eq!(paged, ids(&page)[..paged.len()], "{path} {query}");
    }
}

async fn assert_filters(panel: &Panel, path: &str, column: &Column, rows: &[Value]) {
    for (search, expected) in searches(column, rows) {
        let query = format!(
            "columns[0][data]={}&columns[0][search][value]={}&length=1000",
            column.name,
            percent_encoded(&search)
        );
        let page = page(panel, path, &query).await;
        assert_eq!(page["recordsFiltered"], page["data"].as_array().unwrap().len(), "{path} {query}");
        if let Some(expected) = expected {
            assert_eq!(ids(&page), expected, "{path} {query} ({search})");
        }
    }
}

type ExpectedIds = Option<Vec<i64>>;
/// Returns the ids of the rows whose value passes the predicate.
type Matching<'m> = dyn Fn(&dyn Fn(&Value) -> bool) -> ExpectedIds + 'm;

/// Searches in a column, each with the ids that it must find; `None` where the rows do not show the column's value.
fn searches(column: &Column, rows: &[Value]) -> Vec<(String, ExpectedIds)> {
    let matching = |is_match: &dyn Fn(&Value) -> bool| -> ExpectedIds {
        column.exported.then(|| {
            rows.iter()
                .filter(|row| is_match(value_at_path(row, column.name)))
                .map(|row| row["id"].as_i64().unwrap())
                .collect()
        })
    };
    let middle = rows
        .iter()
        .skip(rows.len() / 3)
        .map(|row| value_at_path(row, column.name))
        .find(|value| !value.is_null() && **value != "");
    let sample = match middle {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None if matches!(column.kind, FilterKind::Time) => "2026-11-20".to_owned(),
        Some(Value::Null) | None => "1".to_owned(),
        Some(value) => value.to_string(),
    };
    let value_and_sample = |value: &Value| {
        sort_number(column, value)
            .zip(sort_number(column, &Value::String(sample.clone())).or(sample.parse().ok()))
    };
    match column.kind {
        FilterKind::Text => text_searches(&sample, &matching),
        FilterKind::Reference => vec![("3".into(), None), ("1,2,3".into(), None), ("er 1".into(), None)],
        FilterKind::OneOf(enum_values) => enum_values
            .iter()
            .map(|word| ((*word).to_owned(), matching(&|value| value == word)))
            .chain([(
                enum_values[..2].join(","),
                matching(&|value| enum_values[..2].iter().any(|word| value == word)),
            )])
            .collect(),
        FilterKind::SomeOf(enum_values) => {
            let has = |value: &Value, word: &str| value.to_string().contains(&format!("\"{word}\""));
            enum_values
                .iter()
                .map(|word| ((*word).to_owned(), matching(&|value| has(value, word))))
                .chain([(
                    enum_values[..2].join(","),
                    matching(&|value| enum_values[..2].iter().any(|word| has(value, word))),
                )])
                .collect()
        }
        FilterKind::Exact | FilterKind::Choice(_) => vec![
            (sample.clone(), matching(&|value| *value == *sample)),
            (format!("{sample}, nothing"), matching(&|value| *value == *sample)),
            ("nothing".into(), Some(Vec::new())),
        ],
        FilterKind::DisplayOnly => Vec::new(),
        FilterKind::ConditionFlag => vec![("1".into(), None), ("0".into(), None)],
        FilterKind::Flag => vec![
            ("1".into(), matching(&|value| value == true)),
            ("false".into(), matching(&|value| value == false)),
        ],
        FilterKind::Percent => {
            vec![(format!("{sample}.."), None), ("0..50".into(), None), ("7.5".into(), None)]
        }
        _ => vec![
            (
                sample.clone(),
                matching(&|value| value_and_sample(value).is_some_and(|(value, sample)| value == sample)),
            ),
            (
                format!("{sample}.."),
                matching(&|value| value_and_sample(value).is_some_and(|(value, sample)| value >= sample)),
            ),
            (
                format!("..{sample}"),
                matching(&|value| value_and_sample(value).is_some_and(|(value, sample)| value <= sample)),
            ),
            (
                format!("{sample} .. {sample}"),
                matching(&|value| value_and_sample(value).is_some_and(|(value, sample)| value == sample)),
            ),
        ],
    }
}

/// Searches for a part of a text in upper and lower case, the whole text, a text that no row has, and one letter.
fn text_searches(sample: &str, matching: &Matching<'_>) -> Vec<(String, ExpectedIds)> {
    let part = sample.chars().skip(1).take(4).collect::<String>().trim().to_owned();
    let part = if part.is_empty() { sample.to_owned() } else { part };
    let has = |part: &str| {
        let part = part.to_lowercase();
        matching(&|value| value.as_str().is_some_and(|text| text.to_lowercase().contains(&part)))
    };
    vec![
        (part.to_uppercase(), has(&part)),
        (part.to_lowercase(), has(&part)),
        (sample.to_owned(), has(sample)),
        ("%_*?[\"'\\".into(), Some(Vec::new())),
        ("e".into(), has("e")),
    ]
}
