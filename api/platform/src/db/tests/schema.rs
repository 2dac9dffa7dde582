//! The migrations of both databases create the same schema.

use std::collections::{BTreeMap, BTreeSet};

use super::fresh;
use crate::db::{Db, Dialect, Source as _, Sql};

/// Columns by table, in order: (name, type, is nullable, has a default).
type Columns = BTreeMap<String, Vec<(String, String, bool, bool)>>;
/// Constraints and indexes: (table, columns, `unique`, `references …` or `index …`).
type Rules = BTreeSet<(String, String, String)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_schemas_are_equal() {
    let (sqlite, postgres) = (fresh(Dialect::Sqlite).await, fresh(Dialect::Postgres).await);
    let (left, right) = (sqlite_columns(&sqlite.db).await, postgres_columns(&postgres.db).await);
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    assert!(left.len() > 30, "{} tables", left.len());
    for (table, columns) in &left {
        assert_eq!(columns, &right[table], "{table}");
    }
    let (left, right) = (sqlite_rules(&sqlite.db).await, postgres_rules(&postgres.db).await);
    assert_eq!(left.difference(&right).collect::<Vec<_>>(), Vec::<&(_, _, _)>::new(), "only on SQLite");
    assert_eq!(right.difference(&left).collect::<Vec<_>>(), Vec::<&(_, _, _)>::new(), "only on PostgreSQL");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn check_constraints_have_the_same_words() {
    let (sqlite, postgres) = (fresh(Dialect::Sqlite).await, fresh(Dialect::Postgres).await);
    let (left, right) = (sqlite_words(&sqlite.db).await, postgres_words(&postgres.db).await);
    assert!(left.len() > 8, "{left:?}");
    assert_eq!(left, right);
}

/// The tables of the schema, without SQLite's own and those of FTS5.
const TABLES: &str = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%fts%' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY name";

async fn sqlite_columns(mut db: &Db) -> Columns {
    let mut all = Columns::new();
    for (table, ddl) in db.all::<(String, String)>(Sql::new(TABLES)).await.unwrap() {
        assert!(ddl.trim_end().ends_with("STRICT"), "{table} is not STRICT");
        let sql =
            Sql::new("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid")
                .bind(table.clone());
        let columns = db.all::<(String, String, bool, Option<String>, i64)>(sql).await.unwrap();
        let columns = columns.into_iter().map(|(name, kind, required, default, key)| {
            let flag = ddl.contains(&format!("CHECK ({name} IN (0, 1))"));
            let kind = match kind.as_str() {
                "INTEGER" if flag => "boolean",
                "INTEGER" => "bigint",
                "TEXT" => "text",
                "BLOB" => "bytea",
                other => other,
            };
            (name, kind.to_owned(), !required && key == 0, default.is_some())
        });
        all.insert(table, columns.collect());
    }
    all
}

async fn postgres_columns(mut db: &Db) -> Columns {
    let sql = "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT), CAST(data_type AS TEXT), is_nullable = 'YES', column_default IS NOT NULL
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_sqlx%' ORDER BY table_name, ordinal_position";
    let mut all = Columns::new();
    for (table, name, kind, nullable, default) in
        db.all::<(String, String, String, bool, bool)>(Sql::new(sql)).await.unwrap()
    {
        all.entry(table).or_default().push((name, kind, nullable, default));
    }
    all
}

async fn sqlite_rules(mut db: &Db) -> Rules {
    let mut rules = Rules::new();
    for (table, _) in db.all::<(String, String)>(Sql::new(TABLES)).await.unwrap() {
        let key =
            Sql::new("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").bind(table.clone());
        let key = joined(db.all(key).await.unwrap());
        if !key.is_empty() {
            rules.insert((table.clone(), key, "unique".into()));
        }
        let indexes =
            Sql::new("SELECT name, \"unique\", origin FROM pragma_index_list(?)").bind(table.clone());
        for (index, is_unique, origin) in db.all::<(String, bool, String)>(indexes).await.unwrap() {
            let columns =
                Sql::new("SELECT COALESCE(name, 'expression') FROM pragma_index_info(?) ORDER BY seqno")
                    .bind(index.clone());
            let columns = joined(db.all(columns).await.unwrap());
            if is_unique {
                rules.insert((table.clone(), columns.clone(), "unique".into()));
            }
            if origin == "c" {
                rules.insert((table.clone(), columns, format!("index {index}")));
            }
        }
        let references = Sql::new("SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?)")
            .bind(table.clone());
        for (column, to, delete) in db.all::<(String, String, String)>(references).await.unwrap() {
            rules.insert((table.clone(), column, format!("references {to} {delete}")));
        }
    }
    rules
}

async fn postgres_rules(mut db: &Db) -> Rules {
    let mut rules = Rules::new();
    let indexes = "SELECT CAST(t.relname AS TEXT), CAST(i.relname AS TEXT), x.indisunique, x.indisprimary OR k.oid IS NOT NULL,
          (SELECT string_agg(COALESCE(CAST(a.attname AS TEXT), 'expression'), ',' ORDER BY c.at) FROM unnest(x.indkey) WITH ORDINALITY AS c (attnum, at)
             LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.attnum)
        FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
          LEFT JOIN pg_constraint k ON k.conindid = i.oid AND k.contype = 'u'
        WHERE t.relnamespace = CAST('public' AS regnamespace) AND t.relname NOT LIKE '\\_sqlx%' AND m.amname = 'btree'";
    for (table, index, is_unique, is_of_constraint, columns) in
        db.all::<(String, String, bool, bool, String)>(Sql::new(indexes)).await.unwrap()
    {
        if is_unique {
            rules.insert((table.clone(), columns.clone(), "unique".into()));
        }
        if !is_of_constraint {
            rules.insert((table, columns, format!("index {index}")));
        }
    }
    let references = "SELECT CAST(CAST(conrelid AS regclass) AS TEXT), CAST(a.attname AS TEXT), CAST(CAST(confrelid AS regclass) AS TEXT),
          CASE confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' ELSE CAST(confdeltype AS TEXT) END
        FROM pg_constraint JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1] WHERE contype = 'f'";
    for (table, column, to, delete) in
        db.all::<(String, String, String, String)>(Sql::new(references)).await.unwrap()
    {
        rules.insert((table, column, format!("references {to} {delete}")));
    }
    rules
}

