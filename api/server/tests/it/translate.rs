//! Machine translation with a fake server for each protocol: LibreTranslate and DeepL.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, Uri};
use panel_platform::config::Translator;
use panel_platform::db::Dialect;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::panel::{Panel, TestResponse};

const TRANSLATE_PATH: &str = "/api/v1/admin/translate";

test_both_databases! {
    translation_without_a_configured_translator_is_rejected;
    libretranslate_gets_requests_in_its_format;
    deepl_gets_requests_in_its_format;
    many_texts_are_sent_in_several_requests;
    errors_of_the_translator_are_reported;
    a_private_address_must_be_allowed;
    a_field_whose_placeholder_is_lost_is_left_out;
}

/// The requests that the fake translator received (path, authorization, body), and an error response to return instead.
#[derive(Clone, Default)]
struct FakeTranslator {
    requests: Arc<Mutex<Vec<(String, String, Value)>>>,
    error_response: Arc<Mutex<Option<(u16, String)>>>,
}

/// "Translates" to upper case and keeps HTML tags, as both services do.
fn to_upper_case(text: &str) -> String {
    let mut in_tag = false;
    text.chars()
        .map(|character| {
            in_tag = (in_tag || character == '<') && character != '>';
            if in_tag { character } else { character.to_ascii_uppercase() }
        })
        .collect()
}

