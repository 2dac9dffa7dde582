//! Spans of requests, transactions, jobs and outbound requests: their fields, no secrets in the fields, and their export by OTLP.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span as ExportedSpan;
use panel_contract::ids::ExternalPanelId;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::jobs;
use panel_platform::jobs::job::Job;
use panel_platform::outbound::{OutboundRequest, Purpose};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_server::app::App;
use panel_server::background::worker;
use prost::Message as _;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::panel::Panel;
use crate::program::{ServerProcess, server_command};
use crate::test_server::client;

test_both_databases! {
    requests_and_transactions_have_spans;
    polls_have_spans_with_their_transactions;
    jobs_have_spans_within_their_poll;
}

const GRADES_PATH: &str = "/api/v1/admin/grades";

/// A span that the subscriber of the test recorded.
#[derive(Debug, Clone, Default)]
struct RecordedSpan {
    name: &'static str,
    parent: Option<&'static str>,
    fields: BTreeMap<&'static str, String>,
}

impl Visit for RecordedSpan {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

impl RecordedSpan {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// A tracing layer that collects the spans of this thread.
#[derive(Clone, Default)]
struct SpanRecorder(Arc<Mutex<Vec<(u64, RecordedSpan)>>>);

impl<S: tracing::Subscriber + for<'s> LookupSpan<'s>> Layer<S> for SpanRecorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let parent = context.span(id).and_then(|span| span.parent()).map(|span| span.name());
        let mut span = RecordedSpan { name: attributes.metadata().name(), parent, ..RecordedSpan::default() };
        attributes.record(&mut span);
        self.0.lock().unwrap().push((id.into_u64(), span));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        // tracing reuses the ids of closed spans, so the values belong to the newest span. A span that `take` removed has no entry.
        let mut spans = self.0.lock().unwrap();
        if let Some((_, span)) = spans.iter_mut().rev().find(|(recorded_id, _)| *recorded_id == id.into_u64())
        {
            values.record(span);
        }
    }
}

impl SpanRecorder {
    fn install() -> (Self, tracing::subscriber::DefaultGuard) {
        let spans = Self::default();
        let subscriber = tracing_subscriber::registry().with(spans.clone());
        (spans, tracing::subscriber::set_default(subscriber))
    }

    /// Removes and returns all spans in the order of their start.
    fn take_all(&self) -> Vec<RecordedSpan> {
        std::mem::take(&mut *self.0.lock().unwrap()).into_iter().map(|(_, span)| span).collect()
    }

    /// Removes all spans and returns those with the name.
    fn take(&self, name: &str) -> Vec<RecordedSpan> {
        self.take_all().into_iter().filter(|span| span.name == name).collect()
    }
}

async fn requests_and_transactions_have_spans(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    let (spans, _guard) = SpanRecorder::install();
    assert_eq!(panel.get("/api/v1/admin/orders?search[value]=query-secret").await.status, 200);
    let [request] = &spans.take("request")[..] else { panic!("expected exactly one request span") };
    assert_eq!(request.field("otel.name"), "GET /api/v1/admin/orders");
    assert_eq!((request.field("http.response.status_code"), request.field("error.code")), ("200", ""));
    assert!(request.field("statements").parse::<u64>().unwrap() > 0, "{request:?}");
    assert!(!request.field("actor_id").is_empty() && !request.field("request_id").is_empty(), "{request:?}");

    let grade_body = json!({ "translations": { "en": { "name": "Gold" } }, "discount_fraction": "0.1", "spending_goal": "10" });
    let create_response = panel.post(GRADES_PATH, &grade_body).await;
    let rejected_response = panel.post(GRADES_PATH, &json!({})).await;
    let code = rejected_response.json()["code"].as_str().unwrap().to_owned();
    let all_spans = spans.take_all();
    let requests: Vec<_> = all_spans.iter().filter(|span| span.name == "request").collect();
    assert_eq!(requests.len(), 2);
    let rejected_request = requests.iter().find(|span| span.field("error.code") == code).unwrap();
    assert_eq!(
        rejected_request.field("otel.status_code"),
        "",
        "a rejection must not count as a server error"
    );
    let transactions: Vec<_> = all_spans.iter().filter(|span| span.name == "transaction").collect();
    assert!(transactions.iter().all(|span| span.parent == Some("request")), "{transactions:?}");
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let committed_transaction = transactions.iter().find(|span| span.field("outcome") == "commit").unwrap();
    let expected_system = if dialect == Dialect::Sqlite { "sqlite" } else { "postgresql" };
    assert_eq!(committed_transaction.field("db.system.name"), expected_system);
    assert!(
        committed_transaction.field("statements").parse::<u64>().unwrap() > 0,
        "{committed_transaction:?}"
    );
}

