//! The queues of combo orders and of free-trial requests: their tabs, keys and words.

use panel_contract::combo_orders::ComboOrder;
use panel_contract::free_trials::FreeTrial;
use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_tui::job::{Answer, Job};
use panel_tui::model::queue::Source;
use panel_tui::model::row::Row;
use panel_tui::model::run::Run;
use panel_tui::model::verb::Verb;
use panel_tui::model::{combo_orders, free_trials};
use panel_tui::session::Options;
use serde_json::json;

use crate::runs::preview;
use crate::stage::{NOW, SMALL, Stage, assert_frame, ids};

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

fn stage(held: &[Permission], key: &str, rows: Vec<Row>) -> Stage {
    let mut stage = Stage::new(SMALL, Options::default());
    stage.signed_in(held);
    stage.list(Vec::new());
    stage.keys(key);
    stage.list(rows);
    stage.take();
    stage
}

#[track_caller]
fn ran(stage: &mut Stage) -> Run {
    let jobs = stage.take();
    let run = jobs.into_iter().find_map(|job| if let Job::Act { run, .. } = job { Some(run) } else { None });
    run.expect("something is run")
}

#[test]
fn requests_are_decided() {
    let rows = vec![free_trials::row(&trial(7, 9)), free_trials::row(&trial(8, 2))];
    let mut stage = stage(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    let id = RecordId::new(7);
    stage.answer(Answer::Detail { id, result: Ok(Box::new(free_trials::detail(&trial(7, 9)))) });
    assert_frame("free_trials", &stage);
    stage.keys("space j space a");
    preview(&mut stage, &[7, 8], &[], "0");
    stage.assert_shows("Each becomes an order that costs nothing.");
    stage.keys("y");
    let run = ran(&mut stage);
    assert_eq!((run.source, run.verb, run.ids), (Source::FreeTrials, Verb::ApproveTrial, ids(&[7, 8])));
}

#[test]
fn combo_orders_are_moderated() {
    let rows = vec![combo_orders::row(&combo(17, 3))];
    let held = [Permission::ViewOrders, Permission::ManageOrders];
    let mut stage = stage(&held, "2", rows);
    let id = RecordId::new(17);
    stage.answer(Answer::Detail { id, result: Ok(Box::new(combo_orders::detail(&combo(17, 3)))) });
    assert_frame("combo_orders", &stage);
    stage.keys("r");
    preview(&mut stage, &[17], &[], "16");
    stage.assert_shows("16.00 goes back");
    stage.keys("y");
    let run = ran(&mut stage);
    assert_eq!((run.source, run.verb, run.ids), (Source::ComboOrders, Verb::RejectCombo, ids(&[17])));
}

#[test]
fn one_request_can_be_approved_with_another_quantity() {
    let rows = vec![free_trials::row(&trial(7, 9))];
    let mut stage = stage(&[Permission::ViewOrders, Permission::ManageFreeTrials], "3", rows);
    stage.keys("a");
    preview(&mut stage, &[7], &[], "0");
    stage.assert_shows("Quantity");
    stage.assert_shows("what the quest gives");
    stage.keys("shift-tab");
    stage.types("2x");
    stage.assert_shows("Only digits here.");
    stage.types(".50");
    preview(&mut stage, &[7], &[], "0");
    stage.keys("tab tab enter");
    let run = ran(&mut stage);
    assert_eq!((run.verb, run.words.as_deref()), (Verb::ApproveTrial, Some("250")));
}

#[test]
fn every_tab_is_whole_on_a_narrow_screen() {
    for (width, held) in [(80, "6 Supply"), (70, "6 Supply"), (60, " 6 ")] {
        let mut stage = Stage::new((width, 24), Options::default());
        stage.signed_in(Permission::ALL);
        stage.list(Vec::new());
        stage.keys("5");
        stage.listed(Vec::new(), 12_345);
        stage.assert_shows(held);
        let names = ["1 Orders", "2 Combo", "3 Trials", "4 No prov.", "5 Withdr."];
        assert!(width < 70 || names.iter().all(|name| stage.shows(name)), "{}", stage.frame());
    }
}
