//! SQL of special offers, and of the services, types and networks that staff can choose for them.

use std::collections::BTreeMap;

use panel_contract::common::NamedRef;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, NetworkId, RecordId, ServiceId, ServiceTypeId, SpecialOfferId};
use panel_contract::moment::Timestamp;
use panel_contract::special_offers::{
    OfferPlace, OfferPosition, OfferServices, OfferServicesQuery, SpecialOffer,
};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::marketing::special_offers::rules::{OfferAction, SpecialOfferDraft, TEXTS};
use crate::marketing::special_offers::{SPECIAL_OFFERS, StoredSpecialOffer};
use crate::records::search_texts;
use crate::records::{references, texts};
use panel_platform::db::{Sql, SqlExecutor, Val, names};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// Number of services per page of the selection.
const PAGE_SIZE: i64 = 30;

/// A locked special offer as stored.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct LockedOfferRow {
    name: String,
    network_id: NetworkId,
    place: OfferPlace,
    position: OfferPosition,
    is_enabled: bool,
    pub(super) is_archived: bool,
    pub(super) updated_at: Timestamp,
}

/// Loads and locks a special offer.
pub(super) async fn lock(
    work: &mut UnitOfWork,
    id: SpecialOfferId,
) -> Result<(SpecialOfferDraft, LockedOfferRow)> {
    let sql = Sql::new(
        "SELECT name, network_id, place, position, is_enabled, is_archived, updated_at FROM special_offers WHERE id = ?",
    );
    let row: Option<LockedOfferRow> = work.fetch_optional(sql.bind(id).for_update()).await?;
    let locked_row = row.ok_or_else(|| Error::not_found("special offer", id))?;

    let draft = SpecialOfferDraft {
        translations: texts::load_one(work, &TEXTS, id, &locked_row.name).await?,
        name: locked_row.name.clone(),
        network_id: Some(locked_row.network_id),
        place: Some(locked_row.place),
        position: Some(locked_row.position),
        is_enabled: locked_row.is_enabled,
        services: into_ids(load_named(work, Sql::new(SELECT_SERVICES).bind(id)).await?),
        service_types: into_ids(load_named(work, Sql::new(SELECT_TYPES).bind(id)).await?),
    };
    Ok((draft, locked_row))
}

const SELECT_SERVICES: &str = "SELECT s.id, s.name FROM special_offer_services x JOIN services s ON s.id = x.service_id WHERE x.offer_id = ? ORDER BY x.sorting";
const SELECT_TYPES: &str = "SELECT t.id, t.name FROM special_offer_types x JOIN service_types t ON t.id = x.service_type_id WHERE x.offer_id = ? ORDER BY x.sorting";

async fn load_named<I: Id>(db: &mut impl SqlExecutor, sql: Sql) -> Result<Vec<NamedRef<I>>> {
    let rows: Vec<(i64, String)> = db.fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id, name)| NamedRef { id: I::new(id), name }).collect())
}

/// Returns untyped ids, so that one loop checks ids of two kinds.
fn to_record_ids<I: Id>(ids: &[I]) -> Vec<RecordId> {
    ids.iter().map(|id| RecordId::new(id.get())).collect()
}

fn into_ids<I>(references: Vec<NamedRef<I>>) -> Vec<I> {
    references.into_iter().map(|record| record.id).collect()
}

