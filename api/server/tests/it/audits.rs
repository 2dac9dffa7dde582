//! The audit log: read with its filters, sealed in a chain, and every later change found.

use panel_contract::ids::RecordId;
use panel_platform::audit::seal::Sealer;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_server::context::Ctx;
use panel_server::doctor;
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    changes_are_listed_with_who_and_what;
    words_are_chosen_or_found_by_a_part;
    the_words_of_the_log_are_a_closed_set;
    the_chain_is_whole_until_somebody_touches_an_entry;
    a_slow_transaction_is_waited_for;
    two_sealers_make_one_chain;
}

const AUDITS: &str = "/api/v1/admin/audits";
const VERIFY: &str = "/api/v1/admin/audits/verify";

/// Writes one entry, as any change does.
async fn entry(panel: &Panel, id: i64) {
    let mut work = panel.work().await;
    write(&mut work, id).await;
    work.finish(()).await.unwrap();
}

async fn write(work: &mut panel_platform::work::UnitOfWork, id: i64) {
    let id = RecordId::new(id);
    let change =
        panel_platform::audit::change::AuditChange { id, old: json!({"n": 1}), new: json!({"n": 2}) };
    panel_platform::audit::record(work, "memo.changed", "memo", change).await.unwrap();
}

/// Looks until nothing waits for its seal; transactions of other tests on the same PostgreSQL may be in the way for long.
pub(crate) async fn seal(panel: &Panel, sealer: &mut Sealer) -> i64 {
    let mut sealed = 0;
    for _ in 0..20_000 {
        sealed += sealer.poll(&panel.app).await.unwrap();
        let waiting =
            "SELECT count(*) FROM audits WHERE id > (SELECT COALESCE(max(last_id), 0) FROM audit_seals)";
        if panel.number(Sql::new(waiting)).await == 0 {
            return sealed;
        }
    }
    panic!("entries are not sealed");
}

async fn verified(panel: &Panel) -> Value {
    let answer = panel.get(VERIFY).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

async fn changes_are_listed_with_who_and_what(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({"list": "orders", "name": "Mine", "query": "", "columns": [], "is_shared": false});
    assert_eq!(panel.post("/api/v1/admin/saved-views", &body).await.status, 200);
    entry(&panel, 7).await;
    let page = panel.get(AUDITS).await.json();
    assert_eq!((&page["recordsTotal"], &page["data"][0]["event"]), (&json!(2), &json!("memo.changed")));
    assert_eq!(page["data"][0]["user"], Value::Null, "the system has no name");
    assert_eq!(page["data"][0]["old_values"], json!({"n": 1}));
    let made = &page["data"][1];
    assert_eq!((&made["auditable_type"], &made["user"]["name"]), (&json!("saved_view"), &json!("owner")));
    assert_eq!(made["new_values"]["name"], "Mine");
    let record = "columns[0][data]=auditable_type&columns[0][search][value]=memo&columns[1][data]=auditable_id&columns[1][search][value]=7";
    let page = panel.get(&format!("{AUDITS}?{record}")).await.json();
    assert_eq!((&page["recordsFiltered"], &page["data"][0]["auditable_id"]), (&json!(1), &json!(7)));
    let page = panel.get(&format!("{AUDITS}?columns[0][data]=old_values&columns[0][search][value]=n")).await;
    assert_eq!(page.status, 422, "{}", page.text);
    let file = panel.get_as("owner", AUDITS, "text/csv").await.text;
    assert!(file.contains("memo.changed") && file.contains(r#"""n"":2"#), "{file}");
}

/// Pickers offer every event and type that there can be, before any entry has it.
async fn the_words_of_the_log_are_a_closed_set(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 100).await;
    let user = panel.number(Sql::new("SELECT min(id) FROM users WHERE status = 'active'")).await;
    assert_eq!(panel.post(&format!("/api/v1/admin/users/{user}/freeze"), &json!({})).await.status, 200);
    assert_eq!(panel.get_as("owner", "/api/v1/admin/grades", "text/csv").await.status, 200);
    let collections = panel.get("/api/v1/admin/audits/collections").await.json()["data"].clone();
    let words = |list: &str| -> Vec<String> {
        let choices = collections[list].as_array().unwrap().iter();
        choices.map(|choice| choice["type"].as_str().unwrap().to_owned()).collect()
    };
    let (events, types) = (words("events"), words("auditable_types"));
    assert!(events.is_sorted() && types.is_sorted());
    let said = "SELECT DISTINCT event, auditable_type FROM audits ORDER BY event";
    let said: Vec<(String, String)> = (&mut &panel.app.db).all(Sql::new(said)).await.unwrap();
    assert!(said.len() > 2, "{said:?}");
    for (event, kind) in said {
        assert!(events.contains(&event) && types.contains(&kind), "{event} of {kind} is not offered");
    }
}

/// Events are written as literals where they are recorded; each of them is among the words.
#[test]
fn every_event_of_the_source_is_offered() {
    let known = panel_contract::audits::events();
    let kinds: std::collections::BTreeSet<&str> =
        known.iter().filter_map(|event| event.split('.').next()).collect();
    let mut seen = 0;
    for text in crate::tables::sources(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))) {
        for literal in text.split('"').skip(1).step_by(2) {
            let Some((kind, what)) = literal.split_once('.') else { continue };
            let is_event = kinds.contains(kind)
                && what.ends_with("ed")
                && what.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(!is_event || known.contains(&literal), "{literal} is missing in audits/events.rs");
            seen += usize::from(is_event);
        }
    }
    assert!(seen > 50, "{seen}");
    for (_, table) in crate::tables::lists() {
        assert!(panel_contract::audits::auditable_types().contains(&table.name()), "{}", table.name());
    }
}

