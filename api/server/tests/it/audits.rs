//! Tests the audit log: its filters, the chain of seals, and the detection of entries that were changed after they were sealed.

use panel_contract::ids::RecordId;
use panel_platform::audit::seal::Sealer;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_server::context::Ctx;
use panel_server::doctor;
use serde_json::{Value, json};

use crate::panel::Panel;

test_both_databases! {
    changes_are_listed_with_user_and_values;
    filters_match_whole_values_or_parts_of_values;
    the_filters_offer_every_recorded_event_and_type;
    the_seal_chain_is_whole_until_an_entry_is_changed;
    sealing_waits_for_a_slow_transaction;
    parallel_sealers_write_one_chain;
}

const AUDITS: &str = "/api/v1/admin/audits";
const AUDIT_VERIFICATION: &str = "/api/v1/admin/audits/verify";

/// Commits a unit of work with one audit entry.
async fn write_entry(panel: &Panel, id: i64) {
    let mut work = panel.begin_work().await;
    record_change(&mut work, id).await;
    work.finish(()).await.unwrap();
}

async fn record_change(work: &mut panel_platform::work::UnitOfWork, id: i64) {
    let id = RecordId::new(id);
    let change =
        panel_platform::audit::change::AuditChange { id, old: json!({"n": 1}), new: json!({"n": 2}) };
    panel_platform::audit::record(work, "memo.changed", "memo", change).await.unwrap();
}

/// Runs the sealer until every entry is sealed. Open transactions of other tests on the same PostgreSQL server can delay the seals.
pub(crate) async fn seal_all(panel: &Panel, sealer: &mut Sealer) -> i64 {
    let mut sealed_count = 0;
    for _ in 0..20_000 {
        sealed_count += sealer.poll(&panel.app).await.unwrap();
        let count_unsealed_sql =
            "SELECT count(*) FROM audits WHERE id > (SELECT COALESCE(max(last_id), 0) FROM audit_seals)";
        if panel.fetch_number(Sql::new(count_unsealed_sql)).await == 0 {
            return sealed_count;
        }
    }
    panic!("some entries are still not sealed after 20,000 polls");
}

async fn verify_chain(panel: &Panel) -> Value {
    let response = panel.get(AUDIT_VERIFICATION).await;
    assert_eq!(response.status, 200, "{}", response.text);
    response.json()["data"].clone()
}

