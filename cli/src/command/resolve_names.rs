//! Filters that name a record by a text, such as `--service`: resolves the text to an id, and refuses ambiguous texts.

use panel_client::Client;
use panel_client::names::{self, NameError};
use panel_contract::table::TableQuery;

use crate::command::filter;
use crate::command::list::List;
use crate::failure::{CmdResult, Failure};

/// Limit of candidates in an error.
const MAX_CANDIDATES: usize = 10;

/// Replaces each text that names a record by its id. Refuses a text that matches several records.
pub(crate) async fn resolve(client: &Client, list: &List, query: TableQuery) -> CmdResult<TableQuery> {
    let original = query.clone();
    names::resolve(client, query).await.map_err(|error| match error {
        NameError::Call(error) => error.into(),
        NameError::Several { at, column, text, noun, found } => {
            let flag = filter::name_field(list, &original, &format!("columns.{at}"));
            let lines = found.iter().take(MAX_CANDIDATES).map(|(id, name)| format!("  {id} {name}"));
            let lines = lines.collect::<Vec<_>>().join("\n");
            let id = found.first().map_or(0, |(id, _)| id.get());
            let by_id = by_id(list, &column).unwrap_or_else(|| flag.clone());
            Failure::usage(format!("{flag} {text}: several {noun} match.\n{lines}"))
                .hint(format!("select one by its id, such as {by_id} {id}"))
        }
    })
}

/// The flag that filters by the record's id, such as `--service-id`.
fn by_id(list: &List, column: &str) -> Option<String> {
    let names = [format!("{column}.id"), format!("{column}_id")];
    let filter = list.filters.iter().find(|filter| names.iter().any(|name| name == filter.column))?;
    Some(format!("--{}", filter.flag))
}
