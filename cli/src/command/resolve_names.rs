//! Filters such as `--service` select records by the name of another record. This module replaces the name by the id.

use panel_client::Client;
use panel_client::record_names::{self, NameError};
use panel_contract::table::TableQuery;

use crate::command::filter;
use crate::command::list::ListCommand;
use crate::failure::{CommandResult, Failure};

/// Maximum number of matching records that an error lists.
const MAX_CANDIDATES: usize = 10;

/// Replaces each name of a record by its id. Rejects a name that matches several records.
pub(crate) async fn resolve_names(
    client: &Client,
    list: &ListCommand,
    query: TableQuery,
) -> CommandResult<TableQuery> {
    let original_query = query.clone();
    record_names::resolve_record_names(client, query).await.map_err(|error| match error {
        NameError::RequestFailed(error) => error.into(),
        NameError::Ambiguous { index, column, text, noun, matches } => {
            let flag = filter::flag_of_field(list, &original_query, &format!("columns.{index}"));
            let lines = matches.iter().take(MAX_CANDIDATES).map(|(id, name)| format!("  {id} {name}"));
            let lines = lines.collect::<Vec<_>>().join("\n");
            let id = matches.first().map_or(0, |(id, _)| id.get());
            let id_flag = id_flag(list, &column).unwrap_or_else(|| flag.clone());
            Failure::usage(format!("{flag} {text}: several {noun} match.\n{lines}"))
                .hint(format!("select one by its id, such as {id_flag} {id}"))
        }
    })
}

/// The flag that filters by the record's id, such as `--service-id`.
fn id_flag(list: &ListCommand, column: &str) -> Option<String> {
    let names = [format!("{column}.id"), format!("{column}_id")];
    let filter = list.filters.iter().find(|filter| names.iter().any(|name| name == filter.column))?;
    Some(format!("--{}", filter.flag))
}
