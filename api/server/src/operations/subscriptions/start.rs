//! Starting a subscription, whoever asks for it. Paid ahead: all contents are held. Paid per content: nothing moves yet.

use std::time::Duration;

use panel_contract::amount::{Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::BalanceType;
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::choose::{self, Bounds};
use super::store::{self, NewSubscriptionRow, Period};
use super::{feed, renew};
use crate::catalogue::targets::asked;
use crate::operations::advances::{self, Owner};
use crate::operations::orders::edit;
use crate::pricing::quote::terms::{self, Buyer};
use crate::records::uses;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql};
use panel_platform::settings;
use panel_platform::work::Work;

/// Most contents of one subscription: as good as no limit.
pub const MOST_CONTENTS: i64 = 100_000;
/// Most contents from before it began: feeds name no more.
pub const MOST_OLD: i64 = 500;
/// Longest delay: a week.
pub const LONGEST_DELAY_MINS: i64 = 10_080;
/// Services of one subscription.
const MOST_SERVICES: usize = 20;
/// Longest period.
const LONGEST_PERIOD_DAYS: i64 = 366;
/// Longest name of a channel.
const LONGEST_NAME: usize = 200;

// Rules

/// A subscription to be started.
#[derive(Debug, Clone)]
pub struct NewSubscription {
    /// The customer.
    pub user_id: UserId,
    /// What it is called.
    pub name: String,
    /// The channel: an address, or a name where the panel knows how to find a feed by it.
    pub url: String,
    /// Such as `youtube`.
    pub kind: String,
    /// How it is paid.
    pub billing_type: BillingType,
    /// Contents that get orders, old ones among them.
    pub contents_limit: i64,
    /// Of these, the newest that are there already.
    pub old_contents: i64,
    /// Minutes between a content being found and its orders; old ones do not wait.
    pub delay_minutes: i64,
    /// What every content gets.
    pub services: Vec<Each>,
    /// When it ends at the latest.
    pub expired_at: Option<Time>,
    /// Days of a period, where it is paid by the period.
    pub period_days: Option<i64>,
}

/// A service that every content gets, and how many of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Each {
    /// The service.
    pub service_id: ServiceId,
    /// At least.
    pub least: i64,
    /// At most.
    pub most: i64,
}

impl Each {
    /// Always as many.
    #[must_use]
    pub const fn exactly(service_id: ServiceId, quantity: i64) -> Self {
        Self { service_id, least: quantity, most: quantity }
    }
}

/// A service of a subscription, and what the order of one content costs until the next renewal.
pub(super) struct PricedService {
    pub(super) each: Each,
    pub(super) cost: Money,
}

/// The state of a service that decides whether contents can have orders of it.
#[derive(Debug, Clone, sqlx::FromRow)]
struct ServiceState {
    id: ServiceId,
    is_on_sale: bool,
    #[sqlx(flatten)]
    bounds: Bounds,
}

/// Why contents cannot have orders of a service; `asks` says whether it wants answers, which nothing gives for them.
fn unsuitable(each: Each, state: Option<&ServiceState>, asks: bool) -> Option<String> {
    let Each { service_id, least, most } = each;
    let Some(state) = state.filter(|state| state.is_on_sale) else {
        return Some(format!("Service {service_id} is not on sale."));
    };
    if asks {
        return Some(format!(
            "Service {service_id} asks its customers for more than an address, which the contents of a subscription cannot answer."
        ));
    }
    if choose::quantity(least, most, state.bounds, 0).is_none() {
        let Bounds { min_quantity, max_quantity, quantity_step } = state.bounds;
        return Some(format!(
            "Of service {service_id} order {min_quantity} to {max_quantity} in steps of {quantity_step}."
        ));
    }
    None
}

fn check(new: &NewSubscription, finds_names: bool, now: Time) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !(1..=MOST_CONTENTS).contains(&new.contents_limit) {
        errors.add("contents_limit", "Give 1 to 100,000.");
    }
    if !(0..=MOST_OLD).contains(&new.old_contents) || new.old_contents >= new.contents_limit.max(1) {
        errors.add("old_contents", format!("Give 0 to {MOST_OLD}, and less than contents in all."));
    }
    if !(0..=LONGEST_DELAY_MINS).contains(&new.delay_minutes) {
        errors.add("delay_minutes", format!("Give 0 to {LONGEST_DELAY_MINS} minutes."));
    }
    if new.services.is_empty() || new.services.len() > MOST_SERVICES {
        errors.add("subscription_services", format!("Choose 1 to {MOST_SERVICES} services."));
    }
    if new.billing_type != BillingType::PerContent && new.services.iter().any(|each| each.least != each.most)
    {
        errors.add("subscription_services", "What is paid ahead has one quantity for every content.");
    }
    let is_period = |days: i64| (1..=LONGEST_PERIOD_DAYS).contains(&days);
    match (renew::recurs(new.billing_type), new.period_days) {
        (true, Some(days)) if is_period(days) => {}
        (true, _) => errors.add("period_days", format!("Give 1 to {LONGEST_PERIOD_DAYS} days.")),
        (false, Some(_)) => {
            errors.add("period_days", "Only what is paid by the period has one; leave it out.")
        }
        (false, None) => {}
    }
    if new.expired_at.is_some_and(|at| at <= now) {
        errors.add("expired_at", "Give a moment that is still to come.");
    }
    if !feed::is_address(&new.url) && !is_name(&new.url, finds_names) {
        errors.add(
            "url",
            "Give the address of the channel; names are understood where content_feed_url says how to find their feeds.",
        );
    }
    errors.or(())
}

