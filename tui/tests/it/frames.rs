//! Snapshots of full screens.

use std::time::Duration;

use panel_contract::ids::RecordId;
use panel_contract::permission::Permission;
use panel_tui::event::Event;
use panel_tui::job::{FailureKind, RunnerEvent};
use panel_tui::model::orders;
use panel_tui::session::{Connection, Options};
use panel_tui::theme::Theme;

use crate::harness::{Harness, LARGE_SIZE, SMALL_SIZE, assert_frame, failure};
use crate::records::{full_order, hostile_rows, order_rows, queue_rows};
use crate::runs::{cancel_reasons, finish_preview};

fn assert_both_sizes(name: &str, create_harness: impl Fn((u16, u16)) -> Harness) {
    for size in [SMALL_SIZE, LARGE_SIZE] {
        assert_frame(name, &create_harness(size));
    }
}

#[test]
fn shows_a_queue_with_marks() {
    assert_both_sizes("queue", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.press_keys("space space j space");
        harness.advance_seconds(1);
        let detail = orders::to_detail(&full_order());
        harness
            .runner_event(RunnerEvent::Detail { id: RecordId::new(981_352), result: Ok(Box::new(detail)) });
        harness
    });
}

#[test]
fn shows_a_record() {
    assert_both_sizes("detail", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.press_keys("enter");
        let id = RecordId::new(981_204);
        harness
            .runner_event(RunnerEvent::Detail { id, result: Ok(Box::new(orders::to_detail(&full_order()))) });
        harness
    });
}

#[test]
fn shows_a_confirmation_with_a_refund() {
    assert_both_sizes("confirm", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.runner_event(RunnerEvent::CancelReasons(cancel_reasons()));
        harness.press_keys("space space space c");
        finish_preview(&mut harness, &[981_204, 981_207], &[(981_311, "The order is completed.")], "0");
        harness.press_keys("tab tab space");
        finish_preview(&mut harness, &[981_204, 981_207], &[(981_311, "The order is completed.")], "212.5");
        harness
    });
}

#[test]
fn shows_a_confirmation_that_requires_the_count() {
    let mut harness = Harness::with_orders(SMALL_SIZE, order_rows(30));
    harness.press_keys("v G c");
    let ids: Vec<i64> = (981_000..981_030).collect();
    finish_preview(&mut harness, &ids, &[], "0");
    harness.press_keys("tab tab tab tab 3");
    assert_frame("confirm_by_typing", &harness);
}

#[test]
fn shows_the_keys() {
    assert_both_sizes("help", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.press_keys("?");
        harness
    });
}

#[test]
fn shows_the_error_of_a_filter() {
    assert_both_sizes("filter", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.press_keys("/");
        harness.type_text("cost>50 colour:red");
        harness.press_keys("enter");
        harness
    });
}

#[test]
fn shows_a_server_that_does_not_respond() {
    assert_both_sizes("disconnected", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.handle(Event::Connection(Connection::Retry(harness.now.plus(Duration::from_secs(4)))));
        harness.handle(Event::Connection(Connection::Offline(harness.now.plus(Duration::from_secs(8)))));
        harness.press_keys("ctrl-r");
        let job_id = harness.job_id();
        let outage = failure(FailureKind::Unreachable, "The server does not respond (connection refused).");
        harness.runner_event(RunnerEvent::Page { job_id, result: Err(outage) });
        harness
    });
}

#[test]
fn shows_the_password_dialog() {
    assert_both_sizes("identity", |size| {
        let mut harness = Harness::with_orders(size, queue_rows());
        harness.runner_event(RunnerEvent::IdentityNeeded);
        harness.type_text("secret");
        harness
    });
}

#[test]
fn shows_an_empty_queue() {
    assert_both_sizes("empty", |size| Harness::with_orders(size, Vec::new()));
}

#[test]
fn shows_a_missing_permission() {
    assert_both_sizes("no_permission", |size| {
        let mut harness = Harness::new(size, Options::default());
        harness.signed_in(&[Permission::ViewServices]);
        harness
    });
}

#[test]
fn shows_hostile_and_very_long_texts() {
    assert_both_sizes("very_long_texts", |size| Harness::with_orders(size, hostile_rows()));
}

#[test]
fn shows_only_ascii_on_a_narrow_screen() {
    let options = Options { theme: Theme { uses_color: false, is_ascii: true }, ..Options::default() };
    let mut harness = Harness::new((60, 15), options);
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.load_rows(queue_rows());
    harness.press_keys("space");
    let is_allowed = |letter: char| letter.is_ascii() || "鈴木さん".contains(letter);
    assert!(harness.frame().chars().all(is_allowed), "{}", harness.frame());
    assert_frame("ascii", &harness);
}

#[test]
fn a_small_terminal_shows_the_minimum_size_and_can_quit() {
    let mut harness = Harness::with_orders((30, 6), queue_rows());
    assert_frame("tiny", &harness);
    harness.press_keys("a j q");
    assert_eq!(harness.take_jobs(), [panel_tui::job::Job::Quit]);
    for width in 0..130 {
        for height in 0..32 {
            harness.handle(Event::Resize(width, height));
            if width > 0 && height > 0 {
                harness.frame();
            }
        }
    }
}

#[test]
fn shows_the_sign_in_form() {
    assert_both_sizes("sign_in", |size| {
        let mut harness = Harness::new(size, Options::default());
        harness.runner_event(RunnerEvent::SignInNeeded {
            profile: "acme-prod".into(),
            address: "https://panel.example".into(),
            email: "olga@panel.example".into(),
            message: Some("Your session has expired. Sign in again.".into()),
            needs_otp: false,
        });
        harness.type_text("secret words");
        harness
    });
}
