//! What becomes of each line of an import: judged by what is known of the panel and of the catalogue. Pure; every wrong field
//! of every line is named, and a line that is right says all that is written of it.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_services::{ImportServiceItem, ImportServicesInput};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{CheckerGroupId, ImportableServiceId, NetworkId, ServiceTypeId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::service_types::ServiceTypeKind;
use panel_kernel::error::Result;

use super::providers;
use super::stored_catalogue::{Importable, PanelPricing};
use crate::catalogue::targets::checkers;
use crate::pricing::least_margin;
use panel_domain::fields::fits;
use panel_domain::imports;
use panel_domain::least_margin::NewSale;
use panel_domain::least_margin::price_with_margin;

/// What of a service can follow its panel, in the order of the service's columns.
pub type Flags = [bool; 9];

/// What an import is judged by.
pub struct Known {
    /// Prices and margins.
    pub terms: PanelPricing,
    /// The panel's own switches.
    pub flags: Flags,
    /// The panel's services, by id.
    pub services: BTreeMap<ImportableServiceId, Importable>,
    /// Networks by service type.
    pub types: BTreeMap<ServiceTypeId, NetworkId>,
    /// Networks that are named.
    pub networks: BTreeSet<NetworkId>,
    /// Checker groups that are named, with what their addresses are about.
    pub groups: BTreeMap<CheckerGroupId, ServiceTypeKind>,
    /// What service types are about.
    pub kinds: BTreeMap<ServiceTypeId, ServiceTypeKind>,
    /// What the service types are about that keep a category in a network.
    pub category_kinds: BTreeMap<(NetworkId, String), ServiceTypeKind>,
}

impl Known {
    /// What the service type of a place is about.
    fn kind_at(&self, place: &Place<'_>) -> Option<ServiceTypeKind> {
        match place {
            Place::Type(id) => self.kinds.get(id).copied(),
            Place::Category(network, category) => {
                self.category_kinds.get(&(*network, (*category).to_owned())).copied()
            }
        }
    }
}

/// Where a service goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place<'a> {
    /// A service type.
    Type(ServiceTypeId),
    /// The service type of a network that keeps a category.
    Category(NetworkId, &'a str),
}

/// A service as it will be.
#[derive(Debug)]
pub struct Line<'a> {
    /// What the panel sells.
    pub kept: &'a Importable,
    /// Its name here.
    pub name: String,
    /// Its English description; empty for none.
    pub description: String,
    /// What the panel asks, in our currency.
    pub cost: Money,
    /// What customers pay.
    pub price: Money,
    /// Below it no discount goes: the cost and the least margin.
    pub floor: Money,
    /// What its price follows with.
    pub margin: Fraction,
    /// Where it goes.
    pub place: Place<'a>,
    /// The service type of the reseller API.
    pub panel_type: PanelServiceType,
    /// Its checker group.
    pub group: Option<CheckerGroupId>,
    /// What follows the panel.
    pub flags: Flags,
}

