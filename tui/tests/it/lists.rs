//! Lists: marks, ranges, filters, pages, refreshes and the record pane.

use panel_contract::ids::RecordId;
use panel_tui::event::Event;
use panel_tui::job::{FailureKind, Job, RunnerEvent};
use panel_tui::model::list::MatchingRecords;
use panel_tui::session::Connection;

use crate::harness::{Harness, LARGE_SIZE, SMALL_SIZE, counters, failure, ids};
use crate::records::{order_rows, queue_rows};

fn marked_ids(harness: &Harness) -> Vec<RecordId> {
    harness.app.list().unwrap().marks.ids()
}

#[test]
fn marks_ranges_and_single_records() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("j v j j v");
    assert_eq!(marked_ids(&harness), ids(&[981_207, 981_311, 981_350]));
    harness.assert_shows("3 marked · 300.00 · oldest 4h");
    harness.press_keys("k space");
    assert_eq!(marked_ids(&harness), ids(&[981_207, 981_350]));
    harness.press_keys("u");
    assert!(marked_ids(&harness).is_empty());
}

#[test]
fn marks_all_matching_records() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("A");
    let job_id = harness.job_id();
    harness.runner_event(RunnerEvent::MatchingRecords {
        job_id,
        result: Ok(MatchingRecords { rows: queue_rows(), ids: ids(&[981_999]) }),
    });
    assert_eq!(marked_ids(&harness).len(), 6);
    harness.assert_shows("6 orders marked.");
    harness.assert_shows("a approve 6/6");
}

#[test]
fn a_refresh_moves_no_row_and_counts_new_records() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("j j space k");
    harness.handle(Event::Counters(counters(48)));
    harness.advance_seconds(1);
    let mut rows = queue_rows();
    rows.remove(0);
    rows.insert(0, order_rows(1).remove(0));
    harness.load_rows(rows);
    let list = harness.app.list().unwrap();
    assert_eq!((list.rows[0].id.get(), list.rows[0].has_left_queue), (981_204, true));
    assert_eq!((list.selected_row().unwrap().id.get(), list.new_count), (981_311, 1));
    harness.assert_shows("1 new");
    harness.press_keys("ctrl-r");
    harness.load_rows(queue_rows());
    assert!(!harness.app.list().unwrap().rows[0].has_left_queue);
}

#[test]
fn a_refresh_removes_the_marks_of_records_that_left_the_queue() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("space ctrl-r");
    harness.load_rows(queue_rows().split_off(1));
    assert!(marked_ids(&harness).is_empty());
    harness.assert_shows("1 mark removed: no longer in this queue.");
}

#[test]
fn applies_a_filter_and_shows_it_in_the_history() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("/ ctrl-u");
    harness.type_text("cost>50 user:anna");
    harness.press_keys("enter");
    let jobs = harness.take_jobs();
    let [Job::LoadPage { query, .. }] = &jobs[..] else { panic!("{jobs:?}") };
    let searches: Vec<_> =
        query.columns.iter().map(|column| (column.data.as_str(), column.search.as_str())).collect();
    assert_eq!(searches, [("cost", "50.000001.."), ("user", "anna"), ("id", "")]);
    harness.load_rows(Vec::new());
    harness.assert_shows("filter: cost>50 user:anna");
    harness.assert_shows("Nothing matches this filter.");
    harness.press_keys("/ ctrl-u up");
    harness.assert_shows("filter: cost>50 user:anna");
    harness.press_keys("esc esc");
    harness.assert_shows("filter: status:in_moderation");
}

#[test]
fn an_invalid_filter_shows_an_error_and_loads_nothing() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("/");
    harness.type_text("colour:red");
    harness.press_keys("enter");
    assert!(harness.take_jobs().is_empty());
    harness.assert_shows("There is no field colour.");
}

