//! Buying a package: its orders are placed together, all of them paid, or none.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::combo_orders::ComboStatus;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ComboOrderId, PackageId, ServiceId, UserId};
use panel_contract::orders::{OrderSource, OrderStatus};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use super::store::{self, NewComboRow};
use crate::catalogue::targets::asked::{self, Answer, Asking};
use crate::operations::orders::edit;
use crate::operations::orders::place::{NewOrder, Parent, place};
use crate::pricing::quote::{Modifier, PriceChange};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::work::Work;

/// Orders of one package.
const MOST: usize = 50;

/// A package to be bought.
#[derive(Debug, Clone)]
pub struct NewCombo {
    /// The customer.
    pub user_id: UserId,
    /// Where to deliver.
    pub url: String,
    /// Where it comes from.
    pub source: OrderSource,
    /// The package's id, name and kind.
    pub package: (Option<PackageId>, String, String),
    /// Services and how many of each.
    pub parts: Vec<(ServiceId, i64)>,
    /// Values of the services' targets, name and value, by service.
    pub targets: BTreeMap<ServiceId, Vec<(String, String)>>,
    /// Staff look at it first, whatever its services say.
    pub is_moderated: bool,
}

/// Buys it at the services' prices. An order that the balance cannot pay refuses the whole, 422 on `balance`.
pub async fn buy(work: &mut Work, new: &NewCombo) -> Result<ComboOrderId> {
    buy_at(work, new, &[]).await
}

/// Buys it where each part costs what was agreed, in the order of the parts; those beyond the list at the services'
/// prices.
pub async fn buy_at(work: &mut Work, new: &NewCombo, agreed: &[Money]) -> Result<ComboOrderId> {
    edit::url(&new.url)?;
    if new.parts.is_empty() || new.parts.len() > MOST {
        return Err(FieldErrors::one("parts", format!("Choose 1 to {MOST} services.")).into());
    }
    let mut answers = answers(work, new).await?;
    let (package_id, name, kind) = &new.package;
    let count = i64::try_from(new.parts.len()).unwrap_or(0);
    let row = NewComboRow {
        user_id: new.user_id,
        url: new.url.trim(),
        source: new.source,
        package: (*package_id, name, kind),
        orders_count: count,
    };
    let id = store::insert(work, &row).await?;
    let mut waits = false;
    for (at, (service_id, quantity)) in new.parts.iter().enumerate() {
        let plain = NewOrder::plain(new.user_id, *service_id, &new.url, *quantity);
        let (parent, source) = (Some(Parent::ComboOrder(id)), OrderSource::Package);
        let modifiers = agreed.get(at).map(|cost| commission_share(new, *cost)).into_iter().collect();
        let agreed_answers = answers.get_mut(at).map(std::mem::take);
        let is_moderated = new.is_moderated;
        let order = NewOrder { source, parent, modifiers, agreed_answers, is_moderated, ..plain };
        let placed = place(work, &order).await?;
        if placed.status == OrderStatus::Unpaid {
            let message = "The balance does not cover every order of the package.";
            return Err(Error::invalid("balance", "not_enough_balance", message));
        }
        waits |= placed.status == OrderStatus::InModeration;
    }
    if waits {
        store::hold_for_moderation(work, id).await?.or_conflict(store::CHANGED.0, store::CHANGED.1)?;
    }
    let status = if waits { ComboStatus::InModeration } else { ComboStatus::InProcessing };
    let shown = json!({ "status": status, "orders_count": count, "user_id": new.user_id });
    audit::record(
        work,
        "combo_order.placed",
        "combo_order",
        Change { id: id.record(), old: json!({}), new: shown },
    )
    .await?;
    Ok(id)
}

/// What the customer answered to each service, in the order of the parts. All that is wrong is named at once, with its
/// service: `targets.17.Comments`.
async fn answers(work: &mut Work, new: &NewCombo) -> Result<Vec<Vec<Answer>>> {
    let mut errors = FieldErrors::default();
    for service in new.targets.keys().filter(|id| new.parts.iter().all(|(part, _)| part != *id)) {
        errors.add(format!("targets.{service}"), "The package does not have this service; leave it out.");
    }
    let mut all = Vec::with_capacity(new.parts.len());
    for (service_id, quantity) in &new.parts {
        let asking = Asking { service_id: *service_id, quantity: *quantity };
        let given = new.targets.get(service_id).map(Vec::as_slice).unwrap_or_default();
        match asked::judge(work, asking, given).await {
            Ok(answers) => all.push(answers),
            Err(Error::Rejected(rejection)) if rejection.names_fields() => {
                name(&mut errors, *service_id, rejection.errors);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(errors.or(all)?)
}

fn name(errors: &mut FieldErrors, service: ServiceId, found: FieldErrors) {
    for (field, messages) in found.0 {
        let field = match field.strip_prefix("targets.") {
            Some(name) => format!("targets.{service}.{name}"),
            None => format!("targets.{service}"),
        };
        messages.into_iter().for_each(|message| errors.add(field.clone(), message));
    }
}

/// What makes an order cost its share of the package.
fn commission_share(new: &NewCombo, cost: Money) -> Modifier {
    let (id, name, _) = new.package.clone();
    let id = id.map(PackageId::record);
    let change = PriceChange::To(cost);
    Modifier { id, name, kind: "package".to_owned(), change, is_speedup: false, has_countries: false }
}
