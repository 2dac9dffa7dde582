//! Paging through whole lists: no row is repeated or missing, even if the list changes meanwhile.

use futures_util::TryStreamExt as _;
use panel_client::names::{NameError, resolve};
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde::Deserialize;
use serde_json::json;

use crate::stub::{RecordedRequest, Stub, problem, reply};

#[derive(Debug, Deserialize)]
struct Row {
    id: i64,
}

/// Rows 1 to 250, and one more with every request.
fn growing(request: &RecordedRequest, n: usize) -> axum::http::Response<axum::body::Body> {
    let number = |name: &str| request.query(name).and_then(|text| text.parse::<i64>().ok());
    let newest = 250 + i64::try_from(n).unwrap();
    let below = request.query("columns[0][search][value]").and_then(|text| text.strip_prefix(".."));
    let highest = below.map_or(newest, |text| text.parse().unwrap());
    let mut ids: Vec<i64> = (1..=highest).rev().collect();
    if request.query("order[0][dir]") == Some("asc") {
        ids.reverse();
    }
    let skip = usize::try_from(number("start").unwrap_or(0)).unwrap();
    let take = usize::try_from(number("length").unwrap_or(30)).unwrap();
    let rows: Vec<_> = ids.iter().skip(skip).take(take).map(|id| json!({ "id": id })).collect();
    let body = json!({ "draw": 0, "recordsTotal": newest, "recordsFiltered": ids.len(), "data": rows });
    reply(200, &body)
}

async fn ids(stub: &Stub, query: TableQuery) -> Vec<i64> {
    let pages = stub.client().pages::<Row>("/api/v1/admin/orders", query);
    let pages: Vec<Page<Row>> = pages.try_collect().await.unwrap();
    pages.into_iter().flat_map(|page| page.data).map(|row| row.id).collect()
}