/// Checks that the network exists, that all services and types belong to it, and that new services are not archived.
pub(super) async fn check_references(
    work: &mut UnitOfWork,
    draft: &SpecialOfferDraft,
    old_draft: &SpecialOfferDraft,
) -> Result<()> {
    let is_new = |id: &ServiceId| !old_draft.services.contains(id);
    let new_services = draft.services.iter().enumerate().filter(|(_, id)| is_new(id));
    let new_services: Vec<(String, ServiceId)> =
        new_services.map(|(index, id)| (format!("services.{index}"), *id)).collect();
    let mut errors = references::check_not_archived(work, &new_services).await?;
    let network = match draft.network_id {
        Some(id) if names::load_name(work, "networks", id).await?.is_none() => {
            errors.add("network_id", format!("Network {id} does not exist. Choose another one."));
            None
        }
        network => network,
    };
    for (field, noun, select_sql, ids, old_ids) in [
        (
            "services",
            "service",
            "SELECT s.id, t.network_id FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE s.id IN ",
            to_record_ids(&draft.services),
            to_record_ids(&old_draft.services),
        ),
        (
            "service_types",
            "service type",
            "SELECT t.id, t.network_id FROM service_types t WHERE t.id IN ",
            to_record_ids(&draft.service_types),
            to_record_ids(&old_draft.service_types),
        ),
    ] {
        // The lock prevents one of them from moving to another network before the write.
        let sql = Sql::new(select_sql).ids(&ids).push(" ORDER BY 1").for_share();
        let networks_by_id: BTreeMap<RecordId, NetworkId> =
            work.fetch_all::<(RecordId, NetworkId)>(sql).await?.into_iter().collect();
        // Without a valid network, an id of any network is accepted here.
        let is_in_network = |id: &RecordId| {
            networks_by_id
                .get(id)
                .is_some_and(|record_network| network.is_none_or(|network| network == *record_network))
        };
        let is_unchanged = |id: &RecordId| draft.network_id == old_draft.network_id && old_ids.contains(id);
        let is_valid = |id: &RecordId| is_unchanged(id) || is_in_network(id);
        for (index, id) in ids.iter().enumerate().filter(|(_, id)| !is_valid(id)).take(20) {
            errors.add(
                format!("{field}.{index}"),
                format!("This network has no {noun} {id}. Choose another one."),
            );
        }
    }
    Ok(errors.into_result(())?)
}

/// Returns the INSERT and the UPDATE of an offer, without its services and service types.
fn insert_and_update_sql(draft: &SpecialOfferDraft, now: Timestamp) -> [Sql; 2] {
    let SpecialOfferDraft { name, network_id, place, position, is_enabled, .. } = draft;
    sql!(
        [
            "INSERT INTO special_offers (name, network_id, place, position, is_enabled, created_at, updated_at) \
               VALUES (@name, @network_id, @place, @position, @is_enabled, @now, @now) RETURNING id",
            "UPDATE special_offers SET name = @name, network_id = @network_id, place = @place, position = @position, \
               is_enabled = @is_enabled, updated_at = @now WHERE id = @id",
        ],
        {
            name: name.as_str(),
            network_id,
            place: place.map(OfferPlace::as_str),
            position: position.map(OfferPosition::as_str),
            is_enabled,
            now,
        },
        bound_later: [id],
    )
}

pub(super) async fn insert(work: &mut UnitOfWork, draft: &SpecialOfferDraft) -> Result<SpecialOfferId> {
    let [insert_sql, _] = insert_and_update_sql(draft, work.timestamp());
    let (id,): (SpecialOfferId,) = work.fetch_one(insert_sql).await?;
    insert_children(work, id, draft).await?;
    Ok(id)
}

