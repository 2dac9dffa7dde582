//! Requests for external panels. One report contains all of them.

use panel_client::{Client, Error, Result};
use panel_contract::endpoint::EmptyBody;
use panel_contract::ids::RecordId;
use panel_contract::providers::{SupplyReportGrouping, SupplyReportQuery, SupplyReportRow};
use panel_contract::table::TableQuery;

use crate::model::detail::Detail;
use crate::model::external_panels;
use crate::model::list::{ListPage, MatchingRecords};

async fn load_report(client: &Client) -> Result<Vec<SupplyReportRow>> {
    let query = SupplyReportQuery { by: Some(SupplyReportGrouping::Panel), days: None };
    Ok(client.providers_report((), &query, &EmptyBody {}).await?.data)
}

/// Loads a page and the ids of all matching records.
pub(super) async fn load_page(client: &Client, query: &TableQuery) -> Result<ListPage> {
    let all = load_report(client).await?;
    let matching = external_panels::filter_and_sort(&all, query);
    let to_usize = |number: i64| usize::try_from(number).unwrap_or(0);
    let length = query.length.map_or(usize::MAX, to_usize);
    let mut ids: Vec<RecordId> = matching.iter().map(|panel| panel.id).collect();
    ids.sort_unstable_by(|left, right| right.cmp(left));
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let rows =
        matching.into_iter().skip(to_usize(query.start)).take(length).map(external_panels::to_row).collect();
    Ok(ListPage { rows, total, ids })
}

pub(super) async fn load_all_matching(client: &Client, query: &TableQuery) -> Result<MatchingRecords> {
    let all = load_report(client).await?;
    let rows =
        external_panels::filter_and_sort(&all, query).into_iter().map(external_panels::to_row).collect();
    Ok(MatchingRecords { rows, ids: Vec::new() })
}

pub(super) async fn load_detail(client: &Client, id: RecordId) -> Result<Box<Detail>> {
    let all = load_report(client).await?;
    let detail =
        all.iter().find(|panel| panel.id == id).map(|panel| Box::new(external_panels::to_detail(panel)));
    detail.ok_or_else(|| Error::Setup(format!("There is no external panel {id}.")))
}
