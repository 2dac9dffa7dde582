//! From flags to a list's query: declared filters, `--filter column=value`, `--search`, `--since` and `--until`.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::Money;
use panel_contract::lists;
use panel_contract::table::TableQuery;

use crate::command::list::List;
use crate::command::when;
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};

/// A filter with a flag of its own, on a column or a plain filter of its list.
pub(crate) struct Filter {
    /// The flag, without dashes.
    pub(crate) flag: &'static str,
    /// The column that is searched, or the plain filter.
    pub(crate) column: &'static str,
    /// One line.
    help: &'static str,
    /// What it takes, where the kind of its column does not say it.
    takes: Option<Takes>,
}

/// What a filter takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Takes {
    /// Texts: the panel reads them.
    Any(&'static str),
    /// Ids: one, `from..to`, or several with commas.
    Ids,
    /// Numbers and amounts, likewise.
    Numbers,
    /// 1 or 0.
    Flag,
    /// Words of a closed set or parts of them, several with commas.
    PartOf(&'static str, fn() -> Vec<&'static str>),
    /// Words of a closed set, several with commas.
    Words(&'static [&'static str]),
    /// Moments and ranges of them.
    Time,
}

impl Filter {
    /// A filter that takes what its column holds.
    pub(crate) const fn new(flag: &'static str, column: &'static str, help: &'static str) -> Self {
        Self { flag, column, help, takes: None }
    }

    /// Its help calls the text that it takes `name`.
    pub(crate) const fn value(mut self, name: &'static str) -> Self {
        self.takes = Some(Takes::Any(name));
        self
    }

    /// It takes these words only.
    pub(crate) const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.takes = Some(Takes::Words(words));
        self
    }

    /// It takes these words and parts of them; its help calls them `name`.
    pub(crate) const fn part_of(mut self, name: &'static str, words: fn() -> Vec<&'static str>) -> Self {
        self.takes = Some(Takes::PartOf(name, words));
        self
    }

    /// What it takes in `list`.
    pub(crate) fn takes(&self, list: &List) -> Takes {
        let declared = list.of.filter(self.column).or_else(|| list.of.column(self.column));
        self.takes.or_else(|| declared.map(|column| of_kind(column.kind))).unwrap_or(Takes::Any("TEXT"))
    }

    /// Whether it goes as a plain parameter, because the list declares a filter of its name.
    fn is_plain(&self, list: &List) -> bool {
        list.of.filter(self.column).is_some()
    }
}

/// What a filter on a column of that kind takes.
const fn of_kind(kind: lists::Kind) -> Takes {
    match kind {
        lists::Kind::Id => Takes::Ids,
        lists::Kind::Number | lists::Kind::Money | lists::Kind::Fraction | lists::Kind::Percent => {
            Takes::Numbers
        }
        lists::Kind::Time => Takes::Time,
        lists::Kind::Flag => Takes::Flag,
        lists::Kind::Word(words) | lists::Kind::Words(words) => Takes::Words(words.texts),
        lists::Kind::Text
        | lists::Kind::Record(_)
        | lists::Kind::Countries
        | lists::Kind::Exact
        | lists::Kind::Choice
        | lists::Kind::Json => Takes::Any("TEXT"),
    }
}

/// Adds the flags of a list's filters.
pub(crate) fn args(list: &'static List, command: Command) -> Command {
    let heading = "Filters";
    let own = list.filters.iter().map(|filter| {
        let arg = Arg::new(filter.flag).long(filter.flag).help(filter.help).help_heading(heading);
        match filter.takes(list) {
            Takes::Any(value) | Takes::PartOf(value, _) => arg.value_name(value),
            Takes::Ids => arg.value_name("ID"),
            Takes::Flag => arg.value_name("1|0"),
            Takes::Time | Takes::Numbers => arg.value_name("FROM..TO"),
            Takes::Words(words) => arg
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
        .args(own)
        .arg(since("since", "Only from this moment on, such as 7d, yesterday, 2026-11-01"))
        .arg(since("until", "Only up to this moment"))
        .arg(
            Arg::new("search")
                .long("search")
                .value_name("TEXT")
                .help("Looks for a text in the list's usual places")
                .help_heading(heading),
        )
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("COLUMN=VALUE")
                .action(ArgAction::Append)
                .help("Any column: a text, from..to, or a list with commas; may be repeated")
                .help_heading(heading),
        )
}

/// Whether any filter is set.
pub(crate) fn is_set(list: &List, matches: &ArgMatches) -> bool {
    let own = list.filters.iter().map(|filter| filter.flag);
    own.chain(["since", "until", "search", "filter"]).any(|flag| matches.contains_id(flag))
}

/// The filters as text, for a journal.
pub(crate) fn words(list: &List, matches: &ArgMatches) -> String {
    let own = list.filters.iter().map(|filter| filter.flag);
    let set = own.chain(["since", "until", "search", "filter"]).filter_map(|flag| {
        let values: Vec<&String> = matches.get_many::<String>(flag)?.collect();
        let values = values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(",");
        Some(format!("{flag}={values}"))
    });
    set.collect::<Vec<_>>().join(" ")
}

/// The query that the flags describe.
pub(crate) fn query(ctx: &Ctx, list: &'static List, matches: &ArgMatches) -> Done<TableQuery> {
    let mut query = TableQuery::new();
    for filter in list.filters {
        let Some(values) = matches.get_many::<String>(filter.flag) else { continue };
        let text = values.map(String::as_str).collect::<Vec<_>>().join(",");
        check_value(list, filter.flag, filter.column, &text)?;
        query = match filter.takes(list) {
            _ if filter.is_plain(list) => query.plain(filter.column, text),
            Takes::Time => once(query, filter.column, range(ctx, filter.flag, &text)?)?,
            _ => once(query, filter.column, text)?,
        };
    }
    for text in matches.get_many::<String>("filter").into_iter().flatten() {
        let (column, value) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--filter {text}: say --filter column=value, such as --filter id=7,9."))
        })?;
        let column = check_column(list, column)?;
        check_value(list, &format!("filter {column}"), column, value)?;
        let is_time = field_of(list, column) == Some(lists::Kind::Time);
        let value = if is_time { range(ctx, "filter", value)? } else { value.to_owned() };
        query = once(query, column, value)?;
    }
    if let Some(text) = matches.get_one::<String>("search") {
        query = query.search(text);
    }
    between(ctx, list, matches, query)
}

