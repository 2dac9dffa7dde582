//! Every column of orders and of the tables beside them is written by production code: a field that only the demo fills is
//! shown, filtered and never true.

use std::fs;
use std::path::{Path, PathBuf};

/// Orders, what places them, and the tables with one row or more for one of these. `advances` is written by statements that
/// are put together from the names of its columns.
const TABLES: [&str; 17] = [
    "orders",
    "combo_orders",
    "coupon_usages",
    "drip_feeds",
    "free_trials",
    "order_cancel_requests",
    "subscriptions",
    "subscription_contents",
    "subscription_services",
    "order_price_modifications",
    "order_balance_payments",
    "order_targetable_values",
    "order_counters",
    "order_refill_requests",
    "external_panel_orders",
    "provider_statistics",
    "promotable_statistics",
];
/// How far behind `UPDATE table SET` its columns are looked for: statements are put together from several texts.
const REACH: usize = 1_800;

#[test]
fn production_code_writes_every_column_of_orders() {
    let sources = sources(&root().join("src"));
    let mut unwritten = Vec::new();
    for table in TABLES {
        for column in columns(table) {
            if column != "id" && !sources.iter().any(|(_, text)| writes(text, table, &column)) {
                unwritten.push(format!("{table}.{column}"));
            }
        }
    }
    assert_eq!(unwritten, Vec::<String>::new(), "only the demo may know these");
}

#[test]
fn the_scan_knows_what_writes_a_column() {
    let text = "\"INSERT INTO orders (name, url) VALUES\" .. \"UPDATE orders SET cost = ?, \" .. \"refunded = r.x FROM \"";
    assert!(["name", "url", "cost", "refunded"].iter().all(|column| writes(text, "orders", column)));
    assert!(!writes(text, "orders", "keyword") && !writes(text, "order_counters", "name"));
    assert!(!writes("UPDATE orders SET seo_keyword = ?", "orders", "keyword"), "another column's end");
    assert!(columns("orders").len() > 40 && columns("orders").contains(&"dispatch_at".to_owned()));
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The server's source files without the demo and without their tests.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "demo" && name != "tests") {
                found.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            found.push((path, code));
        }
    }
    found
}

/// The columns of a table, by its migration.
fn columns(table: &str) -> Vec<String> {
    let start = format!("CREATE TABLE {table} (");
    let folder = root().join("../platform/migrations/sqlite");
    let files = fs::read_dir(folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let text = files.into_iter().find(|text| text.contains(&start)).unwrap();
    let body = text.split(&start).nth(1).unwrap().split(") STRICT").next().unwrap();
    let column = |line: &str| {
        let mut words = line.trim().split([' ', ',']);
        let (name, kind) = (words.next()?, words.next()?);
        matches!(kind, "TEXT" | "INTEGER" | "BLOB" | "REAL").then(|| name.to_owned())
    };
    body.lines().filter(|line| !line.trim().starts_with("--")).filter_map(column).collect()
}

/// Whether a text inserts or updates a column of a table.
fn writes(text: &str, table: &str, column: &str) -> bool {
    let is_named = |list: &str| {
        list.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|word| word == column)
    };
    let insert = format!("INSERT INTO {table} (");
    if text.split(&insert).skip(1).any(|rest| is_named(rest.split(')').next().unwrap_or_default())) {
        return true;
    }
    let set = format!("{column} = ");
    let sets = |rest: &str| {
        let end = rest.char_indices().map(|(at, _)| at).take_while(|at| *at <= REACH).last().unwrap_or(0);
        let near = &rest[..end];
        near.match_indices(&set).any(|(at, _)| {
            let before = near[..at].chars().next_back();
            before.is_none_or(|letter| letter == ' ' || letter == '"' || letter == '\n')
        })
    };
    text.split(&format!("UPDATE {table} SET")).skip(1).any(sets)
}
