//! The endpoint that buys a package for a customer. The orders of the combo order together cost exactly the price of the package,
//! less the package discount of the customer.

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

use crate::catalogue::packages::cost::{self, PricedContent};
use crate::catalogue::packages::draft::{PackageDraft, StoredPackage};
use crate::catalogue::packages::is_on_sale;
use crate::context::Ctx;
use crate::http::Req;
use crate::operations::combo_orders::buy::{NewCombo, buy_at_costs};
use crate::pricing::minimum_margin;
use crate::pricing::quote::terms;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

pub(super) async fn buy_package(ctx: Ctx, req: Req<BuyPackage>) -> Result<Data<ComboOrder>> {
    let mut work = ctx.begin().await?;
    let id = buy(&mut work, req.path, &req.body, OrderSource::Cabinet).await?;
    let data = super::load(&mut work, id).await?;
    work.finish(Data { data }).await
}

/// Buys a package for a customer, and returns the id of the combo order. The orders are delivered to the URL in the input. Manual
/// packages need moderation.
pub async fn buy(
    work: &mut UnitOfWork,
    package: PackageId,
    input: &BuyPackageInput,
    source: OrderSource,
) -> Result<ComboOrderId> {
    let user_id = input.user_id;
    let StoredPackage { draft, is_archived, .. } = StoredPackage::lock(work, package).await?;
    if !is_on_sale(draft.is_enabled, is_archived) {
        let message = format!("{} is not on sale. Choose another package.", draft.name);
        return Err(Error::conflict("package_not_on_sale", message));
    }
    check_access(work, &draft, user_id).await?;
    let contents = cost::load_contents(work, &draft.content_inputs()).await?;
    check_on_sale(work, &contents).await?;
    let decimals = settings::read_rounding_precision(work).await?;
    cost::validate_and_calculate_costs(&contents, &draft.pricing(), decimals)?;
    let discount = terms::load_package_discount(work, user_id).await?;
    let lowest_cost = match draft.below_margin_confirmed {
        true => Money::ZERO,
        false => load_lowest_cost(work, user_id, &contents, decimals).await?,
    };
    let total = cost::calculate_charge(&contents, &draft.pricing(), (discount, lowest_cost), decimals)
        .map_err(cost::overflow_as_field_error)?;
    let costs = cost::split_cost(&contents, total, decimals).map_err(cost::overflow_as_field_error)?;
    let new = NewCombo {
        user_id,
        url: input.url.clone(),
        source,
        package: (Some(package), draft.name.clone(), draft.kind.as_str().to_owned()),
        parts: contents.iter().map(|content| (content.id, content.quantity)).collect(),
        targets: parse_targets(input)?,
        is_moderated: draft.kind == PackageType::Manual,
    };
    buy_at_costs(work, &new, &costs).await
}

// Rules

/// The values of the targets by service. The values themselves are validated when the orders are placed.
fn parse_targets(input: &BuyPackageInput) -> Result<BTreeMap<ServiceId, Vec<(String, String)>>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut targets = BTreeMap::new();
    for (service, values) in &input.targets {
        match service.parse::<ServiceId>() {
            Ok(id) => {
                let pairs = values.iter().map(|(name, value)| (name.clone(), value.clone()));
                targets.insert(id, pairs.collect());
            }
            Err(_) => {
                errors.add(format!("targets.{service:.100}"), "Use the id of a service of the package.")
            }
        }
    }
    errors.into_result(targets)
}

/// A customer may order a restricted service if they have a custom price for it. A restricted package requires a custom price
/// for each of its services; any other package requires it only for its restricted services. `services`: id, restricted, has
/// custom price.
fn check_restrictions(is_restricted: bool, services: &[(ServiceId, bool, bool)]) -> Result<(), Rejection> {
    let restricted_service = services.iter().find(|(_, service_is_restricted, has_custom_price)| {
        (is_restricted || *service_is_restricted) && !has_custom_price
    });
    match restricted_service {
        None => Ok(()),
        Some((id, ..)) => {
            let message = format!(
                "This package is sold only to selected customers. First add a custom price of service {id} for this customer."
            );
            Err(Rejection::invalid("user_id", "package_restricted", message))
        }
    }
}

// Store

/// The lowest allowed cost of the package for this customer.
async fn load_lowest_cost(
    work: &mut UnitOfWork,
    user: UserId,
    contents: &[PricedContent],
    decimals: u8,
) -> Result<Money> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let prices = minimum_margin::load_lowest_prices(work, &ids).await?;
    let ratios = minimum_margin::load_customer_ratios(work, user, &ids).await?;
    Ok(cost::calculate_lowest_cost(contents, &prices, &ratios, decimals)
        .map_err(cost::overflow_as_field_error)?)
}

/// Returns a field error for every service of the package that is not on sale.
async fn check_on_sale(work: &mut UnitOfWork, contents: &[PricedContent]) -> Result<()> {
    let ids: Vec<ServiceId> = contents.iter().map(|content| content.id).collect();
    let sql = Sql::new(
        "SELECT id FROM services WHERE (NOT is_enabled OR is_archived OR is_deactivated) AND id IN ",
    );
    let not_on_sale: Vec<(ServiceId,)> = work.fetch_all(sql.ids(&ids)).await?;
    let mut errors = FieldErrors::default();
    for (index, content) in
        contents.iter().enumerate().filter(|(_, content)| not_on_sale.contains(&(content.id,)))
    {
        let message = format!(
            "{} (service {}) is not on sale. Choose another package, or remove the service from this one.",
            content.name, content.id
        );
        errors.add(format!("package_contents.{index}"), message);
    }
    Ok(errors.into_result(())?)
}

async fn check_access(work: &mut UnitOfWork, draft: &PackageDraft, user: UserId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM users WHERE id = ?").bind(user);
    if work.fetch_optional::<(UserId,)>(sql).await?.is_none() {
        let message = format!("There is no user {user}. Choose another user.");
        return Err(Error::invalid("user_id", "user_unknown", message));
    }
    let ids: Vec<ServiceId> = draft.content_inputs().iter().map(|content| content.id).collect();
    let sql = Sql::new(
        "SELECT s.id, s.restricted_access, own.service_id IS NOT NULL FROM services s
         LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = ? WHERE s.id IN ",
    );
    let services = work.fetch_all(sql.bind(user).ids(&ids).push(" ORDER BY s.id")).await?;
    Ok(check_restrictions(draft.restricted_access, &services)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restricted_package_needs_a_custom_price() {
        let code = |is_restricted, services: &[(i64, bool, bool)]| {
            let services = services.iter().map(|(id, restricted, has_custom_price)| {
                (ServiceId::new(*id), *restricted, *has_custom_price)
            });
            check_restrictions(is_restricted, &services.collect::<Vec<_>>())
                .map_err(|rejection| rejection.code)
        };
        assert_eq!(code(false, &[(1, false, false), (2, true, true)]), Ok(()));
        assert_eq!(code(false, &[(1, false, true), (2, true, false)]), Err("package_restricted"));
        assert_eq!(code(true, &[(1, false, true), (2, false, false)]), Err("package_restricted"));
        assert_eq!(code(true, &[(1, false, true)]), Ok(()));
    }
}
