//! Records whose processing kills the server: the server retries each record of a dead process once, in an isolated process. A record
//! that kills the isolated process too stays quarantined until staff release it. `quarantine_program` tests this with the program.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use panel_contract::ids::{JobId, OrderId, QuarantineId, RecordId, WebhookDeliveryId};
use panel_contract::moment::Time;
use panel_contract::quarantine::Poller;
use panel_demo::panel::state::OrderBehavior;
use panel_kernel::clock::{Clock, FixedClock};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::jobs::heartbeat;
use panel_platform::quarantine::{self, store};
use panel_platform::settings;
use panel_server::app::App;
use panel_server::background::quarantine_retry;
use panel_server::background::quarantine_runner::{ProcessLimits, QuarantineRunner};
use panel_server::background::worker;
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::jobs::email_job;
use crate::panel::{NOW, Panel};
use crate::shop_with_panels::ShopWithPanels;

test_both_databases! {
    every_poller_skips_quarantined_records;
    a_quarantined_record_shows_the_reason_as_its_error;
    every_poller_can_be_restricted_to_one_record;
    errors_and_panics_delete_the_claimed_batch;
    only_batches_of_dead_processes_become_suspects;
    leases_of_a_dead_process_end_at_once;
    a_stopping_process_releases_its_leases_and_batches;
    a_process_that_was_frozen_after_its_claim_sends_no_order;
    a_record_without_a_lease_waits_while_it_is_in_another_batch;
    the_exit_of_the_isolated_process_decides_whether_a_record_is_quarantined;
    a_program_that_does_not_start_changes_no_record;
    a_graceful_stop_does_not_count_as_a_crash_of_the_record;
    a_record_whose_retry_killed_the_server_too_is_quarantined;
    staff_see_and_release_quarantined_records;
}

/// A due record of one poller.
struct PollerCase {
    poller: Poller,
    id: i64,
    /// The statement that inserts the record or makes it due.
    insert_sql: &'static str,
    /// Selects a number that changes when the record is claimed.
    claim_sql: &'static str,
}

const fn poller_case(
    poller: Poller,
    id: i64,
    insert_sql: &'static str,
    claim_sql: &'static str,
) -> PollerCase {
    PollerCase { poller, id, insert_sql, claim_sql }
}

const JOB_DEAD_AT: &str = "SELECT COALESCE(dead_at, 0) FROM jobs WHERE id = ?";
const ATTEMPT_DUE_AT: &str = "SELECT COALESCE(due_at, 0) FROM external_panel_orders WHERE id = ?";
const INSERT_SUBSCRIPTION: &str = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, created_at, updated_at, next_poll_at, expired_at)
  VALUES ";

