//! SQL of discounts and of their overlaps.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::NamedRef;
use panel_contract::discounts::{Discount, DiscountOverlap, DiscountService};
use panel_contract::ids::{DiscountId, ServiceId};
use panel_contract::moment::{Time, Timestamp};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::marketing::discounts::{DISCOUNTS, StoredDiscount};
use crate::pricing::quote::{PriceModifier, PriceTerms};
use crate::pricing::running_discounts;
use crate::records::references;
use crate::stores::archive_state;
use panel_domain::discounts::{DiscountAction, DiscountDraft, DiscountLine};
use panel_platform::db::state::transition;
use panel_platform::db::{Sql, SqlExecutor, Val};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Maximum number of overlaps in one response.
const MAX_OVERLAPS: i64 = 100;

#[derive(sqlx::FromRow)]
struct LockedDiscountRow {
    name: String,
    valid_from: Time,
    valid_to: Option<Time>,
    is_countdown_enabled: bool,
    countries: String,
    updated_at: Timestamp,
}

/// Loads a discount as in the list.
pub(super) async fn load_stored(
    db: &mut impl SqlExecutor,
    scope: &Scope,
    id: DiscountId,
) -> Result<StoredDiscount> {
    let mut rows =
        table::load_rows_from(db, scope, &DISCOUNTS, &[id], |discount: StoredDiscount, _| discount).await?;
    rows.pop().ok_or_else(|| Error::not_found("discount", id))
}

/// Loads and locks a discount.
pub(super) async fn lock(work: &mut UnitOfWork, id: DiscountId) -> Result<(DiscountDraft, Timestamp)> {
    let sql = Sql::new(
        "SELECT name, valid_from, valid_to, is_countdown_enabled, countries, updated_at FROM discounts WHERE id = ?",
    );
    let row: Option<LockedDiscountRow> = work.fetch_optional(sql.bind(id).for_update()).await?;
    let row = row.ok_or_else(|| Error::not_found("discount", id))?;
    let lines_sql = Sql::new(
        "SELECT service_id AS id, discount_ppm FROM discount_services WHERE discount_id = ? ORDER BY 1",
    );
    let services: Vec<(ServiceId, Fraction)> = work.fetch_all(lines_sql.bind(id)).await?;
    let draft = DiscountDraft {
        name: row.name,
        valid_from: Some(row.valid_from),
        valid_to: row.valid_to,
        is_countdown_enabled: row.is_countdown_enabled,
        countries: parse_countries(&row.countries),
        services: services.into_iter().map(|(id, discount_ppm)| DiscountLine { id, discount_ppm }).collect(),
    };
    Ok((draft, row.updated_at))
}

fn parse_countries(json: &str) -> BTreeSet<String> {
    serde_json::from_str(json).unwrap_or_default()
}

/// Checks that the services exist and that new ones are not archived. Errors name the index in the request.
pub(super) async fn check_services(
    work: &mut UnitOfWork,
    lines: &[DiscountLine],
    old_lines: &[DiscountLine],
) -> Result<()> {
    let ids: Vec<ServiceId> = lines.iter().map(|line| line.id).collect();
    let rows: Vec<(ServiceId,)> =
        work.fetch_all(Sql::new("SELECT id FROM services WHERE id IN ").ids(&ids)).await?;
    let existing_ids: BTreeSet<ServiceId> = rows.into_iter().map(|(id,)| id).collect();
    let is_new = |id: &ServiceId| old_lines.iter().all(|line| line.id != *id);
    let new_services = ids.iter().enumerate().filter(|(_, id)| is_new(id));
    let new_services: Vec<(String, ServiceId)> =
        new_services.map(|(index, id)| (format!("services.{index}.id"), *id)).collect();
    let mut errors = references::check_not_archived(work, &new_services).await?;
    for (index, id) in ids.iter().enumerate().filter(|(_, id)| !existing_ids.contains(id)).take(20) {
        errors
            .add(format!("services.{index}.id"), format!("Service {id} does not exist. Choose another one."));
    }
    Ok(errors.into_result(())?)
}

