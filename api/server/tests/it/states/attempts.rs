//! Every transition of a placement attempt, in every position that an attempt can be in: it moves the attempt where the table
//! leads, and changes nothing where the table refuses.

use panel_contract::amount::Money;
use panel_contract::ids::{ExternalOrderId, OrderId};
use panel_contract::moment::Time;
use panel_contract::orders::ExternalStatus;
use panel_demo::panel::world::OrderBehavior;
use panel_domain::state_machine::events;
use panel_domain::states::placement_attempts::cancel::CancelProgress;
use panel_domain::states::placement_attempts::position::{AttemptPosition, next};
use panel_domain::states::placement_attempts::state::{
    AttemptColumns, AttemptEvent, AttemptState, PlacementAttempts,
};
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::sql;
use panel_server::stores::placement_attempts::polling::StatusReport;
use panel_server::stores::placement_attempts::reconciling::ReconcileTry;
use panel_server::stores::placement_attempts::sending::{CallTexts, Claim};
use panel_server::stores::placement_attempts::{ending, polling, reconciling, sending};

use crate::supplied::Supplied;

both! {
    each_transition_leaves_only_its_states;
    a_panel_answers_a_cancel_that_was_requested;
}

const NOW: Time = Time(1_800_000_000_000_000);
const LATER: Time = Time(1_800_000_100_000_000);
const CLAIMED: Time = Time(1_700_000_000_000_000);
/// The id at the panel of an open attempt of another order.
const OTHERS: &str = "88";

/// Every position that events lead to.
fn reachable() -> Vec<AttemptPosition> {
    let begins = [AttemptState::Queued, AttemptState::ByHand];
    let mut found: Vec<AttemptPosition> =
        begins.map(|state| AttemptPosition { state, cancel: CancelProgress::None }).to_vec();
    let mut at = 0;
    while let Some(position) = found.get(at).copied() {
        at += 1;
        let answered = AttemptPosition { cancel: CancelProgress::Answered, ..position };
        let answer = (position.cancel == CancelProgress::Requested).then_some(answered);
        let moved = events::<PlacementAttempts>().filter_map(|event| next(position, event));
        for to in moved.chain(answer) {
            if !found.contains(&to) {
                found.push(to);
            }
        }
    }
    found
}

/// The words, and what is NULL, of an attempt in a position.
fn row(at: AttemptPosition) -> (ExternalStatus, AttemptColumns) {
    use AttemptState as S;
    let status = match at.state {
        S::ByHand | S::Queued | S::Sending | S::Unknown | S::Unresolved => ExternalStatus::Creating,
        S::Open => ExternalStatus::Pending,
        S::Completed => ExternalStatus::Completed,
        S::Partial => ExternalStatus::Partial,
        S::Canceled => ExternalStatus::Canceled,
    };
    let columns = AttemptColumns {
        status,
        is_by_hand: at.state == S::ByHand,
        is_sent: !matches!(at.state, S::ByHand | S::Queued),
        has_external_id: matches!(at.state, S::Open | S::Completed | S::Partial),
        has_alert: matches!(at.state, S::Unknown | S::Unresolved),
        is_due: matches!(at.state, S::Queued | S::Sending | S::Unknown | S::Open),
    };
    (status, columns)
}

struct Attempts {
    shop: Supplied,
    order: OrderId,
}

impl Attempts {
    async fn on(dialect: Dialect) -> Self {
        let shop = Supplied::on(dialect, &[OrderBehavior::Stuck]).await;
        let (order, other) = (shop.order(1).await, shop.order(2).await);
        let attempts = Self { shop, order };
        let open = AttemptPosition { state: AttemptState::Open, cancel: CancelProgress::None };
        attempts.insert(other, open, OTHERS).await;
        attempts
    }

