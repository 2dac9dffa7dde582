//! Query parameters and responses of all lists. A query uses either the server-side protocol of DataTables, or simple parameters
//! (`status=stopped&sort=-cost`). Both refer to the same columns and use the same search syntax.
//!
//! Existing clients of DataTables 2 and 3 must work unmodified, so the server ignores the unused parameters that these clients
//! always send. Every other unknown parameter is an error. The module `table` of the crate `panel-platform` builds the SQL.

mod openapi;
mod pages;
mod parameters;

use std::collections::BTreeMap;

use utoipa::openapi::path::Parameter;

use crate::endpoint::Query;
use crate::fields::FieldErrors;
use crate::ids::RecordId;
pub use crate::table::pages::{IdsPage, Page};
pub use crate::table::parameters::SortKey;
use crate::table::parameters::{parse_flag, parse_integer, split_key};

/// Default number of rows per page.
pub const DEFAULT_LENGTH: i64 = 30;
/// Maximum number of rows per page; `length` -1 and 0 ("All") mean this as well.
pub const MAX_LENGTH: i64 = 1_000;
/// Maximum number of columns in a query.
pub const MAX_COLUMNS: usize = 100;
/// Maximum length of a search text, in characters.
pub const MAX_SEARCH_CHARS: usize = 500;
/// Maximum number of comma-separated values in the search of one column, such as pasted ids.
pub const MAX_LIST_VALUES: usize = 10_000;
/// Maximum number of ids in one ids-only response.
pub const MAX_IDS: i64 = 10_000;

/// One column of a list query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnQuery {
    /// Field of the row, nested by dots, such as `user.email`; empty or `function` for a column that exists only at the client.
    pub data: String,
    /// Name of the column at the client. If `name` and `data` both name a column of the list, `name` applies.
    pub name: String,
    /// Whether the global search includes the column.
    pub searchable: bool,
    /// Whether the rows can be sorted by the column.
    pub orderable: bool,
    /// Search value: a string, `from..to` or a comma-separated list, depending on the type of the column.
    pub search: String,
    /// Condition of the DataTables extension ColumnControl, if any.
    pub control: Option<ColumnCondition>,
}

/// A condition of the DataTables extension ColumnControl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnCondition {
    /// Operator, such as `contains`, `equal`, `greater` or `empty`.
    pub logic: String,
    /// Value to compare with.
    pub value: String,
}

/// A sort key of the DataTables protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderQuery {
    /// Index into the columns of the query.
    pub column: usize,
    /// Whether the order is descending.
    pub descending: bool,
}

/// A search of DataTables 3 in a group of columns: at least one of the columns must contain the string.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchGroup {
    /// Indices into the columns of the query.
    pub columns: Vec<usize>,
    /// String to search for.
    pub term: String,
}

/// The query parameters of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// Number that the response echoes.
    pub draw: i64,
    /// Number of rows to skip.
    pub start: i64,
    /// Number of rows to return; `None` for the default, -1 and 0 for the maximum.
    pub length: Option<i64>,
    /// Columns with searches and sort keys.
    pub columns: Vec<ColumnQuery>,
    /// Sort keys by precedence; empty for the default order of the list.
    pub order: Vec<OrderQuery>,
    /// Sort keys by column name, instead of `order`: `sort=-cost,id`.
    pub sort: Vec<SortKey>,
    /// Page number from 1, instead of `start`: `page[number]`.
    pub page_number: Option<i64>,
    /// Global search over the searchable columns.
    pub search: String,
    /// Searches over groups of columns (DataTables 3).
    pub groups: Vec<SearchGroup>,
    /// Filters in the form `name=value`. The name is an additional filter of the list (`subscription_id=7`) or a column
    /// (`status=stopped`). A filter by a column cannot be combined with `columns`.
    pub simple_filters: BTreeMap<String, String>,
    /// Whether the response is an [`IdsPage`] instead of rows.
    pub ids_only: bool,
    /// With `ids_only`: the last id of the previous response. The ids are in descending order, so the response has only lower ids.
    pub after: Option<RecordId>,
    /// With an export: columns of the file, in their order; empty for all columns.
    pub export_columns: Vec<String>,
    /// Errors that are found without knowing the columns of the list. The server reports them together with the errors about the
    /// columns.
    pub errors: FieldErrors,
}