/// The wrong fields of a line, each with a sentence.
pub type Wrong = Vec<(&'static str, String)>;

/// All of the lines, or what is wrong with each, named by its place. A margin or a price that is too low has a refusal of its
/// own where nothing else is wrong.
pub fn all<'a>(input: &ImportServicesInput, known: &'a Known) -> Result<Vec<Line<'a>>> {
    let mut errors = FieldErrors::default();
    imports::check_margin(&mut errors, input.margin_percent);
    let mut lines = Vec::with_capacity(input.services.len());
    for (at, item) in input.services.iter().enumerate() {
        match one(input, item, known) {
            Ok(line) => lines.push((at, line)),
            Err(wrong) => {
                for (field, message) in wrong {
                    errors.add(format!("services.{at}.{field}"), message);
                }
            }
        }
    }
    let margins = judge_margins(input, &lines, known.terms.least);
    if errors.0.is_empty() {
        margins.map_err(least_margin::below_margin_error)?;
    } else {
        errors.0.extend(margins.err().unwrap_or_default().0);
        errors.or(())?;
    }
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The margins and prices of the lines that are right, against the least margin. An import has no form to confirm them in: a
/// price below is set afterwards, one by one.
fn judge_margins(
    input: &ImportServicesInput,
    lines: &[(usize, Line<'_>)],
    least: Option<Fraction>,
) -> Result<(), FieldErrors> {
    let Some(margin) = least else { return Ok(()) };
    let mut errors = FieldErrors::default();
    let mut note = |found: Result<(), FieldErrors>| errors.0.extend(found.err().unwrap_or_default().0);
    note(panel_domain::least_margin::judge_margin("margin_percent", input.margin_percent, least, ""));
    for (at, _) in lines {
        let wanted = input.services.get(*at).and_then(|item| item.margin_percent);
        note(panel_domain::least_margin::judge_margin(
            &format!("services.{at}.margin_percent"),
            wanted,
            least,
            "",
        ));
    }
    let sales = lines.iter().map(|(at, line)| NewSale {
        field: format!("services.{at}.price"),
        what: format!("service {}", line.kept.id),
        price: line.price,
        lowest: line.floor,
    });
    note(panel_domain::least_margin::judge(&sales.collect::<Vec<_>>(), margin, ""));
    errors.or(())
}

/// One line, or everything that is wrong with it.
pub fn one<'a>(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    known: &'a Known,
) -> Result<Line<'a>, Wrong> {
    let id = item.id;
    let found = known.services.get(&id);
    if let Some(fault) = providers::fault(found, id) {
        return Err(vec![("id", fault)]);
    }
    let unsold = || vec![("id", format!("Service {id} cannot be sold here."))];
    let kept = found.ok_or_else(unsold)?;
    let panel_type = imports::sellable(&kept.kind, &kept.parameters()).map_err(|_| unsold())?;
    let mut wrong = Vec::new();
    let name = name(item, kept, &mut wrong);
    let description = description(item, kept, &mut wrong);
    let place = placed(input, item, kept, known, &mut wrong);
    let group = item.promotable_checker_group_id;
    if let Some(group) = group {
        let message = match known.groups.get(&group) {
            None => Some(format!("there is no promotable checker group {group}.")),
            Some(of) => place.as_ref().and_then(|place| checkers::misfit(*of, known.kind_at(place)?)),
        };
        let named = |message| ("promotable_checker_group_id", format!("Service {id}: {message}"));
        wrong.extend(message.map(named));
    }
    let prices = prices(input.margin_percent, item, kept, &known.terms, &mut wrong);
    let (Some(place), Some(prices), true) = (place, prices, wrong.is_empty()) else { return Err(wrong) };
    Ok(Line {
        kept,
        name,
        description,
        cost: prices.cost,
        price: prices.price,
        floor: prices.floor,
        margin: prices.margin,
        place,
        panel_type,
        group,
        flags: flags_of(item, known.flags),
    })
}

fn name(item: &ImportServiceItem, kept: &Importable, wrong: &mut Wrong) -> String {
    let (id, name) = (item.id, item.name.as_deref().unwrap_or(&kept.name).trim());
    if name.is_empty() {
        wrong.push(("name", format!("Give service {id} a name.")));
    } else if let Err(message) = fits(name, 255) {
        wrong.push(("name", format!("Service {id}: {message}")));
    }
    name.to_owned()
}

fn description(item: &ImportServiceItem, kept: &Importable, wrong: &mut Wrong) -> String {
    let text = item.description.as_deref().unwrap_or(&kept.description).trim();
    if let Err(message) = fits(text, imports::LONGEST_TEXT) {
        wrong.push(("description", format!("Service {}: {message}", item.id)));
    }
    text.to_owned()
}

