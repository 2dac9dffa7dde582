//! Translation by machine, against a small server of each shape.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use panel_platform::config::Translator;
use panel_platform::db::Dialect;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::panel::{Answer, Panel};

const PATH: &str = "/api/v1/admin/translate";

both! {
    nobody_is_configured;
    libretranslate_is_asked_in_its_words;
    deepl_is_asked_in_its_words;
    much_goes_in_several_calls;
    what_goes_wrong_is_told;
    a_private_address_must_be_allowed;
    what_is_lost_is_left_out;
}

/// What a translator was asked, and what it answers instead of a translation.
#[derive(Clone, Default)]
struct Seen {
    asked: Arc<Mutex<Vec<(String, String, Value)>>>,
    instead: Arc<Mutex<Option<(u16, String)>>>,
}

/// Upper case is its language. HTML's tags it leaves alone, as both do.
fn shout(text: &str) -> String {
    let mut in_tag = false;
    text.chars()
        .map(|letter| {
            in_tag = (in_tag || letter == '<') && letter != '>';
            if in_tag { letter } else { letter.to_ascii_uppercase() }
        })
        .collect()
}

/// A translator of either shape; its address.
async fn translator(seen: Seen) -> String {
    let answer = async move |uri: Uri, headers: HeaderMap, body: Bytes| {
        let key = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let asked: Value = serde_json::from_slice(&body).unwrap();
        seen.asked.lock().unwrap().push((uri.path().to_owned(), key.unwrap_or_default(), asked.clone()));
        if let Some((status, text)) = seen.instead.lock().unwrap().clone() {
            return (StatusCode::from_u16(status).unwrap(), text);
        }
        let texts = |name: &str| -> Vec<String> {
            let list = asked[name].as_array().unwrap();
            list.iter().map(|text| shout(text.as_str().unwrap())).collect()
        };
        let answer = match uri.path() {
            "/translate" => json!({ "translatedText": texts("q") }),
            _ => {
                let all = texts("text").into_iter();
                let all = all.map(|text| json!({ "detected_source_language": "EN", "text": text }));
                json!({ "translations": all.collect::<Vec<_>>() })
            }
        };
        (StatusCode::OK, answer.to_string())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

async fn panel_with(dialect: Dialect, kind: Translator, seen: &Seen) -> Panel {
    let url = translator(seen.clone()).await;
    Panel::with(dialect, |config| {
        config.translate.kind = Some(kind);
        config.translate.url = Some(url);
        config.translate.key = Some("very-secret".into());
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.seconds = 5;
    })
    .await
}

impl Panel {
    async fn translated(&self, to: &str, fields: Value) -> Answer {
        self.post(PATH, &json!({ "from_language": "en", "to_language": to, "fields": fields })).await
    }
}

async fn nobody_is_configured(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let answer = panel.translated("de", json!({ "name": "Likes" })).await;
    assert_eq!(answer.says(), (409, "translator_not_configured".into()));
    assert!(answer.json()["message"].as_str().unwrap().contains("translate.kind"));
    let application = panel.data("/api/v1/admin/application").await;
    assert_eq!(application["auto_translation_locales"], json!([]));
}

async fn libretranslate_is_asked_in_its_words(dialect: Dialect) {
    let seen = Seen::default();
    let panel = panel_with(dialect, Translator::Libretranslate, &seen).await;
    let fields = json!({ "name": "Fast likes", "faq": "<p>Up to {count} & <b>more</b></p>", "geo": " ", "speed": "%s a day\nor less" });
    let answer = panel.translated("zh_CN", fields).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let data = answer.json()["data"].clone();
    assert_eq!((&data["to_language"], &data["left_out"]), (&json!("zh_CN"), &json!([])));
    assert_eq!(
        data["fields"],
        json!({ "name": "FAST LIKES", "faq": "<p>UP TO {count} & <b>MORE</b></p>", "geo": "", "speed": "%s A DAY\nOR LESS" })
    );
    let asked = seen.asked.lock().unwrap().clone();
    let bodies: Vec<&Value> = asked.iter().map(|(_, _, body)| body).collect();
    assert_eq!(
        *bodies[0],
        json!({ "q": ["Fast likes"], "source": "en", "target": "zh-Hans", "format": "text", "api_key": "very-secret" })
    );
    assert_eq!((&bodies[1]["format"], bodies[1]["q"].as_array().unwrap().len()), (&json!("html"), 2));
    assert_eq!(bodies.len(), 2, "what is plain goes in one call, what is marked in another");
    let application = panel.data("/api/v1/admin/application").await;
    assert_eq!(application["auto_translation_locales"].as_array().unwrap().len(), 12);
}

async fn deepl_is_asked_in_its_words(dialect: Dialect) {
    let seen = Seen::default();
    let panel = panel_with(dialect, Translator::Deepl, &seen).await;
    let answer = panel.translated("pt_BR", json!({ "name": "Likes", "faq": "<i>a</i>" })).await;
    assert_eq!(
        answer.json()["data"]["fields"],
        json!({ "name": "LIKES", "faq": "<i>A</i>" }),
        "{}",
        answer.text
    );
    let asked = seen.asked.lock().unwrap().clone();
    let (path, key, body) = &asked[0];
    assert_eq!((path.as_str(), key.as_str()), ("/v2/translate", "DeepL-Auth-Key very-secret"));
    assert_eq!(
        *body,
        json!({ "text": ["Likes"], "source_lang": "EN", "target_lang": "PT-BR", "preserve_formatting": true })
    );
    assert_eq!(asked[1].2["tag_handling"], "html");
}

async fn much_goes_in_several_calls(dialect: Dialect) {
    let seen = Seen::default();
    let panel = panel_with(dialect, Translator::Deepl, &seen).await;
    let fields: serde_json::Map<String, Value> =
        (0..100).map(|at| (format!("f{at:03}"), json!(format!("text {at}")))).collect();
    let answer = panel.translated("de", fields.into()).await;
    assert_eq!(answer.json()["data"]["fields"]["f099"], "TEXT 99");
    let sizes: Vec<usize> = seen
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|(_, _, body)| body["text"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [50, 50]);
    let more: serde_json::Map<String, Value> = (0..101).map(|at| (at.to_string(), json!("a"))).collect();
    assert_eq!(panel.translated("de", more.into()).await.status, 422);
    assert_eq!(panel.translated("en", json!({ "name": "a" })).await.status, 422);
    assert_eq!(panel.translated("xx", json!({ "name": "a" })).await.status, 422);
}

async fn what_goes_wrong_is_told(dialect: Dialect) {
    for (kind, status, body, code, message) in [
        (Translator::Deepl, 456, "", "translator_quota", "quota"),
        (Translator::Deepl, 529, "", "translator_busy", "is busy"),
        (Translator::Deepl, 403, r#"{"message":"Wrong key"}"#, "translator_key", "Wrong key"),
        (
            Translator::Libretranslate,
            429,
            r#"{"error":"Slowdown: 10 per minute"}"#,
            "translator_busy",
            "is busy",
        ),
        (
            Translator::Libretranslate,
            400,
            r#"{"error":"hi is not supported"}"#,
            "translator_refused",
            "hi is not",
        ),
        (
            Translator::Libretranslate,
            500,
            "<html>nginx</html>",
            "translator_failed",
            "failed with status 500",
        ),
        (Translator::Libretranslate, 200, "<html>hello</html>", "translator_strange", "is malformed"),
        (Translator::Deepl, 200, r#"{"translations":[]}"#, "translator_strange", "is malformed"),
    ] {
        let seen = Seen::default();
        *seen.instead.lock().unwrap() = Some((status, body.to_owned()));
        let panel = panel_with(dialect, kind, &seen).await;
        let answer = panel.translated("hi_IN", json!({ "name": "Likes" })).await;
        assert_eq!(answer.json()["code"], code, "{}", answer.text);
        assert!(answer.json()["message"].as_str().unwrap().contains(message), "{}", answer.text);
        assert!(!answer.text.contains("very-secret") && !answer.text.contains("nginx"), "{}", answer.text);
        assert_eq!(seen.asked.lock().unwrap().len(), 1, "not tried again");
    }
}

async fn a_private_address_must_be_allowed(dialect: Dialect) {
    let seen = Seen::default();
    let url = translator(seen.clone()).await;
    let panel = Panel::with(dialect, |config| {
        config.translate.kind = Some(Translator::Libretranslate);
        config.translate.url = Some(url);
        config.outbound.allow_http = true;
    })
    .await;
    let answer = panel.translated("de", json!({ "name": "Likes" })).await;
    assert_eq!(answer.says(), (502, "translator_unreachable".into()));
    assert!(
        answer.text.contains("private address") && seen.asked.lock().unwrap().is_empty(),
        "{}",
        answer.text
    );
}

async fn what_is_lost_is_left_out(dialect: Dialect) {
    let seen = Seen::default();
    *seen.instead.lock().unwrap() = Some((200, json!({ "translatedText": ["Hallo Welt"] }).to_string()));
    let panel = panel_with(dialect, Translator::Libretranslate, &seen).await;
    let answer = panel.translated("de", json!({ "name": "Hello {name}" })).await;
    assert_eq!(answer.json()["data"]["left_out"], json!(["name"]));
    assert_eq!(answer.json()["data"]["fields"], json!({}));
}