fn joined(names: Vec<(String,)>) -> String {
    names.into_iter().map(|(name,)| name).collect::<Vec<_>>().join(",")
}

/// The quoted words of the CHECK constraints, by table.
async fn sqlite_words(mut db: &Db) -> BTreeMap<String, BTreeSet<String>> {
    let tables = db.all::<(String, String)>(Sql::new(TABLES)).await.unwrap();
    let checks = tables.into_iter().flat_map(|(table, ddl)| {
        let checks: Vec<_> = ddl
            .split("CHECK (")
            .skip(1)
            .map(|check| (table.clone(), within_brackets(check).to_owned()))
            .collect();
        checks
    });
    words(checks)
}

/// The text up to the bracket that closes the one opened before `text`.
fn within_brackets(text: &str) -> &str {
    let mut open = 1;
    for (at, letter) in text.char_indices() {
        open += i32::from(letter == '(') - i32::from(letter == ')');
        if open == 0 {
            return &text[..at];
        }
    }
    text
}

async fn postgres_words(mut db: &Db) -> BTreeMap<String, BTreeSet<String>> {
    let sql = "SELECT CAST(CAST(conrelid AS regclass) AS TEXT), pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND connamespace = CAST('public' AS regnamespace)";
    words(db.all::<(String, String)>(Sql::new(sql)).await.unwrap())
}

fn words(checks: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    for (table, check) in checks {
        for word in check.split('\'').skip(1).step_by(2) {
            all.entry(table.clone()).or_default().insert(word.to_owned());
        }
    }
    all
}
