//! Calls for external panels: one report has all of them.

use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::ids::RecordId;
use panel_contract::providers::{ReportBy, ReportQuery, ReportRow};
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::external_panels;
use crate::model::list::{Listing, MatchingRecords};

async fn report(client: &Client) -> Result<Vec<ReportRow>> {
    let query = ReportQuery { by: Some(ReportBy::Panel), days: None };
    Ok(client.providers_report((), &query, &EmptyBody {}).await?.data)
}

/// Loads a page and the ids of all matching records.
pub(super) async fn load(client: &Client, query: &TableQuery) -> Result<Listing> {
    let all = report(client).await?;
    let wanted = external_panels::filter_and_sort(&all, query);
    let at = |number: i64| usize::try_from(number).unwrap_or(0);
    let length = query.length.map_or(usize::MAX, at);
    let mut ids: Vec<RecordId> = wanted.iter().map(|panel| panel.id).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let rows = wanted.into_iter().skip(at(query.start)).take(length).map(external_panels::row).collect();
    Ok(Listing { rows, total, ids })
}

/// Loads all matching records.
pub(super) async fn all(client: &Client, query: &TableQuery) -> Result<MatchingRecords> {
    let all = report(client).await?;
    let rows = external_panels::filter_and_sort(&all, query).into_iter().map(external_panels::row).collect();
    Ok(MatchingRecords { rows, ids: Vec::new() })
}

/// Loads one external panel.
pub(super) async fn detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let all = report(client).await?;
    let found = all.iter().find(|panel| panel.id == id).map(|panel| Box::new(external_panels::detail(panel)));
    found.ok_or_else(|| Error::Setup(format!("There is no external panel {id}.")))
}
