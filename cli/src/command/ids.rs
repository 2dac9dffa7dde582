//! Selects the records of a command: by ids on the command line, by ids in a file, or by filters.

use std::collections::HashSet;
use std::io::Read as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::ids::RecordId;

use crate::command::filter;
use crate::command::list::ListCommand;
use crate::command::resolve_names;
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quote_start, shorten};

/// The positional ids, separated by spaces or commas.
pub(crate) fn ids_arg(is_required: bool) -> Arg {
    Arg::new("ids")
        .value_name("ID")
        .num_args(1..)
        .required(is_required)
        .help("Ids, separated by spaces or commas")
}

pub(crate) fn parse_id_args(matches: &ArgMatches) -> CommandResult<Vec<RecordId>> {
    let texts = matches.get_many::<String>("ids").into_iter().flatten();
    parse_unique_ids(texts.flat_map(|text| text.split(',')).map(str::trim))
}

/// Adds the options that select records: ids, `--ids-from`, `--all-matching` and the filters.
pub(crate) fn selection_args(list: &'static ListCommand, command: Command) -> Command {
    let command = command
        .arg(ids_arg(false))
        .arg(Arg::new("ids-from").long("ids-from").value_name("FILE").help(
            "Read ids from a file (- for standard input): one per line, CSV with --id-column, or JSON lines",
        ))
        .arg(
            Arg::new("id-column")
                .long("id-column")
                .value_name("NAME")
                .requires("ids-from")
                .help("CSV column or JSON field that holds the ids [default: id]"),
        )
        .arg(
            Arg::new("all-matching").long("all-matching").action(ArgAction::SetTrue).help(
                "Select all records that match the filters; requires --confirm COUNT if no filter is set",
            ),
        );
    filter::filter_args(list, command)
}

pub(crate) struct Selection {
    /// The ids are fetched once, so that later changes of the records do not affect the selection.
    pub(crate) ids: Vec<RecordId>,
    /// The filters as text, for the journal of a bulk run.
    pub(crate) filter: Option<String>,
    /// Whether `--all-matching` is set without a filter, so that every record of the list is selected.
    pub(crate) is_unfiltered: bool,
}

impl Selection {
    fn by_ids(ids: Vec<RecordId>) -> Self {
        Self { ids, filter: None, is_unfiltered: false }
    }
}

/// Fetches the ids that match the filters, or parses the ids of the command line or the file.
pub(crate) async fn select_records(
    ctx: &Ctx,
    list: &'static ListCommand,
    matches: &ArgMatches,
) -> CommandResult<Selection> {
    let (ids_file, all_matching) = (matches.get_one::<String>("ids-from"), matches.get_flag("all-matching"));
    let has_ids = matches.contains_id("ids");
    if !all_matching && filter::has_filters(list, matches) {
        return Err(Failure::usage("Filters select records only together with --all-matching.")
            .hint("add --all-matching or remove the filters"));
    }
    match (has_ids, ids_file, all_matching) {
        (true, None, false) => Ok(Selection::by_ids(parse_id_args(matches)?)),
        (false, Some(ids_file), false) => {
            let column = matches.get_one::<String>("id-column").map(String::as_str);
            Ok(Selection::by_ids(parse_ids(&read_ids_file(ids_file)?, column)?))
        }
        (false, None, true) => {
            let query = filter::build_query(ctx, list, matches)?;
            let is_unfiltered = !filter::has_nonempty_filter(&query);
            if is_unfiltered && filter::has_filters(list, matches) {
                return Err(Failure::usage("The filters are empty: set a value for each or remove them."));
            }
            let client = ctx.client()?;
            let query = resolve_names::resolve_names(&client, list, query).await?;
            let ids = client.load_ids_at(list.declaration.op.path, &query).await.map_err(|error| {
                Failure::from(error).with_field_names(|field| filter::flag_of_field(list, &query, field))
            })?;
            let filter_text =
                if is_unfiltered { "everything".to_owned() } else { filter::describe_filters(list, matches) };
            Ok(Selection { ids, filter: Some(filter_text), is_unfiltered })
        }
        (false, None, false) => Err(Failure::usage(format!("Specify which {} to change.", list.plural))
            .hint("write ids, or use --ids-from FILE, or filters with --all-matching")),
        _ => Err(Failure::usage("Select records in one way only: ids, --ids-from, or --all-matching.")),
    }
}

