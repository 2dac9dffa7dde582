//! Background jobs: a change enqueues them in its transaction, one worker at a time runs each job, and failed jobs are retried.

use std::sync::Arc;

use futures_util::future::join;
use panel_contract::ids::ExternalPanelId;
use panel_contract::moment::Time;
use panel_kernel::random::Random;
use panel_platform::db::{Dialect, Sql, SqlExecutor};
use panel_platform::jobs::job::Job;
use panel_platform::jobs::{self, heartbeat, store};
use panel_platform::mail::Email;
use panel_server::app::App;
use panel_server::background::worker;
use panel_server::context::Ctx;

use crate::panel::{NOW, Panel};

test_both_databases! {
    a_job_is_enqueued_only_if_its_transaction_commits;
    two_processes_share_the_jobs;
    jobs_of_a_dead_worker_are_claimed_again;
    failed_jobs_back_off;
    a_permanent_failure_is_not_retried;
    a_worker_with_an_expired_lease_changes_nothing;
    expired_records_are_removed;
    staff_list_and_retry_jobs;
    the_status_counts_waiting_and_failed_jobs;
    ten_thousand_due_jobs_run_once_each;
    processes_share_the_rate_limit;
    a_worker_registers_its_process_until_it_stops;
}

pub(crate) fn email_job(n: i64) -> Job {
    Job::Mail(Email {
        name: format!("Customer {n}"),
        email: format!("c{n}@shop.example"),
        subject: format!("Order {n} was canceled"),
        text: "Hello\n".into(),
    })
}

impl Panel {
    /// A panel that writes its emails to a folder of its data directory.
    pub(crate) async fn with_mailbox(dialect: Dialect) -> Self {
        Self::with_config(dialect, |config| config.mail.folder = Some(config.data_dir.join("mails"))).await
    }

    pub(crate) async fn enqueue(&self, jobs: &[Job]) {
        jobs::enqueue(&mut &self.app.db, jobs, self.app.clock.now()).await.unwrap();
    }

    fn read_emails(&self) -> Vec<String> {
        let folder = self.app.config.mail.folder.clone().unwrap();
        let files = std::fs::read_dir(folder).unwrap();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }

    /// The numbers of done, given-up and waiting jobs.
    pub(crate) async fn job_counts(&self) -> (i64, i64, i64) {
        let sql = Sql::new(
            "SELECT count(done_at), count(dead_at), count(*) - count(done_at) - count(dead_at) FROM jobs",
        );
        (&mut &self.app.db).fetch_one(sql).await.unwrap()
    }

    /// A second process on the same database.
    pub(crate) async fn start_second_process(&self) -> App {
        self.start_process_with_seed(8).await
    }

    /// Another process on the same database; the seed gives each of several processes a different instance id.
    async fn start_process_with_seed(&self, seed: u64) -> App {
        let random = Random::seeded(seed);
        App::start(self.app.config.clone(), Arc::new(self.clock.clone()), random).await.unwrap()
    }
}

async fn processes_share_the_rate_limit(dialect: Dialect) {
    let panel = Panel::with_config(dialect, |config| config.outbound.panel_calls_per_second = 30).await;
    let (first_process, second_process, third_process) =
        (&panel.app, panel.start_process_with_seed(8).await, panel.start_process_with_seed(9).await);
    let available_requests =
        |app: &App| app.panel_limits.available_requests(ExternalPanelId::new(1), app.clock.now());
    for app in [first_process, &second_process, &third_process] {
        heartbeat::send_heartbeat(app).await.unwrap();
    }
    heartbeat::send_heartbeat(first_process).await.unwrap();
    assert_eq!(
        (available_requests(first_process), available_requests(&third_process)),
        (20, 20),
        "each of three processes must get a third of the burst of 60 requests"
    );
    assert_eq!(panel.get("/api/v1/admin/system/status").await.json()["data"]["processes"], 3);
    heartbeat::deregister(&second_process).await.unwrap();
    heartbeat::send_heartbeat(first_process).await.unwrap();
    assert_eq!(available_requests(first_process), 30);
    // The third process dies without deregistering.
    panel.clock.advance_secs(36);
    heartbeat::send_heartbeat(first_process).await.unwrap();
    assert_eq!(
        (
            available_requests(first_process),
            panel.fetch_number(Sql::new("SELECT count(*) FROM processes")).await
        ),
        (60, 1)
    );
}

async fn a_worker_registers_its_process_until_it_stops(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let other_process = panel.start_second_process().await;
    heartbeat::send_heartbeat(&other_process).await.unwrap();
    panel.app.stop.send_replace(true);
    worker::run(panel.app.clone(), panel.app.stop.subscribe()).await;
    assert_eq!(panel.app.processes.count(), 2, "the worker must send a heartbeat");
    let registered_instances: Vec<(String,)> =
        (&mut &panel.app.db).fetch_all(Sql::new("SELECT instance FROM processes")).await.unwrap();
    assert_eq!(registered_instances, [(other_process.instance.clone(),)]);
}

