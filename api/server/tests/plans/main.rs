//! Query plans: a list takes few statements, and the views that staff always have open never scan a large table.
//!
//! A separate test binary, because it records every SQL statement of the process, and SQLite runs statements on its own threads.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

use std::sync::{Mutex, OnceLock};

use panel_contract::ids::ExternalPanelId;
use panel_platform::db::{Dialect, Source, Sql};
use panel_platform::settings::COUNTER_URL;
use panel_server::background::worker;
use panel_server::operations::subscriptions::{content, poll_feeds};
use panel_server::supply::{dispatch, panels};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

#[macro_use]
#[path = "../it/both.rs"]
mod both;
#[expect(dead_code, reason = "shared with the other tests, which use all of it")]
#[path = "../it/panel.rs"]
mod panel;

use panel::Panel;

both! {
    views_of_orders_never_scan_the_table;
    first_views_of_large_lists_never_scan_their_table;
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

static EXECUTED: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Only one test at a time may record.
static RECORDING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[derive(Default)]
struct StatementText {
    summary: String,
    statement: String,
}

impl Visit for StatementText {
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
            let mut text = StatementText::default();
            event.record(&mut text);
            let statement = if text.statement.is_empty() { text.summary } else { text.statement };
            EXECUTED.lock().unwrap().push(statement);
        }
    }
}

/// The statements that a list request runs, without those that authenticate it or open a connection.
async fn list_statements(panel: &Panel, path: &str) -> Vec<String> {
    let all = executed_statements(panel, path).await;
    all.into_iter()
        .filter(|text| {
            !text.trim_start().starts_with("PRAGMA")
                && !text.contains("FROM sessions")
                // The lifetime of sessions, read once per access version.
                && !text.trim_start().starts_with("SELECT (SELECT value FROM settings")
                && !text.contains("AS BIGINT), up.permission FROM user_permissions")
        })
        .collect()
}

/// The statements that read orders or materialized counts.
async fn order_statements(panel: &Panel, path: &str) -> Vec<String> {
    let all = executed_statements(panel, path).await;
    all.into_iter().filter(|text| text.contains("orders") || text.contains("row_counts")).collect()
}

/// Installs the recorder once per process and clears what it recorded so far.
fn start_recording() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(StatementRecorder))
            .unwrap();
    });
    EXECUTED.lock().unwrap().clear();
}

async fn executed_statements(panel: &Panel, path: &str) -> Vec<String> {
    start_recording();
    let answer = panel.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    std::mem::take(&mut *EXECUTED.lock().unwrap())
}

/// Below this number of rows PostgreSQL prefers a sequential scan, so the test disables it.
const MIN_ROWS_FOR_INDEX: i64 = 10_000;

