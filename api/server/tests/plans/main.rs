//! Tests query plans: a list request needs few statements, and the views that staff use most never scan a large table.
//!
//! These tests are a separate binary, because they record all SQL statements of the process.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::{Mutex, OnceLock};

use panel_contract::ids::ExternalPanelId;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_platform::settings::COUNTER_URL;
use panel_server::background::worker;
use panel_server::operations::subscriptions::{content, poll_feeds};
use panel_server::supply::{dispatch, panels};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

#[macro_use]
#[path = "../it/both_databases.rs"]
mod both_databases;
#[expect(dead_code, reason = "the other test binary uses the rest")]
#[path = "../it/panel.rs"]
mod panel;

use panel::Panel;

test_both_databases! {
    views_of_orders_never_scan_the_table;
    default_views_of_large_lists_never_scan_their_table;
    every_list_needs_few_statements;
    searches_of_large_lists_use_their_indexes;
    a_repeated_list_request_needs_one_statement;
    pollers_find_due_rows_by_an_index;
    the_dispatcher_finds_attempts_by_their_partial_indexes;
    the_backlog_is_counted_by_an_index;
    retention_finds_expired_records_by_an_index;
    deliveries_of_deleted_webhooks_are_found_by_an_index;
}

const ORDERS: &str = "/api/v1/admin/orders";

/// A tracing layer that records the SQL statements of the process.
struct StatementRecorder;

static EXECUTED_STATEMENTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Only one test at a time may record statements.
static RECORDING_LOCK: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[derive(Default)]
struct StatementEvent {
    summary: String,
    statement: String,
}

impl Visit for StatementEvent {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => self.summary = value.to_owned(),
            "db.statement" => self.statement = value.trim().to_owned(),
            _ => {}
        }
    }
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl<S: tracing::Subscriber> Layer<S> for StatementRecorder {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            let mut statement_event = StatementEvent::default();
            event.record(&mut statement_event);
            let statement = if statement_event.statement.is_empty() {
                statement_event.summary
            } else {
                statement_event.statement
            };
            EXECUTED_STATEMENTS.lock().unwrap().push(statement);
        }
    }
}

/// Sends a list request and returns its statements, except those for the authentication and for new connections.
async fn run_and_get_list_statements(panel: &Panel, path: &str) -> Vec<String> {
    let statements = run_and_get_statements(panel, path).await;
    statements
        .into_iter()
        .filter(|statement| {
            !statement.trim_start().starts_with("PRAGMA")
                && !statement.contains("FROM sessions")
                // The lifetime of sessions, which the server reads once per access version.
                && !statement.trim_start().starts_with("SELECT (SELECT value FROM settings")
                && !statement.contains("AS BIGINT), up.permission FROM user_permissions")
        })
        .collect()
}

/// Sends a list request and returns the statements that read orders or materialized counts.
async fn run_and_get_order_statements(panel: &Panel, path: &str) -> Vec<String> {
    let statements = run_and_get_statements(panel, path).await;
    statements
        .into_iter()
        .filter(|statement| statement.contains("orders") || statement.contains("row_counts"))
        .collect()
}

/// Installs the recorder once per process and clears the recorded statements.
fn start_recording() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(StatementRecorder))
            .unwrap();
    });
    EXECUTED_STATEMENTS.lock().unwrap().clear();
}

/// Sends a GET request and returns all statements that the process executed meanwhile.
async fn run_and_get_statements(panel: &Panel, path: &str) -> Vec<String> {
    start_recording();
    let response = panel.get(path).await;
    assert_eq!(response.status, 200, "{path}: {}", response.text);
    std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap())
}

/// With fewer rows, PostgreSQL prefers sequential scans to indexes, so the test disables sequential scans.
const MIN_ROWS_FOR_INDEX: i64 = 10_000;

