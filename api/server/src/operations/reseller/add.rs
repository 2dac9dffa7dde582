//! The action `add`. An order is charged and inserted in one transaction; a refused order changes nothing.

use panel_contract::ids::{OrderId, OrderWidgetId, ServiceId, UserId};
use panel_contract::intake::ResellerCall;
use panel_contract::orders::OrderSource;
use panel_contract::panel_service_types::{PanelParameter, PanelServiceType, QuantitySource, lines};
use panel_contract::payments::BalanceType;
use panel_contract::targets::AskedTarget;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use super::customer::Customer;
use super::parameters::{self, AddKind, answer_fields, flag};
use super::protocol::{self, field, id, number, number_from};
use super::subscribe;
use crate::catalogue::targets::asked;
use crate::context::Ctx;
use crate::marketing::order_widgets::intake;
use crate::operations::drip_feeds::run::{self, NewDripFeed};
use crate::operations::orders::create::{self, place_paid};
use crate::operations::orders::place::NewOrder;
use crate::operations::users::CHILD_PANEL;
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// `add`: one order, a drip-feed whose first run is placed at once, or a subscription.
pub(super) async fn add(ctx: &Ctx, customer: &Customer, call: &ResellerCall) -> Result<Value> {
    if subscribe::is_subscription(call) {
        let mut work = ctx.begin().await?;
        let id = subscribe::add(&mut work, customer, call).await?;
        return work.finish(json!({ "order": id })).await;
    }
    let service = id(field(call, "service")).ok_or_else(|| protocol::refused("Incorrect service ID"))?;
    // Read before the transaction begins, to keep the transaction short.
    let sold = load_sold_service(&mut ctx.db(), customer.id, service).await?;
    let placed = place(ctx, customer, call, (service, sold.as_ref())).await;
    placed.map_err(|error| {
        let ordered =
            sold.as_ref().and_then(|sold| Some((parse_quantity(call, sold.kind, None)?, sold.bounds)));
        protocol::refused_order(error, ordered)
    })
}

/// Places one order or a drip-feed. `sold` is `None` if this customer may not order the service.
async fn place(
    ctx: &Ctx,
    customer: &Customer,
    call: &ResellerCall,
    (service, sold): (ServiceId, Option<&SoldService>),
) -> Result<Value> {
    let (runs, country) = (parse_runs(call)?, protocol::country(call)?);
    let mut work = ctx.begin().await?;
    if let Some(sold) = sold {
        check_fields(call, sold, runs)?;
    }
    let widget = find_widget(&mut work, call).await?;
    let default_quantity = match &widget {
        Some(_) => intake::default_quantity(&mut work, service).await?,
        None => None,
    };
    let sold = sold.ok_or_else(|| protocol::refused("Incorrect service ID"))?;
    let quantity = parse_quantity(call, sold.kind, default_quantity)
        .ok_or_else(|| protocol::refused("Incorrect quantity"))?;
    let child_id = parse_child_id(&mut work, customer.id, call).await?;
    let plain = NewOrder {
        country,
        child_id,
        targets: target_values(call, &sold.targets),
        ..NewOrder::plain(customer.id, service, field(call, "link"), quantity)
    };
    let id = match runs {
        Some(runs) => add_drip_feed(&mut work, call, plain, runs).await?,
        None => add_order(&mut work, call, NewOrder { widget, ..plain }).await?,
    };
    work.finish(json!({ "order": id })).await
}

async fn add_drip_feed(
    work: &mut UnitOfWork,
    call: &ResellerCall,
    plain: NewOrder,
    runs: i64,
) -> Result<OrderId> {
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
    first.map(|placed| placed.id).ok_or_else(|| protocol::refused("Incorrect request"))
}

async fn add_order(work: &mut UnitOfWork, call: &ResellerCall, plain: NewOrder) -> Result<OrderId> {
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

/// The quantity: one package, the given number, one for each line of the counted field, or the default quantity of the widget.
fn parse_quantity(call: &ResellerCall, kind: PanelServiceType, default_quantity: Option<i64>) -> Option<i64> {
    match (field(call, "quantity"), kind.quantity()) {
        (_, QuantitySource::One) => Some(1),
        ("", source) => {
            let counted = match source {
                QuantitySource::LinesOf(parameter) => parameter,
                _ => PanelParameter::Comments,
            };
            let lines = lines(field(call, counted.as_str())).count();
            i64::try_from(lines).ok().filter(|lines| *lines > 0).or(default_quantity)
        }
        (text, _) => number(text),
    }
}

/// The number of runs of a drip-feed; `None` for a single order.
fn parse_runs(call: &ResellerCall) -> Result<Option<i64>> {
    let runs = number_from(call, "runs", 1, 1)?;
    let interval = number_from(call, "interval", 0, 0)?;
    if interval > 0 && field(call, "runs").is_empty() {
        return Err(protocol::refused("An interval goes with runs; send both or none"));
    }
    Ok((runs > 1).then_some(runs))
}

/// Refuses parameters of this API that the service, or the kind of order, does not accept.
fn check_fields(call: &ResellerCall, sold: &SoldService, runs: Option<i64>) -> Result<()> {
    let kind = if runs.is_some() { AddKind::DripFeed } else { AddKind::Order };
    if kind == AddKind::DripFeed && !sold.drip_feed_is_allowed {
        return Err(protocol::refused("This service takes no runs"));
    }
    parameters::check(call, kind, Some(sold))
}

/// The values of the call for the targets of the service. Other fields are ignored.
fn target_values(call: &ResellerCall, targets: &[AskedTarget]) -> Vec<(String, String)> {
    let value = |target: &AskedTarget| {
        let text = first_non_empty(call, answer_fields(target))?;
        Some((target.name.clone(), text.to_owned()))
    };
    targets.iter().filter_map(value).collect()
}

fn first_non_empty<'c, 'n>(
    call: &'c ResellerCall,
    mut names: impl Iterator<Item = &'n str>,
) -> Option<&'c str> {
    names.find_map(|name| Some(field(call, name)).filter(|text| !text.is_empty()))
}

