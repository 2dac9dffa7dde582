//! What must not happen: acting offline, without permission, by pasted text, by a key meant for another window.

use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::dialog::Dialog;
use panel_tui::event::{Event, Mouse};
use panel_tui::job::{Answer, Job};
use panel_tui::session::{Connection, Options, Secret};
use ratatui::style::Modifier;

use crate::records::{hostile, order, queue, read};
use crate::stage::{LARGE, SMALL, Stage};

#[test]
fn offline_is_read_only() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Connection(Connection::Offline(Time(stage.now.0 + 4_000_000))));
    stage.assert_shows("○ offline, read only, retry in 4 s");
    stage.keys("a");
    stage.assert_shows("Nothing is queued");
    assert!(stage.app.open.is_none());
    stage.on(Event::Connection(Connection::Live));
    stage.wait(1);
    assert!(matches!(stage.take().as_slice(), [Job::Load { .. }]), "what was missed is asked for");
    stage.assert_shows("Connected again.");
}

#[test]
fn a_database_that_is_away_is_named_and_read_only() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Connection(Connection::DatabaseAway(Time(stage.now.0 + 4_000_000))));
    stage.assert_shows("○ database away, read only, retry in 4 s");
    stage.assert_shows("The panel cannot reach its database: read only until it can.");
    stage.keys("a");
    stage.assert_shows("The database is away, so read only.");
    assert!(stage.app.open.is_none());
    stage.wait(60);
    assert!(stage.take().is_empty(), "nothing is asked for meanwhile");
    stage.on(Event::Connection(Connection::Live));
    stage.wait(1);
    assert!(matches!(stage.take().as_slice(), [Job::Load { .. }]), "what was missed is asked for");
}

#[test]
fn an_action_that_needs_the_password_asks_over_its_own_dialog() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("a");
    stage.take();
    stage.answer(Answer::IdentityNeeded);
    stage.answer(Answer::IdentityNeeded);
    stage.assert_shows("Confirm that it is you");
    stage.keys("enter");
    assert!(stage.take().is_empty(), "an empty answer is none");
    stage.types("y secret");
    stage.assert_shows("Password  ********");
    assert!(!stage.shows("secret"));
    stage.keys("enter");
    let password = Secret("y secret".into());
    assert_eq!(stage.take(), [Job::Identify(Some(password.clone()))]);
    assert!(!format!("{password:?}").contains("secret"));
    assert!(
        matches!(stage.app.open.as_ref().unwrap().dialog, Dialog::Confirm(_)),
        "the action's own dialog is back"
    );

    stage.keys("esc");
    stage.answer(Answer::IdentityNeeded);
    stage.keys("esc");
    assert_eq!(stage.take(), [Job::Identify(None)]);
    assert!(stage.app.open.is_none());
}

#[test]
fn what_is_not_connected_is_read_only() {
    let mut stage = Stage::with(SMALL, queue());
    for connection in [Connection::Retry(Time(stage.now.0 + 4_000_000)), Connection::Connecting] {
        stage.on(Event::Connection(connection));
        stage.keys("a");
        stage.assert_shows("Not connected yet, so read only.");
        assert!(stage.app.open.is_none(), "{connection:?}");
        stage.on(Event::Connection(Connection::Live));
    }
    stage.keys("a");
    assert!(stage.app.open.is_some());
}

#[test]
fn without_the_permission_nothing_can_be_changed() {
    let mut stage = Stage::new(SMALL, Options::default());
    stage.signed_in(&[Permission::ViewOrders]);
    stage.list(queue());
    stage.keys("a");
    stage.assert_shows("lacks the permission \"manage orders\"");
    assert!(!stage.shows("a approve"), "the footer shows only what is possible");
}

#[test]
fn readonly_means_it() {
    let mut stage = Stage::new(SMALL, Options { readonly: true, ..Options::default() });
    stage.signed_in(&[Permission::ViewOrders, Permission::ManageOrders]);
    stage.list(queue());
    stage.assert_shows("read only");
    stage.keys("c");
    stage.assert_shows("--readonly");
    assert!(stage.app.open.is_none());
}

#[test]
fn a_key_that_is_not_possible_says_why() {
    let mut done = order(981_500, 1, "TikTok likes", (10, "1"), "bo@ex.com");
    done["status"] = "completed".into();
    done["actions"]["approvable"] = false.into();
    done["actions"]["rejectable"] = false.into();
    let mut stage = Stage::with(SMALL, vec![read(done)]);
    stage.keys("a");
    stage.assert_shows("Cannot approve 981500: it is completed; it allows: cancel.");
    stage.keys("x");
    stage.assert_shows("x does nothing here. ? shows the keys.");
}

#[test]
fn pasted_text_never_runs_keys() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Paste("ay\ncyq".into()));
    assert!(stage.app.open.is_none() && stage.take().is_empty());
    stage.keys("/ ctrl-u");
    stage.on(Event::Paste("anna\nmaria".into()));
    stage.assert_shows("filter: anna maria");
}

#[test]
fn a_key_that_chose_the_window_is_swallowed() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Focus);
    stage.now.0 += 50_000;
    stage.press("q");
    assert!(stage.take().is_empty());
    stage.keys("q");
    assert_eq!(stage.take(), [Job::Quit]);
}

#[test]
fn what_strangers_typed_reaches_the_screen_harmless() {
    for size in [SMALL, LARGE] {
        let stage = Stage::with(size, hostile());
        let bad = |letter: char| letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter);
        let frame = stage.frame();
        assert!(!frame.chars().any(|letter| letter != '\n' && bad(letter)), "{frame}");
        for line in frame.lines() {
            assert!(panel_tui::text::width(line) <= usize::from(size.0), "{line}");
        }
    }
}

#[test]
fn the_mouse_chooses_and_never_acts() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Mouse { what: Mouse::Click, x: 10, y: 11 });
    assert_eq!(stage.app.list().unwrap().cursor, 2);
    stage.on(Event::Mouse { what: Mouse::Click, x: 45, y: 2 });
    assert_eq!(stage.app.list().unwrap().tab.name, "No provider");
    stage.on(Event::Mouse { what: Mouse::Click, x: 3, y: 5 });
    assert_eq!(stage.app.list().unwrap().tab.name, "Orders");
    stage.keys("a");
    stage.take();
    for y in 0..24 {
        for x in 0..80 {
            stage.on(Event::Mouse { what: Mouse::Click, x, y });
        }
    }
    assert!(stage.take().is_empty());
}

#[test]
fn the_row_that_keys_act_on_is_seen_without_colour() {
    let stage = Stage::with(SMALL, queue());
    let buffer = stage.buffer();
    assert!(buffer[(10, 9)].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(10, 10)].modifier.contains(Modifier::REVERSED));
    assert!(buffer.content.iter().all(|cell| cell.fg == ratatui::style::Color::Reset), "NO_COLOR");
}

#[test]
fn a_password_is_never_shown() {
    let mut stage = Stage::new(SMALL, Options::default());
    stage.answer(Answer::SignInNeeded {
        profile: "acme".into(),
        address: "https://panel.example".into(),
        email: "olga@panel.example".into(),
        message: None,
        otp: false,
    });
    stage.types("panel-demo");
    stage.keys("enter");
    assert!(!stage.frame().contains("panel-demo"));
    let jobs = stage.take();
    assert!(matches!(&jobs[..], [Job::SignIn(input)] if input.password == "panel-demo"));
    assert!(!format!("{jobs:?}").contains("panel-demo"));
}
