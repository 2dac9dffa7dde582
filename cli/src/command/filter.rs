//! Builds the query of a list from flags: declared filters, `--filter column=value`, `--search`, `--since` and `--until`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::lists;
use panel_contract::table::TableQuery;

use crate::command::list::List;
use crate::command::times;
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};

/// A filter with its own flag, on a column or a plain filter of its list.
pub(crate) struct Filter {
    /// Without dashes.
    pub(crate) flag: &'static str,
    /// The searched column, or the plain filter.
    pub(crate) column: &'static str,
    help: &'static str,
    /// The accepted values, if the kind of the column does not determine them.
    value_kind: Option<FilterValue>,
}

/// The values that a filter accepts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FilterValue {
    /// Free text, which the panel parses.
    Any(&'static str),
    /// Ids: one, `from..to`, or several separated by commas.
    Ids,
    /// Numbers and amounts: one, `from..to`, or several separated by commas.
    Numbers,
    /// 1 or 0.
    Flag,
    /// Words of a closed set or parts of them, separated by commas.
    PartOf(&'static str, fn() -> Vec<&'static str>),
    /// Words of a closed set, separated by commas.
    Words(&'static [&'static str]),
    /// Times and ranges of times.
    Time,
}

impl Filter {
    /// A filter that accepts values of its column's kind.
    pub(crate) const fn new(flag: &'static str, column: &'static str, help: &'static str) -> Self {
        Self { flag, column, help, value_kind: None }
    }

    /// A filter that accepts text; `name` is the value name in the help.
    pub(crate) const fn value(mut self, name: &'static str) -> Self {
        self.value_kind = Some(FilterValue::Any(name));
        self
    }

    /// A filter that accepts only these words.
    pub(crate) const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.value_kind = Some(FilterValue::Words(words));
        self
    }

    /// A filter that accepts these words and parts of them; `name` is the value name in the help.
    pub(crate) const fn part_of(mut self, name: &'static str, words: fn() -> Vec<&'static str>) -> Self {
        self.value_kind = Some(FilterValue::PartOf(name, words));
        self
    }

    /// The values that the filter accepts in `list`.
    pub(crate) fn value_kind(&self, list: &List) -> FilterValue {
        let declared = list.declaration.filter(self.column).or_else(|| list.declaration.column(self.column));
        self.value_kind
            .or_else(|| declared.map(|column| of_kind(column.kind)))
            .unwrap_or(FilterValue::Any("TEXT"))
    }

    /// Whether the filter is sent as a plain query parameter, because the list declares a filter of this name.
    fn is_plain(&self, list: &List) -> bool {
        list.declaration.filter(self.column).is_some()
    }
}

/// The values that a filter on a column of this kind accepts.
const fn of_kind(kind: lists::Kind) -> FilterValue {
    match kind {
        lists::Kind::Id => FilterValue::Ids,
        lists::Kind::Number | lists::Kind::Money | lists::Kind::Fraction | lists::Kind::Percent => {
            FilterValue::Numbers
        }
        lists::Kind::Time => FilterValue::Time,
        lists::Kind::Flag => FilterValue::Flag,
        lists::Kind::Word(words) | lists::Kind::Words(words) => FilterValue::Words(words.texts),
        lists::Kind::Text
        | lists::Kind::Record(_)
        | lists::Kind::Countries
        | lists::Kind::Exact
        | lists::Kind::Choice
        | lists::Kind::Json => FilterValue::Any("TEXT"),
    }
}

