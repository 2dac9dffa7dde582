//! Starts drip-feeds and places their runs. One charge for all runs is put on hold at the start. A run that cannot be placed keeps
//! its money and is retried.

use std::time::Duration;

use panel_contract::amount::{Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{DripFeedId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::lock;
use super::store::{self, NewDripFeedRow};
use crate::app::App;
use crate::catalogue::targets::asked::{self, Answer, Asking};
use crate::context::Ctx;
use crate::operations::advances::{self, AdvanceOwner};
use crate::operations::orders::place::{NewOrder, OrderParent, PlacedOrder, countries_of, place};
use crate::operations::orders::{commission, edit};
use crate::pricing::quote::terms::{self, Buyer};
use crate::records::uses;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Source, Sql};
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Largest number of drip-feeds per batch.
const BATCH: i64 = 50;
/// Delay until the retry of a run that could not be placed.
const DRIP_FEED_RETRY: Duration = Duration::from_secs(300);

/// The lease of a drip-feed's next run. Its date is what the customer ordered.
pub const DRIP_FEED: Lease = Lease {
    kind: QuarantineKind::DripFeed,
    record: "drip_feeds.id",
    due: "next_run_at",
    filter: "",
    moves: DueDateMoves::Never,
    error: None,
};

// Rules

#[derive(Debug, Clone)]
pub struct NewDripFeed {
    pub user_id: UserId,
    /// The service; must allow drip-feeds.
    pub service_id: ServiceId,
    pub url: String,
    /// Quantity of each run, within the service's bounds.
    pub quantity: i64,
    pub runs: i64,
    /// Minutes between two runs.
    pub minutes_between_runs: i64,
    /// ISO code of the customer's country if it is known, because discounts can depend on it.
    pub country: Option<String>,
    /// The balance that prepays all runs.
    pub pays: BalanceType,
    /// Values of the service's targets, for every run: name and value.
    pub targets: Vec<(String, String)>,
}

fn check(new: &NewDripFeed, (allowed, min, max, step): (bool, i64, i64, i64)) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !allowed {
        errors.add("service_id", "This service does not allow drip-feeds. Choose another service.");
    }
    if !(min..=max).contains(&new.quantity) || (new.quantity - min) % step.max(1) != 0 {
        errors.add("quantity", format!("Enter {min} to {max} for each run, in steps of {step} from {min}."));
    }
    for (field, value, most) in
        [("runs", new.runs, 10_000), ("minutes_between_runs", new.minutes_between_runs, 527_040)]
    {
        if !(1..=most).contains(&value) {
            errors.add(field, format!("Enter 1 to {most}."));
        }
    }
    errors.or(())
}

// Store

/// Starts a drip-feed: the cost of all runs is put on hold, and the first run is due at once.
pub async fn start(work: &mut UnitOfWork, new: &NewDripFeed) -> Result<DripFeedId> {
    edit::url(&new.url)?;
    let sql = Sql::new(
        "SELECT s.name, s.drip_feed_is_allowed AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s WHERE s.id = ?",
    );
    let service: Option<(String, bool, i64, i64, i64)> = work.opt(sql.bind(new.service_id)).await?;
    let (name, allowed, min, max, step) =
        service.ok_or_else(|| Error::not_found("service", new.service_id))?;
    check(new, (allowed, min, max, step))?;
    let asking = Asking { service_id: new.service_id, quantity: new.quantity };
    let answers = asked::judge(work, asking, &new.targets).await?;
    let countries = countries_of(work, new.service_id, &answers).await?;
    let places = settings::rounding_precision(work).await?;
    let (user_id, service_id) = (new.user_id, new.service_id);
    let buyer = Buyer { user_id, in_package: false, country: new.country.as_deref() };
    let terms = terms::of(work, buyer, service_id).await?;
    // One charge, rounded once; the shares of the runs add up to it.
    let cost = terms.quote(new.quantity.checked_mul(new.runs).ok_or(Overflow)?, places)?.cost;
    uses::check_not_archived(work, &[("service_id".to_owned(), new.service_id)]).await?.or(())?;
    let row = NewDripFeedRow {
        name: &name,
        url: new.url.trim(),
        user_id,
        service_id,
        runs: new.runs,
        price: terms.price,
        pricing_per: terms.pricing_per,
        cost,
        rounding_precision: places,
        quantity: new.quantity,
        minutes_between_runs: new.minutes_between_runs,
        countries: json!(countries).to_string(),
        answers: json!(answers).to_string(),
    };
    let id = store::insert(work, row).await?;
    if cost > Money::ZERO {
        // The affiliate is locked too, because the first run may be placed in the same transaction.
        commission::lock_with_affiliate(work, new.user_id).await?;
        let owner = AdvanceOwner { kind: "drip_feed", id: id.record(), user_id: new.user_id };
        advances::hold(work, owner, &[(new.pays, cost)]).await?;
    }
    let new_values =
        json!({ "runs": new.runs, "quantity": new.quantity, "cost": cost, "user_id": new.user_id });
    audit::record(
        work,
        "drip_feed.started",
        "drip_feed",
        AuditChange { id: id.record(), old: json!({}), new: new_values },
    )
    .await?;
    Ok(id)
}

