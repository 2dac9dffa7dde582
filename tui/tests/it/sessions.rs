//! Sessions: signing in, wrong words, six digits, a session that ends in the middle of work.

use panel_contract::permission::Permission;
use panel_tui::job::{Answer, Job, TroubleKind};
use panel_tui::session::Options;

use crate::records::queue;
use crate::runs::outcome;
use crate::stage::{SMALL, Stage, trouble};

fn needed(message: Option<&str>, otp: bool) -> Answer {
    Answer::SignInNeeded {
        profile: "acme-prod".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: message.map(str::to_owned),
        otp,
    }
}

#[test]
fn wrong_words_keep_what_was_typed_and_six_digits_are_asked_for() {
    let mut stage = Stage::new(SMALL, Options::default());
    stage.answer(needed(None, false));
    stage.assert_shows("○ not signed in");
    stage.keys("enter");
    stage.assert_shows("Password is empty.");
    stage.types("secret");
    stage.keys("enter");
    stage.assert_shows("Signing in …");
    stage.types("more");
    stage.answer(needed(Some("The email address or the password is wrong."), false));
    stage.assert_shows("Password  ******");
    stage.keys("enter");
    stage.answer(needed(Some("This account asks for six digits."), true));
    stage.types("123456");
    stage.take();
    stage.keys("enter");
    assert!(
        matches!(&stage.take()[..], [Job::SignIn(input)] if input.otp == "123456" && input.password == "secret")
    );
}

#[test]
fn the_screen_survives_a_session_that_ends() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space ctrl-r");
    let ticket = stage.ticket();
    stage.answer(Answer::Listing { ticket, result: Err(trouble(TroubleKind::SignedOut, "Sign in again.")) });
    stage.answer(needed(Some("Your sign-in has ended; sign in again."), false));
    stage.answer(needed(Some("Your sign-in has ended; sign in again."), false));
    stage.keys("a b");
    assert!(!stage.jobs.iter().any(|job| matches!(job, Job::Act { .. })), "letters are letters here");
    stage.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    stage.list(queue());
    stage.assert_shows("1 marked");
}

#[test]
fn somebody_else_begins_with_a_clean_screen() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space a");
    let ticket = stage.ticket();
    stage.answer(Answer::Preview { ticket, result: Ok(outcome(&[981_204], &[], "0")) });
    stage.keys("y");
    let ticket = stage.ticket();
    stage.answer(Answer::Acted { ticket, result: Ok(outcome(&[981_204], &[], "0")) });
    stage.answer(needed(None, false));
    let mut other = stage.app.who.clone().unwrap();
    other.email = "bo@panel.example".into();
    stage.answer(Answer::SignedIn(other));
    assert!(stage.app.undo.is_empty() && stage.app.list().unwrap().rows.is_empty());
    assert!(!stage.shows("981204"));
}
