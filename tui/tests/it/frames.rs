//! Whole screens, as they were looked at once and found good.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::permission::Permission;
use panel_tui::event::Event;
use panel_tui::job::{Answer, TroubleKind};
use panel_tui::model::orders;
use panel_tui::session::{Connection, Options};
use panel_tui::theme::Theme;

use crate::records::{full, hostile, many, queue};
use crate::runs::{preview, reasons};
use crate::stage::{LARGE, SMALL, Stage, assert_frame, trouble};

fn on_both(name: &str, script: impl Fn((u16, u16)) -> Stage) {
    for size in [SMALL, LARGE] {
        assert_frame(name, &script(size));
    }
}

#[test]
fn queue_with_marks() {
    on_both("queue", |size| {
        let mut stage = Stage::with(size, queue());
        stage.keys("space space j space");
        stage.wait(1);
        let detail = orders::detail(&full());
        stage.answer(Answer::Detail { id: RecordId::new(981_352), result: Ok(Box::new(detail)) });
        stage
    });
}

#[test]
fn detail() {
    on_both("detail", |size| {
        let mut stage = Stage::with(size, queue());
        stage.keys("enter");
        let id = RecordId::new(981_204);
        stage.answer(Answer::Detail { id, result: Ok(Box::new(orders::detail(&full()))) });
        stage
    });
}

#[test]
fn confirm() {
    on_both("confirm", |size| {
        let mut stage = Stage::with(size, queue());
        stage.answer(Answer::Reasons(reasons()));
        stage.keys("space space space c");
        preview(&mut stage, &[981_204, 981_207], &[(981_311, "The order is completed.")], "0");
        stage.keys("tab tab space");
        preview(&mut stage, &[981_204, 981_207], &[(981_311, "The order is completed.")], "212.5");
        stage
    });
}

#[test]
fn confirm_by_typing() {
    let mut stage = Stage::with(SMALL, many(30));
    stage.keys("v G c");
    let ids: Vec<i64> = (981_000..981_030).collect();
    preview(&mut stage, &ids, &[], "0");
    stage.keys("tab tab tab tab 3");
    assert_frame("confirm_by_typing", &stage);
}

#[test]
fn help() {
    on_both("help", |size| {
        let mut stage = Stage::with(size, queue());
        stage.keys("?");
        stage
    });
}

#[test]
fn filter() {
    on_both("filter", |size| {
        let mut stage = Stage::with(size, queue());
        stage.keys("/");
        stage.types("cost>50 colour:red");
        stage.keys("enter");
        stage
    });
}

#[test]
fn disconnected() {
    on_both("disconnected", |size| {
        let mut stage = Stage::with(size, queue());
        stage.on(Event::Connection(Connection::Retry(stage.now.after(Duration::from_secs(4)))));
        stage.on(Event::Connection(Connection::Offline(stage.now.after(Duration::from_secs(8)))));
        stage.keys("ctrl-r");
        let ticket = stage.ticket();
        let gone = trouble(TroubleKind::Unreachable, "The panel does not answer (connection refused).");
        stage.answer(Answer::Listing { ticket, result: Err(gone) });
        stage
    });
}

#[test]
fn identity() {
    on_both("identity", |size| {
        let mut stage = Stage::with(size, queue());
        stage.answer(Answer::IdentityNeeded);
        stage.types("secret");
        stage
    });
}

#[test]
fn empty() {
    on_both("empty", |size| Stage::with(size, Vec::new()));
}

#[test]
fn no_permission() {
    on_both("no_permission", |size| {
        let mut stage = Stage::new(size, Options::default());
        stage.signed_in(&[Permission::ViewServices]);
        stage
    });
}

#[test]
fn very_long_texts() {
    on_both("very_long_texts", |size| Stage::with(size, hostile()));
}

#[test]
fn ascii_and_narrow() {
    let options = Options { theme: Theme { colour: false, ascii: true }, ..Options::default() };
    let mut stage = Stage::new((60, 15), options);
    stage.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    stage.list(queue());
    stage.keys("space");
    let ours = |letter: char| letter.is_ascii() || "鈴木さん".contains(letter);
    assert!(stage.frame().chars().all(ours), "{}", stage.frame());
    assert_frame("ascii", &stage);
}

#[test]
fn tiny_terminals_say_so_and_still_quit() {
    let mut stage = Stage::with((30, 6), queue());
    assert_frame("tiny", &stage);
    stage.keys("a j q");
    assert_eq!(stage.take(), [panel_tui::job::Job::Quit]);
    for width in 0..130 {
        for height in 0..32 {
            stage.on(Event::Resize(width, height));
            if width > 0 && height > 0 {
                stage.frame();
            }
        }
    }
}

#[test]
fn sign_in() {
    on_both("sign_in", |size| {
        let mut stage = Stage::new(size, Options::default());
        stage.answer(Answer::SignInNeeded {
            profile: "acme-prod".into(),
            address: "https://panel.example".into(),
            email: "olga@panel.example".into(),
            message: Some("Your sign-in has ended; sign in again.".into()),
            otp: false,
        });
        stage.types("secret words");
        stage
    });
}
