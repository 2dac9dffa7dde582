//! Bulk runs: the plan is in the journal before the first request, and an interrupted run resumes with the same keys.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::folder::RunFolder;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{self, RunInfo, RunOutcome, StopFlag};
use panel_client::retry::RetryPolicy;
use panel_contract::endpoints::external_services::ImportServices;
use panel_contract::endpoints::orders::CancelOrders;
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput};
use panel_contract::ids::{ExternalPanelId, ImportableServiceId, RecordId};
use panel_contract::moment::Time;
use panel_contract::orders::BulkCancelInput;
use serde_json::{Value, json};

use crate::stub::{NOW, RecordedRequest, Stub, error_response, json_response, truncated_response};

/// A stub panel that returns its first response again for a known idempotency key.
#[derive(Default)]
struct Panel {
    responses: HashMap<String, (Vec<u8>, Value)>,
    canceled: Vec<i64>,
}

impl Panel {
    fn cancel(&mut self, request: &RecordedRequest) -> Response<Body> {
        let body = request.json();
        let ids: Vec<i64> = body["order_ids"].as_array().unwrap().iter().filter_map(Value::as_i64).collect();
        let is_dry_run = request.query("dry_run") == Some("true");
        let key = request.header("idempotency-key").map(str::to_owned);
        assert_eq!(key.is_some(), !is_dry_run, "writes have a key, dry runs have none");
        if let Some((bytes, response)) = key.as_ref().and_then(|key| self.responses.get(key)) {
            assert_eq!(bytes, &request.body, "the requests with one key have the same body");
            return json_response(200, response);
        }
        // Every tenth order cannot be canceled.
        let (skipped, canceled): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| *id % 10 == 0);
        if canceled.is_empty() {
            return error_response(422, "nothing_processed");
        }
        let to_skipped =
            |id: &i64| json!({ "id": id, "code": "order_not_cancelable", "message": "It is completed." });
        let response = json!({
            "processed": canceled.len(),
            "skipped": skipped.iter().map(to_skipped).collect::<Vec<_>>(),
            "totals": { "orders": canceled.len(), "refunded": "0.5", "users": 1 },
            "dry_run": is_dry_run,
        });
        if let Some(key) = key {
            self.responses.insert(key, (request.body.to_vec(), response.clone()));
            self.canceled.extend(canceled);
        }
        json_response(200, &response)
    }
}

/// A stub panel that processes all requests, but truncates its response to `lost_request`.
async fn panel_that_loses_a_response(lost_request: usize) -> (Stub, Arc<Mutex<Panel>>) {
    let panel = Arc::new(Mutex::new(Panel::default()));
    let shared = Arc::clone(&panel);
    let stub = Stub::new(move |request, index| {
        let response = shared.lock().unwrap().cancel(request);
        if index == lost_request { truncated_response() } else { response }
    })
    .await;
    (stub, panel)
}

fn action() -> BulkAction {
    let body = BulkCancelInput {
        order_ids: Vec::new(),
        return_money: true,
        cancel_reason: None,
        cancel_description: None,
        send_email_notification: true,
    };
    BulkAction::bulk::<CancelOrders>("order_ids", &body).unwrap()
}

/// Converts numbers to record ids.
fn record_ids(numbers: impl IntoIterator<Item = i64>) -> Vec<RecordId> {
    numbers.into_iter().map(RecordId::new).collect()
}

async fn start(stub: &Stub, home: &Path, ids: &[RecordId], stop: &StopFlag) -> RunOutcome {
    let client = stub.builder().token("pnl_test").retry_policy(RetryPolicy::NEVER).build().unwrap();
    let folder = RunFolder::open(home).unwrap();
    let info = RunInfo { command: "orders cancel".into(), ..RunInfo::default() };
    run::start_run(&client, &folder, (action(), info), (ids, 10), stop, &mut |_, _| {}).await.unwrap()
}

async fn resume(stub: &Stub, home: &Path, id: &str) -> RunOutcome {
    let folder = RunFolder::open(home).unwrap();
    run::resume_run(&stub.client(), &folder, id, &StopFlag::default(), &mut |_, _| {}).await.unwrap()
}

