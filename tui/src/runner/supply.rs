//! What the dashboard asks of external panels: one report, which holds them all.

use panel_client::{Client, Error, Result};
use panel_contract::endpoint::NoBody;
use panel_contract::ids::RecordId;
use panel_contract::providers::{ReportBy, ReportQuery, ReportRow};
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::list::Listing;
use crate::model::row::Row;
use crate::model::supply;

async fn report(client: &Client) -> Result<Vec<ReportRow>> {
    let query = ReportQuery { by: Some(ReportBy::Panel), days: None };
    Ok(client.providers_report((), &query, &NoBody {}).await?.data)
}

/// A page with the ids of all that match.
pub(super) async fn load(client: &Client, query: &TableQuery) -> Result<Listing> {
    let all = report(client).await?;
    let wanted = supply::wanted(&all, query);
    let at = |number: i64| usize::try_from(number).unwrap_or(0);
    let length = query.length.map_or(usize::MAX, at);
    let mut ids: Vec<RecordId> = wanted.iter().map(|panel| panel.id).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let rows = wanted.into_iter().skip(at(query.start)).take(length).map(supply::row).collect();
    Ok(Listing { rows, total, ids })
}

/// Everything that matches.
pub(super) async fn all(client: &Client, query: &TableQuery) -> Result<(Vec<Row>, Vec<RecordId>)> {
    let all = report(client).await?;
    Ok((supply::wanted(&all, query).into_iter().map(supply::row).collect(), Vec::new()))
}

/// One panel in full.
pub(super) async fn detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let all = report(client).await?;
    let found = all.iter().find(|panel| panel.id == id).map(|panel| Box::new(supply::detail(panel)));
    found.ok_or_else(|| Error::Setup(format!("There is no external panel {id}.")))
}