/// Refuses a value that no record of the list can have: a word that its column does not know, what is no number, a range
/// that is reversed or stands in a list.
fn check_value(list: &List, flag: &str, column: &str, text: &str) -> Done<()> {
    let filter = list.filters.iter().find(|filter| filter.column == column);
    let takes = match filter {
        Some(filter) => Some(filter.takes(list)),
        // Of a column without a flag of its own, the panel judges all but numbers.
        None => {
            field_of(list, column).map(of_kind).filter(|takes| matches!(takes, Takes::Ids | Takes::Numbers))
        }
    };
    match takes {
        Some(Takes::Words(words)) => check_words(flag, column, text, |word| words.contains(&word), words),
        Some(Takes::PartOf(_, words)) => {
            let words = words();
            let is_part = |part: &str| words.iter().any(|word| word.contains(&part.to_ascii_lowercase()));
            check_words(flag, column, text, is_part, &words)
        }
        Some(Takes::Flag) if !text.is_empty() && !FLAGS.contains(&text.trim()) => {
            Err(Failure::usage(format!("--{flag} {text}: say 1 or 0.")))
        }
        Some(Takes::Ids) => check_numbers(flag, text, |part| part.parse::<i64>().ok()),
        Some(Takes::Numbers) => check_numbers(flag, text, |part| part.parse::<Money>().ok()),
        _ => Ok(()),
    }
}

/// What the field of a row called `column` holds.
fn field_of(list: &List, column: &str) -> Option<lists::Kind> {
    list.of.column(column).filter(|declared| declared.in_row).map(|declared| declared.kind)
}

/// How a flag is said, as the panel reads it.
const FLAGS: [&str; 4] = ["1", "0", "true", "false"];
/// Most words of a hint.
const MOST_WORDS: usize = 30;

fn check_words(
    flag: &str,
    column: &str,
    text: &str,
    is_known: impl Fn(&str) -> bool,
    known: &[&str],
) -> Done<()> {
    let Some(word) = text.split(',').map(str::trim).find(|word| !is_known(word)) else { return Ok(()) };
    let failure = Failure::usage(format!("--{flag}: {column} is never {word}."));
    if known.len() <= MOST_WORDS {
        return Err(failure.hint(format!("one of {}", known.join(", "))));
    }
    let (kind, _) = word.split_once('.').unwrap_or((word, ""));
    let near: Vec<_> = known.iter().filter(|word| word.starts_with(kind)).take(MOST_WORDS).copied().collect();
    Err(if near.is_empty() { failure } else { failure.hint(format!("such as {}", near.join(", "))) })
}

/// One number, a range, or a list of numbers, as the panel reads them.
fn check_numbers<N: PartialOrd>(flag: &str, text: &str, number: impl Fn(&str) -> Option<N>) -> Done<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let wrong = |why: String| Err(Failure::usage(format!("--{flag} {text}: {why}")));
    let Some((from, to)) = text.split_once("..") else {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        return match parts.find(|part| number(part).is_none()) {
            Some(part) => wrong(format!("{part} is no number; give one, from..to, or several with commas.")),
            None => Ok(()),
        };
    };
    let (from, to) = (from.trim(), to.trim());
    if text.contains(',') || to.contains("..") {
        return wrong("a range stands alone; give from..to, or several numbers with commas.".into());
    }
    let ends = [from, to].map(|end| if end.is_empty() { Ok(None) } else { number(end).map(Some).ok_or(end) });
    match ends {
        [Err(end), _] | [_, Err(end)] => wrong(format!("{end} is no number; give from..to, from.. or ..to.")),
        [Ok(None), Ok(None)] => wrong("give at least one end of the range: from..to, from.. or ..to.".into()),
        [Ok(Some(from_number)), Ok(Some(to_number))] if from_number > to_number => {
            wrong(format!("the range is reversed and selects nothing; say {to}..{from}."))
        }
        _ => Ok(()),
    }
}