/// Query strings of the views of orders that staff use most.
const ORDER_VIEWS: [&str; 9] = [
    "",
    "start=40000",
    "columns[0][data]=status&columns[0][search][value]=in_moderation",
    "columns[0][data]=status&columns[0][search][value]=completed&start=30000",
    "columns[0][data]=status&columns[0][search][value]=completed,stopped",
    "columns[0][data]=user.id&columns[0][search][value]=7",
    "columns[0][data]=has_no_active_providers&columns[0][search][value]=1",
    "columns[0][data]=id&order[0][column]=0&order[0][dir]=asc",
    "search[value]=rare-place",
];

/// The default view of each large list: path, table, alias of the table.
const DEFAULT_VIEWS: [(&str, &str, &str); 15] = [
    ("users?columns[0][data]=status&columns[0][search][value]=active", "users", "u"),
    ("child-panel-orders", "orders", "o"),
    ("subscriptions", "subscriptions", "b"),
    ("drip-feeds?columns[0][data]=status&columns[0][search][value]=in_processing", "drip_feeds", "d"),
    ("combo-orders", "combo_orders", "c"),
    ("payments", "ledger_entries", "e"),
    ("transactions", "ledger_entries", "e"),
    ("invoices?columns[0][data]=status&columns[0][search][value]=pending", "invoices", "i"),
    ("withdrawals?columns[0][data]=status&columns[0][search][value]=pending", "withdrawals", "w"),
    ("free-trials?columns[0][data]=status&columns[0][search][value]=pending", "free_trials", "t"),
    ("audits", "audits", "a"),
    ("services/logs", "change_logs", "c"),
    ("external-panel-orders", "external_panel_orders", "e"),
    ("external-panel-orders?stuck=1", "external_panel_orders", "e"),
    ("providers/report?by=service", "external_panel_orders", "e"),
];

async fn default_views_of_large_lists_never_scan_their_table(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(300, 3_000).await;
    for (path, table, alias) in DEFAULT_VIEWS {
        let statements = run_and_get_list_statements(&panel, &format!("/api/v1/admin/{path}")).await;
        let table_statements =
            statements.iter().filter(|statement| statement.contains(&format!(" {table} ")));
        assert!(table_statements.clone().count() > 0, "{path}: {statements:#?}");
        for statement in table_statements {
            let plan = explain(&panel, statement).await;
            let scans_table = match dialect {
                // If the list is sorted by id, SQLite reads the table from its end up to the limit. Any other order or filter needs
                // an index.
                Dialect::Sqlite => plan.lines().any(|line| {
                    let scan_line = format!("SCAN {alias}");
                    let is_scan = line == scan_line || line.starts_with(&format!("{scan_line} "));
                    is_scan && !line.contains("USING") && (path.contains('?') || !statement.contains("LIMIT"))
                }),
                // Although sequential scans are disabled, PostgreSQL uses one if no index fits.
                Dialect::Postgres => plan.contains(&format!("Seq Scan on {table}")),
            };
            assert!(!scans_table, "{path}: {statement}\n{plan}");
        }
    }
}

/// Searches in lists that grow without limit: path, table, alias of the table.
const SEARCHES: [(&str, &str, &str); 12] = [
    ("audits?search=zebra", "audits", "a"),
    ("audits?event=zebra&sort=created_at", "audits", "a"),
    ("services/logs?search=zebra", "change_logs", "c"),
    ("services/logs?new_value=zebra", "change_logs", "c"),
    ("external-panel-orders?search=zebra", "external_panel_orders", "e"),
    ("external-panel-orders?provider=zebra", "external_panel_orders", "e"),
    ("providers?search=zebra", "providers", "p"),
    ("jobs?search=zebra", "jobs", "j"),
    ("combo-orders?search=zebra", "combo_orders", "c"),
    ("combo-orders?package=zebra", "combo_orders", "c"),
    ("invoices?search=zebra", "invoices", "i"),
    ("withdrawals?search=zebra", "withdrawals", "w"),
];

