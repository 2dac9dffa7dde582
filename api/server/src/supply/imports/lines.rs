//! Validates the lines of a service import against the stored catalogue of the external panel and the records of this server. This
//! module uses no database. The errors name every invalid field of every line, and a valid line contains all values that an import
//! writes.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{CheckerGroupId, ImportableServiceId, NetworkId, ServiceTypeId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;

use super::panel_pricing::PanelPricing;
use super::providers;
use super::stored_catalogue::StoredPanelService;
use super::sync_flags::SyncFlags;
use crate::catalogue::targets::checkers;
use crate::pricing::minimum_margin;
use panel_domain::fields::check_text;
use panel_domain::imports;
use panel_domain::minimum_margin::PriceCheck;
use panel_domain::minimum_margin::price_with_margin;

/// The records against which the lines of an import are validated.
pub struct ImportContext {
    pub pricing: PanelPricing,
    /// The sync flags of the external panel, which apply to lines that set no flags.
    pub panel_flags: SyncFlags,
    pub services: BTreeMap<ImportableServiceId, StoredPanelService>,
    /// The network of each requested service type.
    pub service_type_networks: BTreeMap<ServiceTypeId, NetworkId>,
    /// The requested networks that exist.
    pub networks: BTreeSet<NetworkId>,
    /// The requested promotable checker groups, with their platforms.
    pub checker_groups: BTreeMap<CheckerGroupId, ServiceTypeKind>,
    /// The platform of each requested service type.
    pub platforms: BTreeMap<ServiceTypeId, ServiceTypeKind>,
    /// The platform of the service type for each network and category, even if the import has not created this service type yet.
    pub category_platforms: BTreeMap<(NetworkId, String), ServiceTypeKind>,
}

impl ImportContext {
    fn platform_of(&self, service_type: &ServiceTypeChoice<'_>) -> Option<ServiceTypeKind> {
        match service_type {
            ServiceTypeChoice::Existing(id) => self.platforms.get(id).copied(),
            ServiceTypeChoice::ForCategory(network, category) => {
                self.category_platforms.get(&(*network, (*category).to_owned())).copied()
            }
        }
    }
}

/// The service type of an imported service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceTypeChoice<'a> {
    Existing(ServiceTypeId),
    /// The service type for a category of the external panel in a network. The import creates it if it does not exist.
    ForCategory(NetworkId, &'a str),
}

/// A validated line with the values of the service to insert.
#[derive(Debug)]
pub struct ImportLine<'a> {
    pub panel_service: &'a StoredPanelService,
    pub name: String,
    /// The English description; an empty string if there is none.
    pub description: String,
    /// The external panel's price in our own currency.
    pub cost: Money,
    pub price: Money,
    /// The cost plus the minimum margin. Discounts never lower the price below it.
    pub min_price: Money,
    /// The margin with which a sync calculates the price.
    pub margin: Fraction,
    pub service_type: ServiceTypeChoice<'a>,
    /// The service type in the reseller API.
    pub panel_type: PanelServiceType,
    pub checker_group_id: Option<CheckerGroupId>,
    pub flags: SyncFlags,
}