async fn jobs_have_spans_within_their_poll(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let mut work = panel.begin_work().await;
    let now = work.now;
    jobs::enqueue(&mut work, &[Job::Sync { external_panel_id: ExternalPanelId::new(404) }], now)
        .await
        .unwrap();
    work.finish(()).await.unwrap();
    let (spans, _guard) = SpanRecorder::install();
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
    let [job] = &spans.take("job")[..] else { panic!("expected exactly one job span") };
    let fields = ["otel.name", "queue", "attempt", "outcome", "otel.status_code"].map(|name| job.field(name));
    assert_eq!(fields, ["job sync", "sync", "1", "failed", "ERROR"], "the external panel does not exist");
    assert!(job.field("job_id").parse::<i64>().unwrap() > 0 && job.parent == Some("poll"), "{job:?}");
}

async fn polls_have_spans_with_their_transactions(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (spans, _guard) = SpanRecorder::install();
    let work = |app: App, _: ExternalPanelId| async move {
        let mut tx = app.db.begin().await?;
        let _one: (i64,) = tx.fetch_one(Sql::new("SELECT CAST(1 AS BIGINT)")).await?;
        tx.commit().await?;
        Ok(WorkSummary::done(2))
    };
    let poller = Poller::keyed(
        "test_spans",
        Duration::from_secs(1),
        |_: App| async { Ok(vec![ExternalPanelId::new(7)]) },
        work,
    );
    assert_eq!(poller.poll_once(&panel.app).await.unwrap(), 2);
    let all_spans = spans.take_all();
    let poll = all_spans.iter().find(|span| span.name == "poll").unwrap();
    let fields = ["otel.name", "key", "done", "failed", "statements"].map(|name| poll.field(name));
    assert_eq!(fields, ["poll test_spans", "7", "2", "0", "1"]);
    let transactions: Vec<_> = all_spans.iter().filter(|span| span.name == "transaction").collect();
    assert!(
        !transactions.is_empty() && transactions.iter().all(|span| span.parent == Some("poll")),
        "{all_spans:?}"
    );
}

#[tokio::test]
async fn a_transaction_span_contains_the_outcome() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let (spans, _guard) = SpanRecorder::install();
    drop(panel.app.db.begin().await.unwrap());
    panel.app.db.begin().await.unwrap().rollback().await.unwrap();
    let mut tx = panel.app.db.begin().await.unwrap();
    let row_count = tx.fetch_all::<(i64,)>(Sql::new("SELECT id FROM users")).await.unwrap().len();
    tx.commit().await.unwrap();
    let transactions = spans.take("transaction");
    let outcomes: Vec<&str> = transactions.iter().map(|span| span.field("outcome")).collect();
    assert_eq!(outcomes, ["dropped", "rollback", "commit"]);
    assert_eq!(
        (transactions[2].field("statements"), transactions[2].field("rows")),
        ("1", row_count.to_string().as_str())
    );
}

#[tokio::test]
async fn outbound_request_spans_contain_the_host_but_no_path_or_secret() {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let (_, url) = Collector::start(|_| CollectorResponse::Status(503)).await;
    let (spans, _guard) = SpanRecorder::install();
    let outbound_request = OutboundRequest::json(
        Purpose::Webhook,
        &format!("{url}/path-secret?key=query-secret"),
        &"body-secret",
    );
    let outbound_request = outbound_request.header("authorization", "header-secret");
    assert_eq!(panel.app.outbound.send(outbound_request).await.unwrap().status, 503);
    let [request_span] = &spans.take("call")[..] else {
        panic!("expected exactly one span of an outbound request")
    };
    assert_eq!(request_span.field("otel.name"), "POST webhook");
    assert_eq!(
        (request_span.field("server.address"), request_span.field("http.response.status_code")),
        ("127.0.0.1", "503")
    );
    assert!(!format!("{request_span:?}").contains("secret"), "{request_span:?}");
    let private_request = OutboundRequest::get(Purpose::PanelIcon, "http://user:name-secret@10.0.0.1/");
    panel.app.outbound.send(private_request).await.unwrap_err();
    let [rejected_span] = &spans.take("call")[..] else {
        panic!("expected exactly one span of an outbound request")
    };
    assert_eq!(
        (rejected_span.field("error.type"), rejected_span.field("otel.status_code")),
        ("forbidden_address", "ERROR")
    );
    assert!(!format!("{rejected_span:?}").contains("secret"), "{rejected_span:?}");
}

/// The response of a collector to a batch.
#[derive(Clone, Copy)]
enum CollectorResponse {
    Status(u16),
    Never,
}

/// A trace collector that stores the received batches.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<(HeaderMap, Bytes)>>>);

impl Collector {
    async fn start(respond: fn(&Bytes) -> CollectorResponse) -> (Self, String) {
        let collector = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let receive = move |State(collector): State<Self>, headers: HeaderMap, body: Bytes| async move {
            let response = respond(&body);
            collector.0.lock().unwrap().push((headers, body));
            match response {
                CollectorResponse::Status(status_attribute) => {
                    StatusCode::from_u16(status_attribute).unwrap()
                }
                CollectorResponse::Never => std::future::pending().await,
            }
        };
        let router = axum::Router::new().fallback(receive).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (collector, url)
    }

