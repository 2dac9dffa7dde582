//! What both databases report about the schema: SQLite by `sqlite_schema` and pragmas, PostgreSQL by its catalog.

use std::collections::BTreeMap;

use panel_platform::db::{Db, Source as _, Sql};

use crate::schema::comments::{self, Comments};

/// A column of SQLite.
#[derive(sqlx::FromRow)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: String,
    required: bool,
    pub(super) fallback: Option<String>,
    place_in_key: i64,
}

impl Column {
    pub(super) fn is_nullable(&self) -> bool {
        !self.required && self.place_in_key == 0
    }
}

/// A foreign key of SQLite.
#[derive(sqlx::FromRow)]
pub(super) struct Reference {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) target_column: String,
    pub(super) on_delete: String,
}

/// A statement that SQLite stored.
#[derive(sqlx::FromRow)]
pub(super) struct Object {
    pub(super) kind: String,
    pub(super) owner: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// A table of SQLite.
pub(super) struct Table {
    pub(super) ddl: String,
    pub(super) comments: Comments,
    pub(super) columns: Vec<Column>,
    pub(super) references: Vec<Reference>,
}

pub(super) struct Sqlite {
    /// All statements, those of a table together.
    pub(super) objects: Vec<Object>,
    /// By name, without the virtual tables of text search.
    pub(super) tables: BTreeMap<String, Table>,
}

pub(super) async fn sqlite(mut db: &Db) -> Sqlite {
    let sql =
        "SELECT type AS kind, tbl_name AS owner, name, sql AS text FROM sqlite_schema WHERE sql IS NOT NULL
        ORDER BY tbl_name, CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name";
    let mut objects: Vec<Object> = db.all(Sql::new(sql)).await.unwrap();
    objects.retain(|object| is_ours(&object.owner) && is_ours(&object.name));
    let mut tables = BTreeMap::new();
    for object in &objects {
        if object.kind != "table" || object.text.starts_with("CREATE VIRTUAL") {
            continue;
        }
        let columns =
            "SELECT name, type AS kind, \"notnull\" AS required, dflt_value AS fallback, pk AS place_in_key
            FROM pragma_table_info(?) ORDER BY cid";
        let references = "SELECT \"from\" AS source, \"table\" AS target, \"to\" AS target_column, on_delete
            FROM pragma_foreign_key_list(?) ORDER BY \"from\"";
        let table = Table {
            ddl: object.text.clone(),
            comments: comments::read(&object.text),
            columns: db.all(Sql::new(columns).bind(object.name.clone())).await.unwrap(),
            references: db.all(Sql::new(references).bind(object.name.clone())).await.unwrap(),
        };
        tables.insert(object.name.clone(), table);
    }
    Sqlite { objects, tables }
}

/// Not SQLite's own, not the list of migrations, not what text search keeps its index in.
fn is_ours(name: &str) -> bool {
    !name.starts_with("sqlite_") && !name.starts_with("_sqlx") && !name.contains("_fts_")
}

/// A column of PostgreSQL.
#[derive(sqlx::FromRow)]
pub(super) struct Attribute {
    owner: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) is_identity: bool,
    pub(super) fallback: Option<String>,
}

/// A definition as PostgreSQL writes it.
#[derive(sqlx::FromRow)]
pub(super) struct Definition {
    owner: String,
    pub(super) name: String,
    pub(super) text: String,
}

/// What belongs to each table, by its name.
type ByTable<T> = BTreeMap<String, Vec<T>>;

pub(super) struct Postgres {
    pub(super) extensions: Vec<String>,
    pub(super) functions: Vec<String>,
    pub(super) columns: ByTable<Attribute>,
    pub(super) constraints: ByTable<Definition>,
    pub(super) indexes: ByTable<Definition>,
    pub(super) triggers: ByTable<Definition>,
}

const EXTENSIONS: &str =
    "SELECT CAST(extname AS TEXT) FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname";
/// Ours: those of extensions depend on them.
const FUNCTIONS: &str = "SELECT pg_get_functiondef(p.oid) FROM pg_proc p
    WHERE p.pronamespace = CAST('public' AS regnamespace)
      AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = CAST('pg_proc' AS regclass) AND d.objid = p.oid AND d.deptype = 'e')
    ORDER BY p.proname";
const COLUMNS: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(a.attname AS TEXT) AS name, format_type(a.atttypid, a.atttypmod) AS kind,
      a.attnotnull AS required, a.attidentity = 'd' AS is_identity, pg_get_expr(d.adbin, d.adrelid) AS fallback
    FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE t.relnamespace = CAST('public' AS regnamespace) AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY t.relname, a.attnum";
/// Keys first. NOT NULL stands with the columns, whether or not this version lists it here.
const CONSTRAINTS: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(k.conname AS TEXT) AS name, pg_get_constraintdef(k.oid) AS text
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid
    WHERE k.connamespace = CAST('public' AS regnamespace) AND k.contype IN ('p', 'u', 'f', 'c')
    ORDER BY t.relname, CASE k.contype WHEN 'p' THEN 1 WHEN 'u' THEN 2 WHEN 'f' THEN 3 ELSE 4 END, k.conname";
/// Without those of keys, which stand with the constraints.
const INDEXES: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(i.relname AS TEXT) AS name, pg_get_indexdef(x.indexrelid) AS text
    FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
    WHERE t.relnamespace = CAST('public' AS regnamespace)
      AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = x.indexrelid AND k.contype IN ('p', 'u'))
    ORDER BY t.relname, i.relname";
const TRIGGERS: &str = "SELECT CAST(t.relname AS TEXT) AS owner, CAST(g.tgname AS TEXT) AS name, pg_get_triggerdef(g.oid) AS text
    FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
    WHERE t.relnamespace = CAST('public' AS regnamespace) AND NOT g.tgisinternal ORDER BY t.relname, g.tgname";

pub(super) async fn postgres(mut db: &Db) -> Postgres {
    let extensions: Vec<(String,)> = db.all(Sql::new(EXTENSIONS)).await.unwrap();
    let functions: Vec<(String,)> = db.all(Sql::new(FUNCTIONS)).await.unwrap();
    let mut columns = ByTable::new();
    for column in db.all::<Attribute>(Sql::new(COLUMNS)).await.unwrap() {
        if is_ours(&column.owner) {
            columns.entry(column.owner.clone()).or_default().push(column);
        }
    }
    Postgres {
        extensions: extensions.into_iter().map(|(name,)| name).collect(),
        functions: functions.into_iter().map(|(text,)| text.trim_end().to_owned()).collect(),
        columns,
        constraints: definitions(db, CONSTRAINTS).await,
        indexes: definitions(db, INDEXES).await,
        triggers: definitions(db, TRIGGERS).await,
    }
}

async fn definitions(mut db: &Db, sql: &'static str) -> ByTable<Definition> {
    let mut all = ByTable::new();
    for definition in db.all::<Definition>(Sql::new(sql)).await.unwrap() {
        if is_ours(&definition.owner) {
            all.entry(definition.owner.clone()).or_default().push(definition);
        }
    }
    all
}