/// The invalid fields of a line with their messages.
pub type LineErrors = Vec<(&'static str, String)>;

/// Validates all lines. The error contains the errors of all lines by field and index. If the only errors are margins and prices
/// below the minimum margin, the error has the code for the minimum margin.
pub fn validate_lines<'a>(
    input: &ImportServicesInput,
    context: &'a ImportContext,
) -> Result<Vec<ImportLine<'a>>> {
    let mut errors = FieldErrors::default();
    imports::check_margin(&mut errors, input.margin_fraction);
    let mut lines = Vec::with_capacity(input.services.len());
    for (index, item) in input.services.iter().enumerate() {
        match validate_line(input, item, context) {
            Ok(line) => lines.push((index, line)),
            Err(line_errors) => {
                for (field, message) in line_errors {
                    errors.add(format!("services.{index}.{field}"), message);
                }
            }
        }
    }
    let margin_result = check_min_margin(input, &lines, context.pricing.min_margin);
    if errors.0.is_empty() {
        margin_result.map_err(minimum_margin::below_margin_error)?;
    } else {
        errors.0.extend(margin_result.err().unwrap_or_default().0);
        errors.into_result(())?;
    }
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// Checks the margins and prices of the valid lines against the minimum margin. An import accepts no confirmation of lower prices;
/// staff can lower single prices later.
fn check_min_margin(
    input: &ImportServicesInput,
    lines: &[(usize, ImportLine<'_>)],
    min_margin: Option<Fraction>,
) -> Result<(), FieldErrors> {
    let Some(margin) = min_margin else { return Ok(()) };
    let mut errors = FieldErrors::default();
    let mut add_errors =
        |result: Result<(), FieldErrors>| errors.0.extend(result.err().unwrap_or_default().0);
    add_errors(panel_domain::minimum_margin::check_resale_margin(
        "margin_fraction",
        input.margin_fraction,
        min_margin,
        "",
    ));
    for (index, _) in lines {
        let requested_margin = input.services.get(*index).and_then(|item| item.margin_fraction);
        add_errors(panel_domain::minimum_margin::check_resale_margin(
            &format!("services.{index}.margin_fraction"),
            requested_margin,
            min_margin,
            "",
        ));
    }
    let sales = lines.iter().map(|(index, line)| PriceCheck {
        field: format!("services.{index}.price"),
        item_name: format!("service {}", line.panel_service.id),
        price: line.price,
        lowest_price: line.min_price,
    });
    add_errors(panel_domain::minimum_margin::check_lowest_prices(&sales.collect::<Vec<_>>(), margin, ""));
    errors.into_result(())
}

/// Validates one line and returns all its errors.
pub fn validate_line<'a>(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    context: &'a ImportContext,
) -> Result<ImportLine<'a>, LineErrors> {
    let id = item.id;
    let panel_service = context.services.get(&id);
    if let Some(reason) = providers::service_import_rejection(panel_service, id) {
        return Err(vec![("id", reason)]);
    }
    let not_sellable_error = || vec![("id", format!("Service {id} cannot be sold here."))];
    let panel_service = panel_service.ok_or_else(not_sellable_error)?;
    let panel_type = imports::parse_sellable_type(&panel_service.kind, &panel_service.parameters())
        .map_err(|_| not_sellable_error())?;
    let mut errors = Vec::new();
    let name = validate_name(item, panel_service, &mut errors);
    let description = validate_description(item, panel_service, &mut errors);
    let service_type = choose_service_type(input, item, panel_service, context, &mut errors);
    let checker_group_id = item.promotable_checker_group_id;
    if let Some(group) = checker_group_id {
        let message = match context.checker_groups.get(&group) {
            None => Some(format!("there is no promotable checker group {group}.")),
            Some(platform) => service_type.as_ref().and_then(|service_type| {
                checkers::platform_mismatch(*platform, context.platform_of(service_type)?)
            }),
        };
        let field_error = |message| ("promotable_checker_group_id", format!("Service {id}: {message}"));
        errors.extend(message.map(field_error));
    }
    let prices = calculate_prices(input.margin_fraction, item, panel_service, &context.pricing, &mut errors);
    let (Some(service_type), Some(prices), true) = (service_type, prices, errors.is_empty()) else {
        return Err(errors);
    };
    Ok(ImportLine {
        panel_service,
        name,
        description,
        cost: prices.cost,
        price: prices.price,
        min_price: prices.min_price,
        margin: prices.margin,
        service_type,
        panel_type,
        checker_group_id,
        flags: context.panel_flags.with_flags_of_line(item),
    })
}

fn validate_name(
    item: &ImportServiceItem,
    panel_service: &StoredPanelService,
    errors: &mut LineErrors,
) -> String {
    let (id, name) = (item.id, item.name.as_deref().unwrap_or(&panel_service.name).trim());
    if name.is_empty() {
        errors.push(("name", format!("Enter a name for service {id}.")));
    } else if let Err(message) = check_text(name, 255) {
        errors.push(("name", format!("Service {id}: {message}")));
    }
    name.to_owned()
}

fn validate_description(
    item: &ImportServiceItem,
    panel_service: &StoredPanelService,
    errors: &mut LineErrors,
) -> String {
    let text = item.description.as_deref().unwrap_or(&panel_service.description).trim();
    if let Err(message) = check_text(text, imports::MAX_DESCRIPTION_CHARS) {
        errors.push(("description", format!("Service {}: {message}", item.id)));
    }
    text.to_owned()
}

