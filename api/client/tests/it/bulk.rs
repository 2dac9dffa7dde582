//! Bulk runs: journaled before they send, interrupted, and resumed with the same keys.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use panel_client::bulk::action::Action;
use panel_client::bulk::folder::Folder;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, RunInfo, RunOutcome, Stop};
use panel_client::retry::Retry;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::endpoints::orders::CancelOrders;
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, RecordId};
use panel_contract::moment::Time;
use panel_contract::orders::BulkCancelInput;
use serde_json::{Value, json};

use crate::stub::{NOW, RecordedRequest, Stub, problem, reply, truncated_response};

/// A correct panel: it replays its first response to a repeated key.
#[derive(Default)]
struct Panel {
    answers: HashMap<String, (Vec<u8>, Value)>,
    canceled: Vec<i64>,
}

impl Panel {
    fn cancel(&mut self, request: &RecordedRequest) -> Response<Body> {
        let body = request.json();
        let ids: Vec<i64> = body["order_ids"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
        let dry = request.query("dry_run") == Some("true");
        let key = request.header("idempotency-key").map(str::to_owned);
        assert_eq!(key.is_some(), !dry, "writes carry a key, rehearsals do not");
        if let Some((bytes, answer)) = key.as_ref().and_then(|key| self.answers.get(key)) {
            assert_eq!(bytes, &request.body, "the same key with the same body");
            return reply(200, answer);
        }
        // Every tenth order cannot be canceled.
        let (skipped, moved): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| *id % 10 == 0);
        if moved.is_empty() {
            return problem(422, "nothing_processed");
        }
        let skip =
            |id: &i64| json!({ "id": id, "code": "order_not_cancelable", "message": "It is completed." });
        let answer = json!({
            "processed": moved.len(),
            "skipped": skipped.iter().map(skip).collect::<Vec<_>>(),
            "totals": { "orders": moved.len(), "returned": "0.5", "users": 1 },
            "dry_run": dry,
        });
        if let Some(key) = key {
            self.answers.insert(key, (request.body.to_vec(), answer.clone()));
            self.canceled.extend(moved);
        }
        reply(200, &answer)
    }
}

/// A stub whose response to request `cut_at` is lost after the panel processed it.
async fn panel_that_loses_a_response(cut_at: usize) -> (Stub, Arc<Mutex<Panel>>) {
    let panel = Arc::new(Mutex::new(Panel::default()));
    let shared = Arc::clone(&panel);
    let stub = Stub::new(move |request, n| {
        let answer = shared.lock().unwrap().cancel(request);
        if n == cut_at { truncated_response() } else { answer }
    })
    .await;
    (stub, panel)
}

fn action() -> Action {
    let body = BulkCancelInput {
        order_ids: Vec::new(),
        return_money: true,
        cancel_reason: None,
        cancel_description: None,
        send_email_notification: true,
    };
    Action::of::<CancelOrders>("order_ids", &body).unwrap()
}

/// Converts numbers to record ids.
fn ids(raw: impl IntoIterator<Item = i64>) -> Vec<RecordId> {
    raw.into_iter().map(RecordId::new).collect()
}

async fn begin(stub: &Stub, home: &Path, ids: &[RecordId], stop: &Stop) -> RunOutcome {
    let client = stub.builder().token("pnl_test").retry(Retry::NEVER).build().unwrap();
    let folder = Folder::open(home).unwrap();
    let about = RunInfo { command: "orders cancel".into(), ..RunInfo::default() };
    run::begin(&client, &folder, (action(), about), (ids, 10), stop, &mut |_, _| {}).await.unwrap()
}

async fn resume(stub: &Stub, home: &Path, id: &str) -> RunOutcome {
    let folder = Folder::open(home).unwrap();
    run::resume(&stub.client(), &folder, id, &Stop::default(), &mut |_, _| {}).await.unwrap()
}

