//! Actions: confirmation, errors, undo and reports.

use panel_contract::common::SkippedRecord;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_tui::event::Event;
use panel_tui::job::{FailureKind, Job, RunnerEvent};
use panel_tui::key::Key;
use panel_tui::model::record_action::RecordAction;
use panel_tui::model::run::{Interruption, Outcome};

use crate::harness::{Harness, SMALL_SIZE, failure, ids};
use crate::records::{order_rows, queue_rows};

pub(crate) fn cancel_reasons() -> Vec<(CancelReason, String)> {
    vec![(CancelReason::CustomerRequest, "Customer request".into()), (CancelReason::Other, "Other".into())]
}

pub(crate) fn build_outcome(changed: &[i64], skipped: &[(i64, &str)], refund: &str) -> Outcome {
    let skip = |(id, message): &(i64, &str)| SkippedRecord {
        id: RecordId::new(*id),
        code: "order_not_cancelable".into(),
        message: (*message).into(),
    };
    let refunded: panel_contract::amount::Money = refund.parse().unwrap();
    Outcome {
        changed: ids(changed),
        skipped: skipped.iter().map(skip).collect(),
        refunded,
        customer_count: i64::from(refunded.0 > 0),
        ..Outcome::default()
    }
}

/// The outcome of an action that the server can undo by this request.
fn undoable_outcome(changed: &[i64], request_id: &str) -> Outcome {
    Outcome { undo_request_ids: vec![request_id.into()], ..build_outcome(changed, &[], "0") }
}

/// Completes the newest dry run.
pub(crate) fn finish_preview(harness: &mut Harness, changed: &[i64], skipped: &[(i64, &str)], refund: &str) {
    let job_id = harness.job_id();
    harness
        .runner_event(RunnerEvent::Preview { job_id, result: Ok(build_outcome(changed, skipped, refund)) });
}

/// Takes the new jobs and returns their only run.
#[track_caller]
fn take_run(harness: &mut Harness) -> panel_tui::model::run::Run {
    let jobs = harness.take_jobs();
    let runs = jobs.iter().filter_map(|job| match job {
        Job::Run { run, .. } => Some(run.clone()),
        _ => None,
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs.len(), 1, "{jobs:?}");
    runs[0].clone()
}

fn starts_run(harness: &mut Harness) -> bool {
    harness.take_jobs().iter().any(|job| matches!(job, Job::Run { .. }))
}

#[test]
fn an_approval_can_be_undone() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space space a");
    finish_preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.assert_shows("2 can be approved");
    harness.press_keys("y");
    let job_id = harness.job_id();
    let approved = take_run(&mut harness);
    assert_eq!((approved.action, approved.ids), (RecordAction::Approve, ids(&[981_204, 981_207])));
    harness.runner_event(RunnerEvent::RunFinished {
        job_id,
        result: Ok(undoable_outcome(&[981_204, 981_207], "r-1")),
    });
    harness.assert_shows("2 orders approved · z undo");
    assert!(harness.app.list().unwrap().marks.is_empty());

    harness.press_keys("z");
    finish_preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.assert_shows("Last action: approved 2 orders: 981204, 981207.");
    harness.press_keys("y");
    let job_id = harness.job_id();
    let undo_run = take_run(&mut harness);
    assert_eq!((undo_run.action, undo_run.ids), (RecordAction::Undo, ids(&[981_204, 981_207])));
    assert_eq!(undo_run.undo.unwrap().request_ids, ["r-1"], "the undo must name the request of the approval");
    harness.runner_event(RunnerEvent::RunFinished {
        job_id,
        result: Ok(build_outcome(&[981_204, 981_207], &[], "0")),
    });
    harness.assert_shows("2 orders restored");
    harness.press_keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn an_action_without_undo_offers_no_undo() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a");
    let job_id = harness.job_id();
    let charged_outcome = Outcome { charged: "16".parse().unwrap(), ..build_outcome(&[981_204], &[], "0") };
    harness.runner_event(RunnerEvent::Preview { job_id, result: Ok(charged_outcome.clone()) });
    harness.assert_shows("charged, cannot be undone");
    harness.press_keys("y");
    let job_id = harness.job_id();
    take_run(&mut harness);
    harness.runner_event(RunnerEvent::RunFinished { job_id, result: Ok(charged_outcome) });
    assert!(!harness.shows("z undo"));
    harness.press_keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn a_cancel_warns_that_it_cannot_be_undone() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("c");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.assert_shows("This cannot be undone.");
    harness.press_keys("y");
    let job_id = harness.job_id();
    let canceled = take_run(&mut harness);
    let cancel = canceled.cancel.unwrap();
    assert!(!cancel.return_money && cancel.sends_email && cancel.reason.is_none());
    harness
        .runner_event(RunnerEvent::RunFinished { job_id, result: Ok(build_outcome(&[981_204], &[], "0")) });
    assert!(!harness.shows("z undo"));
    harness.press_keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn a_key_that_stays_pressed_never_confirms() {
    for opening_key in ["a", "c", "m"] {
        let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
        harness.press_keys(opening_key);
        for _ in 0..200 {
            harness.now.0 += 33_000;
            harness.press_key(opening_key);
            harness.handle(Event::Key { key: Key::Enter, is_repeat: true });
        }
        assert!(!starts_run(&mut harness), "{opening_key}");
    }
    // Enter opens the dialog from the menu and stays pressed: the focused button, which changes nothing, ignores it.
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("m enter");
    finish_preview(&mut harness, &[981_204], &[], "0");
    for _ in 0..200 {
        harness.now.0 += 33_000;
        harness.press_key("enter");
    }
    assert!(!starts_run(&mut harness));
    harness.assert_shows("Approve order 981204");
}

#[test]
fn a_new_dialog_ignores_keys_for_a_moment() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.now.0 += 100_000;
    harness.press_key("y");
    assert!(!starts_run(&mut harness));
    harness.press_keys("y");
    assert!(starts_run(&mut harness));
}