/// One record of each poller, and several states of an external order.
const POLLER_CASES: &[PollerCase] = &[
    poller_case(Poller::Mail, 91, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (91, 'mail', '{}', 1, 1)", JOB_DEAD_AT),
    poller_case(Poller::Sync, 92, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (92, 'sync', '{}', 1, 1)", JOB_DEAD_AT),
    poller_case(Poller::Telegram, 93, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (93, 'telegram', '{}', 1, 1)", JOB_DEAD_AT),
    poller_case(Poller::Webhook, 94, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (94, 'webhook', '{}', 1, 1)", JOB_DEAD_AT),
    poller_case(
        Poller::SubscriptionPoll,
        95,
        "(95, 'A', 'name', 'posts', 1, 'in_processing', 'per_content', 5, 1, 1, 1, NULL)",
        "SELECT next_poll_at FROM subscriptions WHERE id = ?",
    ),
    poller_case(
        Poller::SubscriptionExpiry,
        96,
        "(96, 'B', 'name', 'posts', 1, 'in_processing', 'per_content', 5, 1, 1, NULL, 1)",
        "SELECT COALESCE(completed_at, 0) FROM subscriptions WHERE id = ?",
    ),
    poller_case(
        Poller::Content,
        97,
        "INSERT INTO subscription_contents (id, subscription_id, url, status, due_at, created_at) VALUES (97, 95, 'https://a.example/1', 'found', 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM subscription_contents WHERE id = ?",
    ),
    poller_case(
        Poller::DripFeed,
        98,
        "INSERT INTO drip_feeds (id, name, url, user_id, service_id, status, runs, price, cost, quantity, minutes_between_runs, next_run_at, created_at, updated_at)
         VALUES (98, 'Feed', 'https://a.example/2', 1, 1, 'in_processing', 5, 1, 5, 100, 5, 1, 1, 1)",
        "SELECT COALESCE(next_run_at, 0) FROM drip_feeds WHERE id = ?",
    ),
    poller_case(
        Poller::Order,
        1,
        "UPDATE orders SET dispatch_at = 1 WHERE id = 1",
        "SELECT COALESCE(dispatch_at, 0) FROM orders WHERE id = ?",
    ),
    poller_case(Poller::ExternalOrder, 1, "UPDATE external_panel_orders SET due_at = 1, sent_at = NULL WHERE id = 1", ATTEMPT_DUE_AT),
    poller_case(
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = 1, sent_at = 1, status = 'Creating', external_order_id = NULL WHERE id = 1",
        ATTEMPT_DUE_AT,
    ),
    poller_case(
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = 1, sent_at = 1, status = 'Pending', external_order_id = '1' WHERE id = 1",
        ATTEMPT_DUE_AT,
    ),
    poller_case(
        Poller::Refill,
        99,
        "INSERT INTO order_refill_requests (id, order_id, quantity, due_at, external_panel_order_id, created_at) VALUES (99, 1, 5, 1, 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM order_refill_requests WHERE id = ?",
    ),
    poller_case(
        Poller::Counter,
        1,
        "INSERT INTO order_counters (order_id, due_at, created_at) VALUES (1, 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM order_counters WHERE order_id = ?",
    ),
    poller_case(
        Poller::Balance,
        1,
        "UPDATE external_panels SET balance_at = NULL WHERE id = 1",
        "SELECT COALESCE(balance_at, 0) FROM external_panels WHERE id = ?",
    ),
    // This case is the last one, because the poller cancels the order that the other cases use.
    poller_case(
        Poller::CancelRequest,
        101,
        "INSERT INTO order_cancel_requests (id, order_id, due_at, created_at, deadline_at) VALUES (101, 1, 1, 1, 9000000000000000)",
        "SELECT COALESCE(due_at, 0) FROM order_cancel_requests WHERE id = ?",
    ),
];

impl PollerCase {
    /// Inserts the record. Returns the result of `claim_sql` before a claim.
    async fn insert(&self, panel: &Panel) -> i64 {
        // The counter has its own rate limit.
        panel.execute(Sql::new("DELETE FROM shared_schedules")).await;
        if self.poller == Poller::Counter {
            // Without statistics the poller does not claim this order.
            panel.execute(Sql::new("UPDATE services SET gather_statistic = TRUE")).await;
        }
        let sql = if self.insert_sql.starts_with('(') {
            Sql::new(INSERT_SUBSCRIPTION).push(self.insert_sql)
        } else {
            Sql::new(self.insert_sql)
        };
        assert_eq!(panel.execute(sql).await, 1, "{}", self.insert_sql);
        self.claim_state(panel).await
    }

    async fn claim_state(&self, panel: &Panel) -> i64 {
        panel.fetch_number(Sql::new(self.claim_sql).bind(self.id)).await
    }
}

/// The column with the error of a poller's record that staff see. Orders and drip-feeds have no such column.
fn error_column(poller: Poller) -> Option<&'static str> {
    Some(match poller {
        Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook => "last_error FROM jobs WHERE id",
        Poller::SubscriptionPoll | Poller::SubscriptionExpiry => "poll_error FROM subscriptions WHERE id",
        Poller::Content => "last_error FROM subscription_contents WHERE id",
        Poller::ExternalOrder => "last_error FROM external_panel_orders WHERE id",
        Poller::Refill => "last_error FROM order_refill_requests WHERE id",
        Poller::CancelRequest => "provider_response FROM order_cancel_requests WHERE id",
        Poller::Counter => "last_error FROM order_counters WHERE order_id",
        Poller::Balance => "last_error FROM external_panels WHERE id",
        Poller::Order | Poller::DripFeed => return None,
    })
}

async fn a_quarantined_record_shows_the_reason_as_its_error(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    for poller_case in POLLER_CASES {
        poller_case.insert(&shop.panel).await;
        shop.panel.execute(Sql::new("DELETE FROM quarantine")).await;
        shop.panel.insert_quarantine("trying", poller_case.poller, poller_case.id, Some(NOW + 1)).await;
        let id = shop.panel.fetch_number(Sql::new("SELECT id FROM quarantine")).await;
        let record_id = RecordId::new(poller_case.id);
        let suspect = store::Suspect { id: QuarantineId::new(id), poller: poller_case.poller, record_id };
        assert!(store::quarantine(&shop.panel.app, &suspect, "It died.").await.unwrap());
        assert!(!store::quarantine(&shop.panel.app, &suspect, "Again.").await.unwrap());
        if let Some(column) = error_column(poller_case.poller) {
            let sql = Sql::new("SELECT ").push(column).push(" = ?").bind(poller_case.id);
            let (error,): (Option<String>,) = (&mut &shop.panel.app.db).fetch_one(sql).await.unwrap();
            let expected_error = "Quarantined because working on it killed the server process. It died.";
            assert_eq!(error.as_deref(), Some(expected_error), "{}", poller_case.poller.as_str());
        }
    }
}

/// A shop with one order, whose first placement attempt is not sent yet.
async fn start_shop(dialect: Dialect) -> ShopWithPanels {
    let shop = ShopWithPanels::start(dialect, &[OrderBehavior::Delivered]).await;
    assert_eq!(shop.place_order(1).await.get(), 1);
    dispatch::dispatch_due_orders(&shop.panel.app).await.unwrap();
    let unreachable = json!("http://127.0.0.1:9/{url}");
    settings::put(&mut &shop.panel.app.db, settings::COUNTER_URL, &unreachable, Time(NOW)).await.unwrap();
    shop
}

#[derive(Clone, Debug, PartialEq)]
struct QuarantineRow {
    record_id: i64,
    status: String,
    crashes: i64,
    reason: Option<String>,
}

impl Panel {
    async fn insert_quarantine(&self, status: &'static str, poller: Poller, id: i64, retry_at: Option<i64>) {
        let sql = Sql::new(
            "INSERT INTO quarantine (poller, record_id, status, crashes, first_crash_at, retry_at, created_at, updated_at) VALUES (?, ?, ?, 1, 1, ?, 1, 1)",
        );
        self.execute(sql.bind(poller.as_str()).bind(id).bind(status).bind(retry_at)).await;
    }

    async fn batch_count(&self) -> i64 {
        self.fetch_number(Sql::new("SELECT count(*) FROM claimed_batches")).await
    }

    async fn quarantine_rows(&self) -> Vec<QuarantineRow> {
        let sql = Sql::new("SELECT record_id, status, crashes, reason FROM quarantine ORDER BY record_id");
        let rows: Vec<(i64, String, i64, Option<String>)> = (&mut &self.app.db).fetch_all(sql).await.unwrap();
        rows.into_iter()
            .map(|(record_id, status, crashes, reason_of)| QuarantineRow {
                record_id,
                status,
                crashes,
                reason: reason_of,
            })
            .collect()
    }
}

/// Creates a trigger that records the poller of each claimed batch, because the server deletes the row of a batch after the work.
async fn record_batches(panel: &Panel, dialect: Dialect) {
    panel.execute(Sql::new("CREATE TABLE recorded_batches (poller TEXT NOT NULL)")).await;
    let statements: &[&'static str] = match dialect {
        Dialect::Sqlite => &["CREATE TRIGGER record_batch AFTER INSERT ON claimed_batches FOR EACH ROW
             BEGIN INSERT INTO recorded_batches (poller) VALUES (NEW.poller); END"],
        Dialect::Postgres => &[
            "CREATE FUNCTION record_batch() RETURNS TRIGGER LANGUAGE plpgsql AS
             'BEGIN INSERT INTO recorded_batches (poller) VALUES (NEW.poller); RETURN NEW; END'",
            "CREATE TRIGGER record_batch AFTER INSERT ON claimed_batches FOR EACH ROW EXECUTE FUNCTION record_batch()",
        ],
    };
    for statement in statements {
        panel.execute(Sql::new(statement)).await;
    }
}

async fn every_poller_skips_quarantined_records(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let panel = &shop.panel;
    record_batches(panel, dialect).await;
    for poller_case in POLLER_CASES {
        let claim_state_before = poller_case.insert(panel).await;
        panel.insert_quarantine("quarantined", poller_case.poller, poller_case.id, None).await;
        quarantine_retry::poll_once(&panel.app, poller_case.poller).await.unwrap();
        assert_eq!(
            poller_case.claim_state(panel).await,
            claim_state_before,
            "{} claims a quarantined record: {}",
            poller_case.poller,
            poller_case.insert_sql
        );
        panel.execute(Sql::new("DELETE FROM quarantine")).await;
        quarantine_retry::poll_once(&panel.app, poller_case.poller).await.unwrap();
        assert_ne!(
            poller_case.claim_state(panel).await,
            claim_state_before,
            "{}: {}",
            poller_case.poller,
            poller_case.insert_sql
        );
        let delete_recorded_batches_sql =
            Sql::new("DELETE FROM recorded_batches WHERE poller = ?").bind(poller_case.poller.as_str());
        assert!(
            panel.execute(delete_recorded_batches_sql).await > 0,
            "{} stores a batch for its claim: {}",
            poller_case.poller,
            poller_case.insert_sql
        );
        assert_eq!(panel.batch_count().await, 0, "{}", poller_case.poller);
    }
    let pollers_with_case: BTreeSet<Poller> =
        POLLER_CASES.iter().map(|poller_case| poller_case.poller).collect();
    assert_eq!(pollers_with_case, Poller::ALL.iter().copied().collect(), "every poller must have a case");
}

async fn every_poller_can_be_restricted_to_one_record(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let panel = &shop.panel;
    let isolated_process = panel.start_second_process().await;
    for poller_case in POLLER_CASES {
        let claim_state_before = poller_case.insert(panel).await;
        panel.insert_quarantine("trying", poller_case.poller, poller_case.id, Some(NOW)).await;
        for other_record in [None, Some((poller_case.poller, RecordId::new(77)))] {
            isolated_process.quarantine.restrict_claims_to(other_record);
            quarantine_retry::poll_once(&isolated_process, poller_case.poller).await.unwrap();
            assert_eq!(
                poller_case.claim_state(panel).await,
                claim_state_before,
                "{} works on another record: {}",
                poller_case.poller,
                poller_case.insert_sql
            );
        }
        isolated_process
            .quarantine
            .restrict_claims_to(Some((poller_case.poller, RecordId::new(poller_case.id))));
        quarantine_retry::poll_once(&isolated_process, poller_case.poller).await.unwrap();
        assert_ne!(
            poller_case.claim_state(panel).await,
            claim_state_before,
            "{}: {}",
            poller_case.poller,
            poller_case.insert_sql
        );
        assert_eq!(panel.batch_count().await, 0, "a process for one record must not store a batch");
        panel.execute(Sql::new("DELETE FROM quarantine")).await;
    }
}

async fn errors_and_panics_delete_the_claimed_batch(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    std::fs::remove_dir(panel.app.config.mail.folder.clone().unwrap()).unwrap();
    panel.enqueue(&[email_job(1), email_job(2)]).await;
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 2);
    assert_eq!((panel.job_counts().await, panel.batch_count().await), ((0, 0, 2), 0), "both jobs must fail");
    let batch = quarantine::claim_batch(&panel.app, Poller::Mail, &[1, 2].map(JobId::new)).await.unwrap();
    assert_eq!(panel.batch_count().await, 1, "the batch must be stored while the work runs");
    let work = async {
        assert_eq!(panel.batch_count().await, 2, "one row per batch: this assertion panics on purpose")
    };
    assert!(AssertUnwindSafe(batch.run(&panel.app, work)).catch_unwind().await.is_err());
    assert_eq!(panel.batch_count().await, 0);
}

async fn only_batches_of_dead_processes_become_suspects(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let (app, other_record) = (&panel.app, panel.start_second_process().await);
    for process in [app, &other_record] {
        heartbeat::send_heartbeat(process).await.unwrap();
        drop(quarantine::claim_batch(process, Poller::Mail, &[1, 2].map(JobId::new)).await.unwrap());
    }
    assert_eq!(store::suspect_dead_batches(app).await.unwrap(), 0);
    panel.clock.advance_secs(34);
    assert_eq!(
        store::suspect_dead_batches(app).await.unwrap(),
        0,
        "the other process may be alive, because its heartbeat is less than 35 seconds old"
    );
    heartbeat::send_heartbeat(&other_record).await.unwrap();
    panel.clock.advance_secs(34);
    assert_eq!(store::suspect_dead_batches(app).await.unwrap(), 0, "the other process is alive");
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(app).await.unwrap();
    assert_eq!(store::suspect_dead_batches(app).await.unwrap(), 1);
    assert_eq!(panel.batch_count().await, 1, "the batch of this process must remain");
    let suspects: Vec<_> = panel
        .quarantine_rows()
        .await
        .into_iter()
        .map(|row| (row.record_id, row.status, row.crashes))
        .collect();
    assert_eq!(suspects, [(1, "suspected".into(), 1), (2, "suspected".into(), 1)]);
    assert!(store::has_due_suspects(app).await.unwrap(), "the leases of the dead process must end");
}

const LEASE_MICROS: i64 = 120_000_000;

/// A record of a poller whose records have leases.
struct LeasedRecord {
    poller: Poller,
    id: i64,
    /// Sets the end and the holder of the lease. Tables without a column for the holder store the holder in an unrelated column, so
    /// that every statement has the same parameters.
    lease_sql: &'static str,
    /// Selects the end of the lease, or the given time for a job without a lease.
    end_sql: &'static str,
}

const fn leased_record(
    poller: Poller,
    id: i64,
    lease_sql: &'static str,
    end_sql: &'static str,
) -> LeasedRecord {
    LeasedRecord { poller, id, lease_sql, end_sql }
}

const LEASED_RECORDS: &[LeasedRecord] = &[
    leased_record(
        Poller::Mail,
        91,
        "UPDATE jobs SET lease_until = ?, leased_by = ? WHERE id = ?",
        "SELECT COALESCE(lease_until, ?) FROM jobs WHERE id = ?",
    ),
    leased_record(
        Poller::SubscriptionPoll,
        95,
        "UPDATE subscriptions SET next_poll_at = ?, name = ? WHERE id = ?",
        "SELECT next_poll_at + 0 * ? FROM subscriptions WHERE id = ?",
    ),
    leased_record(
        Poller::Content,
        97,
        "UPDATE subscription_contents SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM subscription_contents WHERE id = ?",
    ),
    leased_record(
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM external_panel_orders WHERE id = ?",
    ),
    leased_record(
        Poller::Refill,
        99,
        "UPDATE order_refill_requests SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM order_refill_requests WHERE id = ?",
    ),
    leased_record(
        Poller::CancelRequest,
        101,
        "UPDATE order_cancel_requests SET due_at = ?, provider_response = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM order_cancel_requests WHERE id = ?",
    ),
    leased_record(
        Poller::Counter,
        1,
        "UPDATE order_counters SET due_at = ?, last_error = ? WHERE order_id = ?",
        "SELECT due_at + 0 * ? FROM order_counters WHERE order_id = ?",
    ),
];

/// Inserts one record of each poller, and lets `holder` claim those that have leases.
async fn lease_records(shop: &ShopWithPanels, lease_holder: &App) {
    let panel = &shop.panel;
    let mut inserted_pollers = BTreeSet::new();
    for poller_case in POLLER_CASES.iter().filter(|poller_case| inserted_pollers.insert(poller_case.poller)) {
        poller_case.insert(panel).await;
    }
    for record in LEASED_RECORDS {
        let lease_until = panel.app.clock.now().0 + LEASE_MICROS;
        panel
            .execute(
                Sql::new(record.lease_sql)
                    .bind(lease_until)
                    .bind(lease_holder.instance.as_str())
                    .bind(record.id),
            )
            .await;
        drop(
            quarantine::claim_batch(lease_holder, record.poller, &[RecordId::new(record.id)]).await.unwrap(),
        );
    }
}

/// The end of each lease of `LEASED_RECORDS` in microseconds. The end of a job without a lease is the current time.
async fn fetch_lease_ends(panel: &Panel) -> Vec<i64> {
    let mut fetch_lease_ends = Vec::new();
    for record in LEASED_RECORDS {
        fetch_lease_ends.push(
            panel.fetch_number(Sql::new(record.end_sql).bind(panel.app.clock.now()).bind(record.id)).await,
        );
    }
    fetch_lease_ends
}

async fn leases_of_a_dead_process_end_at_once(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let (panel, lease_holder) = (&shop.panel, shop.panel.start_second_process().await);
    lease_records(&shop, &lease_holder).await;
    heartbeat::send_heartbeat(&lease_holder).await.unwrap();
    panel.clock.advance_secs(34);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(store::suspect_dead_batches(&panel.app).await.unwrap(), 0);
    assert_eq!(
        fetch_lease_ends(panel).await,
        vec![NOW + LEASE_MICROS; LEASED_RECORDS.len()],
        "the holder may be alive, because its heartbeat is less than 35 seconds old"
    );
    // The holder finished this record before it died, so the due time is not a lease and must not change.
    let next_due_at = NOW + 3_600_000_000;
    panel.execute(Sql::new("UPDATE subscription_contents SET due_at = ?").bind(next_due_at)).await;
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(store::suspect_dead_batches(&panel.app).await.unwrap(), LEASED_RECORDS.len());
    let now = panel.app.clock.now().0;
    let mut expected_error = vec![now; LEASED_RECORDS.len()];
    expected_error[2] = next_due_at;
    assert_eq!(fetch_lease_ends(panel).await, expected_error);
    assert!(
        store::has_due_suspects(&panel.app).await.unwrap(),
        "each suspect must be due for a retry at once"
    );
}

/// Other processes can claim the records of a stopping process at once, without waiting until its heartbeat expires.
async fn a_stopping_process_releases_its_leases_and_batches(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let (panel, lease_holder) = (&shop.panel, shop.panel.start_second_process().await);
    heartbeat::send_heartbeat(&lease_holder).await.unwrap();
    lease_records(&shop, &lease_holder).await;
    drop(quarantine::claim_batch(&panel.app, Poller::Webhook, &[WebhookDeliveryId::new(94)]).await.unwrap());
    heartbeat::deregister(&lease_holder).await.unwrap();
    assert_eq!(fetch_lease_ends(panel).await, vec![NOW; LEASED_RECORDS.len()]);
    assert!(store::has_due_suspects(&panel.app).await.unwrap());
    assert_eq!(panel.batch_count().await, 1, "the batch of the running process must remain");
}

/// A clock that advances ten seconds with each call, as in a process that is suspended repeatedly.
#[derive(Debug)]
struct SuspendedProcessClock(FixedClock);

impl Clock for SuspendedProcessClock {
    fn now(&self) -> Time {
        self.0.advance_secs(10);
        self.0.now()
    }
}

async fn a_process_that_was_frozen_after_its_claim_sends_no_order(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let panel = &shop.panel;
    let clock = Arc::new(SuspendedProcessClock(panel.clock.clone()));
    let frozen_process = App::start(panel.app.config.clone(), clock, Random::seeded(9)).await.unwrap();
    assert!(
        dispatch::process_due_panels(&frozen_process).await.unwrap() > 0,
        "the frozen process must claim the order"
    );
    assert_eq!(
        shop.order_counts(),
        [0],
        "the process must not send the order, because its claim may have expired"
    );
    let count_unsent_sql =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND status = 'Creating'");
    assert_eq!(panel.fetch_number(count_unsent_sql).await, 1, "the attempt must be recorded as not sent");
    shop.run_until_idle().await;
    assert_eq!(shop.order_counts(), [1]);
    shop.assert_healthy().await;
}

async fn a_record_without_a_lease_waits_while_it_is_in_another_batch(dialect: Dialect) {
    let shop = start_shop(dialect).await;
    let panel = &shop.panel;
    let other_process = panel.start_second_process().await;
    panel.execute(Sql::new("UPDATE orders SET dispatch_at = 1 WHERE id = 1")).await;
    drop(
        quarantine::claim_batch(&other_process, Poller::Order, &[11, 1, 12].map(OrderId::new)).await.unwrap(),
    );
    assert_eq!(
        dispatch::dispatch_due_orders(&panel.app).await.unwrap(),
        0,
        "a record in a batch of another process must wait, because it may kill this process"
    );
    panel.clock.advance_secs(121);
    assert_eq!(dispatch::dispatch_due_orders(&panel.app).await.unwrap(), 1);
}

/// A fake isolated process. Depending on the id of the record, it requests a later retry, aborts, hangs, overflows its stack, or exits
/// with code 3.
const FAKE_RETRY_PROGRAM: &str = r#"#!/bin/sh
read -r config
echo ready
while read -r record; do
  case "$record" in
    *'"record_id":1}') echo later ;;
    *'"record_id":2}') kill -ABRT $$ ;;
    *'"record_id":3}') exec sleep 60 ;;
    *'"record_id":4}') echo "thread 'worker' has overflowed its stack" >&2; kill -SEGV $$ ;;
    *'"record_id":5}') exit 3 ;;
  esac
