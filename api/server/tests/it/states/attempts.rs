//! Applies each transition of a placement attempt to an attempt in each reachable position. The attempt must get the position that
//! the transition table defines, or stay unchanged.

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_demo::panel::state::OrderBehavior;
use panel_domain::state_machine::all_events;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::position::{AttemptPosition, next_position};
use panel_domain::states::placement_attempts::state::{
    AttemptColumns, AttemptEvent, AttemptState, PlacementAttempts,
};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_server::stores::placement_attempts::polling::StatusReport;
use panel_server::stores::placement_attempts::reconciling::ReconcileTry;
use panel_server::stores::placement_attempts::sending::{Claim, RequestAndResponse};
use panel_server::stores::placement_attempts::{ending, polling, reconciling, sending};

use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    each_transition_applies_only_from_its_positions;
    only_a_requested_cancellation_can_get_a_response;
}

const NOW: Time = Time(1_800_000_000_000_000);
const LATER: Time = Time(1_800_000_100_000_000);
const CLAIMED_AT: Time = Time(1_700_000_000_000_000);
/// The external id of an open attempt of another order.
const OTHER_EXTERNAL_ID: &str = "88";

/// All positions that events can reach from the initial positions.
fn reachable_positions() -> Vec<AttemptPosition> {
    let initial_states = [AttemptState::Queued, AttemptState::ByHand];
    let mut positions: Vec<AttemptPosition> =
        initial_states.map(|state| AttemptPosition { state, cancel: CancelProgress::None }).to_vec();
    let mut index = 0;
    while let Some(position) = positions.get(index).copied() {
        index += 1;
        let answered = AttemptPosition { cancel: CancelProgress::Answered, ..position };
        let answer_transition = (position.cancel == CancelProgress::Requested).then_some(answered);
        let event_targets =
            all_events::<PlacementAttempts>().filter_map(|event| next_position(position, event));
        for next_position in event_targets.chain(answer_transition) {
            if !positions.contains(&next_position) {
                positions.push(next_position);
            }
        }
    }
    positions
}

/// The status of an attempt in this position, and which of its columns are set.
fn position_columns(position: AttemptPosition) -> (ExternalStatus, AttemptColumns) {
    use AttemptState as S;
    let status = match position.state {
        S::ByHand | S::Queued | S::Sending | S::Unknown | S::Unresolved => ExternalStatus::Creating,
        S::Open => ExternalStatus::Pending,
        S::Completed => ExternalStatus::Completed,
        S::Partial => ExternalStatus::Partial,
        S::Canceled => ExternalStatus::Canceled,
    };
    let columns = AttemptColumns {
        status,
        is_by_hand: position.state == S::ByHand,
        is_sent: !matches!(position.state, S::ByHand | S::Queued),
        has_external_id: matches!(position.state, S::Open | S::Completed | S::Partial),
        has_alert: matches!(position.state, S::Unknown | S::Unresolved),
        is_due: matches!(position.state, S::Queued | S::Sending | S::Unknown | S::Open),
    };
    (status, columns)
}

struct AttemptFixture {
    shop: ShopWithPanels,
    order: OrderId,
}