/// An entry of a kind, from an address.
async fn entry_of(panel: &Panel, event: &str, kind: &str, address: &str) {
    let sql = Sql::new(
        "INSERT INTO audits (created_at, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
         VALUES (1, ?, '', '', ?, ?, 1, '{}', '{}')",
    );
    panel.exec(sql.bind(address).bind(event).bind(kind)).await;
}

/// A word that entries have is a choice; another is looked for in the words that they have.
async fn words_are_chosen_or_found_by_a_part(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for (event, kind, address) in [
        ("order.canceled", "order", "10.0.0.1"),
        ("order.created", "order", "10.0.0.12"),
        ("order_widget.created", "order_widget", "192.168.7.1"),
        ("drip_feed.canceled", "drip_feed", "192.168.7.1"),
    ] {
        entry_of(&panel, event, kind, address).await;
    }
    let found = async |query: &str| {
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
    for (column, text, wanted) in [
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
        let query = format!("columns[0][data]={column}&columns[0][search][value]={text}");
        assert_eq!(found(&query).await, wanted, "{query}");
    }
    for (text, wanted) in [
        ("widget", "order_widget.created"),
        ("192.168", "drip_feed.canceled order_widget.created"),
        ("created 10.0", "order.created"),
    ] {
        assert_eq!(found(&format!("search[value]={}", crate::tables::encoded(text))).await, wanted, "{text}");
    }
    let control = |logic: &str, value: &str| {
        format!(
            "columns[0][data]=event&columns[0][columnControl][search][logic]={logic}&columns[0][columnControl][search][value]={value}"
        )
    };
    assert_eq!(found(&control("contains", "order.created")).await, "order.created");
    assert_eq!(found(&control("equal", "order")).await, "");
    assert_eq!(
        found(&control("notEqual", "order.created,order.canceled")).await,
        "drip_feed.canceled order_widget.created"
    );
    let many = vec!["x"; 101].join(",");
    let refused =
        panel.get(&format!("{AUDITS}?columns[0][data]=event&columns[0][search][value]={many}")).await;
    assert_eq!(refused.status, 200, "the same value counts once: {}", refused.text);
    let many: Vec<String> = (0..101).map(|at| format!("x{at}")).collect();
    let query = format!("columns[0][data]=event&columns[0][search][value]={}", many.join(","));
    let refused = panel.get(&format!("{AUDITS}?{query}")).await;
    assert!(refused.json()["errors"]["columns.0.search"].is_array(), "{}", refused.text);
}

async fn the_chain_is_whole_until_somebody_touches_an_entry(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for id in 1..=3 {
        entry(&panel, id).await;
    }
    assert_eq!(verified(&panel).await["unsealed"], 3);
    let mut sealer = Sealer::default();
    assert_eq!(seal(&panel, &mut sealer).await, 3);
    entry(&panel, 4).await;
    assert_eq!(seal(&panel, &mut sealer).await, 1);
    let found = verified(&panel).await;
    assert_eq!((&found["whole"], &found["seals"], &found["rows"]), (&json!(true), &json!(2), &json!(4)));
    assert_eq!(
        (&found["head"]["id"], &found["unsealed"], &found["next"]),
        (&json!(2), &json!(0), &Value::Null)
    );
    let behind = panel.get(&format!("{VERIFY}?after=1")).await.json()["data"].clone();
    assert_eq!((&behind["whole"], &behind["rows"]), (&json!(true), &json!(1)));
    assert_eq!(panel.get(&format!("{VERIFY}?after=9")).await.status, 422);
    let report = async || {
        doctor::run_all(&panel.app.db, Some(&panel.app.secrets), panel.app.clock.now()).await.unwrap()
    };
    assert!(report().await.healthy, "{}", doctor::text(&report().await));

    // The triggers of the database prevent changes of entries and seals.
    for statement in [
        "UPDATE audits SET event = 'x'",
        "DELETE FROM audits",
        "UPDATE audit_seals SET n = 1",
        "DELETE FROM audit_seals",
    ] {
        assert!((&mut &panel.app.db).exec(Sql::new(statement)).await.is_err(), "{statement}");
    }
    // A change made after dropping the triggers is detected.
    unguard(&panel).await;
    panel.exec(Sql::new("UPDATE audits SET new_values = '{}' WHERE id = 2")).await;
    let found = verified(&panel).await;
    assert_eq!(found["whole"], false);
    assert!(
        found["broken"][0].as_str().unwrap().contains("Entries 1 to 3 are not as they were sealed"),
        "{found}"
    );
    assert_eq!(
        found["broken"].as_array().unwrap().len(),
        1,
        "what stands behind is judged by itself: {found}"
    );
    panel.exec(Sql::new("DELETE FROM audits WHERE id = 2")).await;
    let found = verified(&panel).await;
    assert!(found["broken"][0].as_str().unwrap().contains("2 of 3 are there"), "{found}");
    panel.exec(Sql::new("DELETE FROM audit_seals WHERE id = 1")).await;
    let found = verified(&panel).await;
    assert_eq!(found["broken"][0], "Seal 1 is missing.");
    let report = report().await;
    assert!(!report.healthy && doctor::text(&report).contains("audit_chain"), "{}", doctor::text(&report));
}

/// As a database administrator could.
async fn unguard(panel: &Panel) {
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
        panel.exec(Sql::new(statement)).await;
    }
}

