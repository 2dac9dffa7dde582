//! Filters that name a record by a text, such as `--service`: how a text that several records have is refused here.

use panel_client::Client;
use panel_client::names::{self, NameError};
use panel_contract::table::TableQuery;

use crate::command::filter;
use crate::command::list::List;
use crate::failure::{Done, Failure};

/// Most candidates that a refusal lists.
const MOST: usize = 10;

/// Puts the id of the record in place of each text that names one; refuses a text that several records have.
pub(crate) async fn resolve(client: &Client, list: &List, query: TableQuery) -> Done<TableQuery> {
    let asked = query.clone();
    names::resolve(client, query).await.map_err(|error| match error {
        NameError::Call(error) => error.into(),
        NameError::Several { at, column, text, noun, found } => {
            let flag = filter::name_field(list, &asked, &format!("columns.{at}"));
            let lines = found.iter().take(MOST).map(|(id, name)| format!("  {id} {name}"));
            let lines = lines.collect::<Vec<_>>().join("\n");
            let id = found.first().map_or(0, |(id, _)| id.get());
            let by_id = by_id(list, &column).unwrap_or_else(|| flag.clone());
            Failure::usage(format!("{flag} {text}: several {noun} match.\n{lines}"))
                .hint(format!("name one by its id, such as {by_id} {id}"))
        }
    })
}

/// The flag of the list that takes the ids of such records: `--service-id`.
fn by_id(list: &List, column: &str) -> Option<String> {
    let names = [format!("{column}.id"), format!("{column}_id")];
    let filter = list.filters.iter().find(|filter| names.iter().any(|name| name == filter.column))?;
    Some(format!("--{}", filter.flag))
}
