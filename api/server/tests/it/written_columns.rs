//! Production code must write every column of orders and related tables: a column that only the demo fills would be shown and
//! filtered, but always empty.

use std::fs;
use std::path::{Path, PathBuf};

/// Orders, the records that place orders, and the tables that belong to one of these.
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
/// The number of bytes after `UPDATE table SET` in which the scan looks for columns: a statement can consist of several literals.
const SCAN_BYTES: usize = 1_800;

#[test]
fn production_code_writes_every_column_of_orders() {
    let sources = sources(&crate_root().join("src"));
    let mut unwritten = Vec::new();
    for table in TABLES {
        for column in columns(table) {
            if column != "id" && !sources.iter().any(|(_, text)| writes(text, table, &column)) {
                unwritten.push(format!("{table}.{column}"));
            }
        }
    }
    assert_eq!(unwritten, Vec::<String>::new(), "no production code writes these columns");
}

#[test]
fn the_scan_finds_inserts_and_updates_of_a_column() {
    let text = "\"INSERT INTO orders (name, url) VALUES\" .. \"UPDATE orders SET cost = ?, \" .. \"refunded = r.x FROM \"";
    assert!(["name", "url", "cost", "refunded"].iter().all(|column| writes(text, "orders", column)));
    assert!(!writes(text, "orders", "keyword") && !writes(text, "order_counters", "name"));
    assert!(
        !writes("UPDATE orders SET seo_keyword = ?", "orders", "keyword"),
        "the name is the end of another column's name"
    );
    assert!(columns("orders").len() > 40 && columns("orders").contains(&"dispatch_at".to_owned()));
}

fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The server's source files, without the demo and without tests.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "demo" && name != "tests") {
                files.extend(sources(&path));
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            files.push((path, code));
        }
    }
    files
}

/// The columns of a table in its migration.
fn columns(table: &str) -> Vec<String> {
    let start = format!("CREATE TABLE {table} (");
    let folder = crate_root().join("../platform/migrations/sqlite");
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

/// Whether the text inserts or updates the column of the table.
fn writes(text: &str, table: &str, column: &str) -> bool {
    let has_column = |list: &str| {
        list.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .any(|word| word == column)
    };
    let insert = format!("INSERT INTO {table} (");
    if text.split(&insert).skip(1).any(|rest| has_column(rest.split(')').next().unwrap_or_default())) {
        return true;
    }
    let assignment = format!("{column} = ");
    let sets = |rest: &str| {
        let end = rest
            .char_indices()
            .map(|(index, _)| index)
            .take_while(|index| *index <= SCAN_BYTES)
            .last()
            .unwrap_or(0);
        let nearby = &rest[..end];
        nearby.match_indices(&assignment).any(|(index, _)| {
            let before = nearby[..index].chars().next_back();
            before.is_none_or(|character| character == ' ' || character == '"' || character == '\n')
        })
    };
    text.split(&format!("UPDATE {table} SET")).skip(1).any(sets)
}
