//! Actions: the dialog before, what may stop one, undo, and what is told afterwards.

use panel_contract::common::Skipped;
use panel_contract::ids::RecordId;
use panel_contract::orders::CancelReason;
use panel_tui::event::Event;
use panel_tui::job::{Answer, Job, TroubleKind};
use panel_tui::key::Key;
use panel_tui::model::run::{Broken, Outcome};
use panel_tui::model::verb::Verb;

use crate::records::{many, queue};
use crate::stage::{SMALL, Stage, ids, trouble};

pub(crate) fn reasons() -> Vec<(CancelReason, String)> {
    vec![(CancelReason::CustomerRequest, "Customer request".into()), (CancelReason::Other, "Other".into())]
}

pub(crate) fn outcome(moved: &[i64], skipped: &[(i64, &str)], returned: &str) -> Outcome {
    let skip = |(id, message): &(i64, &str)| Skipped {
        id: RecordId::new(*id),
        code: "order_not_cancelable".into(),
        message: (*message).into(),
    };
    let returned: panel_contract::amount::Money = returned.parse().unwrap();
    Outcome {
        moved: ids(moved),
        skipped: skipped.iter().map(skip).collect(),
        returned,
        users: i64::from(returned.0 > 0),
        ..Outcome::default()
    }
}

/// The same of an action that the panel can undo by this request.
fn undoable(moved: &[i64], request: &str) -> Outcome {
    Outcome { undo: vec![request.into()], ..outcome(moved, &[], "0") }
}

/// Answers the newest dry run.
pub(crate) fn preview(stage: &mut Stage, moved: &[i64], skipped: &[(i64, &str)], returned: &str) {
    let ticket = stage.ticket();
    stage.answer(Answer::Preview { ticket, result: Ok(outcome(moved, skipped, returned)) });
}

/// The run that was handed to the runner.
#[track_caller]
fn run(stage: &mut Stage) -> panel_tui::model::run::Run {
    let jobs = stage.take();
    let runs = jobs.iter().filter_map(|job| match job {
        Job::Act { run, .. } => Some(run.clone()),
        _ => None,
    });
    let runs: Vec<_> = runs.collect();
    assert_eq!(runs.len(), 1, "{jobs:?}");
    runs[0].clone()
}

fn acts(stage: &mut Stage) -> bool {
    stage.take().iter().any(|job| matches!(job, Job::Act { .. }))
}

#[test]
fn approve_and_take_it_back() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space space a");
    preview(&mut stage, &[981_204, 981_207], &[], "0");
    stage.assert_shows("2 can be approved");
    stage.keys("y");
    let ticket = stage.ticket();
    let approved = run(&mut stage);
    assert_eq!((approved.verb, approved.ids), (Verb::Approve, ids(&[981_204, 981_207])));
    stage.answer(Answer::Acted { ticket, result: Ok(undoable(&[981_204, 981_207], "r-1")) });
    stage.assert_shows("2 orders approved · z undo");
    assert!(stage.app.list().unwrap().marks.is_empty());

    stage.keys("z");
    preview(&mut stage, &[981_204, 981_207], &[], "0");
    stage.assert_shows("Takes back: approved 2 orders: 981204, 981207.");
    stage.keys("y");
    let ticket = stage.ticket();
    let back = run(&mut stage);
    assert_eq!((back.verb, back.ids), (Verb::Undo, ids(&[981_204, 981_207])));
    assert_eq!(back.undoes.unwrap().requests, ["r-1"], "the panel restores them, no other action does");
    stage.answer(Answer::Acted { ticket, result: Ok(outcome(&[981_204, 981_207], &[], "0")) });
    stage.assert_shows("2 orders restored");
    stage.keys("z");
    stage.assert_shows("Nothing to undo");
}

#[test]
fn what_the_panel_cannot_undo_is_not_offered() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a");
    let ticket = stage.ticket();
    let charged = Outcome { charged: "16".parse().unwrap(), ..outcome(&[981_204], &[], "0") };
    stage.answer(Answer::Preview { ticket, result: Ok(charged.clone()) });
    stage.assert_shows("is charged, which is final");
    stage.keys("y");
    let ticket = stage.ticket();
    run(&mut stage);
    stage.answer(Answer::Acted { ticket, result: Ok(charged) });
    assert!(!stage.shows("z undo"));
    stage.keys("z");
    stage.assert_shows("Nothing to undo");
}

#[test]
fn a_cancel_cannot_be_taken_back_and_says_so_before() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("c");
    preview(&mut stage, &[981_204], &[], "0");
    stage.assert_shows("Cannot be undone.");
    stage.keys("y");
    let ticket = stage.ticket();
    let canceled = run(&mut stage);
    let cancel = canceled.cancel.unwrap();
    assert!(!cancel.return_money && cancel.email && cancel.reason.is_none());
    stage.answer(Answer::Acted { ticket, result: Ok(outcome(&[981_204], &[], "0")) });
    assert!(!stage.shows("z undo"));
    stage.keys("z");
    stage.assert_shows("Nothing to undo");
}

