//! Streams of whole lists: no row is repeated or missing, even if the list changes meanwhile.

use futures_util::TryStreamExt as _;
use panel_client::record_names::{NameError, resolve_record_names};
use panel_contract::endpoints::orders::ListOrders;
use panel_contract::ids::RecordId;
use panel_contract::table::{Page, TableQuery};
use serde::Deserialize;
use serde_json::json;

use crate::stub::{RecordedRequest, Stub, error_response, json_response};

#[derive(Debug, Deserialize)]
struct Row {
    id: i64,
}

/// Responds with rows 1 to 250, and one new row after every request.
fn respond_with_growing_list(
    request: &RecordedRequest,
    request_index: usize,
) -> axum::http::Response<axum::body::Body> {
    let number_parameter = |name: &str| request.query(name).and_then(|text| text.parse::<i64>().ok());
    let newest_id = 250 + i64::try_from(request_index).unwrap();
    let id_limit = request.query("columns[0][search][value]").and_then(|text| text.strip_prefix(".."));
    let highest_id = id_limit.map_or(newest_id, |text| text.parse().unwrap());
    let mut ids: Vec<i64> = (1..=highest_id).rev().collect();
    if request.query("order[0][dir]") == Some("asc") {
        ids.reverse();
    }
    let skip = usize::try_from(number_parameter("start").unwrap_or(0)).unwrap();
    let take = usize::try_from(number_parameter("length").unwrap_or(30)).unwrap();
    let rows: Vec<_> = ids.iter().skip(skip).take(take).map(|id| json!({ "id": id })).collect();
    let body = json!({ "draw": 0, "recordsTotal": newest_id, "recordsFiltered": ids.len(), "data": rows });
    json_response(200, &body)
}

async fn load_ids(stub: &Stub, query: TableQuery) -> Vec<i64> {
    let pages = stub.client().stream_pages::<Row>("/api/v1/admin/orders", query);
    let pages: Vec<Page<Row>> = pages.try_collect().await.unwrap();
    pages.into_iter().flat_map(|page| page.data).map(|row| row.id).collect()
}