fn is_name(channel: &str, finds_names: bool) -> bool {
    let name = channel.trim();
    let is_odd = |letter: char| letter.is_whitespace() || letter.is_control();
    finds_names && !name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(is_odd)
}

// Store

/// Starts one; what is paid ahead is held. Its channel is looked at at once.
pub async fn start(work: &mut Work, new: &NewSubscription) -> Result<SubscriptionId> {
    let finds_names = settings::text(work, settings::CONTENT_FEED).await?.is_some();
    if feed::is_address(&new.url) {
        edit::url(&new.url)?;
    }
    check(new, finds_names, work.now)?;
    has_room(work, new.user_id).await?;
    let places = settings::rounding_precision(work).await?;
    let parts = priced(work, new.user_id, &new.services, places).await?;
    let ahead = new.billing_type != BillingType::PerContent;
    let one = Money::sum(parts.iter().map(|part| part.cost))?;
    let cost = Money(if ahead { one.0.checked_mul(new.contents_limit).ok_or(Overflow)? } else { 0 });
    let sold: Vec<_> =
        parts.iter().map(|part| ("subscription_services".to_owned(), part.each.service_id)).collect();
    uses::check_not_archived(work, &sold).await?.or(())?;
    let id = insert(work, new, cost, places).await?;
    for part in &parts {
        let Each { service_id, least, most } = part.each;
        store::insert_service(work, (id, service_id), (least, most), part.cost).await?;
    }
    if cost > Money::ZERO {
        let owner = Owner { kind: "subscription", id: id.record(), user_id: new.user_id };
        advances::hold(work, owner, &[(BalanceType::Main, cost)]).await?;
    }
    let shown = json!({ "contents_limit": new.contents_limit, "cost": cost, "user_id": new.user_id });
    audit::record(
        work,
        "subscription.started",
        "subscription",
        Change { id: id.record(), old: json!({}), new: shown },
    )
    .await?;
    Ok(id)
}

/// Counted to the bound and no further. Two that start at once may both see the last place, which does no harm.
async fn has_room(work: &mut Work, user_id: UserId) -> Result<()> {
    let most = i64::from(work.scope().platform.config.subscriptions.most_per_customer);
    let sql = Sql::new(
        "SELECT count(*) FROM (SELECT 1 FROM subscriptions WHERE user_id = ? AND status = 'in_processing' LIMIT ?) AS running",
    );
    let (running,): (i64,) = work.one(sql.bind(user_id).bind(most)).await?;
    let message = format!("{most} subscriptions of this customer run already; end one of them first.");
    if running < most { Ok(()) } else { Err(Error::invalid("user_id", "too_many_subscriptions", message)) }
}

async fn insert(work: &mut Work, new: &NewSubscription, cost: Money, places: u8) -> Result<SubscriptionId> {
    let now = work.now;
    let period = |days: i64| Period {
        days,
        contents: new.contents_limit - new.old_contents,
        renews_at: now.after(Duration::from_hours(24 * days.unsigned_abs())),
    };
    let row = NewSubscriptionRow {
        name: new.name.trim(),
        url: new.url.trim(),
        kind: new.kind.trim(),
        user_id: new.user_id,
        billing_type: new.billing_type,
        contents_limit: new.contents_limit,
        old_contents: new.old_contents,
        delay_minutes: new.delay_minutes,
        cost,
        rounding_precision: places,
        expired_at: new.expired_at,
        period: new.period_days.map(period),
    };
    Ok(store::insert(work, &row).await?)
}

/// What the services cost this customer now for one content. One that contents cannot have orders of is 422 on
/// `subscription_services`.
pub(super) async fn priced(
    work: &mut Work,
    user_id: UserId,
    services: &[Each],
    places: u8,
) -> Result<Vec<PricedService>> {
    let ids: Vec<ServiceId> = services.iter().map(|each| each.service_id).collect();
    let sql = Sql::new(
        "SELECT s.id, s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AS is_on_sale, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s WHERE s.id IN ",
    );
    let states: Vec<ServiceState> = work.all(sql.ids(&ids)).await?;
    let orders: Vec<(ServiceId, i64)> = services.iter().map(|each| (each.service_id, each.least)).collect();
    let asking = asked::unanswerable(work, &orders).await?;
    let now = work.now;
    let buyer = Buyer { user_id, in_package: false, country: None };
    let terms = terms::of_services(work, buyer, &ids, now).await?;
    let mut parts = Vec::with_capacity(services.len());
    for each in services {
        let state = states.iter().find(|state| state.id == each.service_id);
        if let Some(why) = unsuitable(*each, state, asking.contains(&each.service_id)) {
            return Err(Error::invalid("subscription_services", "service_unsuitable", why));
        }
        let terms =
            terms.get(&each.service_id).ok_or_else(|| Error::not_found("service", each.service_id))?;
        // Every order of a content costs what it would cost alone; its customer may end the subscription after any of them.
        parts.push(PricedService { each: *each, cost: terms.quote(each.least, places)?.cost });
    }
    Ok(parts)
}