#[tokio::test]
async fn an_interrupted_run_resumes() {
    let home = tempfile::tempdir().unwrap();
    let (stub, panel) = panel_that_loses_a_response(2).await;
    let ids = record_ids((1..=45).chain([7]));
    let outcome = start(&stub, home.path(), &ids, &StopFlag::default()).await;
    let id = outcome.id.unwrap();
    assert!(outcome.error.unwrap().is_transport());
    assert_eq!((outcome.report.processed.len(), outcome.report.skipped.len()), (18, 2));
    assert_eq!(outcome.report.open_ids, record_ids(21..=45));

    let outcome = resume(&stub, home.path(), &id).await;
    assert!(outcome.error.is_none());
    assert_eq!((outcome.report.total, outcome.report.processed.len()), (45, 41));
    let reasons = outcome.report.skip_reasons();
    assert_eq!((reasons.len(), reasons[0].skipped.len(), reasons[0].code), (1, 4, "order_not_cancelable"));
    assert_eq!(reasons[0].common_message(), Some("It is completed."));
    assert_eq!(outcome.report.refunded.to_string(), "2.5");
    let mut canceled = panel.lock().unwrap().canceled.clone();
    canceled.sort_unstable();
    let expected: Vec<i64> = (1..=45).filter(|id| id % 10 != 0).collect();
    assert_eq!(canceled, expected, "each order exactly once");
    // Five chunks, the interrupted one twice.
    assert_eq!(stub.requests().len(), 6);

    assert_eq!(resume(&stub, home.path(), "last").await.report, outcome.report, "nothing is left to do");
    assert_eq!(stub.requests().len(), 6);
}

#[tokio::test]
async fn the_journal_is_private_and_survives_an_incomplete_line() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(1).await;
    let id = start(&stub, home.path(), &record_ids(1..=30), &StopFlag::default()).await.id.unwrap();
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
    let outcome = resume(&stub, home.path(), &id[..10]).await;
    assert_eq!((outcome.report.processed.len(), outcome.report.open_ids.len()), (27, 0));
    let run = RunFolder::open(home.path()).unwrap().find(&id).unwrap();
    assert!(run.is_finished() && run.report() == outcome.report);
}

#[tokio::test]
async fn a_run_can_be_stopped_between_chunks() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(usize::MAX).await;
    let (stop, client) = (StopFlag::default(), stub.client());
    let folder = RunFolder::open(home.path()).unwrap();
    let ids = record_ids(1..=30);
    let mut stop_after_first_chunk = |report: &RunReport, total: usize| {
        assert_eq!((report.total, total), (10, 30));
        stop.request_stop();
    };
    let plan = (action(), RunInfo::default());
    let outcome =
        run::start_run(&client, &folder, plan, (&ids, 10), &stop, &mut stop_after_first_chunk).await.unwrap();
    assert_eq!((outcome.report.open_ids.len(), outcome.error.is_none()), (20, true));
}

#[tokio::test]
async fn a_fully_skipped_chunk_does_not_stop_the_run() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(usize::MAX).await;
    let ids = record_ids((1..=10).map(|number| number * 10).chain([1]));
    let outcome = start(&stub, home.path(), &ids, &StopFlag::default()).await;
    assert!(outcome.error.is_none());
    assert_eq!((outcome.report.skipped.len(), outcome.report.processed), (10, record_ids([1])));
    assert_eq!(outcome.report.skipped[0].code, "nothing_processed");
}

#[tokio::test]
async fn a_forbidden_request_stops_the_run_and_leaves_its_ids_open() {
    let home = tempfile::tempdir().unwrap();
    let stub = Stub::new(|_, _| error_response(403, "forbidden")).await;
    let outcome = start(&stub, home.path(), &record_ids(1..=30), &StopFlag::default()).await;
    assert!(outcome.error.unwrap().is_forbidden());
    assert_eq!((outcome.report.open_ids.len(), stub.requests().len()), (30, 1));
}

#[tokio::test]
async fn a_dry_run_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let (stub, panel) = panel_that_loses_a_response(usize::MAX).await;
    let ids = record_ids(1..=30);
    let report = run::preview_run(&stub.client(), &action(), &ids, &mut |_, _| {}).await.unwrap();
    assert!(report.dry_run);
    assert_eq!((report.processed.len(), report.skipped.len()), (27, 3));
    assert!(panel.lock().unwrap().canceled.is_empty());
    assert!(RunFolder::open(home.path()).unwrap().list().unwrap().is_empty());
}

#[tokio::test]
async fn runs_are_found_and_pruned() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(1).await;
    let interrupted = start(&stub, home.path(), &record_ids(1..=30), &StopFlag::default()).await.id.unwrap();
    let finished = start(&stub, home.path(), &record_ids([1]), &StopFlag::default()).await.id.unwrap();
    let folder = RunFolder::open(home.path()).unwrap();
    let run_ids: Vec<_> = folder.list().unwrap().into_iter().map(|run| run.header.id).collect();
    assert_eq!(run_ids, [finished.clone(), interrupted.clone()]);
    assert!(folder.find("nonsense").is_err());
    assert_eq!(folder.prune(NOW, false).unwrap(), Vec::<String>::new());
    let after_both_runs = Time(NOW.0 + 1);
    assert_eq!(folder.prune(after_both_runs, false).unwrap(), [finished]);
    assert_eq!(folder.prune(after_both_runs, true).unwrap(), [interrupted]);
}

