//! Starts subscriptions, for staff and for the reseller API. The start of a prepaid subscription puts the cost of all contents on
//! hold. A subscription that is paid per content charges nothing at its start.

use std::time::Duration;

use panel_contract::amount::{Money, Overflow};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ServiceId, SubscriptionId, UserId};
use panel_contract::moment::Time;
use panel_contract::payments::BalanceType;
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::choose::{self, QuantityBounds};
use super::store::{self, NewSubscriptionRow, Period};
use super::{feed, renew};
use crate::catalogue::targets::service_targets;
use crate::operations::advances::{self, AdvanceOwner};
use crate::operations::orders::edit;
use crate::pricing::quote::terms::{self, Buyer};
use crate::records::references;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Maximum number of contents of one subscription. It is high enough to mean "no limit".
pub const MAX_CONTENTS: i64 = 100_000;
/// Maximum number of contents that were published before the start. `feed` reads at most as many entries of a feed.
pub const MAX_OLD_CONTENTS: i64 = 500;
/// Longest delay between a new content and its orders, in minutes: one week.
pub const MAX_DELAY_MINS: i64 = 10_080;
const MAX_SERVICES: usize = 20;
const MAX_PERIOD_DAYS: i64 = 366;
/// Maximum length of the name of a channel, in characters. A channel has a name instead of a URL if its URL is unknown.
const MAX_NAME_CHARS: usize = 200;

// Rules

#[derive(Debug, Clone)]
pub struct NewSubscription {
    pub user_id: UserId,
    pub name: String,
    /// The URL of the channel, or its name if the setting `content_feed_url` is set.
    pub url: String,
    /// The platform of the channel, such as `youtube`.
    pub kind: String,
    pub billing_type: BillingType,
    /// Number of contents that get orders, including the old contents.
    pub contents_limit: i64,
    /// Number of these contents that were published before the start. The newest ones are chosen.
    pub old_contents: i64,
    /// Minutes between the poll that finds a content and its orders. Old contents do not wait.
    pub delay_minutes: i64,
    pub services: Vec<ServiceQuantity>,
    /// Time at which the subscription ends at the latest; `None` if it has no end date.
    pub expired_at: Option<Time>,
    /// Length of a period in days, for a recurring subscription.
    pub period_days: Option<i64>,
}

/// A service that every content gets, and the range of its quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceQuantity {
    pub service_id: ServiceId,
    pub min: i64,
    pub max: i64,
}

impl ServiceQuantity {
    /// Orders the same quantity for every content.
    #[must_use]
    pub const fn fixed(service_id: ServiceId, quantity: i64) -> Self {
        Self { service_id, min: quantity, max: quantity }
    }
}

/// A service of a subscription, and the price of the order of one content until the next renewal.
pub(super) struct PricedService {
    pub(super) quantity: ServiceQuantity,
    pub(super) cost: Money,
}

/// The fields of a service that decide whether a subscription can include it.
#[derive(Debug, Clone, sqlx::FromRow)]
struct ServiceState {
    id: ServiceId,
    is_on_sale: bool,
    #[sqlx(flatten)]
    bounds: QuantityBounds,
}

/// The reason why a subscription cannot include a service, if any. `requires_answers`: the service requires more than an address.
fn reason_against_service(
    quantity: ServiceQuantity,
    state: Option<&ServiceState>,
    requires_answers: bool,
) -> Option<String> {
    let ServiceQuantity { service_id, min, max } = quantity;
    let Some(state) = state.filter(|state| state.is_on_sale) else {
        return Some(format!("Service {service_id} is not on sale."));
    };
    if requires_answers {
        return Some(format!(
            "Service {service_id} requires more details than an address, which the contents of a subscription cannot supply."
        ));
    }
    if choose::random_quantity(min, max, state.bounds, 0).is_none() {
        let QuantityBounds { min_quantity, max_quantity, quantity_step } = state.bounds;
        return Some(format!(
            "Order {min_quantity} to {max_quantity} of service {service_id}, in steps of {quantity_step}."
        ));
    }
    None
}

fn validate(new: &NewSubscription, accepts_names: bool, now: Time) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if !(1..=MAX_CONTENTS).contains(&new.contents_limit) {
        errors.add("contents_limit", "Enter a number from 1 to 100,000.");
    }
    if !(0..=MAX_OLD_CONTENTS).contains(&new.old_contents) || new.old_contents >= new.contents_limit.max(1) {
        errors.add("old_contents", format!("Enter 0 to {MAX_OLD_CONTENTS}, and less than contents_limit."));
    }
    if !(0..=MAX_DELAY_MINS).contains(&new.delay_minutes) {
        errors.add("delay_minutes", format!("Enter 0 to {MAX_DELAY_MINS} minutes."));
    }
    if new.services.is_empty() || new.services.len() > MAX_SERVICES {
        errors.add("subscription_services", format!("Choose 1 to {MAX_SERVICES} services."));
    }
    if new.billing_type != BillingType::PerContent
        && new.services.iter().any(|service| service.min != service.max)
    {
        errors.add(
            "subscription_services",
            "A prepaid subscription needs a fixed quantity for each service: enter the same minimum and maximum.",
        );
    }
    let is_valid_period = |days: i64| (1..=MAX_PERIOD_DAYS).contains(&days);
    match (renew::is_recurring(new.billing_type), new.period_days) {
        (true, Some(days)) if is_valid_period(days) => {}
        (true, _) => errors.add("period_days", format!("Enter 1 to {MAX_PERIOD_DAYS} days.")),
        (false, Some(_)) => {
            errors.add("period_days", "Only a recurring subscription has a period. Remove it.")
        }
        (false, None) => {}
    }
    if new.expired_at.is_some_and(|expired_at| expired_at <= now) {
        errors.add("expired_at", "Enter a time in the future.");
    }
    if !feed::is_url(&new.url) && !is_channel_name(&new.url, accepts_names) {
        errors.add(
            "url",
            "Enter the URL of the channel. A name is accepted only if the setting content_feed_url is set.",
        );
    }
    errors.into_result(())
}

