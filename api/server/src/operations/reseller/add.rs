//! The action `add` of the reseller API. The customer is charged and the order inserted in one transaction; a rejected order
//! changes nothing.

use panel_contract::ids::{OrderId, OrderWidgetId, ServiceId, UserId};
use panel_contract::order_requests::ResellerRequest;
use panel_contract::orders::OrderSource;
use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, QuantitySource, non_empty_lines,
};
use panel_contract::payments::BalanceType;
use panel_contract::targets::RequestedTarget;
use panel_kernel::error::Result;
use serde_json::{Value, json};

use super::customer::Customer;
use super::parameters::{self, AddKind, answer_fields, parse_bool_field};
use super::protocol::{self, RequestedQuantity, field, parse_id, parse_number, parse_number_field};
use super::subscribe;
use crate::catalogue::targets::service_targets;
use crate::context::Ctx;
use crate::marketing::order_widgets::widget_orders;
use crate::operations::drip_feeds::run::{self, NewDripFeed};
use crate::operations::orders::create::{self, place_paid};
use crate::operations::orders::place::NewOrder;
use crate::operations::users::CHILD_PANEL;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// `add`: places one order, starts a drip-feed and places its first run at once, or starts a subscription.
pub(super) async fn add(ctx: &Ctx, customer: &Customer, call: &ResellerRequest) -> Result<Value> {
    if subscribe::is_subscription(call) {
        let mut work = ctx.begin().await?;
        let id = subscribe::add(&mut work, customer, call).await?;
        return work.finish(json!({ "order": id })).await;
    }
    let service_id =
        parse_id(field(call, "service")).ok_or_else(|| protocol::reseller_error("Incorrect service ID"))?;
    // The service is loaded before the transaction begins, so that the transaction is short.
    let service = load_reseller_service(&mut ctx.db(), customer.id, service_id).await?;
    let result = place(ctx, customer, call, (service_id, service.as_ref())).await;
    result.map_err(|error| {
        let requested_quantity = service.as_ref().and_then(|service| {
            let quantity = parse_quantity(call, service.kind, None)?;
            Some(RequestedQuantity { quantity, min: service.min_quantity, max: service.max_quantity })
        });
        protocol::order_error(error, requested_quantity)
    })
}

/// Places one order or a drip-feed. `service` is `None` if this customer may not order it.
async fn place(
    ctx: &Ctx,
    customer: &Customer,
    call: &ResellerRequest,
    (service_id, service): (ServiceId, Option<&ResellerService>),
) -> Result<Value> {
    let (runs, country) = (parse_runs(call)?, protocol::parse_country(call)?);
    let mut work = ctx.begin().await?;
    if let Some(service) = service {
        check_fields(call, service, runs)?;
    }
    let widget = find_widget(&mut work, call).await?;
    let default_quantity = match &widget {
        Some(_) => widget_orders::load_default_quantity(&mut work, service_id).await?,
        None => None,
    };
    let service = service.ok_or_else(|| protocol::reseller_error("Incorrect service ID"))?;
    let quantity = parse_quantity(call, service.kind, default_quantity)
        .ok_or_else(|| protocol::reseller_error("Incorrect quantity"))?;
    let child_id = parse_child_id(&mut work, customer.id, call).await?;
    let base_order = NewOrder {
        country,
        child_id,
        targets: target_values(call, &service.targets),
        ..NewOrder::without_options(customer.id, service_id, field(call, "link"), quantity)
    };
    let id = match runs {
        Some(runs) => add_drip_feed(&mut work, call, base_order, runs).await?,
        None => add_order(&mut work, call, NewOrder { widget, ..base_order }).await?,
    };
    work.finish(json!({ "order": id })).await
}

async fn add_drip_feed(
    work: &mut UnitOfWork,
    call: &ResellerRequest,
    order: NewOrder,
    runs: i64,
) -> Result<OrderId> {
    let feed = NewDripFeed {
        user_id: order.user_id,
        service_id: order.service_id,
        url: order.url,
        quantity: order.quantity,
        runs,
        minutes_between_runs: parse_number_field(call, "interval", 1, 0)?,
        country: order.country,
        paying_balance: BalanceType::Main,
        targets: order.targets,
    };
    let feed_id = run::start(work, &feed).await?;
    let first_run = run::place_due_run(work, feed_id).await?;
    first_run.map(|placed_order| placed_order.id).ok_or_else(|| protocol::reseller_error("Incorrect request"))
}

async fn add_order(work: &mut UnitOfWork, call: &ResellerRequest, base_order: NewOrder) -> Result<OrderId> {
    let is_from_widget = base_order.widget.is_some();
    let new = NewOrder {
        source: if is_from_widget { OrderSource::OrderWidget } else { OrderSource::PerfectPanelApi },
        speedup: parse_bool_field(call, "speedup")?,
        guarantee: parse_bool_field(call, "guarantee")?,
        coupon: create::parse_coupon_code(Some(field(call, "coupon"))),
        ..base_order
    };
    Ok(place_paid(work, &new).await?.id)
}