#[test]
fn keys_that_are_held_never_confirm() {
    for opening in ["a", "c", "m"] {
        let mut stage = Stage::with(SMALL, queue());
        stage.keys(opening);
        for _ in 0..200 {
            stage.now.0 += 33_000;
            stage.press(opening);
            stage.on(Event::Key { key: Key::Enter, held: true });
        }
        assert!(!acts(&mut stage), "{opening}");
    }
    // Enter opens the dialog out of the menu and is kept down: it stays on the safe button, and does nothing.
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("m enter");
    preview(&mut stage, &[981_204], &[], "0");
    for _ in 0..200 {
        stage.now.0 += 33_000;
        stage.press("enter");
    }
    assert!(!acts(&mut stage));
    stage.assert_shows("Approve order 981204");
}

#[test]
fn keys_meant_for_the_list_do_not_reach_a_dialog_that_just_opened() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a");
    preview(&mut stage, &[981_204], &[], "0");
    stage.now.0 += 100_000;
    stage.press("y");
    assert!(!acts(&mut stage));
    stage.keys("y");
    assert!(acts(&mut stage));
}

#[test]
fn enter_keeps_everything_as_it_is_until_one_moves() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a");
    preview(&mut stage, &[981_204], &[], "0");
    stage.keys("enter");
    assert!(stage.app.open.is_none() && !acts(&mut stage));
    stage.keys("a");
    preview(&mut stage, &[981_204], &[], "0");
    stage.keys("tab enter");
    assert!(acts(&mut stage));
}

#[test]
fn nothing_is_done_before_the_panel_said_what_it_would_be() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a y");
    assert!(!acts(&mut stage));
    stage.assert_shows("still working out");
    let ticket = 2;
    stage.answer(Answer::Preview {
        ticket,
        result: Err(trouble(TroubleKind::Conflict, "Somebody was faster.")),
    });
    stage.keys("y");
    assert!(!acts(&mut stage));
    stage.assert_shows("Somebody was faster.");
}

#[test]
fn what_cannot_be_brought_back_and_is_many_wants_its_count_typed() {
    let mut stage = Stage::with(SMALL, many(30));
    stage.keys("v G c");
    let moved: Vec<i64> = (981_000..981_029).collect();
    preview(&mut stage, &moved, &[(981_029, "The order is completed.")], "0");
    stage.keys("y");
    assert!(!acts(&mut stage));
    stage.assert_shows("Type 29");
    stage.keys("3 0 enter");
    assert!(!acts(&mut stage), "30 were marked, but 29 would move");
    stage.keys("backspace backspace 2 9 enter");
    assert_eq!(run(&mut stage).ids.len(), 30);
}

#[test]
fn a_protected_profile_wants_its_name() {
    let mut stage = Stage::with(SMALL, queue());
    stage.app.who.as_mut().unwrap().protected = true;
    stage.keys("a");
    preview(&mut stage, &[981_204], &[], "0");
    stage.keys("y");
    assert!(!acts(&mut stage));
    stage.types("acme-prod");
    stage.keys("enter");
    assert!(acts(&mut stage));
}

#[test]
fn cancel_takes_amount_reason_and_words() {
    let mut stage = Stage::with(SMALL, queue());
    stage.answer(Answer::Reasons(reasons()));
    stage.keys("c");
    preview(&mut stage, &[981_204], &[], "0");
    stage.keys("tab tab space");
    preview(&mut stage, &[981_204], &[], "112.5");
    stage.assert_shows("[x] 112.50 goes back to 1 customer");
    stage.keys("tab x 1 2 . 5");
    let amount = stage.take().iter().rev().find_map(|job| match job {
        Job::Preview { run, .. } => run.cancel.as_ref().and_then(|cancel| cancel.amount),
        _ => None,
    });
    assert_eq!(amount, Some("12.5".parse().unwrap()));
    stage.keys("tab right right y");
    assert!(!acts(&mut stage), "other wants words");
}

#[test]
fn what_was_skipped_is_told_with_ids_to_copy() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space space a");
    preview(&mut stage, &[981_204, 981_207], &[], "0");
    stage.keys("y");
    let ticket = stage.ticket();
    let told = outcome(&[981_204], &[(981_207, "The order is not in moderation.")], "0");
    stage.answer(Answer::Acted { ticket, result: Ok(told) });
    stage.assert_shows("981207: The order is not in moderation.");
    stage.take();
    stage.keys("y");
    assert_eq!(stage.take(), [Job::Copy("981207".into())]);
}

#[test]
fn a_run_that_broke_off_says_how_to_go_on() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space space a");
    preview(&mut stage, &[981_204, 981_207], &[], "0");
    stage.keys("y");
    let ticket = stage.ticket();
    let mut told = outcome(&[981_204], &[], "0");
    told.broken = Some(Broken {
        why: "The panel does not answer.".into(),
        open: ids(&[981_207]),
        run: Some("01K9X3".into()),
    });
    stage.answer(Answer::Acted { ticket, result: Ok(told) });
    stage.assert_shows("panelctl runs resume 01K9X3");
}

#[test]
fn while_an_action_runs_quitting_asks() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a");
    preview(&mut stage, &[981_204], &[], "0");
    stage.keys("y");
    stage.take();
    stage.assert_shows("approving 0 of 1");
    stage.keys("q");
    assert!(stage.take().is_empty());
    stage.keys("y");
    assert_eq!(stage.take(), [Job::Quit]);
}
