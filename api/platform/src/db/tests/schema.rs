//! The migrations of both databases create the same schema.

use std::collections::{BTreeMap, BTreeSet};

use super::open_fresh_database;
use crate::db::{Db, Dialect, Sql, SqlExecutor as _};

/// The columns of each table, in order: (name, type, is nullable, has a default).
type ColumnsByTable = BTreeMap<String, Vec<(String, String, bool, bool)>>;
/// (table, columns, rule); the rule is `unique`, `references …` or `index …`.
type ConstraintsAndIndexes = BTreeSet<(String, String, String)>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_databases_have_the_same_schema() {
    let (sqlite, postgres) =
        (open_fresh_database(Dialect::Sqlite).await, open_fresh_database(Dialect::Postgres).await);
    let (left, right) = (read_sqlite_columns(&sqlite.db).await, read_postgres_columns(&postgres.db).await);
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    assert!(left.len() > 30, "{} tables", left.len());
    for (table, columns) in &left {
        assert_eq!(columns, &right[table], "{table}");
    }
    let (left, right) =
        (read_sqlite_constraints(&sqlite.db).await, read_postgres_constraints(&postgres.db).await);
    assert_eq!(left.difference(&right).collect::<Vec<_>>(), Vec::<&(_, _, _)>::new(), "only on SQLite");
    assert_eq!(right.difference(&left).collect::<Vec<_>>(), Vec::<&(_, _, _)>::new(), "only on PostgreSQL");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn check_constraints_allow_the_same_values() {
    let (sqlite, postgres) =
        (open_fresh_database(Dialect::Sqlite).await, open_fresh_database(Dialect::Postgres).await);
    let (left, right) =
        (read_sqlite_check_values(&sqlite.db).await, read_postgres_check_values(&postgres.db).await);
    assert!(left.len() > 8, "{left:?}");
    assert_eq!(left, right);
}

/// Selects the tables of the schema, without the internal tables of SQLite, FTS5 and sqlx.
const SELECT_TABLES: &str = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%fts%' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY name";

async fn read_sqlite_columns(mut db: &Db) -> ColumnsByTable {
    let mut columns_by_table = ColumnsByTable::new();
    for (table, ddl) in db.fetch_all::<(String, String)>(Sql::new(SELECT_TABLES)).await.unwrap() {
        assert!(ddl.trim_end().ends_with("STRICT"), "{table} is not STRICT");
        let sql =
            Sql::new("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid")
                .bind(table.clone());
        let columns = db.fetch_all::<(String, String, bool, Option<String>, i64)>(sql).await.unwrap();
        let columns = columns.into_iter().map(|(name, column_type, is_not_null, default, key_position)| {
            let is_boolean = ddl.contains(&format!("CHECK ({name} IN (0, 1))"));
            let column_type = match column_type.as_str() {
                "INTEGER" if is_boolean => "boolean",
                "INTEGER" => "bigint",
                "TEXT" => "text",
                "BLOB" => "bytea",
                other => other,
            };
            (name, column_type.to_owned(), !is_not_null && key_position == 0, default.is_some())
        });
        columns_by_table.insert(table, columns.collect());
    }
    columns_by_table
}

async fn read_postgres_columns(mut db: &Db) -> ColumnsByTable {
    let sql = "SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT), CAST(data_type AS TEXT), is_nullable = 'YES', column_default IS NOT NULL
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_sqlx%' ORDER BY table_name, ordinal_position";
    let mut columns_by_table = ColumnsByTable::new();
    for (table, name, column_type, is_nullable, has_default) in
        db.fetch_all::<(String, String, String, bool, bool)>(Sql::new(sql)).await.unwrap()
    {
        columns_by_table.entry(table).or_default().push((name, column_type, is_nullable, has_default));
    }
    columns_by_table
}

async fn read_sqlite_constraints(mut db: &Db) -> ConstraintsAndIndexes {
    let mut constraints = ConstraintsAndIndexes::new();
    for (table, _) in db.fetch_all::<(String, String)>(Sql::new(SELECT_TABLES)).await.unwrap() {
        let key_columns =
            Sql::new("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").bind(table.clone());
        let key_columns = join_names(db.fetch_all(key_columns).await.unwrap());
        if !key_columns.is_empty() {
            constraints.insert((table.clone(), key_columns, "unique".into()));
        }
        let indexes =
            Sql::new("SELECT name, \"unique\", origin FROM pragma_index_list(?)").bind(table.clone());
        for (index, is_unique, origin) in db.fetch_all::<(String, bool, String)>(indexes).await.unwrap() {
            let columns =
                Sql::new("SELECT COALESCE(name, 'expression') FROM pragma_index_info(?) ORDER BY seqno")
                    .bind(index.clone());
            let columns = join_names(db.fetch_all(columns).await.unwrap());
            if is_unique {
                constraints.insert((table.clone(), columns.clone(), "unique".into()));
            }
            if origin == "c" {
                constraints.insert((table.clone(), columns, format!("index {index}")));
            }
        }
        let references = Sql::new("SELECT \"from\", \"table\", on_delete FROM pragma_foreign_key_list(?)")
            .bind(table.clone());
        for (column, target, on_delete) in db.fetch_all::<(String, String, String)>(references).await.unwrap()
        {
            constraints.insert((table.clone(), column, format!("references {target} {on_delete}")));
        }
    }
    constraints
}

async fn read_postgres_constraints(mut db: &Db) -> ConstraintsAndIndexes {
    let mut constraints = ConstraintsAndIndexes::new();
    let indexes = "SELECT CAST(t.relname AS TEXT), CAST(i.relname AS TEXT), x.indisunique, x.indisprimary OR k.oid IS NOT NULL,
          (SELECT string_agg(COALESCE(CAST(a.attname AS TEXT), 'expression'), ',' ORDER BY c.at) FROM unnest(x.indkey) WITH ORDINALITY AS c (attnum, at)
             LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.attnum)
        FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
          LEFT JOIN pg_constraint k ON k.conindid = i.oid AND k.contype = 'u'
        WHERE t.relnamespace = CAST('public' AS regnamespace) AND t.relname NOT LIKE '\\_sqlx%' AND m.amname = 'btree'";
    for (table, index, is_unique, is_of_constraint, columns) in
        db.fetch_all::<(String, String, bool, bool, String)>(Sql::new(indexes)).await.unwrap()
    {
        if is_unique {
            constraints.insert((table.clone(), columns.clone(), "unique".into()));
        }
        if !is_of_constraint {
            constraints.insert((table, columns, format!("index {index}")));
        }
    }
    let references = "SELECT CAST(CAST(conrelid AS regclass) AS TEXT), CAST(a.attname AS TEXT), CAST(CAST(confrelid AS regclass) AS TEXT),
          CASE confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' ELSE CAST(confdeltype AS TEXT) END
        FROM pg_constraint JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1] WHERE contype = 'f'";
    for (table, column, target, on_delete) in
        db.fetch_all::<(String, String, String, String)>(Sql::new(references)).await.unwrap()
    {
        constraints.insert((table, column, format!("references {target} {on_delete}")));
    }
    constraints
}