// Rules

/// Returns the quantity of an order. A package has the quantity 1. Otherwise it is the field `quantity`; if this field is empty,
/// the number of lines in the field that the type of the service counts; if there are none, the default quantity of the widget.
fn parse_quantity(
    call: &ResellerRequest,
    kind: PanelServiceType,
    default_quantity: Option<i64>,
) -> Option<i64> {
    match (field(call, "quantity"), kind.quantity_source()) {
        (_, QuantitySource::SinglePackage) => Some(1),
        ("", source) => {
            let counted_field = match source {
                QuantitySource::LinesOf(parameter) => parameter,
                _ => PanelParameter::Comments,
            };
            let lines = non_empty_lines(field(call, counted_field.as_str())).count();
            i64::try_from(lines).ok().filter(|lines| *lines > 0).or(default_quantity)
        }
        (text, _) => parse_number(text),
    }
}

/// Returns the number of runs of a drip-feed; `None` for a single order.
fn parse_runs(call: &ResellerRequest) -> Result<Option<i64>> {
    let runs = parse_number_field(call, "runs", 1, 1)?;
    let interval = parse_number_field(call, "interval", 0, 0)?;
    if interval > 0 && field(call, "runs").is_empty() {
        return Err(protocol::reseller_error("Send interval only together with runs"));
    }
    Ok((runs > 1).then_some(runs))
}

/// Rejects parameters that the service or the kind of order does not accept.
fn check_fields(call: &ResellerRequest, service: &ResellerService, runs: Option<i64>) -> Result<()> {
    let kind = if runs.is_some() { AddKind::DripFeed } else { AddKind::Order };
    if kind == AddKind::DripFeed && !service.drip_feed_is_allowed {
        return Err(protocol::reseller_error("This service takes no runs"));
    }
    parameters::check_parameters(call, kind, Some(service))
}

/// Returns the values for the targets of the service. Other fields are ignored.
fn target_values(call: &ResellerRequest, targets: &[RequestedTarget]) -> Vec<(String, String)> {
    let value = |target: &RequestedTarget| {
        let text = first_non_empty(call, answer_fields(target))?;
        Some((target.name.clone(), text.to_owned()))
    };
    targets.iter().filter_map(value).collect()
}

fn first_non_empty<'c, 'n>(
    call: &'c ResellerRequest,
    mut names: impl Iterator<Item = &'n str>,
) -> Option<&'c str> {
    names.find_map(|name| Some(field(call, name)).filter(|text| !text.is_empty()))
}

// Store

/// Finds the order widget by the token in the call.
async fn find_widget(work: &mut UnitOfWork, call: &ResellerRequest) -> Result<Option<OrderWidgetId>> {
    let token = field(call, "order_widget");
    if token.is_empty() {
        return Ok(None);
    }
    let widget = widget_orders::load_by_token(work, token).await?;
    widget.map(|widget| Some(widget.id)).ok_or_else(|| protocol::reseller_error("Incorrect order widget"))
}

/// Parses the id that the order has in a child panel. Our product sends this id to every external panel, so the id is ignored
/// unless the customer is a child panel.
async fn parse_child_id(
    work: &mut UnitOfWork,
    user_id: UserId,
    call: &ResellerRequest,
) -> Result<Option<i64>> {
    let id = parse_number_field(call, "child_id", 0, 0)?;
    if id == 0 {
        return Ok(None);
    }
    let sql = Sql::new("SELECT account_type = ? FROM users WHERE id = ?").bind(CHILD_PANEL).bind(user_id);
    let (is_child_panel,): (bool,) = work.fetch_one(sql).await?;
    Ok(is_child_panel.then_some(id))
}

/// The properties of a service that decide which requests can order it.
#[derive(Debug)]
pub(super) struct ResellerService {
    /// The type of the service in the reseller API.
    pub(super) kind: PanelServiceType,
    /// Targets whose value the customer must or may send. Targets with a fixed value are omitted.
    pub(super) targets: Vec<RequestedTarget>,
    pub(super) drip_feed_is_allowed: bool,
    /// Minimum quantity of one order.
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
}

/// Loads a service; `None` if the customer may not order it with this API. `place` checks whether the service is on sale.
pub(super) async fn load_reseller_service(
    db: &mut impl SqlExecutor,
    user_id: UserId,
    service: ServiceId,
) -> Result<Option<ResellerService>> {
    let sql = Sql::new(
        "SELECT s.drip_feed_is_allowed, s.min_quantity, s.max_quantity FROM services s WHERE s.id = ? AND s.api_access AND (NOT s.restricted_access
           OR EXISTS (SELECT 1 FROM user_services own WHERE own.service_id = s.id AND own.user_id = ?))",
    );
    let row: Option<(bool, i64, i64)> = db.fetch_optional(sql.bind(service).bind(user_id)).await?;
    let Some((drip_feed_is_allowed, min_quantity, max_quantity)) = row else { return Ok(None) };
    let form = service_targets::load_order_forms(db, &[service]).await?.remove(&service);
    Ok(form.map(|form| ResellerService {
        kind: form.kind,
        targets: form.targets,
        drip_feed_is_allowed,
        min_quantity,
        max_quantity,
    }))
}

