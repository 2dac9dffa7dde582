//! The dashboard must not run an action while offline, without permission, from pasted text, or from a key for another window.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::dialog::Dialog;
use panel_tui::event::{Event, MouseAction};
use panel_tui::job::{Job, RunnerEvent};
use panel_tui::session::{Connection, Options, Secret};
use ratatui::style::Modifier;

use crate::harness::{Harness, LARGE_SIZE, SMALL_SIZE};
use crate::records::{hostile_rows, order_json, order_row, queue_rows};

#[test]
fn offline_is_read_only() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Connection(Connection::Offline(Time(harness.now.0 + 4_000_000))));
    harness.assert_shows("○ offline, read only, retry in 4 s");
    harness.press_keys("a");
    harness.assert_shows("Changes are not queued");
    assert!(harness.app.overlay.is_none());
    harness.handle(Event::Connection(Connection::Live));
    harness.advance_seconds(1);
    assert!(
        matches!(harness.take_jobs().as_slice(), [Job::LoadPage { .. }]),
        "the dashboard must reload the list"
    );
    harness.assert_shows("Reconnected.");
}

#[test]
fn a_database_outage_makes_the_dashboard_read_only() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Connection(Connection::DatabaseDown(Time(harness.now.0 + 4_000_000))));
    harness.assert_shows("○ database down, read only, retry in 4 s");
    harness.assert_shows("The server cannot reach its database. Read only until it can.");
    harness.press_keys("a");
    harness.assert_shows("The database is down: read only.");
    assert!(harness.app.overlay.is_none());
    harness.advance_seconds(60);
    assert!(harness.take_jobs().is_empty(), "the dashboard must not load a list during the outage");
    harness.handle(Event::Connection(Connection::Live));
    harness.advance_seconds(1);
    assert!(
        matches!(harness.take_jobs().as_slice(), [Job::LoadPage { .. }]),
        "the dashboard must reload the list"
    );
}

#[test]
fn the_password_dialog_covers_the_action_dialog() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("a");
    harness.take_jobs();
    harness.runner_event(RunnerEvent::IdentityNeeded);
    harness.runner_event(RunnerEvent::IdentityNeeded);
    harness.assert_shows("Confirm your identity");
    harness.press_keys("enter");
    assert!(harness.take_jobs().is_empty(), "the dashboard must not send an empty password");
    harness.type_text("y secret");
    harness.assert_shows("Password  ********");
    assert!(!harness.shows("secret"));
    harness.press_keys("enter");
    let password = Secret("y secret".into());
    assert_eq!(harness.take_jobs(), [Job::ConfirmIdentity(Some(password.clone()))]);
    assert!(!format!("{password:?}").contains("secret"));
    assert!(
        matches!(harness.app.overlay.as_ref().unwrap().dialog, Dialog::Confirm(_)),
        "the action dialog must be open again"
    );

    harness.press_keys("esc");
    harness.runner_event(RunnerEvent::IdentityNeeded);
    harness.press_keys("esc");
    assert_eq!(harness.take_jobs(), [Job::ConfirmIdentity(None)]);
    assert!(harness.app.overlay.is_none());
}

#[test]
fn an_unconnected_dashboard_is_read_only() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    for connection in [Connection::Retry(Time(harness.now.0 + 4_000_000)), Connection::Connecting] {
        harness.handle(Event::Connection(connection));
        harness.press_keys("a");
        harness.assert_shows("Not connected yet: read only.");
        assert!(harness.app.overlay.is_none(), "{connection:?}");
        harness.handle(Event::Connection(Connection::Live));
    }
    harness.press_keys("a");
    assert!(harness.app.overlay.is_some());
}

#[test]
fn changes_need_the_permission() {
    let mut harness = Harness::new(SMALL_SIZE, Options::default());
    harness.signed_in(&[Permission::ViewOrders]);
    harness.load_rows(queue_rows());
    harness.press_keys("a");
    harness.assert_shows("needs the permission \"manage orders\"");
    assert!(!harness.shows("a approve"), "the footer must show only possible actions");
}

