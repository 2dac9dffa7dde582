//! Work that ends the process which does it: what a dead process held is tried once more, alone, in a process of its own,
//! and what ends that one too is left to a person. `quarantine_program` shows the same with the real program.

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
use panel_demo::panel::world::OrderBehavior;
use panel_kernel::clock::{Clock, FixedClock};
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::jobs::heartbeat;
use panel_platform::quarantine::{self, store};
use panel_platform::settings;
use panel_server::app::App;
use panel_server::background::quarantine_retry;
use panel_server::background::quarantine_runner::{Limits, Runner};
use panel_server::background::worker;
use panel_server::supply::dispatch;
use serde_json::{Value, json};

use crate::jobs::letter;
use crate::panel::{NOW, Panel};
use crate::supplied::Supplied;

both! {
    every_poller_leaves_quarantined_records_alone;
    a_quarantined_record_says_why_it_stands_still;
    every_poller_works_on_one_record_alone;
    errors_and_panics_leave_no_batch;
    only_what_a_dead_process_held_is_suspected;
    leases_end_with_the_process_that_holds_them;
    a_process_that_ends_gives_back_what_it_holds;
    a_call_that_was_frozen_after_its_claim_is_not_made;
    what_has_no_lease_waits_while_another_process_has_it;
    how_the_process_ends_decides;
    a_process_that_does_not_start_costs_no_record_anything;
    an_orderly_stop_is_not_the_records_fault;
    a_record_that_takes_the_server_down_with_it_is_quarantined;
    staff_see_and_release_what_is_quarantined;
}

/// A due record of one poller: how it is made, and a number that changes when it is claimed.
struct Case {
    poller: Poller,
    id: i64,
    make: &'static str,
    probe: &'static str,
}

const fn case(poller: Poller, id: i64, make: &'static str, probe: &'static str) -> Case {
    Case { poller, id, make, probe }
}

const JOB: &str = "SELECT COALESCE(dead_at, 0) FROM jobs WHERE id = ?";
const ATTEMPT: &str = "SELECT COALESCE(due_at, 0) FROM external_panel_orders WHERE id = ?";
const SUBSCRIPTION: &str = "INSERT INTO subscriptions (id, name, url, type, user_id, status, billing_type, contents_limit, created_at, updated_at, look_at, expired_at)
  VALUES ";