#[tokio::test]
async fn a_growing_list_is_paged_by_id() {
    let stub = Stub::new(respond_with_growing_list).await;
    let ids = load_ids(&stub, TableQuery::new().page(0, 100)).await;
    assert_eq!(ids, (1..=250).rev().collect::<Vec<_>>());
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn a_sorted_list_is_paged_by_start() {
    let stub = Stub::new(respond_with_growing_list).await;
    let ids = load_ids(&stub, TableQuery::new().page(50, 100).sort("id", false)).await;
    assert_eq!(ids, (51..=252).collect::<Vec<_>>());
    assert_eq!(stub.requests()[1].query("start"), Some("150"));
}

/// A single row does not show whether the list is sorted by ids.
#[tokio::test]
async fn pages_of_one_row_lose_no_row() {
    let stub = Stub::new(|request, _| {
        let id_limit = request.query("columns[0][search][value]").and_then(|text| text.strip_prefix(".."));
        let highest_id = id_limit.map_or(9, |text| text.parse().unwrap());
        let skip = request.query("start").map_or(0, |text| text.parse().unwrap());
        let rows = [3, 1, 4, 2].into_iter().filter(|id| *id <= highest_id).skip(skip).take(1);
        let rows: Vec<_> = rows.map(|id| json!({ "id": id })).collect();
        json_response(200, &json!({ "draw": 0, "recordsTotal": 4, "recordsFiltered": 4, "data": rows }))
    })
    .await;
    assert_eq!(load_ids(&stub, TableQuery::new().page(0, 1)).await, [3, 1, 4, 2]);
}

#[tokio::test]
async fn pages_include_an_empty_first_page_and_end_after_an_error() {
    let stub = Stub::new(|_, index| match index {
        0 => json_response(200, &json!({ "draw": 0, "recordsTotal": 9, "recordsFiltered": 0, "data": [] })),
        _ => error_response(403, "forbidden"),
    })
    .await;
    let pages = stub.client().stream_pages::<Row>("/x", TableQuery::new());
    let pages: Vec<_> = pages.try_collect().await.unwrap();
    assert_eq!(pages.iter().map(|page| page.records_total).collect::<Vec<_>>(), [9]);
    let result: Result<Vec<_>, _> =
        stub.client().stream_rows::<ListOrders, _>(TableQuery::new()).try_collect().await;
    assert!(result.unwrap_err().is_forbidden());
    assert_eq!(stub.requests().len(), 2);
}

#[tokio::test]
async fn ids_are_loaded_in_descending_order() {
    let stub = Stub::new(|request, _| {
        let after = request.query("after").and_then(|text| text.parse::<i64>().ok()).unwrap_or(26);
        let ids: Vec<i64> = (1..after).rev().take(10).collect();
        json_response(200, &json!({ "ids": ids, "total": 25 }))
    })
    .await;
    let query = TableQuery::new().filter("status", "in_moderation").sort("cost", true).page(30, 30);
    let ids = stub.client().load_ids::<ListOrders, _>(&query).await.unwrap();
    assert_eq!(ids, (1..=25).rev().map(RecordId::new).collect::<Vec<_>>());
    let first_request = &stub.requests()[0];
    assert_eq!((first_request.query("ids_only"), first_request.query("start")), (Some("1"), Some("0")));
    assert_eq!(first_request.query("order[0][dir]"), None);
}

#[tokio::test]
async fn a_csv_export_is_streamed_and_fails_if_it_is_incomplete() {
    let stub = Stub::new(|_, index| {
        if index == 0 { "id\n1\n".to_owned().into_csv_response() } else { crate::stub::truncated_response() }
    })
    .await;
    let query = TableQuery::new();
    let chunks: Vec<_> =
        stub.client().stream_export::<ListOrders, _>(&query).await.unwrap().try_collect().await.unwrap();
    assert_eq!(chunks.concat(), b"id\n1\n");
    assert_eq!(stub.requests()[0].header("accept"), Some("text/csv"));
    let client = stub.client();
    let incomplete_export =
        async { client.stream_export::<ListOrders, _>(&query).await?.try_collect::<Vec<_>>().await };
    let result = incomplete_export.await;
    assert!(result.unwrap_err().is_transport());
}

trait IntoCsvResponse {
    fn into_csv_response(self) -> axum::http::Response<axum::body::Body>;
}

impl IntoCsvResponse for String {
    fn into_csv_response(self) -> axum::http::Response<axum::body::Body> {
        axum::http::Response::builder().header("content-type", "text/csv").body(self.into()).unwrap()
    }
}

/// Responds with those of four services whose names contain the search text, as the panel does.
fn respond_with_services(request: &RecordedRequest, _: usize) -> axum::http::Response<axum::body::Body> {
    assert_eq!(request.path, "/api/v1/admin/services");
    let services = [
        (1, "Likes", "1.00", "A"),
        (2, "Likes fast", "2.00", "B"),
        (3, "Likes fast", "3.00", "C"),
        (4, "Éclair", "4.00", "D"),
    ];
    let text = request.query("search[value]").unwrap().to_lowercase();
    let rows: Vec<_> = services
        .iter()
        .filter(|(_, name, ..)| name.to_lowercase().contains(&text))
        .map(|(id, name, price, panel)| json!({ "id": id, "name": name, "default_price": price, "external_panels": panel }))
        .collect();
    json_response(200, &json!({ "draw": 0, "recordsTotal": 4, "recordsFiltered": rows.len(), "data": rows }))
}

#[tokio::test]
async fn a_name_selects_exactly_one_record() {
    let stub = Stub::new(respond_with_services).await;
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
        let query =
            resolve_record_names(&client, TableQuery::new().filter("cost", "1..").filter("service", text))
                .await
                .unwrap();
        assert_eq!(
            (query.columns[0].search.as_str(), query.columns[1].search.as_str()),
            ("1..", id),
            "{text}"
        );
    }
    for text in ["fast", "likes fast"] {
        let error =
            resolve_record_names(&client, TableQuery::new().filter("service", text)).await.unwrap_err();
        let NameError::Ambiguous { index, column, noun, matches, .. } = error else { panic!("{error}") };
        assert_eq!((index, column.as_str(), noun), (0, "service", "services"));
        let matches: Vec<_> = matches.iter().map(|(id, name)| (id.get(), name.as_str())).collect();
        assert_eq!(matches, [(2, "Likes fast · 2.00 · B"), (3, "Likes fast · 3.00 · C")]);
    }
    let forbidding_stub = Stub::new(|_, _| error_response(403, "forbidden")).await;
    let error = resolve_record_names(&forbidding_stub.client(), TableQuery::new().filter("user", "anna"))
        .await
        .unwrap_err();
    assert!(matches!(error, NameError::RequestFailed(_)), "{error}");
}
