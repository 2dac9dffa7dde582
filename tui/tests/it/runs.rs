//! Actions: confirmation, errors, undo and reports.

use panel_contract::common::Skipped;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_tui::event::Event;
use panel_tui::job::{Answer, FailureKind, Job};
use panel_tui::key::Key;
use panel_tui::model::run::{Interruption, Outcome};
use panel_tui::model::verb::Verb;

use crate::harness::{Harness, SMALL, failure, ids};
use crate::records::{many, queue};

pub(crate) fn reasons() -> Vec<(CancelReason, String)> {
    vec![(CancelReason::CustomerRequest, "Customer request".into()), (CancelReason::Other, "Other".into())]
}

pub(crate) fn outcome(changed: &[i64], skipped: &[(i64, &str)], returned: &str) -> Outcome {
    let skip = |(id, message): &(i64, &str)| Skipped {
        id: RecordId::new(*id),
        code: "order_not_cancelable".into(),
        message: (*message).into(),
    };
    let refunded: panel_contract::amount::Money = returned.parse().unwrap();
    Outcome {
        changed: ids(changed),
        skipped: skipped.iter().map(skip).collect(),
        refunded,
        customers: i64::from(refunded.0 > 0),
        ..Outcome::default()
    }
}

/// The outcome of an action that the panel can undo by this request.
fn undoable(changed: &[i64], request: &str) -> Outcome {
    Outcome { undo: vec![request.into()], ..outcome(changed, &[], "0") }
}

/// Answers the newest dry run.
pub(crate) fn preview(harness: &mut Harness, changed: &[i64], skipped: &[(i64, &str)], returned: &str) {
    let job_id = harness.job_id();
    harness.answer(Answer::Preview { job_id, result: Ok(outcome(changed, skipped, returned)) });
}

/// The only run among the new jobs.
#[track_caller]
fn run(harness: &mut Harness) -> panel_tui::model::run::Run {
    let jobs = harness.take();
    let runs = jobs.iter().filter_map(|job| match job {
        Job::Run { run, .. } => Some(run.clone()),
        _ => None,
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs.len(), 1, "{jobs:?}");
    runs[0].clone()
}

fn starts_run(harness: &mut Harness) -> bool {
    harness.take().iter().any(|job| matches!(job, Job::Run { .. }))
}

#[test]
fn an_approval_can_be_undone() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space space a");
    preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.assert_shows("2 can be approved");
    harness.keys("y");
    let job_id = harness.job_id();
    let approved = run(&mut harness);
    assert_eq!((approved.verb, approved.ids), (Verb::Approve, ids(&[981_204, 981_207])));
    harness.answer(Answer::RunFinished { job_id, result: Ok(undoable(&[981_204, 981_207], "r-1")) });
    harness.assert_shows("2 orders approved · z undo");
    assert!(harness.app.list().unwrap().marks.is_empty());

    harness.keys("z");
    preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.assert_shows("Last action: approved 2 orders: 981204, 981207.");
    harness.keys("y");
    let job_id = harness.job_id();
    let undo_run = run(&mut harness);
    assert_eq!((undo_run.verb, undo_run.ids), (Verb::Undo, ids(&[981_204, 981_207])));
    assert_eq!(undo_run.undo.unwrap().requests, ["r-1"], "the panel restores the records by the request id");
    harness.answer(Answer::RunFinished { job_id, result: Ok(outcome(&[981_204, 981_207], &[], "0")) });
    harness.assert_shows("2 orders restored");
    harness.keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn an_action_without_undo_offers_none() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a");
    let job_id = harness.job_id();
    let charged = Outcome { charged: "16".parse().unwrap(), ..outcome(&[981_204], &[], "0") };
    harness.answer(Answer::Preview { job_id, result: Ok(charged.clone()) });
    harness.assert_shows("charged, cannot be undone");
    harness.keys("y");
    let job_id = harness.job_id();
    run(&mut harness);
    harness.answer(Answer::RunFinished { job_id, result: Ok(charged) });
    assert!(!harness.shows("z undo"));
    harness.keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn a_cancel_warns_that_it_cannot_be_undone() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("c");
    preview(&mut harness, &[981_204], &[], "0");
    harness.assert_shows("This cannot be undone.");
    harness.keys("y");
    let job_id = harness.job_id();
    let canceled = run(&mut harness);
    let cancel = canceled.cancel.unwrap();
    assert!(!cancel.return_money && cancel.email && cancel.reason.is_none());
    harness.answer(Answer::RunFinished { job_id, result: Ok(outcome(&[981_204], &[], "0")) });
    assert!(!harness.shows("z undo"));
    harness.keys("z");
    harness.assert_shows("Nothing to undo");
}