/// Loads the price terms of the services with their discounts; a service's minimum price still applies.
pub(super) async fn load_discounted_terms(
    work: &mut UnitOfWork,
    lines: &[DiscountLine],
) -> Result<Vec<(ServiceId, PriceTerms)>> {
    let fractions: BTreeMap<ServiceId, Fraction> =
        lines.iter().map(|line| (line.id, line.discount_ppm)).collect();
    let ids: Vec<ServiceId> = fractions.keys().copied().collect();
    let sql =
        Sql::new("SELECT id, default_price, min_price, pricing_per FROM services WHERE id IN ").ids(&ids);
    let services: Vec<(ServiceId, Money, Money, i64)> = work.fetch_all(sql.push(" ORDER BY id")).await?;
    let to_terms = |(id, price, min_price, pricing_per): (ServiceId, Money, Money, i64)| {
        let fraction = fractions.get(&id).copied().unwrap_or_default();
        let modifiers = vec![PriceModifier::reduction(None, String::new(), "discount", fraction)];
        (id, PriceTerms { min_price, modifiers, ..PriceTerms::without_modifiers(price, pricing_per) })
    };
    Ok(services.into_iter().map(to_terms).collect())
}

/// Returns the INSERT and the UPDATE of a discount, without its services.
fn insert_and_update_sql(draft: &DiscountDraft, now: Timestamp) -> [Sql; 2] {
    sql!(
        [
            "INSERT INTO discounts (name, valid_from, valid_to, is_countdown_enabled, countries, created_at, updated_at) \
               VALUES (@name, @valid_from, @valid_to, @is_countdown_enabled, @countries, @now, @now) RETURNING id",
            "UPDATE discounts SET name = @name, valid_from = @valid_from, valid_to = @valid_to, \
               is_countdown_enabled = @is_countdown_enabled, countries = @countries, updated_at = @now WHERE id = @id",
        ],
        {
            name: &*draft.name,
            valid_from: draft.valid_from,
            valid_to: draft.valid_to,
            is_countdown_enabled: draft.is_countdown_enabled,
            countries: json!(draft.countries).to_string(),
            now,
        },
        bound_later: [id],
    )
}

pub(super) async fn insert(work: &mut UnitOfWork, draft: &DiscountDraft) -> Result<DiscountId> {
    let [insert_sql, _] = insert_and_update_sql(draft, work.timestamp());
    let (id,): (DiscountId,) = work.fetch_one(insert_sql).await?;
    write_lines(work, id, &draft.services).await?;
    Ok(id)
}

pub(super) async fn update_row(work: &mut UnitOfWork, id: DiscountId, draft: &DiscountDraft) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(draft, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    work.execute(Sql::new("DELETE FROM discount_services WHERE discount_id = ?").bind(id)).await?;
    write_lines(work, id, &draft.services).await
}

async fn write_lines(work: &mut UnitOfWork, id: DiscountId, lines: &[DiscountLine]) -> Result<()> {
    let rows: Vec<Vec<Val>> =
        lines.iter().map(|line| vec![line.id.into(), line.discount_ppm.into()]).collect();
    let sql = Sql::new(
        "INSERT INTO discount_services (discount_id, service_id, discount_ppm) SELECT ?, r.id, r.ppm FROM ",
    );
    work.execute(sql.bind(id).rows("r", &["id", "ppm"], rows)).await?;
    Ok(())
}

