//! Subscriptions as the field speaks of them: ordered by `add` like anything else, followed by `status`, ended by `cancel`.
//!
//! Their ids and those of orders are different numbers here and must not meet there: a subscription is told as
//! [`FIRST`] plus its id, which still fits into 32 bits, as some clients keep ids.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use panel_contract::drip_feeds::BatchStatus;
use panel_contract::ids::{OrderId, ServiceId, SubscriptionId, UserId};
use panel_contract::intake::ResellerCall;
use panel_contract::moment::{Day, Time};
use panel_contract::subscriptions::BillingType;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use super::add::asked;
use super::customer::Customer;
use super::parameters::{self, AddKind};
use super::words::{self, field, id, number_from};
use crate::operations::subscriptions;
use crate::operations::subscriptions::start::{
    Each, LONGEST_DELAY_MINS, MOST_CONTENTS, MOST_OLD, NewSubscription, start,
};
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Ids from here on are subscriptions'; no panel has as many orders.
const FIRST: i64 = 2_000_000_000;
/// Newest orders of a subscription that are told.
const MOST_ORDERS: i64 = 1_000;

// Rules

/// Whether an `add` asks for a subscription: it says between which quantities, and not which.
pub(super) fn is_asked(call: &ResellerCall) -> bool {
    !field(call, "min").is_empty() && !field(call, "max").is_empty() && field(call, "quantity").is_empty()
}

/// The subscription that such an id means here.
pub(super) fn known(id: OrderId) -> Option<SubscriptionId> {
    id.get().checked_sub(FIRST).filter(|id| *id > 0).map(SubscriptionId::new)
}

/// How a subscription's id is told.
pub(super) const fn told(id: SubscriptionId) -> OrderId {
    OrderId::new(FIRST + id.get())
}

/// What a call wants, but for what only the database knows.
fn read(
    call: &ResellerCall,
    (user_id, service_id): (UserId, ServiceId),
    now: Time,
) -> Result<NewSubscription> {
    parameters::check(call, AddKind::Subscription, None)?;
    let bounded = |name: &str, least: i64, most: i64| match number_from(call, name, least, 0)? {
        number if (least..=most).contains(&number) => Ok(number),
        _ => Err(words::refused(&format!("Incorrect {name}"))),
    };
    let (least, most) = (bounded("min", 1, i64::MAX)?, bounded("max", 1, i64::MAX)?);
    if least > most {
        return Err(words::refused("Incorrect max"));
    }
    let old_contents = bounded("old_posts", 0, MOST_OLD)?;
    let posts = match bounded("posts", 0, MOST_CONTENTS)? {
        0 => MOST_CONTENTS,
        posts => posts,
    };
    let channel = [field(call, "username"), field(call, "link")].into_iter().find(|text| !text.is_empty());
    let url = channel.ok_or_else(|| words::refused("Incorrect username"))?.to_owned();
    let period_days = Some(bounded("period", 0, 366)?).filter(|days| *days > 0);
    if period_days.is_some() && (posts == MOST_CONTENTS || least != most) {
        return Err(words::refused("A period takes posts, and one quantity as min and max"));
    }
    Ok(NewSubscription {
        user_id,
        name: String::new(),
        url,
        kind: String::new(),
        billing_type: if period_days.is_some() { BillingType::Recurring } else { BillingType::PerContent },
        period_days,
        contents_limit: (posts + old_contents).min(MOST_CONTENTS),
        old_contents,
        delay_minutes: bounded("delay", 0, LONGEST_DELAY_MINS)?,
        services: vec![Each { service_id, least, most }],
        expired_at: expiry(field(call, "expiry"), now)?,
    })
}

/// The end of a day such as 31/12/2026; it must not be over.
fn expiry(text: &str, now: Time) -> Result<Option<Time>> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || words::refused("Incorrect expiry: send a day to come as d/m/Y, such as 31/12/2030");
    let date = NaiveDate::parse_from_str(text, "%d/%m/%Y").map_err(|_| wrong())?;
    let next = date.checked_add_days(Days::new(1)).filter(|next| *next < NaiveDate::MAX).ok_or_else(wrong)?;
    let years = chrono::Datelike::year(&next);
    let end = Day::from(next).start();
    if !(1..=9_999).contains(&years) || end <= now { Err(wrong()) } else { Ok(Some(end)) }
}

/// A subscription as its customer's program may know it.
#[derive(Debug, sqlx::FromRow)]
struct Own {
    id: SubscriptionId,
    status: BatchStatus,
    contents_limit: i64,
    old_contents: i64,
    subscription_contents_count: i64,
    expired_at: Option<Time>,
    completed_at: Option<Time>,
    look_error: Option<String>,
    wait_reason: Option<String>,
    paused_at: Option<Time>,
}

