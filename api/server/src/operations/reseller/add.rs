//! A customer's program orders: charged and written in one transaction, or refused with nothing written.

use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderSource;
use panel_contract::payments::BalanceType;
use panel_contract::targets::TargetName;
use serde_json::{Value, json};

use super::words::{self, field, number};
use super::{Customer, subscribe};
use crate::db::{Source, Sql};
use crate::http::Ctx;
use crate::http::error::Result;
use crate::marketing::order_widgets::intake;
use crate::operations::drip_feeds::run::{self, NewDripFeed};
use crate::operations::orders::create::{self, place_paid};
use crate::operations::orders::place::NewOrder;
use crate::work::Work;

/// Where the program's customer is; `country` alone is what a geotargeted service asks.
const COUNTRY: &str = "customer_country";

/// The fields of a call that answer a target of a kind; a target's own name as a field goes before.
const fn fields_of(kind: TargetName) -> &'static [&'static str] {
    match kind {
        TargetName::Comment => &["comments"],
        TargetName::Keyword => {
            &["keyword", "username", "usernames", "hashtag", "hashtags", "media", "groups", "answer_number"]
        }
        TargetName::SeoKeyword => &["keywords", "google_keyword", "referring_url"],
        TargetName::Geotargeting => &["country"],
        TargetName::Language => &["language"],
    }
}

/// `add`: one order, a drip-feed whose first order goes out at once, or a subscription.
pub(super) async fn add(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    if subscribe::is_asked(call) {
        let mut work = ctx.begin().await?;
        let id = subscribe::add(&mut work, customer, call).await?;
        return work.finish(json!({ "order": id })).await;
    }
    let service = number(field(call, "service")).ok_or_else(|| words::refused("Incorrect service ID"))?;
    let runs = number_or(call, "runs", 1)?;
    // Before the transaction begins: nothing waits for what is only read.
    let asked = asked(&mut ctx.db(), customer.id, service).await?;
    let mut work = ctx.begin().await?;
    let widget = widget(&mut work, call, runs).await?;
    let usual = match &widget {
        Some(_) => intake::usual_quantity(&mut work, service).await?,
        None => None,
    };
    let quantity = quantity(call, usual).ok_or_else(|| words::refused("Incorrect quantity"))?;
    let asked = asked.ok_or_else(|| words::refused("Incorrect service ID"))?;
    let targets = targets(call, &asked);
    let link = field(call, "link");
    let coupon = create::coupon(Some(field(call, "coupon")));
    let country = create::country(Some(field(call, COUNTRY)))
        .map_err(|_| words::refused(&format!("Incorrect {COUNTRY}")))?;
    if runs > 1 && coupon.is_some() {
        return Err(words::refused("A coupon takes no runs"));
    }
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
        let source = if widget.is_some() { OrderSource::OrderWidget } else { OrderSource::PerfectPanelApi };
        place_paid(
            &mut work,
            &NewOrder {
                targets,
                source,
                widget,
                speedup: is_on(call, "speedup"),
                guarantee: is_on(call, "guarantee"),
                coupon,
                country,
                ..plain
            },
        )
        .await?
        .id
    };
    work.finish(json!({ "order": id })).await
}

// Rules

/// How many: as said, or one for each comment, or as many as is usual.
fn quantity(call: &ResellerCall, usual: Option<i64>) -> Option<i64> {
    match field(call, "quantity") {
        "" => {
            let lines = field(call, "comments").lines().filter(|line| !line.trim().is_empty()).count();
            i64::try_from(lines).ok().filter(|lines| *lines > 0).or(usual)
        }
        text => number(text),
    }
}

/// Whether a flag of a call is on.
fn is_on(call: &ResellerCall, name: &str) -> bool {
    matches!(field(call, name), "1" | "true" | "yes" | "on")
}

pub(super) fn number_or(call: &ResellerCall, name: &str, otherwise: i64) -> Result<i64> {
    match field(call, name) {
        "" => Ok(otherwise),
        text => number(text).ok_or_else(|| words::refused(&format!("Incorrect {name}"))),
    }
}

/// What the call says of what the service asks; everything else that strangers' programs send is left alone.
fn targets(call: &ResellerCall, asked: &[(String, TargetName)]) -> Vec<(String, String)> {
    let said = |(name, kind): &(String, TargetName)| {
        let names = std::iter::once(name.as_str()).chain(fields_of(*kind).iter().copied());
        let text = names.map(|field_name| field(call, field_name)).find(|text| !text.is_empty())?;
        Some((name.clone(), text.to_owned()))
    };
    asked.iter().filter_map(said).collect()
}

// Store

/// The order widget of a call, by its token.
async fn widget(work: &mut Work, call: &ResellerCall, runs: i64) -> Result<Option<i64>> {
    let token = field(call, "order_widget");
    if token.is_empty() {
        return Ok(None);
    }
    if runs > 1 {
        return Err(words::refused("An order widget takes no runs"));
    }
    let widget = intake::of_token(work, token).await?;
    widget.map(|widget| Some(widget.id)).ok_or_else(|| words::refused("Incorrect order widget"))
}

/// What the service asks its customers, names and kinds; none where this one may not order it by this API. That it is on
/// sale at all is judged where orders are placed.
pub(super) async fn asked(
    db: &mut impl Source,
    user: i64,
    service: i64,
) -> Result<Option<Vec<(String, TargetName)>>> {
    let sql = Sql::new(
        "SELECT t.name, y.name FROM services s LEFT JOIN service_targets x ON x.service_id = s.id AND x.attachment <> 'fixed'
         LEFT JOIN targets t ON t.id = x.target_id LEFT JOIN target_types y ON y.id = t.target_type_id
         WHERE s.id = ? AND s.api_access AND (NOT s.restricted_access
           OR EXISTS (SELECT 1 FROM user_services own WHERE own.service_id = s.id AND own.user_id = ?)) ORDER BY x.position, t.id",
    );
    let rows: Vec<(Option<String>, Option<TargetName>)> = db.all(sql.bind(service).bind(user)).await?;
    let is_sold = !rows.is_empty();
    Ok(is_sold.then(|| rows.into_iter().filter_map(|(name, kind)| Some((name?, kind?))).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        ResellerCall(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn comments_count_themselves() {
        assert_eq!(quantity(&call(&[("comments", "Nice\n\n Great \r\n")]), None), Some(2));
        assert_eq!(quantity(&call(&[("comments", "a\nb"), ("quantity", "5")]), Some(9)), Some(5));
        assert_eq!(
            [quantity(&call(&[]), None), quantity(&call(&[("quantity", "x")]), Some(9))],
            [None, None]
        );
        assert_eq!(quantity(&call(&[]), Some(9)), Some(9), "what is usual for widgets");
    }

    #[test]
    fn what_the_service_asks_is_answered_and_nothing_else_is_kept() {
        let asked =
            [("Your comments".to_owned(), TargetName::Comment), ("city".to_owned(), TargetName::Keyword)];
        let kept = targets(
            &call(&[("comments", "a"), ("city", "Bonn"), ("keyword", "x"), ("colour", "red")]),
            &asked,
        );
        assert_eq!(kept, [("Your comments".into(), "a".into()), ("city".to_owned(), "Bonn".to_owned())]);
        assert!(targets(&call(&[("comments", "")]), &asked).is_empty());
    }
}