#[test]
fn the_next_page_starts_after_the_shown_page() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("ctrl-r");
    harness.load_page(order_rows(100), 250);
    harness.assert_shows("of 250");
    harness.take_jobs();
    harness.press_keys("]");
    assert!(matches!(&harness.take_jobs()[..], [Job::LoadPage { query, .. }] if query.start == 100));
}

/// The rows and the range stay those of the shown page until the next page is loaded.
#[test]
fn a_failed_page_keeps_the_shown_page() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("ctrl-r");
    harness.load_page(order_rows(100), 250);
    let (range, first_id) = ("1–", harness.app.list().unwrap().rows[0].id);
    harness.assert_shows(range);
    harness.press_keys("]");
    let shown_page = |harness: &Harness| {
        let list = harness.app.list().unwrap();
        (list.rows[0].id, list.rows.len(), list.offset)
    };
    assert_eq!(
        shown_page(&harness),
        (first_id, 100, 0),
        "the shown page must stay while the next page is loading"
    );
    let job_id = harness.job_id();
    let load_error = Err(failure(FailureKind::Other, "The list failed to load."));
    harness.runner_event(RunnerEvent::Page { job_id, result: load_error });
    harness.assert_shows("The list failed to load.");
    assert_eq!(shown_page(&harness), (first_id, 100, 0));
    harness.assert_shows(range);
    harness.take_jobs();
    harness.press_keys("]");
    assert!(
        matches!(&harness.take_jobs()[..], [Job::LoadPage { query, .. }] if query.start == 100),
        "a second ] must request page 2"
    );
    harness.load_page(order_rows(100), 250);
    assert_eq!(harness.app.list().unwrap().offset, 100);
    harness.assert_shows("101–");
    harness.press_keys("]");
    assert!(matches!(&harness.take_jobs()[..], [Job::LoadPage { query, .. }] if query.start == 200));
}

#[test]
fn loads_the_selected_record_when_the_cursor_stops() {
    let mut harness = Harness::with_orders(LARGE_SIZE, queue_rows());
    let mut loaded_ids = |keys: &str| {
        harness.press_keys(keys);
        harness.advance_seconds(1);
        let id = |job: &Job| if let Job::LoadDetail { id, .. } = job { Some(*id) } else { None };
        harness.take_jobs().iter().filter_map(id).collect::<Vec<_>>()
    };
    assert_eq!(loaded_ids("g"), ids(&[981_204]));
    assert_eq!(loaded_ids("j j"), ids(&[981_311]), "the dashboard must not load the records between");
}

#[test]
fn commands_open_an_order_a_queue_and_a_profile() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys(":");
    harness.type_text("orders 981204");
    harness.press_keys("enter");
    assert!(matches!(&harness.take_jobs()[..], [Job::LoadDetail { id, .. }] if id.get() == 981_204));
    harness.press_keys("esc :");
    harness.type_text("queue no");
    harness.press_keys("enter");
    assert_eq!(harness.app.list().unwrap().tab.name, "No provider");
    harness.take_jobs();
    harness.press_keys(":");
    harness.type_text("profile other");
    harness.press_keys("enter");
    assert_eq!(harness.take_jobs(), [Job::SwitchProfile("other".into())]);
}

#[test]
fn a_failed_refresh_keeps_the_rows_and_retries() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.press_keys("ctrl-r");
    let job_id = harness.job_id();
    harness.runner_event(RunnerEvent::Page {
        job_id,
        result: Err(failure(FailureKind::Other, "The list failed to load.")),
    });
    harness.assert_shows("The list failed to load. (request 0199-7f3a) · ctrl-r to retry");
    harness.assert_shows("981204");
    harness.take_jobs();
    harness.advance_seconds(16);
    assert!(harness.take_jobs().iter().any(|job| matches!(job, Job::LoadPage { .. })));
}

#[test]
fn loads_no_list_while_offline() {
    let mut harness = Harness::with_orders(SMALL_SIZE, queue_rows());
    harness.handle(Event::Connection(Connection::Offline(harness.now)));
    harness.advance_seconds(60);
    assert!(harness.take_jobs().is_empty());
}