    async fn insert(
        &self,
        order: OrderId,
        at: AttemptPosition,
        external_id: &'static str,
    ) -> ExternalOrderId {
        let (status, columns) = row(at);
        let is_over = !at.state.is_live();
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
                sent_at: columns.is_sent.then_some(CLAIMED),
                external_order_id: columns.has_external_id.then_some(external_id),
                alert_at: columns.has_alert.then_some(CLAIMED),
                due_at: columns.is_due.then_some(LATER),
                ended_at: is_over.then_some(CLAIMED),
                cancel_requested_at: (at.cancel != CancelProgress::None).then_some(CLAIMED),
                cancel_answered_at: (at.cancel == CancelProgress::Answered).then_some(CLAIMED),
            },
        );
        let mut tx = self.shop.ours.app.db.begin().await.unwrap();
        let (id,): (ExternalOrderId,) = tx.one(sql).await.unwrap();
        tx.commit().await.unwrap();
        id
    }

    /// The only attempt of the order, in this position.
    async fn only(&self, at: AttemptPosition) -> ExternalOrderId {
        let sql = Sql::new("DELETE FROM external_panel_orders WHERE order_id = ?").bind(self.order);
        self.shop.ours.exec(sql).await;
        self.insert(self.order, at, "7").await
    }

    async fn position(&self, id: ExternalOrderId) -> Option<AttemptPosition> {
        let sql = Sql::new(
            "SELECT status, external_panel_id IS NULL, sent_at IS NOT NULL, external_order_id IS NOT NULL, alert_at IS NOT NULL, due_at IS NOT NULL,
               cancel_requested_at IS NOT NULL, cancel_answered_at IS NOT NULL FROM external_panel_orders WHERE id = ?",
        );
        let row: (ExternalStatus, bool, bool, bool, bool, bool, bool, bool) =
            (&mut &self.shop.ours.app.db).one(sql.bind(id)).await.unwrap();
        let (status, is_by_hand, is_sent, has_external_id, has_alert, is_due, is_requested, is_answered) =
            row;
        let columns = AttemptColumns { status, is_by_hand, is_sent, has_external_id, has_alert, is_due };
        let cancel = CancelProgress::of(is_requested, is_answered);
        AttemptState::of(columns).map(|state| AttemptPosition { state, cancel })
    }

    /// Lets an event happen to an attempt in this position.
    async fn happen(&self, at: AttemptPosition, id: ExternalOrderId, event: AttemptEvent) {
        let db = &mut &self.shop.ours.app.db;
        let claim = Claim { attempt: id, claimed_at: CLAIMED };
        let texts = CallTexts { request: "asked", answer: "answered" };
        let look = |next| [ReconcileTry { id, tries: 2, next }];
        match event {
            AttemptEvent::Claim => {
                let mut tx = self.shop.ours.app.db.begin().await.unwrap();
                let due = Sql::new("SELECT id FROM external_panel_orders WHERE id = ?").bind(id);
                sending::claim(&mut tx, due, LATER, NOW).await.unwrap();
                tx.commit().await.unwrap();
            }
            AttemptEvent::Accept | AttemptEvent::FindConflict => {
                let named = if event == AttemptEvent::Accept { "77" } else { OTHERS };
                // What it found is seen in the row.
                let _ = sending::mark_accepted(&self.shop.ours.app.db, id, named, "asked", (NOW, LATER))
                    .await
                    .unwrap();
            }
            AttemptEvent::LoseOutcome => {
                sending::mark_unknown(db, claim, texts, None, (NOW, Some(LATER)))
                    .await
                    .unwrap()
                    .ignore_superseded();
            }
            AttemptEvent::Look => {
                reconciling::record_reconcile_tries(db, &look(Some(LATER)), NOW).await.unwrap()
            }
            AttemptEvent::LookLastTime => {
                reconciling::record_reconcile_tries(db, &look(None), NOW).await.unwrap()
            }
            AttemptEvent::SkipLook => {
                reconciling::postpone_reconcile(db, id, 1, LATER).await.unwrap().ignore_superseded();
            }
            AttemptEvent::Requeue if at.state == AttemptState::Sending => {
                sending::requeue(db, claim, (LATER, 1), None, NOW).await.unwrap().ignore_superseded();
            }
            AttemptEvent::Requeue => {
                sending::requeue_with_alert(db, claim, texts, LATER, NOW).await.unwrap().ignore_superseded();
            }
            AttemptEvent::Reject => {
                sending::mark_rejected(db, claim, texts, NOW).await.unwrap().ignore_superseded();
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
            AttemptEvent::ReportOpen => self.report(id, event, ExternalStatus::InProgress, at).await,
            AttemptEvent::ReportCompleted => self.report(id, event, ExternalStatus::Completed, at).await,
            AttemptEvent::ReportPartial => self.report(id, event, ExternalStatus::Partial, at).await,
            AttemptEvent::ReportCanceled => self.report(id, event, ExternalStatus::Canceled, at).await,
            AttemptEvent::ReportLate => {
                let over = if at.state == AttemptState::Partial { at.state } else { AttemptState::Completed };
                let (status, _) = row(AttemptPosition { state: over, ..at });
                self.report(id, event, status, at).await;
            }
        }
    }

    async fn report(
        &self,
        id: ExternalOrderId,
        event: AttemptEvent,
        status: ExternalStatus,
        at: AttemptPosition,
    ) {
        let is_late = event == AttemptEvent::ReportLate;
        let was = if is_late { status } else { ExternalStatus::Pending };
        let is_over = !matches!(event, AttemptEvent::ReportOpen);
        let report = StatusReport {
            id,
            event,
            before: (was, Money::ZERO, (!at.state.is_live()).then_some(CLAIMED)),
            status,
            remains: Some(0),
            start_count: None,
            charge: Money(5),
            booked_cost: Money(5),
            error: None,
            alert_at: None,
            missing_since: None,
            answer: None,
            due_at: (!is_over).then_some(LATER),
            ended_at: is_over.then_some(NOW),
        };
        // In a transaction, as SQLite returns rows of a write to a writer only.
        let mut tx = self.shop.ours.app.db.begin().await.unwrap();
        polling::record_reports(&mut tx, &[report], &[], NOW).await.unwrap();
        tx.commit().await.unwrap();
    }
}

async fn each_transition_leaves_only_its_states(dialect: Dialect) {
    let attempts = Attempts::on(dialect).await;
    let positions = reachable();
    assert!(positions.len() > 18, "{positions:?}");
    for at in positions {
        for event in events::<PlacementAttempts>() {
            let id = attempts.only(at).await;
            assert_eq!(attempts.position(id).await, Some(at));
            attempts.happen(at, id, event).await;
            let to = next(at, event).unwrap_or(at);
            assert_eq!(attempts.position(id).await, Some(to), "{at:?} {event:?}");
        }
    }
}

async fn a_panel_answers_a_cancel_that_was_requested(dialect: Dialect) {
    let attempts = Attempts::on(dialect).await;
    for cancel in [CancelProgress::None, CancelProgress::Requested, CancelProgress::Answered] {
        let id = attempts.only(AttemptPosition { state: AttemptState::Open, cancel }).await;
        let answers = vec![(id, Some("No.".to_owned()))];
        polling::record_cancel_answers(&mut &attempts.shop.ours.app.db, answers, NOW).await.unwrap();
        let answered = if cancel == CancelProgress::None { cancel } else { CancelProgress::Answered };
        let to = attempts.position(id).await.map(|position| position.cancel);
        assert_eq!(to, Some(answered), "{cancel:?}");
    }
}
