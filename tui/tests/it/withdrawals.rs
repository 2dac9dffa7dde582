//! The queue of withdrawals: its keys, the texts they ask for, one at a time where a number belongs to one.

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::withdrawals::Withdrawal;
use panel_tui::job::{Answer, Job, TroubleKind};
use panel_tui::model::queue::Source;
use panel_tui::model::row::Row;
use panel_tui::model::run::Run;
use panel_tui::model::verb::Verb;
use panel_tui::model::withdrawals::{detail, row};
use panel_tui::session::Options;
use serde_json::json;

use crate::runs::{outcome, preview};
use crate::stage::{LARGE, NOW, SMALL, Stage, assert_frame, ids, trouble};

fn withdrawal(id: i64, hours: i64, status: &str, amount: &str, account: &str) -> Withdrawal {
    let paid = (status == "paid").then_some("TX-1");
    serde_json::from_value(json!({
        "id": id, "account_number": account, "amount": amount, "balance_type": "referral",
        "withdrawal_method": {"id": 2, "name": "Bank transfer"}, "admin_note": null,
        "user_comment": "Before the weekend, please", "transaction_id": paid, "status": status, "returned": "0",
        "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "approved_at": null, "paid_at": null,
        "rejected_at": null, "updated_at": NOW.to_string(),
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"},
        "actions": {
            "approve": status == "pending", "paid": status == "approved", "reject": status != "paid", "needs_colleague": false,
        },
    }))
    .unwrap()
}

fn queue() -> Vec<Row> {
    [
        withdrawal(385, 9, "pending", "42.5", "DE89 3704 0044 0532 7731"),
        withdrawal(386, 8, "approved", "180", "payouts+386@example.com"),
        withdrawal(387, 6, "approved", "12.75", "\u{1b}[2J\u{202e}TQn9Y2khEsLJW1ChVWFMSMeRDow5K387"),
        withdrawal(390, 1, "pending", "1200", "**** **** **** 4417"),
    ]
    .iter()
    .map(row)
    .collect()
}

/// Signed in as somebody who sees nothing but withdrawals.
fn stage(size: (u16, u16), held: &[Permission]) -> Stage {
    let mut stage = Stage::new(size, Options::default());
    stage.signed_in(held);
    stage.list(queue());
    stage.take();
    stage
}

fn clerk(size: (u16, u16)) -> Stage {
    stage(size, &[Permission::ViewWithdrawals, Permission::ManageWithdrawals])
}

#[track_caller]
fn ran(stage: &mut Stage) -> Run {
    let runs: Vec<Run> = stage
        .take()
        .into_iter()
        .filter_map(|job| if let Job::Act { run, .. } = job { Some(run) } else { None })
        .collect();
    assert_eq!(runs.len(), 1);
    runs[0].clone()
}

#[test]
fn the_tab_is_there_for_who_may_see_it() {
    clerk(SMALL).assert_shows("5 Withdrawals 4");
    let stage = Stage::with(SMALL, Vec::new());
    assert!(!stage.shows("Withdrawals"), "{}", stage.frame());
}

#[test]
fn several_are_approved_at_once() {
    let mut stage = clerk(SMALL);
    stage.keys("space j j space a");
    preview(&mut stage, &[385, 390], &[], "0");
    stage.assert_shows("The money stays held until the payout.");
    stage.keys("y");
    let run = ran(&mut stage);
    assert_eq!(
        (run.source, run.verb, run.ids),
        (Source::Withdrawals, Verb::ApproveWithdrawal, ids(&[385, 390]))
    );
}

#[test]
fn a_rejection_wants_its_reason() {
    let mut stage = clerk(SMALL);
    stage.keys("r");
    preview(&mut stage, &[385], &[], "42.5");
    stage.assert_shows("42.50 goes back");
    stage.keys("y");
    stage.assert_shows("Write the reason: the customer reads it.");
    stage.types("Not y");
    stage.types("ours");
    stage.keys("tab tab enter");
    let run = ran(&mut stage);
    assert_eq!((run.verb, run.words.as_deref()), (Verb::RejectWithdrawal, Some("Not yours")));
}

#[test]
fn a_payout_wants_the_number_of_the_transfer_and_one_record() {
    let mut stage = clerk(SMALL);
    stage.keys("d");
    stage.assert_shows("Cannot mark as paid 385: it is pending");
    stage.keys("j space space d");
    stage.assert_shows("One withdrawal at a time");
    stage.keys("u k k d");
    preview(&mut stage, &[386], &[], "0");
    stage.keys("y");
    stage.assert_shows("Write the number of the transfer");
    stage.types("TX-9");
    // The panel's word on what is typed, before anything is done.
    let ticket = stage.ticket();
    let used = trouble(TroubleKind::Other, "Transaction TX-9 paid withdrawal 12 already; check the number.");
    stage.answer(Answer::Preview { ticket, result: Err(used) });
    stage.assert_shows("paid withdrawal 12 already");
    stage.keys("tab tab enter");
    assert!(!stage.take().iter().any(|job| matches!(job, Job::Act { .. })));
    stage.keys("shift-tab shift-tab");
    stage.types("0");
    preview(&mut stage, &[386], &[], "0");
    stage.keys("tab tab enter");
    let ticket = stage.ticket();
    let run = ran(&mut stage);
    assert_eq!((run.verb, run.ids, run.words.as_deref()), (Verb::PayWithdrawal, ids(&[386]), Some("TX-90")));
    stage.answer(Answer::Acted { ticket, result: Ok(outcome(&[386], &[], "0")) });
    stage.assert_shows("386 marked as paid");
    assert!(!stage.shows("z undo"));
}

#[test]
fn keys_of_orders_do_nothing_here_and_say_so() {
    let mut stage = clerk(SMALL);
    stage.keys("c");
    stage.assert_shows("There is nothing to cancel here.");
    let mut viewer = self::stage(SMALL, &[Permission::ViewWithdrawals]);
    viewer.keys("a");
    viewer.assert_shows("lacks the permission \"manage withdrawals\"");
}

#[test]
fn screens() {
    for size in [SMALL, LARGE] {
        let mut stage = clerk(size);
        stage.wait(1);
        let full = detail(&withdrawal(385, 9, "pending", "42.5", "DE89 3704 0044 0532 7731"));
        stage.answer(Answer::Detail { id: RecordId::new(385), result: Ok(Box::new(full)) });
        assert_frame("withdrawals", &stage);
        stage.keys("r");
        preview(&mut stage, &[385], &[], "42.5");
        assert_frame("withdrawals_reject", &stage);
    }
}