/// One record of each poller, and each state of an external order.
const CASES: &[Case] = &[
    case(Poller::Mail, 91, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (91, 'mail', '{}', 1, 1)", JOB),
    case(Poller::Sync, 92, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (92, 'sync', '{}', 1, 1)", JOB),
    case(Poller::Telegram, 93, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (93, 'telegram', '{}', 1, 1)", JOB),
    case(Poller::Webhook, 94, "INSERT INTO jobs (id, kind, payload, run_at, created_at) VALUES (94, 'webhook', '{}', 1, 1)", JOB),
    case(
        Poller::SubscriptionPoll,
        95,
        "(95, 'A', 'name', 'posts', 1, 'in_processing', 'per_content', 5, 1, 1, 1, NULL)",
        "SELECT look_at FROM subscriptions WHERE id = ?",
    ),
    case(
        Poller::SubscriptionExpiry,
        96,
        "(96, 'B', 'name', 'posts', 1, 'in_processing', 'per_content', 5, 1, 1, NULL, 1)",
        "SELECT COALESCE(completed_at, 0) FROM subscriptions WHERE id = ?",
    ),
    case(
        Poller::Content,
        97,
        "INSERT INTO subscription_contents (id, subscription_id, url, status, due_at, created_at) VALUES (97, 95, 'https://a.example/1', 'found', 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM subscription_contents WHERE id = ?",
    ),
    case(
        Poller::DripFeed,
        98,
        "INSERT INTO drip_feeds (id, name, url, user_id, service_id, status, runs, price, cost, quantity, minutes_between_runs, next_run_at, created_at, updated_at)
         VALUES (98, 'Feed', 'https://a.example/2', 1, 1, 'in_processing', 5, 1, 5, 100, 5, 1, 1, 1)",
        "SELECT COALESCE(next_run_at, 0) FROM drip_feeds WHERE id = ?",
    ),
    case(
        Poller::Order,
        1,
        "UPDATE orders SET dispatch_at = 1 WHERE id = 1",
        "SELECT COALESCE(dispatch_at, 0) FROM orders WHERE id = ?",
    ),
    case(Poller::ExternalOrder, 1, "UPDATE external_panel_orders SET due_at = 1, sent_at = NULL WHERE id = 1", ATTEMPT),
    case(
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = 1, sent_at = 1, status = 'Creating', external_order_id = NULL WHERE id = 1",
        ATTEMPT,
    ),
    case(
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = 1, sent_at = 1, status = 'Pending', external_order_id = '1' WHERE id = 1",
        ATTEMPT,
    ),
    case(
        Poller::Refill,
        99,
        "INSERT INTO order_refill_requests (id, order_id, quantity, due_at, external_panel_order_id, created_at) VALUES (99, 1, 5, 1, 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM order_refill_requests WHERE id = ?",
    ),
    case(
        Poller::Counter,
        1,
        "INSERT INTO order_counters (order_id, due_at, created_at) VALUES (1, 1, 1)",
        "SELECT COALESCE(due_at, 0) FROM order_counters WHERE order_id = ?",
    ),
    case(
        Poller::Balance,
        1,
        "UPDATE external_panels SET balance_at = NULL WHERE id = 1",
        "SELECT COALESCE(balance_at, 0) FROM external_panels WHERE id = ?",
    ),
    // The last one: its order is canceled with it.
    case(
        Poller::CancelRequest,
        101,
        "INSERT INTO order_cancel_requests (id, order_id, due_at, created_at, deadline_at) VALUES (101, 1, 1, 1, 9000000000000000)",
        "SELECT COALESCE(due_at, 0) FROM order_cancel_requests WHERE id = ?",
    ),
];

impl Case {
    async fn made(&self, panel: &Panel) -> i64 {
        // The counter keeps a pace of its own.
        panel.exec(Sql::new("DELETE FROM call_paces")).await;
        if self.poller == Poller::Counter {
            // Else the order is asked about no more, and nothing is claimed.
            panel.exec(Sql::new("UPDATE services SET gather_statistic = TRUE")).await;
        }
        let sql = if self.make.starts_with('(') {
            Sql::new(SUBSCRIPTION).push(self.make)
        } else {
            Sql::new(self.make)
        };
        assert_eq!(panel.exec(sql).await, 1, "{}", self.make);
        self.seen(panel).await
    }

    async fn seen(&self, panel: &Panel) -> i64 {
        panel.number(Sql::new(self.probe).bind(self.id)).await
    }
}

/// Where a record of a poller tells staff what is wrong with it; an order and a drip-feed have no place for it.
fn error_of(poller: Poller) -> Option<&'static str> {
    Some(match poller {
        Poller::Mail | Poller::Sync | Poller::Telegram | Poller::Webhook => "last_error FROM jobs WHERE id",
        Poller::SubscriptionPoll | Poller::SubscriptionExpiry => "look_error FROM subscriptions WHERE id",
        Poller::Content => "last_error FROM subscription_contents WHERE id",
        Poller::ExternalOrder => "last_error FROM external_panel_orders WHERE id",
        Poller::Refill => "last_error FROM order_refill_requests WHERE id",
        Poller::CancelRequest => "answer FROM order_cancel_requests WHERE id",
        Poller::Counter => "last_error FROM order_counters WHERE order_id",
        Poller::Balance => "last_error FROM external_panels WHERE id",
        Poller::Order | Poller::DripFeed => return None,
    })
}

async fn a_quarantined_record_says_why_it_stands_still(dialect: Dialect) {
    let shop = shop(dialect).await;
    for case in CASES {
        case.made(&shop.ours).await;
        shop.ours.exec(Sql::new("DELETE FROM quarantine")).await;
        shop.ours.suspected("trying", case.poller, case.id, Some(NOW + 1)).await;
        let id = shop.ours.number(Sql::new("SELECT id FROM quarantine")).await;
        let record_id = RecordId::new(case.id);
        let suspect = store::Suspect { id: QuarantineId::new(id), poller: case.poller, record_id };
        assert!(store::quarantine(&shop.ours.app, &suspect, "It died.").await.unwrap());
        assert!(!store::quarantine(&shop.ours.app, &suspect, "Again.").await.unwrap());
        if let Some(place) = error_of(case.poller) {
            let sql = Sql::new("SELECT ").push(place).push(" = ?").bind(case.id);
            let (error,): (Option<String>,) = (&mut &shop.ours.app.db).one(sql).await.unwrap();
            let wanted = "Quarantined because working on it killed the server process. It died.";
            assert_eq!(error.as_deref(), Some(wanted), "{}", case.poller.as_str());
        }
    }
}

/// A shop with one order, whose first attempt waits to be sent.
async fn shop(dialect: Dialect) -> Supplied {
    let shop = Supplied::on(dialect, &[OrderBehavior::Delivered]).await;
    assert_eq!(shop.order(1).await.get(), 1);
    dispatch::dispatch_due_orders(&shop.ours.app).await.unwrap();
    let nowhere = json!("http://127.0.0.1:9/{url}");
    settings::put(&mut &shop.ours.app.db, settings::COUNTER_URL, &nowhere, Time(NOW)).await.unwrap();
    shop
}

impl Panel {
    async fn suspected(&self, status: &'static str, poller: Poller, id: i64, retry_at: Option<i64>) {
        let sql = Sql::new(
            "INSERT INTO quarantine (poller, record_id, status, deaths, first_death_at, retry_at, created_at, updated_at) VALUES (?, ?, ?, 1, 1, ?, 1, 1)",
        );
        self.exec(sql.bind(poller.as_str()).bind(id).bind(status).bind(retry_at)).await;
    }

    async fn batches(&self) -> i64 {
        self.number(Sql::new("SELECT count(*) FROM claimed_batches")).await
    }

    /// Record, status, deaths and reason of all that is in quarantine.
    async fn quarantined(&self) -> Vec<(i64, String, i64, Option<String>)> {
        let sql = Sql::new("SELECT record_id, status, deaths, reason FROM quarantine ORDER BY record_id");
        (&mut &self.app.db).all(sql).await.unwrap()
    }
}

/// From now on the database remembers the pollers that noted a batch, also when its row is gone.
async fn remember_batches(panel: &Panel, dialect: Dialect) {
    panel.exec(Sql::new("CREATE TABLE noted_batches (poller TEXT NOT NULL)")).await;
    let statements: &[&'static str] = match dialect {
        Dialect::Sqlite => &["CREATE TRIGGER remember_batch AFTER INSERT ON claimed_batches FOR EACH ROW
             BEGIN INSERT INTO noted_batches (poller) VALUES (NEW.poller); END"],
        Dialect::Postgres => &[
            "CREATE FUNCTION remember_batch() RETURNS TRIGGER LANGUAGE plpgsql AS
             'BEGIN INSERT INTO noted_batches (poller) VALUES (NEW.poller); RETURN NEW; END'",
            "CREATE TRIGGER remember_batch AFTER INSERT ON claimed_batches FOR EACH ROW EXECUTE FUNCTION remember_batch()",
        ],
    };
    for statement in statements {
        panel.exec(Sql::new(statement)).await;
    }
}

async fn every_poller_leaves_quarantined_records_alone(dialect: Dialect) {
    let shop = shop(dialect).await;
    let panel = &shop.ours;
    remember_batches(panel, dialect).await;
    for case in CASES {
        let before = case.made(panel).await;
        panel.suspected("quarantined", case.poller, case.id, None).await;
        quarantine_retry::poll_once(&panel.app, case.poller).await.unwrap();
        assert_eq!(
            case.seen(panel).await,
            before,
            "{} claims what is quarantined: {}",
            case.poller,
            case.make
        );
        panel.exec(Sql::new("DELETE FROM quarantine")).await;
        quarantine_retry::poll_once(&panel.app, case.poller).await.unwrap();
        assert_ne!(case.seen(panel).await, before, "{}: {}", case.poller, case.make);
        let noted = Sql::new("DELETE FROM noted_batches WHERE poller = ?").bind(case.poller.as_str());
        assert!(panel.exec(noted).await > 0, "{} notes what it claims: {}", case.poller, case.make);
        assert_eq!(panel.batches().await, 0, "{}", case.poller);
    }
    let covered: BTreeSet<Poller> = CASES.iter().map(|case| case.poller).collect();
    assert_eq!(covered, Poller::ALL.iter().copied().collect(), "every poller has a case");
}

async fn every_poller_works_on_one_record_alone(dialect: Dialect) {
    let shop = shop(dialect).await;
    let panel = &shop.ours;
    let alone = panel.twin().await;
    for case in CASES {
        let before = case.made(panel).await;
        panel.suspected("trying", case.poller, case.id, Some(NOW)).await;
        for other in [None, Some((case.poller, RecordId::new(77)))] {
            alone.quarantine.only(other);
            quarantine_retry::poll_once(&alone, case.poller).await.unwrap();
            assert_eq!(case.seen(panel).await, before, "{} works on another one: {}", case.poller, case.make);
        }
        alone.quarantine.only(Some((case.poller, RecordId::new(case.id))));
        quarantine_retry::poll_once(&alone, case.poller).await.unwrap();
        assert_ne!(case.seen(panel).await, before, "{}: {}", case.poller, case.make);
        assert_eq!(panel.batches().await, 0, "alone, there is no batch");
        panel.exec(Sql::new("DELETE FROM quarantine")).await;
    }
}

async fn errors_and_panics_leave_no_batch(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    std::fs::remove_dir(panel.app.config.mail.folder.clone().unwrap()).unwrap();
    panel.enqueue(&[letter(1), letter(2)]).await;
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 2);
    assert_eq!((panel.tally().await, panel.batches().await), ((0, 0, 2), 0), "both failed");
    let batch = quarantine::claim_for(&panel.app, Poller::Mail, &[1, 2].map(JobId::new)).await.unwrap();
    assert_eq!(panel.batches().await, 1, "noted while it works");
    let work = async { assert_eq!(panel.batches().await, 2, "one row a batch: this panics") };
    assert!(AssertUnwindSafe(batch.work(&panel.app, work)).catch_unwind().await.is_err());
    assert_eq!(panel.batches().await, 0);
}

async fn only_what_a_dead_process_held_is_suspected(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let (me, other) = (&panel.app, panel.twin().await);
    for app in [me, &other] {
        heartbeat::send_heartbeat(app).await.unwrap();
        drop(quarantine::claim_for(app, Poller::Mail, &[1, 2].map(JobId::new)).await.unwrap());
    }
    assert_eq!(store::suspect_dead_batches(me).await.unwrap(), 0);
    panel.clock.advance_secs(34);
    assert_eq!(store::suspect_dead_batches(me).await.unwrap(), 0, "it lives as far as anybody knows");
    heartbeat::send_heartbeat(&other).await.unwrap();
    panel.clock.advance_secs(34);
    assert_eq!(store::suspect_dead_batches(me).await.unwrap(), 0, "it lives");
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(me).await.unwrap();
    assert_eq!(store::suspect_dead_batches(me).await.unwrap(), 1);
    assert_eq!(panel.batches().await, 1, "my own");
    let suspected: Vec<_> = panel.quarantined().await.into_iter().map(|row| (row.0, row.1, row.2)).collect();
    assert_eq!(suspected, [(1, "suspected".into(), 1), (2, "suspected".into(), 1)]);
    assert!(store::has_due_suspects(me).await.unwrap(), "its lease is over with it");
}

/// Microseconds for which a claim holds.
const CLAIM_MICROS: i64 = 120_000_000;

/// Records with a lease: where it stands, and the record.
const LEASES: &[(Poller, i64, &str, &str)] = &[
    (
        Poller::Mail,
        91,
        "UPDATE jobs SET lease_until = ?, leased_by = ? WHERE id = ?",
        "SELECT COALESCE(lease_until, ?) FROM jobs WHERE id = ?",
    ),
    (
        Poller::SubscriptionPoll,
        95,
        "UPDATE subscriptions SET look_at = ?, name = ? WHERE id = ?",
        "SELECT look_at + 0 * ? FROM subscriptions WHERE id = ?",
    ),
    (
        Poller::Content,
        97,
        "UPDATE subscription_contents SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM subscription_contents WHERE id = ?",
    ),
    (
        Poller::ExternalOrder,
        1,
        "UPDATE external_panel_orders SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM external_panel_orders WHERE id = ?",
    ),
    (
        Poller::Refill,
        99,
        "UPDATE order_refill_requests SET due_at = ?, last_error = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM order_refill_requests WHERE id = ?",
    ),
    (
        Poller::CancelRequest,
        101,
        "UPDATE order_cancel_requests SET due_at = ?, answer = ? WHERE id = ?",
        "SELECT due_at + 0 * ? FROM order_cancel_requests WHERE id = ?",
    ),
    (
        Poller::Counter,
        1,
        "UPDATE order_counters SET due_at = ?, last_error = ? WHERE order_id = ?",
        "SELECT due_at + 0 * ? FROM order_counters WHERE order_id = ?",
    ),
];

/// A shop where `holder` has claimed one record of each poller that has leases.
async fn leased(shop: &Supplied, holder: &App) {
    let panel = &shop.ours;
    let mut made = BTreeSet::new();
    for case in CASES.iter().filter(|case| made.insert(case.poller)) {
        case.made(panel).await;
    }
    for (poller, id, lease, _) in LEASES {
        let until = panel.app.clock.now().0 + CLAIM_MICROS;
        panel.exec(Sql::new(lease).bind(until).bind(holder.instance.as_str()).bind(*id)).await;
        drop(quarantine::claim_for(holder, *poller, &[RecordId::new(*id)]).await.unwrap());
    }
}

/// When each of those leases ends; jobs without a lease count as `now`.
async fn ends(panel: &Panel) -> Vec<i64> {
    let mut ends = Vec::new();
    for (_, id, _, end) in LEASES {
        ends.push(panel.number(Sql::new(end).bind(panel.app.clock.now()).bind(*id)).await);
    }
    ends
}

async fn leases_end_with_the_process_that_holds_them(dialect: Dialect) {
    let shop = shop(dialect).await;
    let (panel, holder) = (&shop.ours, shop.ours.twin().await);
    leased(&shop, &holder).await;
    heartbeat::send_heartbeat(&holder).await.unwrap();
    panel.clock.advance_secs(34);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(store::suspect_dead_batches(&panel.app).await.unwrap(), 0);
    assert_eq!(ends(panel).await, vec![NOW + CLAIM_MICROS; LEASES.len()], "it lives as far as anybody knows");
    // Written by its holder before it died: no lease any more.
    let later = NOW + 3_600_000_000;
    panel.exec(Sql::new("UPDATE subscription_contents SET due_at = ?").bind(later)).await;
    panel.clock.advance_secs(2);
    heartbeat::send_heartbeat(&panel.app).await.unwrap();
    assert_eq!(store::suspect_dead_batches(&panel.app).await.unwrap(), LEASES.len());
    let now = panel.app.clock.now().0;
    let mut wanted = vec![now; LEASES.len()];
    wanted[2] = later;
    assert_eq!(ends(panel).await, wanted);
    assert!(store::has_due_suspects(&panel.app).await.unwrap(), "and each is tried at once");
}

/// What an orderly stop cut off is other processes' at once, without waiting for a sign of life to fail.
async fn a_process_that_ends_gives_back_what_it_holds(dialect: Dialect) {
    let shop = shop(dialect).await;
    let (panel, holder) = (&shop.ours, shop.ours.twin().await);
    heartbeat::send_heartbeat(&holder).await.unwrap();
    leased(&shop, &holder).await;
    drop(quarantine::claim_for(&panel.app, Poller::Webhook, &[WebhookDeliveryId::new(94)]).await.unwrap());
    heartbeat::deregister(&holder).await.unwrap();
    assert_eq!(ends(panel).await, vec![NOW; LEASES.len()]);
    assert!(store::has_due_suspects(&panel.app).await.unwrap());
    assert_eq!(panel.batches().await, 1, "the other process's own");
}

/// A clock by which ten seconds pass between any two looks: a process that is stopped and continued again and again.
#[derive(Debug)]
struct FrozenNowAndThen(FixedClock);

impl Clock for FrozenNowAndThen {
    fn now(&self) -> Time {
        self.0.advance_secs(10);
        self.0.now()
    }
}

async fn a_call_that_was_frozen_after_its_claim_is_not_made(dialect: Dialect) {
    let shop = shop(dialect).await;
    let panel = &shop.ours;
    let clock = Arc::new(FrozenNowAndThen(panel.clock.clone()));
    let frozen = App::start(panel.app.config.clone(), clock, Random::seeded(9)).await.unwrap();
    assert!(dispatch::work_for_due_panels(&frozen).await.unwrap() > 0, "it claims the order");
    assert_eq!(shop.taken(), [0], "its claim may be another process's by now");
    let unsent =
        Sql::new("SELECT count(*) FROM external_panel_orders WHERE sent_at IS NULL AND status = 'Creating'");
    assert_eq!(panel.number(unsent).await, 1, "which surely was not sent");
    shop.settle().await;
    assert_eq!(shop.taken(), [1]);
    shop.assert_healthy().await;
}

async fn what_has_no_lease_waits_while_another_process_has_it(dialect: Dialect) {
    let shop = shop(dialect).await;
    let panel = &shop.ours;
    let other = panel.twin().await;
    panel.exec(Sql::new("UPDATE orders SET dispatch_at = 1 WHERE id = 1")).await;
    drop(quarantine::claim_for(&other, Poller::Order, &[11, 1, 12].map(OrderId::new)).await.unwrap());
    assert_eq!(
        dispatch::dispatch_due_orders(&panel.app).await.unwrap(),
        0,
        "where that process died, this one would too"
    );
    panel.clock.advance_secs(121);
    assert_eq!(dispatch::dispatch_due_orders(&panel.app).await.unwrap(), 1);
}

/// A program that says what became of a record by its id, or dies of it.
const PROGRAM: &str = r#"#!/bin/sh
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

/// Another process on the database, whose records are worked on by a program of the test.
async fn with_program(panel: &Panel, home: &Path) -> App {
    let app = panel.twin().await;
    let path = home.join("program");
    // By another process: what this one has open to write, a process that another test forks would keep open.
    let write = ["-c", "printf '%s' \"$0\" > \"$1\" && chmod 755 \"$1\"", PROGRAM, path.to_str().unwrap()];
    assert!(Command::new("sh").args(write).status().unwrap().success());
    app.quarantine.set_program(path);
    app
}

fn quick() -> Runner {
    Runner::within(Limits { record: Duration::from_millis(300), stop: Duration::from_millis(1) })
}

async fn how_the_process_ends_decides(dialect: Dialect) {
    let (panel, home) = (Panel::on(dialect).await, tempfile::tempdir().unwrap());
    let app = with_program(&panel, home.path()).await;
    for id in 1..=5 {
        panel.suspected("suspected", Poller::Counter, id, Some(id)).await;
    }
    let mut runner = quick();
    while runner.run_next(&app).await.unwrap() {}
    let found = panel.quarantined().await;
    let states: Vec<_> = found.iter().map(|row| (row.1.as_str(), row.2)).collect();
    assert_eq!(states[0], ("suspected", 1), "it could not be tried now");
    assert!(states[1..].iter().all(|state| *state == ("quarantined", 2)), "{states:?}");
    let reason = |n: usize| found[n].3.clone().unwrap();
    assert_eq!(reason(1), "The process that worked on it alone aborted (signal 6).");
    assert_eq!(reason(2), "The process that worked on it alone did not end within 0 seconds.");
    assert!(
        reason(3).ends_with("signal 11; its last message: thread 'worker' has overflowed its stack."),
        "{}",
        reason(3)
    );
    assert_eq!(reason(4), "The process that worked on it alone ended with exit code 3.");
    let later = panel.number(Sql::new("SELECT retry_at FROM quarantine WHERE record_id = 1")).await;
    assert_eq!(later, NOW + 60_000_000);
    let metrics = panel.get("/metrics").await.text;
    assert!(metrics.contains("panel_quarantine_records{status=\"quarantined\"} 4"), "{metrics}");
    assert!(metrics.contains("panel_quarantined_total{poller=\"counter\"}"), "{metrics}");
}

async fn a_process_that_does_not_start_costs_no_record_anything(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.suspected("suspected", Poller::Mail, 1, Some(1)).await;
    let before = panel.quarantined().await;
    for program in ["/bin/false", "/no/such/program"] {
        let app = panel.twin().await;
        app.quarantine.set_program(PathBuf::from(program));
        let mut runner = quick();
        assert!(!runner.run_next(&app).await.unwrap(), "{program}");
        assert_eq!(panel.quarantined().await, before);
    }
    assert!(!quick().run_next(&panel.app).await.unwrap(), "no program is named");
    assert_eq!(panel.quarantined().await, before);
}

async fn an_orderly_stop_is_not_the_records_fault(dialect: Dialect) {
    let (panel, home) = (Panel::on(dialect).await, tempfile::tempdir().unwrap());
    let app = with_program(&panel, home.path()).await;
    panel.suspected("suspected", Poller::Mail, 3, Some(1)).await;
    app.stop.send_replace(true);
    let mut runner = Runner::within(Limits { stop: Duration::from_millis(1), ..Limits::default() });
    assert!(runner.run_next(&app).await.unwrap());
    assert_eq!(panel.quarantined().await, [(3, "suspected".into(), 1, None)]);
    let again = panel.number(Sql::new("SELECT retry_at FROM quarantine")).await;
    assert_eq!(again, NOW, "its lease ended with the process");
}

async fn a_record_that_takes_the_server_down_with_it_is_quarantined(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.suspected("trying", Poller::Mail, 1, Some(NOW + 150_000_000)).await;
    assert!(!quick().run_next(&panel.app).await.unwrap());
    assert_eq!(panel.quarantined().await[0].1, "trying", "a request may still wait for it");
    panel.clock.advance_secs(151);
    assert!(!quick().run_next(&panel.app).await.unwrap());
    let found = panel.quarantined().await.remove(0);
    assert_eq!((found.1.as_str(), found.2), ("quarantined", 2));
    assert!(found.3.unwrap().contains("so did the server"));
}

async fn staff_see_and_release_what_is_quarantined(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.enqueue(&[letter(1)]).await;
    let job = panel.number(Sql::new("SELECT id FROM jobs")).await;
    panel.exec(Sql::new("UPDATE jobs SET lease_until = ?").bind(NOW + 100_000_000)).await;
    panel.suspected("trying", Poller::Mail, job, Some(NOW)).await;
    let rows = panel.get("/api/v1/admin/quarantine").await.json();
    let row = &rows["data"][0];
    let seen = (&row["poller"], &row["record_id"], &row["status"], &row["actions"]["release"]);
    assert_eq!(seen, (&json!("mail"), &json!(job), &json!("trying"), &json!(false)));
    let path = format!("/api/v1/admin/quarantine/{}/release", row["id"]);
    let refused = panel.post(&path, &json!({})).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["code"]),
        (409, &json!("quarantine_not_releasable"))
    );

    panel
        .exec(Sql::new("UPDATE quarantine SET status = 'quarantined', retry_at = NULL, reason = 'It died.'"))
        .await;
    panel.clock.advance_secs(1_000);
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 0);
    let status = panel.get("/api/v1/admin/system/status").await.json();
    assert_eq!(status["data"]["quarantine"], json!({ "suspected": 0, "quarantined": 1 }));
    let report = panel.get("/api/v1/admin/system/doctor").await.json()["data"].clone();
    let broken: Vec<&Value> =
        report["checks"].as_array().unwrap().iter().filter(|check| check["broken"] != 0).collect();
    assert_eq!(broken.len(), 1, "a quarantined job is not overdue: {broken:#?}");
    assert_eq!(broken[0]["examples"], json!([format!("record mail {job}")]));

    let released = panel.post(&path, &json!({})).await;
    assert_eq!(
        (released.status.as_u16(), &released.json()["data"]["actions"]["release"]),
        (200, &json!(false))
    );
    assert_eq!(panel.post(&path, &json!({})).await.status, 404);
    let audited = "SELECT count(*) FROM audits WHERE event = 'quarantine.released'";
    assert_eq!(panel.number(Sql::new(audited)).await, 1);
    assert_eq!(worker::run_due(&panel.app).await.unwrap(), 1, "due at once");
    assert_eq!(panel.tally().await, (1, 0, 0));
    panel.staff("viewer", &[panel_contract::permission::Permission::ViewOrders]).await;
    assert_eq!(panel.get_as("viewer", "/api/v1/admin/quarantine", "application/json").await.status, 403);
}