/// Queries of the order list that staff have open all day or open often.
const VIEWS: [&str; 9] = [
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

/// The first view of large lists: path, table, alias.
const FIRST_VIEWS: [(&str, &str, &str); 15] = [
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

async fn first_views_of_large_lists_never_scan_their_table(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(300, 3_000).await;
    for (path, table, alias) in FIRST_VIEWS {
        let statements = list_statements(&panel, &format!("/api/v1/admin/{path}")).await;
        let table_statements = statements.iter().filter(|text| text.contains(&format!(" {table} ")));
        assert!(table_statements.clone().count() > 0, "{path}: {statements:#?}");
        for statement in table_statements {
            let plan = explain(&panel, statement).await;
            let scans_table = match dialect {
                // Sorted by id, SQLite walks the table from its end up to the limit; any other order or filter needs an index.
                Dialect::Sqlite => plan.lines().any(|line| {
                    let scan = format!("SCAN {alias}");
                    let is_scan = line == scan || line.starts_with(&format!("{scan} "));
                    is_scan && !line.contains("USING") && (path.contains('?') || !statement.contains("LIMIT"))
                }),
                // With sequential scans disabled, PostgreSQL uses one only where no index fits.
                Dialect::Postgres => plan.contains(&format!("Seq Scan on {table}")),
            };
            assert!(!scans_table, "{path}: {statement}\n{plan}");
        }
    }
}

/// Searches of lists that grow without bounds: path, table, alias.
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

/// A search uses indexes. It scans the newest rows only to find out whether there are many matches.
async fn searches_of_large_lists_use_their_indexes(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(300, 3_000).await;
    for (path, table, alias) in SEARCHES {
        let statements = list_statements(&panel, &format!("/api/v1/admin/{path}")).await;
        let searches: Vec<&String> =
            statements.iter().filter(|text| text.contains("hits AS MATERIALIZED")).collect();
        assert!(!searches.is_empty() || path.contains("event="), "{path}: {statements:#?}");
        for statement in searches {
            // The counting step uses the same aliases as some tables.
            let statement = statement
                .replace("SELECT c.n, p.id", "SELECT counted.n, paged.id")
                .replace(") c LEFT JOIN", ") counted LEFT JOIN")
                .replace(") p ON TRUE", ") paged ON TRUE");
            let plan = explain(&panel, &statement).await;
            let scans_table = match dialect {
                Dialect::Sqlite => plan.lines().any(|line| {
                    let scan = format!("SCAN {alias}");
                    (line == scan || line.starts_with(&format!("{scan} "))) && !line.contains("USING")
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
    let document = routes::document();
    let returns_page = |op: &&panel_contract::endpoint::Op| {
        let answer =
            document["paths"][op.path]["get"].pointer("/responses/200/content/application~1json/schema");
        let name = answer.and_then(|schema| schema["$ref"].as_str()).unwrap_or_default();
        !op.is_write() && name.contains("/Page_")
    };
    panel_contract::endpoints::all().filter(returns_page).map(|op| op.path).collect()
}

/// The number of statements does not depend on the page size: related records are loaded for all rows at once.
async fn every_list_needs_few_statements(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(300, 3_000).await;
    let webhook =
        "INSERT INTO webhooks (id, url, created_at, updated_at) VALUES (4, 'https://hooks.example', 1, 1)";
    panel.execute(Sql::new(webhook)).await;
    let lists = list_paths();
    assert!(lists.len() >= 7, "{lists:?}");
    for path in lists {
        let path = path.replace("{id}", "4");
        for query in [
            "",
            "?length=1",
            "?length=100",
            "?start=20&length=100",
            "?columns[0][data]=id&columns[0][search][value]=1..400&order[0][column]=0&order[0][dir]=asc",
        ] {
            let path = with_required_panel(&format!("{path}{query}"));
            let statements = list_statements(&panel, &path).await;
            assert!(
                (1..=4).contains(&statements.len()),
                "{path}: {} statements {statements:#?}",
                statements.len()
            );
        }
    }
}

/// A cached session is revalidated by the statement that reads the list.
async fn a_repeated_list_request_needs_one_statement(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(30, 300).await;
    // The second list has its own sort order.
    for path in [ORDERS, "/api/v1/admin/payment-methods"] {
        executed_statements(&panel, path).await;
        let statements = executed_statements(&panel, path).await;
        let statements: Vec<&String> =
            statements.iter().filter(|text| !text.trim_start().starts_with("PRAGMA")).collect();
        assert!(
            matches!(statements.as_slice(), [only] if only.contains("access_version")),
            "{path}: {statements:#?}"
        );
    }
}

/// Adds the external panel to the path of its payments, which cannot be listed across panels.
fn with_required_panel(path: &str) -> String {
    match path.split_once('?') {
        _ if !path.contains("external-panel-payments") => path.to_owned(),
        Some((path, query)) => format!("{path}?external_panel_id=4&{query}"),
        None => format!("{path}?external_panel_id=4"),
    }
}

/// A tick of the subscription pollers without due work reads only the start of an index, regardless of the number of rows.
async fn pollers_find_due_rows_by_an_index(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(5_000, 100).await;
    start_recording();
    assert_eq!(
        poll_feeds::poll_due(&panel.app).await.unwrap() + content::place_due(&panel.app).await.unwrap(),
        0
    );
    let executed = std::mem::take(&mut *EXECUTED.lock().unwrap());
    let queries: Vec<&String> = executed.iter().filter(|text| text.contains("IS NOT NULL AND")).collect();
    assert_eq!(queries.len(), 2, "{executed:#?}");
    for (query, index) in queries.into_iter().zip(["subscriptions_next_poll", "subscription_contents_due"]) {
        let plan = explain(&panel, query).await;
        assert!(plan.contains(index), "{query}\n{plan}");
    }
}

/// The backlog of each poller is counted with the index that its claim uses.
async fn the_backlog_is_counted_by_an_index(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(5_000, 100).await;
    // A disabled poller counts nothing, so enable the counter.
    let setting = Sql::new("INSERT INTO settings (key, value, updated_at) VALUES (?, ?, 1)");
    let setting = setting.bind(COUNTER_URL).bind("\"https://counter.example/{url}\"");
    panel.execute(setting).await;
    start_recording();
    let backlog = worker::workers(&panel.app).read_backlogs(&panel.app).await.unwrap();
    let executed = std::mem::take(&mut *EXECUTED.lock().unwrap());
    let is_count = |text: &&String| text.contains("SELECT count(*), min(") || text.contains("min(w.oldest)");
    let counts: Vec<&String> = executed.iter().filter(is_count).collect();
    assert_eq!(counts.len(), backlog.len(), "{executed:#?}");
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
        for count in &counts {
            is_used |= explain(&panel, count).await.contains(index);
        }
        assert!(is_used, "{index}: {counts:#?}");
    }
}

/// A partial index is used only where its condition is part of the statement's text, so the names of states that the
/// dispatcher's statements use must render to exactly those.
async fn the_dispatcher_finds_attempts_by_their_partial_indexes(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    // Enough rows that reading all open attempts of a panel costs more than reading the due ones.
    panel.fill(5_000, 20_000).await;
    let sealed = panels::seal_token(&panel.app, ExternalPanelId::new(1), "key").unwrap();
    let make_reachable = Sql::new(
        "UPDATE external_panels SET status = 'active', is_archived = FALSE, api_token_sealed = ? WHERE id = 1",
    );
    panel.execute(make_reachable.bind(sealed)).await;
    let make_due = Sql::new(
        "UPDATE external_panel_orders SET due_at = 1 WHERE external_panel_id = 1 AND external_order_id IS NOT NULL",
    );
    panel.execute(make_due).await;
    // Most open attempts are due later. Without them PostgreSQL would have no reason to prefer the index.
    let open_attempts = Sql::new(
        "INSERT INTO external_panel_orders (order_id, provider_id, external_panel_id, status, initial_quantity, external_order_id, sent_at, due_at, created_at, updated_at)
         SELECT o.id, 1, 1, 'Pending', 1, 'open-' || o.id, 1, 4000000000000000 + o.id, 1, 1 FROM orders o WHERE o.id NOT IN (SELECT order_id FROM external_panel_orders)",
    );
    panel.execute(open_attempts).await;
    panel.execute(Sql::new("ANALYZE external_panel_orders")).await;
    start_recording();
    // The external panel is unreachable, but the dispatcher claims the due attempts before it calls the panel.
    dispatch::cycle(&panel.app).await.unwrap();
    worker::workers(&panel.app).read_backlogs(&panel.app).await.unwrap();
    let executed = std::mem::take(&mut *EXECUTED.lock().unwrap());
    let find_statement = |marks: &[&str]| {
        let statement = executed.iter().find(|text| marks.iter().all(|mark| text.contains(mark)));
        statement.cloned().unwrap_or_else(|| panic!("{marks:?}: {executed:#?}"))
    };
    for (marks, indexes) in [
        (
            &["FROM external_panels x WHERE x.api_token_sealed"][..],
            &["external_panel_orders_due", "external_panel_orders_late", "external_panel_orders_sending"][..],
        ),
        (
            &["min(w.oldest)"],
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
        let statement = find_statement(marks);
        let plan = explain(&panel, &statement).await;
        for index in indexes {
            assert!(plan.contains(index), "{index}: {statement}\n{plan}");
        }
    }
}

/// Retention finds expired records by an index, regardless of the number of records.
async fn retention_finds_expired_records_by_an_index(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    let setting =
        Sql::new("INSERT INTO settings (key, value, updated_at) VALUES ('change_logs_keep_days', '30', 1)");
    panel.execute(setting).await;
    start_recording();
    assert!(panel_server::background::retention::remove_due(&panel.app, None).await.unwrap());
    let executed = std::mem::take(&mut *EXECUTED.lock().unwrap());
    let queries: Vec<&String> = executed.iter().filter(|text| text.contains("max(r.at)")).collect();
    let declared = panel_server::background::retention::rules::RETENTION_RULES.len();
    assert_eq!(
        queries.len(),
        declared - 1,
        "one query for each retention rule except documents: {executed:#?}"
    );
    for query in queries {
        let plan = explain(&panel, query).await;
        assert!(plan.contains("INDEX") || plan.contains("Index"), "{query}\n{plan}");
    }
}

/// The daily run removes deliveries of deleted webhooks and must not scan the millions of others that a panel may have.
async fn deliveries_of_deleted_webhooks_are_found_by_an_index(dialect: Dialect) {
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    let webhook = "INSERT INTO webhooks (id, url, types, is_active, created_at, updated_at) VALUES (1, 'https://a.test', '[]', TRUE, 1, 1)";
    panel.execute(Sql::new(webhook)).await;
    let series =
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
        panel.execute(Sql::new(target).push(series).push(select)).await;
    }
    panel.execute(Sql::new("ANALYZE webhook_deliveries")).await;
    panel.execute(Sql::new("ANALYZE webhook_events")).await;
    start_recording();
    assert!(panel_server::background::retention::remove_due(&panel.app, None).await.unwrap());
    let executed = std::mem::take(&mut *EXECUTED.lock().unwrap());
    let remaining = Sql::new("SELECT count(*) FROM webhook_events");
    assert_eq!((&mut &panel.app.db).fetch_one::<(i64,)>(remaining).await.unwrap().0, 19_998);
    for text in [
        "WITH RECURSIVE webhook_ids",
        "DELETE FROM webhook_deliveries WHERE id",
        "DELETE FROM webhook_events WHERE id",
    ] {
        let statement = executed
            .iter()
            .find(|statement| statement.contains(text))
            .unwrap_or_else(|| panic!("{text}: {executed:#?}"));
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
    let _recording = RECORDING.lock().await;
    let panel = Panel::on(dialect).await;
    panel.fill(2_000, 50_000).await;
    for view in VIEWS {
        let statements = order_statements(&panel, &format!("{ORDERS}?{view}")).await;
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

/// The generic plan of a statement, independent of its bind values.
async fn explain(panel: &Panel, statement: &str) -> String {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let statement = statement.trim_end_matches(';');
    let typed_statement = statement.replace("unnest($", "unnest(ARRAY[1::bigint] || $");
    match panel.app.db.dialect() {
        Dialect::Sqlite => {
            let numbered = leaked(format!("EXPLAIN QUERY PLAN {}", without_placeholders(statement)));
            let rows: Vec<(i64, i64, i64, String)> =
                (&mut &panel.app.db).fetch_all(Sql::new(numbered)).await.unwrap();
            rows.into_iter().map(|row| row.3 + "\n").collect()
        }
        Dialect::Postgres => {
            let mut tx = panel.app.db.begin().await.unwrap();
            let binds = (1..100).take_while(|number| statement.contains(&format!("${number}"))).count();
            let nulls = vec!["NULL"; binds].join(", ");
            tx.execute(Sql::new("SET LOCAL plan_cache_mode = force_generic_plan")).await.unwrap();
            if tx.fetch_one::<(i64,)>(Sql::new("SELECT count(*) FROM orders")).await.unwrap().0
                < MIN_ROWS_FOR_INDEX
            {
                tx.execute(Sql::new("SET LOCAL enable_seqscan = off")).await.unwrap();
            }
            tx.execute(Sql::new(leaked(format!("PREPARE explained AS {typed_statement}")))).await.unwrap();
            let call = if binds == 0 { "explained".to_owned() } else { format!("explained({nulls})") };
            let rows: Vec<(String,)> =
                tx.fetch_all(Sql::new(leaked(format!("EXPLAIN EXECUTE {call}")))).await.unwrap();
            tx.execute(Sql::new("DEALLOCATE explained")).await.unwrap();
            rows.into_iter().map(|row| row.0 + "\n").collect()
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
