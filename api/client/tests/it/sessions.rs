//! Tokens: taken, kept, refreshed once, forgotten.

use std::sync::{Arc, Mutex};

use panel_client::token::{Token, TokenStore};
use panel_contract::endpoint::{NoBody, NoQuery};
use panel_contract::ids::OrderId;
use panel_contract::moment::{DAY_MICROS, Time};
use panel_contract::session::{ConfirmInput, LoginInput};
use serde_json::json;

use crate::stub::{Asked, NOW, Stub, problem, reply, signed_in};

/// A store that a test can look into.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Option<Token>>>);

impl Kept {
    fn with(text: &str, expires_at: Option<Time>) -> Self {
        Self(Arc::new(Mutex::new(Some(Token { text: text.into(), expires_at }))))
    }
    fn text(&self) -> Option<String> {
        self.0.lock().unwrap().as_ref().map(|token| token.text.clone())
    }
}

impl TokenStore for Kept {
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

/// Takes `good` only; refreshes to it.
fn panel(good: &'static str) -> impl Fn(&Asked, usize) -> axum::http::Response<axum::body::Body> {
    move |asked, _| match asked.path.as_str() {
        "/refresh" => signed_in(good, LATER),
        _ if asked.header("authorization") == Some(&format!("Bearer {good}")) => refund(),
        _ => problem(401, "token_unknown"),
    }
}

#[tokio::test]
async fn signing_in_and_out() {
    let stub = Stub::new(|asked, _| match asked.path.as_str() {
        "/login" => signed_in("pnl_new", LATER),
        _ => reply(200, &json!({})),
    })
    .await;
    let kept = Kept::default();
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    let input = LoginInput {
        email: "a@b.example".into(),
        password: "secret".into(),
        captcha: None,
        otp: None,
        passkey: None,
    };
    let answer = client.login((), &NoQuery {}, &input).await.unwrap();
    assert_eq!((answer.user.name.as_str(), answer.expires_at), ("Olga", LATER));
    assert_eq!(kept.text().as_deref(), Some("pnl_new"));
    client.logout((), &NoQuery {}, &NoBody {}).await.unwrap();
    assert_eq!((kept.text(), client.token()), (None, None));
    assert_eq!(stub.asked()[1].header("authorization"), Some("Bearer pnl_new"));
    assert!(!format!("{:?}", Token { text: "pnl_x".into(), expires_at: None }).contains("pnl_x"));
}

#[tokio::test]
async fn a_token_near_its_end_is_refreshed_once_for_all() {
    let stub = Stub::new(panel("pnl_fresh")).await;
    let kept = Kept::with("pnl_old", Some(SOON));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    let calls = (0..10).map(|id| {
        let client = client.clone();
        async move { client.refund_amount(OrderId::new(id + 1), &NoQuery {}, &NoBody {}).await }
    });
    for answer in futures_util::future::join_all(calls).await {
        answer.unwrap();
    }
    let refreshes = stub.asked().iter().filter(|asked| asked.path == "/refresh").count();
    assert_eq!((refreshes, stub.asked().len()), (1, 11));
    assert_eq!(kept.text().as_deref(), Some("pnl_fresh"));
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let stub = Stub::new(panel("pnl_fresh")).await;
    let kept = Kept::with("pnl_old", Some(LATER));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    client.refund_amount(OrderId::new(1), &NoQuery {}, &NoBody {}).await.unwrap();
    let paths: Vec<_> = stub.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths[1], "/refresh");
    assert_eq!(paths.len(), 3);
}

#[tokio::test]
async fn a_confirmation_renews_a_token_that_the_library_keeps() {
    for (expires_at, renewed) in [(Some(LATER), true), (None, false)] {
        let is_confirmed = Arc::new(Mutex::new(false));
        let stub = Stub::new(move |asked, _| match asked.path.as_str() {
            "/api/v1/profile/confirm" => {
                *is_confirmed.lock().unwrap() = true;
                reply(200, &json!({ "data": { "confirmed_until": "2026-11-20 16:10:00" } }))
            }
            "/refresh" => signed_in("pnl_new", LATER),
            _ if *is_confirmed.lock().unwrap() => refund(),
            _ => problem(403, "confirmation_required"),
        })
        .await;
        let kept = Kept::with("pnl_old", expires_at);
        let ask =
            || async { Some(ConfirmInput { password: Some("secret".into()), ..ConfirmInput::default() }) };
        let client = stub.builder().token_store(kept.clone()).confirm_with(ask).build().unwrap();
        client.refund_amount(OrderId::new(1), &NoQuery {}, &NoBody {}).await.unwrap();
        let asked = stub.asked();
        let paths: Vec<&str> = asked.iter().map(|asked| asked.path.as_str()).collect();
        assert_eq!(paths.contains(&"/refresh"), renewed, "{paths:?}");
        let wanted = if renewed { "pnl_new" } else { "pnl_old" };
        assert_eq!(kept.text().as_deref(), Some(wanted));
        assert_eq!(asked.last().unwrap().header("authorization"), Some(&*format!("Bearer {wanted}")));
    }
}

#[tokio::test]
async fn another_process_may_have_refreshed() {
    let stub = Stub::new(panel("pnl_other")).await;
    let kept = Kept::with("pnl_old", Some(LATER));
    let client = stub.builder().token_store(kept.clone()).build().unwrap();
    kept.save(Some(&Token { text: "pnl_other".into(), expires_at: Some(LATER) }));
    client.refund_amount(OrderId::new(1), &NoQuery {}, &NoBody {}).await.unwrap();
    assert!(stub.asked().iter().all(|asked| asked.path != "/refresh"));
}

#[tokio::test]
async fn no_refresh_where_it_makes_no_sense() {
    let past = Time(NOW.0 - 1);
    for expires_at in [None, Some(past)] {
        let stub = Stub::new(|_, _| problem(401, "token_unknown")).await;
        let kept = Kept::with("pnl_old", expires_at);
        let client = stub.builder().token_store(kept.clone()).build().unwrap();
        let error = client.refund_amount(OrderId::new(1), &NoQuery {}, &NoBody {}).await.unwrap_err();
        assert!(error.is_unauthenticated());
        assert_eq!((stub.asked().len(), kept.text().as_deref()), (1, Some("pnl_old")), "{expires_at:?}");
    }
}

#[tokio::test]
async fn a_refresh_that_fails_is_not_the_callers_trouble() {
    let stub = Stub::new(|asked, _| match asked.path.as_str() {
        "/refresh" => problem(500, "fault"),
        _ => refund(),
    })
    .await;
    let client = stub.builder().token_store(Kept::with("pnl_old", Some(SOON))).build().unwrap();
    client.refund_amount(OrderId::new(1), &NoQuery {}, &NoBody {}).await.unwrap();
}