/// Adds the flags of a list's filters to a command.
pub(crate) fn args(list: &'static List, command: Command) -> Command {
    let heading = "Filters";
    let declared = list.filters.iter().map(|filter| {
        let arg = Arg::new(filter.flag).long(filter.flag).help(filter.help).help_heading(heading);
        match filter.value_kind(list) {
            FilterValue::Any(value) | FilterValue::PartOf(value, _) => arg.value_name(value),
            FilterValue::Ids => arg.value_name("ID"),
            FilterValue::Flag => arg.value_name("1|0"),
            FilterValue::Time | FilterValue::Numbers => arg.value_name("FROM..TO"),
            FilterValue::Words(words) => arg
                .value_name("WORD")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(words.iter().copied())),
        }
    });
    let since = |flag: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).value_name("WHEN").help(help).help_heading(heading)
    };
    command
        .args(declared)
        .arg(since("since", "Only records from this time on, such as 7d, yesterday or 2026-11-01"))
        .arg(since("until", "Only records up to this time"))
        .arg(
            Arg::new("search")
                .long("search")
                .value_name("TEXT")
                .help("Search for a text in the list's main columns")
                .help_heading(heading),
        )
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("COLUMN=VALUE")
                .action(ArgAction::Append)
                .help("Filter by any column: a text, from..to, or a comma-separated list; may be repeated")
                .help_heading(heading),
        )
}

/// Whether any filter is set.
pub(crate) fn is_set(list: &List, matches: &ArgMatches) -> bool {
    let declared = list.filters.iter().map(|filter| filter.flag);
    declared.chain(["since", "until", "search", "filter"]).any(|flag| matches.contains_id(flag))
}

/// The filters as text, for the journal of a bulk run.
pub(crate) fn as_text(list: &List, matches: &ArgMatches) -> String {
    let declared = list.filters.iter().map(|filter| filter.flag);
    let set = declared.chain(["since", "until", "search", "filter"]).filter_map(|flag| {
        let values: Vec<&String> = matches.get_many::<String>(flag)?.collect();
        let values = values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(",");
        Some(format!("{flag}={values}"))
    });
    set.collect::<Vec<_>>().join(" ")
}

/// The query for the filter flags.
pub(crate) fn query(ctx: &Ctx, list: &'static List, matches: &ArgMatches) -> CmdResult<TableQuery> {
    let mut query = TableQuery::new();
    for filter in list.filters {
        let Some(values) = matches.get_many::<String>(filter.flag) else { continue };
        let text = values.map(String::as_str).collect::<Vec<_>>().join(",");
        check_value(list, filter.flag, filter.column, &text)?;
        query = match filter.value_kind(list) {
            _ if filter.is_plain(list) => query.plain(filter.column, text),
            FilterValue::Time => add_once(query, filter.column, range(ctx, filter.flag, &text)?)?,
            _ => add_once(query, filter.column, text)?,
        };
    }
    for text in matches.get_many::<String>("filter").into_iter().flatten() {
        let (column, value) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--filter {text}: expected COLUMN=VALUE, such as --filter id=7,9."))
        })?;
        let column = check_column(list, column)?;
        check_value(list, &format!("filter {column}"), column, value)?;
        let is_time = field_of(list, column) == Some(lists::Kind::Time);
        let value = if is_time { range(ctx, "filter", value)? } else { value.to_owned() };
        query = add_once(query, column, value)?;
    }
    if let Some(text) = matches.get_one::<String>("search") {
        query = query.search(text);
    }
    between(ctx, list, matches, query)
}

/// Refuses a value that no record of the list can have: an unknown word, an invalid number, or a range that is reversed or part
/// of a list.
fn check_value(list: &List, flag: &str, column: &str, text: &str) -> CmdResult<()> {
    let filter = list.filters.iter().find(|filter| filter.column == column);
    let value_kind = match filter {
        Some(filter) => Some(filter.value_kind(list)),
        // For a column without its own flag the panel checks all values except numbers.
        None => field_of(list, column)
            .map(of_kind)
            .filter(|value_kind| matches!(value_kind, FilterValue::Ids | FilterValue::Numbers)),
    };
    match value_kind {
        Some(FilterValue::Words(words)) => {
            check_words(flag, column, text, |word| words.contains(&word), words)
        }
        Some(FilterValue::PartOf(_, words)) => {
            let words = words();
            let is_part = |part: &str| words.iter().any(|word| word.contains(&part.to_ascii_lowercase()));
            check_words(flag, column, text, is_part, &words)
        }
        Some(FilterValue::Flag) if !text.is_empty() && !FLAGS.contains(&text.trim()) => {
            Err(Failure::usage(format!("--{flag} {text}: expected 1 or 0.")))
        }
        Some(FilterValue::Ids) => check_numbers(flag, text, |part| part.parse::<i64>().ok()),
        Some(FilterValue::Numbers) => check_numbers(flag, text, |part| part.parse::<Money>().ok()),
        _ => Ok(()),
    }
}

