//! Icons of external panels: read by the server within a size, a type and a time, never by way of a redirect, and remembered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Response};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use tokio::net::TcpListener;

use crate::panel::{Answer, Panel};
use crate::uploads::PIXEL;

/// What a host answers to a request for its icon.
type IconAnswer = fn() -> Response;

both! {
    an_icon_is_read_once_and_shown;
    what_is_no_small_image_in_time_is_no_icon;
}

/// A host that counts how often it was asked, and answers with what it was given, or never.
async fn host(answer: Option<fn() -> Response>) -> (String, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/api/v2", listener.local_addr().unwrap());
    let handler = async move |State(asked): State<Arc<AtomicUsize>>, uri: Uri| {
        asked.fetch_add(1, Ordering::SeqCst);
        assert_eq!(uri.path(), "/favicon.ico");
        match answer {
            Some(answer) => answer(),
            None => std::future::pending().await,
        }
    };
    let app = Router::new().fallback(handler).with_state(Arc::clone(&asked));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, asked)
}

impl Panel {
    async fn with_host(dialect: Dialect, url: &str) -> Self {
        let panel = Self::with(dialect, |config| {
            config.outbound.allow_http = true;
            config.outbound.allowed_networks = vec!["127.0.0.1/32".parse().unwrap()];
            config.outbound.seconds = 1;
        })
        .await;
        let sql = "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', ?, 1, 1)";
        panel.exec(Sql::new(sql).bind(url)).await;
        panel
    }

    async fn icon(&self, who: &str, id: i64) -> Answer {
        self.get_as(who, &format!("/api/v1/admin/external-panels/{id}/icon"), "*/*").await
    }
}

async fn an_icon_is_read_once_and_shown(dialect: Dialect) {
    let named_wrong = || ([(header::CONTENT_TYPE, "text/html")], PIXEL).into_response();
    let (url, asked) = host(Some(named_wrong)).await;
    let panel = Panel::with_host(dialect, &url).await;
    panel.staff("buyer", &[Permission::ManageExternalPanels]).await;
    panel.staff("clerk", &[Permission::ViewOrders]).await;
    panel.exec(Sql::new("UPDATE sessions SET expires_at = expires_at + 86400000000")).await;
    for _ in 0..2 {
        let shown = panel.icon("buyer", 1).await;
        assert_eq!((shown.status.as_u16(), &*shown.bytes), (200, PIXEL));
        // The type is what the bytes are, not what the host says.
        assert_eq!(shown.headers["content-type"], "image/png");
        assert_eq!(shown.headers["x-content-type-options"], "nosniff");
        assert_eq!(shown.headers["cache-control"], "private, max-age=3600");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1, "remembered");
    assert_eq!(panel.icon("clerk", 1).await.status, 403);
    assert_eq!(panel.icon("buyer", 9).await.status, 404);
    panel.clock.advance_secs(25 * 3_600);
    assert_eq!(panel.icon("buyer", 1).await.status, 200);
    assert_eq!(asked.load(Ordering::SeqCst), 2, "read again after a day");
}

async fn what_is_no_small_image_in_time_is_no_icon(dialect: Dialect) {
    let hosts: [(&str, Option<IconAnswer>); 6] = [
        ("too large", Some(|| [PIXEL, &vec![0; 70_000][..]].concat().into_response())),
        ("no image", Some(|| "<svg xmlns='http://www.w3.org/2000/svg'/>".into_response())),
        ("no success", Some(|| (StatusCode::NOT_FOUND, PIXEL).into_response())),
        (
            "a redirect to a private address",
            Some(|| {
                let to = [(header::LOCATION, "http://10.0.0.1/icon.png")];
                (StatusCode::FOUND, to, PIXEL).into_response()
            }),
        ),
        ("empty", Some(|| StatusCode::OK.into_response())),
        ("no answer in time", None),
    ];
    let panel = Panel::with_host(dialect, "https://user:secret@10.0.0.1/api/v2").await;
    let none = panel.icon("owner", 1).await;
    assert_eq!((none.status.as_u16(), none.bytes.len()), (204, 0), "a private address");
    for (what, answer) in hosts {
        let (url, asked) = host(answer).await;
        panel.exec(Sql::new("UPDATE external_panels SET endpoint = ?").bind(&*url)).await;
        for _ in 0..2 {
            let none = panel.icon("owner", 1).await;
            assert_eq!((none.status.as_u16(), none.bytes.len()), (204, 0), "{what}");
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1, "{what}: remembered, too");
    }
    // A host that had no icon is asked again after an hour.
    let (url, asked) = host(Some(|| StatusCode::NOT_FOUND.into_response())).await;
    panel.exec(Sql::new("UPDATE external_panels SET endpoint = ?").bind(&*url)).await;
    panel.icon("owner", 1).await;
    panel.clock.advance_secs(3_700);
    panel.icon("owner", 1).await;
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}
