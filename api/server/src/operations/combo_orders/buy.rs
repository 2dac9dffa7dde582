//! Buys a package: places all its orders if the customer can pay all of them, and otherwise none.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::combo_orders::ComboStatus;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ComboOrderId, PackageId, ServiceId, UserId};
use panel_contract::orders::{OrderSource, OrderStatus};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::store::{self, NewComboRow};
use crate::catalogue::targets::service_targets::{self, Answer, OrderedService};
use crate::operations::orders::edit;
use crate::operations::orders::place::{NewOrder, OrderParent, place};
use crate::pricing::quote::{PriceChange, PriceModifier};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::work::UnitOfWork;

/// Maximum number of orders of one package.
const MAX_ORDERS: usize = 50;

#[derive(Debug, Clone)]
pub struct NewCombo {
    pub user_id: UserId,
    pub url: String,
    pub source: OrderSource,
    /// Id, name and type of the package. The id is `None` for a package that is not stored.
    pub package: (Option<PackageId>, String, String),
    /// The services of the package and their quantities.
    pub parts: Vec<(ServiceId, i64)>,
    /// The values of the targets (name and value) by service.
    pub targets: BTreeMap<ServiceId, Vec<(String, String)>>,
    /// Whether the combo order needs moderation even if its services do not.
    pub is_moderated: bool,
}

/// Buys a package at the prices of its services. If the balance is too low for one of the orders, buys nothing and returns a 422
/// for the field `balance`.
pub async fn buy(work: &mut UnitOfWork, new: &NewCombo) -> Result<ComboOrderId> {
    buy_at_costs(work, new, &[]).await
}

/// Like [`buy`], but the orders have the costs `agreed_costs`, in the order of `parts`. A part without an agreed cost has the price
/// of its service.
pub async fn buy_at_costs(
    work: &mut UnitOfWork,
    new: &NewCombo,
    agreed_costs: &[Money],
) -> Result<ComboOrderId> {
    edit::check_url(&new.url)?;
    if new.parts.is_empty() || new.parts.len() > MAX_ORDERS {
        return Err(FieldErrors::single("parts", format!("Choose 1 to {MAX_ORDERS} services.")).into());
    }
    let mut answers = validate_answers(work, new).await?;
    let (package_id, name, kind) = &new.package;
    let orders_count = i64::try_from(new.parts.len()).unwrap_or(0);
    let row = NewComboRow {
        user_id: new.user_id,
        url: new.url.trim(),
        source: new.source,
        package: (*package_id, name, kind),
        orders_count,
    };
    let id = store::insert(work, &row).await?;
    let mut needs_moderation = false;
    for (index, (service_id, quantity)) in new.parts.iter().enumerate() {
        let order_without_options = NewOrder::without_options(new.user_id, *service_id, &new.url, *quantity);
        let (parent, source) = (Some(OrderParent::ComboOrder(id)), OrderSource::Package);
        let modifiers =
            agreed_costs.get(index).map(|cost| agreed_cost_modifier(new, *cost)).into_iter().collect();
        let validated_answers = answers.get_mut(index).map(std::mem::take);
        let is_moderated = new.is_moderated;
        let order =
            NewOrder { source, parent, modifiers, validated_answers, is_moderated, ..order_without_options };
        let placed_order = place(work, &order).await?;
        if placed_order.status == OrderStatus::Unpaid {
            let message = "The balance does not cover every order of the package.";
            return Err(Error::invalid("balance", "not_enough_balance", message));
        }
        needs_moderation |= placed_order.status == OrderStatus::InModeration;
    }
    if needs_moderation {
        store::hold_for_moderation(work, id)
            .await?
            .or_conflict(store::CONCURRENT_CHANGE.0, store::CONCURRENT_CHANGE.1)?;
    }
    let status = if needs_moderation { ComboStatus::InModeration } else { ComboStatus::InProcessing };
    let new_values = json!({ "status": status, "orders_count": orders_count, "user_id": new.user_id });
    audit::record(
        work,
        "combo_order.placed",
        "combo_order",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    Ok(id)
}

/// Validates the target values of each service, in the order of the parts. An error names each invalid field with the id of its
/// service, such as `targets.17.Comments`.
async fn validate_answers(work: &mut UnitOfWork, new: &NewCombo) -> Result<Vec<Vec<Answer>>> {
    let mut errors = FieldErrors::default();
    for service_id in
        new.targets.keys().filter(|id| new.parts.iter().all(|(service_id, _)| service_id != *id))
    {
        errors
            .add(format!("targets.{service_id}"), "The package does not include this service. Leave it out.");
    }
    let mut all_answers = Vec::with_capacity(new.parts.len());
    for (service_id, quantity) in &new.parts {
        let ordered_service = OrderedService { service_id: *service_id, quantity: *quantity };
        let values = new.targets.get(service_id).map(Vec::as_slice).unwrap_or_default();
        match service_targets::validate_answers(work, ordered_service, values).await {
            Ok(answers) => all_answers.push(answers),
            Err(Error::Rejected(rejection)) if rejection.has_field_errors() => {
                add_service_errors(&mut errors, *service_id, rejection.errors);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(errors.into_result(all_answers)?)
}

/// Adds the errors of one service. The field names get the id of the service.
fn add_service_errors(errors: &mut FieldErrors, service_id: ServiceId, service_errors: FieldErrors) {
    for (field, messages) in service_errors.0 {
        let field = match field.strip_prefix("targets.") {
            Some(name) => format!("targets.{service_id}.{name}"),
            None => format!("targets.{service_id}"),
        };
        messages.into_iter().for_each(|message| errors.add(field.clone(), message));
    }
}

/// Builds the price modifier that sets the cost of an order to its share of the price of the package.
fn agreed_cost_modifier(new: &NewCombo, cost: Money) -> PriceModifier {
    let (id, name, _) = new.package.clone();
    let id = id.map(PackageId::as_record_id);
    let change = PriceChange::PrepaidCost(cost);
    PriceModifier {
        id,
        name,
        kind: "package".to_owned(),
        change,
        is_speedup: false,
        is_country_restricted: false,
    }
}