done
"#;

/// Starts a second process on the database, which uses `FAKE_RETRY_PROGRAM` as its isolated process.
async fn start_process_with_retry_program(panel: &Panel, temp_dir: &Path) -> App {
    let app = panel.start_second_process().await;
    let path = temp_dir.join("program");
    // A shell writes the file: a process that another test starts would inherit an open file of this process, and Linux does not
    // execute a file that is open for writing.
    let write_arguments =
        ["-c", "printf '%s' \"$0\" > \"$1\" && chmod 755 \"$1\"", FAKE_RETRY_PROGRAM, path.to_str().unwrap()];
    assert!(Command::new("sh").args(write_arguments).status().unwrap().success());
    app.quarantine.set_retry_program(path);
    app
}

fn runner_with_short_limits() -> QuarantineRunner {
    QuarantineRunner::with_limits(ProcessLimits {
        record_timeout: Duration::from_millis(300),
        stop_timeout: Duration::from_millis(1),
    })
}

async fn the_exit_of_the_isolated_process_decides_whether_a_record_is_quarantined(dialect: Dialect) {
    let (panel, temp_dir) = (Panel::start(dialect).await, tempfile::tempdir().unwrap());
    let app = start_process_with_retry_program(&panel, temp_dir.path()).await;
    for id in 1..=5 {
        panel.insert_quarantine("suspected", Poller::Counter, id, Some(id)).await;
    }
    let mut runner = runner_with_short_limits();
    while runner.process_next_record(&app).await.unwrap() {}
    let rows = panel.quarantine_rows().await;
    let states: Vec<_> = rows.iter().map(|row| (row.status.as_str(), row.crashes)).collect();
    assert_eq!(states[0], ("suspected", 1), "the isolated process requested a later retry");
    assert!(states[1..].iter().all(|state| *state == ("quarantined", 2)), "{states:?}");
    let reason_of = |index: usize| rows[index].reason.clone().unwrap();
    assert_eq!(reason_of(1), "The process that retried the record aborted (signal 6).");
    assert_eq!(reason_of(2), "The process that retried the record did not finish within 0 seconds.");
    assert!(
        reason_of(3).ends_with("signal 11; its last message: thread 'worker' has overflowed its stack."),
        "{}",
        reason_of(3)
    );
    assert_eq!(reason_of(4), "The process that retried the record exited with code 3.");
    let retry_at = panel.fetch_number(Sql::new("SELECT retry_at FROM quarantine WHERE record_id = 1")).await;
    assert_eq!(retry_at, NOW + 60_000_000);
    let metrics = panel.get("/metrics").await.text;
    assert!(metrics.contains("panel_quarantine_records{status=\"quarantined\"} 4"), "{metrics}");
    assert!(metrics.contains("panel_quarantined_total{poller=\"counter\"}"), "{metrics}");
}