/// The kind of the row field `column`.
fn field_of(list: &List, column: &str) -> Option<lists::Kind> {
    list.declaration.column(column).filter(|declared| declared.in_row).map(|declared| declared.kind)
}

/// The boolean values that the panel accepts.
const FLAGS: [&str; 4] = ["1", "0", "true", "false"];
/// Limit of suggestions in a hint.
const MAX_SUGGESTIONS: usize = 30;

fn check_words(
    flag: &str,
    column: &str,
    text: &str,
    is_allowed: impl Fn(&str) -> bool,
    allowed: &[&str],
) -> CmdResult<()> {
    let Some(word) = text.split(',').map(str::trim).find(|word| !is_allowed(word)) else { return Ok(()) };
    let failure = Failure::usage(format!("--{flag}: {word} is not a valid value of {column}."));
    if allowed.len() <= MAX_SUGGESTIONS {
        return Err(failure.hint(format!("one of {}", allowed.join(", "))));
    }
    let (kind, _) = word.split_once('.').unwrap_or((word, ""));
    let near: Vec<_> =
        allowed.iter().filter(|word| word.starts_with(kind)).take(MAX_SUGGESTIONS).copied().collect();
    Err(if near.is_empty() { failure } else { failure.hint(format!("such as {}", near.join(", "))) })
}

/// Checks one number, a range, or a list of numbers, by the panel's syntax.
fn check_numbers<N: PartialOrd>(flag: &str, text: &str, number: impl Fn(&str) -> Option<N>) -> CmdResult<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let wrong = |why: String| Err(Failure::usage(format!("--{flag} {text}: {why}")));
    let Some((from, to)) = text.split_once("..") else {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        return match parts.find(|part| number(part).is_none()) {
            Some(part) => wrong(format!(
                "{part} is not a number; specify one number, from..to, or several numbers separated by commas."
            )),
            None => Ok(()),
        };
    };
    let (from, to) = (from.trim(), to.trim());
    if text.contains(',') || to.contains("..") {
        return wrong("a range cannot be combined with other values; specify from..to, or several numbers separated by commas.".into());
    }
    let bounds =
        [from, to].map(|end| if end.is_empty() { Ok(None) } else { number(end).map(Some).ok_or(end) });
    match bounds {
        [Err(end), _] | [_, Err(end)] => {
            wrong(format!("{end} is not a number; specify from..to, from.. or ..to."))
        }
        [Ok(None), Ok(None)] => wrong("specify at least one bound: from..to, from.. or ..to.".into()),
        [Ok(Some(from_number)), Ok(Some(to_number))] if from_number > to_number => {
            wrong(format!("the range is reversed and selects nothing; use {to}..{from}."))
        }
        _ => Ok(()),
    }
}

/// Refuses a `--sort` column that the list does not have.
pub(crate) fn check_sort(list: &List, keys: &str) -> CmdResult<()> {
    let available = columns(list);
    let normalized = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let keys = keys.split(',').map(|key| key.trim().trim_start_matches('-')).filter(|key| !key.is_empty());
    for key in keys {
        if !available.iter().any(|name| normalized(name) == normalized(key)) {
            return Err(Failure::usage(format!("--sort {key}: {} have no such column.", list.noun))
                .hint(format!("one of {}", available.join(", "))));
        }
    }
    Ok(())
}