/// Applies an action if the discount's state has not changed since the check.
pub(super) async fn apply_action(
    work: &mut UnitOfWork,
    id: DiscountId,
    action: DiscountAction,
) -> Result<()> {
    let (now, timestamp) = (work.now, work.timestamp());
    let transition_result = match action {
        DiscountAction::Complete => {
            let sql = Sql::new(
                "UPDATE discounts SET completed_at = ?, updated_at = ? WHERE id = ? AND completed_at IS NULL",
            );
            let sql = sql.bind(now).bind(timestamp).bind(id);
            transition(work, sql.append(archive_state::condition_for(true))).await?
        }
        DiscountAction::Archive => {
            archive_state::set_archived(work, "discounts", id, true, timestamp).await?
        }
        DiscountAction::Unarchive => {
            archive_state::set_archived(work, "discounts", id, false, timestamp).await?
        }
        DiscountAction::Edit => return Ok(()),
    };
    if !transition_result.is_applied() {
        let message = "Another staff member has changed this discount. Reload it and try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    Ok(())
}

/// Loads a discount with services and overlaps in four statements.
pub(super) async fn load(db: &mut impl SqlExecutor, scope: &Scope, id: DiscountId) -> Result<Discount> {
    let stored_discount = load_stored(db, scope, id).await?;
    let sql = Sql::new(
        "SELECT s.id, s.name, x.discount_ppm FROM discount_services x JOIN services s ON s.id = x.service_id WHERE x.discount_id = ? ORDER BY s.name, s.id",
    );
    let services: Vec<(ServiceId, String, Fraction)> = db.fetch_all(sql.bind(id)).await?;
    let updated_at_sql = Sql::new("SELECT updated_at FROM discounts WHERE id = ?").bind(id);
    let (updated_at,): (Timestamp,) = db.fetch_one(updated_at_sql).await?;
    let overlaps = load_overlaps(db, &stored_discount, &services, scope.now()).await?;
    let to_service = |(id, name, discount_fraction)| DiscountService { id, name, discount_fraction };
    Ok(Discount {
        row: stored_discount.into_row(scope),
        services: services.into_iter().map(to_service).collect(),
        overlaps,
        updated_at,
    })
}

#[derive(sqlx::FromRow)]
struct OverlappingDiscountRow {
    service_id: ServiceId,
    id: DiscountId,
    name: String,
    discount_ppm: Fraction,
    valid_from: Time,
    valid_to: Option<Time>,
    countries: String,
}

/// Loads other discounts on the same services in the same period and countries, without archived and completed ones.
async fn load_overlaps(
    db: &mut impl SqlExecutor,
    discount: &StoredDiscount,
    services: &[(ServiceId, String, Fraction)],
    now: Time,
) -> Result<Vec<DiscountOverlap>> {
    let is_over = discount.completed_at.is_some() || discount.valid_to.is_some_and(|to| to <= now);
    if is_over || discount.is_archived {
        return Ok(Vec::new());
    }
    let ids: Vec<ServiceId> = services.iter().map(|service| service.0).collect();
    let sql = Sql::new(
        "SELECT x.service_id, d.id, d.name, x.discount_ppm, d.valid_from, d.valid_to, d.countries FROM discount_services x JOIN discounts d ON d.id = x.discount_id
         WHERE d.id <> ? AND NOT d.is_archived AND d.completed_at IS NULL AND (d.valid_to IS NULL OR (d.valid_to > ? AND d.valid_to > ?))",
    );
    let mut sql = sql.bind(discount.id).bind(discount.valid_from).bind(now);
    if let Some(to) = discount.valid_to {
        sql = sql.push(" AND d.valid_from < ?").bind(to);
    }
    let sql = sql
        .push(" AND x.service_id IN ")
        .ids(&ids)
        .push(" ORDER BY d.id, x.service_id LIMIT ?")
        .bind(MAX_OVERLAPS);
    let candidates: Vec<OverlappingDiscountRow> = db.fetch_all(sql).await?;
    let own_services: BTreeMap<ServiceId, (&String, Fraction)> =
        services.iter().map(|(id, name, fraction)| (*id, (name, *fraction))).collect();
    let own_countries = parse_countries(&discount.countries);
    let to_overlap = |other: OverlappingDiscountRow| {
        let (name, fraction) = own_services.get(&other.service_id)?;
        if !running_discounts::have_common_country(&own_countries, &parse_countries(&other.countries)) {
            return None;
        }
        Some(DiscountOverlap {
            service: NamedRef { id: other.service_id, name: (*name).clone() },
            is_stronger: running_discounts::takes_precedence(
                (other.discount_ppm, other.id),
                (*fraction, discount.id),
            ),
            discount: NamedRef { id: other.id, name: other.name },
            discount_fraction: other.discount_ppm,
            valid_from: other.valid_from,
            valid_to: other.valid_to,
        })
    };
    Ok(candidates.into_iter().filter_map(to_overlap).collect())
}
