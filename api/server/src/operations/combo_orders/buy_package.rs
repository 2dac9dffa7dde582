//! Buying a package: a combo order whose orders together cost what the package costs, to the last step. What a customer's own
//! discount takes off packages comes off the whole.

use std::collections::BTreeMap;

use panel_contract::amount::Money;
use panel_contract::combo_orders::ComboOrder;
use panel_contract::common::Data;
use panel_contract::endpoints::packages::BuyPackage;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{ComboOrderId, PackageId, ServiceId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::packages::{BuyPackageInput, PackageType};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;

use crate::catalogue::packages::cost::{self, Content};
use crate::catalogue::packages::draft::Draft;
use crate::catalogue::packages::is_on_sale;
use crate::context::Ctx;
use crate::http::Req;
use crate::operations::combo_orders::buy::{NewCombo, buy_at};
use crate::pricing::least_margin;
use crate::pricing::quote::terms;
use panel_platform::db::{Source as _, Sql};
use panel_platform::settings;
use panel_platform::work::Work;

/// Answers the endpoint.
pub(super) async fn buy_package(ctx: Ctx, req: Req<BuyPackage>) -> Result<Data<ComboOrder>> {
    let mut work = ctx.begin().await?;
    let id = buy(&mut work, req.path, &req.body, OrderSource::Cabinet).await?;
    let data = super::load(&mut work, id).await?;
    work.finish(Data { data }).await
}

/// Buys a package for a customer, delivered to the input's address; the combo order's id. Staff look at manual ones first.
pub async fn buy(
    work: &mut Work,
    package: PackageId,
    input: &BuyPackageInput,
    source: OrderSource,
) -> Result<ComboOrderId> {
    let user_id = input.user_id;
    let (draft, _, is_archived) = Draft::lock(work, package).await?;
    if !is_on_sale(draft.is_enabled, is_archived) {
        let message = format!("{} is not on sale; choose another package.", draft.name);
        return Err(Error::conflict("package_not_on_sale", message));
    }
    check_access(work, &draft, user_id).await?;
    let contents = cost::contents_of(work, &draft.inputs()).await?;
    check_on_sale(work, &contents).await?;
    let places = settings::rounding_precision(work).await?;
    cost::judge(&contents, &draft.pricing(), places)?;
    let too_much = |_| FieldErrors::one("package_contents", "This comes to too much.");
    let own = terms::off_packages(work, user_id).await?;
    let lowest = match draft.below_margin_confirmed {
        true => Money::ZERO,
        false => lowest(work, user_id, &contents, places).await?,
    };
    let total = cost::charge(&contents, &draft.pricing(), (own, lowest), places).map_err(too_much)?;
    let shares = cost::shares(&contents, total, places).map_err(too_much)?;
    let new = NewCombo {
        user_id,
        url: input.url.clone(),
        source,
        package: (Some(package), draft.name.clone(), draft.kind.as_str().to_owned()),
        parts: contents.iter().map(|content| (content.id, content.quantity)).collect(),
        targets: targets(input)?,
        is_moderated: draft.kind == PackageType::Manual,
    };
    buy_at(work, &new, &shares).await
}

// Rules

/// Answers by service, as they were given.
fn targets(input: &BuyPackageInput) -> Result<BTreeMap<ServiceId, Vec<(String, String)>>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut all = BTreeMap::new();
    for (service, given) in &input.targets {
        match service.parse::<ServiceId>() {
            Ok(id) => {
                let pairs = given.iter().map(|(name, value)| (name.clone(), value.clone()));
                all.insert(id, pairs.collect());
            }
            Err(_) => {
                errors.add(format!("targets.{service:.100}"), "Give the id of a service of the package.")
            }
        }
    }
    errors.or(all)
}

/// Who is chosen for something restricted has an own price for it: a restricted package needs that for each of its services,
/// any other one for those of its services that are restricted themselves.
fn judge_access(is_restricted: bool, services: &[(ServiceId, bool, bool)]) -> Result<(), Rejection> {
    let closed = services.iter().find(|(_, restricted, chosen)| (is_restricted || *restricted) && !chosen);
    match closed {
        None => Ok(()),
        Some((id, ..)) => {
            let message = format!(
                "This is sold only to chosen customers; give this one a price of service {id} first."
            );
            Err(Rejection::invalid("user_id", "package_restricted", message))
        }
    }
}

// Store

/// The lowest possible cost of the whole for this customer.
async fn lowest(work: &mut Work, user: UserId, contents: &[Content], places: u8) -> Result<Money> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let prices = least_margin::of_services(work, &ids).await?;
    let own = least_margin::own_ratios(work, user, &ids).await?;
    let lowest = cost::lowest(contents, &prices, &own, places);
    Ok(lowest.map_err(|_| FieldErrors::one("package_contents", "This comes to too much."))?)
}

/// Names every service that is off sale at its place in the package.
async fn check_on_sale(work: &mut Work, contents: &[Content]) -> Result<()> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let sql = Sql::new(
        "SELECT id FROM services WHERE (NOT is_enabled OR is_archived OR is_deactivated) AND id IN ",
    );
    let off: Vec<(ServiceId,)> = work.all(sql.ids(&ids)).await?;
    let mut errors = FieldErrors::default();
    for (at, content) in contents.iter().enumerate().filter(|(_, content)| off.contains(&(content.id,))) {
        let message = format!(
            "{} (service {}) is not on sale; choose another package, or take it out of this one.",
            content.name, content.id
        );
        errors.add(format!("package_contents.{at}"), message);
    }
    Ok(errors.or(())?)
}

async fn check_access(work: &mut Work, draft: &Draft, user: UserId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ?").bind(user);
    if work.opt::<(UserId,)>(sql).await?.is_none() {
        let message = format!("There is no user {user}; choose one.");
        return Err(Error::invalid("user_id", "user_unknown", message));
    }
    let ids: Vec<ServiceId> = draft.inputs().iter().map(|content| content.id).collect();
    let sql = Sql::new(
        "SELECT s.id, s.restricted_access, own.service_id IS NOT NULL FROM services s
         LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ? WHERE s.id IN ",
    );
    let services = work.all(sql.bind(user).ids(&ids).push(" ORDER BY s.id")).await?;
    Ok(judge_access(draft.restricted_access, &services)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_restricted_is_for_the_chosen() {
        let code = |is_restricted, services: &[(i64, bool, bool)]| {
            let services =
                services.iter().map(|(id, restricted, chosen)| (ServiceId::new(*id), *restricted, *chosen));
            judge_access(is_restricted, &services.collect::<Vec<_>>()).map_err(|no| no.code)
        };
        assert_eq!(code(false, &[(1, false, false), (2, true, true)]), Ok(()));
        assert_eq!(code(false, &[(1, false, true), (2, true, false)]), Err("package_restricted"));
        assert_eq!(code(true, &[(1, false, true), (2, false, false)]), Err("package_restricted"));
        assert_eq!(code(true, &[(1, false, true)]), Ok(()));
    }
}