/// Starts a fake translator with both protocols. Returns its URL.
async fn start_translator(fake: FakeTranslator) -> String {
    let respond = async move |uri: Uri, headers: HeaderMap, body: Bytes| {
        let key = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        let request: Value = serde_json::from_slice(&body).unwrap();
        fake.requests.lock().unwrap().push((uri.path().to_owned(), key.unwrap_or_default(), request.clone()));
        if let Some((status, text)) = fake.error_response.lock().unwrap().clone() {
            return (StatusCode::from_u16(status).unwrap(), text);
        }
        let texts = |name: &str| -> Vec<String> {
            let list = request[name].as_array().unwrap();
            list.iter().map(|text| to_upper_case(text.as_str().unwrap())).collect()
        };
        let response = match uri.path() {
            "/translate" => json!({ "translatedText": texts("q") }),
            _ => {
                let translations = texts("text").into_iter();
                let translations =
                    translations.map(|text| json!({ "detected_source_language": "EN", "text": text }));
                json!({ "translations": translations.collect::<Vec<_>>() })
            }
        };
        (StatusCode::OK, response.to_string())
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(respond);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

async fn start_panel_with_translator(dialect: Dialect, kind: Translator, fake: &FakeTranslator) -> Panel {
    let url = start_translator(fake.clone()).await;
    Panel::with_config(dialect, |config| {
        config.translate.kind = Some(kind);
        config.translate.url = Some(url);
        config.translate.key = Some("very-secret".into());
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.allow_http = true;
        config.outbound.timeout_seconds = 5;
    })
    .await
}

impl Panel {
    async fn translate(&self, to: &str, fields: Value) -> TestResponse {
        self.post(TRANSLATE_PATH, &json!({ "from_language": "en", "to_language": to, "fields": fields }))
            .await
    }
}

async fn translation_without_a_configured_translator_is_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let response = panel.translate("de", json!({ "name": "Likes" })).await;
    assert_eq!(response.status_and_code(), (409, "translator_not_configured".into()));
    assert!(response.json()["message"].as_str().unwrap().contains("translate.kind"));
    let application_data = panel.get_data("/api/v1/admin/application").await;
    assert_eq!(application_data["auto_translation_locales"], json!([]));
}

async fn libretranslate_gets_requests_in_its_format(dialect: Dialect) {
    let fake = FakeTranslator::default();
    let panel = start_panel_with_translator(dialect, Translator::Libretranslate, &fake).await;
    let fields = json!({ "name": "Fast likes", "faq": "<p>Up to {count} & <b>more</b></p>", "geo": " ", "speed": "%s a day\nor less" });
    let response = panel.translate("zh_CN", fields).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let data = response.json()["data"].clone();
    assert_eq!((&data["to_language"], &data["left_out"]), (&json!("zh_CN"), &json!([])));
    assert_eq!(
        data["fields"],
        json!({ "name": "FAST LIKES", "faq": "<p>UP TO {count} & <b>MORE</b></p>", "geo": "", "speed": "%s A DAY\nOR LESS" })
    );
    let requests = fake.requests.lock().unwrap().clone();
    let bodies: Vec<&Value> = requests.iter().map(|(_, _, body)| body).collect();
    assert_eq!(
        *bodies[0],
        json!({ "q": ["Fast likes"], "source": "en", "target": "zh-Hans", "format": "text", "api_key": "very-secret" })
    );
    assert_eq!((&bodies[1]["format"], bodies[1]["q"].as_array().unwrap().len()), (&json!("html"), 2));
    assert_eq!(bodies.len(), 2, "plain texts and HTML texts must be in separate requests");
    let application_data = panel.get_data("/api/v1/admin/application").await;
    assert_eq!(application_data["auto_translation_locales"].as_array().unwrap().len(), 12);
}

async fn deepl_gets_requests_in_its_format(dialect: Dialect) {
    let fake = FakeTranslator::default();
    let panel = start_panel_with_translator(dialect, Translator::Deepl, &fake).await;
    let response = panel.translate("pt_BR", json!({ "name": "Likes", "faq": "<i>a</i>" })).await;
    assert_eq!(
        response.json()["data"]["fields"],
        json!({ "name": "LIKES", "faq": "<i>A</i>" }),
        "{}",
        response.text
    );
    let requests = fake.requests.lock().unwrap().clone();
    let (path, key, body) = &requests[0];
    assert_eq!((path.as_str(), key.as_str()), ("/v2/translate", "DeepL-Auth-Key very-secret"));
    assert_eq!(
        *body,
        json!({ "text": ["Likes"], "source_lang": "EN", "target_lang": "PT-BR", "preserve_formatting": true })
    );
    assert_eq!(requests[1].2["tag_handling"], "html");
}

async fn many_texts_are_sent_in_several_requests(dialect: Dialect) {
    let fake = FakeTranslator::default();
    let panel = start_panel_with_translator(dialect, Translator::Deepl, &fake).await;
    let fields: serde_json::Map<String, Value> =
        (0..100).map(|index| (format!("f{index:03}"), json!(format!("text {index}")))).collect();
    let response = panel.translate("de", fields.into()).await;
    assert_eq!(response.json()["data"]["fields"]["f099"], "TEXT 99");
    let text_counts: Vec<usize> = fake
        .requests
        .lock()
        .unwrap()
        .iter()
        .map(|(_, _, body)| body["text"].as_array().unwrap().len())
        .collect();
    assert_eq!(text_counts, [50, 50]);
    let too_many_fields: serde_json::Map<String, Value> =
        (0..101).map(|index| (index.to_string(), json!("a"))).collect();
    assert_eq!(panel.translate("de", too_many_fields.into()).await.status, 422);
    assert_eq!(panel.translate("en", json!({ "name": "a" })).await.status, 422);
    assert_eq!(panel.translate("xx", json!({ "name": "a" })).await.status, 422);
}

async fn errors_of_the_translator_are_reported(dialect: Dialect) {
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
            "translator_rejected",
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
        let fake = FakeTranslator::default();
        *fake.error_response.lock().unwrap() = Some((status, body.to_owned()));
        let panel = start_panel_with_translator(dialect, kind, &fake).await;
        let response = panel.translate("hi_IN", json!({ "name": "Likes" })).await;
        assert_eq!(response.json()["code"], code, "{}", response.text);
        assert!(response.json()["message"].as_str().unwrap().contains(message), "{}", response.text);
        assert!(
            !response.text.contains("very-secret") && !response.text.contains("nginx"),
            "{}",
            response.text
        );
        assert_eq!(fake.requests.lock().unwrap().len(), 1, "the server must not retry");
    }
}

async fn a_private_address_must_be_allowed(dialect: Dialect) {
    let fake = FakeTranslator::default();
    let url = start_translator(fake.clone()).await;
    let panel = Panel::with_config(dialect, |config| {
        config.translate.kind = Some(Translator::Libretranslate);
        config.translate.url = Some(url);
        config.outbound.allow_http = true;
    })
    .await;
    let response = panel.translate("de", json!({ "name": "Likes" })).await;
    assert_eq!(response.status_and_code(), (502, "translator_unreachable".into()));
    assert!(
        response.text.contains("private address") && fake.requests.lock().unwrap().is_empty(),
        "{}",
        response.text
    );
}

async fn a_field_whose_placeholder_is_lost_is_left_out(dialect: Dialect) {
    let fake = FakeTranslator::default();
    *fake.error_response.lock().unwrap() =
        Some((200, json!({ "translatedText": ["Hallo Welt"] }).to_string()));
    let panel = start_panel_with_translator(dialect, Translator::Libretranslate, &fake).await;
    let response = panel.translate("de", json!({ "name": "Hello {name}" })).await;
    assert_eq!(response.json()["data"]["left_out"], json!(["name"]));
    assert_eq!(response.json()["data"]["fields"], json!({}));
}