async fn a_program_that_does_not_start_changes_no_record(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_quarantine("suspected", Poller::Mail, 1, Some(1)).await;
    let claim_state_before = panel.quarantine_rows().await;
    for program in ["/bin/false", "/no/such/program"] {
        let app = panel.start_second_process().await;
        app.quarantine.set_retry_program(PathBuf::from(program));
        let mut runner = runner_with_short_limits();
        assert!(!runner.process_next_record(&app).await.unwrap(), "{program}");
        assert_eq!(panel.quarantine_rows().await, claim_state_before);
    }
    assert!(
        !runner_with_short_limits().process_next_record(&panel.app).await.unwrap(),
        "a process without a program for isolated processes must not retry"
    );
    assert_eq!(panel.quarantine_rows().await, claim_state_before);
}

async fn a_graceful_stop_does_not_count_as_a_crash_of_the_record(dialect: Dialect) {
    let (panel, temp_dir) = (Panel::start(dialect).await, tempfile::tempdir().unwrap());
    let app = start_process_with_retry_program(&panel, temp_dir.path()).await;
    panel.insert_quarantine("suspected", Poller::Mail, 3, Some(1)).await;
    app.stop.send_replace(true);
    let mut runner = QuarantineRunner::with_limits(ProcessLimits {
        stop_timeout: Duration::from_millis(1),
        ..ProcessLimits::default()
    });
    assert!(runner.process_next_record(&app).await.unwrap());
    let unchanged = QuarantineRow { record_id: 3, status: "suspected".into(), crashes: 1, reason: None };
    assert_eq!(panel.quarantine_rows().await, [unchanged]);
    let retry_at = panel.fetch_number(Sql::new("SELECT retry_at FROM quarantine")).await;
    assert_eq!(retry_at, NOW, "the record must be due for another retry at once");
}

