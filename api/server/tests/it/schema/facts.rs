//! Reads the schema from both databases: from `sqlite_schema` and pragmas, and from the catalog of PostgreSQL.

use std::collections::BTreeMap;

use panel_platform::db::{Db, Sql, SqlExecutor as _};

use crate::schema::comments::{self, Comments};

/// A column, as SQLite reports it.
#[derive(sqlx::FromRow)]
pub(super) struct SqliteColumn {
    pub(super) name: String,
    pub(super) kind: String,
    is_required: bool,
    pub(super) default_value: Option<String>,
    key_position: i64,
}

impl SqliteColumn {
    pub(super) fn is_nullable(&self) -> bool {
        !self.is_required && self.key_position == 0
    }
}

/// A foreign key, as SQLite reports it.
#[derive(sqlx::FromRow)]
pub(super) struct ForeignKey {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) target_column: String,
    pub(super) on_delete: String,
}

/// A CREATE statement that SQLite stored. `owner` is the table to which the object belongs.
#[derive(sqlx::FromRow)]
pub(super) struct SqliteObject {
    pub(super) kind: String,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// A table in SQLite, with its CREATE statement.
pub(super) struct SqliteTable {
    pub(super) ddl: String,
    pub(super) comments: Comments,
    pub(super) columns: Vec<SqliteColumn>,
    pub(super) references: Vec<ForeignKey>,
}

pub(super) struct SqliteSchema {
    /// All statements, ordered by table.
    pub(super) objects: Vec<SqliteObject>,
    /// By name, without the virtual tables of the text search.
    pub(super) tables: BTreeMap<String, SqliteTable>,
}

pub(super) async fn read_sqlite_schema(mut db: &Db) -> SqliteSchema {
    let sql =
        "SELECT type AS kind, tbl_name AS owner, name, sql AS text FROM sqlite_schema WHERE sql IS NOT NULL
        ORDER BY tbl_name, CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name";
    let mut objects: Vec<SqliteObject> = db.fetch_all(Sql::new(sql)).await.unwrap();
    objects.retain(|object| is_panel_object(&object.owner) && is_panel_object(&object.name));
    let mut tables = BTreeMap::new();
    for object in &objects {
        if object.kind != "table" || object.text.starts_with("CREATE VIRTUAL") {
            continue;
        }
        let columns_sql =
            "SELECT name, type AS kind, \"notnull\" AS is_required, dflt_value AS default_value, pk AS key_position
            FROM pragma_table_info(?) ORDER BY cid";
        let references_sql =
            "SELECT \"from\" AS source, \"table\" AS target, \"to\" AS target_column, on_delete
            FROM pragma_foreign_key_list(?) ORDER BY \"from\"";
        let table = SqliteTable {
            ddl: object.text.clone(),
            comments: comments::parse(&object.text),
            columns: db.fetch_all(Sql::new(columns_sql).bind(object.name.clone())).await.unwrap(),
            references: db.fetch_all(Sql::new(references_sql).bind(object.name.clone())).await.unwrap(),
        };
        tables.insert(object.name.clone(), table);
    }
    SqliteSchema { objects, tables }
}

/// False for internal tables of SQLite, the table of migrations, and the index tables of the text search.
fn is_panel_object(name: &str) -> bool {
    !name.starts_with("sqlite_") && !name.starts_with("_sqlx") && !name.contains("_fts_")
}

/// A column, as PostgreSQL reports it. `owner` is its table.
#[derive(sqlx::FromRow)]
pub(super) struct PostgresColumn {
    owner: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) is_required: bool,
    pub(super) is_identity: bool,
    pub(super) default_value: Option<String>,
}

