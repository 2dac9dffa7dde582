//! The query that every list understands and the page it answers: the DataTables server-side protocol, and plain
//! parameters (`status=stopped&sort=-cost`) with the same columns and the same grammar.
//!
//! Strangers' DataTables clients (2 and 3) must work unmodified, so what they send without meaning it is
//! tolerated here; what a person could have meant is never dropped silently. SQL is the table engine's.

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

/// Rows of a page when the caller does not say.
pub const DEFAULT_LENGTH: i64 = 30;
/// Most rows of one page; `length` -1 and 0 ("All") mean this as well.
pub const MAX_LENGTH: i64 = 1_000;
/// Most columns a query may name.
pub const MAX_COLUMNS: usize = 100;
/// Longest text that is searched for, in characters.
pub const MAX_SEARCH: usize = 500;
/// Longest list of values in one column's search, for pasted ids.
pub const MAX_LIST: usize = 10_000;
/// Most ids of one ids-only answer.
pub const MAX_IDS: i64 = 10_000;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    /// The number that the query carried.
    pub draw: i64,
    /// Rows before any search, within what the caller may see and the list's plain filters.
    pub records_total: i64,
    /// Rows after all searches.
    pub records_filtered: i64,
    /// The common search found more than it counts: `recordsFiltered` is "at least".
    #[serde(default, skip_serializing_if = "crate::common::is_false")]
    pub records_filtered_is_at_least: bool,
    /// The rows.
    #[schema(inline)]
    pub data: Vec<T>,
}

impl<T: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> Wire for Page<T> {}

/// Answer to `ids_only=1`: the matching ids, highest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IdsPage {
    /// At most 10,000; go on with `after=` the last one.
    pub ids: Vec<RecordId>,
    /// How many match in all.
    pub total: i64,
}

/// One column of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnQuery {
    /// The field, nested by dots; empty or `function` for columns of the client's own.
    pub data: String,
    /// The column's name at the client; wins over `data` when both are known.
    pub name: String,
    /// Whether the common search looks at it.
    pub searchable: bool,
    /// Whether it may be sorted by.
    pub orderable: bool,
    /// What is searched in it: text, `from..to`, or a comma list, by the column's kind.
    pub search: String,
    /// ColumnControl's condition, when it carries one.
    pub control: Option<Control>,
}

/// A condition of the ColumnControl extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// `contains`, `equal`, `greater`, `empty`, …
    pub logic: String,
    /// What it compares with.
    pub value: String,
}

/// One sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderQuery {
    /// Index into the columns.
    pub column: usize,
    /// Largest first.
    pub descending: bool,
}

/// The query of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// Comes back in the answer.
    pub draw: i64,
    /// Rows to skip.
    pub start: i64,
    /// Rows to answer; none for the default, -1 and 0 for as many as one page may have.
    pub length: Option<i64>,
    /// The columns named.
    pub columns: Vec<ColumnQuery>,
    /// Sort keys, first first; empty for the list's own order.
    pub order: Vec<OrderQuery>,
    /// Sort keys by the names of columns, in the place of `order`: `sort=-cost,id`.
    pub sort: Vec<SortKey>,
    /// The page, counted from 1, in the place of `start`: `page[number]`.
    pub page_number: Option<i64>,
    /// The common search.
    pub search: String,
    /// DataTables 3's search over some columns: their indices and the text.
    pub groups: Vec<(Vec<usize>, String)>,
    /// Filters by name: the list's own ones, such as `subscription_id`, and its columns, `status=stopped`. The latter
    /// do not go with `columns`.
    pub plain: BTreeMap<String, String>,
    /// Only ids, highest first.
    pub ids_only: bool,
    /// With `ids_only`: ids below this one.
    pub after: Option<RecordId>,
    /// With an export: the columns of the file, in their order; empty for all of them.
    pub export_columns: Vec<String>,
    /// Parameters in no grammar of a list, as the server received them. The list names them beside its wrong columns.
    pub wrong: FieldErrors,
}

impl TableQuery {
    /// Everything, in the list's own order.
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

    /// Searches one column: text, `from..to` or a comma list.
    #[must_use]
    pub fn filter(mut self, column: &str, search: impl Into<String>) -> Self {
        let at = self.column(column);
        self.columns[at].search = search.into();
        self
    }

    /// Searches the list's common columns.
    #[must_use]
    pub fn search(mut self, text: impl Into<String>) -> Self {
        self.search = text.into();
        self
    }

    /// Sets one of the list's plain filters, or a filter by a column that goes without `columns`.
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

    /// The index of a column, added when it is new.
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
                    errors.add(key, format!("Give {key} once; list several values with commas."));
                }
            }
            _ => errors.add(key, format!("The parameter {key} is not known here; remove it.")),
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
            _ => errors.add(key, format!("The parameter {key} is not known here; remove it.")),
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
            _ => errors.add(key, format!("The parameter {key} is not known here; remove it.")),
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
                errors.add(format!("order.{at}.column"), "Sort by one of the columns that the query names.");
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
            errors.add("search.groups", "Search in columns that the query names.");
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
        // A column is searchable and orderable unless it says otherwise, as in the servers these clients know.
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
    fn a_query_survives_the_wire() {
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
    fn plain_parameters_are_read_and_written() {
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
    fn tolerates_what_datatables_sends() {
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
    fn names_what_is_wrong() {
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
    fn two_spellings_of_one_thing_are_refused() {
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