impl Own {
    fn word(&self) -> &'static str {
        let is_expired = self.expired_at.zip(self.completed_at).is_some_and(|(end, done)| end <= done);
        match self.status {
            BatchStatus::InProcessing if self.paused_at.is_some() => "Paused",
            BatchStatus::InProcessing => "Active",
            BatchStatus::Canceled => "Canceled",
            BatchStatus::Completed
                if is_expired && self.subscription_contents_count < self.contents_limit =>
            {
                "Expired"
            }
            BatchStatus::Completed => "Completed",
        }
    }

    /// New contents that get orders; 0 where there is no limit, as it was ordered.
    fn posts(&self) -> i64 {
        match self.contents_limit {
            MOST_CONTENTS => 0,
            limit => (limit - self.old_contents).max(1),
        }
    }

    /// Why nothing comes, where nothing does. A feed's own trouble is staff's business: it may tell of our network.
    fn note(&self) -> Option<&str> {
        let unread = self.look_error.as_ref().map(|_| "The channel cannot be read now; it is tried again.");
        self.wait_reason.as_deref().or(unread).filter(|_| self.status == BatchStatus::InProcessing)
    }

    fn shown(&self, orders: &[OrderId]) -> Value {
        let date = self.expired_at.and_then(|end| Time(end.0 - 1).day().date());
        let mut shown = json!({
            "status": self.word(),
            "expiry": date.map(|date| date.format("%d/%m/%Y").to_string()),
            "posts": self.posts().to_string(),
            "orders": orders.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let Some(note) = self.note() {
            shown["note"] = json!(note);
        }
        shown
    }
}

// Store

/// Starts one; the id by which it is told.
pub(super) async fn add(work: &mut Work, customer: &Customer, call: &ResellerCall) -> Result<OrderId> {
    let service_id = id(field(call, "service")).ok_or_else(|| words::refused("Incorrect service ID"))?;
    let mut new = read(call, (customer.id, service_id), work.now)?;
    if asked(work, customer.id, service_id).await?.is_none() {
        return Err(words::refused("Incorrect service ID"));
    }
    let sql = Sql::new(
        "SELECT s.name, n.name FROM services s JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id WHERE s.id = ?",
    );
    let (name, network): (String, String) = work.one(sql.bind(service_id)).await?;
    (new.name, new.kind) = (name, network.to_lowercase());
    match customer.status {
        panel_contract::users::UserStatus::Active => Ok(told(start(work, &new).await?)),
        _ => Err(Error::conflict("user_not_active", "The customer is not active; activate them first.")),
    }
}

/// The customer's own among these subscriptions, as they are told, by the ids that they are told by.
pub(super) async fn status(
    db: &mut impl Source,
    user: UserId,
    ids: &[OrderId],
) -> Result<BTreeMap<OrderId, Value>> {
    let ids: Vec<SubscriptionId> = ids.iter().filter_map(|id| known(*id)).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = Sql::new(
        "SELECT id, status, contents_limit, old_contents, subscription_contents_count, expired_at, completed_at, look_error, wait_reason, paused_at
         FROM subscriptions WHERE user_id = ? AND id IN ",
    );
    let own: Vec<Own> = db.all(sql.bind(user).ids(&ids)).await?;
    let sql = Sql::new(
        "SELECT o.id, o.subscription_id FROM subscriptions s JOIN orders o ON o.subscription_id = s.id AND o.id >= COALESCE((SELECT x.id FROM orders x
           WHERE x.subscription_id = s.id ORDER BY x.id DESC LIMIT 1 OFFSET ?), 0) WHERE s.id IN ",
    );
    let own_ids: Vec<SubscriptionId> = own.iter().map(|own| own.id).collect();
    let sql = sql.bind(MOST_ORDERS - 1).ids(&own_ids).push(" ORDER BY o.id");
    let mut orders: BTreeMap<SubscriptionId, Vec<OrderId>> = BTreeMap::new();
    for (order, subscription) in db.all::<(OrderId, SubscriptionId)>(sql).await? {
        orders.entry(subscription).or_default().push(order);
    }
    let shown = |own: Own| (told(own.id), own.shown(orders.get(&own.id).map_or(&[], Vec::as_slice)));
    Ok(own.into_iter().map(shown).collect())
}

/// Locks the customer's own among these, before anything locks the customer.
pub(super) async fn lock(work: &mut Work, user: UserId, ids: &[OrderId]) -> Result<Vec<SubscriptionId>> {
    let ids: Vec<SubscriptionId> = ids.iter().filter_map(|id| known(*id)).collect();
    if ids.is_empty() {
        return Ok(ids);
    }
    let sql = Sql::new("SELECT id FROM subscriptions WHERE user_id = ? AND id IN ").bind(user).ids(&ids);
    let own: Vec<(SubscriptionId,)> = work.all(sql.push(" ORDER BY id").for_update()).await?;
    Ok(own.into_iter().map(|(id,)| id).collect())
}

