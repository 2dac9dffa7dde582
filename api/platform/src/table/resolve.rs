//! The columns as the list engine reads them, made once per table of what the contract declares and of its SQL.

use panel_contract::lists::{self, List, column};
use panel_contract::permission::Permission;

use crate::table::column_sql::{self, ColumnSql, FlagSql, Group};
use crate::table::row_source::{Index, RowSource};

/// What a column holds, and so what can be searched in it.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// An id: one, `from..to`, or a comma list.
    Id,
    /// A whole number, likewise.
    Number,
    /// Money, or a share of one, which is in millionths as well; likewise.
    Money,
    /// A percent in hundredths, likewise.
    Percent,
    /// A moment: a day, a moment, or `from..to` of either.
    Time,
    /// A text: part of it.
    Text,
    /// A record beside: its id, a comma list of ids, or part of its texts.
    Ref,
    /// One of these words: one, or a comma list.
    OneOf(&'static [&'static str]),
    /// A JSON list of these words: rows that have one of those named, by commas. A list without words has none of them.
    SomeOf(&'static [&'static str]),
    /// A word of an open set, whole: one, or a comma list.
    Exact,
    /// A word of those that the column has, by [`super::Find::Values`]: one, or a comma list. What is no such word finds the
    /// words that it is a part of.
    Choice(&'static Index),
    /// 1 or 0.
    Flag,
    /// 1 for everything, 0 for rows of which the expression is true.
    Unless,
    /// 1 for rows of which the expression is true, 0 for the others; the expression is the condition itself, so that an
    /// index can serve it.
    When,
    /// Anything that is only shown: it can be neither sorted nor searched.
    Shown,
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name on the wire, as in the contract, nested by dots. Camel case is understood as well.
    pub name: &'static str,
    /// Its value as SQL, what it is sorted by; empty for a column that is only shown.
    pub expr: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The join that `expr` needs.
    pub join: Option<&'static str>,
    /// Whether it may be NULL (such rows stand last).
    pub nullable: bool,
    /// For texts: the base's key, the index and the column of it that find rows; an empty column means all.
    pub find: Option<(&'static str, &'static Index, &'static str)>,
    /// For many of a record: what finds the list's rows by the ids found, as the start of a SELECT of them and the
    /// column that the ids stand in.
    pub through: Option<(&'static str, &'static str)>,
    /// Its materialized count.
    pub group: Option<Group>,
    /// Without this permission it is empty, and can be neither sorted nor searched.
    pub permission: Option<Permission>,
    /// Whether files have it.
    pub exported: bool,
}

impl Column {
    /// Whether `name` means it: as declared, or in camel case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        column::is_called(self.name, name)
    }

    /// The column that `declared` is, by the SQL that bears its name or that of the column it is another name of.
    fn of(declared: &lists::Column, source: &RowSource, sql: &[ColumnSql]) -> Self {
        let name = declared.alias_of.unwrap_or(declared.name);
        let own = sql.iter().find(|own| own.name == name).copied();
        let own = own.unwrap_or_else(|| column_sql::base(name));
        Self {
            name: declared.name,
            // Nothing sorts or searches by a column that is only shown.
            expr: match own.expr {
                _ if !declared.searchable => "",
                Some(expr) => expr,
                None => format!("{}.{name}", source.alias).leak(),
            },
            kind: kind(declared, &own),
            join: own.join,
            nullable: declared.nullable,
            find: own.find,
            through: own.through,
            group: own.group,
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

/// The columns of a table. They are made once and live as long as the program, so the texts that they need are leaked: as many as
/// the declarations have columns.
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
