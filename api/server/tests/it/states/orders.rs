//! Status changes of orders. The rules decide with a loaded order. The store writes the new status only if the order still has the
//! loaded status.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::Approval;
use panel_domain::state_machine::{all_events, all_states, next_state};
use panel_domain::states::orders::{OrderState, Orders};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;
use panel_server::stores::orders::dispatch;
use panel_server::stores::orders::transitions::{self, OrderStatusChange, STATES};

use super::transitions::load_state;
use crate::panel::Panel;

test_both_databases! {
    a_status_change_applies_only_to_the_status_that_the_rules_loaded;
    only_orders_in_processing_are_scheduled_for_dispatch;
}

const LATER: Time = Time(1_900_000_000_000_000);
const ORDER_ID: OrderId = OrderId::new(1);
const ORDER_CONDITION: &str = "id = 1";

/// The approval of an order in this state.
fn approval_of(state: OrderState) -> Option<Approval> {
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
    let sql = sql.bind(state.status().as_str()).bind(approval_of(state).map(Approval::as_str));
    assert_eq!(work.execute(sql.bind(ORDER_ID)).await.unwrap(), 1);
}

async fn a_status_change_applies_only_to_the_status_that_the_rules_loaded(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 1).await;
    let mut work = panel.begin_work().await;
    let now = work.now;
    for loaded_state in all_states::<Orders>() {
        for target_state in
            all_events::<Orders>().filter_map(|event| next_state::<Orders>(loaded_state, event))
        {
            for current_state in all_states::<Orders>() {
                set_state(&mut work, current_state).await;
                let status_change = OrderStatusChange {
                    id: ORDER_ID,
                    from: loaded_state.status(),
                    to: target_state.status(),
                    approval: approval_of(target_state),
                    is_paid: target_state != OrderState::Unpaid,
                    refund: None,
                    is_without_provider: false,
                };
                let written_count =
                    transitions::write_transitions(&mut work, &[status_change], (None, None), now)
                        .await
                        .unwrap();
                let is_applied = current_state.status() == loaded_state.status();
                assert_eq!(
                    written_count,
                    u64::from(is_applied),
                    "{loaded_state:?} {current_state:?} {target_state:?}"
                );
                let expected_state = if is_applied { target_state } else { current_state };
                assert_eq!(
                    load_state(&mut work, &STATES, ORDER_CONDITION).await,
                    Some(expected_state),
                    "{loaded_state:?} {current_state:?}"
                );
            }
        }
    }
}

async fn only_orders_in_processing_are_scheduled_for_dispatch(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 1).await;
    let mut work = panel.begin_work().await;
    for current_state in all_states::<Orders>() {
        set_state(&mut work, current_state).await;
        dispatch::schedule_dispatch(&mut work, &[ORDER_ID], LATER).await.unwrap();
        let count_scheduled_sql =
            Sql::new("SELECT count(*) FROM orders WHERE id = 1 AND dispatch_at = ?").bind(LATER);
        let (scheduled_count,): (i64,) = work.fetch_one(count_scheduled_sql).await.unwrap();
        let without_provider_ids =
            dispatch::set_without_provider(&mut work, &[ORDER_ID], true).await.unwrap();
        let is_in_processing = current_state == OrderState::InProcessing;
        assert_eq!(
            (scheduled_count == 1, without_provider_ids == [ORDER_ID]),
            (is_in_processing, is_in_processing),
            "{current_state:?}"
        );
    }
}