/// Ends those that were locked, each alone: why not, where one cannot.
pub(super) async fn cancel(
    work: &mut Work,
    own: &[SubscriptionId],
) -> Result<BTreeMap<OrderId, Option<String>>> {
    let mut done = BTreeMap::new();
    for id in own {
        let why = match subscriptions::cancel_one(work, *id).await {
            Ok(()) => None,
            Err(Error::Rejected(rejection)) => Some(words::sentence(&rejection)),
            Err(fault) => return Err(fault),
        };
        done.insert(told(*id), why);
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_795_190_400_000_000);
    const WHO: (UserId, ServiceId) = (UserId::new(5), ServiceId::new(6));

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        let usual = [("username", "@a"), ("min", "100"), ("max", "200")];
        let all = usual.iter().chain(fields);
        ResellerCall(all.map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn a_subscription_is_known_by_its_bounds() {
        assert!(is_asked(&call(&[])) && !is_asked(&call(&[("max", "")])));
        assert!(!is_asked(&call(&[("quantity", "100")])), "an order of a client that sends all fields");
        let seven = SubscriptionId::new(7);
        assert_eq!(
            (known(told(seven)), known(OrderId::new(7)), known(OrderId::new(FIRST))),
            (Some(seven), None, None)
        );
    }

    #[test]
    fn what_the_field_sends_is_understood() {
        let new = read(&call(&[("posts", "10"), ("old_posts", "2"), ("delay", "30")]), WHO, NOW).unwrap();
        assert_eq!((new.contents_limit, new.old_contents, new.delay_minutes), (12, 2, 30));
        assert_eq!((new.url.as_str(), new.services[0].least, new.services[0].most), ("@a", 100, 200));
        assert_eq!(read(&call(&[("posts", "0")]), WHO, NOW).unwrap().contents_limit, MOST_CONTENTS);
        let same = [("max", "100"), ("posts", "10"), ("period", "30")];
        let by_period = read(&call(&same), WHO, NOW).unwrap();
        assert_eq!((by_period.billing_type, by_period.period_days), (BillingType::Recurring, Some(30)));
        assert!(read(&call(&same[1..]), WHO, NOW).is_err(), "one quantity");
        let wrong = [
            ("period", "30"),
            ("period", "400"),
            ("max", "99"),
            ("min", "0"),
            ("posts", "-1"),
            ("delay", "x"),
            ("old_posts", "501"),
            ("runs", "2"),
        ];
        assert!(wrong.iter().all(|field| read(&call(&[*field]), WHO, NOW).is_err()));
    }

    #[test]
    fn it_lasts_through_its_last_day() {
        let end = |text| expiry(text, NOW).map(|end| end.map(|end| (end.0 - NOW.0) / 3_600_000_000));
        assert_eq!(
            Day::from(NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()).start().0,
            1_795_219_200_000_000
        );
        assert_eq!(end("20/11/2026").unwrap(), Some(8));
        assert_eq!((end("1/12/2026").unwrap(), end("").unwrap()), (Some(272), None));
        assert!(
            ["19/11/2026", "2026-12-01", "31/02/2027", "1/1/99999999", "x"]
                .iter()
                .all(|text| end(text).is_err())
        );
    }

    #[test]
    fn states_have_the_fields_words() {
        let own = |status, expired_at, completed_at| Own {
            id: SubscriptionId::new(1),
            status,
            contents_limit: 5,
            old_contents: 1,
            subscription_contents_count: 2,
            expired_at,
            completed_at,
            look_error: Some("127.0.0.1 is a private address".into()),
            wait_reason: None,
            paused_at: None,
        };
        let (end, later) = (Some(Time(1)), Some(Time(2)));
        assert_eq!(own(BatchStatus::InProcessing, end, None).word(), "Active");
        assert_eq!(own(BatchStatus::Completed, end, later).word(), "Expired");
        assert_eq!(own(BatchStatus::Completed, later, end).word(), "Completed");
        assert_eq!(own(BatchStatus::Canceled, end, None).word(), "Canceled");
        let paused = Own { paused_at: later, ..own(BatchStatus::InProcessing, None, None) };
        assert_eq!(paused.word(), "Paused");
        let note = own(BatchStatus::InProcessing, end, None).shown(&[OrderId::new(4)])["note"].clone();
        assert_eq!(note, "The channel cannot be read now; it is tried again.");
        let shown =
            own(BatchStatus::Completed, Some(Time(86_400_000_000)), later).shown(&[4, 9].map(OrderId::new));
        assert_eq!(
            shown,
            json!({ "status": "Completed", "expiry": "01/01/1970", "posts": "4", "orders": ["4", "9"] })
        );
    }
}
