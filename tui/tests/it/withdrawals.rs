//! The queue of withdrawals.

use panel_contract::ids::RecordId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_contract::withdrawals::Withdrawal;
use panel_tui::job::{FailureKind, Job, RunnerEvent};
use panel_tui::model::queue::Source;
use panel_tui::model::record_action::RecordAction;
use panel_tui::model::row::RecordRow;
use panel_tui::model::run::Run;
use panel_tui::model::withdrawals::{to_detail, to_row};
use panel_tui::session::Options;
use serde_json::json;

use crate::harness::{Harness, LARGE_SIZE, NOW, SMALL_SIZE, assert_frame, failure, ids};
use crate::runs::{build_outcome, finish_preview};

fn withdrawal(id: i64, hours: i64, status: &str, amount: &str, account: &str) -> Withdrawal {
    let transaction_id = (status == "paid").then_some("TX-1");
    serde_json::from_value(json!({
        "id": id, "account_number": account, "amount": amount, "balance_type": "referral",
        "withdrawal_method": {"id": 2, "name": "Bank transfer"}, "admin_note": null,
        "user_comment": "Before the weekend, please", "transaction_id": transaction_id, "status": status, "refunded": "0",
        "created_at": Time(NOW.0 - hours * 3_600_000_000).to_string(), "approved_at": null, "paid_at": null,
        "rejected_at": null, "updated_at": NOW.to_string(),
        "user": {"id": 31, "name": "Anna Kowalski", "email": "anna@ex.com"},
        "actions": {
            "approve": status == "pending", "paid": status == "approved", "reject": status != "paid", "needs_colleague": false,
        },
    }))
    .unwrap()
}

fn queue_rows() -> Vec<RecordRow> {
    [
        withdrawal(385, 9, "pending", "42.5", "DE89 3704 0044 0532 7731"),
        withdrawal(386, 8, "approved", "180", "payouts+386@example.com"),
        withdrawal(387, 6, "approved", "12.75", "\u{1b}[2J\u{202e}TQn9Y2khEsLJW1ChVWFMSMeRDow5K387"),
        withdrawal(390, 1, "pending", "1200", "**** **** **** 4417"),
    ]
    .iter()
    .map(to_row)
    .collect()
}

/// Creates a dashboard that is signed in with these permissions.
fn queue_harness(size: (u16, u16), permissions: &[Permission]) -> Harness {
    let mut harness = Harness::new(size, Options::default());
    harness.signed_in(permissions);
    harness.load_rows(queue_rows());
    harness.take_jobs();
    harness
}

fn withdrawal_manager(size: (u16, u16)) -> Harness {
    queue_harness(size, &[Permission::ViewWithdrawals, Permission::ManageWithdrawals])
}

#[track_caller]
fn take_run(harness: &mut Harness) -> Run {
    let runs: Vec<Run> = harness
        .take_jobs()
        .into_iter()
        .filter_map(|job| if let Job::Run { run, .. } = job { Some(run) } else { None })
        .collect();
    assert_eq!(runs.len(), 1);
    runs[0].clone()
}

#[test]
fn the_tab_requires_the_permission() {
    withdrawal_manager(SMALL_SIZE).assert_shows("5 Withdrawals 4");
    let harness = Harness::with_orders(SMALL_SIZE, Vec::new());
    assert!(!harness.shows("Withdrawals"), "{}", harness.frame());
}

#[test]
fn approves_several_withdrawals_at_once() {
    let mut harness = withdrawal_manager(SMALL_SIZE);
    harness.press_keys("space j j space a");
    finish_preview(&mut harness, &[385, 390], &[], "0");
    harness.assert_shows("The money stays on hold until the payout.");
    harness.press_keys("y");
    let run = take_run(&mut harness);
    assert_eq!(
        (run.source, run.action, run.ids),
        (Source::Withdrawals, RecordAction::ApproveWithdrawal, ids(&[385, 390]))
    );
}

#[test]
fn a_rejection_requires_a_reason() {
    let mut harness = withdrawal_manager(SMALL_SIZE);
    harness.press_keys("r");
    finish_preview(&mut harness, &[385], &[], "42.5");
    harness.assert_shows("42.50 refunded");
    harness.press_keys("y");
    harness.assert_shows("Enter the reason. The customer sees it.");
    harness.type_text("Not y");
    harness.type_text("ours");
    harness.press_keys("tab tab enter");
    let run = take_run(&mut harness);
    assert_eq!((run.action, run.input_text.as_deref()), (RecordAction::RejectWithdrawal, Some("Not yours")));
}

#[test]
fn a_payout_requires_a_transaction_number_and_one_record() {
    let mut harness = withdrawal_manager(SMALL_SIZE);
    harness.press_keys("d");
    harness.assert_shows("385 is pending and cannot be marked as paid");
    harness.press_keys("j space space d");
    harness.assert_shows("One withdrawal at a time");
    harness.press_keys("u k k d");
    finish_preview(&mut harness, &[386], &[], "0");
    harness.press_keys("y");
    harness.assert_shows("Enter the transaction number");
    harness.type_text("TX-9");
    // The dry run validates the transaction number before the run.
    let job_id = harness.job_id();
    let used_number_error =
        failure(FailureKind::Other, "Transaction TX-9 paid withdrawal 12 already; check the number.");
    harness.runner_event(RunnerEvent::Preview { job_id, result: Err(used_number_error) });
    harness.assert_shows("paid withdrawal 12 already");
    harness.press_keys("tab tab enter");
    assert!(!harness.take_jobs().iter().any(|job| matches!(job, Job::Run { .. })));
    harness.press_keys("shift-tab shift-tab");
    harness.type_text("0");
    finish_preview(&mut harness, &[386], &[], "0");
    harness.press_keys("tab tab enter");
    let job_id = harness.job_id();
    let run = take_run(&mut harness);
    assert_eq!(
        (run.action, run.ids, run.input_text.as_deref()),
        (RecordAction::MarkWithdrawalPaid, ids(&[386]), Some("TX-90"))
    );
    harness.runner_event(RunnerEvent::RunFinished { job_id, result: Ok(build_outcome(&[386], &[], "0")) });
    harness.assert_shows("386 marked as paid");
    assert!(!harness.shows("z undo"));
}

#[test]
fn a_key_without_an_action_shows_a_message() {
    let mut harness = withdrawal_manager(SMALL_SIZE);
    harness.press_keys("c");
    harness.assert_shows("This queue has no cancel action.");
    let mut viewer = queue_harness(SMALL_SIZE, &[Permission::ViewWithdrawals]);
    viewer.press_keys("a");
    viewer.assert_shows("needs the permission \"manage withdrawals\"");
}

#[test]
fn shows_the_queue_and_a_rejection() {
    for size in [SMALL_SIZE, LARGE_SIZE] {
        let mut harness = withdrawal_manager(size);
        harness.advance_seconds(1);
        let detail = to_detail(&withdrawal(385, 9, "pending", "42.5", "DE89 3704 0044 0532 7731"));
        harness.runner_event(RunnerEvent::Detail { id: RecordId::new(385), result: Ok(Box::new(detail)) });
        assert_frame("withdrawals", &harness);
        harness.press_keys("r");
        finish_preview(&mut harness, &[385], &[], "42.5");
        assert_frame("withdrawals_reject", &harness);
    }
}
