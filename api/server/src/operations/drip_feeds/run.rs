//! Starts drip-feeds and places their runs. One charge for all runs is put on hold at the start. A run that cannot be placed keeps
//! its money, and the worker retries it.

use std::time::Duration;

use panel_contract::amount::{Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{DripFeedId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::lock_row;
use super::store::{self, NewDripFeedRow};
use crate::app::App;
use crate::catalogue::targets::service_targets::{self, Answer, OrderedService};
use crate::context::Ctx;
use crate::operations::advances::{self, AdvanceOwner};
use crate::operations::orders::place::{NewOrder, OrderParent, PlacedOrder, load_target_countries, place};
use crate::operations::orders::{commission, edit};
use crate::pricing::quote::terms::{self, Buyer};
use crate::records::references;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::lease::ClaimedWork;
use panel_platform::lease::declared::{DueDateMoves, Lease};
use panel_platform::poller::Poller;
use panel_platform::poller::work::WorkSummary;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of drip-feeds per batch.
const BATCH_SIZE: i64 = 50;
/// Delay until the retry of a run that could not be placed.
const DRIP_FEED_RETRY: Duration = Duration::from_secs(300);

/// The lease of the next run of a drip-feed. A claim does not move the due date, because the customer chose the interval between
/// runs.
pub const DRIP_FEED: Lease = Lease {
    kind: QuarantineKind::DripFeed,
    id_column: "drip_feeds.id",
    due_column: "next_run_at",
    index_condition: "",
    moves: DueDateMoves::Never,
    error_column: None,
};

// Rules

#[derive(Debug, Clone)]
pub struct NewDripFeed {
    pub user_id: UserId,
    /// The service, which must allow drip-feeds.
    pub service_id: ServiceId,
    pub url: String,
    /// Quantity of each run, within the limits of the service.
    pub quantity: i64,
    pub runs: i64,
    /// Minutes between two runs.
    pub minutes_between_runs: i64,
    /// ISO code of the customer's country, if it is known. Some discounts depend on the country.
    pub country: Option<String>,
    /// The balance that prepays all runs.
    pub paying_balance: BalanceType,
    /// Name and value for each target of the service. They apply to every run.
    pub targets: Vec<(String, String)>,
}

/// The fields of a service that decide whether a drip-feed can be started.
#[derive(Debug, sqlx::FromRow)]
struct OrderedServiceRow {
    name: String,
    allows_drip_feeds: bool,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
}

fn validate(new: &NewDripFeed, service: &OrderedServiceRow) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    let OrderedServiceRow { min_quantity: min, max_quantity: max, quantity_step: step, .. } = *service;
    if !service.allows_drip_feeds {
        errors.add("service_id", "This service does not allow drip-feeds. Choose another service.");
    }
    if !(min..=max).contains(&new.quantity) || (new.quantity - min) % step.max(1) != 0 {
        errors.add("quantity", format!("Enter {min} to {max} for each run, in steps of {step} from {min}."));
    }
    for (field, value, limit) in
        [("runs", new.runs, 10_000), ("minutes_between_runs", new.minutes_between_runs, 527_040)]
    {
        if !(1..=limit).contains(&value) {
            errors.add(field, format!("Enter 1 to {limit}."));
        }
    }
    errors.into_result(())
}

// Store

/// Starts a drip-feed: the cost of all runs is put on hold, and the first run is due at once.
pub async fn start(work: &mut UnitOfWork, new: &NewDripFeed) -> Result<DripFeedId> {
    edit::check_url(&new.url)?;
    let sql = Sql::new(
        "SELECT s.name, s.drip_feed_is_allowed AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AS allows_drip_feeds, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s WHERE s.id = ?",
    );
    let service: Option<OrderedServiceRow> = work.fetch_optional(sql.bind(new.service_id)).await?;
    let service = service.ok_or_else(|| Error::not_found("service", new.service_id))?;
    validate(new, &service)?;
    let ordered = OrderedService { service_id: new.service_id, quantity: new.quantity };
    let answers = service_targets::validate_answers(work, ordered, &new.targets).await?;
    let countries = load_target_countries(work, new.service_id, &answers).await?;
    let decimals = settings::read_rounding_precision(work).await?;
    let (user_id, service_id) = (new.user_id, new.service_id);
    let buyer = Buyer { user_id, is_in_package: false, country: new.country.as_deref() };
    let terms = terms::load(work, buyer, service_id).await?;
    // One charge, rounded once; the costs of the runs add up to it.
    let cost = terms.quote(new.quantity.checked_mul(new.runs).ok_or(Overflow)?, decimals)?.cost;
    references::check_not_archived(work, &[("service_id".to_owned(), new.service_id)])
        .await?
        .into_result(())?;
    let row = NewDripFeedRow {
        name: &service.name,
        url: new.url.trim(),
        user_id,
        service_id,
        runs: new.runs,
        price: terms.price,
        pricing_per: terms.pricing_per,
        cost,
        rounding_precision: decimals,
        quantity: new.quantity,
        minutes_between_runs: new.minutes_between_runs,
        countries: json!(countries).to_string(),
        answers: json!(answers).to_string(),
    };
    let id = store::insert(work, row).await?;
    if cost > Money::ZERO {
        // The affiliate is locked too, because the first run may be placed in the same transaction.
        commission::lock_customer_with_affiliate(work, new.user_id).await?;
        let owner = AdvanceOwner { kind: "drip_feed", id: id.as_record_id(), user_id: new.user_id };
        advances::hold(work, owner, &[(new.paying_balance, cost)]).await?;
    }
    let new_values =
        json!({ "runs": new.runs, "quantity": new.quantity, "cost": cost, "user_id": new.user_id });
    audit::record(
        work,
        "drip_feed.started",
        "drip_feed",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    Ok(id)
}

/// Loads the target values that the customer entered when the drip-feed was started.
async fn load_answers(work: &mut UnitOfWork, id: DripFeedId) -> Result<Vec<Answer>> {
    let sql = Sql::new("SELECT answers FROM drip_feeds WHERE id = ?").bind(id);
    let (answers_json,): (String,) = work.fetch_one(sql).await?;
    serde_json::from_str(&answers_json)
        .map_err(|error| Error::Internal(format!("answers of drip-feed {id}: {error}")))
}

/// Returns the poller that places the next run of each due drip-feed. Several processes can run it in parallel: each run is placed
/// only once.
#[must_use]
pub fn poller() -> Poller<App> {
    Poller::new("drip_feed", POLL_INTERVAL, claim, run_claimed).with_lease(&DRIP_FEED)
}

/// Runs one poll and returns the number of due drip-feeds.
pub async fn run_due(app: &App) -> Result<usize> {
    poller().poll_once(app).await
}

async fn claim(app: App) -> Result<ClaimedWork<Vec<DripFeedId>>> {
    let select_due_sql = DRIP_FEED
        .select_claimable_outside_of_batches(&app)
        .push(" ORDER BY next_run_at LIMIT ?")
        .bind(BATCH_SIZE);
    Ok(DRIP_FEED.claim_batch(&app, select_due_sql).await?)
}

async fn run_claimed(app: App, ids: Vec<DripFeedId>) -> Result<WorkSummary> {
    let mut summary = WorkSummary::default();
    for id in ids {
        let ctx = Ctx::system(app.clone(), "drip-feed");
        let mut work = ctx.begin().await?;
        match place_due_run(&mut work, id).await {
            Ok(_) => {
                work.finish(()).await?;
                summary.done += 1;
            }
            // A conflict with another transaction is not an error of the drip-feed. The run stays due.
            Err(error) if error.is_retryable() => {
                tracing::debug!(drip_feed_id = id.get(), ?error, "a run conflicted with another transaction");
            }
            Err(error) if error.is_unavailable() => return Err(error),
            Err(error) => {
                drop(work);
                postpone(&ctx, id, error).await?;
                summary.failed += 1;
            }
        }
    }
    Ok(summary)
}

/// Postpones the run, and stores the reason for staff.
async fn postpone(ctx: &Ctx, id: DripFeedId, error: Error) -> Result<()> {
    let reason = error.report("drip-feed").message;
    let mut work = ctx.begin().await?;
    let retry_at = work.now.plus(DRIP_FEED_RETRY);
    store::postpone_run(&mut work, id, &reason, retry_at).await?;
    work.finish(()).await
}

/// Places the due run of a drip-feed. Returns `None` if no run is due, and an error if the order cannot be placed; the run then
/// stays due.
pub async fn place_due_run(work: &mut UnitOfWork, id: DripFeedId) -> Result<Option<PlacedOrder>> {
    let feed = lock_row(work, id).await?;
    if !feed.is_due(work.now) {
        return Ok(None);
    }
    let cost = feed.plan().next_unit_cost()?;
    commission::lock_customer_with_affiliate(work, feed.user_id).await?;
    let prepaid = advances::release_unit(work, feed.owner(), feed.orders_count, cost).await?;
    let order_without_options =
        NewOrder::without_options(feed.user_id, feed.service_id, &feed.url, feed.quantity);
    let (parent, source) = (Some(OrderParent::DripFeed(id)), OrderSource::DripFeed);
    let (prepaid, validated_answers) = (Some(prepaid), Some(load_answers(work, id).await?));
    let placed_order =
        place(work, &NewOrder { source, parent, prepaid, validated_answers, ..order_without_options })
            .await?;
    let is_last = feed.orders_count + 1 == feed.runs;
    let interval = Duration::from_mins(feed.minutes_between_runs.unsigned_abs());
    let next_run_at = (!is_last).then_some(work.now.plus(interval));
    store::record_run(work, id, feed.orders_count, next_run_at).await?;
    Ok(Some(placed_order))
}