#[test]
fn held_keys_never_confirm() {
    for opening in ["a", "c", "m"] {
        let mut harness = Harness::with(SMALL, queue());
        harness.keys(opening);
        for _ in 0..200 {
            harness.now.0 += 33_000;
            harness.press(opening);
            harness.on(Event::Key { key: Key::Enter, is_repeat: true });
        }
        assert!(!starts_run(&mut harness), "{opening}");
    }
    // Enter opens the dialog from the menu and stays pressed: the safe button keeps the focus, and nothing happens.
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("m enter");
    preview(&mut harness, &[981_204], &[], "0");
    for _ in 0..200 {
        harness.now.0 += 33_000;
        harness.press("enter");
    }
    assert!(!starts_run(&mut harness));
    harness.assert_shows("Approve order 981204");
}

#[test]
fn a_new_dialog_ignores_keys_for_a_moment() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a");
    preview(&mut harness, &[981_204], &[], "0");
    harness.now.0 += 100_000;
    harness.press("y");
    assert!(!starts_run(&mut harness));
    harness.keys("y");
    assert!(starts_run(&mut harness));
}

#[test]
fn enter_on_the_safe_button_changes_nothing() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a");
    preview(&mut harness, &[981_204], &[], "0");
    harness.keys("enter");
    assert!(harness.app.overlay.is_none() && !starts_run(&mut harness));
    harness.keys("a");
    preview(&mut harness, &[981_204], &[], "0");
    harness.keys("tab enter");
    assert!(starts_run(&mut harness));
}

#[test]
fn nothing_runs_before_the_preview() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("still loading");
    let job_id = 2;
    harness.answer(Answer::Preview {
        job_id,
        result: Err(failure(FailureKind::Conflict, "The order was changed meanwhile.")),
    });
    harness.keys("y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("The order was changed meanwhile.");
}

#[test]
fn a_final_change_to_many_requires_the_count() {
    let mut harness = Harness::with(SMALL, many(30));
    harness.keys("v G c");
    let changed: Vec<i64> = (981_000..981_029).collect();
    preview(&mut harness, &changed, &[(981_029, "The order is completed.")], "0");
    harness.keys("y");
    assert!(!starts_run(&mut harness));
    harness.assert_shows("Type 29");
    harness.keys("3 0 enter");
    assert!(!starts_run(&mut harness), "30 were marked, but 29 would change");
    harness.keys("backspace backspace 2 9 enter");
    assert_eq!(run(&mut harness).ids.len(), 30);
}

#[test]
fn a_protected_profile_requires_its_name() {
    let mut harness = Harness::with(SMALL, queue());
    harness.app.session.as_mut().unwrap().protected = true;
    harness.keys("a");
    preview(&mut harness, &[981_204], &[], "0");
    harness.keys("y");
    assert!(!starts_run(&mut harness));
    harness.types("acme-prod");
    harness.keys("enter");
    assert!(starts_run(&mut harness));
}

#[test]
fn cancel_has_amount_reason_and_details() {
    let mut harness = Harness::with(SMALL, queue());
    harness.answer(Answer::Reasons(reasons()));
    harness.keys("c");
    preview(&mut harness, &[981_204], &[], "0");
    harness.keys("tab tab space");
    preview(&mut harness, &[981_204], &[], "112.5");
    harness.assert_shows("[x] 112.50 to 1 customer");
    harness.keys("tab x 1 2 . 5");
    let amount = harness.take().iter().rev().find_map(|job| match job {
        Job::Preview { run, .. } => run.cancel.as_ref().and_then(|cancel| cancel.amount),
        _ => None,
    });
    assert_eq!(amount, Some("12.5".parse().unwrap()));
    harness.keys("tab right right y");
    assert!(!starts_run(&mut harness), "the reason other needs details");
}

#[test]
fn skipped_records_are_reported_with_ids_to_copy() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space space a");
    preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.keys("y");
    let job_id = harness.job_id();
    let outcome_of_run = outcome(&[981_204], &[(981_207, "The order is not in moderation.")], "0");
    harness.answer(Answer::RunFinished { job_id, result: Ok(outcome_of_run) });
    harness.assert_shows("981207: The order is not in moderation.");
    harness.take();
    harness.keys("y");
    assert_eq!(harness.take(), [Job::Copy("981207".into())]);
}

#[test]
fn an_interrupted_run_shows_how_to_resume() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space space a");
    preview(&mut harness, &[981_204, 981_207], &[], "0");
    harness.keys("y");
    let job_id = harness.job_id();
    let mut outcome_of_run = outcome(&[981_204], &[], "0");
    outcome_of_run.interruption = Some(Interruption {
        reason: "The panel does not answer.".into(),
        unanswered: ids(&[981_207]),
        run_id: Some("01K9X3".into()),
    });
    harness.answer(Answer::RunFinished { job_id, result: Ok(outcome_of_run) });
    harness.assert_shows("panelctl runs resume 01K9X3");
}

#[test]
fn quit_asks_while_an_action_runs() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a");
    preview(&mut harness, &[981_204], &[], "0");
    harness.keys("y");
    harness.take();
    harness.assert_shows("approving 0 of 1");
    harness.keys("q");
    assert!(harness.take().is_empty());
    harness.keys("y");
    assert_eq!(harness.take(), [Job::Quit]);
}
