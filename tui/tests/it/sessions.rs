//! Sessions: sign-in, wrong password, second factor, a session that ends during work.

use panel_contract::permission::Permission;
use panel_tui::job::{FailureKind, Job, RunnerEvent};
use panel_tui::session::Options;

use crate::harness::{Harness, SMALL_SIZE, failure};
use crate::records::queue_rows;
use crate::runs::build_outcome;

fn sign_in_needed(message: Option<&str>, needs_otp: bool) -> RunnerEvent {
    RunnerEvent::SignInNeeded {
        profile: "acme-prod".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: message.map(str::to_owned),
        needs_otp,
    }
}

#[test]
fn a_failed_sign_in_keeps_the_inputs_and_asks_for_the_code() {
    let mut harness = Harness::new(SMALL_SIZE, Options::default());
    harness.runner_event(sign_in_needed(None, false));
    harness.assert_shows("○ not signed in");
    harness.press_keys("enter");
    harness.assert_shows("Enter the password.");
    harness.type_text("secret");
    harness.press_keys("enter");
    harness.assert_shows("Signing in …");
    harness.type_text("more");
    harness.runner_event(sign_in_needed(Some("The email address or the password is wrong."), false));
    harness.assert_shows("Password  ******");
    harness.press_keys("enter");
    harness.runner_event(sign_in_needed(Some("This account asks for six digits."), true));
    harness.type_text("123456");
    harness.take_jobs();
    harness.press_keys("enter");
    assert!(
        matches!(&harness.take_jobs()[..], [Job::SignIn(input)] if input.otp == "123456" && input.password == "secret")
    );
}

#[test]
fn keeps_the_screen_after_an_ended_session() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space ctrl-r");
    let job_id = harness.job_id();
    harness.runner_event(RunnerEvent::Page {
        job_id,
        result: Err(failure(FailureKind::SignedOut, "Sign in again.")),
    });
    harness.runner_event(sign_in_needed(Some("Your session has expired. Sign in again."), false));
    harness.runner_event(sign_in_needed(Some("Your session has expired. Sign in again."), false));
    harness.press_keys("a b");
    assert!(
        !harness.jobs.iter().any(|job| matches!(job, Job::Run { .. })),
        "the form inserts the letters as text"
    );
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.load_rows(queue_rows());
    harness.assert_shows("1 marked");
}

#[test]
fn a_sign_in_with_another_account_clears_the_screen() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space a");
    let job_id = harness.job_id();
    harness.runner_event(RunnerEvent::Preview { job_id, result: Ok(build_outcome(&[981_204], &[], "0")) });
    harness.press_keys("y");
    let job_id = harness.job_id();
    harness
        .runner_event(RunnerEvent::RunFinished { job_id, result: Ok(build_outcome(&[981_204], &[], "0")) });
    harness.runner_event(sign_in_needed(None, false));
    let mut other_session = harness.app.session.clone().unwrap();
    other_session.email = "bo@panel.example".into();
    harness.runner_event(RunnerEvent::SignedIn(other_session));
    assert!(harness.app.undo_offers.is_empty() && harness.app.list().unwrap().rows.is_empty());
    assert!(!harness.shows("981204"));
}
