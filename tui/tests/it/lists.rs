//! Lists: marks, ranges, filters, pages, refreshes that move nothing, and the record beside them.

use panel_contract::ids::RecordId;
use panel_tui::event::Event;
use panel_tui::job::{Answer, Job, TroubleKind};
use panel_tui::session::Connection;

use crate::records::{many, queue};
use crate::stage::{LARGE, SMALL, Stage, counters, ids, trouble};

fn marked(stage: &Stage) -> Vec<RecordId> {
    stage.app.list().unwrap().marks.ids()
}

#[test]
fn ranges_and_marks() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("j v j j v");
    assert_eq!(marked(&stage), ids(&[981_207, 981_311, 981_350]));
    stage.assert_shows("3 marked · 300.00 · oldest 4h");
    stage.keys("k space");
    assert_eq!(marked(&stage), ids(&[981_207, 981_350]));
    stage.keys("u");
    assert!(marked(&stage).is_empty());
}

#[test]
fn all_that_match_are_frozen_and_marked() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("A");
    let ticket = stage.ticket();
    stage.answer(Answer::All { ticket, result: Ok((queue(), ids(&[981_999]))) });
    assert_eq!(marked(&stage).len(), 6);
    stage.assert_shows("6 orders marked: all that match now.");
    stage.assert_shows("a approve 6/6");
}

#[test]
fn a_refresh_moves_nothing_and_counts_what_is_new() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("j j space k");
    stage.on(Event::Counters(counters(48)));
    stage.wait(1);
    let mut rows = queue();
    rows.remove(0);
    rows.insert(0, many(1).remove(0));
    stage.list(rows);
    let list = stage.app.list().unwrap();
    assert_eq!((list.rows[0].id.get(), list.rows[0].left), (981_204, true));
    assert_eq!((list.current().unwrap().id.get(), list.fresh), (981_311, 1));
    stage.assert_shows("1 new");
    stage.keys("ctrl-r");
    stage.list(queue());
    assert!(!stage.app.list().unwrap().rows[0].left);
}

#[test]
fn marks_that_left_the_queue_are_dropped_with_a_word() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("space ctrl-r");
    stage.list(queue().split_off(1));
    assert!(marked(&stage).is_empty());
    stage.assert_shows("1 mark dropped: no longer in this queue.");
}

#[test]
fn filters_are_read_kept_and_recalled() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("/ ctrl-u");
    stage.types("cost>50 user:anna");
    stage.keys("enter");
    let jobs = stage.take();
    let [Job::Load { query, .. }] = &jobs[..] else { panic!("{jobs:?}") };
    let asked: Vec<_> =
        query.columns.iter().map(|column| (column.data.as_str(), column.search.as_str())).collect();
    assert_eq!(asked, [("cost", "50.000001.."), ("user", "anna"), ("id", "")]);
    stage.list(Vec::new());
    stage.assert_shows("filter: cost>50 user:anna");
    stage.assert_shows("Nothing matches this filter.");
    stage.keys("/ ctrl-u up");
    stage.assert_shows("filter: cost>50 user:anna");
    stage.keys("esc esc");
    stage.assert_shows("filter: status:in_moderation");
}

#[test]
fn a_wrong_filter_is_told_at_its_place_and_asks_nothing() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("/");
    stage.types("colour:red");
    stage.keys("enter");
    assert!(stage.take().is_empty());
    stage.assert_shows("There is no field colour.");
}

#[test]
fn pages() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("ctrl-r");
    stage.listed(many(100), 250);
    stage.assert_shows("of 250");
    stage.take();
    stage.keys("]");
    assert!(matches!(&stage.take()[..], [Job::Load { query, .. }] if query.start == 100));
}

/// Rows and range are those of the page that is shown: the next one counts once it has come.
#[test]
fn a_page_that_does_not_come_leaves_the_shown_one() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("ctrl-r");
    stage.listed(many(100), 250);
    let (range, first) = ("1–", stage.app.list().unwrap().rows[0].id);
    stage.assert_shows(range);
    stage.keys("]");
    let shown = |stage: &Stage| {
        let list = stage.app.list().unwrap();
        (list.rows[0].id, list.rows.len(), list.start)
    };
    assert_eq!(shown(&stage), (first, 100, 0), "while the next page is on its way");
    let ticket = stage.ticket();
    let failed = Err(trouble(TroubleKind::Other, "The panel is not well."));
    stage.answer(Answer::Listing { ticket, result: failed });
    stage.assert_shows("The panel is not well.");
    assert_eq!(shown(&stage), (first, 100, 0));
    stage.assert_shows(range);
    stage.take();
    stage.keys("]");
    assert!(
        matches!(&stage.take()[..], [Job::Load { query, .. }] if query.start == 100),
        "] again turns to page 2"
    );
    stage.listed(many(100), 250);
    assert_eq!(stage.app.list().unwrap().start, 100);
    stage.assert_shows("101–");
    stage.keys("]");
    assert!(matches!(&stage.take()[..], [Job::Load { query, .. }] if query.start == 200));
}

#[test]
fn the_record_follows_the_cursor_once_that_rests() {
    let mut stage = Stage::with(LARGE, queue());
    let mut asked = |keys: &str| {
        stage.keys(keys);
        stage.wait(1);
        let id = |job: &Job| if let Job::Detail { id, .. } = job { Some(*id) } else { None };
        stage.take().iter().filter_map(id).collect::<Vec<_>>()
    };
    assert_eq!(asked("g"), ids(&[981_204]));
    assert_eq!(asked("j j"), ids(&[981_311]), "what was only passed is not asked for");
}

#[test]
fn commands_reach_everything() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys(":");
    stage.types("orders 981204");
    stage.keys("enter");
    assert!(matches!(&stage.take()[..], [Job::Detail { id, .. }] if id.get() == 981_204));
    stage.keys("esc :");
    stage.types("queue no");
    stage.keys("enter");
    assert_eq!(stage.app.list().unwrap().tab.name, "No provider");
    stage.take();
    stage.keys(":");
    stage.types("profile other");
    stage.keys("enter");
    assert_eq!(stage.take(), [Job::Profile("other".into())]);
}

#[test]
fn a_failed_refresh_keeps_the_old_rows_and_tries_again() {
    let mut stage = Stage::with(SMALL, queue());
    stage.keys("ctrl-r");
    let ticket = stage.ticket();
    stage.answer(Answer::Listing {
        ticket,
        result: Err(trouble(TroubleKind::Other, "The panel is not well.")),
    });
    stage.assert_shows("The panel is not well. (request 0199-7f3a) · ctrl-r tries again");
    stage.assert_shows("981204");
    stage.take();
    stage.wait(16);
    assert!(stage.take().iter().any(|job| matches!(job, Job::Load { .. })));
}

#[test]
fn while_the_panel_is_away_it_is_not_asked_for_lists() {
    let mut stage = Stage::with(SMALL, queue());
    stage.on(Event::Connection(Connection::Offline(stage.now)));
    stage.wait(60);
    assert!(stage.take().is_empty());
}