/// A search uses indexes. It scans only the newest rows, to find out whether there are many matches.
async fn searches_of_large_lists_use_their_indexes(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(300, 3_000).await;
    for (path, table, alias) in SEARCHES {
        let statements = run_and_get_list_statements(&panel, &format!("/api/v1/admin/{path}")).await;
        let search_statements: Vec<&String> =
            statements.iter().filter(|statement| statement.contains("hits AS MATERIALIZED")).collect();
        assert!(!search_statements.is_empty() || path.contains("event="), "{path}: {statements:#?}");
        for statement in search_statements {
            // The part of the statement that counts rows uses the same aliases as some tables, so rename its aliases.
            let statement = statement
                .replace("SELECT c.n, p.id", "SELECT counted.n, paged.id")
                .replace(") c LEFT JOIN", ") counted LEFT JOIN")
                .replace(") p ON TRUE", ") paged ON TRUE");
            let plan = explain(&panel, &statement).await;
            let scans_table = match dialect {
                Dialect::Sqlite => plan.lines().any(|line| {
                    let scan_line = format!("SCAN {alias}");
                    (line == scan_line || line.starts_with(&format!("{scan_line} ")))
                        && !line.contains("USING")
                }),
                Dialect::Postgres => plan.contains(&format!("Seq Scan on {table}")),
            };
            assert!(!scans_table, "{path}: {statement}\n{plan}");
        }
    }
}

/// The paths of all list endpoints, read from the OpenAPI document, so that a new list is tested automatically.
fn list_paths() -> Vec<&'static str> {
    use panel_server::router::routes;
    let document = routes::openapi_document();
    let returns_page = |op: &&panel_contract::endpoint::Op| {
        let response =
            document["paths"][op.path]["get"].pointer("/responses/200/content/application~1json/schema");
        let name = response.and_then(|schema| schema["$ref"].as_str()).unwrap_or_default();
        !op.is_write() && name.contains("/Page_")
    };
    panel_contract::endpoints::all().filter(returns_page).map(|op| op.path).collect()
}

/// The number of statements does not depend on the page size: related records are loaded for all rows at once.
async fn every_list_needs_few_statements(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(300, 3_000).await;
    let insert_webhook_sql =
        "INSERT INTO webhooks (id, url, created_at, updated_at) VALUES (4, 'https://hooks.example', 1, 1)";
    panel.execute(Sql::new(insert_webhook_sql)).await;
    let paths = list_paths();
    assert!(paths.len() >= 7, "{paths:?}");
    for path in paths {
        let path = path.replace("{id}", "4");
        for query in [
            "",
            "?length=1",
            "?length=100",
            "?start=20&length=100",
            "?columns[0][data]=id&columns[0][search][value]=1..400&order[0][column]=0&order[0][dir]=asc",
        ] {
            let path = add_required_panel(&format!("{path}{query}"));
            let statements = run_and_get_list_statements(&panel, &path).await;
            assert!(
                (1..=4).contains(&statements.len()),
                "{path}: {} statements {statements:#?}",
                statements.len()
            );
        }
    }
}

/// The statement that reads the list also revalidates the cached session.
async fn a_repeated_list_request_needs_one_statement(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(30, 300).await;
    // The second list has a different default sort order.
    for path in [ORDERS, "/api/v1/admin/payment-methods"] {
        run_and_get_statements(&panel, path).await;
        let statements = run_and_get_statements(&panel, path).await;
        let statements: Vec<&String> =
            statements.iter().filter(|statement| !statement.trim_start().starts_with("PRAGMA")).collect();
        assert!(
            matches!(statements.as_slice(), [statement] if statement.contains("access_version")),
            "{path}: {statements:#?}"
        );
    }
}

/// Adds the required external panel to the path of payments to external panels.
fn add_required_panel(path: &str) -> String {
    match path.split_once('?') {
        _ if !path.contains("external-panel-payments") => path.to_owned(),
        Some((path, query)) => format!("{path}?external_panel_id=4&{query}"),
        None => format!("{path}?external_panel_id=4"),
    }
}

