//! Icons of external panels: the server fetches icons with limits of size, type and time, follows no redirects, and caches icons.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use tokio::net::TcpListener;

use crate::panel::{Panel, TestResponse};
use crate::uploads::PIXEL;

type IconResponse = fn() -> Response;

test_both_databases! {
    an_icon_is_fetched_at_most_once_a_day;
    a_host_without_a_small_image_in_time_has_no_icon;
}

/// Starts a host whose responses `respond` creates. With `None` the host never responds. Returns the URL and the number of requests.
async fn start_host(respond: Option<IconResponse>) -> (String, Arc<AtomicUsize>) {
    let request_count = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v2", listener.local_addr().unwrap());
    let handler = async move |State(request_count): State<Arc<AtomicUsize>>, uri: Uri| {
        request_count.fetch_add(1, Ordering::SeqCst);
        assert_eq!(uri.path(), "/favicon.ico");
        match respond {
            Some(respond) => respond(),
            None => std::future::pending().await,
        }
    };
    let app = Router::new().fallback(handler).with_state(Arc::clone(&request_count));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, request_count)
}

impl Panel {
    async fn with_external_panel_at(dialect: Dialect, url: &str) -> Self {
        let panel = Self::with_config(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.1/32".parse().unwrap()];
            config.outbound.timeout_seconds = 1;
        })
        .await;
        let sql = "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', ?, 1, 1)";
        panel.execute(Sql::new(sql).bind(url)).await;
        panel
    }

    async fn get_icon(&self, staff: &str, id: i64) -> TestResponse {
        self.get_as(staff, &format!("/api/v1/admin/external-panels/{id}/icon"), "*/*").await
    }
}

async fn an_icon_is_fetched_at_most_once_a_day(dialect: Dialect) {
    let respond_with_wrong_content_type = || ([(header::CONTENT_TYPE, "text/html")], PIXEL).into_response();
    let (url, request_count) = start_host(Some(respond_with_wrong_content_type)).await;
    let panel = Panel::with_external_panel_at(dialect, &url).await;
    panel.create_staff("buyer", &[Permission::ManageExternalPanels]).await;
    panel.create_staff("clerk", &[Permission::ViewOrders]).await;
    panel.execute(Sql::new("UPDATE sessions SET expires_at = expires_at + 86400000000")).await;
    for _ in 0..2 {
        let icon_response = panel.get_icon("buyer", 1).await;
        assert_eq!((icon_response.status.as_u16(), &*icon_response.bytes), (200, PIXEL));
        // The server detects the content type from the bytes, and ignores the header of the host.
        assert_eq!(icon_response.headers["content-type"], "image/png");
        assert_eq!(icon_response.headers["x-content-type-options"], "nosniff");
        assert_eq!(icon_response.headers["cache-control"], "private, max-age=3600");
    }
    assert_eq!(request_count.load(Ordering::SeqCst), 1, "the second request must be served from the cache");
    assert_eq!(panel.get_icon("clerk", 1).await.status, 403);
    assert_eq!(panel.get_icon("buyer", 9).await.status, 404);
    panel.clock.advance_secs(25 * 3_600);
    assert_eq!(panel.get_icon("buyer", 1).await.status, 200);
    assert_eq!(request_count.load(Ordering::SeqCst), 2, "the icon must be fetched again after a day");
}

async fn a_host_without_a_small_image_in_time_has_no_icon(dialect: Dialect) {
    let host_cases: [(&str, Option<IconResponse>); 6] = [
        ("too large", Some(|| [PIXEL, &vec![0; 70_000][..]].concat().into_response())),
        ("no image", Some(|| "<svg xmlns='http://www.w3.org/2000/svg'/>".into_response())),
        ("no success", Some(|| (StatusCode::NOT_FOUND, PIXEL).into_response())),
        (
            "a redirect to a private address",
            Some(|| {
                let location = [(header::LOCATION, "http://10.0.0.1/icon.png")];
                (StatusCode::FOUND, location, PIXEL).into_response()
            }),
        ),
        ("empty", Some(|| StatusCode::OK.into_response())),
        ("no response in time", None),
    ];
    let panel = Panel::with_external_panel_at(dialect, "https://user:secret@10.0.0.1/api/v2").await;
    let icon_response = panel.get_icon("owner", 1).await;
    assert_eq!(
        (icon_response.status.as_u16(), icon_response.bytes.len()),
        (204, 0),
        "the server must not send requests to a private address"
    );
    for (case, respond) in host_cases {
        let (url, request_count) = start_host(respond).await;
        panel.execute(Sql::new("UPDATE external_panels SET endpoint = ?").bind(&*url)).await;
        for _ in 0..2 {
            let icon_response = panel.get_icon("owner", 1).await;
            assert_eq!((icon_response.status.as_u16(), icon_response.bytes.len()), (204, 0), "{case}");
        }
        assert_eq!(request_count.load(Ordering::SeqCst), 1, "{case}: a missing icon must be cached too");
    }
    // The server sends another request to a host without an icon after an hour.
    let (url, request_count) = start_host(Some(|| StatusCode::NOT_FOUND.into_response())).await;
    panel.execute(Sql::new("UPDATE external_panels SET endpoint = ?").bind(&*url)).await;
    panel.get_icon("owner", 1).await;
    panel.clock.advance_secs(3_700);
    panel.get_icon("owner", 1).await;
    assert_eq!(request_count.load(Ordering::SeqCst), 2);
}