fn is_channel_name(channel: &str, accepts_names: bool) -> bool {
    let name = channel.trim();
    let is_invalid = |letter: char| letter.is_whitespace() || letter.is_control();
    accepts_names
        && !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && !name.chars().any(is_invalid)
}

// Store

/// Starts a subscription and puts the prepaid amount on hold. The first poll of its channel is due at once.
pub async fn start(work: &mut UnitOfWork, new: &NewSubscription) -> Result<SubscriptionId> {
    let accepts_names = settings::read_text(work, settings::CONTENT_FEED).await?.is_some();
    if feed::is_url(&new.url) {
        edit::check_url(&new.url)?;
    }
    validate(new, accepts_names, work.now)?;
    check_subscription_limit(work, new.user_id).await?;
    let decimals = settings::read_rounding_precision(work).await?;
    let services = price_services(work, new.user_id, &new.services, decimals).await?;
    let is_prepaid = new.billing_type != BillingType::PerContent;
    let cost_per_content = Money::sum(services.iter().map(|service| service.cost))?;
    let cost =
        if is_prepaid { cost_per_content.0.checked_mul(new.contents_limit).ok_or(Overflow)? } else { 0 };
    let cost = Money(cost);
    let service_refs: Vec<_> = services
        .iter()
        .map(|service| ("subscription_services".to_owned(), service.quantity.service_id))
        .collect();
    references::check_not_archived(work, &service_refs).await?.into_result(())?;
    let id = insert(work, new, cost, decimals).await?;
    for service in &services {
        let ServiceQuantity { service_id, min, max } = service.quantity;
        store::insert_service(work, (id, service_id), (min, max), service.cost).await?;
    }
    if cost > Money::ZERO {
        let owner = AdvanceOwner { kind: "subscription", id: id.as_record_id(), user_id: new.user_id };
        advances::hold(work, owner, &[(BalanceType::Main, cost)]).await?;
    }
    let new_values = json!({ "contents_limit": new.contents_limit, "cost": cost, "user_id": new.user_id });
    audit::record(
        work,
        "subscription.started",
        "subscription",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    Ok(id)
}

/// Rejects a customer with too many active subscriptions. Two concurrent requests can both pass the check, which does no harm.
async fn check_subscription_limit(work: &mut UnitOfWork, user_id: UserId) -> Result<()> {
    let limit = i64::from(work.scope().platform.config.subscriptions.max_per_customer);
    let sql = Sql::new(
        "SELECT count(*) FROM (SELECT 1 FROM subscriptions WHERE user_id = ? AND status = 'in_processing' LIMIT ?) AS running",
    );
    let (active_count,): (i64,) = work.fetch_one(sql.bind(user_id).bind(limit)).await?;
    let message = format!(
        "This customer has {limit} active subscriptions, which is the limit. Cancel one of them first."
    );
    if active_count < limit {
        Ok(())
    } else {
        Err(Error::invalid("user_id", "too_many_subscriptions", message))
    }
}

async fn insert(
    work: &mut UnitOfWork,
    new: &NewSubscription,
    cost: Money,
    decimals: u8,
) -> Result<SubscriptionId> {
    let now = work.now;
    let period = |days: i64| Period {
        days,
        contents: new.contents_limit - new.old_contents,
        renews_at: now.plus(Duration::from_hours(24 * days.unsigned_abs())),
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
        rounding_precision: decimals,
        expired_at: new.expired_at,
        period: new.period_days.map(period),
    };
    Ok(store::insert(work, &row).await?)
}

/// Computes the cost of one order of each service for this customer, at the current prices. Returns a 422 for the field
/// `subscription_services` if a service cannot be used in a subscription.
pub(super) async fn price_services(
    work: &mut UnitOfWork,
    user_id: UserId,
    services: &[ServiceQuantity],
    decimals: u8,
) -> Result<Vec<PricedService>> {
    let ids: Vec<ServiceId> = services.iter().map(|quantity| quantity.service_id).collect();
    let sql = Sql::new(
        "SELECT s.id, s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AS is_on_sale, s.min_quantity, s.max_quantity, s.quantity_step
         FROM services s WHERE s.id IN ",
    );
    let states: Vec<ServiceState> = work.fetch_all(sql.ids(&ids)).await?;
    let orders: Vec<(ServiceId, i64)> =
        services.iter().map(|quantity| (quantity.service_id, quantity.min)).collect();
    let requiring_answers = service_targets::load_services_requiring_answers(work, &orders).await?;
    let now = work.now;
    let buyer = Buyer { user_id, is_in_package: false, country: None };
    let terms_by_service = terms::load_for_services(work, buyer, &ids, now).await?;
    let mut priced_services = Vec::with_capacity(services.len());
    for service in services {
        let state = states.iter().find(|state| state.id == service.service_id);
        if let Some(reason) =
            reason_against_service(*service, state, requiring_answers.contains(&service.service_id))
        {
            return Err(Error::invalid("subscription_services", "service_unsuitable", reason));
        }
        let terms = terms_by_service
            .get(&service.service_id)
            .ok_or_else(|| Error::not_found("service", service.service_id))?;
        // The orders get no bulk discount, because the customer may cancel the subscription after any content.
        priced_services
            .push(PricedService { quantity: *service, cost: terms.quote(service.min, decimals)?.cost });
    }
    Ok(priced_services)
}