/// A tick of the subscription pollers without due work reads only the start of an index, regardless of the number of rows.
async fn pollers_find_due_rows_by_an_index(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(5_000, 100).await;
    start_recording();
    assert_eq!(
        poll_feeds::poll_due(&panel.app).await.unwrap()
            + content::place_due_contents(&panel.app).await.unwrap(),
        0
    );
    let statements = std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap());
    let claim_queries: Vec<&String> =
        statements.iter().filter(|statement| statement.contains("IS NOT NULL AND")).collect();
    assert_eq!(claim_queries.len(), 2, "{statements:#?}");
    for (query, index) in
        claim_queries.into_iter().zip(["subscriptions_next_poll", "subscription_contents_due"])
    {
        let plan = explain(&panel, query).await;
        assert!(plan.contains(index), "{query}\n{plan}");
    }
}

/// The count of each poller's backlog uses the same index as its claim.
async fn the_backlog_is_counted_by_an_index(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(5_000, 100).await;
    // A disabled poller has no backlog, so the test enables the counter.
    let insert_setting_sql = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1)");
    let insert_setting_sql = insert_setting_sql.bind(COUNTER_URL).bind("\"https://counter.example/{url}\"");
    panel.execute(insert_setting_sql).await;
    start_recording();
    let backlogs = worker::workers(&panel.app).read_backlogs(&panel.app).await.unwrap();
    let statements = std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap());
    let is_count = |statement: &&String| {
        statement.contains("SELECT count(*), min(") || statement.contains("min(w.oldest_due_at)")
    };
    let count_statements: Vec<&String> = statements.iter().filter(is_count).collect();
    assert_eq!(count_statements.len(), backlogs.len(), "{statements:#?}");
    for index in [
        "jobs_queue",
        "drip_feeds_due",
        "subscription_contents_due",
        "subscriptions_ending",
        "subscriptions_renewal",
        "subscriptions_next_poll",
        "order_counters_due",
        "orders_dispatch",
        "order_refill_requests_due",
        "order_cancel_requests_due",
    ] {
        let mut is_used = false;
        for count in &count_statements {
            is_used |= explain(&panel, count).await.contains(index);
        }
        assert!(is_used, "{index}: {count_statements:#?}");
    }
}

/// A database uses a partial index only if the text of the statement contains the condition of the index. So the states in the
/// dispatcher's statements must be written exactly as in the index.
async fn the_dispatcher_finds_attempts_by_their_partial_indexes(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    // With this many rows, reading all open attempts of an external panel costs more than reading the due attempts.
    panel.insert_generated_records(5_000, 20_000).await;
    let sealed_token = panels::seal_token(&panel.app, ExternalPanelId::new(1), "key").unwrap();
    let make_reachable_sql = Sql::new(
        "UPDATE external_panels SET status = 'active', is_archived = FALSE, api_token_sealed = ? WHERE id = 1",
    );
    panel.execute(make_reachable_sql.bind(sealed_token)).await;
    let make_due_sql = Sql::new(
        "UPDATE external_panel_orders SET due_at = 1 WHERE external_panel_id = 1 AND external_order_id IS NOT NULL",
    );
    panel.execute(make_due_sql).await;
    // Most open attempts are due later. Without them PostgreSQL would have no reason to prefer the index.
    let insert_open_attempts_sql = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, external_order_id, sent_at, due_at, created_at, updated_at)
         SELECT o.id, 1, 1, 'Pending', 1, 'open-' || o.id, 1, 4000000000000000 + o.id, 1, 1 FROM orders o WHERE o.id NOT IN (SELECT order_id FROM external_panel_orders)",
    );
    panel.execute(insert_open_attempts_sql).await;
    panel.execute(Sql::new("ANALYZE external_panel_orders")).await;
    start_recording();
    // The external panel is unreachable, but the dispatcher claims the due attempts before it sends a request.
    dispatch::process_all_queues(&panel.app).await.unwrap();
    worker::workers(&panel.app).read_backlogs(&panel.app).await.unwrap();
    let statements = std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap());
    let find_statement = |fragments: &[&str]| {
        let statement =
            statements.iter().find(|statement| fragments.iter().all(|fragment| statement.contains(fragment)));
        statement.cloned().unwrap_or_else(|| panic!("{fragments:?}: {statements:#?}"))
    };
    for (fragments, indexes) in [
        (
            &["FROM external_panels x WHERE x.api_token_sealed"][..],
            &["external_panel_orders_due", "external_panel_orders_late", "external_panel_orders_sending"][..],
        ),
        (
            &["min(w.oldest_due_at)"],
            &["external_panel_orders_due", "external_panel_orders_late", "external_panel_orders_sending"],
        ),
        (
            &["WITH due", "IN ('Pending', 'In progress', 'Processing')", "AS is_refill_target"],
            &["external_panel_orders_due"],
        ),
        (
            &["WITH due", "external_panel_orders.status IN ('Completed', 'Partial')", "AS is_refill_target"],
            &["external_panel_orders_late"],
        ),
    ] {
        let statement = find_statement(fragments);
        let plan = explain(&panel, &statement).await;
        for index in indexes {
            assert!(plan.contains(index), "{index}: {statement}\n{plan}");
        }
    }
}

