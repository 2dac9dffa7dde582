//! Builds the query of a list from flags: declared filters, `--filter column=value`, `--search`, `--since` and `--until`.

mod check_values;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::lists;
use panel_contract::table::TableQuery;

use crate::command::filter::check_values::{check_enum_values, check_numbers};
use crate::command::list::ListCommand;
use crate::command::times;
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};

/// A filter with its own flag. It filters a column, or sets a query parameter that the list declares.
pub(crate) struct Filter {
    pub(crate) flag: &'static str,
    /// The name of the column or of the query parameter.
    pub(crate) column: &'static str,
    help: &'static str,
    /// The accepted values; `None` if the kind of the column determines them.
    value_kind: Option<FilterValueKind>,
}

/// The values that a filter accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FilterValueKind {
    /// Free text, which the server parses. The field is the value name in the help.
    Text(&'static str),
    /// One id, a range `from..to`, or several ids separated by commas.
    Ids,
    /// One number or amount, a range `from..to`, or several separated by commas.
    Numbers,
    /// 1 or 0.
    Flag,
    /// Enum values or substrings of them, separated by commas. The fields are the value name in the help, and a function that returns
    /// the enum values.
    EnumSubstring(&'static str, fn() -> Vec<&'static str>),
    /// Enum values, separated by commas.
    Enum(&'static [&'static str]),
    /// Times and ranges of times.
    Time,
}

impl Filter {
    /// A filter that accepts values of its column's kind.
    pub(crate) const fn new(flag: &'static str, column: &'static str, help: &'static str) -> Self {
        Self { flag, column, help, value_kind: None }
    }

    /// Accepts free text; `name` is the value name in the help.
    pub(crate) const fn text_value(mut self, name: &'static str) -> Self {
        self.value_kind = Some(FilterValueKind::Text(name));
        self
    }

    /// Accepts only these values.
    pub(crate) const fn enum_values(mut self, values: &'static [&'static str]) -> Self {
        self.value_kind = Some(FilterValueKind::Enum(values));
        self
    }

    /// Accepts these values and substrings of them; `name` is the value name in the help.
    pub(crate) const fn enum_substring(
        mut self,
        name: &'static str,
        values: fn() -> Vec<&'static str>,
    ) -> Self {
        self.value_kind = Some(FilterValueKind::EnumSubstring(name, values));
        self
    }

    /// The values that the filter accepts in `list`.
    pub(crate) fn value_kind(&self, list: &ListCommand) -> FilterValueKind {
        let declared = list.declaration.filter(self.column).or_else(|| list.declaration.column(self.column));
        self.value_kind
            .or_else(|| declared.map(|column| default_value_kind(column.kind)))
            .unwrap_or(FilterValueKind::Text("TEXT"))
    }

    /// Whether the filter is a query parameter that the list declares, not the search of a column.
    fn is_query_parameter(&self, list: &ListCommand) -> bool {
        list.declaration.filter(self.column).is_some()
    }
}

/// The values that a filter accepts by default, for each kind of column.
const fn default_value_kind(kind: lists::ColumnKind) -> FilterValueKind {
    match kind {
        lists::ColumnKind::Id => FilterValueKind::Ids,
        lists::ColumnKind::Number
        | lists::ColumnKind::Money
        | lists::ColumnKind::Fraction
        | lists::ColumnKind::Percent => FilterValueKind::Numbers,
        lists::ColumnKind::Time => FilterValueKind::Time,
        lists::ColumnKind::Flag => FilterValueKind::Flag,
        lists::ColumnKind::Enum(values) | lists::ColumnKind::EnumList(values) => {
            FilterValueKind::Enum(values.texts)
        }
        lists::ColumnKind::Text
        | lists::ColumnKind::Record(_)
        | lists::ColumnKind::Countries
        | lists::ColumnKind::ExactText
        | lists::ColumnKind::OpenEnum
        | lists::ColumnKind::Json => FilterValueKind::Text("TEXT"),
    }
}

/// Adds the flags of a list's filters to a command.
pub(crate) fn filter_args(list: &'static ListCommand, command: Command) -> Command {
    let heading = "Filters";
    let list_flags = list.filters.iter().map(|filter| {
        let arg = Arg::new(filter.flag).long(filter.flag).help(filter.help).help_heading(heading);
        match filter.value_kind(list) {
            FilterValueKind::Text(value_name) | FilterValueKind::EnumSubstring(value_name, _) => {
                arg.value_name(value_name)
            }
            FilterValueKind::Ids => arg.value_name("ID"),
            FilterValueKind::Flag => arg.value_name("1|0"),
            FilterValueKind::Time | FilterValueKind::Numbers => arg.value_name("FROM..TO"),
            FilterValueKind::Enum(values) => arg
                .value_name("VALUE")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(values.iter().copied())),
        }
    });
    let time_arg = |flag: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).value_name("WHEN").help(help).help_heading(heading)
    };
    command
        .args(list_flags)
        .arg(time_arg("since", "Only records from this time on, such as 7d, yesterday or 2026-11-01"))
        .arg(time_arg("until", "Only records up to this time"))
        .arg(
            Arg::new("search")
                .long("search")
                .value_name("TEXT")
                .help("Search the main columns of the list for this text")
                .help_heading(heading),
        )
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("COLUMN=VALUE")
                .action(ArgAction::Append)
                .help("Filter by any column: text, a range from..to, or a comma-separated list; may be repeated")
                .help_heading(heading),
        )
}