/// Adds a filter on a column that has none yet. A second filter would replace the first, and the result would be wider than
/// either.
fn add_once(query: TableQuery, column: &str, text: String) -> CmdResult<TableQuery> {
    if query.columns.iter().any(|existing| existing.data == column && !existing.search.is_empty()) {
        return Err(Failure::usage(format!("{column} has two filters: specify one range or list.")));
    }
    Ok(query.filter(column, text))
}

/// Resolves the column name, also in camel case, which the panel accepts as well. Refuses an unknown column before anything is
/// sent.
fn check_column(list: &List, column: &str) -> CmdResult<&'static str> {
    let normalized = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let available = columns(list);
    if let Some(name) = available.iter().find(|name| normalized(name) == normalized(column)) {
        return Ok(name);
    }
    Err(Failure::usage(format!("--filter {column}: {} have no such column.", list.noun))
        .hint(format!("one of {}", available.join(", "))))
}

/// The columns by which the list can be filtered and sorted.
pub(crate) fn columns(list: &List) -> Vec<&'static str> {
    let searchable = list.declaration.columns.iter().filter(|column| column.searchable);
    let mut all: Vec<_> = searchable.map(|column| column.name).collect();
    all.sort_unstable();
    all
}

/// Whether a query filters at all. A list treats an empty search as no filter, by the DataTables protocol; a selection of
/// records to change must not.
pub(crate) fn narrows(query: &TableQuery) -> bool {
    let columns = query.columns.iter().map(|column| &column.search);
    columns.chain(query.plain.values()).chain([&query.search]).any(|text| !text.trim().is_empty())
}

/// Adds `--since` and `--until`, on the list's time column.
fn between(ctx: &Ctx, list: &List, matches: &ArgMatches, query: TableQuery) -> CmdResult<TableQuery> {
    let [since, until] = ["since", "until"].map(|flag| matches.get_one::<String>(flag));
    if since.is_none() && until.is_none() {
        return Ok(query);
    }
    let column = list.since;
    if query.columns.iter().any(|existing| existing.data == column && !existing.search.is_empty()) {
        return Err(Failure::usage(format!(
            "--since and --until filter {column}, which has another filter already."
        )));
    }
    let end = |flag: &str, text: Option<&String>| {
        text.map_or(Ok(String::new()), |text| {
            times::moment(text, ctx.now())
                .map(|time| time.to_string())
                .map_err(|error| Failure::usage(format!("--{flag}: {error}.")))
        })
    };
    let (from, to) = (end("since", since)?, end("until", until)?);
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

fn range(ctx: &Ctx, flag: &str, text: &str) -> CmdResult<String> {
    let range =
        times::range(text, ctx.now()).map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
    if ctx.globals.verbose > 0 && range != text {
        ctx.out.print_message(&format!("--{flag} {range}"));
    }
    Ok(range)
}

/// Names the field of an error as a flag; `columns.2.search` is the third column in the query.
pub(crate) fn name_field(list: &List, query: &TableQuery, field: &str) -> String {
    let mut parts = field.split('.');
    let flag_of = |column: &str| match list.filters.iter().find(|filter| filter.column == column) {
        Some(filter) => format!("--{}", filter.flag),
        None => format!("--filter {column}"),
    };
    let column = |index: Option<&str>| query.columns.get(index?.parse::<usize>().ok()?);
    match parts.next() {
        Some("columns") => {
            column(parts.next()).map_or_else(|| field.to_owned(), |column| flag_of(&column.data))
        }
        Some("order") => "--sort".to_owned(),
        Some("length") => "--limit".to_owned(),
        Some("start") => "--page".to_owned(),
        Some("search") => "--search".to_owned(),
        _ if list.filters.iter().any(|filter| filter.column == field) => flag_of(field),
        _ => field.to_owned(),
    }
}