#[test]
fn the_readonly_flag_rejects_changes() {
    let mut harness = Harness::new(SMALL_SIZE, Options { readonly: true, ..Options::default() });
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.load_rows(queue_rows());
    harness.assert_shows("read only");
    harness.press_keys("c");
    harness.assert_shows("--readonly");
    assert!(harness.app.overlay.is_none());
}

#[test]
fn a_disabled_action_shows_its_reason() {
    let mut completed_order = order_json(981_500, 1, "TikTok likes", (10, "1"), "bo@ex.com");
    completed_order["status"] = "completed".into();
    completed_order["actions"]["approvable"] = false.into();
    completed_order["actions"]["rejectable"] = false.into();
    let mut harness = Harness::with_orders(SMALL_SIZE, vec![order_row(completed_order)]);
    harness.press_keys("a");
    harness.assert_shows("981500 is completed and cannot be approved. Allowed: cancel.");
    harness.press_keys("x");
    harness.assert_shows("x has no action here. Press ? for the keys.");
}

#[test]
fn pasted_text_never_runs_keys() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Paste("ay\ncyq".into()));
    assert!(harness.app.overlay.is_none() && harness.take_jobs().is_empty());
    harness.press_keys("/ ctrl-u");
    harness.handle(Event::Paste("anna\nmaria".into()));
    harness.assert_shows("filter: anna maria");
}

#[test]
fn a_key_right_after_focus_is_ignored() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Focus);
    harness.now.0 += 50_000;
    harness.press_key("q");
    assert!(harness.take_jobs().is_empty());
    harness.press_keys("q");
    assert_eq!(harness.take_jobs(), [Job::Quit]);
}

#[test]
fn the_screen_shows_sanitized_texts() {
    for size in [SMALL_SIZE, LARGE_SIZE] {
        let harness = Harness::with_orders(size, hostile_rows());
        let is_unsafe = |letter: char| letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter);
        let frame = harness.frame();
        assert!(!frame.chars().any(|letter| letter != '\n' && is_unsafe(letter)), "{frame}");
        for line in frame.lines() {
            assert!(panel_tui::text::width(line) <= usize::from(size.0), "{line}");
        }
    }
}

#[test]
fn the_mouse_selects_and_never_confirms() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Mouse { action: MouseAction::Click, x: 10, y: 11 });
    assert_eq!(harness.app.list().unwrap().cursor, 2);
    harness.handle(Event::Mouse { action: MouseAction::Click, x: 45, y: 2 });
    assert_eq!(harness.app.list().unwrap().tab.name, "No provider");
    harness.handle(Event::Mouse { action: MouseAction::Click, x: 3, y: 5 });
    assert_eq!(harness.app.list().unwrap().tab.name, "Orders");
    harness.press_keys("a");
    harness.take_jobs();
    for y in 0..24 {
        for x in 0..80 {
            harness.handle(Event::Mouse { action: MouseAction::Click, x, y });
        }
    }
    assert!(harness.take_jobs().is_empty());
}

#[test]
fn the_selected_row_is_visible_without_colors() {
    let harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    let buffer = harness.buffer();
    assert!(buffer[(10, 9)].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(10, 10)].modifier.contains(Modifier::REVERSED));
    assert!(
        buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset),
        "the screen must have no colors"
    );
}

#[test]
fn the_sign_in_form_never_shows_the_password() {
    let mut harness = Harness::new(SMALL_SIZE, Options::default());
    harness.runner_event(RunnerEvent::SignInNeeded {
        profile: "acme".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: None,
        needs_otp: false,
    });
    harness.type_text("panel-demo");
    harness.press_keys("enter");
    assert!(!harness.frame().contains("panel-demo"));
    let jobs = harness.take_jobs();
    assert!(matches!(&jobs[..], [Job::SignIn(input)] if input.password == "panel-demo"));
    assert!(!format!("{jobs:?}").contains("panel-demo"));
}
