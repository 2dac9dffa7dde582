//! Which records are meant: ids on the command line, in a file, or everything that filters leave.

use std::collections::HashSet;
use std::io::Read as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::ids::RecordId;

use crate::command::filter;
use crate::command::list::List;
use crate::command::named;
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quoted, shortened};

/// `ID...`; commas work as well.
pub(crate) fn positional(required: bool) -> Arg {
    Arg::new("ids").value_name("ID").num_args(1..).required(required).help("Ids, with spaces or commas")
}

/// The ids on the command line.
pub(crate) fn given(matches: &ArgMatches) -> Done<Vec<RecordId>> {
    let texts = matches.get_many::<String>("ids").into_iter().flatten();
    unique(texts.flat_map(|text| text.split(',')).map(str::trim))
}

/// Adds every way to name records.
pub(crate) fn args(list: &'static List, command: Command) -> Command {
    let command = command
        .arg(positional(false))
        .arg(Arg::new("ids-from").long("ids-from").value_name("FILE").help(
            "Reads ids from a file, or - for standard input: one a line, CSV with --id-column, or JSON lines",
        ))
        .arg(
            Arg::new("id-column")
                .long("id-column")
                .value_name("NAME")
                .requires("ids-from")
                .help("The CSV column, or JSON field, with the ids [default: id]"),
        )
        .arg(
            Arg::new("all-matching")
                .long("all-matching")
                .action(ArgAction::SetTrue)
                .help("Everything that the filters leave now; without a filter it needs --confirm COUNT"),
        );
    filter::args(list, command)
}

/// The records meant.
pub(crate) struct Selection {
    /// Their ids, frozen.
    pub(crate) ids: Vec<RecordId>,
    /// The filters that found them, as text for the journal.
    pub(crate) filter: Option<String>,
    /// `--all-matching` without a filter: every record that there is.
    pub(crate) is_everything: bool,
}

impl Selection {
    fn named(ids: Vec<RecordId>) -> Self {
        Self { ids, filter: None, is_everything: false }
    }
}

/// The records meant. The ids of a filter are frozen here.
pub(crate) async fn chosen(ctx: &Ctx, list: &'static List, matches: &ArgMatches) -> Done<Selection> {
    let (file, all) = (matches.get_one::<String>("ids-from"), matches.get_flag("all-matching"));
    let named = matches.contains_id("ids");
    if !all && filter::is_set(list, matches) {
        return Err(Failure::usage("Filters choose records only together with --all-matching.")
            .hint("add --all-matching, or leave the filters out"));
    }
    match (named, file, all) {
        (true, None, false) => Ok(Selection::named(given(matches)?)),
        (false, Some(file), false) => {
            let column = matches.get_one::<String>("id-column").map(String::as_str);
            Ok(Selection::named(read(&text_of(file)?, column)?))
        }
        (false, None, true) => {
            let query = filter::query(ctx, list, matches)?;
            let is_everything = !filter::narrows(&query);
            if is_everything && filter::is_set(list, matches) {
                return Err(Failure::usage("The filters are empty: give them values or leave them out."));
            }
            let client = ctx.client()?;
            let query = named::resolve(&client, list, query).await?;
            let ids = client.ids_at(list.of.op.path, &query).await.map_err(|error| {
                Failure::from(error).naming(|field| filter::name_field(list, &query, field))
            })?;
            let words = filter::words(list, matches);
            let words = if is_everything { "everything".to_owned() } else { words };
            Ok(Selection { ids, filter: Some(words), is_everything })
        }
        (false, None, false) => Err(Failure::usage(format!("Say which {}.", list.noun))
            .hint("give ids, --ids-from FILE, or filters with --all-matching")),
        _ => Err(Failure::usage("Name records in one way: ids, --ids-from, or --all-matching.")),
    }
}