async fn ten_thousand_due_jobs_run_once_each(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let other_process = panel.start_second_process().await;
    panel.enqueue(&(0..10_000).map(email_job).collect::<Vec<_>>()).await;
    panel.clock.advance_secs(86_400);
    let mut done_count = 0;
    loop {
        let (first_result, second_result) =
            join(worker::run_due_jobs(&panel.app), worker::run_due_jobs(&other_process)).await;
        let newly_done_count = first_result.unwrap() + second_result.unwrap();
        if newly_done_count == 0 {
            break;
        }
        done_count += newly_done_count;
    }
    assert_eq!((done_count, panel.job_counts().await), (10_000, (10_000, 0, 0)));
    assert_eq!(panel.read_emails().len(), 10_000, "each job must send one email");
}

async fn a_job_is_enqueued_only_if_its_transaction_commits(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    jobs::enqueue(&mut work, &[email_job(1)], Time(NOW)).await.unwrap();
    drop(work);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    let mut work = Ctx::system(panel.app.clone(), "test").begin().await.unwrap();
    jobs::enqueue(&mut work, &[email_job(2), email_job(3)], Time(NOW)).await.unwrap();
    work.finish(()).await.unwrap();
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 2);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    let emails = panel.read_emails();
    assert_eq!(emails.len(), 2);
    assert!(emails.iter().any(|email| email.contains("To: \"Customer 2\" <c2@shop.example>")), "{emails:?}");
    assert_eq!(panel.job_counts().await, (2, 0, 0));
}

async fn two_processes_share_the_jobs(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let other_process = panel.start_second_process().await;
    let jobs: Vec<Job> = (0..200).map(email_job).collect();
    panel.enqueue(&jobs).await;
    let run_until_no_job_is_due = async |app: &App| {
        let mut done_count = 0;
        loop {
            match worker::run_due_jobs(app).await.unwrap() {
                0 => break done_count,
                newly_done_count => done_count += newly_done_count,
            }
        }
    };
    let (first_count, second_count) =
        tokio::join!(run_until_no_job_is_due(&panel.app), run_until_no_job_is_due(&other_process));
    assert_eq!(first_count + second_count, 200);
    let repeated_jobs = panel.fetch_number(Sql::new("SELECT count(*) FROM jobs WHERE attempts <> 1")).await;
    assert_eq!((repeated_jobs, panel.job_counts().await, panel.read_emails().len()), (0, (200, 0, 0), 200));
    other_process.db.close().await;
}

async fn jobs_of_a_dead_worker_are_claimed_again(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.enqueue(&[email_job(1)]).await;
    // A worker leases the job and dies.
    let lease_until = Time(NOW + 120_000_000);
    let dead_worker = panel.start_second_process().await;
    assert_eq!(store::lease(&dead_worker, "mail", Time(NOW), lease_until, 20).await.unwrap().0.len(), 1);
    panel.clock.advance_secs(119);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    panel.clock.advance_secs(2);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
    assert_eq!((panel.job_counts().await, panel.read_emails().len()), ((1, 0, 0), 1));
}

async fn failed_jobs_back_off(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let folder = panel.app.config.mail.folder.clone().unwrap();
    std::fs::remove_dir(&folder).unwrap();
    panel.enqueue(&[email_job(1)]).await;
    let mut delays_secs = Vec::new();
    while panel.job_counts().await.2 == 1 {
        assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
        let run_at = panel.fetch_number(Sql::new("SELECT run_at FROM jobs")).await;
        let delay_secs = (run_at - panel.app.clock.now().0) / 1_000_000 + 1;
        panel.clock.advance_secs(delay_secs - 2);
        assert_eq!(
            worker::run_due_jobs(&panel.app).await.unwrap(),
            0,
            "a job must not be retried before run_at"
        );
        panel.clock.advance_secs(2);
        delays_secs.push(delay_secs);
    }
    delays_secs.pop();
    assert_eq!(delays_secs.len(), 10, "{delays_secs:?}");
    assert!(delays_secs.is_sorted() && delays_secs[0] >= 5 && delays_secs[9] >= 86_400, "{delays_secs:?}");
    let (error, attempts): (String, i64) =
        (&mut &panel.app.db).fetch_one(Sql::new("SELECT last_error, attempts FROM jobs")).await.unwrap();
    assert!(attempts == 11 && error.contains("No such file"), "{attempts}: {error}");
    // A job that was given up stays in the list of staff and is not retried.
    std::fs::create_dir(&folder).unwrap();
    panel.clock.advance_secs(10 * 86_400);
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.job_counts().await, (0, 1, 0));
}

