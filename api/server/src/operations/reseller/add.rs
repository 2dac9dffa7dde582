//! A customer's program orders: charged and written in one transaction, or refused with nothing written.

use panel_contract::ids::{OrderId, OrderWidgetId, ServiceId, UserId};
use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderSource;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource, lines};
use panel_contract::payments::BalanceType;
use panel_contract::targets::AskedTarget;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use super::customer::Customer;
use super::parameters::{self, AddKind, answered_by, flag};
use super::subscribe;
use super::words::{self, field, id, number, number_from};
use crate::catalogue::targets::asked;
use crate::context::Ctx;
use crate::marketing::order_widgets::intake;
use crate::operations::drip_feeds::run::{self, NewDripFeed};
use crate::operations::orders::create::{self, place_paid};
use crate::operations::orders::place::NewOrder;
use crate::operations::users::CHILD_PANEL;
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// `add`: one order, a drip-feed whose first order goes out at once, or a subscription.
pub(super) async fn add(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    if subscribe::is_asked(call) {
        let mut work = ctx.begin().await?;
        let id = subscribe::add(&mut work, customer, call).await?;
        return work.finish(json!({ "order": id })).await;
    }
    let service = id(field(call, "service")).ok_or_else(|| words::refused("Incorrect service ID"))?;
    // Before the transaction begins: nothing waits for what is only read.
    let asked = asked(&mut ctx.db(), customer.id, service).await?;
    let placed = place(ctx, customer, call, (service, asked.as_ref())).await;
    placed.map_err(|error| {
        let ordered = asked.as_ref().and_then(|sold| Some((quantity(call, sold.kind, None)?, sold.bounds)));
        words::refused_order(error, ordered)
    })
}

/// One order or a drip-feed of a service, which is none where this customer may not order it.
async fn place(
    ctx: &Ctx,
    customer: &Customer,
    call: &ResellerCall,
    (service, asked): (ServiceId, Option<&SoldService>),
) -> Result<Value> {
    let (runs, country) = (runs(call)?, words::country(call)?);
    let mut work = ctx.begin().await?;
    if let Some(asked) = asked {
        check_fields(call, asked, runs)?;
    }
    let widget = widget(&mut work, call).await?;
    let usual = match &widget {
        Some(_) => intake::usual_quantity(&mut work, service).await?,
        None => None,
    };
    let asked = asked.ok_or_else(|| words::refused("Incorrect service ID"))?;
    let quantity = quantity(call, asked.kind, usual).ok_or_else(|| words::refused("Incorrect quantity"))?;
    let child_id = child_id(&mut work, customer.id, call).await?;
    let plain = NewOrder {
        country,
        child_id,
        targets: targets(call, &asked.targets),
        ..NewOrder::plain(customer.id, service, field(call, "link"), quantity)
    };
    let id = match runs {
        Some(runs) => add_drip_feed(&mut work, call, plain, runs).await?,
        None => add_order(&mut work, call, NewOrder { widget, ..plain }).await?,
    };
    work.finish(json!({ "order": id })).await
}

async fn add_drip_feed(work: &mut Work, call: &ResellerCall, plain: NewOrder, runs: i64) -> Result<OrderId> {
    let feed = NewDripFeed {
        user_id: plain.user_id,
        service_id: plain.service_id,
        url: plain.url,
        quantity: plain.quantity,
        runs,
        minutes_between_runs: number_from(call, "interval", 1, 0)?,
        country: plain.country,
        pays: BalanceType::Main,
        targets: plain.targets,
    };
    let feed = run::start(work, &feed).await?;
    let first = run::run(work, feed).await?;
    first.map(|placed| placed.id).ok_or_else(|| words::refused("Incorrect request"))
}

async fn add_order(work: &mut Work, call: &ResellerCall, plain: NewOrder) -> Result<OrderId> {
    let via_widget = plain.widget.is_some();
    let new = NewOrder {
        source: if via_widget { OrderSource::OrderWidget } else { OrderSource::PerfectPanelApi },
        speedup: flag(call, "speedup")?,
        guarantee: flag(call, "guarantee")?,
        coupon: create::coupon(Some(field(call, "coupon"))),
        ..plain
    };
    Ok(place_paid(work, &new).await?.id)
}

// Rules