// Store

/// Finds the order widget by the token in the call.
async fn find_widget(work: &mut UnitOfWork, call: &ResellerCall) -> Result<Option<OrderWidgetId>> {
    let token = field(call, "order_widget");
    if token.is_empty() {
        return Ok(None);
    }
    let widget = intake::find_by_token(work, token).await?;
    widget.map(|widget| Some(widget.id)).ok_or_else(|| protocol::refused("Incorrect order widget"))
}

/// The id that a child panel uses for the order. Panels of this product send it to every panel, so it is ignored unless the customer
/// is a child panel.
async fn parse_child_id(work: &mut UnitOfWork, user: UserId, call: &ResellerCall) -> Result<Option<i64>> {
    let id = number_from(call, "child_id", 0, 0)?;
    if id == 0 {
        return Ok(None);
    }
    let sql = Sql::new("SELECT account_type = ? FROM users WHERE id = ?").bind(CHILD_PANEL).bind(user);
    let (is_child_panel,): (bool,) = work.one(sql).await?;
    Ok(is_child_panel.then_some(id))
}

/// How a service is sold by this API.
#[derive(Debug)]
pub(super) struct SoldService {
    /// The service type in the terms of the reseller API.
    pub(super) kind: PanelServiceType,
    /// Targets that the customer must or may supply, without those with a fixed value.
    pub(super) targets: Vec<AskedTarget>,
    pub(super) drip_feed_is_allowed: bool,
    /// Smallest and largest quantity of an order.
    pub(super) bounds: (i64, i64),
}

/// Loads how a service is sold; `None` if this customer may not order it by this API. `place` checks whether it is on sale at all.
pub(super) async fn load_sold_service(
    db: &mut impl Source,
    user: UserId,
    service: ServiceId,
) -> Result<Option<SoldService>> {
    let sql = Sql::new(
        "SELECT s.drip_feed_is_allowed, s.min_quantity, s.max_quantity FROM services s WHERE s.id = ? AND s.api_access AND (NOT s.restricted_access
           OR EXISTS (SELECT 1 FROM user_services own WHERE own.service_id = s.id AND own.user_id = ?))",
    );
    let row: Option<(bool, i64, i64)> = db.opt(sql.bind(service).bind(user)).await?;
    let Some((drip_feed_is_allowed, least, most)) = row else { return Ok(None) };
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
    fn the_quantity_defaults_to_the_number_of_comments() {
        let of = |kind, fields: &[(&str, &str)], default| parse_quantity(&call(fields), kind, default);
        let plain = PanelServiceType::Default;
        assert_eq!(of(plain, &[("comments", "Nice\n\n Great \r\n")], None), Some(2));
        assert_eq!(of(plain, &[("comments", "a\nb"), ("quantity", "5")], Some(9)), Some(5));
        assert_eq!([of(plain, &[], None), of(plain, &[("quantity", "x")], Some(9))], [None, None]);
        assert_eq!(of(plain, &[], Some(9)), Some(9), "the default quantity of the widget");
        let names = [("usernames", "a\nb\nc"), ("comments", "x")];
        assert_eq!(of(PanelServiceType::MentionsCustomList, &names, None), Some(3));
        assert_eq!(of(PanelServiceType::Package, &[("quantity", "5")], None), Some(1));
    }

    #[test]
    fn runs_are_one_or_more() {
        let of = |fields: &[_]| parse_runs(&call(fields)).ok();
        assert_eq!(
            [of(&[]), of(&[("runs", "1")]), of(&[("runs", "2")])],
            [Some(None), Some(None), Some(Some(2))]
        );
        for wrong in ["0", "-1", "x", "1.5"] {
            assert_eq!(of(&[("runs", wrong)]), None, "{wrong}");
        }
        assert_eq!(of(&[("interval", "5")]), None, "an interval without runs");
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
    fn refuses_parameters_that_the_service_does_not_accept() {
        let comments = [asks("Your comments", TargetName::Comment, None)];
        let takes = |fields: &[_], targets: &[AskedTarget], drip_feed_is_allowed, runs| {
            let kind = PanelServiceType::Default;
            let sold = SoldService { kind, targets: targets.to_vec(), drip_feed_is_allowed, bounds: (1, 10) };
            check_fields(&call(fields), &sold, runs).is_ok()
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
        assert!(
            !takes(&[("hashtag", "a")], &names, false, None),
            "a target with a parameter accepts no other field"
        );
    }

    #[test]
    fn reads_only_the_values_of_the_service_targets() {
        let targets =
            [asks("Your comments", TargetName::Comment, None), asks("city", TargetName::Keyword, None)];
        let values = target_values(
            &call(&[("comments", "a"), ("city", "Bonn"), ("keyword", "x"), ("colour", "red")]),
            &targets,
        );
        assert_eq!(values, [("Your comments".into(), "a".into()), ("city".to_owned(), "Bonn".to_owned())]);
        assert!(target_values(&call(&[("comments", "")]), &targets).is_empty());
        let named = [asks("Account", TargetName::Keyword, Some(PanelParameter::Username))];
        assert!(
            target_values(&call(&[("hashtag", "x")]), &named).is_empty(),
            "only its own field answers it"
        );
        assert_eq!(
            target_values(&call(&[("username", "@a")]), &named),
            [("Account".to_owned(), "@a".to_owned())]
        );
    }
}
