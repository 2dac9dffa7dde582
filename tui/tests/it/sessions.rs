//! Sessions: sign-in, wrong password, second factor, a session that ends during work.

use panel_contract::permission::Permission;
use panel_tui::job::{Answer, FailureKind, Job};
use panel_tui::session::Options;

use crate::harness::{Harness, SMALL, failure};
use crate::records::queue;
use crate::runs::outcome;

fn sign_in_needed(message: Option<&str>, otp: bool) -> Answer {
    Answer::SignInNeeded {
        profile: "acme-prod".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: message.map(str::to_owned),
        otp,
    }
}

#[test]
fn a_failed_sign_in_keeps_the_inputs_and_asks_for_the_code() {
    let mut harness = Harness::new(SMALL, Options::default());
    harness.answer(sign_in_needed(None, false));
    harness.assert_shows("○ not signed in");
    harness.keys("enter");
    harness.assert_shows("Enter the password.");
    harness.types("secret");
    harness.keys("enter");
    harness.assert_shows("Signing in …");
    harness.types("more");
    harness.answer(sign_in_needed(Some("The email address or the password is wrong."), false));
    harness.assert_shows("Password  ******");
    harness.keys("enter");
    harness.answer(sign_in_needed(Some("This account asks for six digits."), true));
    harness.types("123456");
    harness.take();
    harness.keys("enter");
    assert!(
        matches!(&harness.take()[..], [Job::SignIn(input)] if input.otp == "123456" && input.password == "secret")
    );
}

#[test]
fn the_screen_survives_an_ended_session() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space ctrl-r");
    let job_id = harness.job_id();
    harness
        .answer(Answer::Listing { job_id, result: Err(failure(FailureKind::SignedOut, "Sign in again.")) });
    harness.answer(sign_in_needed(Some("Your session has expired. Sign in again."), false));
    harness.answer(sign_in_needed(Some("Your session has expired. Sign in again."), false));
    harness.keys("a b");
    assert!(!harness.jobs.iter().any(|job| matches!(job, Job::Run { .. })), "letters are text in the form");
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.list(queue());
    harness.assert_shows("1 marked");
}

#[test]
fn another_account_starts_with_an_empty_screen() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space a");
    let job_id = harness.job_id();
    harness.answer(Answer::Preview { job_id, result: Ok(outcome(&[981_204], &[], "0")) });
    harness.keys("y");
    let job_id = harness.job_id();
    harness.answer(Answer::RunFinished { job_id, result: Ok(outcome(&[981_204], &[], "0")) });
    harness.answer(sign_in_needed(None, false));
    let mut other = harness.app.session.clone().unwrap();
    other.email = "bo@panel.example".into();
    harness.answer(Answer::SignedIn(other));
    assert!(harness.app.undo_offers.is_empty() && harness.app.list().unwrap().rows.is_empty());
    assert!(!harness.shows("981204"));
}