/// Whether any filter is set.
pub(crate) fn has_filters(list: &ListCommand, matches: &ArgMatches) -> bool {
    let list_flags = list.filters.iter().map(|filter| filter.flag);
    list_flags.chain(["since", "until", "search", "filter"]).any(|flag| matches.contains_id(flag))
}

/// Describes the filters in one line, for the journal of a bulk run.
pub(crate) fn describe_filters(list: &ListCommand, matches: &ArgMatches) -> String {
    let list_flags = list.filters.iter().map(|filter| filter.flag);
    let filter_texts = list_flags.chain(["since", "until", "search", "filter"]).filter_map(|flag| {
        let values: Vec<&String> = matches.get_many::<String>(flag)?.collect();
        let values = values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(",");
        Some(format!("{flag}={values}"))
    });
    filter_texts.collect::<Vec<_>>().join(" ")
}

/// Builds the query from the filter flags, and rejects invalid values before the request is sent.
pub(crate) fn build_query(
    ctx: &Ctx,
    list: &'static ListCommand,
    matches: &ArgMatches,
) -> CommandResult<TableQuery> {
    let mut query = TableQuery::new();
    for filter in list.filters {
        let Some(values) = matches.get_many::<String>(filter.flag) else { continue };
        let text = values.map(String::as_str).collect::<Vec<_>>().join(",");
        check_value(list, filter.flag, filter.column, &text)?;
        query = match filter.value_kind(list) {
            _ if filter.is_query_parameter(list) => query.simple_filter(filter.column, text),
            FilterValueKind::Time => {
                add_filter(query, filter.column, resolve_time_range(ctx, filter.flag, &text)?)?
            }
            _ => add_filter(query, filter.column, text)?,
        };
    }
    for text in matches.get_many::<String>("filter").into_iter().flatten() {
        let (column, value) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--filter {text}: expected COLUMN=VALUE, such as --filter id=7,9."))
        })?;
        let column = check_column(list, column)?;
        check_value(list, &format!("filter {column}"), column, value)?;
        let is_time = row_field_kind(list, column) == Some(lists::ColumnKind::Time);
        let value = if is_time { resolve_time_range(ctx, "filter", value)? } else { value.to_owned() };
        query = add_filter(query, column, value)?;
    }
    if let Some(text) = matches.get_one::<String>("search") {
        query = query.search(text);
    }
    add_since_and_until(ctx, list, matches, query)
}

/// Rejects a value that no record of the list can have: an unknown enum value, an invalid number, a reversed range, or a
/// range within a list of values.
fn check_value(list: &ListCommand, flag: &str, column: &str, text: &str) -> CommandResult<()> {
    let filter = list.filters.iter().find(|filter| filter.column == column);
    let value_kind = match filter {
        Some(filter) => Some(filter.value_kind(list)),
        // For a column without its own flag the server checks all values except numbers.
        None => row_field_kind(list, column)
            .map(default_value_kind)
            .filter(|value_kind| matches!(value_kind, FilterValueKind::Ids | FilterValueKind::Numbers)),
    };
    match value_kind {
        Some(FilterValueKind::Enum(values)) => {
            check_enum_values(flag, column, text, |value| values.contains(&value), values)
        }
        Some(FilterValueKind::EnumSubstring(_, list_values)) => {
            let values = list_values();
            let is_substring =
                |part: &str| values.iter().any(|value| value.contains(&part.to_ascii_lowercase()));
            check_enum_values(flag, column, text, is_substring, &values)
        }
        Some(FilterValueKind::Flag) if !text.is_empty() && !BOOLEAN_VALUES.contains(&text.trim()) => {
            Err(Failure::usage(format!("--{flag} {text}: expected 1 or 0.")))
        }
        Some(FilterValueKind::Ids) => check_numbers(flag, text, |part| part.parse::<i64>().ok()),
        Some(FilterValueKind::Numbers) => check_numbers(flag, text, |part| part.parse::<Money>().ok()),
        _ => Ok(()),
    }
}

/// The kind of a column that the rows of the list contain; `None` for other columns.
fn row_field_kind(list: &ListCommand, column: &str) -> Option<lists::ColumnKind> {
    list.declaration.column(column).filter(|declared| declared.in_row).map(|declared| declared.kind)
}

/// The boolean values that the server accepts.
const BOOLEAN_VALUES: [&str; 4] = ["1", "0", "true", "false"];