#[cfg(test)]
mod tests {
    use panel_contract::targets::{TargetName, ViewType};

    use super::*;

    fn call(fields: &[(&str, &str)]) -> ResellerRequest {
        ResellerRequest(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    #[test]
    fn the_quantity_defaults_to_the_number_of_comments() {
        let quantity_of = |kind, fields: &[(&str, &str)], widget_quantity| {
            parse_quantity(&call(fields), kind, widget_quantity)
        };
        let default = PanelServiceType::Default;
        assert_eq!(quantity_of(default, &[("comments", "Nice\n\n Great \r\n")], None), Some(2));
        assert_eq!(quantity_of(default, &[("comments", "a\nb"), ("quantity", "5")], Some(9)), Some(5));
        assert_eq!(
            [quantity_of(default, &[], None), quantity_of(default, &[("quantity", "x")], Some(9))],
            [None, None]
        );
        assert_eq!(
            quantity_of(default, &[], Some(9)),
            Some(9),
            "the default quantity of the widget must apply"
        );
        let names = [("usernames", "a\nb\nc"), ("comments", "x")];
        assert_eq!(quantity_of(PanelServiceType::MentionsCustomList, &names, None), Some(3));
        assert_eq!(quantity_of(PanelServiceType::Package, &[("quantity", "5")], None), Some(1));
    }

    #[test]
    fn runs_are_one_or_more() {
        let runs_of = |fields: &[_]| parse_runs(&call(fields)).ok();
        assert_eq!(
            [runs_of(&[]), runs_of(&[("runs", "1")]), runs_of(&[("runs", "2")])],
            [Some(None), Some(None), Some(Some(2))]
        );
        for invalid in ["0", "-1", "x", "1.5"] {
            assert_eq!(runs_of(&[("runs", invalid)]), None, "{invalid}");
        }
        assert_eq!(runs_of(&[("interval", "5")]), None, "an interval without runs must be rejected");
        assert_eq!(runs_of(&[("runs", "2"), ("interval", "-5")]), None);
        assert_eq!(
            runs_of(&[("interval", "0")]),
            Some(None),
            "clients that send all fields must be accepted"
        );
    }

    fn target(name: &str, kind: TargetName, parameter: Option<PanelParameter>) -> RequestedTarget {
        RequestedTarget {
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
    fn rejects_parameters_that_the_service_does_not_accept() {
        let comments = [target("Your comments", TargetName::Comment, None)];
        let accepts = |fields: &[_], targets: &[RequestedTarget], drip_feed_is_allowed, runs| {
            let kind = PanelServiceType::Default;
            let service = ResellerService {
                kind,
                targets: targets.to_vec(),
                drip_feed_is_allowed,
                min_quantity: 1,
                max_quantity: 10,
            };
            check_fields(&call(fields), &service, runs).is_ok()
        };
        assert!(accepts(&[("comments", "a"), ("colour", "red"), ("posts", "0")], &comments, false, None));
        assert!(!accepts(&[("comments", "a")], &[], false, None));
        assert!(!accepts(&[("usernames", "a")], &comments, false, None));
        assert!(!accepts(&[("posts", "5")], &comments, false, None));
        assert!(!accepts(&[], &[], false, Some(2)) && accepts(&[], &[], true, Some(2)));
        assert!(!accepts(&[("speedup", "1")], &[], true, Some(2)));
        assert!(accepts(&[("comments", "a")], &comments, true, Some(2)), "each run has the same comments");
        let names = [target("Names", TargetName::Keyword, Some(PanelParameter::Usernames))];
        assert!(accepts(&[("usernames", "a")], &names, false, None));
        assert!(
            !accepts(&[("hashtag", "a")], &names, false, None),
            "a target with a parameter accepts no other field"
        );
    }

    #[test]
    fn reads_only_the_values_of_the_service_targets() {
        let targets =
            [target("Your comments", TargetName::Comment, None), target("city", TargetName::Keyword, None)];
        let values = target_values(
            &call(&[("comments", "a"), ("city", "Bonn"), ("keyword", "x"), ("colour", "red")]),
            &targets,
        );
        assert_eq!(values, [("Your comments".into(), "a".into()), ("city".to_owned(), "Bonn".to_owned())]);
        assert!(target_values(&call(&[("comments", "")]), &targets).is_empty());
        let account = [target("Account", TargetName::Keyword, Some(PanelParameter::Username))];
        assert!(
            target_values(&call(&[("hashtag", "x")]), &account).is_empty(),
            "only the field of its parameter holds its value"
        );
        assert_eq!(
            target_values(&call(&[("username", "@a")]), &account),
            [("Account".to_owned(), "@a".to_owned())]
        );
    }
}