async fn a_record_whose_retry_killed_the_server_too_is_quarantined(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_quarantine("trying", Poller::Mail, 1, Some(NOW + 150_000_000)).await;
    assert!(!runner_with_short_limits().process_next_record(&panel.app).await.unwrap());
    assert_eq!(
        panel.quarantine_rows().await[0].status,
        "trying",
        "the isolated process may still be running"
    );
    panel.clock.advance_secs(151);
    assert!(!runner_with_short_limits().process_next_record(&panel.app).await.unwrap());
    let row = panel.quarantine_rows().await.remove(0);
    assert_eq!((row.status.as_str(), row.crashes), ("quarantined", 2));
    assert!(row.reason.unwrap().contains("so did the server"));
}

async fn staff_see_and_release_quarantined_records(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.enqueue(&[email_job(1)]).await;
    let job_id = panel.fetch_number(Sql::new("SELECT id FROM jobs")).await;
    panel.execute(Sql::new("UPDATE jobs SET lease_until = ?").bind(NOW + 100_000_000)).await;
    panel.insert_quarantine("trying", Poller::Mail, job_id, Some(NOW)).await;
    let rows = panel.get("/api/v1/admin/quarantine").await.json();
    let row = &rows["data"][0];
    let row_state = (&row["poller"], &row["record_id"], &row["status"], &row["actions"]["release"]);
    assert_eq!(row_state, (&json!("mail"), &json!(job_id), &json!("trying"), &json!(false)));
    let path = format!("/api/v1/admin/quarantine/{}/release", row["id"]);
    let rejection = panel.post(&path, &json!({})).await;
    assert_eq!(
        (rejection.status.as_u16(), &rejection.json()["code"]),
        (409, &json!("quarantine_not_releasable"))
    );

    panel
        .execute(Sql::new(
            "UPDATE quarantine SET status = 'quarantined', retry_at = NULL, reason = 'It died.'",
        ))
        .await;
    panel.clock.advance_secs(1_000);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    let status = panel.get("/api/v1/admin/system/status").await.json();
    assert_eq!(status["data"]["quarantine"], json!({ "suspected": 0, "quarantined": 1 }));
    let report = panel.get("/api/v1/admin/system/doctor").await.json()["data"].clone();
    let broken_checks: Vec<&Value> =
        report["checks"].as_array().unwrap().iter().filter(|check| check["violation_count"] != 0).collect();
    assert_eq!(broken_checks.len(), 1, "a quarantined job must not be overdue: {broken_checks:#?}");
    assert_eq!(broken_checks[0]["examples"], json!([format!("record mail {job_id}")]));

    let release_response = panel.post(&path, &json!({})).await;
    assert_eq!(
        (release_response.status.as_u16(), &release_response.json()["data"]["actions"]["release"]),
        (200, &json!(false))
    );
    assert_eq!(panel.post(&path, &json!({})).await.status, 404);
    let count_release_audits_sql = "SELECT count(*) FROM audits WHERE event = 'quarantine.released'";
    assert_eq!(panel.fetch_number(Sql::new(count_release_audits_sql)).await, 1);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1, "the released job must be due at once");
    assert_eq!(panel.job_counts().await, (1, 0, 0));
    panel.create_staff("viewer", &[panel_contract::permission::Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("viewer", "/api/v1/admin/quarantine", "application/json").await.status, 403);
}