/// Its service type, which is one of its network; or the category whose service type is found or made.
fn placed<'a>(
    input: &ImportServicesInput,
    item: &ImportServiceItem,
    kept: &'a Importable,
    known: &Known,
    wrong: &mut Wrong,
) -> Option<Place<'a>> {
    let id = item.id;
    let network = item.network_id.or(input.network_id);
    let is_kept = input.keep_categories && item.service_type_id.is_none() && !kept.category.is_empty();
    if is_kept {
        match network {
            None => {
                let message =
                    format!("Choose the network whose service types keep the category of service {id}.");
                wrong.push(("network_id", message));
            }
            Some(network) if !known.networks.contains(&network) => {
                wrong.push(("network_id", format!("Service {id}: there is no network {network}.")));
            }
            Some(network) => return Some(Place::Category(network, &kept.category)),
        }
        return None;
    }
    let Some(kind) = item.service_type_id.or(input.service_type_id) else {
        let why = if input.keep_categories { "; the panel gives it no category" } else { "" };
        let message = format!("Choose the service type that service {id} belongs to{why}.");
        wrong.push(("service_type_id", message));
        return None;
    };
    match (known.types.get(&kind), network) {
        (None, _) => {
            wrong.push(("service_type_id", format!("Service {id}: there is no service type {kind}.")));
            None
        }
        (Some(of), Some(network)) if *of != network => {
            let message = format!("Service {id}: service type {kind} is of network {of}, not {network}.");
            wrong.push(("network_id", message));
            None
        }
        _ => Some(Place::Type(kind)),
    }
}

struct Prices {
    cost: Money,
    price: Money,
    floor: Money,
    margin: Fraction,
}

fn prices(
    margin: Option<Fraction>,
    item: &ImportServiceItem,
    kept: &Importable,
    terms: &PanelPricing,
    wrong: &mut Wrong,
) -> Option<Prices> {
    let id = item.id;
    check_own_margin(item, wrong);
    if let Some(seen) = item.external_panel_price.filter(|seen| *seen != kept.rate) {
        let message =
            format!("Service {id}: the panel asks {} by now, not {seen}; look at it again.", kept.rate);
        wrong.push(("external_panel_price", message));
    }
    let Some(cost) = terms.rates.to_own(kept.rate, &terms.currency) else {
        let message =
            format!("Service {id}: there is no exchange rate for {}; set one first.", terms.currency);
        wrong.push(("price", message));
        return None;
    };
    if let Some(seen) = item.provider_price.filter(|seen| *seen != cost) {
        let message = format!("Service {id} costs {cost} by now, not {seen}; look at it again.");
        wrong.push(("provider_price", message));
    }
    let per = kept.pricing_per;
    let margin = imports::margin(item.margin_percent.or(margin).or(terms.margin), terms.least);
    let floor = price_with_margin(cost, per, per, imports::margin(None, terms.least)).ok();
    let floor = floor.filter(|floor| floor.0 <= imports::DEAREST);
    let price = match item.price {
        Some(price) => Some(price),
        None => price_with_margin(cost, per, per, margin).ok(),
    };
    let (Some(floor), Some(price)) = (floor, price.filter(|price| price.0 <= imports::DEAREST)) else {
        wrong.push(("price", format!("Service {id} would cost too much.")));
        return None;
    };
    let margin = match item.price {
        Some(price) => imports::margin_of(price, cost).unwrap_or(margin),
        None => margin,
    };
    Some(Prices { cost, price, floor, margin })
}

/// A margin of the line's own is within bounds, and there is no price beside it.
fn check_own_margin(item: &ImportServiceItem, wrong: &mut Wrong) {
    if item.margin_percent.is_none() {
        return;
    }
    let id = item.id;
    if item.price.is_some() {
        wrong.push(("margin_percent", format!("Service {id}: give a price or a margin, not both.")));
    }
    let mut errors = FieldErrors::default();
    imports::check_margin(&mut errors, item.margin_percent);
    let messages = errors.0.into_values().flatten();
    wrong.extend(messages.map(|message| ("margin_percent", format!("Service {id}: {message}"))));
}

fn flags_of(item: &ImportServiceItem, mut flags: Flags) -> Flags {
    let given = [
        item.sync_params,
        item.sync_prices,
        item.sync_labels,
        item.sync_name,
        item.sync_meta,
        item.sync_service_details,
        item.sync_description_field,
        item.sync_short_description,
        item.sync_reviews,
    ];
    for (flag, given) in flags.iter_mut().zip(given) {
        *flag = given.unwrap_or(*flag);
    }
    flags
}
