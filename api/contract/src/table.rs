//! Query and page of every list: the DataTables server-side protocol, and plain parameters (`status=stopped&sort=-cost`) with the
//! same columns and the same grammar.
//!
//! Existing DataTables clients (2 and 3) must work unmodified, so parameters that they always send are accepted and ignored. A
//! parameter that could be intended is never ignored silently. The table engine of the platform builds the SQL.

mod openapi;
mod parameters;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use utoipa::ToSchema;
use utoipa::openapi::path::Parameter;

use crate::endpoint::{Query, Wire};
use crate::fields::FieldErrors;
use crate::ids::RecordId;
pub use crate::table::parameters::SortKey;
use crate::table::parameters::{split_key, truth, whole};

/// Default number of rows per page.
pub const DEFAULT_LENGTH: i64 = 30;
/// Maximum number of rows per page; `length` -1 and 0 ("All") mean this as well.
pub const MAX_LENGTH: i64 = 1_000;
/// Maximum number of columns in a query.
pub const MAX_COLUMNS: usize = 100;
/// Maximum length of a search text, in characters.
pub const MAX_SEARCH: usize = 500;
/// Maximum number of comma-separated values in the search of one column, for pasted ids.
pub const MAX_LIST: usize = 10_000;
/// Maximum number of ids in one ids-only response.
pub const MAX_IDS: i64 = 10_000;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// Echo of the `draw` parameter, by which a client matches responses to requests.
    pub draw: i64,
    /// Number of rows that the caller may see and the list's own filters match, before searches.
    pub records_total: i64,
    /// Number of rows after all searches.
    pub records_filtered: i64,
    /// Whether `recordsFiltered` is a lower bound, because the global search stopped counting.
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub records_filtered_is_at_least: bool,
    /// The rows of the page.
    #[schema(inline)]
    pub data: Vec<T>,
}

impl<T: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> Wire for Page<T> {}

/// Response to `ids_only=1`: the ids of the matching rows, in descending order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IdsPage {
    /// Up to 10,000 ids; for the next page, set `after` to the last one.
    pub ids: Vec<RecordId>,
    /// Number of matching rows in total.
    pub total: i64,
}

/// One column of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnQuery {
    /// Field of the row, nested by dots; empty or `function` for a column that only exists at the client.
    pub data: String,
    /// The client's name of the column; takes precedence over `data` when both are columns of the list.
    pub name: String,
    /// Whether the global search includes the column.
    pub searchable: bool,
    /// Whether the rows can be sorted by the column.
    pub orderable: bool,
    /// Search value: a text, `from..to` or a comma-separated list, depending on the type of the column.
    pub search: String,
    /// Condition of the ColumnControl extension, if any.
    pub control: Option<Control>,
}

/// A condition of the ColumnControl extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
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

/// The query of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// Number that the response echoes.
    pub draw: i64,
    /// Number of rows to skip.
    pub start: i64,
    /// Number of rows to return; `None` for the default, -1 and 0 for the maximum.
    pub length: Option<i64>,
    /// Columns of the query.
    pub columns: Vec<ColumnQuery>,
    /// Sort keys by precedence; empty for the default order of the list.
    pub order: Vec<OrderQuery>,
    /// Sort keys by column name, instead of `order`: `sort=-cost,id`.
    pub sort: Vec<SortKey>,
    /// Page number from 1, instead of `start`: `page[number]`.
    pub page_number: Option<i64>,
    /// Global search over the searchable columns.
    pub search: String,
    /// Searches over groups of columns (DataTables 3): column indices and the text.
    pub groups: Vec<(Vec<usize>, String)>,
    /// Filters by name: filters of the list, such as `subscription_id`, and columns, `status=stopped`. Column filters cannot be
    /// combined with `columns`.
    pub plain: BTreeMap<String, String>,
    /// Whether to return only ids, in descending order.
    pub ids_only: bool,
    /// With `ids_only`: return ids below this one.
    pub after: Option<RecordId>,
    /// With an export: the columns of the file, in their order; empty for all columns.
    pub export_columns: Vec<String>,
    /// Errors of parameters that no list accepts. The server reports them together with unknown columns of the list.
    pub wrong: FieldErrors,
}