fn read_ids_file(file: &str) -> CommandResult<String> {
    let mut text = String::new();
    let result = if file == "-" {
        std::io::stdin().lock().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    result.map_err(|error| Failure::usage(format!("--ids-from {file}: {error}.")))?;
    Ok(text)
}

/// Parses a file of ids: JSON lines or one JSON list; CSV if `column` is set or the first line has a column `id`; otherwise
/// ids separated by commas, spaces or line breaks.
fn parse_ids(text: &str, column: Option<&str>) -> CommandResult<Vec<RecordId>> {
    let text = text.trim_start_matches('\u{feff}');
    let field = column.unwrap_or("id");
    match text.trim_start().chars().next() {
        Some('{' | '[') => {
            let values = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>();
            let mut ids = Vec::new();
            for value in values {
                let value = value.map_err(|error| Failure::usage(format!("--ids-from: {error}.")))?;
                let rows = value.as_array().cloned().unwrap_or_else(|| vec![value]);
                ids.extend(
                    rows.iter().map(|row| crate::output::column::display_text(row.get(field).unwrap_or(row))),
                );
            }
            parse_unique_ids(ids.iter().map(String::as_str))
        }
        _ if column.is_some()
            || text.lines().next().is_some_and(|line| line.split(',').any(|name| name == "id")) =>
        {
            parse_csv_column(text, field)
        }
        _ => parse_unique_ids(text.split([',', '\n', '\r', '\t', ' ']).filter(|part| !part.is_empty())),
    }
}

fn parse_csv_column(text: &str, column: &str) -> CommandResult<Vec<RecordId>> {
    let file_failure = |error: String| Failure::usage(format!("--ids-from: {error}."));
    let mut records = CsvRecords::new(text);
    let names =
        records.next().transpose().map_err(file_failure)?.map(|header| header.cells).unwrap_or_default();
    let index = names.iter().position(|name| name == column).ok_or_else(|| {
        let column_names = names.join(", ");
        Failure::usage(format!(
            "--id-column: the file has no column {column}; its columns are {}.",
            shorten(&column_names)
        ))
    })?;
    let mut ids = Vec::new();
    for record in records {
        let CsvRecord { line, mut cells } = record.map_err(file_failure)?;
        // A spreadsheet may write lines that consist only of commas after the last row.
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        match cells.get_mut(index).map(std::mem::take) {
            Some(cell) if !cell.trim().is_empty() => ids.push(cell),
            _ => return Err(Failure::usage(format!("--ids-from: line {line} has no {column}."))),
        }
    }
    parse_unique_ids(ids.iter().map(String::as_str))
}

fn parse_unique_ids<'t>(texts: impl Iterator<Item = &'t str>) -> CommandResult<Vec<RecordId>> {
    let (mut ids, mut known_ids) = (Vec::new(), HashSet::new());
    for text in texts {
        let id = text.trim().parse::<i64>().ok().filter(|id| *id > 0).map(RecordId::new);
        let id = id.ok_or_else(|| {
            Failure::usage(format!("{} is not an id: ids are whole numbers above 0.", quote_start(text)))
        })?;
        if known_ids.insert(id) {
            ids.push(id);
        }
    }
    if ids.is_empty() { Err(Failure::usage("No ids were specified.")) } else { Ok(ids) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_to_numbers(text: &str, column: Option<&str>) -> Vec<i64> {
        parse_ids(text, column).unwrap().into_iter().map(RecordId::get).collect()
    }

    #[test]
    fn parses_ids_from_text_csv_and_json() {
        assert_eq!(parse_to_numbers("7\n9, 7\r\n\n11", None), [7, 9, 11]);
        assert_eq!(parse_to_numbers("\u{feff}id,name\n7,\"a,b\"\n9,c\n", None), [7, 9]);
        assert_eq!(parse_to_numbers("x,order\na,7\nb,9\n", Some("order")), [7, 9]);
        assert_eq!(parse_to_numbers("{\"id\":7}\n{\"id\":\"9\"}\n", None), [7, 9]);
        assert_eq!(parse_to_numbers("[{\"order_id\":7},{\"order_id\":9}]", Some("order_id")), [7, 9]);
        assert_eq!(parse_to_numbers("[7,9]", None), [7, 9]);
        assert_eq!(parse_to_numbers("id,name\n7,a\n,\n", None), [7]);
        for text in [
            "",
            "\n \r\n",
            "id\n",
            "id,name\n7,a\n,b\n",
            "[]",
            "x",
            "-1",
            "0",
            "1.5",
            "{\"id\":null}",
            "{",
            "99999999999999999999",
        ] {
            assert!(parse_ids(text, None).is_err(), "{text}");
        }
        assert!(parse_ids("a,b\n1,2\n", Some("id")).unwrap_err().message.contains("a, b"));
    }

    #[test]
    fn fuzz_ids_files() {
        const SAMPLES: &[&str] = &["1 2,3\n4", "{\"id\":1}\n{\"id\":2}", "[1,2]", "id,name\n1,a\n"];
        let texts = panel_fuzz::mutated_texts(
            SAMPLES,
            &["\"", ",", "\n", "[", "{", "]", "}", "id", "99999999999999999999", "\0"],
        );
        panel_fuzz::FuzzTarget::new("panelctl", "ids").run(texts, |text| {
            drop(parse_ids(text, None));
            drop(parse_ids(text, Some("id")));
        });
    }
}