#[tokio::test]
async fn an_interrupted_run_resumes() {
    let home = tempfile::tempdir().unwrap();
    let (stub, panel) = panel_that_loses_a_response(2).await;
    let ids = ids((1..=45).chain([7]));
    let ended = begin(&stub, home.path(), &ids, &Stop::default()).await;
    let id = ended.id.unwrap();
    assert!(ended.error.unwrap().is_transport());
    assert_eq!((ended.report.processed.len(), ended.report.skipped.len()), (18, 2));
    assert_eq!(ended.report.open, self::ids(21..=45));

    let ended = resume(&stub, home.path(), &id).await;
    assert!(ended.error.is_none());
    assert_eq!((ended.report.total, ended.report.processed.len()), (45, 41));
    let reasons = ended.report.reasons();
    assert_eq!((reasons.len(), reasons[0].skipped.len(), reasons[0].code), (1, 4, "order_not_cancelable"));
    assert_eq!(reasons[0].common_message(), Some("It is completed."));
    assert_eq!(ended.report.returned.to_string(), "2.5");
    let mut canceled = panel.lock().unwrap().canceled.clone();
    canceled.sort_unstable();
    let expected: Vec<i64> = (1..=45).filter(|id| id % 10 != 0).collect();
    assert_eq!(canceled, expected, "each exactly once");
    // Five chunks, the interrupted one twice.
    assert_eq!(stub.requests().len(), 6);

    assert_eq!(resume(&stub, home.path(), "last").await.report, ended.report, "nothing is left to do");
    assert_eq!(stub.requests().len(), 6);
}

#[tokio::test]
async fn the_journal_is_private_and_survives_an_incomplete_line() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(1).await;
    let id = begin(&stub, home.path(), &ids(1..=30), &Stop::default()).await.id.unwrap();
    assert_eq!(id.len(), 26);
    let path = home.path().join(format!("{id}.jsonl"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let mut text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("pnl_"), "no token in a journal");
    text.push_str("{\"line\":\"answer\",\"n\":1,\"outc");
    std::fs::write(&path, text).unwrap();
    let ended = resume(&stub, home.path(), &id[..10]).await;
    assert_eq!((ended.report.processed.len(), ended.report.open.len()), (27, 0));
    let again = Folder::open(home.path()).unwrap().find(&id).unwrap();
    assert!(again.is_finished() && again.report() == ended.report);
}

#[tokio::test]
async fn a_run_can_be_stopped_between_chunks() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(usize::MAX).await;
    let (stop, client) = (Stop::default(), stub.client());
    let folder = Folder::open(home.path()).unwrap();
    let ids = ids(1..=30);
    let mut after_one = |report: &Report, total: usize| {
        assert_eq!((report.total, total), (10, 30));
        stop.stop();
    };
    let plan = (action(), RunInfo::default());
    let ended = run::begin(&client, &folder, plan, (&ids, 10), &stop, &mut after_one).await.unwrap();
    assert_eq!((ended.report.open.len(), ended.error.is_none()), (20, true));
}

#[tokio::test]
async fn a_fully_skipped_chunk_does_not_stop_the_run() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(usize::MAX).await;
    let ids = ids((1..=10).map(|n| n * 10).chain([1]));
    let ended = begin(&stub, home.path(), &ids, &Stop::default()).await;
    assert!(ended.error.is_none());
    assert_eq!((ended.report.skipped.len(), ended.report.processed), (10, self::ids([1])));
    assert_eq!(ended.report.skipped[0].code, "nothing_processed");
}

#[tokio::test]
async fn a_refused_request_stops_the_run_and_leaves_its_ids_open() {
    let home = tempfile::tempdir().unwrap();
    let stub = Stub::new(|_, _| problem(403, "forbidden")).await;
    let ended = begin(&stub, home.path(), &ids(1..=30), &Stop::default()).await;
    assert!(ended.error.unwrap().is_forbidden());
    assert_eq!((ended.report.open.len(), stub.requests().len()), (30, 1));
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (stub, panel) = panel_that_loses_a_response(usize::MAX).await;
    let ids = ids(1..=30);
    let report = run::preview_run(&stub.client(), &action(), &ids, &mut |_, _| {}).await.unwrap();
    assert!(report.dry_run);
    assert_eq!((report.processed.len(), report.skipped.len()), (27, 3));
    assert!(panel.lock().unwrap().canceled.is_empty());
    assert!(Folder::open(home.path()).unwrap().list().unwrap().is_empty());
}

#[tokio::test]
async fn runs_are_found_and_pruned() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(1).await;
    let interrupted = begin(&stub, home.path(), &ids(1..=30), &Stop::default()).await.id.unwrap();
    let whole = begin(&stub, home.path(), &ids([1]), &Stop::default()).await.id.unwrap();
    let folder = Folder::open(home.path()).unwrap();
    let listed: Vec<_> = folder.list().unwrap().into_iter().map(|run| run.head.id).collect();
    assert_eq!(listed, [whole.clone(), interrupted.clone()]);
    assert!(folder.find("nonsense").is_err());
    assert_eq!(folder.prune(NOW, false).unwrap(), Vec::<String>::new());
    let later = Time(NOW.0 + 1);
    assert_eq!(folder.prune(later, false).unwrap(), [whole]);
    assert_eq!(folder.prune(later, true).unwrap(), [interrupted]);
}