impl TableQuery {
    /// All rows in the default order of the list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `length` rows from `start`.
    #[must_use]
    pub fn page(mut self, start: i64, length: i64) -> Self {
        (self.start, self.length) = (start, Some(length));
        self
    }

    /// Filters by one column: a text, `from..to` or a comma-separated list.
    #[must_use]
    pub fn filter(mut self, column: &str, search: impl Into<String>) -> Self {
        let at = self.column(column);
        self.columns[at].search = search.into();
        self
    }

    /// Sets the global search.
    #[must_use]
    pub fn search(mut self, text: impl Into<String>) -> Self {
        self.search = text.into();
        self
    }

    /// Sets a filter of the list, or a column filter without `columns`.
    #[must_use]
    pub fn plain(mut self, name: &str, value: impl Into<String>) -> Self {
        self.plain.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a sort key.
    #[must_use]
    pub fn sort(mut self, column: &str, descending: bool) -> Self {
        let column = self.column(column);
        self.order.push(OrderQuery { column, descending });
        self
    }

    /// The index of a column, which is added if missing.
    fn column(&mut self, data: &str) -> usize {
        if let Some(at) = self.columns.iter().position(|column| column.data == data) {
            return at;
        }
        self.columns.push(ColumnQuery {
            data: data.to_owned(),
            searchable: true,
            orderable: true,
            ..ColumnQuery::default()
        });
        self.columns.len() - 1
    }

    fn set(&mut self, key: &str, value: &str, errors: &mut FieldErrors) {
        match split_key(key).as_slice() {
            ["_"] => {}
            ["draw"] => self.draw = whole(key, value, 0, errors),
            ["start"] => self.start = whole(key, value, 0, errors),
            ["length"] => self.length = Some(whole(key, value, -1, errors)),
            ["export_columns"] => self.export_columns = value.split(',').map(str::to_owned).collect(),
            ["after"] => self.after = Some(RecordId::new(whole(key, value, 0, errors))),
            ["ids_only"] => self.ids_only = truth(key, value, errors),
            ["search", "value"] | ["search"] => value.clone_into(&mut self.search),
            ["sort"] => self.sort = parameters::sort_keys(value),
            ["page", "size"] => self.length = Some(parameters::size(key, value, errors)),
            ["page", "number"] => self.page_number = Some(whole(key, value, 1, errors)),
            ["search", "regex"] | ["search", "fixed" | "groupsFixed", ..] => {}
            ["search", "groups", at, rest @ ..] => self.set_group(key, at, rest, value, errors),
            ["columns", at, rest @ ..] => self.set_column(key, at, rest, value, errors),
            ["order", at, rest @ ..] => self.set_order(key, at, rest, value, errors),
            ["searchBuilder", ..] => errors.add(key, "SearchBuilder is not supported; use column searches."),
            [name] if parameters::is_name(name) => {
                if self.plain.insert((*name).to_owned(), value.to_owned()).is_some() {
                    errors.add(key, format!("Send {key} once; separate several values with commas."));
                }
            }
            _ => errors.add(key, format!("The parameter {key} is unknown; remove it.")),
        }
    }

    fn set_column(&mut self, key: &str, at: &str, rest: &[&str], value: &str, errors: &mut FieldErrors) {
        let Some(column) = entry(&mut self.columns, key, at, errors) else { return };
        match rest {
            ["data"] => value.clone_into(&mut column.data),
            ["name"] => value.clone_into(&mut column.name),
            ["searchable"] => column.searchable = truth(key, value, errors),
            ["orderable"] => column.orderable = truth(key, value, errors),
            ["search", "value"] => value.clone_into(&mut column.search),
            ["columnControl", "search", "value"] => value.clone_into(&mut control(column).value),
            ["columnControl", "search", "logic"] => value.clone_into(&mut control(column).logic),
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

    fn set_order(&mut self, key: &str, at: &str, rest: &[&str], value: &str, errors: &mut FieldErrors) {
        let Some(index) = index(key, at, errors) else { return };
        while self.order.len() <= index {
            self.order.push(OrderQuery { column: usize::MAX, descending: false });
        }
        match rest {
            ["column"] => {
                if let Ok(column) = usize::try_from(whole(key, value, 0, errors)) {
                    self.order[index].column = column;
                }
            }
            ["dir"] => self.order[index].descending = value != "asc",
            ["name"] => {}
            _ => errors.add(key, format!("The parameter {key} is unknown; remove it.")),
        }
    }

    fn set_group(&mut self, key: &str, at: &str, rest: &[&str], value: &str, errors: &mut FieldErrors) {
        let Some(group) = entry(&mut self.groups, key, at, errors) else { return };
        match rest {
            ["columns", ..] => match value.parse() {
                Ok(column) => group.0.push(column),
                Err(_) => errors.add(key, format!("The {key} parameter must be a column's index.")),
            },
            ["term"] => value.clone_into(&mut group.1),
            _ => {}
        }
    }

    fn check(&self, errors: &mut FieldErrors) {
        for (at, order) in self.order.iter().enumerate() {
            if order.column >= self.columns.len() {
                errors.add(format!("order.{at}.column"), "Sort by one of the columns of the query.");
            }
        }
        for (at, column) in self.columns.iter().enumerate() {
            if column.search.split(',').count() > MAX_LIST
                || (!column.search.contains(',') && too_long(&column.search))
            {
                errors.add(
                    format!("columns.{at}.search"),
                    format!("Search for at most {MAX_SEARCH} characters or {MAX_LIST} listed values."),
                );
            }
        }
        if too_long(&self.search) {
            errors.add("search", format!("Search for at most {MAX_SEARCH} characters."));
        }
        if self.groups.iter().any(|(columns, _)| columns.iter().any(|column| *column >= self.columns.len())) {
            errors.add("search.groups", "Search in columns of the query.");
        }
    }
}

fn too_long(text: &str) -> bool {
    text.chars().count() > MAX_SEARCH
}

fn control(column: &mut ColumnQuery) -> &mut Control {
    column.control.get_or_insert_with(|| Control { logic: "contains".into(), value: String::new() })
}

fn index(key: &str, at: &str, errors: &mut FieldErrors) -> Option<usize> {
    let index = at.parse().ok().filter(|index| *index < MAX_COLUMNS);
    if index.is_none() {
        errors.add(key, format!("The index in {key} must be a number below {MAX_COLUMNS}."));
    }
    index
}

fn entry<'l, T: Default + Clone>(
    list: &'l mut Vec<T>,
    key: &str,
    at: &str,
    errors: &mut FieldErrors,
) -> Option<&'l mut T> {
    let index = index(key, at, errors)?;
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    list.get_mut(index)
}

impl Query for TableQuery {
    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = vec![("draw".to_owned(), self.draw.to_string())];
        pairs.push(match self.page_number {
            Some(number) => ("page[number]".to_owned(), number.to_string()),
            None => ("start".to_owned(), self.start.to_string()),
        });
        let mut put = |key: String, value: String| pairs.push((key, value));
        if let Some(length) = self.length {
            put("length".into(), length.to_string());
        }
        for (at, column) in self.columns.iter().enumerate() {
            put(format!("columns[{at}][data]"), column.data.clone());
            put(format!("columns[{at}][name]"), column.name.clone());
            put(format!("columns[{at}][searchable]"), column.searchable.to_string());
            put(format!("columns[{at}][orderable]"), column.orderable.to_string());
            put(format!("columns[{at}][search][value]"), column.search.clone());
        }
        for (at, order) in self.order.iter().enumerate() {
            put(format!("order[{at}][column]"), order.column.to_string());
            put(format!("order[{at}][dir]"), if order.descending { "desc" } else { "asc" }.into());
        }
        if !self.sort.is_empty() {
            put("sort".into(), parameters::sort_text(&self.sort));
        }
        if !self.search.is_empty() {
            put("search[value]".into(), self.search.clone());
        }
        for (name, value) in &self.plain {
            put(name.clone(), value.clone());
        }
        if self.ids_only {
            put("ids_only".into(), "1".into());
        }
        if !self.export_columns.is_empty() {
            put("export_columns".into(), self.export_columns.join(","));
        }
        if let Some(after) = self.after {
            put("after".into(), after.to_string());
        }
        pairs
    }

