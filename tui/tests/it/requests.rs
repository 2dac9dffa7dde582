//! The queues of combo orders and free-trial requests.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::free_trials::FreeTrial;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::job::{Job, RunnerEvent};
use panel_tui::model::queue::Source;
use panel_tui::model::record_action::RecordAction;
use panel_tui::model::row::RecordRow;
use panel_tui::model::run::Run;
use panel_tui::model::{combo_orders, free_trials};
use panel_tui::session::Options;
use serde_json::json;

use crate::harness::{Harness, NOW, SMALL_SIZE, assert_frame, ids};
use crate::runs::finish_preview;

fn build_trial(id: i64, hours: i64) -> FreeTrial {
    serde_json::from_value(json!({
        "id": id, "order_id": null, "proof_url": "https://photo.example/proof/1", "quantity": 100,
        "name": "Post about us", "url": "https://photo.example/\u{1b}[2Jp/1", "status": "pending",
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"}, "approved_by": null, "approved_at": null,
        "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "free_trial_quest_id": 1,
        "valid_from": NOW.to_string(), "valid_to": null, "actions": {"approvable": true, "rejectable": true}
    }))
    .unwrap()
}

fn build_combo(id: i64, hours: i64) -> ComboOrder {
    serde_json::from_value(json!({
        "id": id, "status": "in_moderation", "url": "https://photo.example/p/1", "source": "cabinet",
        "package": {"id": 3, "name": "Starter", "type": "combo"},
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"}, "orders_count": 3, "cost": "16",
        "refunded": "0", "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "completed_at": null,
        "canceled_at": null, "updated_at": NOW.to_string(),
        "actions": {"approvable": true, "rejectable": true, "completable": false}
    }))
    .unwrap()
}

fn queue_harness(permissions: &[Permission], key: &str, rows: Vec<RecordRow>) -> Harness {
    let mut harness = Harness::new(SMALL_SIZE, Options::default());
    harness.signed_in(permissions);
    harness.load_rows(Vec::new());
    harness.press_keys(key);
    harness.load_rows(rows);
    harness.take_jobs();
    harness
}

#[track_caller]
fn take_run(harness: &mut Harness) -> Run {
    let jobs = harness.take_jobs();
    let run = jobs.into_iter().find_map(|job| if let Job::Run { run, .. } = job { Some(run) } else { None });
    run.expect("the dashboard started no run")
}

#[test]
fn approves_free_trial_requests() {
    let rows = vec![free_trials::to_row(&build_trial(7, 9)), free_trials::to_row(&build_trial(8, 2))];
    let mut harness = queue_harness(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    let id = RecordId::new(7);
    harness.runner_event(RunnerEvent::Detail {
        id,
        result: Ok(Box::new(free_trials::to_detail(&build_trial(7, 9)))),
    });
    assert_frame("free_trials", &harness);
    harness.press_keys("space j space a");
    finish_preview(&mut harness, &[7, 8], &[], "0");
    harness.assert_shows("Each request becomes a free order.");
    harness.press_keys("y");
    let run = take_run(&mut harness);
    assert_eq!(
        (run.source, run.action, run.ids),
        (Source::FreeTrials, RecordAction::ApproveTrial, ids(&[7, 8]))
    );
}

#[test]
fn rejects_a_combo_order() {
    let rows = vec![combo_orders::to_row(&build_combo(17, 3))];
    let permissions = [Permission::ViewOrders, Permission::ManageOrders];
    let mut harness = queue_harness(&permissions, "2", rows);
    let id = RecordId::new(17);
    harness.runner_event(RunnerEvent::Detail {
        id,
        result: Ok(Box::new(combo_orders::to_detail(&build_combo(17, 3)))),
    });
    assert_frame("combo_orders", &harness);
    harness.press_keys("r");
    finish_preview(&mut harness, &[17], &[], "16");
    harness.assert_shows("16.00 refunded");
    harness.press_keys("y");
    let run = take_run(&mut harness);
    assert_eq!(
        (run.source, run.action, run.ids),
        (Source::ComboOrders, RecordAction::RejectCombo, ids(&[17]))
    );
}

#[test]
fn approves_a_single_request_with_another_quantity() {
    let rows = vec![free_trials::to_row(&build_trial(7, 9))];
    let mut harness = queue_harness(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    harness.press_keys("a");
    finish_preview(&mut harness, &[7], &[], "0");
    harness.assert_shows("Quantity");
    harness.assert_shows("quest quantity");
    harness.press_keys("shift-tab");
    harness.type_text("2x");
    harness.assert_shows("Type digits only.");
    harness.type_text(".50");
    finish_preview(&mut harness, &[7], &[], "0");
    harness.press_keys("tab tab enter");
    let run = take_run(&mut harness);
    assert_eq!((run.action, run.input_text.as_deref()), (RecordAction::ApproveTrial, Some("250")));
}

#[test]
fn every_tab_is_visible_on_a_narrow_screen() {
    for (width, last_tab) in [(80, "6 Panels"), (70, "6 Panels"), (60, " 6 ")] {
        let mut harness = Harness::new((width, 24), Options::default());
        harness.signed_in(Permission::ALL);
        harness.load_rows(Vec::new());
        harness.press_keys("5");
        harness.load_page(Vec::new(), 12_345);
        harness.assert_shows(last_tab);
        let names = ["1 Orders", "2 Combo", "3 Trials", "4 No prov.", "5 Withdr."];
        assert!(width < 70 || names.iter().all(|name| harness.shows(name)), "{}", harness.frame());
    }
}