/// The target values that the customer gave at the start.
async fn load_answers(work: &mut UnitOfWork, id: DripFeedId) -> Result<Vec<Answer>> {
    let sql = Sql::new("SELECT answers FROM drip_feeds WHERE id = ?").bind(id);
    let (stored,): (String,) = work.one(sql).await?;
    serde_json::from_str(&stored).map_err(|error| Error::Fault(format!("answers of drip-feed {id}: {error}")))
}

/// Places the next run of each due drip-feed. Several processes can do this in parallel: a run is placed once.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("drip_feed", POLL_INTERVAL, claim, run_each).with_lease(&DRIP_FEED)
}

/// Runs one poll and returns the number of due drip-feeds.
pub async fn run_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<ClaimedWork<Vec<DripFeedId>>> {
    let due = DRIP_FEED.due_unclaimed(&app).push(" ORDER BY next_run_at LIMIT ?").bind(BATCH);
    Ok(DRIP_FEED.claim_batch(&app, due).await?)
}

async fn run_each(app: App, due: Vec<DripFeedId>) -> Result<WorkSummary> {
    let mut worked = WorkSummary::default();
    for id in due {
        let ctx = Ctx::system(app.clone(), "drip-feed");
        let mut work = ctx.begin().await?;
        match run(&mut work, id).await {
            Ok(_) => {
                work.finish(()).await?;
                worked.done += 1;
            }
            // A conflict with another transaction is no error of the drip-feed, whose run stays due.
            Err(error) if error.is_worth_a_retry() => {
                tracing::debug!(drip_feed_id = id.get(), ?error, "a run conflicted with another transaction");
            }
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => {
                drop(work);
                postpone(&ctx, id, error).await?;
                worked.failed += 1;
            }
        }
    }
    Ok(worked)
}

/// Postpones the run, and stores the reason for staff.
async fn postpone(ctx: &Ctx, id: DripFeedId, error: Error) -> Result<()> {
    let why = error.report("drip-feed").message;
    let mut work = ctx.begin().await?;
    let until = work.now.after(DRIP_FEED_RETRY);
    store::postpone_run(&mut work, id, &why, until).await?;
    work.finish(()).await
}

/// Places the due run; `None` if no run is due. An order that cannot be placed is an error, and the run stays due.
pub async fn run(work: &mut UnitOfWork, id: DripFeedId) -> Result<Option<PlacedOrder>> {
    let feed = lock(work, id).await?;
    if !feed.is_due(work.now) {
        return Ok(None);
    }
    let cost = feed.plan().next()?;
    commission::lock_with_affiliate(work, feed.user_id).await?;
    let parts = advances::release_unit(work, feed.owner(), feed.orders_count, cost).await?;
    let plain = NewOrder::plain(feed.user_id, feed.service_id, &feed.url, feed.quantity);
    let (parent, source) = (Some(OrderParent::DripFeed(id)), OrderSource::DripFeed);
    let (prepaid, agreed_answers) = (Some(parts), Some(load_answers(work, id).await?));
    let placed = place(work, &NewOrder { source, parent, prepaid, agreed_answers, ..plain }).await?;
    let is_last = feed.orders_count + 1 == feed.runs;
    let wait = Duration::from_mins(feed.minutes_between_runs.unsigned_abs());
    let next = (!is_last).then_some(work.now.after(wait));
    store::record_run(work, id, feed.orders_count, next).await?;
    Ok(Some(placed))
}