/// A constraint, index or trigger, as PostgreSQL prints it. `owner` is its table.
#[derive(sqlx::FromRow)]
pub(super) struct PostgresDefinition {
    owner: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// By table name.
type ByTable<T> = BTreeMap<String, Vec<T>>;

pub(super) struct PostgresSchema {
    pub(super) extensions: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) columns: ByTable<PostgresColumn>,
    pub(super) constraints: ByTable<PostgresDefinition>,
    pub(super) indexes: ByTable<PostgresDefinition>,
    pub(super) triggers: ByTable<PostgresDefinition>,
}

const EXTENSIONS_SQL: &str =
    "SELECT CAST(extname AS TEXT) FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname";
/// Selects no functions that belong to an extension.
const FUNCTIONS_SQL: &str = "SELECT pg_get_functiondef(p.oid) FROM pg_proc p
    WHERE p.pronamespace = CAST('public' AS regnamespace)
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_proc' AS regclass) AND d.objid = p.oid AND d.deptype = 'e')
    ORDER BY p.proname";
const COLUMNS_SQL: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(a.attname AS TEXT) AS name, format_type(a.atttypid, a.atttypmod) AS kind,
      a.attnotnull AS is_required, a.attidentity = 'd' AS is_identity, pg_get_expr(d.adbin, d.adrelid) AS default_value
    FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE t.relnamespace = CAST('public' AS regnamespace) AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY t.relname, a.attnum";
/// Selects keys first, and no NOT NULL constraints, which newer versions of PostgreSQL also list, because columns report them.
const CONSTRAINTS_SQL: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(k.conname AS TEXT) AS name, pg_get_constraintdef(k.oid) AS text
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
    WHERE k.connamespace = CAST('public' AS regnamespace) AND k.contype IN ('p', 'u', 'f', 'c')
    ORDER BY t.relname, CASE k.contype WHEN 'p' THEN 1 WHEN 'u' THEN 2 WHEN 'f' THEN 3 ELSE 4 END, k.conname";
/// Selects no indexes of keys, because the constraints contain the keys.
const INDEXES_SQL: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(i.relname AS TEXT) AS name, pg_get_indexdef(x.indexrelid) AS text
    FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
    WHERE t.relnamespace = CAST('public' AS regnamespace)
      AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = x.indexrelid AND k.contype IN ('p', 'u'))
    ORDER BY t.relname, i.relname";
const TRIGGERS_SQL: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(g.tgname AS TEXT) AS name, pg_get_triggerdef(g.oid) AS text
    FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
    WHERE t.relnamespace = CAST('public' AS regnamespace) AND NOT g.tgisinternal ORDER BY t.relname, g.tgname";

pub(super) async fn read_postgres_schema(mut db: &Db) -> PostgresSchema {
    let extensions: Vec<(String,)> = db.fetch_all(Sql::new(EXTENSIONS_SQL)).await.unwrap();
    let functions: Vec<(String,)> = db.fetch_all(Sql::new(FUNCTIONS_SQL)).await.unwrap();
    let mut columns = ByTable::new();
    for column in db.fetch_all::<PostgresColumn>(Sql::new(COLUMNS_SQL)).await.unwrap() {
        if is_panel_object(&column.owner) {
            columns.entry(column.owner.clone()).or_default().push(column);
        }
    }
    PostgresSchema {
        extensions: extensions.into_iter().map(|(name,)| name).collect(),
        functions: functions.into_iter().map(|(text,)| text.trim_end().to_owned()).collect(),
        columns,
        constraints: fetch_definitions(db, CONSTRAINTS_SQL).await,
        indexes: fetch_definitions(db, INDEXES_SQL).await,
        triggers: fetch_definitions(db, TRIGGERS_SQL).await,
    }
}

async fn fetch_definitions(mut db: &Db, sql: &'static str) -> ByTable<PostgresDefinition> {
    let mut definitions_by_table = ByTable::new();
    for definition in db.fetch_all::<PostgresDefinition>(Sql::new(sql)).await.unwrap() {
        if is_panel_object(&definition.owner) {
            definitions_by_table.entry(definition.owner.clone()).or_default().push(definition);
        }
    }
    definitions_by_table
}
