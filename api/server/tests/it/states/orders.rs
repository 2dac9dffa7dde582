//! Moves of orders. Which event may happen to an order is judged by the rules; the store moves an order only from the status that
//! it was judged from, to where the table leads.

use panel_contract::ids::OrderId;
use panel_contract::moment::Time;
use panel_contract::orders::Approval;
use panel_domain::state_machine::{events, next, states};
use panel_domain::states::orders::{OrderState, Orders};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::work::UnitOfWork;
use panel_server::stores::orders::dispatch;
use panel_server::stores::orders::moves::{self, OrderMove, STATES};

use super::transitions::state;
use crate::panel::Panel;

both! {
    an_order_moves_from_the_status_that_it_was_judged_from;
    only_orders_in_processing_wait_for_the_dispatcher;
}

const LATER: Time = Time(1_900_000_000_000_000);
const ORDER: OrderId = OrderId::new(1);
const ORDER_ROW: &str = "id = 1";

/// What moderation decided about an order in this state.
fn approval(state: OrderState) -> Option<Approval> {
    match state {
        OrderState::InModeration => Some(Approval::Pending),
        OrderState::Rejected => Some(Approval::Rejected),
        _ => None,
    }
}

async fn put_order(work: &mut UnitOfWork, state: OrderState) {
    let sql = Sql::new(
        "UPDATE orders SET status = ?, approval = ?, dispatch_at = NULL, has_no_active_providers = FALSE WHERE id = ?",
    );
    let sql = sql.bind(state.status().as_str()).bind(approval(state).map(Approval::as_str));
    assert_eq!(work.exec(sql.bind(ORDER)).await.unwrap(), 1);
}

async fn an_order_moves_from_the_status_that_it_was_judged_from(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 1).await;
    let mut work = panel.work().await;
    let now = work.now;
    for judged in states::<Orders>() {
        for to in events::<Orders>().filter_map(|event| next::<Orders>(judged, event)) {
            for from in states::<Orders>() {
                put_order(&mut work, from).await;
                let one = OrderMove {
                    id: ORDER,
                    from: judged.status(),
                    to: to.status(),
                    approval: approval(to),
                    is_paid: to != OrderState::Unpaid,
                    returned: None,
                    is_without_provider: false,
                };
                let written = moves::write(&mut work, &[one], (None, None), now).await.unwrap();
                let is_left = from.status() == judged.status();
                assert_eq!(written, u64::from(is_left), "{judged:?} {from:?} {to:?}");
                let expected = if is_left { to } else { from };
                assert_eq!(state(&mut work, &STATES, ORDER_ROW).await, Some(expected), "{judged:?} {from:?}");
            }
        }
    }
}

async fn only_orders_in_processing_wait_for_the_dispatcher(dialect: Dialect) {
    let panel = Panel::shop(dialect, 1, 1).await;
    let mut work = panel.work().await;
    for from in states::<Orders>() {
        put_order(&mut work, from).await;
        dispatch::schedule_dispatch(&mut work, &[ORDER], LATER).await.unwrap();
        let waits = Sql::new("SELECT count(*) FROM orders WHERE id = 1 AND dispatch_at = ?").bind(LATER);
        let (waits,): (i64,) = work.one(waits).await.unwrap();
        let flagged = dispatch::set_without_provider(&mut work, &[ORDER], true).await.unwrap();
        let is_in_processing = from == OrderState::InProcessing;
        assert_eq!((waits == 1, flagged == [ORDER]), (is_in_processing, is_in_processing), "{from:?}");
    }
}
