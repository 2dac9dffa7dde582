//! Subscriptions in the reseller API: `add` starts them, `status` reads them, `cancel` ends them.
//!
//! The API has one range of ids for orders and subscriptions, so the id of a subscription is [`ID_OFFSET`] plus its own id. The
//! sum fits into 32 bits, because some clients store ids in that size.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use panel_contract::drip_feeds::RecurringOrderStatus;
use panel_contract::ids::{OrderId, ServiceId, SubscriptionId, UserId};
use panel_contract::moment::{Day, Time};
use panel_contract::order_requests::ResellerRequest;
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::add::load_reseller_service;
use super::customer::Customer;
use super::parameters::{self, AddKind};
use super::protocol::{self, field, parse_id, parse_number_field};
use crate::operations::subscriptions;
use crate::operations::subscriptions::start::{
    MAX_CONTENTS, MAX_DELAY_MINS, MAX_OLD_CONTENTS, NewSubscription, ServiceQuantity, start,
};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// In this API, an id above this offset is the id of a subscription. No panel has so many orders.
const ID_OFFSET: i64 = 2_000_000_000;
/// Maximum number of orders of a subscription in the response. The response contains the newest orders.
const MAX_ORDERS: i64 = 1_000;

// Rules

/// Whether an `add` starts a subscription: the request has a minimum and a maximum instead of a quantity.
pub(super) fn is_subscription(call: &ResellerRequest) -> bool {
    !field(call, "min").is_empty() && !field(call, "max").is_empty() && field(call, "quantity").is_empty()
}

/// Returns the subscription that an id of this API represents; `None` if the id is the id of an order.
pub(super) fn from_api_id(id: OrderId) -> Option<SubscriptionId> {
    id.get().checked_sub(ID_OFFSET).filter(|id| *id > 0).map(SubscriptionId::new)
}

/// Returns the id that represents a subscription in this API.
pub(super) const fn to_api_id(id: SubscriptionId) -> OrderId {
    OrderId::new(ID_OFFSET + id.get())
}

/// Parses and validates the parameters. Does not read the database.
fn parse_new_subscription(
    call: &ResellerRequest,
    (user_id, service_id): (UserId, ServiceId),
    now: Time,
) -> Result<NewSubscription> {
    parameters::check_parameters(call, AddKind::Subscription, None)?;
    let parse_in_range = |name: &str, min: i64, max: i64| match parse_number_field(call, name, min, 0)? {
        number if (min..=max).contains(&number) => Ok(number),
        _ => Err(protocol::reseller_error(&format!("Incorrect {name}"))),
    };
    let (min, max) = (parse_in_range("min", 1, i64::MAX)?, parse_in_range("max", 1, i64::MAX)?);
    if min > max {
        return Err(protocol::reseller_error("Incorrect max"));
    }
    let old_contents = parse_in_range("old_posts", 0, MAX_OLD_CONTENTS)?;
    let posts = match parse_in_range("posts", 0, MAX_CONTENTS)? {
        0 => MAX_CONTENTS,
        posts => posts,
    };
    let channel = [field(call, "username"), field(call, "link")].into_iter().find(|text| !text.is_empty());
    let url = channel.ok_or_else(|| protocol::reseller_error("Incorrect username"))?.to_owned();
    let period_days = Some(parse_in_range("period", 0, 366)?).filter(|days| *days > 0);
    if period_days.is_some() && (posts == MAX_CONTENTS || min != max) {
        return Err(protocol::reseller_error("A period takes posts, and one quantity as min and max"));
    }
    Ok(NewSubscription {
        user_id,
        name: String::new(),
        url,
        kind: String::new(),
        billing_type: if period_days.is_some() { BillingType::Recurring } else { BillingType::PerContent },
        period_days,
        contents_limit: (posts + old_contents).min(MAX_CONTENTS),
        old_contents,
        delay_minutes: parse_in_range("delay", 0, MAX_DELAY_MINS)?,
        services: vec![ServiceQuantity { service_id, min, max }],
        expired_at: parse_expiry(field(call, "expiry"), now)?,
    })
}