#[tokio::test]
async fn a_growing_list_is_paged_by_id() {
    let stub = Stub::new(growing).await;
    let found = ids(&stub, TableQuery::new().page(0, 100)).await;
    assert_eq!(found, (1..=250).rev().collect::<Vec<_>>());
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn a_sorted_list_is_paged_by_start() {
    let stub = Stub::new(growing).await;
    let found = ids(&stub, TableQuery::new().page(50, 100).sort("id", false)).await;
    assert_eq!(found, (51..=252).collect::<Vec<_>>());
    assert_eq!(stub.requests()[1].query("start"), Some("150"));
}

/// A single row does not show whether the list is sorted by ids.
#[tokio::test]
async fn pages_of_one_row_lose_no_row() {
    let stub = Stub::new(|request, _| {
        let below = request.query("columns[0][search][value]").and_then(|text| text.strip_prefix(".."));
        let highest = below.map_or(9, |text| text.parse().unwrap());
        let skip = request.query("start").map_or(0, |text| text.parse().unwrap());
        let rows = [3, 1, 4, 2].into_iter().filter(|id| *id <= highest).skip(skip).take(1);
        let rows: Vec<_> = rows.map(|id| json!({ "id": id })).collect();
        reply(200, &json!({ "draw": 0, "recordsTotal": 4, "recordsFiltered": 4, "data": rows }))
    })
    .await;
    assert_eq!(ids(&stub, TableQuery::new().page(0, 1)).await, [3, 1, 4, 2]);
}

#[tokio::test]
async fn returns_an_empty_page_and_ends_after_an_error() {
    let stub = Stub::new(|_, n| match n {
        0 => reply(200, &json!({ "draw": 0, "recordsTotal": 9, "recordsFiltered": 0, "data": [] })),
        _ => problem(403, "forbidden"),
    })
    .await;
    let pages = stub.client().pages::<Row>("/x", TableQuery::new());
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    assert_eq!(pages.iter().map(|page| page.records_total).collect::<Vec<_>>(), [9]);
    let failed: Result<Vec<_>, _> =
        stub.client().rows::<ListOrders, _>(TableQuery::new()).try_collect().await;
    assert!(failed.unwrap_err().is_forbidden());
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn ids_are_read_from_the_highest_down() {
    let stub = Stub::new(|request, _| {
        let after = request.query("after").and_then(|text| text.parse::<i64>().ok()).unwrap_or(26);
        let ids: Vec<i64> = (1..after).rev().take(10).collect();
        reply(200, &json!({ "ids": ids, "total": 25 }))
    })
    .await;
    let query = TableQuery::new().filter("status", "in_moderation").sort("cost", true).page(30, 30);
    let found = stub.client().ids::<ListOrders, _>(&query).await.unwrap();
    assert_eq!(found, (1..=25).rev().map(RecordId::new).collect::<Vec<_>>());
    let first = &stub.requests()[0];
    assert_eq!((first.query("ids_only"), first.query("start")), (Some("1"), Some("0")));
    assert_eq!(first.query("order[0][dir]"), None);
}

#[tokio::test]
async fn csv_is_streamed_and_reports_when_it_is_incomplete() {
    let stub =
        Stub::new(
            |_, n| if n == 0 { "id\n1\n".to_owned().into_csv() } else { crate::stub::truncated_response() },
        )
        .await;
    let query = TableQuery::new();
    let whole: Vec<_> =
        stub.client().export::<ListOrders, _>(&query).await.unwrap().try_collect().await.unwrap();
    assert_eq!(whole.concat(), b"id\n1\n");
    assert_eq!(stub.requests()[0].header("accept"), Some("text/csv"));
    let client = stub.client();
    let export = async { client.export::<ListOrders, _>(&query).await?.try_collect::<Vec<_>>().await };
    let export = export.await;
    assert!(export.unwrap_err().is_transport());
}

trait IntoCsv {
    fn into_csv(self) -> axum::http::Response<axum::body::Body>;
}

impl IntoCsv for String {
    fn into_csv(self) -> axum::http::Response<axum::body::Body> {
        axum::http::Response::builder().header("content-type", "text/csv").body(self.into()).unwrap()
    }
}

/// Searches services, as a panel does.
fn services(request: &RecordedRequest, _: usize) -> axum::http::Response<axum::body::Body> {
    assert_eq!(request.path, "/api/v1/admin/services");
    let all = [
        (1, "Likes", "1.00", "A"),
        (2, "Likes fast", "2.00", "B"),
        (3, "Likes fast", "3.00", "C"),
        (4, "Éclair", "4.00", "D"),
    ];
    let word = request.query("search[value]").unwrap().to_lowercase();
    let rows: Vec<_> = all
        .iter()
        .filter(|(_, name, ..)| name.to_lowercase().contains(&word))
        .map(|(id, name, price, panel)| json!({ "id": id, "name": name, "default_price": price, "external_panels": panel }))
        .collect();
    reply(200, &json!({ "draw": 0, "recordsTotal": 4, "recordsFiltered": rows.len(), "data": rows }))
}

/// A text selects the only record that it names, and never several.
#[tokio::test]
async fn a_name_selects_exactly_one_record() {
    let stub = Stub::new(services).await;
    let client = stub.client();
    for (text, id) in [
        ("likes", "1"),
        ("éclair", "4"),
        ("cla", "4"),
        ("7,9", "7,9"),
        ("5..", "5.."),
        ("none", "none"),
        ("", ""),
    ] {
        let found =
            resolve(&client, TableQuery::new().filter("cost", "1..").filter("service", text)).await.unwrap();
        assert_eq!(
            (found.columns[0].search.as_str(), found.columns[1].search.as_str()),
            ("1..", id),
            "{text}"
        );
    }
    for text in ["fast", "likes fast"] {
        let several = resolve(&client, TableQuery::new().filter("service", text)).await.unwrap_err();
        let NameError::Several { at, column, noun, found, .. } = several else { panic!("{several}") };
        assert_eq!((at, column.as_str(), noun), (0, "service", "services"));
        let found: Vec<_> = found.iter().map(|(id, name)| (id.get(), name.as_str())).collect();
        assert_eq!(found, [(2, "Likes fast · 2.00 · B"), (3, "Likes fast · 3.00 · C")]);
    }
    let refused = Stub::new(|_, _| problem(403, "forbidden")).await;
    let error = resolve(&refused.client(), TableQuery::new().filter("user", "anna")).await.unwrap_err();
    assert!(matches!(error, NameError::Call(_)), "{error}");
}