async fn a_permanent_failure_is_not_retried(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let (Job::Mail(mut invalid_address), Job::Mail(mut name_with_line_break)) = (email_job(1), email_job(2))
    else {
        unreachable!()
    };
    invalid_address.email = "no address".into();
    name_with_line_break.name = "Eve\r\n\0\u{85}Bcc: all@shop.example".into();
    panel.enqueue(&[Job::Mail(invalid_address), Job::Mail(name_with_line_break)]).await;
    for payload in ["{}", "not json", r#"{"kind":"unheard_of"}"#] {
        let sql = Sql::new("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('mail', ?, 1, 1)");
        panel.execute(sql.bind(payload)).await;
    }
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 5);
    assert_eq!(panel.job_counts().await, (1, 4, 0), "a failing job must not block the others");
}

async fn a_worker_with_an_expired_lease_changes_nothing(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.enqueue(&[email_job(1)]).await;
    let lease_until = Time(NOW + 120_000_000);
    let (late_worker, other_worker) =
        (panel.start_process_with_seed(8).await, panel.start_process_with_seed(9).await);
    let job = store::lease(&late_worker, "mail", Time(NOW), lease_until, 20).await.unwrap().0.remove(0);
    panel.clock.advance_secs(121);
    let now = panel.app.clock.now();
    let (claimed_again, _batch) =
        store::lease(&other_worker, "mail", now, Time(now.0 + 120_000_000), 20).await.unwrap();
    assert_eq!(
        (claimed_again[0].id, claimed_again[0].attempts, claimed_again[0].idempotency_key()),
        (job.id, 2, job.idempotency_key())
    );
    store::mark_failed(&panel.app.db, &late_worker.instance, job.id, "too late", now, None).await.unwrap();
    store::release(&panel.app.db, &late_worker.instance, job.id, None).await.unwrap();
    store::mark_done(&panel.app.db, &late_worker.instance, &[job.id], now).await.unwrap();
    assert_eq!(panel.job_counts().await, (0, 0, 1));
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 0, "the other worker still holds the lease");
    store::mark_done(&panel.app.db, &other_worker.instance, &[job.id], now).await.unwrap();
    assert_eq!(panel.job_counts().await, (1, 0, 0));
}

