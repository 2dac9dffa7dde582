//! Applies each transition of a store to a record in each state. The record must get the state that the transition table defines, or
//! stay unchanged. Orders and placement attempts have their own tests (`orders`, `attempts`).

use panel_contract::amount::Money;
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::external_panels::PanelStatus;
use panel_contract::ids::{DripFeedId, ExternalPanelId, ProviderId, SubscriptionId, WithdrawalId};
use panel_contract::moment::Time;
use panel_contract::providers::ProviderStatus;
use panel_contract::withdrawals::WithdrawalStatus;
use panel_domain::state_machine::{StateMachine, all_events, all_states, next_state};
use panel_domain::states::account_requests::{AccountRequestEvent, AccountRequestState, AccountRequests};
use panel_domain::states::drip_feeds::{DripFeedEvent, DripFeeds};
use panel_domain::states::external_panels::{ExternalPanels, PanelEvent};
use panel_domain::states::providers::{ProviderEvent, Providers};
use panel_domain::states::subscriptions::{SubscriptionEvent, SubscriptionState, Subscriptions};
use panel_domain::states::withdrawals::{WithdrawalEvent, Withdrawals};
use panel_kernel::error::Result;
use panel_platform::db::state::{StoredStates, Transition};
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;
use panel_server::operations::{drip_feeds, subscriptions, withdrawals};
use panel_server::stores::account_requests::{self, AccountRequest};
use panel_server::stores::{external_panels, providers};

use crate::panel::Panel;

test_both_databases! {
    each_transition_applies_only_from_its_states;
}

const LATER: Time = Time(1_900_000_000_000_000);
/// The time of the claim and the other timestamps of each inserted row.
const CLAIMED_AT: Time = Time(1);
/// The id of each inserted row.
const ROW_ID: i64 = 900;
const ENDPOINT: &str = "https://panel.example";

/// A store under test.
trait Store {
    type Machine: StateMachine;
    const STORED: StoredStates<Self::Machine>;
    /// The columns that the transitions write.
    const COLUMNS: &'static [&'static str];
    const ROW_CONDITION: &'static str = "id = 900";
    /// Whether the store writes nothing for an event that keeps the state.
    const SKIPS_SELF_TRANSITIONS: bool = false;

    /// Inserts the row in this state.
    fn insert(state: <Self::Machine as StateMachine>::State) -> Sql;
    /// Applies an event to the row. Returns the result of the transition if the store returns one.
    async fn apply(
        work: &mut UnitOfWork,
        event: <Self::Machine as StateMachine>::Event,
    ) -> Option<Transition>;
}

async fn check_transitions<S: Store>(work: &mut UnitOfWork) {
    for current_state in all_states::<S::Machine>() {
        for event in all_events::<S::Machine>() {
            let label = format!("{} {current_state:?} {event:?}", <S::Machine as StateMachine>::NAME);
            let delete_sql =
                Sql::new("DELETE FROM ").push(S::STORED.table).push(" WHERE ").push(S::ROW_CONDITION);
            work.execute(delete_sql).await.unwrap();
            work.execute(S::insert(current_state)).await.unwrap_or_else(|error| panic!("{label}: {error}"));
            assert_eq!(load_state(work, &S::STORED, S::ROW_CONDITION).await, Some(current_state), "{label}");
            let row_before = load_row::<S>(work).await;
            let transition = S::apply(work, event).await;
            let next_state = next_state::<S::Machine>(current_state, event);
            let is_changed = next_state
                .is_some_and(|next_state| next_state != current_state || !S::SKIPS_SELF_TRANSITIONS);
            assert_eq!(load_row::<S>(work).await != row_before, is_changed, "{label}");
            assert!(
                transition.is_none_or(|transition| transition.is_applied() == is_changed),
                "{label}: {transition:?}"
            );
            assert_eq!(
                load_state(work, &S::STORED, S::ROW_CONDITION).await,
                Some(next_state.unwrap_or(current_state)),
                "{label}"
            );
        }
    }
}

/// The state of a row, by the conditions that the tests in `predicates` verify.
pub(super) async fn load_state<M: StateMachine>(
    work: &mut UnitOfWork,
    stored: &StoredStates<M>,
    row: &'static str,
) -> Option<M::State> {
    for state in all_states::<M>() {
        let sql = Sql::new("SELECT count(*) FROM ").push(stored.table).push(" WHERE ").push(row);
        let (count,): (i64,) = work.fetch_one(sql.append(stored.condition_in(&[state]))).await.unwrap();
        if count > 0 {
            return Some(state);
        }
    }
    None
}

/// The columns that the transitions write, as JSON.
async fn load_row<S: Store>(work: &mut UnitOfWork) -> String {
    let columns = S::COLUMNS.iter().map(|column| (*column, *column)).collect();
    let sql = Sql::new("SELECT ").json_object(columns).push(" FROM ").push(S::STORED.table);
    work.fetch_one::<(String,)>(sql.push(" WHERE ").push(S::ROW_CONDITION)).await.unwrap().0
}