/// Returns the requested service type, which must belong to the requested network. If the import keeps categories, returns the
/// service type for the category of the external panel.
fn choose_service_type<'a>(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    panel_service: &'a StoredPanelService,
    context: &ImportContext,
    errors: &mut LineErrors,
) -> Option<ServiceTypeChoice<'a>> {
    let id = item.id;
    let network = item.network_id.or(input.network_id);
    let keeps_category =
        input.keep_categories && item.service_type_id.is_none() && !panel_service.category.is_empty();
    if keeps_category {
        match network {
            None => {
                let message = format!(
                    "Choose the network in which to create the service type for the category of service {id}."
                );
                errors.push(("network_id", message));
            }
            Some(network) if !context.networks.contains(&network) => {
                errors.push(("network_id", format!("Service {id}: there is no network {network}.")));
            }
            Some(network) => return Some(ServiceTypeChoice::ForCategory(network, &panel_service.category)),
        }
        return None;
    }
    let Some(service_type_id) = item.service_type_id.or(input.service_type_id) else {
        let reason =
            if input.keep_categories { ", because the external panel sends no category for it" } else { "" };
        let message = format!("Choose the service type for service {id}{reason}.");
        errors.push(("service_type_id", message));
        return None;
    };
    match (context.service_type_networks.get(&service_type_id), network) {
        (None, _) => {
            errors.push((
                "service_type_id",
                format!("Service {id}: there is no service type {service_type_id}."),
            ));
            None
        }
        (Some(network_of_type), Some(network)) if *network_of_type != network => {
            let message = format!(
                "Service {id}: service type {service_type_id} belongs to network {network_of_type}, not {network}."
            );
            errors.push(("network_id", message));
            None
        }
        _ => Some(ServiceTypeChoice::Existing(service_type_id)),
    }
}

struct LinePrices {
    cost: Money,
    price: Money,
    min_price: Money,
    margin: Fraction,
}

fn calculate_prices(
    import_margin: Option<Fraction>,
    item: &ImportServiceItem,
    panel_service: &StoredPanelService,
    pricing: &PanelPricing,
    errors: &mut LineErrors,
) -> Option<LinePrices> {
    let id = item.id;
    check_line_margin(item, errors);
    // The request contains the prices that staff saw. If the prices have changed since then, the import must not use the new prices
    // without notice.
    if let Some(shown_price) =
        item.external_panel_price.filter(|shown_price| *shown_price != panel_service.rate)
    {
        let message = format!(
            "Service {id}: the external panel's price changed from {shown_price} to {}. Check the service again.",
            panel_service.rate
        );
        errors.push(("external_panel_price", message));
    }
    let Some(cost) = pricing.rates.to_own_currency(panel_service.rate, &pricing.currency) else {
        let message =
            format!("Service {id}: there is no exchange rate for {}. Set the rate first.", pricing.currency);
        errors.push(("price", message));
        return None;
    };
    if let Some(shown_cost) = item.provider_price.filter(|shown_cost| *shown_cost != cost) {
        let message =
            format!("Service {id}: the cost changed from {shown_cost} to {cost}. Check the service again.");
        errors.push(("provider_price", message));
    }
    let per = panel_service.pricing_per;
    let margin = imports::effective_margin(
        item.margin_fraction.or(import_margin).or(pricing.margin),
        pricing.min_margin,
    );
    let min_price =
        price_with_margin(cost, per, per, imports::effective_margin(None, pricing.min_margin)).ok();
    let min_price = min_price.filter(|min_price| min_price.0 <= imports::MAX_PRICE);
    let price = match item.price {
        Some(price) => Some(price),
        None => price_with_margin(cost, per, per, margin).ok(),
    };
    let (Some(min_price), Some(price)) = (min_price, price.filter(|price| price.0 <= imports::MAX_PRICE))
    else {
        errors.push((
            "price",
            format!("Service {id}: the price is above the maximum price, {}.", Money(imports::MAX_PRICE)),
        ));
        return None;
    };
    let margin = match item.price {
        Some(price) => imports::margin_from_price(price, cost).unwrap_or(margin),
        None => margin,
    };
    Some(LinePrices { cost, price, min_price, margin })
}

/// Checks the margin of a line, which must not have both a price and a margin.
fn check_line_margin(item: &ImportServiceItem, errors: &mut LineErrors) {
    if item.margin_fraction.is_none() {
        return;
    }
    let id = item.id;
    if item.price.is_some() {
        errors.push(("margin_fraction", format!("Service {id}: enter a price or a margin, not both.")));
    }
    let mut field_errors = FieldErrors::default();
    imports::check_margin(&mut field_errors, item.margin_fraction);
    let messages = field_errors.0.into_values().flatten();
    errors.extend(messages.map(|message| ("margin_fraction", format!("Service {id}: {message}"))));
}