/// Parses a day such as 31/12/2026 and returns its end, which must be in the future.
fn parse_expiry(text: &str, now: Time) -> Result<Option<Time>> {
    if text.is_empty() {
        return Ok(None);
    }
    let invalid_expiry_error =
        || protocol::reseller_error("Incorrect expiry: send a future day as d/m/Y, such as 31/12/2030");
    let date = NaiveDate::parse_from_str(text, "%d/%m/%Y").map_err(|_| invalid_expiry_error())?;
    let next_day = date
        .checked_add_days(Days::new(1))
        .filter(|day| *day < NaiveDate::MAX)
        .ok_or_else(invalid_expiry_error)?;
    let year = chrono::Datelike::year(&next_day);
    let expires_at = Day::from(next_day).start();
    if !(1..=9_999).contains(&year) || expires_at <= now {
        Err(invalid_expiry_error())
    } else {
        Ok(Some(expires_at))
    }
}

/// The fields of a subscription that the API may show to its customer.
#[derive(Debug, sqlx::FromRow)]
struct CustomerSubscription {
    id: SubscriptionId,
    status: RecurringOrderStatus,
    contents_limit: i64,
    old_contents: i64,
    subscription_contents_count: i64,
    expired_at: Option<Time>,
    completed_at: Option<Time>,
    poll_error: Option<String>,
    wait_reason: Option<String>,
    paused_at: Option<Time>,
}

impl CustomerSubscription {
    fn status_name(&self) -> &'static str {
        let is_expired = self
            .expired_at
            .zip(self.completed_at)
            .is_some_and(|(expired_at, completed_at)| expired_at <= completed_at);
        match self.status {
            RecurringOrderStatus::InProcessing if self.paused_at.is_some() => "Paused",
            RecurringOrderStatus::InProcessing => "Active",
            RecurringOrderStatus::Canceled => "Canceled",
            RecurringOrderStatus::Completed
                if is_expired && self.subscription_contents_count < self.contents_limit =>
            {
                "Expired"
            }
            RecurringOrderStatus::Completed => "Completed",
        }
    }

    /// Returns how many new contents the customer ordered; 0 means no limit.
    fn posts(&self) -> i64 {
        match self.contents_limit {
            MAX_CONTENTS => 0,
            limit => (limit - self.old_contents).max(1),
        }
    }

    /// Returns why no orders are placed; `None` if orders are placed. The error of the feed itself is shown only to staff, because
    /// it may reveal details of our network.
    fn note(&self) -> Option<&str> {
        let feed_failure =
            self.poll_error.as_ref().map(|_| "The channel cannot be read now. The panel tries again.");
        self.wait_reason
            .as_deref()
            .or(feed_failure)
            .filter(|_| self.status == RecurringOrderStatus::InProcessing)
    }

    fn to_response(&self, orders: &[OrderId]) -> Value {
        let date = self.expired_at.and_then(|end| Time(end.0 - 1).day().date());
        let mut response = json!({
            "status": self.status_name(),
            "expiry": date.map(|date| date.format("%d/%m/%Y").to_string()),
            "posts": self.posts().to_string(),
            "orders": orders.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let Some(note) = self.note() {
            response["note"] = json!(note);
        }
        response
    }
}

// Store

/// Starts a subscription and returns its id in this API.
pub(super) async fn add(
    work: &mut UnitOfWork,
    customer: &Customer,
    call: &ResellerRequest,
) -> Result<OrderId> {
    let service_id =
        parse_id(field(call, "service")).ok_or_else(|| protocol::reseller_error("Incorrect service ID"))?;
    let mut new = parse_new_subscription(call, (customer.id, service_id), work.now)?;
    if load_reseller_service(work, customer.id, service_id).await?.is_none() {
        return Err(protocol::reseller_error("Incorrect service ID"));
    }
    let sql = Sql::new(
        "SELECT s.name, n.name FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id WHERE s.id = ?",
    );
    let (name, network): (String, String) = work.fetch_one(sql.bind(service_id)).await?;
    (new.name, new.kind) = (name, network.to_lowercase());
    match customer.status {
        panel_contract::users::UserStatus::Active => Ok(to_api_id(start(work, &new).await?)),
        _ => Err(Error::conflict("user_not_active", "The customer is not active; activate them first.")),
    }
}

/// Loads the customer's subscriptions among `ids`, in the response format, by their ids in this API.
pub(super) async fn load_statuses(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    ids: &[OrderId],
) -> Result<BTreeMap<OrderId, Value>> {
    let ids: Vec<SubscriptionId> = ids.iter().filter_map(|id| from_api_id(*id)).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new(
        "SELECT id, status, contents_limit, old_contents, subscription_contents_count, expired_at, completed_at, poll_error, wait_reason, paused_at
         FROM subscriptions WHERE user_id = ? AND id IN ",
    );
    let subscriptions: Vec<CustomerSubscription> = db.fetch_all(sql.bind(user_id).ids(&ids)).await?;
    let sql = Sql::new(
        "SELECT o.id, o.subscription_id FROM subscriptions s JOIN orders o ON o.subscription_id = s.id AND o.id >= COALESCE((SELECT x.id FROM orders x
           WHERE x.subscription_id = s.id ORDER BY x.id DESC LIMIT 1 OFFSET ?), 0) WHERE s.id IN ",
    );
    let subscription_ids: Vec<SubscriptionId> =
        subscriptions.iter().map(|subscription| subscription.id).collect();
    let sql = sql.bind(MAX_ORDERS - 1).ids(&subscription_ids).push(" ORDER BY o.id");
    let mut orders: BTreeMap<SubscriptionId, Vec<OrderId>> = BTreeMap::new();
    for (order, subscription) in db.fetch_all::<(OrderId, SubscriptionId)>(sql).await? {
        orders.entry(subscription).or_default().push(order);
    }
    let to_entry = |subscription: CustomerSubscription| {
        (
            to_api_id(subscription.id),
            subscription.to_response(orders.get(&subscription.id).map_or(&[], Vec::as_slice)),
        )
    };
    Ok(subscriptions.into_iter().map(to_entry).collect())
}