/// Converts the result of a store function that returns a 409 when another process changed the record before.
fn into_transition(result: Result<()>) -> Option<Transition> {
    let Err(error) = result else { return Some(Transition::Applied) };
    let code = error.rejection().map(|rejection| rejection.code);
    assert!(code.is_some_and(|code| code.ends_with("_changed_meanwhile")), "{error:?}");
    Some(Transition::Superseded)
}

async fn each_transition_applies_only_from_its_states(dialect: Dialect) {
    let panel = Panel::with_users_and_orders(dialect, 1, 0).await;
    let mut work = panel.begin_work().await;
    let insert_method_sql = "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (900, 'Card', 'card', 1, 1, 1)";
    work.execute(Sql::new(insert_method_sql)).await.unwrap();
    check_transitions::<WithdrawalStore>(&mut work).await;
    check_transitions::<DripFeedStore>(&mut work).await;
    check_transitions::<SubscriptionStore>(&mut work).await;
    check_transitions::<ProviderStore>(&mut work).await;
    check_transitions::<ExternalPanelStore>(&mut work).await;
    check_transitions::<AccountRequestStore>(&mut work).await;
}

struct WithdrawalStore;

impl Store for WithdrawalStore {
    type Machine = Withdrawals;
    const STORED: StoredStates<Withdrawals> = withdrawals::store::STATES;
    const COLUMNS: &'static [&'static str] =
        &["status", "approved_at", "paid_at", "rejected_at", "admin_note", "transaction_id", "updated_at"];

    fn insert(state: WithdrawalStatus) -> Sql {
        let (is_paid, is_rejected) = (state == WithdrawalStatus::Paid, state == WithdrawalStatus::Rejected);
        sql!(
            "INSERT INTO withdrawals (id, user_id, payment_method_id, account_number, balance_type, amount, status, transaction_id, \
               paid_at, admin_note, rejected_at, created_at, updated_at) VALUES (900, 1, 900, '7', 'main', 5, @status, \
               @transaction_id, @paid_at, @admin_note, @rejected_at, 1, 1)",
            {
                status: state.as_str(),
                transaction_id: is_paid.then_some("T1"),
                paid_at: is_paid.then_some(CLAIMED_AT),
                admin_note: is_rejected.then_some("No."),
                rejected_at: is_rejected.then_some(CLAIMED_AT),
            },
        )
    }

    async fn apply(work: &mut UnitOfWork, event: WithdrawalEvent) -> Option<Transition> {
        use withdrawals::store;
        let id = WithdrawalId::new(ROW_ID);
        let transition = match event {
            WithdrawalEvent::Approve => store::approve(work, id).await,
            WithdrawalEvent::Reject => store::reject(work, id, "Not now.").await,
            WithdrawalEvent::Pay => store::mark_paid(work, id, "T2").await,
        };
        Some(transition.unwrap())
    }
}

struct DripFeedStore;

impl Store for DripFeedStore {
    type Machine = DripFeeds;
    const STORED: StoredStates<DripFeeds> = drip_feeds::store::STATES;
    const COLUMNS: &'static [&'static str] =
        &["status", "orders_count", "next_run_at", "last_error", "completed_at", "canceled_at", "refunded"];

    fn insert(state: RecurringOrderStatus) -> Sql {
        let sql = Sql::new(
            "INSERT INTO drip_feeds (id, name, url, user_id, service_id, status, runs, price, cost, quantity, minutes_between_runs,
               next_run_at, created_at, updated_at) VALUES (900, 'Views', 'https://video.example/1', 1, 1, ?, 5, 1, 9, 100, 10, 1, 1, 1)",
        );
        sql.bind(state.as_str())
    }

    async fn apply(work: &mut UnitOfWork, event: DripFeedEvent) -> Option<Transition> {
        use drip_feeds::store;
        let id = DripFeedId::new(ROW_ID);
        match event {
            DripFeedEvent::PlaceRun => into_transition(store::record_run(work, id, 0, Some(LATER)).await),
            DripFeedEvent::PlaceLastRun => into_transition(store::record_run(work, id, 0, None).await),
            DripFeedEvent::PostponeRun => {
                store::postpone_run(work, id, "No money.", LATER).await.unwrap();
                None
            }
            DripFeedEvent::Cancel => into_transition(store::cancel(work, id, Money(5)).await),
        }
    }
}

struct SubscriptionStore;