fn join_names(names: Vec<(String,)>) -> String {
    names.into_iter().map(|(name,)| name).collect::<Vec<_>>().join(",")
}

/// Reads the values that the CHECK constraints of each table quote.
async fn read_sqlite_check_values(mut db: &Db) -> BTreeMap<String, BTreeSet<String>> {
    let tables = db.fetch_all::<(String, String)>(Sql::new(SELECT_TABLES)).await.unwrap();
    let checks = tables.into_iter().flat_map(|(table, ddl)| {
        let checks: Vec<_> = ddl
            .split("CHECK (")
            .skip(1)
            .map(|check| (table.clone(), text_in_brackets(check).to_owned()))
            .collect();
        checks
    });
    quoted_values(checks)
}

/// Returns the text up to the closing bracket whose opening bracket precedes `text`.
fn text_in_brackets(text: &str) -> &str {
    let mut depth = 1;
    for (index, character) in text.char_indices() {
        depth += i32::from(character == '(') - i32::from(character == ')');
        if depth == 0 {
            return &text[..index];
        }
    }
    text
}

async fn read_postgres_check_values(mut db: &Db) -> BTreeMap<String, BTreeSet<String>> {
    let sql = "SELECT CAST(CAST(conrelid AS regclass) AS TEXT), pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c' AND connamespace = CAST('public' AS regnamespace)";
    quoted_values(db.fetch_all::<(String, String)>(Sql::new(sql)).await.unwrap())
}

fn quoted_values(checks: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, BTreeSet<String>> {
    let mut values_by_table = BTreeMap::<String, BTreeSet<String>>::new();
    for (table, check) in checks {
        for value in check.split('\'').skip(1).step_by(2) {
            values_by_table.entry(table.clone()).or_default().insert(value.to_owned());
        }
    }
    values_by_table
}