/// How many: one package, as said, one for each line of what is counted, or as many as is usual.
fn quantity(call: &ResellerCall, kind: PanelServiceType, usual: Option<i64>) -> Option<i64> {
    match (field(call, "quantity"), kind.quantity()) {
        (_, QuantitySource::One) => Some(1),
        ("", source) => {
            let counted = match source {
                QuantitySource::LinesOf(parameter) => parameter,
                _ => PanelParameter::Comments,
            };
            let lines = lines(field(call, counted.as_str())).count();
            i64::try_from(lines).ok().filter(|lines| *lines > 0).or(usual)
        }
        (text, _) => number(text),
    }
}

/// The runs of a drip-feed; none for a single order.
fn runs(call: &ResellerCall) -> Result<Option<i64>> {
    let runs = number_from(call, "runs", 1, 1)?;
    let interval = number_from(call, "interval", 0, 0)?;
    if interval > 0 && field(call, "runs").is_empty() {
        return Err(words::refused("An interval goes with runs; send both or none"));
    }
    Ok((runs > 1).then_some(runs))
}

/// Refuses parameters of reseller APIs that this service, or this kind of order, does not take.
fn check_fields(call: &ResellerCall, asked: &SoldService, runs: Option<i64>) -> Result<()> {
    let kind = if runs.is_some() { AddKind::DripFeed } else { AddKind::Order };
    if kind == AddKind::DripFeed && !asked.drip_feed_is_allowed {
        return Err(words::refused("This service takes no runs"));
    }
    parameters::check(call, kind, Some(asked))
}

/// What the call says of what the service asks; everything else that strangers' programs send is left alone.
fn targets(call: &ResellerCall, asked: &[AskedTarget]) -> Vec<(String, String)> {
    let said = |one: &AskedTarget| {
        let text = first(call, answered_by(one))?;
        Some((one.name.clone(), text.to_owned()))
    };
    asked.iter().filter_map(said).collect()
}

/// The first of these fields that says something.
fn first<'c, 'n>(call: &'c ResellerCall, mut names: impl Iterator<Item = &'n str>) -> Option<&'c str> {
    names.find_map(|name| Some(field(call, name)).filter(|text| !text.is_empty()))
}

// Store

/// The order widget of a call, by its token.
async fn widget(work: &mut Work, call: &ResellerCall) -> Result<Option<OrderWidgetId>> {
    let token = field(call, "order_widget");
    if token.is_empty() {
        return Ok(None);
    }
    let widget = intake::of_token(work, token).await?;
    widget.map(|widget| Some(widget.id)).ok_or_else(|| words::refused("Incorrect order widget"))
}

/// The id that a child panel names its own order by. Panels of this product send it to whichever panel they order from, so
/// that of a customer who is no child panel is left alone.
async fn child_id(work: &mut Work, user: UserId, call: &ResellerCall) -> Result<Option<i64>> {
    let id = number_from(call, "child_id", 0, 0)?;
    if id == 0 {
        return Ok(None);
    }
    let sql = Sql::new("SELECT account_type = ? FROM users WHERE id = ?").bind(CHILD_PANEL).bind(user);
    let (is_child_panel,): (bool,) = work.one(sql).await?;
    Ok(is_child_panel.then_some(id))
}

/// What a service is sold as and asks its customers.
#[derive(Debug)]
pub(super) struct SoldService {
    /// The service's type in the words of the reseller API.
    pub(super) kind: PanelServiceType,
    /// What it asks, but for what is fixed.
    pub(super) targets: Vec<AskedTarget>,
    /// Whether it is sold as a drip-feed.
    pub(super) drip_feed_is_allowed: bool,
    /// Its smallest and its largest order.
    pub(super) bounds: (i64, i64),
}

/// What a service is sold as; none where this customer may not order it by this API. That it is on sale at all is judged
/// where orders are placed.
pub(super) async fn asked(
    db: &mut impl Source,
    user: UserId,
    service: ServiceId,
) -> Result<Option<SoldService>> {
    let sql = Sql::new(
        "SELECT s.drip_feed_is_allowed, s.min_quantity, s.max_quantity FROM services s WHERE s.id = ? AND s.api_access AND (NOT s.restricted_access
           OR EXISTS (SELECT 1 FROM user_services own WHERE own.service_id = s.id AND own.user_id = ?))",
    );
    let found: Option<(bool, i64, i64)> = db.opt(sql.bind(service).bind(user)).await?;
    let Some((drip_feed_is_allowed, least, most)) = found else { return Ok(None) };
    let sold = asked::sold_as(db, &[service]).await?.remove(&service);
    let bounds = (least, most);
    Ok(sold.map(|sold| SoldService { kind: sold.kind, targets: sold.targets, drip_feed_is_allowed, bounds }))
}

