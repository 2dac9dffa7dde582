//! The list of this process's pollers. This module must not contain work itself.

use std::sync::Arc;

use panel_kernel::error::Result;
use panel_platform::jobs::failure::JobFailure;
use panel_platform::jobs::job::Job;
use panel_platform::jobs::queue::{self, JobContext};
use panel_platform::jobs::store::LeasedJob;
use panel_platform::lease::declared::Lease;
use panel_platform::live::broadcast;
use panel_platform::platform::Platform;
use panel_platform::poller::Poller;
use panel_platform::poller::work::PollContext;
use panel_platform::poller::workers::Workers;
use tokio::sync::watch;

use crate::app::App;
use crate::auth::live_sessions;
use crate::background::{quarantine_runner, retention, upkeep};
use crate::backup::schedule;
use crate::job_handlers;
use crate::operations::subscriptions::{content, poll_feeds, renew};
use crate::operations::{drip_feeds, grades, personal_data};
use crate::supply::imports::sync;
use crate::supply::{balances, counter, dispatch};

/// The leases of all kinds of records that pollers claim.
pub const LEASES: [&Lease; 11] = [
    &poll_feeds::FEED,
    &content::CONTENT,
    &content::SUBSCRIPTION_EXPIRY,
    &renew::SUBSCRIPTION_RENEWAL,
    &drip_feeds::run::DRIP_FEED,
    &counter::COUNTER_LEASE,
    &dispatch::leases::ORDER_LEASE,
    &dispatch::leases::EXTERNAL_ORDER_LEASE,
    &dispatch::leases::REFILL_LEASE,
    &dispatch::leases::CANCEL_REQUEST_LEASE,
    &balances::BALANCE_LEASE,
];

impl PollContext for App {
    fn platform(&self) -> &Platform {
        &self.platform
    }
}

impl JobContext for App {
    async fn run_job(&self, job: Job, leased_job: &LeasedJob) -> std::result::Result<(), JobFailure> {
        job_handlers::run_job(job, self, leased_job).await
    }
}

/// All pollers of this process.
#[must_use]
pub fn workers(app: &App) -> Workers<App> {
    let mut pollers: Vec<Poller<App>> = queue_pollers().collect();
    let counter_wake = Arc::default();
    pollers.extend([
        drip_feeds::run::poller(),
        content::poller(),
        content::expiry_poller(),
        renew::poller(),
        poll_feeds::poller(),
        balances::poller(),
        counter::finder_poller(&counter_wake),
        counter::poller(&counter_wake),
        retention::poller(),
        personal_data::worker::poller(),
        sync::enqueue_poller(),
        grades::promotion::poller(),
        quarantine_runner::poller(),
        broadcast::poller(app),
        live_sessions::poller(),
    ]);
    pollers.extend(upkeep::pollers(app));
    pollers.extend(dispatch::pollers());
    if app.config.backup.folder.is_some() {
        pollers.push(schedule::poller());
    }
    Workers::new(pollers)
}

fn queue_pollers() -> impl Iterator<Item = Poller<App>> {
    Job::KINDS.iter().map(|queue| queue::poller(queue))
}

/// Runs all pollers until `stop` turns true.
pub async fn run(app: App, stop: watch::Receiver<bool>) {
    workers(&app).run(app, stop).await;
}

/// Runs one batch of due jobs of every queue, and returns the number of jobs.
pub async fn run_due_jobs(app: &App) -> Result<usize> {
    let mut job_count = 0;
    for queue_poller in queue_pollers() {
        job_count += queue_poller.poll_once(app).await?;
    }
    Ok(job_count)
}
