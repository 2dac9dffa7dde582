//! A customer's program orders: charged and written in one transaction, or refused with nothing written.

use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use serde_json::{Value, json};

use super::Customer;
use super::words::{self, field, number};
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::operations::drip_feeds::run::{self, NewDripFeed};
use crate::operations::orders::create::place_paid;
use crate::operations::orders::place::NewOrder;
use crate::work::Work;

/// What a call may say beside address and quantity, kept with the order as it was sent.
const TARGETS: [&str; 16] = [
    "comments",
    "usernames",
    "username",
    "hashtags",
    "hashtag",
    "media",
    "groups",
    "keywords",
    "answer_number",
    "country",
    "device",
    "type_of_traffic",
    "google_keyword",
    "referring_url",
    "gender",
    "language",
];
/// Longest of them, in characters.
const LONGEST: usize = 100_000;

/// `add`: one order, or a drip-feed whose first order goes out at once.
pub(super) async fn add(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    let service = number(field(call, "service")).ok_or_else(|| words::refused("Incorrect service ID"))?;
    let targets = targets(call)?;
    let quantity = quantity(call).ok_or_else(|| words::refused("Incorrect quantity"))?;
    let runs = number_or(call, "runs", 1)?;
    let mut work = ctx.begin().await?;
    if !is_sold_here(&mut work, customer.id, service).await? {
        return Err(words::refused("Incorrect service ID"));
    }
    let link = field(call, "link");
    let id = if runs > 1 {
        let minutes_between_runs = number_or(call, "interval", 0)?;
        let pays = BalanceType::Main;
        let feed = NewDripFeed {
            user_id: customer.id,
            service_id: service,
            url: link.to_owned(),
            quantity,
            runs,
            minutes_between_runs,
            pays,
        };
        let feed = run::start(&mut work, &feed).await?;
        let first = run::run(&mut work, feed).await?;
        first.map(|placed| placed.id).ok_or_else(|| words::refused("Incorrect request"))?
    } else {
        let plain = NewOrder::plain(customer.id, service, link, quantity);
        place_paid(&mut work, &NewOrder { targets, source: OrderSource::PerfectPanelApi, ..plain }).await?.id
    };
    work.finish(json!({ "order": id })).await
}

// Rules

/// How many: as said, or one for each comment.
fn quantity(call: &ResellerCall) -> Option<i64> {
    match field(call, "quantity") {
        "" => {
            let lines = field(call, "comments").lines().filter(|line| !line.trim().is_empty()).count();
            i64::try_from(lines).ok().filter(|lines| *lines > 0)
        }
        text => number(text),
    }
}

fn number_or(call: &ResellerCall, name: &str, otherwise: i64) -> Result<i64> {
    match field(call, name) {
        "" => Ok(otherwise),
        text => number(text).ok_or_else(|| words::refused(&format!("Incorrect {name}"))),
    }
}

fn targets(call: &ResellerCall) -> Result<Vec<(String, String)>> {
    let mut targets = Vec::new();
    for name in TARGETS {
        let text = field(call, name);
        if text.chars().count() > LONGEST {
            return Err(words::refused(&format!("Too long: {name}")));
        }
        if !text.is_empty() {
            targets.push((name.to_owned(), text.to_owned()));
        }
    }
    Ok(targets)
}

// Store

/// Whether the customer may order it by this API; that it is on sale at all is judged where orders are placed.
async fn is_sold_here(work: &mut Work, user: i64, service: i64) -> Result<bool> {
    let sql = Sql::new(
        "SELECT s.id FROM services s WHERE s.id = ? AND s.api_access AND (NOT s.restricted_access
           OR EXISTS (SELECT 1 FROM user_services own WHERE own.service_id = s.id AND own.user_id = ?))",
    );
    Ok(work.opt::<(i64,)>(sql.bind(service).bind(user)).await?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        ResellerCall(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn comments_count_themselves() {
        assert_eq!(quantity(&call(&[("comments", "Nice\n\n Great \r\n")])), Some(2));
        assert_eq!(quantity(&call(&[("comments", "a\nb"), ("quantity", "5")])), Some(5));
        assert_eq!([quantity(&call(&[])), quantity(&call(&[("quantity", "x")]))], [None, None]);
    }

    #[test]
    fn only_what_is_known_is_kept() {
        let kept = targets(&call(&[("comments", "a"), ("colour", "red"), ("country", "")])).unwrap();
        assert_eq!(kept, [("comments".to_owned(), "a".to_owned())]);
        assert!(targets(&call(&[("comments", &"x".repeat(LONGEST + 1))])).is_err());
    }
}