/// Refuses columns to sort by that the list has not.
pub(crate) fn check_sort(list: &List, keys: &str) -> Done<()> {
    let known = columns(list);
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let keys = keys.split(',').map(|key| key.trim().trim_start_matches('-')).filter(|key| !key.is_empty());
    for key in keys {
        if !known.iter().any(|name| plain(name) == plain(key)) {
            return Err(Failure::usage(format!("--sort {key}: {} have no such column.", list.noun))
                .hint(format!("one of {}", known.join(", "))));
        }
    }
    Ok(())
}

/// Adds a filter on a column that has none yet: a second one would take the place of the first, and the list would
/// be wider than either.
fn once(query: TableQuery, column: &str, text: String) -> Done<TableQuery> {
    if query.columns.iter().any(|known| known.data == column && !known.search.is_empty()) {
        return Err(Failure::usage(format!("Two filters look at {column}: give one range or list for it.")));
    }
    Ok(query.filter(column, text))
}

/// The column as the list calls it, also where it is written in camel case, which the panel understands as well; one that
/// the list has not is refused before anything is sent.
fn check_column(list: &List, column: &str) -> Done<&'static str> {
    let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
    let known = columns(list);
    if let Some(name) = known.iter().find(|name| plain(name) == plain(column)) {
        return Ok(name);
    }
    Err(Failure::usage(format!("--filter {column}: {} have no such column.", list.noun))
        .hint(format!("one of {}", known.join(", "))))
}

/// The columns that a list can be filtered and sorted by.
pub(crate) fn columns(list: &List) -> Vec<&'static str> {
    let searchable = list.of.columns.iter().filter(|column| column.searchable);
    let mut all: Vec<_> = searchable.map(|column| column.name).collect();
    all.sort_unstable();
    all
}

/// Whether a query leaves anything out. Lists take empty searches for none, as the DataTables protocol has it; a
/// choice of records to change must not.
pub(crate) fn narrows(query: &TableQuery) -> bool {
    let columns = query.columns.iter().map(|column| &column.search);
    columns.chain(query.plain.values()).chain([&query.search]).any(|text| !text.trim().is_empty())
}

/// `--since` and `--until`, on the list's own moment.
fn between(ctx: &Ctx, list: &List, matches: &ArgMatches, query: TableQuery) -> Done<TableQuery> {
    let [since, until] = ["since", "until"].map(|flag| matches.get_one::<String>(flag));
    if since.is_none() && until.is_none() {
        return Ok(query);
    }
    let column = list.since;
    if query.columns.iter().any(|known| known.data == column && !known.search.is_empty()) {
        return Err(Failure::usage(format!(
            "--since and --until look at {column}, which another filter sets."
        )));
    }
    let end = |flag: &str, text: Option<&String>| {
        text.map_or(Ok(String::new()), |text| {
            when::moment(text, ctx.now())
                .map(|time| time.to_string())
                .map_err(|error| Failure::usage(format!("--{flag}: {error}.")))
        })
    };
    let (from, to) = (end("since", since)?, end("until", until)?);
    if !from.is_empty() && !to.is_empty() && from > to {
        return Err(Failure::usage(format!(
            "--since {from} is after --until {to}: that selects nothing; exchange them."
        )));
    }
    let range = format!("{from}..{to}");
    if ctx.globals.verbose > 0 {
        ctx.out.say(&format!("{column} {range}"));
    }
    Ok(query.filter(column, range))
}

fn range(ctx: &Ctx, flag: &str, text: &str) -> Done<String> {
    let range =
        when::range(text, ctx.now()).map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
    if ctx.globals.verbose > 0 && range != text {
        ctx.out.say(&format!("--{flag} {range}"));
    }
    Ok(range)
}

/// Names the fields of an error by flags: `columns.2.search` is the third column that the query names.
pub(crate) fn name_field(list: &List, query: &TableQuery, field: &str) -> String {
    let mut parts = field.split('.');
    let flag_of = |column: &str| match list.filters.iter().find(|filter| filter.column == column) {
        Some(filter) => format!("--{}", filter.flag),
        None => format!("--filter {column}"),
    };
    let column = |at: Option<&str>| query.columns.get(at?.parse::<usize>().ok()?);
    match parts.next() {
        Some("columns") => {
            column(parts.next()).map_or_else(|| field.to_owned(), |found| flag_of(&found.data))
        }
        Some("order") => "--sort".to_owned(),
        Some("length") => "--limit".to_owned(),
        Some("start") => "--page".to_owned(),
        Some("search") => "--search".to_owned(),
        _ if list.filters.iter().any(|filter| filter.column == field) => flag_of(field),
        _ => field.to_owned(),
    }
}
