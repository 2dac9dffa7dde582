//! Tokens: stored, refreshed once, and removed.

use std::sync::{Arc, Mutex};

use panel_client::token::{Token, TokenStore};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::ids::OrderId;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::session::{ConfirmInput, LoginInput};
use serde_json::json;

use crate::stub::{NOW, RecordedRequest, Stub, problem, reply, signed_in};

/// A store that a test can inspect.
#[derive(Clone, Default)]
struct MemoryStore(Arc<Mutex<Option<Token>>>);

impl MemoryStore {
    fn with(text: &str, expires_at: Option<Time>) -> Self {
        Self(Arc::new(Mutex::new(Some(Token { text: text.into(), expires_at }))))
    }
    fn text(&self) -> Option<String> {
        self.0.lock().unwrap().as_ref().map(|token| token.text.clone())
    }
}

impl TokenStore for MemoryStore {
    fn load(&self) -> Option<Token> {
        self.0.lock().unwrap().clone()
    }
    fn save(&self, token: Option<&Token>) {
        *self.0.lock().unwrap() = token.cloned();
    }
}

const LATER: Time = Time(NOW.0 + 7 * DAY_MICROS);
const SOON: Time = Time(NOW.0 + DAY_MICROS / 24);

fn refund() -> axum::http::Response<axum::body::Body> {
    reply(200, &json!({ "data": { "amount": "1" } }))
}

/// A panel that only accepts `good`, and refreshes to it.
fn panel(good: &'static str) -> impl Fn(&RecordedRequest, usize) -> axum::http::Response<axum::body::Body> {
    move |request, _| match request.path.as_str() {
        "/refresh" => signed_in(good, LATER),
        _ if request.header("authorization") == Some(&format!("Bearer {good}")) => refund(),
        _ => problem(401, "token_unknown"),
    }
}

#[tokio::test]
async fn signing_in_stores_the_token_and_signing_out_removes_it() {
    let stub = Stub::new(|request, _| match request.path.as_str() {
        "/login" => signed_in("pnl_new", LATER),
        _ => reply(200, &json!({})),
    })
    .await;
    let kept = MemoryStore::default();
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    let input = LoginInput {
        email: "a@b.example".into(),
        password: "secret".into(),
        captcha: None,
        otp: None,
        passkey: None,
    };
    let answer = client.login((), &EmptyQuery {}, &input).await.unwrap();
    assert_eq!((answer.user.name.as_str(), answer.expires_at), ("Olga", LATER));
    assert_eq!(kept.text().as_deref(), Some("pnl_new"));
    client.logout((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!((kept.text(), client.token()), (None, None));
    assert_eq!(stub.requests()[1].header("authorization"), Some("Bearer pnl_new"));
    assert!(!format!("{:?}", Token { text: "pnl_x".into(), expires_at: None }).contains("pnl_x"));
}

#[tokio::test]
async fn a_token_that_expires_soon_is_refreshed_once_for_all_calls() {
    let stub = Stub::new(panel("pnl_fresh")).await;
    let kept = MemoryStore::with("pnl_old", Some(SOON));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    let calls = (0..10).map(|id| {
        let client = client.clone();
        async move { client.refund_amount(OrderId::new(id + 1), &EmptyQuery {}, &EmptyBody {}).await }
    });
    for answer in futures_util::future::join_all(calls).await {
        answer.unwrap();
    }
    let refreshes = stub.requests().iter().filter(|request| request.path == "/refresh").count();
    assert_eq!((refreshes, stub.requests().len()), (1, 11));
    assert_eq!(kept.text().as_deref(), Some("pnl_fresh"));
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let stub = Stub::new(panel("pnl_fresh")).await;
    let kept = MemoryStore::with("pnl_old", Some(LATER));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    let paths: Vec<_> = stub.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths[1], "/refresh");
    assert_eq!(paths.len(), 3);
}

#[tokio::test]
async fn a_confirmation_refreshes_a_stored_token() {
    for (expires_at, renewed) in [(Some(LATER), true), (None, false)] {
        let is_confirmed = Arc::new(Mutex::new(false));
        let stub = Stub::new(move |request, _| match request.path.as_str() {
            "/api/v1/profile/confirm" => {
                *is_confirmed.lock().unwrap() = true;
                reply(200, &json!({ "data": { "confirmed_until": "2026-11-20 16:10:00" } }))
            }
            "/refresh" => signed_in("pnl_new", LATER),
            _ if *is_confirmed.lock().unwrap() => refund(),
            _ => problem(403, "confirmation_required"),
        })
        .await;
        let kept = MemoryStore::with("pnl_old", expires_at);
        let ask =
            || async { Some(ConfirmInput { password: Some("secret".into()), ..ConfirmInput::default() }) };
        let client = stub.builder().token_store(kept.clone()).confirm_with(ask).build().unwrap();
        client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
        let requests = stub.requests();
        let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths.contains(&"/refresh"), renewed, "{paths:?}");
        let wanted = if renewed { "pnl_new" } else { "pnl_old" };
        assert_eq!(kept.text().as_deref(), Some(wanted));
        assert_eq!(requests.last().unwrap().header("authorization"), Some(&*format!("Bearer {wanted}")));
    }
}

#[tokio::test]
async fn uses_a_token_that_another_process_refreshed() {
    let stub = Stub::new(panel("pnl_other")).await;
    let kept = MemoryStore::with("pnl_old", Some(LATER));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    kept.save(Some(&Token { text: "pnl_other".into(), expires_at: Some(LATER) }));
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert!(stub.requests().iter().all(|request| request.path != "/refresh"));
}

#[tokio::test]
async fn does_not_refresh_when_it_cannot_help() {
    let past = Time(NOW.0 - 1);
    for expires_at in [None, Some(past)] {
        let stub = Stub::new(|_, _| problem(401, "token_unknown")).await;
        let kept = MemoryStore::with("pnl_old", expires_at);
        let client = stub.builder().token_store(kept.clone()).build().unwrap();
        let error = client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
        assert!(error.is_unauthenticated());
        assert_eq!((stub.requests().len(), kept.text().as_deref()), (1, Some("pnl_old")), "{expires_at:?}");
    }
}

#[tokio::test]
async fn a_failed_refresh_does_not_fail_the_call() {
    let stub = Stub::new(|request, _| match request.path.as_str() {
        "/refresh" => problem(500, "fault"),
        _ => refund(),
    })
    .await;
    let client = stub.builder().token_store(MemoryStore::with("pnl_old", Some(SOON))).build().unwrap();
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
}
