//! Snapshots of whole screens.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::permission::Permission;
use panel_tui::event::Event;
use panel_tui::job::{Answer, FailureKind};
use panel_tui::model::orders;
use panel_tui::session::{Connection, Options};
use panel_tui::theme::Theme;

use crate::harness::{Harness, LARGE, SMALL, assert_frame, failure};
use crate::records::{full, hostile, many, queue};
use crate::runs::{preview, reasons};

fn on_both(name: &str, script: impl Fn((u16, u16)) -> Harness) {
    for size in [SMALL, LARGE] {
        assert_frame(name, &script(size));
    }
}

#[test]
fn queue_with_marks() {
    on_both("queue", |size| {
        let mut harness = Harness::with(size, queue());
        harness.keys("space space j space");
        harness.wait(1);
        let detail = orders::detail(&full());
        harness.answer(Answer::Detail { id: RecordId::new(981_352), result: Ok(Box::new(detail)) });
        harness
    });
}

#[test]
fn detail() {
    on_both("detail", |size| {
        let mut harness = Harness::with(size, queue());
        harness.keys("enter");
        let id = RecordId::new(981_204);
        harness.answer(Answer::Detail { id, result: Ok(Box::new(orders::detail(&full()))) });
        harness
    });
}

#[test]
fn confirm() {
    on_both("confirm", |size| {
        let mut harness = Harness::with(size, queue());
        harness.answer(Answer::Reasons(reasons()));
        harness.keys("space space space c");
        preview(&mut harness, &[981_204, 981_207], &[(981_311, "The order is completed.")], "0");
        harness.keys("tab tab space");
        preview(&mut harness, &[981_204, 981_207], &[(981_311, "The order is completed.")], "212.5");
        harness
    });
}

#[test]
fn confirm_by_typing() {
    let mut harness = Harness::with(SMALL, many(30));
    harness.keys("v G c");
    let ids: Vec<i64> = (981_000..981_030).collect();
    preview(&mut harness, &ids, &[], "0");
    harness.keys("tab tab tab tab 3");
    assert_frame("confirm_by_typing", &harness);
}

#[test]
fn help() {
    on_both("help", |size| {
        let mut harness = Harness::with(size, queue());
        harness.keys("?");
        harness
    });
}

#[test]
fn filter() {
    on_both("filter", |size| {
        let mut harness = Harness::with(size, queue());
        harness.keys("/");
        harness.types("cost>50 colour:red");
        harness.keys("enter");
        harness
    });
}

#[test]
fn disconnected() {
    on_both("disconnected", |size| {
        let mut harness = Harness::with(size, queue());
        harness.on(Event::Connection(Connection::Retry(harness.now.after(Duration::from_secs(4)))));
        harness.on(Event::Connection(Connection::Offline(harness.now.after(Duration::from_secs(8)))));
        harness.keys("ctrl-r");
        let job_id = harness.job_id();
        let gone = failure(FailureKind::Unreachable, "The panel does not respond (connection refused).");
        harness.answer(Answer::Listing { job_id, result: Err(gone) });
        harness
    });
}

#[test]
fn identity() {
    on_both("identity", |size| {
        let mut harness = Harness::with(size, queue());
        harness.answer(Answer::IdentityNeeded);
        harness.types("secret");
        harness
    });
}

#[test]
fn empty() {
    on_both("empty", |size| Harness::with(size, Vec::new()));
}

#[test]
fn no_permission() {
    on_both("no_permission", |size| {
        let mut harness = Harness::new(size, Options::default());
        harness.signed_in(&[Permission::ViewServices]);
        harness
    });
}

#[test]
fn very_long_texts() {
    on_both("very_long_texts", |size| Harness::with(size, hostile()));
}

#[test]
fn ascii_and_narrow() {
    let options = Options { theme: Theme { colour: false, ascii: true }, ..Options::default() };
    let mut harness = Harness::new((60, 15), options);
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.list(queue());
    harness.keys("space");
    let ours = |letter: char| letter.is_ascii() || "鈴木さん".contains(letter);
    assert!(harness.frame().chars().all(ours), "{}", harness.frame());
    assert_frame("ascii", &harness);
}

#[test]
fn a_tiny_terminal_shows_the_minimum_and_can_quit() {
    let mut harness = Harness::with((30, 6), queue());
    assert_frame("tiny", &harness);
    harness.keys("a j q");
    assert_eq!(harness.take(), [panel_tui::job::Job::Quit]);
    for width in 0..130 {
        for height in 0..32 {
            harness.on(Event::Resize(width, height));
            if width > 0 && height > 0 {
                harness.frame();
            }
        }
    }
}

#[test]
fn sign_in() {
    on_both("sign_in", |size| {
        let mut harness = Harness::new(size, Options::default());
        harness.answer(Answer::SignInNeeded {
            profile: "acme-prod".into(),
            address: "https://panel.example".into(),
            email: "olga@panel.example".into(),
            message: Some("Your session has expired. Sign in again.".into()),
            otp: false,
        });
        harness.types("secret words");
        harness
    });
}