#[tokio::test]
async fn a_run_resumes_only_at_its_own_panel() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(0).await;
    let id = begin(&stub, home.path(), &ids([1]), &Stop::default()).await.id.unwrap();
    let (other, _) = panel_that_loses_a_response(usize::MAX).await;
    let folder = Folder::open(home.path()).unwrap();
    let error =
        run::resume(&other.client(), &folder, &id, &Stop::default(), &mut |_, _| {}).await.unwrap_err();
    assert!(error.to_string().contains("belongs to"), "{error}");
    assert!(other.requests().is_empty());
}

/// A panel that imports all services of a request or none, and never imports a service twice.
#[derive(Default)]
struct Importer {
    answers: HashMap<String, Value>,
    imported: Vec<i64>,
}

impl Importer {
    fn import(&mut self, request: &RecordedRequest) -> Response<Body> {
        let key = request.header("idempotency-key").unwrap().to_owned();
        if let Some(answer) = self.answers.get(&key) {
            return reply(200, answer);
        }
        let body = request.json();
        assert_eq!(body["external_panel_id"], 3);
        let items = body["services"].as_array().unwrap();
        let ids: Vec<i64> = items.iter().map(|item| item["id"].as_i64().unwrap()).collect();
        let wrong = |id: &i64| id % 10 == 0 || self.imported.contains(id);
        let errors: serde_json::Map<String, Value> = (0..)
            .zip(&ids)
            .filter(|(_, id)| wrong(id))
            .map(|(at, id): (usize, _)| {
                (format!("services.{at}.price"), json!([format!("Service {id} is wrong.")]))
            })
            .collect();
        if !errors.is_empty() {
            let problem =
                json!({ "message": "Wrong.", "code": "invalid", "errors": errors, "request_id": "r" });
            return reply(422, &problem);
        }
        let answer =
            json!({ "data": { "created": ids.len(), "dry_run": false, "items": [], "service_types": [] } });
        self.answers.insert(key, answer.clone());
        self.imported.extend(ids);
        reply(200, &answer)
    }
}

/// If a line is invalid, the others of its chunk are imported. Whichever response is lost, a resumed run imports nothing twice
/// and reports every line.
#[tokio::test]
async fn an_import_skips_only_invalid_lines() {
    for cut_at in 0..6 {
        let importer = Arc::new(Mutex::new(Importer::default()));
        let shared = Arc::clone(&importer);
        let stub = Stub::new(move |request, n| {
            let answer = shared.lock().unwrap().import(request);
            if n == cut_at { truncated_response() } else { answer }
        })
        .await;
        let home = tempfile::tempdir().unwrap();
        let item = |id| (RecordId::new(id), ImportServiceItem::new(ImportableServiceId::new(id)));
        let items: Vec<_> = (6..=14).map(item).collect();
        let shared = ImportServicesInput::new(ExternalPanelId::new(3));
        let action = Action::records::<ImportServices>("services", &shared, &items).unwrap();
        let ids = ids(6..=14);
        let client = stub.builder().token("pnl_test").retry(Retry::NEVER).build().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        let begun = (action, RunInfo::default());
        let ended =
            run::begin(&client, &folder, begun, (&ids, 3), &Stop::default(), &mut |_, _| {}).await.unwrap();
        assert!(ended.error.is_some() && !ended.report.open.is_empty(), "{cut_at}");
        let ended = resume(&stub, home.path(), ended.id.as_deref().unwrap()).await;
        assert_eq!(ended.report.processed, self::ids([6, 7, 8, 9, 11, 12, 13, 14]), "{cut_at}");
        let skipped: Vec<_> =
            ended.report.skipped.iter().map(|skip| (skip.id.get(), skip.code.as_str())).collect();
        assert_eq!(skipped, [(10, "price")], "{cut_at}");
        let mut imported = importer.lock().unwrap().imported.clone();
        imported.sort_unstable();
        assert_eq!(self::ids(imported), ended.report.processed, "{cut_at}: each once");
    }
}