/// Locks the customer's subscriptions among `ids`. Call it before the customer is locked.
pub(super) async fn lock_subscriptions(
    work: &mut UnitOfWork,
    user_id: UserId,
    ids: &[OrderId],
) -> Result<Vec<SubscriptionId>> {
    let ids: Vec<SubscriptionId> = ids.iter().filter_map(|id| from_api_id(*id)).collect();
    if ids.is_empty() {
        return Ok(ids);
    }
    let sql = Sql::new("SELECT id FROM subscriptions WHERE user_id = ? AND id IN ").bind(user_id).ids(&ids);
    let locked_ids: Vec<(SubscriptionId,)> = work.fetch_all(sql.push(" ORDER BY id").for_update()).await?;
    Ok(locked_ids.into_iter().map(|(id,)| id).collect())
}

/// Cancels each of the locked subscriptions. Returns for each subscription why it cannot be canceled, or `None` if it was canceled.
pub(super) async fn cancel_subscriptions(
    work: &mut UnitOfWork,
    ids: &[SubscriptionId],
) -> Result<BTreeMap<OrderId, Option<String>>> {
    let mut rejections = BTreeMap::new();
    for id in ids {
        let rejection = match subscriptions::cancel_subscription(work, *id).await {
            Ok(()) => None,
            Err(Error::Rejected(rejection)) => Some(protocol::rejection_message(&rejection)),
            Err(error) => return Err(error),
        };
        rejections.insert(to_api_id(*id), rejection);
    }
    Ok(rejections)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_795_190_400_000_000);
    const IDS: (UserId, ServiceId) = (UserId::new(5), ServiceId::new(6));

    fn call(fields: &[(&str, &str)]) -> ResellerRequest {
        let defaults = [("username", "@a"), ("min", "100"), ("max", "200")];
        let all_fields = defaults.iter().chain(fields);
        ResellerRequest(all_fields.map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn a_subscription_has_a_minimum_and_a_maximum() {
        assert!(is_subscription(&call(&[])) && !is_subscription(&call(&[("max", "")])));
        assert!(
            !is_subscription(&call(&[("quantity", "100")])),
            "a request with a quantity must be an order, because some clients send all fields"
        );
        let seven = SubscriptionId::new(7);
        assert_eq!(
            (
                from_api_id(to_api_id(seven)),
                from_api_id(OrderId::new(7)),
                from_api_id(OrderId::new(ID_OFFSET))
            ),
            (Some(seven), None, None)
        );
    }

    #[test]
    fn parses_the_parameters_of_a_subscription() {
        let new =
            parse_new_subscription(&call(&[("posts", "10"), ("old_posts", "2"), ("delay", "30")]), IDS, NOW)
                .unwrap();
        assert_eq!((new.contents_limit, new.old_contents, new.delay_minutes), (12, 2, 30));
        assert_eq!((new.url.as_str(), new.services[0].min, new.services[0].max), ("@a", 100, 200));
        assert_eq!(
            parse_new_subscription(&call(&[("posts", "0")]), IDS, NOW).unwrap().contents_limit,
            MAX_CONTENTS
        );
        let one_quantity = [("max", "100"), ("posts", "10"), ("period", "30")];
        let by_period = parse_new_subscription(&call(&one_quantity), IDS, NOW).unwrap();
        assert_eq!((by_period.billing_type, by_period.period_days), (BillingType::Recurring, Some(30)));
        assert!(
            parse_new_subscription(&call(&one_quantity[1..]), IDS, NOW).is_err(),
            "a period must require one quantity"
        );
        let invalid_fields = [
            ("period", "30"),
            ("period", "400"),
            ("max", "99"),
            ("min", "0"),
            ("posts", "-1"),
            ("delay", "x"),
            ("old_posts", "501"),
            ("runs", "2"),
        ];
        assert!(
            invalid_fields.iter().all(|field| parse_new_subscription(&call(&[*field]), IDS, NOW).is_err())
        );
    }

    #[test]
    fn expires_at_the_end_of_its_last_day() {
        let hours_until_expiry =
            |text| parse_expiry(text, NOW).map(|expiry| expiry.map(|time| (time.0 - NOW.0) / 3_600_000_000));
        assert_eq!(
            Day::from(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()).start().0,
            1_795_219_200_000_000
        );
        assert_eq!(hours_until_expiry("20/11/2026").unwrap(), Some(8));
        assert_eq!(
            (hours_until_expiry("1/12/2026").unwrap(), hours_until_expiry("").unwrap()),
            (Some(272), None)
        );
        assert!(
            ["19/11/2026", "2026-12-01", "31/02/2027", "1/1/99999999", "x"]
                .iter()
                .all(|text| hours_until_expiry(text).is_err())
        );
    }

    #[test]
    fn translates_the_states_of_a_subscription() {
        let subscription = |status, expired_at, completed_at| CustomerSubscription {
            id: SubscriptionId::new(1),
            status,
            contents_limit: 5,
            old_contents: 1,
            subscription_contents_count: 2,
            expired_at,
            completed_at,
            poll_error: Some("127.0.0.1 is a private address".into()),
            wait_reason: None,
            paused_at: None,
        };
        let (end, later) = (Some(Time(1)), Some(Time(2)));
        assert_eq!(subscription(RecurringOrderStatus::InProcessing, end, None).status_name(), "Active");
        assert_eq!(subscription(RecurringOrderStatus::Completed, end, later).status_name(), "Expired");
        assert_eq!(subscription(RecurringOrderStatus::Completed, later, end).status_name(), "Completed");
        assert_eq!(subscription(RecurringOrderStatus::Canceled, end, None).status_name(), "Canceled");
        let paused = CustomerSubscription {
            paused_at: later,
            ..subscription(RecurringOrderStatus::InProcessing, None, None)
        };
        assert_eq!(paused.status_name(), "Paused");
        let note = subscription(RecurringOrderStatus::InProcessing, end, None)
            .to_response(&[OrderId::new(4)])["note"]
            .clone();
        assert_eq!(note, "The channel cannot be read now. The panel tries again.");
        let response = subscription(RecurringOrderStatus::Completed, Some(Time(86_400_000_000)), later)
            .to_response(&[4, 9].map(OrderId::new));
        assert_eq!(
            response,
            json!({ "status": "Completed", "expiry": "01/01/1970", "posts": "4", "orders": ["4", "9"] })
        );
    }
}