/// Retention finds expired records by an index, regardless of the number of records.
async fn retention_finds_expired_records_by_an_index(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    let insert_setting_sql =
        Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('change_logs_keep_days', '30', 1)");
    panel.execute(insert_setting_sql).await;
    start_recording();
    assert!(panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap());
    let statements = std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap());
    let queries: Vec<&String> =
        statements.iter().filter(|statement| statement.contains("max(r.at)")).collect();
    let rule_count = panel_server::background::retention::rules::RETENTION_RULES.len();
    assert_eq!(
        queries.len(),
        rule_count - 1,
        "each retention rule except documents must have one query: {statements:#?}"
    );
    for query in queries {
        let plan = explain(&panel, query).await;
        assert!(plan.contains("INDEX") || plan.contains("Index"), "{query}\n{plan}");
    }
}

/// The daily run removes deliveries of deleted webhooks. It must not scan the other deliveries, which can be millions.
async fn deliveries_of_deleted_webhooks_are_found_by_an_index(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    let insert_webhook_sql = "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at) VALUES (1, 'https://a.test', '[]', TRUE, 1, 1)";
    panel.execute(Sql::new(insert_webhook_sql)).await;
    let series_sql =
        "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) ";
    for (target, select) in [
        (
            "INSERT INTO webhook_events (id, message_id, type, body, created_at) ",
            "SELECT i, 'm' || i, 'order.created', '{}', 1795190400000000 FROM n",
        ),
        (
            "INSERT INTO webhook_deliveries (webhook_id, event_id, status, created_at) ",
            "SELECT CASE WHEN i % 10000 = 0 THEN 2 ELSE 1 END, i, 'delivered', 1 FROM n",
        ),
    ] {
        panel.execute(Sql::new(target).push(series_sql).push(select)).await;
    }
    panel.execute(Sql::new("ANALYZE webhook_deliveries")).await;
    panel.execute(Sql::new("ANALYZE webhook_events")).await;
    start_recording();
    assert!(panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap());
    let statements = std::mem::take(&mut *EXECUTED_STATEMENTS.lock().unwrap());
    let count_events_sql = Sql::new("SELECT count(*) FROM webhook_events");
    assert_eq!((&mut &panel.app.db).fetch_one::<(i64,)>(count_events_sql).await.unwrap().0, 19_998);
    for fragment in [
        "WITH RECURSIVE webhook_ids",
        "DELETE FROM webhook_deliveries WHERE id",
        "DELETE FROM webhook_events WHERE id",
    ] {
        let statement = statements
            .iter()
            .find(|statement| statement.contains(fragment))
            .unwrap_or_else(|| panic!("{fragment}: {statements:#?}"));
        let plan = explain(&panel, statement).await;
        let scans_table = match dialect {
            Dialect::Sqlite => plan.lines().any(|line| {
                line.contains("SCAN d")
                    || line.contains("SCAN webhook_deliveries")
                    || line.contains("SCAN webhook_events")
            }),
            Dialect::Postgres => {
                plan.contains("Seq Scan on webhook_deliveries") || plan.contains("Seq Scan on webhook_events")
            }
        };
        assert!(!scans_table, "{statement}\n{plan}");
    }
}

