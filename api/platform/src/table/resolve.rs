//! Combines the columns that the contract declares with the SQL of a table into the columns that the list engine uses. It runs once
//! for each table.

use panel_contract::lists::{self, List, column};
use panel_contract::permission::Permission;

use crate::table::column_sql::{self, ColumnSql, CountGroup, FlagSql};
use crate::table::row_source::{RowSource, TextIndex};

/// Which values a column holds, which decides how the engine parses a filter on it.
#[derive(Debug, Clone, Copy)]
pub enum FilterKind {
    /// An id. A filter is one id, `from..to`, or a comma-separated list.
    Id,
    /// A whole number; filtered like an id.
    Number,
    /// Money or a fraction, both stored in millionths; filtered like an id.
    Money,
    /// A percentage, stored in hundredths of a percent; filtered like an id.
    Percent,
    /// A moment. A filter is a day, a moment, or `from..to` of either.
    Time,
    /// A text. A filter is a part of it.
    Text,
    /// A referenced record. A filter is its id, a comma-separated list of ids, or a part of its texts.
    Reference,
    /// One of these values. A filter is one of them, or a comma-separated list.
    OneOf(&'static [&'static str]),
    /// A JSON array of these values. A comma-separated filter finds rows with at least one of its values.
    SomeOf(&'static [&'static str]),
    /// A value of an open set. A filter is one whole value, or a comma-separated list.
    Exact,
    /// One of the values that the column has, read by [`super::IndexKind::Values`]. A filter is one value, or a comma-separated
    /// list; a text that is not such a value finds the values that contain it.
    Choice(&'static TextIndex),
    /// 1 or 0.
    Flag,
    /// 0 selects the rows for which the expression is true, 1 includes the other rows.
    IncludeFlag,
    /// 1 selects the rows for which the expression is true, 0 the others. The expression is the condition itself, so that the
    /// database can use an index.
    ConditionFlag,
    /// A value that queries can neither sort nor search.
    DisplayOnly,
}

#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The name in the API, as in the contract; dots separate nested objects. A query may also use camel case.
    pub name: &'static str,
    /// The SQL expression of the value, by which rows are filtered and sorted; empty for [`FilterKind::DisplayOnly`].
    pub expr: &'static str,
    pub kind: FilterKind,
    /// The join that `expr` needs.
    pub join: Option<&'static str>,
    /// Whether the value may be NULL; such rows are last in either direction.
    pub nullable: bool,
    /// For texts: the key of the base, the index that finds rows, and the column of the index; an empty column means all.
    pub text_index: Option<(&'static str, &'static TextIndex, &'static str)>,
    /// For records that a join table connects with the row: the start of a SELECT of the row's ids, and the join table's column
    /// with the record's id.
    pub join_table: Option<(&'static str, &'static str)>,
    pub group: Option<CountGroup>,
    /// A caller without this permission sees no value, and can neither sort nor search by the column.
    pub permission: Option<Permission>,
    /// Whether exports contain the column.
    pub exported: bool,
}

impl Column {
    /// Whether `name` is the column's name, as declared or in camel case.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        column::matches_name(self.name, name)
    }

    /// Combines a declared column with the SQL of the same name, or with the SQL of the column of which it is an alias.
    fn resolve(declared: &lists::Column, source: &RowSource, sql: &[ColumnSql]) -> Self {
        let name = declared.alias_of.unwrap_or(declared.name);
        let column_sql = sql.iter().find(|column_sql| column_sql.name == name).copied();
        let column_sql = column_sql.unwrap_or_else(|| column_sql::base_column(name));
        Self {
            name: declared.name,
            // Queries neither sort nor search by a column for display only.
            expr: match column_sql.expr {
                _ if !declared.searchable => "",
                Some(expr) => expr,
                None => format!("{}.{name}", source.alias).leak(),
            },
            kind: filter_kind(declared, &column_sql),
            join: column_sql.join,
            nullable: declared.nullable,
            text_index: column_sql.text_index,
            join_table: column_sql.join_table,
            group: column_sql.group,
            permission: declared.permission,
            exported: declared.exported,
        }
    }
}

/// The fallbacks for a choice or countries without values are never used: `check::check_table` rejects such a table.
fn filter_kind(declared: &lists::Column, sql: &ColumnSql) -> FilterKind {
    if !declared.searchable {
        return FilterKind::DisplayOnly;
    }
    match declared.kind {
        lists::ColumnKind::Id => FilterKind::Id,
        lists::ColumnKind::Number => FilterKind::Number,
        lists::ColumnKind::Money | lists::ColumnKind::Fraction => FilterKind::Money,
        lists::ColumnKind::Percent => FilterKind::Percent,
        lists::ColumnKind::Time => FilterKind::Time,
        lists::ColumnKind::Text => FilterKind::Text,
        lists::ColumnKind::Record(_) => FilterKind::Reference,
        lists::ColumnKind::Enum(words) => FilterKind::OneOf(words.texts),
        lists::ColumnKind::EnumList(words) => FilterKind::SomeOf(words.texts),
        lists::ColumnKind::Countries => {
            FilterKind::SomeOf(sql.allowed_values.map_or_else(Vec::new, |list_values| list_values()).leak())
        }
        lists::ColumnKind::ExactText => FilterKind::Exact,
        lists::ColumnKind::OpenEnum => sql.values.map_or(FilterKind::Exact, FilterKind::Choice),
        lists::ColumnKind::Flag => match sql.flag {
            FlagSql::Compared => FilterKind::Flag,
            FlagSql::Condition => FilterKind::ConditionFlag,
            FlagSql::Include => FilterKind::IncludeFlag,
        },
        lists::ColumnKind::Json => FilterKind::DisplayOnly,
    }
}

/// The columns of a table. They are created once and exist as long as the process, so their texts may be leaked; the number of
/// declared columns limits the leak.
#[derive(Debug)]
pub(super) struct ResolvedColumns {
    pub(super) columns: Vec<Column>,
    pub(super) own_filters: Vec<Column>,
}

impl ResolvedColumns {
    pub(super) fn resolve(list: &List, source: &RowSource, sql: &[ColumnSql]) -> Self {
        let resolve_column = |declared: &lists::Column| Column::resolve(declared, source, sql);
        let columns = list.columns.iter().filter(|declared| declared.needs_sql());
        Self {
            columns: columns.map(resolve_column).collect(),
            own_filters: list.filters.iter().map(resolve_column).collect(),
        }
    }
}