    fn read(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        let mut query = Self::receive(pairs)?;
        std::mem::take(&mut query.wrong).or(query)
    }

    fn receive(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        let (mut query, mut errors) = (Self::default(), FieldErrors::default());
        // A column is searchable and orderable by default, as on the servers that these clients were made for.
        let named =
            |part: &str| pairs.iter().any(|(key, _)| key.starts_with("columns[") && key.ends_with(part));
        let (searchable, orderable) = (named("[searchable]"), named("[orderable]"));
        for (key, value) in pairs {
            query.set(key, value, &mut errors);
        }
        for column in &mut query.columns {
            column.searchable |= !searchable;
            column.orderable |= !orderable;
        }
        parameters::refuse_mixed(pairs, &mut errors);
        query.check(&mut errors);
        query.wrong = errors;
        Ok(query)
    }

    fn parameters() -> Vec<Parameter> {
        openapi::parameters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<TableQuery, FieldErrors> {
        let pairs: Vec<_> =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        TableQuery::read(&pairs)
    }

    fn fields(pairs: &[(&str, &str)]) -> Vec<String> {
        read(pairs).unwrap_err().0.into_keys().collect()
    }

    #[test]
    fn a_query_round_trips() {
        let mut query = TableQuery::new()
            .page(60, 30)
            .filter("status", "in_moderation,stopped")
            .sort("id", true)
            .search("a b")
            .plain("drip_feed_id", "7");
        query.export_columns = vec!["id".into(), "user.name".into()];
        assert_eq!(TableQuery::read(&query.pairs()).unwrap(), query);
    }

    #[test]
    fn plain_parameters_round_trip() {
        let query = read(&[
            ("status", "in_moderation"),
            ("user.name", "anna"),
            ("createdAt", "2026-11-20"),
            ("sort", "-cost, id"),
            ("page[size]", "50"),
            ("page[number]", "3"),
            ("search", "a b"),
        ])
        .unwrap();
        let key = |column: &str, descending| SortKey { column: column.into(), descending };
        assert_eq!(query.sort, [key("cost", true), key("id", false)]);
        assert_eq!((query.length, query.page_number, query.search.as_str()), (Some(50), Some(3), "a b"));
        assert_eq!(query.plain.len(), 3);
        assert_eq!(TableQuery::read(&query.pairs()).unwrap(), query);
    }

    #[test]
    fn accepts_the_parameters_of_datatables() {
        let query = read(&[
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
    fn errors_name_the_wrong_parameter() {
        assert_eq!(fields(&[("length", "-2")]), ["length"]);
        assert_eq!(fields(&[("start", "99999999999999999999")]), ["start"]);
        assert_eq!(fields(&[("columns[100][data]", "id")]), ["columns[100][data]"]);
        assert_eq!(fields(&[("columns[0][nonsense]", "id")]), ["columns[0][nonsense]"]);
        assert_eq!(fields(&[("order[0][column]", "3")]), ["order.0.column"]);
        assert_eq!(fields(&[("searchBuilder[logic]", "AND")]), ["searchBuilder[logic]"]);
        assert_eq!(fields(&[("Weird-Name", "1")]), ["Weird-Name"]);
        assert_eq!(fields(&[("search[value]", &"x".repeat(501))]), ["search"]);
        assert_eq!(fields(&[("status", "a"), ("status", "b")]), ["status"]);
        assert_eq!(fields(&[("page[size]", "0")]), ["page[size]"]);
        assert_eq!(fields(&[("page[size]", "1001")]), ["page[size]"]);
        assert_eq!(fields(&[("page[number]", "0")]), ["page[number]"]);
        assert_eq!(fields(&[("page[from]", "0")]), ["page[from]"]);
    }

    #[test]
    fn refuses_two_parameters_with_the_same_meaning() {
        assert_eq!(fields(&[("page[size]", "10"), ("length", "10")]), ["page[size]"]);
        assert_eq!(fields(&[("page[number]", "1"), ("start", "0")]), ["page[number]"]);
        assert_eq!(fields(&[("search", "a"), ("search[value]", "b")]), ["search"]);
        let order = [("sort", "id"), ("columns[0][data]", "id"), ("order[0][column]", "0")];
        assert_eq!(fields(&order), ["sort"]);
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
        panel_fuzz::Run::new("panel-contract", "datatables").on(
            panel_fuzz::pairs(SAMPLES, TOKENS),
            |pairs| {
                if let Ok(query) = TableQuery::read(pairs) {
                    assert!(query.columns.len() <= MAX_COLUMNS && query.order.len() <= MAX_COLUMNS);
                }
            },
        );
    }
}
