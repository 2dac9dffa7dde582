//! Lists: marks, ranges, filters, pages, refreshes and the record pane.

use panel_contract::ids::RecordId;
use panel_tui::event::Event;
use panel_tui::job::{Answer, FailureKind, Job};
use panel_tui::model::list::MatchingRecords;
use panel_tui::session::Connection;

use crate::harness::{Harness, LARGE, SMALL, counters, failure, ids};
use crate::records::{many, queue};

fn marked(harness: &Harness) -> Vec<RecordId> {
    harness.app.list().unwrap().marks.ids()
}

#[test]
fn ranges_and_marks() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("j v j j v");
    assert_eq!(marked(&harness), ids(&[981_207, 981_311, 981_350]));
    harness.assert_shows("3 marked · 300.00 · oldest 4h");
    harness.keys("k space");
    assert_eq!(marked(&harness), ids(&[981_207, 981_350]));
    harness.keys("u");
    assert!(marked(&harness).is_empty());
}

#[test]
fn all_matching_records_are_marked() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("A");
    let job_id = harness.job_id();
    harness.answer(Answer::MatchingRecords {
        job_id,
        result: Ok(MatchingRecords { rows: queue(), ids: ids(&[981_999]) }),
    });
    assert_eq!(marked(&harness).len(), 6);
    harness.assert_shows("6 orders marked.");
    harness.assert_shows("a approve 6/6");
}

#[test]
fn a_refresh_moves_no_row_and_counts_new_ones() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("j j space k");
    harness.on(Event::Counters(counters(48)));
    harness.wait(1);
    let mut rows = queue();
    rows.remove(0);
    rows.insert(0, many(1).remove(0));
    harness.list(rows);
    let list = harness.app.list().unwrap();
    assert_eq!((list.rows[0].id.get(), list.rows[0].left_queue), (981_204, true));
    assert_eq!((list.current().unwrap().id.get(), list.new_count), (981_311, 1));
    harness.assert_shows("1 new");
    harness.keys("ctrl-r");
    harness.list(queue());
    assert!(!harness.app.list().unwrap().rows[0].left_queue);
}

#[test]
fn marks_outside_of_the_queue_are_removed_with_a_message() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("space ctrl-r");
    harness.list(queue().split_off(1));
    assert!(marked(&harness).is_empty());
    harness.assert_shows("1 mark removed: no longer in this queue.");
}

#[test]
fn filters_are_applied_and_recalled() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("/ ctrl-u");
    harness.types("cost>50 user:anna");
    harness.keys("enter");
    let jobs = harness.take();
    let [Job::Load { query, .. }] = &jobs[..] else { panic!("{jobs:?}") };
    let searches: Vec<_> =
        query.columns.iter().map(|column| (column.data.as_str(), column.search.as_str())).collect();
    assert_eq!(searches, [("cost", "50.000001.."), ("user", "anna"), ("id", "")]);
    harness.list(Vec::new());
    harness.assert_shows("filter: cost>50 user:anna");
    harness.assert_shows("Nothing matches this filter.");
    harness.keys("/ ctrl-u up");
    harness.assert_shows("filter: cost>50 user:anna");
    harness.keys("esc esc");
    harness.assert_shows("filter: status:in_moderation");
}

#[test]
fn an_invalid_filter_shows_an_error_and_loads_nothing() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("/");
    harness.types("colour:red");
    harness.keys("enter");
    assert!(harness.take().is_empty());
    harness.assert_shows("There is no field colour.");
}

#[test]
fn pages() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("ctrl-r");
    harness.listed(many(100), 250);
    harness.assert_shows("of 250");
    harness.take();
    harness.keys("]");
    assert!(matches!(&harness.take()[..], [Job::Load { query, .. }] if query.start == 100));
}

/// Rows and range belong to the shown page until the next page is loaded.
#[test]
fn a_failed_page_keeps_the_shown_page() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("ctrl-r");
    harness.listed(many(100), 250);
    let (range, first) = ("1–", harness.app.list().unwrap().rows[0].id);
    harness.assert_shows(range);
    harness.keys("]");
    let shown = |harness: &Harness| {
        let list = harness.app.list().unwrap();
        (list.rows[0].id, list.rows.len(), list.start)
    };
    assert_eq!(shown(&harness), (first, 100, 0), "while the next page is loading");
    let job_id = harness.job_id();
    let failed = Err(failure(FailureKind::Other, "The panel is not well."));
    harness.answer(Answer::Listing { job_id, result: failed });
    harness.assert_shows("The panel is not well.");
    assert_eq!(shown(&harness), (first, 100, 0));
    harness.assert_shows(range);
    harness.take();
    harness.keys("]");
    assert!(
        matches!(&harness.take()[..], [Job::Load { query, .. }] if query.start == 100),
        "] again turns to page 2"
    );
    harness.listed(many(100), 250);
    assert_eq!(harness.app.list().unwrap().start, 100);
    harness.assert_shows("101–");
    harness.keys("]");
    assert!(matches!(&harness.take()[..], [Job::Load { query, .. }] if query.start == 200));
}

#[test]
fn the_record_follows_the_resting_cursor() {
    let mut harness = Harness::with(LARGE, queue());
    let mut loaded_ids = |keys: &str| {
        harness.keys(keys);
        harness.wait(1);
        let id = |job: &Job| if let Job::Detail { id, .. } = job { Some(*id) } else { None };
        harness.take().iter().filter_map(id).collect::<Vec<_>>()
    };
    assert_eq!(loaded_ids("g"), ids(&[981_204]));
    assert_eq!(loaded_ids("j j"), ids(&[981_311]), "records that the cursor only passed are not loaded");
}

#[test]
fn commands_open_orders_queues_and_profiles() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys(":");
    harness.types("orders 981204");
    harness.keys("enter");
    assert!(matches!(&harness.take()[..], [Job::Detail { id, .. }] if id.get() == 981_204));
    harness.keys("esc :");
    harness.types("queue no");
    harness.keys("enter");
    assert_eq!(harness.app.list().unwrap().tab.name, "No provider");
    harness.take();
    harness.keys(":");
    harness.types("profile other");
    harness.keys("enter");
    assert_eq!(harness.take(), [Job::Profile("other".into())]);
}

#[test]
fn a_failed_refresh_keeps_the_old_rows_and_tries_again() {
    let mut harness = Harness::with(SMALL, queue());
    harness.keys("ctrl-r");
    let job_id = harness.job_id();
    harness.answer(Answer::Listing {
        job_id,
        result: Err(failure(FailureKind::Other, "The panel is not well.")),
    });
    harness.assert_shows("The panel is not well. (request 0199-7f3a) · ctrl-r to retry");
    harness.assert_shows("981204");
    harness.take();
    harness.wait(16);
    assert!(harness.take().iter().any(|job| matches!(job, Job::Load { .. })));
}

#[test]
fn lists_are_not_loaded_while_offline() {
    let mut harness = Harness::with(SMALL, queue());
    harness.on(Event::Connection(Connection::Offline(harness.now)));
    harness.wait(60);
    assert!(harness.take().is_empty());
}