#[cfg(test)]
mod tests {
    use panel_contract::targets::{TargetName, ViewType};

    use super::*;

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        ResellerCall(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn comments_count_themselves() {
        let of = |kind, fields: &[(&str, &str)], usual| quantity(&call(fields), kind, usual);
        let plain = PanelServiceType::Default;
        assert_eq!(of(plain, &[("comments", "Nice\n\n Great \r\n")], None), Some(2));
        assert_eq!(of(plain, &[("comments", "a\nb"), ("quantity", "5")], Some(9)), Some(5));
        assert_eq!([of(plain, &[], None), of(plain, &[("quantity", "x")], Some(9))], [None, None]);
        assert_eq!(of(plain, &[], Some(9)), Some(9), "what is usual for widgets");
        let names = [("usernames", "a\nb\nc"), ("comments", "x")];
        assert_eq!(of(PanelServiceType::MentionsCustomList, &names, None), Some(3));
        assert_eq!(of(PanelServiceType::Package, &[("quantity", "5")], None), Some(1));
    }

    #[test]
    fn runs_are_one_or_more() {
        let of = |fields: &[_]| runs(&call(fields)).ok();
        assert_eq!(
            [of(&[]), of(&[("runs", "1")]), of(&[("runs", "2")])],
            [Some(None), Some(None), Some(Some(2))]
        );
        for wrong in ["0", "-1", "x", "1.5"] {
            assert_eq!(of(&[("runs", wrong)]), None, "{wrong}");
        }
        assert_eq!(of(&[("interval", "5")]), None, "an interval between no runs");
        assert_eq!(of(&[("runs", "2"), ("interval", "-5")]), None);
        assert_eq!(of(&[("interval", "0")]), Some(None), "a client that sends all fields");
    }

    fn asks(name: &str, kind: TargetName, parameter: Option<PanelParameter>) -> AskedTarget {
        AskedTarget {
            name: name.to_owned(),
            kind,
            parameter,
            placeholder: None,
            view_type: ViewType::Textarea,
            is_required: true,
            values: vec![],
        }
    }

    #[test]
    fn what_a_service_does_not_take_is_refused() {
        let comments = [asks("Your comments", TargetName::Comment, None)];
        let takes = |fields: &[_], targets: &[AskedTarget], drip_feed_is_allowed, runs| {
            let kind = PanelServiceType::Default;
            let asked =
                SoldService { kind, targets: targets.to_vec(), drip_feed_is_allowed, bounds: (1, 10) };
            check_fields(&call(fields), &asked, runs).is_ok()
        };
        assert!(takes(&[("comments", "a"), ("colour", "red"), ("posts", "0")], &comments, false, None));
        assert!(!takes(&[("comments", "a")], &[], false, None));
        assert!(!takes(&[("usernames", "a")], &comments, false, None));
        assert!(!takes(&[("posts", "5")], &comments, false, None));
        assert!(!takes(&[], &[], false, Some(2)) && takes(&[], &[], true, Some(2)));
        assert!(!takes(&[("speedup", "1")], &[], true, Some(2)));
        assert!(takes(&[("comments", "a")], &comments, true, Some(2)), "each run has the same comments");
        let names = [asks("Names", TargetName::Keyword, Some(PanelParameter::Usernames))];
        assert!(takes(&[("usernames", "a")], &names, false, None));
        assert!(!takes(&[("hashtag", "a")], &names, false, None), "a target with a parameter takes no other");
    }

    #[test]
    fn what_the_service_asks_is_answered_and_nothing_else_is_kept() {
        let asked =
            [asks("Your comments", TargetName::Comment, None), asks("city", TargetName::Keyword, None)];
        let kept = targets(
            &call(&[("comments", "a"), ("city", "Bonn"), ("keyword", "x"), ("colour", "red")]),
            &asked,
        );
        assert_eq!(kept, [("Your comments".into(), "a".into()), ("city".to_owned(), "Bonn".to_owned())]);
        assert!(targets(&call(&[("comments", "")]), &asked).is_empty());
        let named = [asks("Account", TargetName::Keyword, Some(PanelParameter::Username))];
        assert!(targets(&call(&[("hashtag", "x")]), &named).is_empty(), "only its own field answers it");
        assert_eq!(targets(&call(&[("username", "@a")]), &named), [("Account".to_owned(), "@a".to_owned())]);
    }
}