pub(super) async fn update_row(
    work: &mut UnitOfWork,
    id: SpecialOfferId,
    draft: &SpecialOfferDraft,
) -> Result<()> {
    let [_, update_sql] = insert_and_update_sql(draft, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    delete_children(work, id).await?;
    insert_children(work, id, draft).await
}

async fn delete_children(work: &mut UnitOfWork, id: SpecialOfferId) -> Result<()> {
    for sql in [
        "DELETE FROM special_offer_services WHERE offer_id = ?",
        "DELETE FROM special_offer_types WHERE offer_id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn insert_children(work: &mut UnitOfWork, id: SpecialOfferId, draft: &SpecialOfferDraft) -> Result<()> {
    for (sql, ids) in [
        (
            "INSERT INTO special_offer_services (offer_id, service_id, sorting) SELECT ?, r.id, r.number FROM ",
            to_record_ids(&draft.services),
        ),
        (
            "INSERT INTO special_offer_types (offer_id, service_type_id, sorting) SELECT ?, r.id, r.number FROM ",
            to_record_ids(&draft.service_types),
        ),
    ] {
        let rows: Vec<Vec<Val>> =
            ids.iter().zip(1_i64..).map(|(id, position)| vec![(*id).into(), position.into()]).collect();
        if !rows.is_empty() {
            work.execute(Sql::new(sql).bind(id).rows("r", &["id", "number"], rows)).await?;
        }
    }
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

/// Sets the flag of an action if it has not changed since the check.
pub(super) async fn set_flag(work: &mut UnitOfWork, id: SpecialOfferId, action: OfferAction) -> Result<()> {
    let (column, value) = action.column_and_value();
    let sql = Sql::new("UPDATE special_offers SET ").push(column).push(" = ?").bind(value);
    let sql = sql.push(", updated_at = ? WHERE id = ? AND ").bind(work.timestamp()).bind(id);
    if work.execute(sql.push(column).push(" <> ?").bind(value)).await? == 0 {
        let message = "Another staff member has changed this offer. Reload it and try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    Ok(())
}

pub(super) async fn delete_offer(work: &mut UnitOfWork, id: SpecialOfferId) -> Result<()> {
    delete_children(work, id).await?;
    let delete_texts_sql =
        Sql::new("DELETE FROM translations WHERE owner_type = 'special_offer' AND owner_id = ?");
    work.execute(delete_texts_sql.bind(id)).await?;
    work.execute(Sql::new("DELETE FROM special_offers WHERE id = ?").bind(id)).await?;
    Ok(())
}

/// Loads a special offer with services, types and texts in five statements.
pub(super) async fn load(
    db: &mut impl SqlExecutor,
    scope: &Scope,
    id: SpecialOfferId,
) -> Result<SpecialOffer> {
    let into_row = |offer: StoredSpecialOffer, scope: &Scope| offer.into_row(scope);
    let mut rows = table::load_rows_from(db, scope, &SPECIAL_OFFERS, &[id], into_row).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("special offer", id))?;
    let updated_at_sql = Sql::new("SELECT updated_at FROM special_offers WHERE id = ?").bind(id);
    let (updated_at,): (Timestamp,) = db.fetch_one(updated_at_sql).await?;
    let translations = texts::load_one(db, &TEXTS, id, &row.name).await?;
    let services = load_named(db, Sql::new(SELECT_SERVICES).bind(id)).await?;
    let service_types = load_named(db, Sql::new(SELECT_TYPES).bind(id)).await?;
    Ok(SpecialOffer { row, services, service_types, translations, updated_at })
}

/// Loads a page of the enabled services that are not archived.
pub(super) async fn load_service_page(ctx: &Ctx, query: &OfferServicesQuery) -> Result<OfferServices> {
    let page = query.page.unwrap_or(1);
    if !(1..=1_000_000).contains(&page) {
        return Err(FieldErrors::single("page", "Send a page from 1 to 1000000.").into());
    }
    let from_clause = || {
        let mut sql = Sql::new(
            " FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE s.is_enabled AND NOT s.is_archived",
        );
        if let Some(network) = query.network_id {
            sql = sql.push(" AND t.network_id = ?").bind(network);
        }
        match query.search.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            None => sql,
            Some(text) => {
                let matching_ids_sql = table::select_matching_ids(&search_texts::SERVICES, text, ctx);
                let sql = sql.push(" AND (s.id IN (").append(matching_ids_sql).push(")");
                match text.parse::<ServiceId>() {
                    Ok(id) => sql.push(" OR s.id = ?").bind(id).push(")"),
                    Err(_) => sql.push(")"),
                }
            }
        }
    };
    let db = &mut ctx.db();
    let (count,): (i64,) = db.fetch_one(Sql::new("SELECT count(*)").append(from_clause())).await?;
    let sql =
        Sql::new("SELECT s.id, s.name").append(from_clause()).push(" ORDER BY s.name, s.id LIMIT ? OFFSET ?");
    let items = load_named(db, sql.bind(PAGE_SIZE).bind((page - 1) * PAGE_SIZE)).await?;
    Ok(OfferServices { items, current_page: page, last_page: ((count + PAGE_SIZE - 1) / PAGE_SIZE).max(1) })
}

pub(super) async fn load_types(
    db: &mut impl SqlExecutor,
    network: Option<NetworkId>,
) -> Result<Vec<NamedRef<ServiceTypeId>>> {
    let mut sql = Sql::new("SELECT id, name FROM service_types");
    if let Some(network) = network {
        sql = sql.push(" WHERE network_id = ?").bind(network);
    }
    load_named(db, sql.push(" ORDER BY sorting, id")).await
}

pub(super) async fn load_networks(db: &mut impl SqlExecutor) -> Result<Vec<NamedRef<NetworkId>>> {
    load_named(db, Sql::new("SELECT id, name FROM networks ORDER BY sorting, id")).await
}