/// On SQLite writers come one after the other, so there is nothing to wait for.
async fn a_slow_transaction_is_waited_for(dialect: Dialect) {
    if dialect == Dialect::Sqlite {
        return;
    }
    let panel = Panel::on(dialect).await;
    let mut slow = Ctx::system(panel.app.clone(), "slow").begin().await.unwrap();
    write(&mut slow, 1).await;
    entry(&panel, 2).await;
    let mut sealer = Sealer::default();
    for _ in 0..10 {
        assert_eq!(sealer.poll(&panel.app).await.unwrap(), 0, "a lower id may still come");
    }
    slow.finish(()).await.unwrap();
    assert_eq!(seal(&panel, &mut sealer).await, 2);
    assert_eq!(verified(&panel).await["whole"], true);
}

async fn two_sealers_make_one_chain(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (mut one, mut two) = (Sealer::default(), Sealer::default());
    for id in 1..=20 {
        entry(&panel, id).await;
        let (first, second) = tokio::join!(one.poll(&panel.app), two.poll(&panel.app));
        first.unwrap();
        second.unwrap();
    }
    tokio::join!(seal(&panel, &mut one), seal(&panel, &mut two));
    let found = verified(&panel).await;
    assert_eq!(
        (&found["whole"], &found["rows"], &found["unsealed"]),
        (&json!(true), &json!(20), &json!(0)),
        "{found}"
    );
}