impl AttemptFixture {
    async fn start(dialect: Dialect) -> Self {
        let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Stuck]).await;
        let (order, other_order) = (shop.place_order(1).await, shop.place_order(2).await);
        let fixture = Self { shop, order };
        let open_position = AttemptPosition { state: AttemptState::Open, cancel: CancelProgress::None };
        fixture.insert(other_order, open_position, OTHER_EXTERNAL_ID).await;
        fixture
    }

    async fn insert(
        &self,
        order: OrderId,
        position: AttemptPosition,
        external_id: &'static str,
    ) -> ExternalOrderId {
        let (status, columns) = position_columns(position);
        let is_ended = !position.state.is_live();
        let sql = sql!(
            "INSERT INTO external_panel_orders (order_id, provider_id, status, initial_quantity, external_panel_id, sent_at, \
               external_order_id, alert_at, due_at,
               ended_at, cancel_requested_at, cancel_answered_at, created_at, updated_at) VALUES (@order_id, 11, @status, 600, \
               @external_panel_id, @sent_at, @external_order_id, @alert_at, @due_at, @ended_at, @cancel_requested_at, \
               @cancel_answered_at, 1, 1) RETURNING id",
            {
                order_id: order,
                status: status.as_str(),
                external_panel_id: (!columns.is_by_hand).then_some(1_i64),
                sent_at: columns.is_sent.then_some(CLAIMED_AT),
                external_order_id: columns.has_external_id.then_some(external_id),
                alert_at: columns.has_alert.then_some(CLAIMED_AT),
                due_at: columns.is_due.then_some(LATER),
                ended_at: is_ended.then_some(CLAIMED_AT),
                cancel_requested_at: (position.cancel != CancelProgress::None).then_some(CLAIMED_AT),
                cancel_answered_at: (position.cancel == CancelProgress::Answered).then_some(CLAIMED_AT),
            },
        );
        let mut tx = self.shop.panel.app.db.begin().await.unwrap();
        let (id,): (ExternalOrderId,) = tx.fetch_one(sql).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// Replaces all attempts of the order with one attempt in this position.
    async fn insert_only(&self, position: AttemptPosition) -> ExternalOrderId {
        let sql = Sql::new("DELETE FROM external_panel_orders WHERE order_id = ?").bind(self.order);
        self.shop.panel.execute(sql).await;
        self.insert(self.order, position, "7").await
    }

    async fn load_position(&self, id: ExternalOrderId) -> Option<AttemptPosition> {
        let sql = Sql::new(
            "SELECT status, external_panel_id IS NULL, sent_at IS NOT NULL, external_order_id IS NOT NULL, alert_at IS NOT NULL, due_at IS NOT NULL,
               cancel_requested_at IS NOT NULL, cancel_answered_at IS NOT NULL FROM external_panel_orders WHERE id = ?",
        );
        let row: (ExternalStatus, bool, bool, bool, bool, bool, bool, bool) =
            (&mut &self.shop.panel.app.db).fetch_one(sql.bind(id)).await.unwrap();
        let (status, is_by_hand, is_sent, has_external_id, has_alert, is_due, is_requested, is_answered) =
            row;
        let columns = AttemptColumns { status, is_by_hand, is_sent, has_external_id, has_alert, is_due };
        let cancel = CancelProgress::of(is_requested, is_answered);
        AttemptState::of(columns).map(|state| AttemptPosition { state, cancel })
    }

    /// Applies an event to an attempt in this position.
    async fn apply(&self, position: AttemptPosition, id: ExternalOrderId, event: AttemptEvent) {
        let db = &mut &self.shop.panel.app.db;
        let claim = Claim { attempt_id: id, claimed_at: CLAIMED_AT };
        let request_and_response = RequestAndResponse { request: "sent", response: "answered" };
        let reconcile_try = |next_try_at| [ReconcileTry { id, tries: 2, next_try_at }];
        match event {
            AttemptEvent::Claim => {
                let mut tx = self.shop.panel.app.db.begin().await.unwrap();
                let due_attempts_sql = Sql::new("SELECT id FROM external_panel_orders WHERE id = ?").bind(id);
                sending::claim(&mut tx, due_attempts_sql, LATER, NOW).await.unwrap();
                tx.commit().await.unwrap();
            }
            AttemptEvent::Accept | AttemptEvent::FindConflict => {
                let external_id = if event == AttemptEvent::Accept { "77" } else { OTHER_EXTERNAL_ID };
                // The caller checks the row instead of the result.
                let _ =
                    sending::mark_accepted(&self.shop.panel.app.db, id, external_id, "sent", (NOW, LATER))
                        .await
                        .unwrap();
            }
            AttemptEvent::LoseOutcome => {
                sending::mark_unknown(db, claim, request_and_response, None, (NOW, Some(LATER)))
                    .await
                    .unwrap()
                    .ignore_superseded();
            }
            AttemptEvent::Reconcile => {
                reconciling::record_reconcile_tries(db, &reconcile_try(Some(LATER)), NOW).await.unwrap()
            }
            AttemptEvent::ReconcileLastTime => {
                reconciling::record_reconcile_tries(db, &reconcile_try(None), NOW).await.unwrap()
            }
            AttemptEvent::SkipReconciliation => {
                reconciling::postpone_reconcile(db, id, 1, LATER).await.unwrap().ignore_superseded();
            }
            AttemptEvent::Requeue if position.state == AttemptState::Sending => {
                sending::requeue(db, claim, (LATER, 1), None, NOW).await.unwrap().ignore_superseded();
            }
            AttemptEvent::Requeue => {
                sending::requeue_with_alert(db, claim, request_and_response, LATER, NOW)
                    .await
                    .unwrap()
                    .ignore_superseded();
            }
            AttemptEvent::Reject => {
                sending::mark_rejected(db, claim, request_and_response, NOW)
                    .await
                    .unwrap()
                    .ignore_superseded();
            }
            AttemptEvent::RequestCancel => ending::request_cancel(db, &[self.order], NOW).await.unwrap(),
            AttemptEvent::WithdrawUnsent => {
                ending::withdraw_unsent_after(db, &[(self.order, ExternalOrderId::new(0))], NOW)
                    .await
                    .unwrap();
            }
            AttemptEvent::EndWithOrder => ending::end_with_orders(db, &[self.order], NOW).await.unwrap(),
            AttemptEvent::DeliverByHand => ending::complete_by_hand(db, &[self.order], NOW).await.unwrap(),
            AttemptEvent::Dismiss => ending::dismiss(db, id, "No.", NOW).await.unwrap().ignore_superseded(),
            AttemptEvent::ReportOpen => self.report(id, event, ExternalStatus::InProgress, position).await,
            AttemptEvent::ReportCompleted => {
                self.report(id, event, ExternalStatus::Completed, position).await
            }
            AttemptEvent::ReportPartial => self.report(id, event, ExternalStatus::Partial, position).await,
            AttemptEvent::ReportCanceled => self.report(id, event, ExternalStatus::Canceled, position).await,
            AttemptEvent::ReportLate => {
                let ended_state = if position.state == AttemptState::Partial {
                    position.state
                } else {
                    AttemptState::Completed
                };
                let (status, _) = position_columns(AttemptPosition { state: ended_state, ..position });
                self.report(id, event, status, position).await;
            }
        }
    }

    async fn report(
        &self,
        id: ExternalOrderId,
        event: AttemptEvent,
        status: ExternalStatus,
        position: AttemptPosition,
    ) {
        let is_late = event == AttemptEvent::ReportLate;
        let status_before = if is_late { status } else { ExternalStatus::Pending };
        let is_ended = !matches!(event, AttemptEvent::ReportOpen);
        let report = StatusReport {
            id,
            event,
            expected_state: (status_before, Money::ZERO, (!position.state.is_live()).then_some(CLAIMED_AT)),
            status,
            remains: Some(0),
            start_count: None,
            charge: Money(5),
            booked_cost: Money(5),
            error: None,
            alert_at: None,
            missing_since: None,
            response: None,
            due_at: (!is_ended).then_some(LATER),
            ended_at: is_ended.then_some(NOW),
        };
        // SQLite returns the rows of a write only inside of a write transaction.
        let mut tx = self.shop.panel.app.db.begin().await.unwrap();
        polling::record_reports(&mut tx, &[report], &[], NOW).await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn each_transition_applies_only_from_its_positions(dialect: Dialect) {
    let fixture = AttemptFixture::start(dialect).await;
    let positions = reachable_positions();
    assert!(positions.len() > 18, "{positions:?}");
    for position in positions {
        for event in all_events::<PlacementAttempts>() {
            let id = fixture.insert_only(position).await;
            assert_eq!(fixture.load_position(id).await, Some(position));
            fixture.apply(position, id, event).await;
            let next_position = next_position(position, event).unwrap_or(position);
            assert_eq!(fixture.load_position(id).await, Some(next_position), "{position:?} {event:?}");
        }
    }
}

async fn only_a_requested_cancellation_can_get_a_response(dialect: Dialect) {
    let fixture = AttemptFixture::start(dialect).await;
    for cancel in [CancelProgress::None, CancelProgress::Requested, CancelProgress::Answered] {
        let id = fixture.insert_only(AttemptPosition { state: AttemptState::Open, cancel }).await;
        let cancel_responses = vec![(id, Some("No.".to_owned()))];
        polling::record_cancel_responses(&mut &fixture.shop.panel.app.db, cancel_responses, NOW)
            .await
            .unwrap();
        let answered = if cancel == CancelProgress::None { cancel } else { CancelProgress::Answered };
        let next_position = fixture.load_position(id).await.map(|position| position.cancel);
        assert_eq!(next_position, Some(answered), "{cancel:?}");
    }
}