/// Rejects a column of `--sort` that the list does not have.
pub(crate) fn check_sort(list: &ListCommand, keys: &str) -> CommandResult<()> {
    let column_names = filterable_columns(list);
    let normalize = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let keys = keys.split(',').map(|key| key.trim().trim_start_matches('-')).filter(|key| !key.is_empty());
    for key in keys {
        if !column_names.iter().any(|name| normalize(name) == normalize(key)) {
            return Err(Failure::usage(format!("--sort {key}: {} have no such column.", list.plural))
                .hint(format!("one of {}", column_names.join(", "))));
        }
    }
    Ok(())
}

/// Adds a filter on a column. Rejects a second filter on the same column: it would replace the first filter, and the command would
/// change more records than the user intended.
fn add_filter(query: TableQuery, column: &str, text: String) -> CommandResult<TableQuery> {
    if query.columns.iter().any(|existing| existing.data == column && !existing.search.is_empty()) {
        return Err(Failure::usage(format!("{column} has two filters: specify one range or list.")));
    }
    Ok(query.filter(column, text))
}

/// Returns the name of a column that the user wrote in snake case or camel case, as the server accepts both. Rejects an unknown
/// column.
fn check_column(list: &ListCommand, column: &str) -> CommandResult<&'static str> {
    let normalize = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let column_names = filterable_columns(list);
    if let Some(name) = column_names.iter().find(|name| normalize(name) == normalize(column)) {
        return Ok(name);
    }
    Err(Failure::usage(format!("--filter {column}: {} have no such column.", list.plural))
        .hint(format!("one of {}", column_names.join(", "))))
}

/// The columns by which the list can be filtered and sorted.
pub(crate) fn filterable_columns(list: &ListCommand) -> Vec<&'static str> {
    let searchable = list.declaration.columns.iter().filter(|column| column.searchable);
    let mut names: Vec<_> = searchable.map(|column| column.name).collect();
    names.sort_unstable();
    names
}

/// Whether a query has a filter with a value. The server ignores an empty filter (DataTables protocol), so a query with only
/// empty filters would select every record.
pub(crate) fn has_nonempty_filter(query: &TableQuery) -> bool {
    let columns = query.columns.iter().map(|column| &column.search);
    columns.chain(query.simple_filters.values()).chain([&query.search]).any(|text| !text.trim().is_empty())
}

/// Adds `--since` and `--until` as a filter on the time column of the list.
fn add_since_and_until(
    ctx: &Ctx,
    list: &ListCommand,
    matches: &ArgMatches,
    query: TableQuery,
) -> CommandResult<TableQuery> {
    let [since, until] = ["since", "until"].map(|flag| matches.get_one::<String>(flag));
    if since.is_none() && until.is_none() {
        return Ok(query);
    }
    let column = list.time_column;
    if query.columns.iter().any(|existing| existing.data == column && !existing.search.is_empty()) {
        return Err(Failure::usage(format!(
            "--since and --until filter {column}, which has another filter already."
        )));
    }
    let parse_bound = |flag: &str, text: Option<&String>| {
        text.map_or(Ok(String::new()), |text| {
            times::parse_time(text, ctx.now())
                .map(|time| time.to_string())
                .map_err(|error| Failure::usage(format!("--{flag}: {error}.")))
        })
    };
    let (from, to) = (parse_bound("since", since)?, parse_bound("until", until)?);
    if !from.is_empty() && !to.is_empty() && from > to {
        return Err(Failure::usage(format!(
            "--since {from} is after --until {to} and selects nothing; swap them."
        )));
    }
    let range = format!("{from}..{to}");
    if ctx.globals.verbose > 0 {
        ctx.out.print_message(&format!("{column} {range}"));
    }
    Ok(query.filter(column, range))
}

/// Replaces the relative bounds of a time filter by times; `-v` prints the result.
fn resolve_time_range(ctx: &Ctx, flag: &str, text: &str) -> CommandResult<String> {
    let range = times::parse_time_range(text, ctx.now())
        .map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
    if ctx.globals.verbose > 0 && range != text {
        ctx.out.print_message(&format!("--{flag} {range}"));
    }
    Ok(range)
}

/// Returns the flag that caused an error of a field; `columns.2.search` is the third column in the query.
pub(crate) fn flag_of_field(list: &ListCommand, query: &TableQuery, field: &str) -> String {
    let mut parts = field.split('.');
    let flag_of = |column: &str| match list.filters.iter().find(|filter| filter.column == column) {
        Some(filter) => format!("--{}", filter.flag),
        None => format!("--filter {column}"),
    };
    let column_at = |index: Option<&str>| query.columns.get(index?.parse::<usize>().ok()?);
    match parts.next() {
        Some("columns") => {
            column_at(parts.next()).map_or_else(|| field.to_owned(), |column| flag_of(&column.data))
        }
        Some("order") => "--sort".to_owned(),
        Some("length") => "--limit".to_owned(),
        Some("start") => "--page".to_owned(),
        Some("search") => "--search".to_owned(),
        _ if list.filters.iter().any(|filter| filter.column == field) => flag_of(field),
        _ => field.to_owned(),
    }
}
