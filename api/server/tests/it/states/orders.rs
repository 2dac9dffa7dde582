//! Status changes of orders. The rules decide from a loaded order; the store then writes the new status only if the order still has
//! the status that the rules saw.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::Approval;
use panel_domain::state_machine::{events, next, states};
use panel_domain::states::orders::{OrderState, Orders};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::work::UnitOfWork;
use panel_server::stores::orders::dispatch;
use panel_server::stores::orders::transitions::{self, OrderStatusChange, STATES};

use super::transitions::load_state;
use crate::panel::Panel;

both! {
    a_move_applies_only_to_the_status_that_the_rules_saw;
    only_orders_in_processing_are_scheduled_for_dispatch;
}

const LATER: Time = Time(1_900_000_000_000_000);
const ORDER: OrderId = OrderId::new(1);
const ORDER_ROW: &str = "id = 1";

/// The approval of an order in this state.
fn approval(state: OrderState) -> Option<Approval> {
    match state {
        OrderState::InModeration => Some(Approval::Pending),
        OrderState::Rejected => Some(Approval::Rejected),
        _ => None,
    }
}

async fn set_state(work: &mut UnitOfWork, state: OrderState) {
    let sql = Sql::new(
        "UPDATE orders SET status = ?, approval = ?, dispatch_at = NULL, has_no_active_providers = FALSE WHERE id = ?",
    );
    let sql = sql.bind(state.status().as_str()).bind(approval(state).map(Approval::as_str));
    assert_eq!(work.execute(sql.bind(ORDER)).await.unwrap(), 1);
}

async fn a_move_applies_only_to_the_status_that_the_rules_saw(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 1).await;
    let mut work = panel.begin_work().await;
    let now = work.now;
    for expected_before in states::<Orders>() {
        for to in events::<Orders>().filter_map(|event| next::<Orders>(expected_before, event)) {
            for from in states::<Orders>() {
                set_state(&mut work, from).await;
                let status_change = OrderStatusChange {
                    id: ORDER,
                    from: expected_before.status(),
                    to: to.status(),
                    approval: approval(to),
                    is_paid: to != OrderState::Unpaid,
                    refund: None,
                    is_without_provider: false,
                };
                let written = transitions::write_transitions(&mut work, &[status_change], (None, None), now)
                    .await
                    .unwrap();
                let is_applied = from.status() == expected_before.status();
                assert_eq!(written, u64::from(is_applied), "{expected_before:?} {from:?} {to:?}");
                let expected = if is_applied { to } else { from };
                assert_eq!(
                    load_state(&mut work, &STATES, ORDER_ROW).await,
                    Some(expected),
                    "{expected_before:?} {from:?}"
                );
            }
        }
    }
}

async fn only_orders_in_processing_are_scheduled_for_dispatch(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 1).await;
    let mut work = panel.begin_work().await;
    for from in states::<Orders>() {
        set_state(&mut work, from).await;
        dispatch::schedule_dispatch(&mut work, &[ORDER], LATER).await.unwrap();
        let scheduled = Sql::new("SELECT count(*) FROM orders WHERE id = 1 AND dispatch_at = ?").bind(LATER);
        let (scheduled,): (i64,) = work.fetch_one(scheduled).await.unwrap();
        let without_provider = dispatch::set_without_provider(&mut work, &[ORDER], true).await.unwrap();
        let is_in_processing = from == OrderState::InProcessing;
        assert_eq!(
            (scheduled == 1, without_provider == [ORDER]),
            (is_in_processing, is_in_processing),
            "{from:?}"
        );
    }
}
