//! The queues of combo orders and free-trial requests: tabs, keys and texts.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::free_trials::FreeTrial;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::job::{Answer, Job};
use panel_tui::model::queue::Source;
use panel_tui::model::row::RecordRow;
use panel_tui::model::run::Run;
use panel_tui::model::verb::Verb;
use panel_tui::model::{combo_orders, free_trials};
use panel_tui::session::Options;
use serde_json::json;

use crate::harness::{Harness, NOW, SMALL, assert_frame, ids};
use crate::runs::preview;

fn trial(id: i64, hours: i64) -> FreeTrial {
    serde_json::from_value(json!({
        "id": id, "order_id": null, "proof_url": "https://photo.example/proof/1", "quantity": 100,
        "name": "Post about us", "url": "https://photo.example/\u{1b}[2Jp/1", "status": "pending",
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"}, "approved_by": null, "approved_at": null,
        "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "free_trial_quest_id": 1,
        "valid_from": NOW.to_string(), "valid_to": null, "actions": {"approvable": true, "rejectable": true}
    }))
    .unwrap()
}

fn combo(id: i64, hours: i64) -> ComboOrder {
    serde_json::from_value(json!({
        "id": id, "status": "in_moderation", "url": "https://photo.example/p/1", "source": "cabinet",
        "package": {"id": 3, "name": "Starter", "type": "combo"},
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"}, "orders_count": 3, "cost": "16",
        "returned": "0", "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "completed_at": null,
        "canceled_at": null, "updated_at": NOW.to_string(),
        "actions": {"approvable": true, "rejectable": true, "completable": false}
    }))
    .unwrap()
}

fn harness(held: &[Permission], key: &str, rows: Vec<RecordRow>) -> Harness {
    let mut harness = Harness::new(SMALL, Options::default());
    harness.signed_in(held);
    harness.list(Vec::new());
    harness.keys(key);
    harness.list(rows);
    harness.take();
    harness
}

#[track_caller]
fn take_run(harness: &mut Harness) -> Run {
    let jobs = harness.take();
    let run = jobs.into_iter().find_map(|job| if let Job::Run { run, .. } = job { Some(run) } else { None });
    run.expect("a run starts")
}

#[test]
fn free_trial_requests_are_approved() {
    let rows = vec![free_trials::row(&trial(7, 9)), free_trials::row(&trial(8, 2))];
    let mut harness = harness(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    let id = RecordId::new(7);
    harness.answer(Answer::Detail { id, result: Ok(Box::new(free_trials::detail(&trial(7, 9)))) });
    assert_frame("free_trials", &harness);
    harness.keys("space j space a");
    preview(&mut harness, &[7, 8], &[], "0");
    harness.assert_shows("Each request becomes a free order.");
    harness.keys("y");
    let run = take_run(&mut harness);
    assert_eq!((run.source, run.verb, run.ids), (Source::FreeTrials, Verb::ApproveTrial, ids(&[7, 8])));
}

#[test]
fn combo_orders_are_moderated() {
    let rows = vec![combo_orders::row(&combo(17, 3))];
    let held = [Permission::ViewOrders, Permission::ManageOrders];
    let mut harness = harness(&held, "2", rows);
    let id = RecordId::new(17);
    harness.answer(Answer::Detail { id, result: Ok(Box::new(combo_orders::detail(&combo(17, 3)))) });
    assert_frame("combo_orders", &harness);
    harness.keys("r");
    preview(&mut harness, &[17], &[], "16");
    harness.assert_shows("16.00 refunded");
    harness.keys("y");
    let run = take_run(&mut harness);
    assert_eq!((run.source, run.verb, run.ids), (Source::ComboOrders, Verb::RejectCombo, ids(&[17])));
}

#[test]
fn one_request_can_be_approved_with_another_quantity() {
    let rows = vec![free_trials::row(&trial(7, 9))];
    let mut harness = harness(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    harness.keys("a");
    preview(&mut harness, &[7], &[], "0");
    harness.assert_shows("Quantity");
    harness.assert_shows("quest quantity");
    harness.keys("shift-tab");
    harness.types("2x");
    harness.assert_shows("Type digits only.");
    harness.types(".50");
    preview(&mut harness, &[7], &[], "0");
    harness.keys("tab tab enter");
    let run = take_run(&mut harness);
    assert_eq!((run.verb, run.input_text.as_deref()), (Verb::ApproveTrial, Some("250")));
}

#[test]
fn every_tab_is_visible_on_a_narrow_screen() {
    for (width, held) in [(80, "6 Panels"), (70, "6 Panels"), (60, " 6 ")] {
        let mut harness = Harness::new((width, 24), Options::default());
        harness.signed_in(Permission::ALL);
        harness.list(Vec::new());
        harness.keys("5");
        harness.listed(Vec::new(), 12_345);
        harness.assert_shows(held);
        let names = ["1 Orders", "2 Combo", "3 Trials", "4 No prov.", "5 Withdr."];
        assert!(width < 70 || names.iter().all(|name| harness.shows(name)), "{}", harness.frame());
    }
}