async fn changes_are_listed_with_user_and_values(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let body = json!({"list": "orders", "name": "Mine", "query": "", "columns": [], "is_shared": false});
    assert_eq!(panel.post("/api/v1/admin/saved-views", &body).await.status, 200);
    write_entry(&panel, 7).await;
    let page = panel.get(AUDITS).await.json();
    assert_eq!((&page["recordsTotal"], &page["data"][0]["event"]), (&json!(2), &json!("memo.changed")));
    assert_eq!(page["data"][0]["user"], Value::Null, "an entry of the system must have no user");
    assert_eq!(page["data"][0]["old_values"], json!({"n": 1}));
    let view_entry = &page["data"][1];
    assert_eq!(
        (&view_entry["auditable_type"], &view_entry["user"]["name"]),
        (&json!("saved_view"), &json!("owner"))
    );
    assert_eq!(view_entry["new_values"]["name"], "Mine");
    let record_query = "columns[0][data]=auditable_type&columns[0][search][value]=memo&columns[1][data]=auditable_id&columns[1][search][value]=7";
    let page = panel.get(&format!("{AUDITS}?{record_query}")).await.json();
    assert_eq!((&page["recordsFiltered"], &page["data"][0]["auditable_id"]), (&json!(1), &json!(7)));
    let page = panel.get(&format!("{AUDITS}?columns[0][data]=old_values&columns[0][search][value]=n")).await;
    assert_eq!(page.status, 422, "{}", page.text);
    let csv = panel.get_as("owner", AUDITS, "text/csv").await.text;
    assert!(csv.contains("memo.changed") && csv.contains(r#"""n"":2"#), "{csv}");
}

/// The filters offer every possible event and record type, also those without an entry.
async fn the_filters_offer_every_recorded_event_and_type(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 100).await;
    let user = panel.fetch_number(Sql::new("SELECT min(id) FROM users WHERE status = 'active'")).await;
    assert_eq!(panel.post(&format!("/api/v1/admin/users/{user}/freeze"), &json!({})).await.status, 200);
    assert_eq!(panel.get_as("owner", "/api/v1/admin/grades", "text/csv").await.status, 200);
    let collections = panel.get("/api/v1/admin/audits/collections").await.json()["data"].clone();
    let choices_of = |list: &str| -> Vec<String> {
        let choices = collections[list].as_array().unwrap().iter();
        choices.map(|choice| choice["type"].as_str().unwrap().to_owned()).collect()
    };
    let (events, types) = (choices_of("events"), choices_of("auditable_types"));
    assert!(events.is_sorted() && types.is_sorted());
    let recorded_pairs_sql = "SELECT DISTINCT event, auditable_type FROM audits ORDER BY event";
    let recorded_pairs: Vec<(String, String)> =
        (&mut &panel.app.db).fetch_all(Sql::new(recorded_pairs_sql)).await.unwrap();
    assert!(recorded_pairs.len() > 2, "{recorded_pairs:?}");
    for (event, auditable_type) in recorded_pairs {
        assert!(
            events.contains(&event) && types.contains(&auditable_type),
            "{event} of {auditable_type} is not offered"
        );
    }
}

/// The source code records events as string literals; `audits/events.rs` must list each of them.
#[test]
fn every_event_in_the_source_code_is_listed() {
    let known_events = panel_contract::audits::events();
    let record_kinds: std::collections::BTreeSet<&str> =
        known_events.iter().filter_map(|event| event.split('.').next()).collect();
    let mut event_count = 0;
    for source_code in
        crate::tables::sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")))
    {
        for literal in source_code.split('"').skip(1).step_by(2) {
            let Some((kind, verb)) = literal.split_once('.') else { continue };
            let is_event = record_kinds.contains(kind)
                && verb.ends_with("ed")
                && verb.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(!is_event || known_events.contains(&literal), "{literal} is missing in audits/events.rs");
            event_count += usize::from(is_event);
        }
    }
    assert!(event_count > 50, "found only {event_count} events in the source code");
    for (_, table) in crate::tables::lists() {
        assert!(panel_contract::audits::auditable_types().contains(&table.name()), "{}", table.name());
    }
}

async fn insert_entry(panel: &Panel, event: &str, auditable_type: &str, ip_address: &str) {
    let sql = Sql::new(
        "INSERT INTO audits (created_at, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
         VALUES (1, ?, '', '', ?, ?, 1, '{}', '{}')",
    );
    panel.execute(sql.bind(ip_address).bind(event).bind(auditable_type)).await;
}

/// A search for an existing event or type matches it exactly; other search texts match parts of them.
async fn filters_match_whole_values_or_parts_of_values(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for (event, auditable_type, ip_address) in [
        ("order.canceled", "order", "10.0.0.1"),
        ("order.created", "order", "10.0.0.12"),
        ("order_widget.created", "order_widget", "192.168.7.1"),
        ("drip_feed.canceled", "drip_feed", "192.168.7.1"),
    ] {
        insert_entry(&panel, event, auditable_type, ip_address).await;
    }
    let matching_events = async |query: &str| {
        let page = panel.get(&format!("{AUDITS}?{query}")).await;
        assert_eq!(page.status, 200, "{query}: {}", page.text);
        let page = page.json();
        let rows = page["data"].as_array().unwrap().clone();
        assert_eq!(page["recordsFiltered"], rows.len(), "{query}");
        assert_eq!(page["recordsFilteredIsAtLeast"], Value::Null, "{query}");
        let mut events: Vec<String> =
            rows.iter().map(|row| row["event"].as_str().unwrap().to_owned()).collect();
        events.sort();
        events.join(" ")
    };
    for (column, search_text, expected_events) in [
        ("event", "order.created", "order.created"),
        ("event", "order.created,drip_feed.canceled", "drip_feed.canceled order.created"),
        ("event", "CANCEL", "drip_feed.canceled order.canceled"),
        ("event", "nothing", ""),
        ("auditable_type", "order", "order.canceled order.created"),
        ("auditable_type", "orde", "order.canceled order.created order_widget.created"),
        ("auditable_type", "_", "drip_feed.canceled order_widget.created"),
        ("ip_address", "10.0.0.1", "order.canceled"),
        ("ip_address", "10.0.0.", "order.canceled order.created"),
        ("ip_address", "192.168,10.0.0.12", "drip_feed.canceled order.created order_widget.created"),
    ] {
        let query = format!("columns[0][data]={column}&columns[0][search][value]={search_text}");
        assert_eq!(matching_events(&query).await, expected_events, "{query}");
    }
    for (search_text, expected_events) in [
        ("widget", "order_widget.created"),
        ("192.168", "drip_feed.canceled order_widget.created"),
        ("created 10.0", "order.created"),
    ] {
        assert_eq!(
            matching_events(&format!("search[value]={}", crate::tables::percent_encoded(search_text))).await,
            expected_events,
            "{search_text}"
        );
    }
    let column_control = |logic: &str, value: &str| {
        format!(
            "columns[0][data]=event&columns[0][columnControl][search][logic]={logic}&columns[0][columnControl][search][value]={value}"
        )
    };
    assert_eq!(matching_events(&column_control("contains", "order.created")).await, "order.created");
    assert_eq!(matching_events(&column_control("equal", "order")).await, "");
    assert_eq!(
        matching_events(&column_control("notEqual", "order.created,order.canceled")).await,
        "drip_feed.canceled order_widget.created"
    );
    let repeated_values = vec!["x"; 101].join(",");
    let repeated_values_response = panel
        .get(&format!("{AUDITS}?columns[0][data]=event&columns[0][search][value]={repeated_values}"))
        .await;
    assert_eq!(
        repeated_values_response.status, 200,
        "a repeated value must count once: {}",
        repeated_values_response.text
    );
    let values: Vec<String> = (0..101).map(|number| format!("x{number}")).collect();
    let query = format!("columns[0][data]=event&columns[0][search][value]={}", values.join(","));
    let too_many_values_response = panel.get(&format!("{AUDITS}?{query}")).await;
    assert!(
        too_many_values_response.json()["errors"]["columns.0.search"].is_array(),
        "{}",
        too_many_values_response.text
    );
}

async fn the_seal_chain_is_whole_until_an_entry_is_changed(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    for id in 1..=3 {
        write_entry(&panel, id).await;
    }
    assert_eq!(verify_chain(&panel).await["unsealed"], 3);
    let mut sealer = Sealer::default();
    assert_eq!(seal_all(&panel, &mut sealer).await, 3);
    write_entry(&panel, 4).await;
    assert_eq!(seal_all(&panel, &mut sealer).await, 1);
    let verification = verify_chain(&panel).await;
    assert_eq!(
        (&verification["is_intact"], &verification["seals"], &verification["rows"]),
        (&json!(true), &json!(2), &json!(4))
    );
    assert_eq!(
        (&verification["head"]["id"], &verification["unsealed"], &verification["next"]),
        (&json!(2), &json!(0), &Value::Null)
    );
    let after_first_seal = panel.get(&format!("{AUDIT_VERIFICATION}?after=1")).await.json()["data"].clone();
    assert_eq!((&after_first_seal["is_intact"], &after_first_seal["rows"]), (&json!(true), &json!(1)));
    assert_eq!(panel.get(&format!("{AUDIT_VERIFICATION}?after=9")).await.status, 422);
    let report = async || {
        doctor::run_all(&panel.app.db, Some(&panel.app.secrets), panel.app.clock.now()).await.unwrap()
    };
    assert!(report().await.healthy, "{}", doctor::format_report(&report().await));

    // The triggers of the database prevent changes of entries and seals.
    for statement in [
        "UPDATE audits SET event = 'x'",
        "DELETE FROM audits",
        "UPDATE audit_seals SET n = 1",
        "DELETE FROM audit_seals",
    ] {
        assert!((&mut &panel.app.db).execute(Sql::new(statement)).await.is_err(), "{statement}");
    }
    // A change made after dropping the triggers is detected.
    drop_triggers(&panel).await;
    panel.execute(Sql::new("UPDATE audits SET new_values = '{}' WHERE id = 2")).await;
    let verification = verify_chain(&panel).await;
    assert_eq!(verification["is_intact"], false);
    assert!(
        verification["problems"][0]
            .as_str()
            .unwrap()
            .contains("Entries 1 to 3 were changed after they were sealed"),
        "{verification}"
    );
    assert_eq!(
        verification["problems"].as_array().unwrap().len(),
        1,
        "the second seal must stay valid: {verification}"
    );
    panel.execute(Sql::new("DELETE FROM audits WHERE id = 2")).await;
    let verification = verify_chain(&panel).await;
    assert!(verification["problems"][0].as_str().unwrap().contains("only 2 of 3 exist"), "{verification}");
    panel.execute(Sql::new("DELETE FROM audit_seals WHERE id = 1")).await;
    let verification = verify_chain(&panel).await;
    assert_eq!(verification["problems"][0], "Seal 1 is missing.");
    let report = report().await;
    assert!(
        !report.healthy && doctor::format_report(&report).contains("audit_chain"),
        "{}",
        doctor::format_report(&report)
    );
}

/// Drops the triggers that prevent changes, as a database administrator can.
async fn drop_triggers(panel: &Panel) {
    let statements = match panel.app.db.dialect() {
        Dialect::Sqlite => [
            "DROP TRIGGER keep_audits_update",
            "DROP TRIGGER keep_audits_delete",
            "DROP TRIGGER keep_audit_seals_delete",
        ],
        Dialect::Postgres => {
            ["DROP TRIGGER keep_audits ON audits", "DROP TRIGGER keep_audit_seals ON audit_seals", "SELECT 1"]
        }
    };
    for statement in statements {
        panel.execute(Sql::new(statement)).await;
    }
}

/// PostgreSQL only: on SQLite one transaction at a time writes, so no entry with a lower id can appear later.
async fn sealing_waits_for_a_slow_transaction(dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        return;
    }
    let panel = Panel::start(dialect).await;
    let mut slow_work = Ctx::system(panel.app.clone(), "slow").begin().await.unwrap();
    record_change(&mut slow_work, 1).await;
    write_entry(&panel, 2).await;
    let mut sealer = Sealer::default();
    for _ in 0..10 {
        assert_eq!(
            sealer.poll(&panel.app).await.unwrap(),
            0,
            "the slow transaction may still commit an entry with a lower id"
        );
    }
    slow_work.finish(()).await.unwrap();
    assert_eq!(seal_all(&panel, &mut sealer).await, 2);
    assert_eq!(verify_chain(&panel).await["is_intact"], true);
}

async fn parallel_sealers_write_one_chain(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (mut first_sealer, mut second_sealer) = (Sealer::default(), Sealer::default());
    for id in 1..=20 {
        write_entry(&panel, id).await;
        let (first_result, second_result) =
            tokio::join!(first_sealer.poll(&panel.app), second_sealer.poll(&panel.app));
        first_result.unwrap();
        second_result.unwrap();
    }
    tokio::join!(seal_all(&panel, &mut first_sealer), seal_all(&panel, &mut second_sealer));
    let verification = verify_chain(&panel).await;
    assert_eq!(
        (&verification["is_intact"], &verification["rows"], &verification["unsealed"]),
        (&json!(true), &json!(20), &json!(0)),
        "{verification}"
    );
}