impl TableQuery {
    /// A query for the first page in the default order of the list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the query to `length` rows after the first `start` rows.
    #[must_use]
    pub fn page(mut self, start: i64, length: i64) -> Self {
        (self.start, self.length) = (start, Some(length));
        self
    }

    /// Filters by a column. `search` is a string, `from..to` or a comma-separated list.
    #[must_use]
    pub fn filter(mut self, column: &str, search: impl Into<String>) -> Self {
        let index = self.column_index(column);
        self.columns[index].search = search.into();
        self
    }

    /// Sets the string of the global search.
    #[must_use]
    pub fn search(mut self, text: impl Into<String>) -> Self {
        self.search = text.into();
        self
    }

    /// Sets a filter in the form `name=value`: an additional filter of the list, or a column if the query has no `columns`.
    #[must_use]
    pub fn simple_filter(mut self, name: &str, value: impl Into<String>) -> Self {
        self.simple_filters.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a sort key after the existing sort keys.
    #[must_use]
    pub fn sort(mut self, column: &str, descending: bool) -> Self {
        let column = self.column_index(column);
        self.order.push(OrderQuery { column, descending });
        self
    }

    /// The index of the column `data`. Adds the column if it is missing.
    fn column_index(&mut self, data: &str) -> usize {
        if let Some(index) = self.columns.iter().position(|column| column.data == data) {
            return index;
        }
        self.columns.push(ColumnQuery {
            data: data.to_owned(),
            searchable: true,
            orderable: true,
            ..ColumnQuery::default()
        });
        self.columns.len() - 1
    }

    fn set_parameter(&mut self, key: &str, value: &str, errors: &mut FieldErrors) {
        match split_key(key).as_slice() {
            ["_"] => {}
            ["draw"] => self.draw = parse_integer(key, value, 0, errors),
            ["start"] => self.start = parse_integer(key, value, 0, errors),
            ["length"] => self.length = Some(parse_integer(key, value, -1, errors)),
            ["export_columns"] => self.export_columns = value.split(',').map(str::to_owned).collect(),
            ["after"] => self.after = Some(RecordId::new(parse_integer(key, value, 0, errors))),
            ["ids_only"] => self.ids_only = parse_flag(key, value, errors),
            ["search", "value"] | ["search"] => value.clone_into(&mut self.search),
            ["sort"] => self.sort = parameters::parse_sort_keys(value),
            ["page", "size"] => self.length = Some(parameters::parse_page_size(key, value, errors)),
            ["page", "number"] => self.page_number = Some(parse_integer(key, value, 1, errors)),
            ["search", "regex"] | ["search", "fixed" | "groupsFixed", ..] => {}
            ["search", "groups", index, subkeys @ ..] => self.set_group(key, index, subkeys, value, errors),
            ["columns", index, subkeys @ ..] => self.set_column(key, index, subkeys, value, errors),
            ["order", index, subkeys @ ..] => self.set_order(key, index, subkeys, value, errors),
            ["searchBuilder", ..] => {
                errors.add(key, "SearchBuilder is not supported. Use column searches instead.")
            }
            [name] if parameters::is_filter_name(name) => {
                if self.simple_filters.insert((*name).to_owned(), value.to_owned()).is_some() {
                    errors.add(key, format!("Send {key} once. Separate several values with commas."));
                }
            }
            _ => errors.add(key, format!("The parameter {key} is unknown; remove it.")),
        }
    }

    fn set_column(
        &mut self,
        key: &str,
        index: &str,
        subkeys: &[&str],
        value: &str,
        errors: &mut FieldErrors,
    ) {
        let Some(column) = get_or_insert_element(&mut self.columns, key, index, errors) else { return };
        match subkeys {
            ["data"] => value.clone_into(&mut column.data),
            ["name"] => value.clone_into(&mut column.name),
            ["searchable"] => column.searchable = parse_flag(key, value, errors),
            ["orderable"] => column.orderable = parse_flag(key, value, errors),
            ["search", "value"] => value.clone_into(&mut column.search),
            ["columnControl", "search", "value"] => {
                value.clone_into(&mut get_or_insert_condition(column).value)
            }
            ["columnControl", "search", "logic"] => {
                value.clone_into(&mut get_or_insert_condition(column).logic)
            }
            ["columnControl", "list", _] if !value.is_empty() => {
                if !column.search.is_empty() {
                    column.search.push(',');
                }
                column.search.push_str(value);
            }
            ["search", "regex"] | ["search", "fixed", ..] | ["columnControl", ..] => {}
            _ => errors.add(key, format!("The parameter {key} is unknown; remove it.")),
        }
    }

    fn set_order(&mut self, key: &str, index: &str, subkeys: &[&str], value: &str, errors: &mut FieldErrors) {
        let Some(index) = parse_index(key, index, errors) else { return };
        while self.order.len() <= index {
            self.order.push(OrderQuery { column: usize::MAX, descending: false });
        }
        match subkeys {
            ["column"] => {
                if let Ok(column) = usize::try_from(parse_integer(key, value, 0, errors)) {
                    self.order[index].column = column;
                }
            }
            ["dir"] => self.order[index].descending = value != "asc",
            ["name"] => {}
            _ => errors.add(key, format!("The parameter {key} is unknown; remove it.")),
        }
    }

    fn set_group(&mut self, key: &str, index: &str, subkeys: &[&str], value: &str, errors: &mut FieldErrors) {
        let Some(group) = get_or_insert_element(&mut self.groups, key, index, errors) else { return };
        match subkeys {
            ["columns", ..] => match value.parse() {
                Ok(column) => group.columns.push(column),
                Err(_) => errors.add(key, format!("The {key} parameter must be the index of a column.")),
            },
            ["term"] => value.clone_into(&mut group.term),
            _ => {}
        }
    }

    fn check_limits(&self, errors: &mut FieldErrors) {
        for (index, order) in self.order.iter().enumerate() {
            if order.column >= self.columns.len() {
                errors
                    .add(format!("order.{index}.column"), "The index must belong to a column of the query.");
            }
        }
        for (index, column) in self.columns.iter().enumerate() {
            if column.search.split(',').count() > MAX_LIST_VALUES
                || (!column.search.contains(',') && is_too_long(&column.search))
            {
                errors.add(
                    format!("columns.{index}.search"),
                    format!(
                        "Search for at most {MAX_SEARCH_CHARS} characters or {MAX_LIST_VALUES} listed values."
                    ),
                );
            }
        }
        if is_too_long(&self.search) {
            errors.add("search", format!("Search for at most {MAX_SEARCH_CHARS} characters."));
        }
        let has_missing_column =
            |group: &SearchGroup| group.columns.iter().any(|column| *column >= self.columns.len());
        if self.groups.iter().any(has_missing_column) {
            errors.add("search.groups", "Each index must belong to a column of the query.");
        }
    }
}

fn is_too_long(text: &str) -> bool {
    text.chars().count() > MAX_SEARCH_CHARS
}

fn get_or_insert_condition(column: &mut ColumnQuery) -> &mut ColumnCondition {
    column.control.get_or_insert_with(|| ColumnCondition { logic: "contains".into(), value: String::new() })
}

fn parse_index(key: &str, text: &str, errors: &mut FieldErrors) -> Option<usize> {
    let index = text.parse().ok().filter(|index| *index < MAX_COLUMNS);
    if index.is_none() {
        errors.add(key, format!("The index in {key} must be a number below {MAX_COLUMNS}."));
    }
    index
}

/// The element at `index`. Extends a shorter list with default values; adds an error for an invalid index.
fn get_or_insert_element<'l, T: Default + Clone>(
    list: &'l mut Vec<T>,
    key: &str,
    index: &str,
    errors: &mut FieldErrors,
) -> Option<&'l mut T> {
    let index = parse_index(key, index, errors)?;
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    list.get_mut(index)
}