#[test]
fn enter_on_the_first_button_changes_nothing() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.press_keys("enter");
    assert!(harness.app.overlay.is_none() && !starts_run(&mut harness));
    harness.press_keys("a");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.press_keys("tab enter");
    assert!(starts_run(&mut harness));
}

#[test]
fn nothing_runs_before_the_preview() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("still loading");
    let job_id = 2;
    harness.runner_event(RunnerEvent::Preview {
        job_id,
        result: Err(failure(FailureKind::Conflict, "Another staff member has changed the order.")),
    });
    harness.press_keys("y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("Another staff member has changed the order.");
}

#[test]
fn an_irreversible_change_of_many_records_requires_the_count() {
    let mut harness = Harness::with_orders(SMALL_SIZE, order_rows(30));
    harness.press_keys("v G c");
    let changed: Vec<i64> = (981_000..981_029).collect();
    finish_preview(&mut harness, &changed, &[(981_029, "The order is completed.")], "0");
    harness.press_keys("y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("Type 29");
    harness.press_keys("3 0 enter");
    assert!(!starts_run(&mut harness), "30 records were marked, but only 29 would change");
    harness.press_keys("backspace backspace 2 9 enter");
    assert_eq!(take_run(&mut harness).ids.len(), 30);
}

#[test]
fn a_protected_profile_requires_its_name() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.app.session.as_mut().unwrap().is_protected = true;
    harness.press_keys("a");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.press_keys("y");
    assert!(!starts_run(&mut harness));
    harness.type_text("acme-prod");
    harness.press_keys("enter");
    assert!(starts_run(&mut harness));
}

#[test]
fn a_cancel_has_an_amount_a_reason_and_details() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.runner_event(RunnerEvent::CancelReasons(cancel_reasons()));
    harness.press_keys("c");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.press_keys("tab tab space");
    finish_preview(&mut harness, &[981_204], &[], "112.5");
    harness.assert_shows("[x] 112.50 to 1 customer");
    harness.press_keys("tab x 1 2 . 5");
    let amount = harness.take_jobs().iter().rev().find_map(|job| match job {
        Job::Preview { run, .. } => run.cancel.as_ref().and_then(|cancel| cancel.amount),
        _ => None,
    });
    assert_eq!(amount, Some("12.5".parse().unwrap()));
    harness.press_keys("tab right right y");
    assert!(!starts_run(&mut harness), "the reason \"other\" must require details");
}

#[test]
fn reports_skipped_records_with_ids_to_copy() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space space a");
    finish_preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.press_keys("y");
    let job_id = harness.job_id();
    let run_outcome = build_outcome(&[981_204], &[(981_207, "The order is not in moderation.")], "0");
    harness.runner_event(RunnerEvent::RunFinished { job_id, result: Ok(run_outcome) });
    harness.assert_shows("981207: The order is not in moderation.");
    harness.take_jobs();
    harness.press_keys("y");
    assert_eq!(harness.take_jobs(), [Job::Copy("981207".into())]);
}

#[test]
fn an_interrupted_run_shows_how_to_resume() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space space a");
    finish_preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.press_keys("y");
    let job_id = harness.job_id();
    let mut run_outcome = build_outcome(&[981_204], &[], "0");
    run_outcome.interruption = Some(Interruption {
        reason: "The server does not respond.".into(),
        without_response: ids(&[981_207]),
        run_id: Some("01K9X3".into()),
    });
    harness.runner_event(RunnerEvent::RunFinished { job_id, result: Ok(run_outcome) });
    harness.assert_shows("panelctl runs resume 01K9X3");
}

#[test]
fn quit_asks_for_a_confirmation_while_an_action_runs() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a");
    finish_preview(&mut harness, &[981_204], &[], "0");
    harness.press_keys("y");
    harness.take_jobs();
    harness.assert_shows("approving 0 of 1");
    harness.press_keys("q");
    assert!(harness.take_jobs().is_empty());
    harness.press_keys("y");
    assert_eq!(harness.take_jobs(), [Job::Quit]);
}