#[tokio::test]
async fn a_run_resumes_only_at_its_own_panel() {
    let home = tempfile::tempdir().unwrap();
    let (stub, _) = panel_that_loses_a_response(0).await;
    let id = start(&stub, home.path(), &record_ids([1]), &StopFlag::default()).await.id.unwrap();
    let (other_stub, _) = panel_that_loses_a_response(usize::MAX).await;
    let folder = RunFolder::open(home.path()).unwrap();
    let error = run::resume_run(&other_stub.client(), &folder, &id, &StopFlag::default(), &mut |_, _| {})
        .await
        .unwrap_err();
    assert!(error.to_string().contains("belongs to"), "{error}");
    assert!(other_stub.requests().is_empty());
}

/// A stub panel that imports all services of a request or none, and never imports a service twice.
#[derive(Default)]
struct ImportingPanel {
    responses: HashMap<String, Value>,
    imported: Vec<i64>,
}

impl ImportingPanel {
    fn import(&mut self, request: &RecordedRequest) -> Response<Body> {
        let key = request.header("idempotency-key").unwrap().to_owned();
        if let Some(response) = self.responses.get(&key) {
            return json_response(200, response);
        }
        let body = request.json();
        assert_eq!(body["external_panel_id"], 3);
        let items = body["services"].as_array().unwrap();
        let ids: Vec<i64> = items.iter().map(|item| item["id"].as_i64().unwrap()).collect();
        let is_invalid = |id: &i64| id % 10 == 0 || self.imported.contains(id);
        let errors: serde_json::Map<String, Value> = (0..)
            .zip(&ids)
            .filter(|(_, id)| is_invalid(id))
            .map(|(index, id): (usize, _)| {
                (format!("services.{index}.price"), json!([format!("Service {id} is wrong.")]))
            })
            .collect();
        if !errors.is_empty() {
            let problem =
                json!({ "message": "Wrong.", "code": "invalid", "errors": errors, "request_id": "r" });
            return json_response(422, &problem);
        }
        let response =
            json!({ "data": { "created": ids.len(), "dry_run": false, "items": [], "service_types": [] } });
        self.responses.insert(key, response.clone());
        self.imported.extend(ids);
        json_response(200, &response)
    }
}

/// If a record is invalid, the run imports the other records of its chunk. After any lost response, a resumed run imports nothing
/// twice and reports every record.
#[tokio::test]
async fn an_import_skips_only_invalid_records() {
    for lost_request in 0..6 {
        let panel = Arc::new(Mutex::new(ImportingPanel::default()));
        let shared = Arc::clone(&panel);
        let stub = Stub::new(move |request, index| {
            let response = shared.lock().unwrap().import(request);
            if index == lost_request { truncated_response() } else { response }
        })
        .await;
        let home = tempfile::tempdir().unwrap();
        let to_item = |id| (RecordId::new(id), ImportServiceItem::new(ImportableServiceId::new(id)));
        let items: Vec<_> = (6..=14).map(to_item).collect();
        let body = ImportServicesInput::new(ExternalPanelId::new(3));
        let action = BulkAction::import::<ImportServices>("services", &body, &items).unwrap();
        let ids = record_ids(6..=14);
        let client = stub.builder().token("pnl_test").retry_policy(RetryPolicy::NEVER).build().unwrap();
        let folder = RunFolder::open(home.path()).unwrap();
        let plan = (action, RunInfo::default());
        let outcome = run::start_run(&client, &folder, plan, (&ids, 3), &StopFlag::default(), &mut |_, _| {})
            .await
            .unwrap();
        assert!(outcome.error.is_some() && !outcome.report.open_ids.is_empty(), "{lost_request}");
        let outcome = resume(&stub, home.path(), outcome.id.as_deref().unwrap()).await;
        assert_eq!(outcome.report.processed, record_ids([6, 7, 8, 9, 11, 12, 13, 14]), "{lost_request}");
        let skipped: Vec<_> =
            outcome.report.skipped.iter().map(|record| (record.id.get(), record.code.as_str())).collect();
        assert_eq!(skipped, [(10, "price")], "{lost_request}");
        let mut imported = panel.lock().unwrap().imported.clone();
        imported.sort_unstable();
        assert_eq!(
            record_ids(imported),
            outcome.report.processed,
            "{lost_request}: each service exactly once"
        );
    }
}
