//! Sessions: the client stores, refreshes and removes tokens.

use std::sync::{Arc, Mutex};

use panel_client::token::{Token, TokenStore};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::ids::OrderId;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::session::{ConfirmInput, LoginInput};
use serde_json::json;

use crate::stub::{NOW, RecordedRequest, Stub, error_response, json_response, sign_in_response};

/// A store that a test can inspect.
#[derive(Clone, Default)]
struct MemoryStore(Arc<Mutex<Option<Token>>>);

impl MemoryStore {
    fn with_token(text: &str, expires_at: Option<Time>) -> Self {
        Self(Arc::new(Mutex::new(Some(Token { text: text.into(), expires_at }))))
    }
    fn token_text(&self) -> Option<String> {
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

const IN_SEVEN_DAYS: Time = Time(NOW.0 + 7 * DAY_MICROS);
const IN_ONE_HOUR: Time = Time(NOW.0 + DAY_MICROS / 24);

fn refund_response() -> axum::http::Response<axum::body::Body> {
    json_response(200, &json!({ "data": { "amount": "1" } }))
}

/// A stub panel that accepts only `valid_token`, and returns `valid_token` after a refresh.
fn panel_that_accepts(
    valid_token: &'static str,
) -> impl Fn(&RecordedRequest, usize) -> axum::http::Response<axum::body::Body> {
    move |request, _| match request.path.as_str() {
        "/refresh" => sign_in_response(valid_token, IN_SEVEN_DAYS),
        _ if request.header("authorization") == Some(&format!("Bearer {valid_token}")) => refund_response(),
        _ => error_response(401, "token_unknown"),
    }
}

#[tokio::test]
async fn signing_in_stores_the_token_and_signing_out_removes_it() {
    let stub = Stub::new(|request, _| match request.path.as_str() {
        "/login" => sign_in_response("pnl_new", IN_SEVEN_DAYS),
        _ => json_response(200, &json!({})),
    })
    .await;
    let store = MemoryStore::default();
    let client = stub.builder().token_store(store.clone()).build().unwrap();
    let input = LoginInput {
        email: "a@b.example".into(),
        password: "secret".into(),
        captcha: None,
        otp: None,
        passkey: None,
    };
    let response = client.login((), &EmptyQuery {}, &input).await.unwrap();
    assert_eq!((response.user.name.as_str(), response.expires_at), ("Olga", IN_SEVEN_DAYS));
    assert_eq!(store.token_text().as_deref(), Some("pnl_new"));
    client.logout((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!((store.token_text(), client.token()), (None, None));
    assert_eq!(stub.requests()[1].header("authorization"), Some("Bearer pnl_new"));
    assert!(!format!("{:?}", Token { text: "pnl_x".into(), expires_at: None }).contains("pnl_x"));
}

#[tokio::test]
async fn a_token_that_expires_soon_is_refreshed_once_for_all_calls() {
    let stub = Stub::new(panel_that_accepts("pnl_new")).await;
    let store = MemoryStore::with_token("pnl_old", Some(IN_ONE_HOUR));
    let client = stub.builder().token_store(store.clone()).build().unwrap();
    let calls = (0..10).map(|id| {
        let client = client.clone();
        async move { client.refund_amount(OrderId::new(id + 1), &EmptyQuery {}, &EmptyBody {}).await }
    });
    for result in futures_util::future::join_all(calls).await {
        result.unwrap();
    }
    let refreshes = stub.requests().iter().filter(|request| request.path == "/refresh").count();
    assert_eq!((refreshes, stub.requests().len()), (1, 11));
    assert_eq!(store.token_text().as_deref(), Some("pnl_new"));
}

#[tokio::test]
async fn a_token_is_refreshed_once_after_a_401() {
    let stub = Stub::new(panel_that_accepts("pnl_new")).await;
    let store = MemoryStore::with_token("pnl_old", Some(IN_SEVEN_DAYS));
    let client = stub.builder().token_store(store.clone()).build().unwrap();
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    let paths: Vec<_> = stub.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths[1], "/refresh");
    assert_eq!(paths.len(), 3);
}

#[tokio::test]
async fn a_confirmation_refreshes_a_stored_token() {
    for (expires_at, is_refreshed) in [(Some(IN_SEVEN_DAYS), true), (None, false)] {
        let is_confirmed = Arc::new(Mutex::new(false));
        let stub = Stub::new(move |request, _| match request.path.as_str() {
            "/api/v1/profile/confirm" => {
                *is_confirmed.lock().unwrap() = true;
                json_response(200, &json!({ "data": { "confirmed_until": "2026-11-20 16:10:00" } }))
            }
            "/refresh" => sign_in_response("pnl_new", IN_SEVEN_DAYS),
            _ if *is_confirmed.lock().unwrap() => refund_response(),
            _ => error_response(403, "confirmation_required"),
        })
        .await;
        let store = MemoryStore::with_token("pnl_old", expires_at);
        let prompt =
            || async { Some(ConfirmInput { password: Some("secret".into()), ..ConfirmInput::default() }) };
        let client = stub.builder().token_store(store.clone()).confirm_with(prompt).build().unwrap();
        client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
        let requests = stub.requests();
        let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
        assert_eq!(paths.contains(&"/refresh"), is_refreshed, "{paths:?}");
        let expected_token = if is_refreshed { "pnl_new" } else { "pnl_old" };
        assert_eq!(store.token_text().as_deref(), Some(expected_token));
        assert_eq!(
            requests.last().unwrap().header("authorization"),
            Some(&*format!("Bearer {expected_token}"))
        );
    }
}

#[tokio::test]
async fn uses_a_token_that_another_process_refreshed() {
    let stub = Stub::new(panel_that_accepts("pnl_other")).await;
    let store = MemoryStore::with_token("pnl_old", Some(IN_SEVEN_DAYS));
    let client = stub.builder().token_store(store.clone()).build().unwrap();
    store.save(Some(&Token { text: "pnl_other".into(), expires_at: Some(IN_SEVEN_DAYS) }));
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert!(stub.requests().iter().all(|request| request.path != "/refresh"));
}

#[tokio::test]
async fn does_not_refresh_an_expired_token_or_one_without_an_expiry() {
    let expired = Time(NOW.0 - 1);
    for expires_at in [None, Some(expired)] {
        let stub = Stub::new(|_, _| error_response(401, "token_unknown")).await;
        let store = MemoryStore::with_token("pnl_old", expires_at);
        let client = stub.builder().token_store(store.clone()).build().unwrap();
        let error = client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap_err();
        assert!(error.is_unauthenticated());
        assert_eq!(
            (stub.requests().len(), store.token_text().as_deref()),
            (1, Some("pnl_old")),
            "{expires_at:?}"
        );
    }
}

#[tokio::test]
async fn a_failed_refresh_does_not_fail_the_call() {
    let stub = Stub::new(|request, _| match request.path.as_str() {
        "/refresh" => error_response(500, "fault"),
        _ => refund_response(),
    })
    .await;
    let client =
        stub.builder().token_store(MemoryStore::with_token("pnl_old", Some(IN_ONE_HOUR))).build().unwrap();
    client.refund_amount(OrderId::new(1), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
}