async fn expired_records_are_removed(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.create_user("anna@panel.test", &[panel_contract::permission::Permission::ViewOrders]).await;
    panel.login("anna@panel.test", crate::test_users::PASSWORD).await.session_token();
    panel.login("anna@panel.test", "wrong").await;
    panel.enqueue(&[email_job(1)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    let saved_view = serde_json::json!({ "list": "orders", "name": "Mine", "query": "" });
    let create_response =
        panel.send("owner", "POST", "/api/v1/admin/saved-views", &saved_view, Some("key")).await;
    assert_eq!(create_response.status, 200, "{}", create_response.text);
    let handoff_codes_path = "/api/v1/admin/handoff-codes";
    assert_eq!(panel.post(handoff_codes_path, &serde_json::json!({})).await.status, 200);
    let count_records = async || {
        let sql = Sql::new(
            "SELECT (SELECT count(*) FROM jobs), (SELECT count(*) FROM idempotency), (SELECT count(*) FROM sessions),
               (SELECT count(*) FROM handoff_codes), (SELECT count(*) FROM login_throttle),
               (SELECT count(*) FROM user_login_networks)",
        );
        (&mut &panel.app.db).fetch_one::<(i64, i64, i64, i64, i64, i64)>(sql).await.unwrap()
    };
    let remove_expired_after_secs = async |seconds| {
        panel.clock.advance_secs(seconds);
        panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
        count_records().await
    };
    assert_eq!(remove_expired_after_secs(0).await, (1, 1, 2, 1, 4, 1));
    assert_eq!(remove_expired_after_secs(61).await, (1, 1, 2, 0, 4, 1));
    assert_eq!(
        remove_expired_after_secs(3 * 86_400).await,
        (1, 1, 1, 0, 0, 1),
        "the test session of the owner expires after one day"
    );
    assert_eq!(remove_expired_after_secs(3 * 86_400).await, (1, 1, 1, 0, 0, 1));
    assert_eq!(remove_expired_after_secs(86_400).await, (0, 0, 0, 0, 0, 1));
    assert_eq!(remove_expired_after_secs(23 * 86_400).await, (0, 0, 0, 0, 0, 0));
}

const JOBS_PATH: &str = "/api/v1/admin/jobs";

impl Panel {
    async fn fetch_jobs(&self) -> Vec<serde_json::Value> {
        let page = self.get(JOBS_PATH).await;
        assert_eq!(page.status, 200, "{}", page.text);
        page.json()["data"].as_array().unwrap().clone()
    }
}

async fn staff_list_and_retry_jobs(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let Job::Mail(mut invalid_address) = email_job(1) else { unreachable!() };
    invalid_address.email = "no address".into();
    panel.enqueue(&[Job::Mail(invalid_address), email_job(2)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    let jobs = panel.fetch_jobs().await;
    let status_and_retry =
        |index: usize| (jobs[index]["status"].clone(), jobs[index]["actions"]["retry"].clone());
    assert_eq!(status_and_retry(0), ("done".into(), false.into()));
    assert_eq!(status_and_retry(1), ("given_up".into(), true.into()));
    assert_eq!(jobs[1]["about"], "Order 1 was canceled");
    assert!(
        jobs[1]["last_error"].as_str().unwrap().contains("the email address is not valid"),
        "{}",
        jobs[1]
    );
    assert!(!jobs[1].to_string().contains("Hello"), "staff must not see the content of an email");
    let retry_job = async |id: &serde_json::Value| {
        panel.post(&format!("{JOBS_PATH}/{id}/retry"), &serde_json::json!({})).await
    };
    assert_eq!(retry_job(&jobs[0]["id"]).await.json()["code"], "job_not_retriable");
    let retried_record = retry_job(&jobs[1]["id"]).await.json()["data"].clone();
    assert_eq!((&retried_record["status"], &retried_record["attempts"]), (&"waiting".into(), &0.into()));
    assert_eq!(worker::run_due_jobs(&panel.app).await.unwrap(), 1);
    assert_eq!(panel.fetch_jobs().await[1]["status"], "given_up");
    // Staff cannot retry a running job before its lease has expired.
    panel.enqueue(&[email_job(3)]).await;
    let lease_until = Time(NOW + 120_000_000);
    let other_process = panel.start_second_process().await;
    let leased_id = store::lease(&other_process, "mail", Time(NOW), lease_until, 20).await.unwrap().0[0].id;
    assert_eq!(panel.fetch_jobs().await[0]["status"], "running");
    assert_eq!(retry_job(&serde_json::json!(leased_id)).await.status, 409);
    panel.clock.advance_secs(121);
    assert_eq!(retry_job(&serde_json::json!(leased_id)).await.status, 200);
    assert_eq!(retry_job(&9_999.into()).await.status, 404);
    let count_audits_sql = Sql::new("SELECT count(*) FROM audits WHERE event = 'job.retried'");
    assert_eq!(panel.fetch_number(count_audits_sql).await, 2);
}

/// The number of the newest migration file.
fn newest_migration_number() -> i64 {
    let files =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../platform/migrations/sqlite")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.map(|name| name.split('_').next().unwrap().parse().unwrap()).max().unwrap()
}

async fn the_status_counts_waiting_and_failed_jobs(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let fetch_status = async || panel.get("/api/v1/admin/system/status").await.json()["data"].clone();
    let empty_status = fetch_status().await;
    assert!(
        empty_status["ledger_check"].is_null() && empty_status["last_backup_at"].is_null(),
        "{empty_status}"
    );
    assert!(empty_status["database"]["bytes"].as_i64().unwrap() > 10_000, "{empty_status}");
    assert_eq!(
        empty_status["database"]["migration"].as_i64(),
        Some(newest_migration_number()),
        "{empty_status}"
    );
    std::fs::remove_dir(panel.app.config.mail.folder.clone().unwrap()).unwrap();
    panel.enqueue(&[email_job(1), email_job(2)]).await;
    worker::run_due_jobs(&panel.app).await.unwrap();
    panel.enqueue(&[email_job(3)]).await;
    panel.enqueue(&[email_job(4)]).await;
    let sql = Sql::new("UPDATE jobs SET dead_at = 1 WHERE id = (SELECT max(id) FROM jobs)");
    panel.execute(sql).await;
    assert_eq!(panel.get("/api/v1/admin/system/doctor").await.status, 200);
    let status_with_jobs = fetch_status().await;
    let queues = status_with_jobs["queues"].as_array().unwrap();
    let mut kinds = Job::KINDS.to_vec();
    kinds.sort_unstable();
    assert_eq!(queues.iter().map(|queue| queue["kind"].as_str().unwrap()).collect::<Vec<_>>(), kinds);
    let mail_queue = queues.iter().find(|queue| queue["kind"] == "mail").unwrap();
    let queue_counts =
        ["waiting", "due", "running", "failing", "given_up"].map(|name| mail_queue[name].as_i64().unwrap());
    assert_eq!(queue_counts, [3, 1, 0, 2, 1], "{mail_queue}");
    assert!(!mail_queue["oldest_due_at"].is_null());
    assert!(status_with_jobs["ledger_check"]["healthy"].is_boolean(), "{status_with_jobs}");
}