impl Store for SubscriptionStore {
    type Machine = Subscriptions;
    const STORED: StoredStates<Subscriptions> = subscriptions::store::STATES;
    const COLUMNS: &'static [&'static str] =
        &["status", "paused_at", "next_poll_at", "wait_reason", "renews_at", "subscription_contents_count"];

    fn insert(state: SubscriptionState) -> Sql {
        let status = match state {
            SubscriptionState::Running | SubscriptionState::Paused => RecurringOrderStatus::InProcessing,
            SubscriptionState::Completed => RecurringOrderStatus::Completed,
            SubscriptionState::Canceled => RecurringOrderStatus::Canceled,
        };
        let sql = Sql::new(
            "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, period_days, period_contents,
               paused_at, next_poll_at, renews_at, created_at, updated_at)
             VALUES (900, 'Ann', 'https://video.example/ann', 'youtube', 1, ?, 'recurring', 5, 30, 5, ?, 1, 1, 1, 1)",
        );
        sql.bind(status.as_str()).bind((state == SubscriptionState::Paused).then_some(CLAIMED_AT))
    }

    async fn apply(work: &mut UnitOfWork, event: SubscriptionEvent) -> Option<Transition> {
        use SubscriptionEvent as E;
        use subscriptions::store;
        let id = SubscriptionId::new(ROW_ID);
        let claim = (id, CLAIMED_AT);
        into_transition(match event {
            E::RecordFeed => store::record_feed(work, claim, 0, LATER).await,
            E::RecordFeedFailure => {
                store::record_feed_failure(work, claim, "Gone.", (LATER, None), LATER).await
            }
            E::PlaceContent => store::record_content(work, (id, 0), 1, Some(LATER), false).await,
            E::PlaceLastContent => store::record_content(work, (id, 0), 1, None, true).await,
            E::PostponeContent => {
                store::set_wait_reason(work, id, "No money.").await.unwrap();
                return None;
            }
            E::Renew => store::renew(work, claim, (1, Money(1)), LATER).await,
            E::Pause => store::pause(work, (id, Some(CLAIMED_AT)), "No money.", LATER).await,
            E::Expire => store::end(work, id, RecurringOrderStatus::Completed, Money::ZERO).await,
            E::Cancel => store::end(work, id, RecurringOrderStatus::Canceled, Money::ZERO).await,
        })
    }
}

struct ProviderStore;

impl Store for ProviderStore {
    type Machine = Providers;
    const STORED: StoredStates<Providers> = providers::STATES;
    const COLUMNS: &'static [&'static str] = &["status", "vanished_at", "updated_at"];

    fn insert(state: ProviderStatus) -> Sql {
        let sql = Sql::new(
            "INSERT INTO providers (id, name, status, vanished_at, created_at, updated_at) VALUES (900, 'Likes', ?, 1, 1, 1)",
        );
        sql.bind(state.as_str())
    }

    async fn apply(work: &mut UnitOfWork, event: ProviderEvent) -> Option<Transition> {
        let (id, timestamp) = (ProviderId::new(ROW_ID), work.timestamp());
        let status = match event {
            ProviderEvent::Enable => ProviderStatus::Active,
            ProviderEvent::Disable => ProviderStatus::Disabled,
            ProviderEvent::Vanish => {
                providers::mark_vanished(work, &[id], timestamp).await.unwrap();
                return None;
            }
            ProviderEvent::Return => {
                providers::mark_listed_again(work, &[id], timestamp).await.unwrap();
                return None;
            }
        };
        Some(providers::set_status(work, id, status).await.unwrap())
    }
}

struct ExternalPanelStore;

impl Store for ExternalPanelStore {
    type Machine = ExternalPanels;
    const STORED: StoredStates<ExternalPanels> = external_panels::STATES;
    const COLUMNS: &'static [&'static str] = &["status"];
    const SKIPS_SELF_TRANSITIONS: bool = true;

    fn insert(state: PanelStatus) -> Sql {
        let sql = Sql::new(
            "INSERT INTO external_panels (id, name, endpoint, status, created_at, updated_at) VALUES (900, 'Panel', ?, ?, 1, 1)",
        );
        sql.bind(ENDPOINT).bind(state.as_str())
    }

    async fn apply(work: &mut UnitOfWork, event: PanelEvent) -> Option<Transition> {
        Some(external_panels::apply_event(work, ExternalPanelId::new(ROW_ID), event).await.unwrap())
    }
}

struct AccountRequestStore;

impl Store for AccountRequestStore {
    type Machine = AccountRequests;
    const STORED: StoredStates<AccountRequests> = account_requests::STATES;
    const COLUMNS: &'static [&'static str] = &["outcome", "sent_at"];
    const ROW_CONDITION: &'static str = "endpoint = 'https://panel.example'";

    fn insert(state: AccountRequestState) -> Sql {
        let sql = Sql::new("INSERT INTO account_requests (endpoint, sent_at, outcome) VALUES (?, 1, ?)");
        sql.bind(ENDPOINT).bind(state.as_str())
    }

    async fn apply(work: &mut UnitOfWork, event: AccountRequestEvent) -> Option<Transition> {
        let account_request = AccountRequest { endpoint: ENDPOINT, sent_at: CLAIMED_AT };
        let transition = match event {
            AccountRequestEvent::Create => account_requests::mark_created(work, account_request).await,
            AccountRequestEvent::LoseAnswer => account_requests::mark_unclear(work, account_request).await,
            AccountRequestEvent::SendAgain => {
                let repeated_request = AccountRequest { sent_at: LATER, ..account_request };
                account_requests::start_request(work, repeated_request, true, CLAIMED_AT).await
            }
        };
        Some(transition.unwrap())
    }
}