async fn views_of_orders_never_scan_the_table(dialect: Dialect) {
    let _recording_guard = RECORDING_LOCK.lock().await;
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(2_000, 50_000).await;
    for view in ORDER_VIEWS {
        let statements = run_and_get_order_statements(&panel, &format!("{ORDERS}?{view}")).await;
        assert!(
            (1..=4).contains(&statements.len()),
            "{view}: {} statements {statements:#?}",
            statements.len()
        );
        for statement in statements {
            let plan = explain(&panel, &statement).await;
            let scans_table = match dialect {
                Dialect::Sqlite => plan.lines().any(|line| {
                    line.starts_with("SCAN o") && !line.contains("USING") && !statement.contains("LIMIT")
                }),
                Dialect::Postgres => plan.contains("Seq Scan on orders"),
            };
            assert!(!scans_table, "{view}: {statement}\n{plan}");
        }
    }
}

/// Returns the generic plan of a statement, which does not depend on bind values.
async fn explain(panel: &Panel, statement: &str) -> String {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let statement = statement.trim_end_matches(';');
    let typed_statement = statement.replace("unnest($", "unnest(ARRAY[1::bigint] || $");
    match panel.app.db.dialect() {
        Dialect::Sqlite => {
            let explain_sql = leak(format!("EXPLAIN QUERY PLAN {}", without_placeholders(statement)));
            let rows: Vec<(i64, i64, i64, String)> =
                (&mut &panel.app.db).fetch_all(Sql::new(explain_sql)).await.unwrap();
            rows.into_iter().map(|(_, _, _, detail)| detail + "\n").collect()
        }
        Dialect::Postgres => {
            let mut tx = panel.app.db.begin().await.unwrap();
            let parameter_count =
                (1..100).take_while(|number| statement.contains(&format!("${number}"))).count();
            let nulls = vec!["NULL"; parameter_count].join(", ");
            tx.execute(Sql::new("SET LOCAL plan_cache_mode = force_generic_plan")).await.unwrap();
            if tx.fetch_one::<(i64,)>(Sql::new("SELECT count(*) FROM orders")).await.unwrap().0
                < MIN_ROWS_FOR_INDEX
            {
                tx.execute(Sql::new("SET LOCAL enable_seqscan = off")).await.unwrap();
            }
            tx.execute(Sql::new(leak(format!("PREPARE explained AS {typed_statement}")))).await.unwrap();
            let execute_call =
                if parameter_count == 0 { "explained".to_owned() } else { format!("explained({nulls})") };
            let rows: Vec<(String,)> =
                tx.fetch_all(Sql::new(leak(format!("EXPLAIN EXECUTE {execute_call}")))).await.unwrap();
            tx.execute(Sql::new("DEALLOCATE explained")).await.unwrap();
            rows.into_iter().map(|(line,)| line + "\n").collect()
        }
    }
}

/// Replaces numbered placeholders (`$1`) with a literal, because `EXPLAIN QUERY PLAN` gets no bind values.
fn without_placeholders(statement: &str) -> String {
    let mut text = String::new();
    let mut characters = statement.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '$' {
            text.push(character);
            continue;
        }
        while characters.next_if(char::is_ascii_digit).is_some() {}
        text.push_str("'x'");
    }
    text
}