    fn batches(&self) -> Vec<ExportTraceServiceRequest> {
        let requests = self.0.lock().unwrap();
        requests.iter().map(|(_, body)| ExportTraceServiceRequest::decode(body.clone()).unwrap()).collect()
    }

    fn spans(&self) -> Vec<ExportedSpan> {
        let resources = self.batches().into_iter().flat_map(|batch| batch.resource_spans);
        resources.flat_map(|resource| resource.scope_spans).flat_map(|scope| scope.spans).collect()
    }
}

/// Starts the server with OTLP export to `url`.
fn start_exporting_server(temp_dir: &std::path::Path, url: &str) -> ServerProcess {
    let mut command = server_command(temp_dir);
    command.arg("serve").env("PANEL_TELEMETRY__OTLP_ENDPOINT", url);
    command.env("PANEL_TELEMETRY__OTLP_AUTHORIZATION", "Bearer for-the-collector");
    // The server must ignore OTEL_* variables: only PANEL_* variables configure it.
    command.env("OTEL_EXPORTER_OTLP_HEADERS", "x-from-environment=1").env("OTEL_SERVICE_NAME", "environment");
    ServerProcess::from_command(command)
}

#[tokio::test]
async fn spans_are_exported_by_otlp() {
    let temp_dir = tempfile::tempdir().unwrap();
    let (collector, url) = Collector::start(|_| CollectorResponse::Status(200)).await;
    let mut panel = start_exporting_server(temp_dir.path(), &url);
    let address = panel.address().await;
    let trace_id = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace_id}-b7ad6b7169203331-01");
    let login = json!({ "email": "a@b.example", "password": "password-secret" });
    let requests = [
        client().get(format!("{address}/healthz")).header("traceparent", &parent),
        client()
            .get(format!("{address}/readyz?query-secret=1"))
            .header("traceparent", &parent)
            .header("via", "1.1 x"),
        client().post(format!("{address}/login")).json(&login),
    ];
    for request in requests {
        request.send().await.unwrap();
    }
    let (duration, output) = panel.stop().await;
    assert!(duration < Duration::from_secs(6), "{duration:?}: {output}");

    let spans = collector.spans();
    let span_named = |name: &str| {
        spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name}: {spans:?}"))
    };
    let health_span = span_named("GET /healthz");
    assert_eq!(
        hex(&health_span.trace_id),
        trace_id,
        "the server must continue the trace of a caller on the same machine"
    );
    assert_ne!(
        hex(&span_named("GET /readyz").trace_id),
        trace_id,
        "the server must ignore the trace of a request through an unknown proxy"
    );
    let login = span_named("POST /login");
    let transaction = spans.iter().find(|span| span.name == "transaction" && span.trace_id == login.trace_id);
    assert_eq!(transaction.unwrap().parent_span_id, login.span_id);
    let status_attribute =
        login.attributes.iter().find(|attribute| attribute.key == "http.response.status_code").unwrap();
    assert!(format!("{status_attribute:?}").contains("IntValue(422)"), "{status_attribute:?}");

    let batches = collector.batches();
    let resource = format!("{:?}", batches[0].resource_spans[0].resource);
    assert!(resource.contains("panel-server") && resource.contains("service.instance.id"), "{resource}");
    let (headers, _) = collector.0.lock().unwrap()[0].clone();
    assert_eq!(
        (&headers["authorization"], &headers["content-type"]),
        (&"Bearer for-the-collector".parse().unwrap(), &"application/x-protobuf".parse().unwrap())
    );
    assert!(!headers.contains_key("x-from-environment") && !resource.contains("environment"), "{headers:?}");
    let all_spans = format!("{batches:?}{output}");
    for secret in ["query-secret", "password-secret", "a@b.example", "for-the-collector", "127.0.0.1:"] {
        assert!(!format!("{batches:?}").contains(secret), "{secret}: {batches:?}");
    }
    assert!(!all_spans.contains("for-the-collector"), "{output}");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A collector that fails, does not respond or is not reachable delays no request, and delays the shutdown by at most a few seconds.
#[tokio::test]
async fn a_broken_collector_does_not_delay_requests() {
    let unreachable_url = "http://127.0.0.1:9/v1/traces".to_owned();
    let failing_url = Collector::start(|_| CollectorResponse::Status(500)).await.1;
    let unresponsive_url = Collector::start(|_| CollectorResponse::Never).await.1;
    for url in [unreachable_url, failing_url, unresponsive_url] {
        let temp_dir = tempfile::tempdir().unwrap();
        let mut panel = start_exporting_server(temp_dir.path(), &url);
        let address = panel.address().await;
        for _ in 0..3 {
            assert_eq!(client().get(format!("{address}/healthz")).send().await.unwrap().status(), 200);
        }
        let (duration, output) = panel.stop().await;
        assert!(duration < Duration::from_secs(8), "{duration:?}: {output}");
    }
}