fn text_of(file: &str) -> Done<String> {
    let mut text = String::new();
    let result = if file == "-" {
        std::io::stdin().lock().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    result.map_err(|error| Failure::usage(format!("--ids-from {file}: {error}.")))?;
    Ok(text)
}

/// Ids of a text: JSON lines (or one JSON list), CSV when a column is named, else one or more a line.
fn read(text: &str, column: Option<&str>) -> Done<Vec<RecordId>> {
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
                    rows.iter().map(|row| crate::output::column::shown(row.get(field).unwrap_or(row))),
                );
            }
            unique(ids.iter().map(String::as_str))
        }
        _ if column.is_some()
            || text.lines().next().is_some_and(|line| line.split(',').any(|name| name == "id")) =>
        {
            from_csv(text, field)
        }
        _ => unique(text.split([',', '\n', '\r', '\t', ' ']).filter(|part| !part.is_empty())),
    }
}

fn from_csv(text: &str, column: &str) -> Done<Vec<RecordId>> {
    let wrong = |error: String| Failure::usage(format!("--ids-from: {error}."));
    let mut records = CsvRecords::new(text);
    let names = records.next().transpose().map_err(wrong)?.map(|head| head.cells).unwrap_or_default();
    let at = names.iter().position(|name| name == column).ok_or_else(|| {
        let known = names.join(", ");
        Failure::usage(format!(
            "--id-column: there is no column {column}; the file has {}.",
            shortened(&known)
        ))
    })?;
    let mut cells = Vec::new();
    for record in records {
        let CsvRecord { line, cells: mut record } = record.map_err(wrong)?;
        // Spreadsheets write lines of nothing but commas below a table.
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        match record.get_mut(at).map(std::mem::take) {
            Some(cell) if !cell.trim().is_empty() => cells.push(cell),
            _ => return Err(Failure::usage(format!("--ids-from: line {line} has no {column}."))),
        }
    }
    unique(cells.iter().map(String::as_str))
}

fn unique<'t>(texts: impl Iterator<Item = &'t str>) -> Done<Vec<RecordId>> {
    let (mut ids, mut seen) = (Vec::new(), HashSet::new());
    for text in texts {
        let id = text.trim().parse::<i64>().ok().filter(|id| *id > 0).map(RecordId::new);
        let id = id.ok_or_else(|| {
            Failure::usage(format!("{} is no id: ids are whole numbers above 0.", quoted(text)))
        })?;
        if seen.insert(id) {
            ids.push(id);
        }
    }
    if ids.is_empty() { Err(Failure::usage("There are no ids.")) } else { Ok(ids) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str, column: Option<&str>) -> Vec<i64> {
        read(text, column).unwrap().into_iter().map(RecordId::get).collect()
    }

    #[test]
    fn ids_of_files() {
        assert_eq!(ids("7\n9, 7\r\n\n11", None), [7, 9, 11]);
        assert_eq!(ids("\u{feff}id,name\n7,\"a,b\"\n9,c\n", None), [7, 9]);
        assert_eq!(ids("x,order\na,7\nb,9\n", Some("order")), [7, 9]);
        assert_eq!(ids("{\"id\":7}\n{\"id\":\"9\"}\n", None), [7, 9]);
        assert_eq!(ids("[{\"order_id\":7},{\"order_id\":9}]", Some("order_id")), [7, 9]);
        assert_eq!(ids("[7,9]", None), [7, 9]);
        assert_eq!(ids("id,name\n7,a\n,\n", None), [7]);
        for bad in [
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
            assert!(read(bad, None).is_err(), "{bad}");
        }
        assert!(read("a,b\n1,2\n", Some("id")).unwrap_err().what.contains("a, b"));
    }

    #[test]
    fn fuzz_files_of_ids() {
        const SAMPLES: &[&str] = &["1 2,3\n4", "{\"id\":1}\n{\"id\":2}", "[1,2]", "id,name\n1,a\n"];
        let texts = panel_fuzz::texts(
            SAMPLES,
            &["\"", ",", "\n", "[", "{", "]", "}", "id", "99999999999999999999", "\0"],
        );
        panel_fuzz::Run::new("panelctl", "ids").on(texts, |text| {
            drop(read(text, None));
            drop(read(text, Some("id")));
        });
    }
}
