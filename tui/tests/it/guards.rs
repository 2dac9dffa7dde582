//! What must not happen: an action while offline, without permission, by pasted text, or by a key meant for another window.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::dialog::Dialog;
use panel_tui::event::{Event, MouseAction};
use panel_tui::job::{Answer, Job};
use panel_tui::session::{Connection, Options, Secret};
use ratatui::style::Modifier;

use crate::harness::{Harness, LARGE, SMALL};
use crate::records::{hostile, order, queue, row_of};

#[test]
fn offline_is_read_only() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Connection(Connection::Offline(Time(harness.now.0 + 4_000_000))));
    harness.assert_shows("○ offline, read only, retry in 4 s");
    harness.keys("a");
    harness.assert_shows("Changes are not queued");
    assert!(harness.app.overlay.is_none());
    harness.on(Event::Connection(Connection::Live));
    harness.wait(1);
    assert!(matches!(harness.take().as_slice(), [Job::Load { .. }]), "the list is reloaded");
    harness.assert_shows("Reconnected.");
}

#[test]
fn a_database_outage_is_shown_and_read_only() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Connection(Connection::DatabaseDown(Time(harness.now.0 + 4_000_000))));
    harness.assert_shows("○ database down, read only, retry in 4 s");
    harness.assert_shows("The panel cannot reach its database. Read only until it can.");
    harness.keys("a");
    harness.assert_shows("The database is down: read only.");
    assert!(harness.app.overlay.is_none());
    harness.wait(60);
    assert!(harness.take().is_empty(), "no list is loaded meanwhile");
    harness.on(Event::Connection(Connection::Live));
    harness.wait(1);
    assert!(matches!(harness.take().as_slice(), [Job::Load { .. }]), "the list is reloaded");
}

#[test]
fn the_password_dialog_covers_the_action_dialog() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("a");
    harness.take();
    harness.answer(Answer::IdentityNeeded);
    harness.answer(Answer::IdentityNeeded);
    harness.assert_shows("Confirm your identity");
    harness.keys("enter");
    assert!(harness.take().is_empty(), "an empty password is not sent");
    harness.types("y secret");
    harness.assert_shows("Password  ********");
    assert!(!harness.shows("secret"));
    harness.keys("enter");
    let password = Secret("y secret".into());
    assert_eq!(harness.take(), [Job::ConfirmIdentity(Some(password.clone()))]);
    assert!(!format!("{password:?}").contains("secret"));
    assert!(
        matches!(harness.app.overlay.as_ref().unwrap().dialog, Dialog::Confirm(_)),
        "the action dialog is open again"
    );

    harness.keys("esc");
    harness.answer(Answer::IdentityNeeded);
    harness.keys("esc");
    assert_eq!(harness.take(), [Job::ConfirmIdentity(None)]);
    assert!(harness.app.overlay.is_none());
}

#[test]
fn an_unconnected_dashboard_is_read_only() {
    let mut harness = Harness::with(SMALL, queue());
    for connection in [Connection::Retry(Time(harness.now.0 + 4_000_000)), Connection::Connecting] {
        harness.on(Event::Connection(connection));
        harness.keys("a");
        harness.assert_shows("Not connected yet: read only.");
        assert!(harness.app.overlay.is_none(), "{connection:?}");
        harness.on(Event::Connection(Connection::Live));
    }
    harness.keys("a");
    assert!(harness.app.overlay.is_some());
}

#[test]
fn changes_need_the_permission() {
    let mut harness = Harness::new(SMALL, Options::default());
    harness.signed_in(&[Permission::ViewOrders]);
    harness.list(queue());
    harness.keys("a");
    harness.assert_shows("needs the permission \"manage orders\"");
    assert!(!harness.shows("a approve"), "the footer shows only possible actions");
}

#[test]
fn readonly_refuses_changes() {
    let mut harness = Harness::new(SMALL, Options { readonly: true, ..Options::default() });
    harness.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    harness.list(queue());
    harness.assert_shows("read only");
    harness.keys("c");
    harness.assert_shows("--readonly");
    assert!(harness.app.overlay.is_none());
}

#[test]
fn a_disabled_action_shows_its_reason() {
    let mut done = order(981_500, 1, "TikTok likes", (10, "1"), "bo@ex.com");
    done["status"] = "completed".into();
    done["actions"]["approvable"] = false.into();
    done["actions"]["rejectable"] = false.into();
    let mut harness = Harness::with(SMALL, vec![row_of(done)]);
    harness.keys("a");
    harness.assert_shows("981500 is completed and cannot be approved. Allowed: cancel.");
    harness.keys("x");
    harness.assert_shows("x has no action here. Press ? for the keys.");
}

#[test]
fn pasted_text_never_runs_keys() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Paste("ay\ncyq".into()));
    assert!(harness.app.overlay.is_none() && harness.take().is_empty());
    harness.keys("/ ctrl-u");
    harness.on(Event::Paste("anna\nmaria".into()));
    harness.assert_shows("filter: anna maria");
}

#[test]
fn a_key_right_after_focus_is_ignored() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Focus);
    harness.now.0 += 50_000;
    harness.press("q");
    assert!(harness.take().is_empty());
    harness.keys("q");
    assert_eq!(harness.take(), [Job::Quit]);
}

#[test]
fn hostile_texts_are_sanitized_on_the_screen() {
    for size in [SMALL, LARGE] {
        let harness = Harness::with(size, hostile());
        let bad = |letter: char| letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter);
        let frame = harness.frame();
        assert!(!frame.chars().any(|letter| letter != '\n' && bad(letter)), "{frame}");
        for line in frame.lines() {
            assert!(panel_tui::text::width(line) <= usize::from(size.0), "{line}");
        }
    }
}

#[test]
fn the_mouse_selects_and_never_confirms() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Mouse { action: MouseAction::Click, x: 10, y: 11 });
    assert_eq!(harness.app.list().unwrap().cursor, 2);
    harness.on(Event::Mouse { action: MouseAction::Click, x: 45, y: 2 });
    assert_eq!(harness.app.list().unwrap().tab.name, "No provider");
    harness.on(Event::Mouse { action: MouseAction::Click, x: 3, y: 5 });
    assert_eq!(harness.app.list().unwrap().tab.name, "Orders");
    harness.keys("a");
    harness.take();
    for y in 0..24 {
        for x in 0..80 {
            harness.on(Event::Mouse { action: MouseAction::Click, x, y });
        }
    }
    assert!(harness.take().is_empty());
}

#[test]
fn the_selected_row_is_visible_without_colour() {
    let harness = Harness::with(SMALL, queue());
    let buffer = harness.buffer();
    assert!(buffer[(10, 9)].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(10, 10)].modifier.contains(Modifier::REVERSED));
    assert!(buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset), "NO_COLOR");
}

#[test]
fn a_password_is_never_shown() {
    let mut harness = Harness::new(SMALL, Options::default());
    harness.answer(Answer::SignInNeeded {
        profile: "acme".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: None,
        otp: false,
    });
    harness.types("panel-demo");
    harness.keys("enter");
    assert!(!harness.frame().contains("panel-demo"));
    let jobs = harness.take();
    assert!(matches!(&jobs[..], [Job::SignIn(input)] if input.password == "panel-demo"));
    assert!(!format!("{jobs:?}").contains("panel-demo"));
}