impl Query for TableQuery {
    fn to_pairs(&self) -> Vec<(String, String)> {
        let mut pairs = vec![("draw".to_owned(), self.draw.to_string())];
        pairs.push(match self.page_number {
            Some(number) => ("page[number]".to_owned(), number.to_string()),
            None => ("start".to_owned(), self.start.to_string()),
        });
        let mut push = |key: String, value: String| pairs.push((key, value));
        if let Some(length) = self.length {
            push("length".into(), length.to_string());
        }
        for (index, column) in self.columns.iter().enumerate() {
            push(format!("columns[{index}][data]"), column.data.clone());
            push(format!("columns[{index}][name]"), column.name.clone());
            push(format!("columns[{index}][searchable]"), column.searchable.to_string());
            push(format!("columns[{index}][orderable]"), column.orderable.to_string());
            push(format!("columns[{index}][search][value]"), column.search.clone());
        }
        for (index, order) in self.order.iter().enumerate() {
            push(format!("order[{index}][column]"), order.column.to_string());
            push(format!("order[{index}][dir]"), if order.descending { "desc" } else { "asc" }.into());
        }
        if !self.sort.is_empty() {
            push("sort".into(), parameters::format_sort_keys(&self.sort));
        }
        if !self.search.is_empty() {
            push("search[value]".into(), self.search.clone());
        }
        for (name, value) in &self.simple_filters {
            push(name.clone(), value.clone());
        }
        if self.ids_only {
            push("ids_only".into(), "1".into());
        }
        if !self.export_columns.is_empty() {
            push("export_columns".into(), self.export_columns.join(","));
        }
        if let Some(after) = self.after {
            push("after".into(), after.to_string());
        }
        pairs
    }

