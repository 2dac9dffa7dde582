//! Combines the columns that the contract declares with a table's SQL, once per table, into the columns that the list engine uses.

use panel_contract::lists::{self, List, column};
use panel_contract::permission::Permission;

use crate::table::column_sql::{self, ColumnSql, FlagSql, Group};
use crate::table::row_source::{Index, RowSource};

/// What a column holds, which decides how a filter's text is parsed.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// An id. A filter is one id, `from..to`, or a comma-separated list.
    Id,
    /// A whole number; filtered like an id.
    Number,
    /// Money, or a fraction, which is in millionths as well; filtered like an id.
    Money,
    /// A percent in hundredths; filtered like an id.
    Percent,
    /// A moment. A filter is a day, a moment, or `from..to` of either.
    Time,
    /// A text. A filter is a part of it.
    Text,
    /// A referenced record. A filter is its id, a comma-separated list of ids, or a part of its texts.
    Ref,
    /// One of these values. A filter is one of them, or a comma-separated list.
    OneOf(&'static [&'static str]),
    /// A JSON array of these values. A comma-separated filter finds rows with at least one of its values.
    SomeOf(&'static [&'static str]),
    /// A value of an open set. A filter is one whole value, or a comma-separated list.
    Exact,
    /// One of the values that the column has, by [`super::Find::Values`]. A filter is one value, or a comma-separated list; a text that
    /// is no such value finds the values that contain it.
    Choice(&'static Index),
    /// 1 or 0.
    Flag,
    /// 1 selects all rows, 0 the rows for which the expression is true.
    Unless,
    /// 1 selects the rows for which the expression is true, 0 the others. The expression is the condition itself, so that the
    /// database can use an index.
    When,
    /// A value for display only, which can be neither sorted nor searched.
    Shown,
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name on the wire, as in the contract, nested by dots. A query may use camel case as well.
    pub name: &'static str,
    /// Its value as SQL, by which rows are sorted; empty for a column for display only.
    pub expr: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The join that `expr` needs.
    pub join: Option<&'static str>,
    /// Whether it may be NULL; such rows come last in either direction.
    pub nullable: bool,
    /// For texts: the base's key, the index and the column of it that find rows; an empty column means all.
    pub find: Option<(&'static str, &'static Index, &'static str)>,
    /// Where a join table connects rows and records: the start of a SELECT of the row's ids, and the join table's column with the
    /// record's id.
    pub through: Option<(&'static str, &'static str)>,
    /// Its materialized count.
    pub group: Option<Group>,
    /// The permission without which the column is empty and can be neither sorted nor searched.
    pub permission: Option<Permission>,
    /// Whether exports include it.
    pub exported: bool,
}

impl Column {
    /// Whether `name` is its name, as declared or in camel case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        column::is_called(self.name, name)
    }

    /// Combines `declared` with the SQL of its name, or of the column that it is an alias of.
    fn of(declared: &lists::Column, source: &RowSource, sql: &[ColumnSql]) -> Self {
        let name = declared.alias_of.unwrap_or(declared.name);
        let column_sql = sql.iter().find(|column_sql| column_sql.name == name).copied();
        let column_sql = column_sql.unwrap_or_else(|| column_sql::base(name));
        Self {
            name: declared.name,
            // No query sorts or searches by a column for display only.
            expr: match column_sql.expr {
                _ if !declared.searchable => "",
                Some(expr) => expr,
                None => format!("{}.{name}", source.alias).leak(),
            },
            kind: kind(declared, &column_sql),
            join: column_sql.join,
            nullable: declared.nullable,
            find: column_sql.find,
            through: column_sql.through,
            group: column_sql.group,
            permission: declared.permission,
            exported: declared.exported,
        }
    }
}

/// `check::table` refuses a choice without values and countries without words.
fn kind(declared: &lists::Column, sql: &ColumnSql) -> Kind {
    if !declared.searchable {
        return Kind::Shown;
    }
    match declared.kind {
        lists::Kind::Id => Kind::Id,
        lists::Kind::Number => Kind::Number,
        lists::Kind::Money | lists::Kind::Fraction => Kind::Money,
        lists::Kind::Percent => Kind::Percent,
        lists::Kind::Time => Kind::Time,
        lists::Kind::Text => Kind::Text,
        lists::Kind::Record(_) => Kind::Ref,
        lists::Kind::Word(words) => Kind::OneOf(words.texts),
        lists::Kind::Words(words) => Kind::SomeOf(words.texts),
        lists::Kind::Countries => Kind::SomeOf(sql.words.map_or_else(Vec::new, |words| words()).leak()),
        lists::Kind::Exact => Kind::Exact,
        lists::Kind::Choice => sql.values.map_or(Kind::Exact, Kind::Choice),
        lists::Kind::Flag => match sql.flag {
            FlagSql::Compared => Kind::Flag,
            FlagSql::Bare => Kind::When,
            FlagSql::Unless => Kind::Unless,
        },
        lists::Kind::Json => Kind::Shown,
    }
}

/// The columns of a table. They are created once and live as long as the process, so the texts that they need are leaked; the
/// declared columns bound their number.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) columns: Vec<Column>,
    pub(super) plain: Vec<Column>,
}

impl Resolved {
    pub(super) fn of(list: &List, source: &RowSource, sql: &[ColumnSql]) -> Self {
        let column = |declared: &lists::Column| Column::of(declared, source, sql);
        let columns = list.columns.iter().filter(|declared| declared.is_in_engine());
        Self { columns: columns.map(column).collect(), plain: list.filters.iter().map(column).collect() }
    }
}