    fn parse(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        let mut query = Self::parse_deferring_errors(pairs)?;
        std::mem::take(&mut query.errors).into_result(query)
    }

    fn parse_deferring_errors(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        let (mut query, mut errors) = (Self::default(), FieldErrors::default());
        // A column is searchable by default if the client sends no parameter `searchable` at all; `orderable` works in the same way.
        let has_column_parameter =
            |suffix: &str| pairs.iter().any(|(key, _)| key.starts_with("columns[") && key.ends_with(suffix));
        let sends_searchable = has_column_parameter("[searchable]");
        let sends_orderable = has_column_parameter("[orderable]");
        for (key, value) in pairs {
            query.set_parameter(key, value, &mut errors);
        }
        for column in &mut query.columns {
            column.searchable |= !sends_searchable;
            column.orderable |= !sends_orderable;
        }
        parameters::reject_ambiguous_parameters(pairs, &mut errors);
        query.check_limits(&mut errors);
        query.errors = errors;
        Ok(query)
    }

    fn parameters() -> Vec<Parameter> {
        openapi::parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<TableQuery, FieldErrors> {
        let pairs: Vec<_> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        TableQuery::parse(&pairs)
    }

    fn invalid_parameters(pairs: &[(&str, &str)]) -> Vec<String> {
        parse(pairs).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn a_datatables_query_round_trips() {
        let mut query = TableQuery::new()
            .page(60, 30)
            .filter("status", "in_moderation,stopped")
            .sort("id", true)
            .search("a b")
            .simple_filter("drip_feed_id", "7");
        query.export_columns = vec!["id".into(), "user.name".into()];
        assert_eq!(TableQuery::parse(&query.to_pairs()).unwrap(), query);
    }

    #[test]
    fn simple_parameters_round_trip() {
        let query = parse(&[
            ("status", "in_moderation"),
            ("user.name", "anna"),
            ("createdAt", "2026-11-20"),
            ("sort", "-cost, id"),
            ("page[size]", "50"),
            ("page[number]", "3"),
            ("search", "a b"),
        ])
        .unwrap();
        let sort_key = |column: &str, descending| SortKey { column: column.into(), descending };
        assert_eq!(query.sort, [sort_key("cost", true), sort_key("id", false)]);
        assert_eq!((query.length, query.page_number, query.search.as_str()), (Some(50), Some(3), "a b"));
        assert_eq!(query.simple_filters.len(), 3);
        assert_eq!(TableQuery::parse(&query.to_pairs()).unwrap(), query);
    }

    #[test]
    fn accepts_the_parameters_of_datatables() {
        let query = parse(&[
            ("draw", "2"),
            ("_", "1795209083712"),
            ("search[regex]", "false"),
            ("search[fixed][0][name]", "x"),
            ("columns[0][data]", "id"),
            ("columns[0][search][regex]", "false"),
            ("columns[0][search][fixed][0][term]", "x"),
            ("order[0][column]", "0"),
            ("order[0][dir]", "asc"),
            ("order[0][name]", ""),
            ("search[groups][0][columns][]", "0"),
            ("search[groups][0][term]", "x"),
        ])
        .unwrap();
        assert_eq!((query.draw, query.groups.len(), query.columns[0].searchable), (2, 1, true));
    }

    #[test]
    fn errors_name_the_invalid_parameter() {
        assert_eq!(invalid_parameters(&[("length", "-2")]), ["length"]);
        assert_eq!(invalid_parameters(&[("start", "99999999999999999999")]), ["start"]);
        assert_eq!(invalid_parameters(&[("columns[100][data]", "id")]), ["columns[100][data]"]);
        assert_eq!(invalid_parameters(&[("columns[0][nonsense]", "id")]), ["columns[0][nonsense]"]);
        assert_eq!(invalid_parameters(&[("order[0][column]", "3")]), ["order.0.column"]);
        assert_eq!(invalid_parameters(&[("searchBuilder[logic]", "AND")]), ["searchBuilder[logic]"]);
        assert_eq!(invalid_parameters(&[("Weird-Name", "1")]), ["Weird-Name"]);
        assert_eq!(invalid_parameters(&[("search[value]", &"x".repeat(501))]), ["search"]);
        assert_eq!(invalid_parameters(&[("status", "a"), ("status", "b")]), ["status"]);
        assert_eq!(invalid_parameters(&[("page[size]", "0")]), ["page[size]"]);
        assert_eq!(invalid_parameters(&[("page[size]", "1001")]), ["page[size]"]);
        assert_eq!(invalid_parameters(&[("page[number]", "0")]), ["page[number]"]);
        assert_eq!(invalid_parameters(&[("page[from]", "0")]), ["page[from]"]);
    }

    #[test]
    fn rejects_two_parameters_with_the_same_meaning() {
        assert_eq!(invalid_parameters(&[("page[size]", "10"), ("length", "10")]), ["page[size]"]);
        assert_eq!(invalid_parameters(&[("page[number]", "1"), ("start", "0")]), ["page[number]"]);
        assert_eq!(invalid_parameters(&[("search", "a"), ("search[value]", "b")]), ["search"]);
        let order = [("sort", "id"), ("columns[0][data]", "id"), ("order[0][column]", "0")];
        assert_eq!(invalid_parameters(&order), ["sort"]);
    }

    #[test]
    fn fuzz_datatables_queries() {
        const SAMPLES: &[&str] = &[
            "draw=1&start=0&length=25&columns[0][data]=id&columns[0][search][value]=7&columns[0][searchable]=true&order[0][column]=0&order[0][dir]=asc&search[value]=x&search[regex]=false",
            "columns[1][data]=user.email&columns[1][columnControl][search][logic]=contains&columns[1][columnControl][search][value]=a&search[groups][0][columns][]=0&search[groups][0][term]=x&_=1",
            "ids_only=1&after=7&export_columns=id,name&subscription_id=4",
            "status=in_moderation&cost=5..50&sort=-cost,id&page[size]=30&page[number]=2&search=x",
        ];
        const TOKENS: &[&str] = &[
            "[",
            "]",
            "[]",
            "][",
            "[0]",
            "[99999999999999999999]",
            "columns",
            "order",
            "search",
            "-1",
            ",",
            "&",
            "=",
            "true",
            "\0",
        ];
        panel_fuzz::FuzzTarget::new("panel-contract", "datatables").run(
            panel_fuzz::query_pairs(SAMPLES, TOKENS),
            |pairs| {
                if let Ok(query) = TableQuery::parse(pairs) {
                    assert!(query.columns.len() <= MAX_COLUMNS && query.order.len() <= MAX_COLUMNS);
                }
            },
        );
    }
}
