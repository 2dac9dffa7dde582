//! Special offers in the database, and what their pickers offer.

use std::collections::BTreeMap;

use panel_contract::common::Named;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{Id, NetworkId, RecordId, ServiceId, ServiceTypeId, SpecialOfferId};
use panel_contract::moment::Stamp;
use panel_contract::special_offers::{
    OfferPlace, OfferPosition, OfferServices, OfferServicesQuery, SpecialOffer,
};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::marketing::special_offers::rules::{Draft, Move, TEXTS};
use crate::marketing::special_offers::{Record, SPECIAL_OFFERS};
use crate::records::search_texts;
use crate::records::{texts, uses};
use panel_platform::db::{Source, Sql, Val, names};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::Work;

/// Services of one page of the picker.
const PAGE: i64 = 30;

/// A special offer as it is locked.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Kept {
    name: String,
    network_id: NetworkId,
    place: OfferPlace,
    position: OfferPosition,
    is_enabled: bool,
    pub(super) is_archived: bool,
    pub(super) updated_at: Stamp,
}

/// Reads and locks it.
pub(super) async fn lock(work: &mut Work, id: SpecialOfferId) -> Result<(Draft, Kept)> {
    let sql = Sql::new(
        "SELECT name, network_id, place, position, is_enabled, is_archived, updated_at FROM special_offers WHERE id = ?",
    );
    let kept: Option<Kept> = work.opt(sql.bind(id).for_update()).await?;
    let kept = kept.ok_or_else(|| Error::not_found("special offer", id))?;

    let draft = Draft {
        translations: texts::of(work, &TEXTS, id, &kept.name).await?,
        name: kept.name.clone(),
        network_id: Some(kept.network_id),
        place: Some(kept.place),
        position: Some(kept.position),
        is_enabled: kept.is_enabled,
        services: ids_of(named(work, Sql::new(SERVICES).bind(id)).await?),
        service_types: ids_of(named(work, Sql::new(TYPES).bind(id)).await?),
    };
    Ok((draft, kept))
}

const SERVICES: &str = "SELECT s.id, s.name FROM special_offer_services x JOIN services s ON s.id = x.service_id WHERE x.offer_id = ? ORDER BY x.sorting";
const TYPES: &str = "SELECT t.id, t.name FROM special_offer_types x JOIN service_types t ON t.id = x.service_type_id WHERE x.offer_id = ? ORDER BY x.sorting";

async fn named<I: Id>(db: &mut impl Source, sql: Sql) -> Result<Vec<Named<I>>> {
    let rows: Vec<(i64, String)> = db.all(sql).await?;
    Ok(rows.into_iter().map(|(id, name)| Named { id: I::new(id), name }).collect())
}

/// Ids of two kinds are judged by one loop.
fn records<I: Id>(ids: &[I]) -> Vec<RecordId> {
    ids.iter().map(|id| RecordId::new(id.get())).collect()
}

fn ids_of<I>(named: Vec<Named<I>>) -> Vec<I> {
    named.into_iter().map(|one| one.id).collect()
}

/// The network must be there, everything in the offer must be of it, and services that are new must not be archived.
pub(super) async fn check_references(work: &mut Work, draft: &Draft, before: &Draft) -> Result<()> {
    let is_new = |id: &ServiceId| !before.services.contains(id);
    let new = draft.services.iter().enumerate().filter(|(_, id)| is_new(id));
    let new: Vec<(String, ServiceId)> = new.map(|(at, id)| (format!("services.{at}"), *id)).collect();
    let mut errors = uses::check_not_archived(work, &new).await?;
    let network = match draft.network_id {
        Some(id) if names::one(work, "networks", id).await?.is_none() => {
            errors.add("network_id", format!("There is no network {id}."));
            None
        }
        network => network,
    };
    for (field, what, sql, ids, ids_before) in [
        (
            "services",
            "service",
            "SELECT s.id, t.network_id FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE s.id IN ",
            records(&draft.services),
            records(&before.services),
        ),
        (
            "service_types",
            "service type",
            "SELECT t.id, t.network_id FROM service_types t WHERE t.id IN ",
            records(&draft.service_types),
            records(&before.service_types),
        ),
    ] {
        // Locked, so that none goes to another network meanwhile.
        let sql = Sql::new(sql).ids(&ids).push(" ORDER BY 1").for_share();
        let known: BTreeMap<RecordId, NetworkId> =
            work.all::<(RecordId, NetworkId)>(sql).await?.into_iter().collect();
        // Without a network of its own, an offer has what is of any.
        let is_there =
            |id: &RecordId| known.get(id).is_some_and(|of| network.is_none_or(|network| network == *of));
        let is_old = |id: &RecordId| draft.network_id == before.network_id && ids_before.contains(id);
        let fits = |id: &RecordId| is_old(id) || is_there(id);
        for (at, id) in ids.iter().enumerate().filter(|(_, id)| !fits(id)).take(20) {
            errors.add(format!("{field}.{at}"), format!("There is no {what} {id} in this network."));
        }
    }
    Ok(errors.or(())?)
}

/// The INSERT and the UPDATE of an offer, without its services and service types.
fn statements(draft: &Draft, now: Stamp) -> [Sql; 2] {
    let Draft { name, network_id, place, position, is_enabled, .. } = draft;
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
        later: [id],
    )
}

pub(super) async fn insert(work: &mut Work, draft: &Draft) -> Result<SpecialOfferId> {
    let [insert, _] = statements(draft, work.stamp());
    let (id,): (SpecialOfferId,) = work.one(insert).await?;
    write_parts(work, id, draft).await?;
    Ok(id)
}

pub(super) async fn write(work: &mut Work, id: SpecialOfferId, draft: &Draft) -> Result<()> {
    let [_, update] = statements(draft, work.stamp());
    work.exec(update.named("id", id)).await?;
    clear_parts(work, id).await?;
    write_parts(work, id, draft).await
}

async fn clear_parts(work: &mut Work, id: SpecialOfferId) -> Result<()> {
    for sql in [
        "DELETE FROM special_offer_services WHERE offer_id = ?",
        "DELETE FROM special_offer_types WHERE offer_id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

async fn write_parts(work: &mut Work, id: SpecialOfferId, draft: &Draft) -> Result<()> {
    for (sql, ids) in [
        (
            "INSERT INTO special_offer_services (offer_id, service_id, sorting) SELECT ?, r.id, r.place FROM ",
            records(&draft.services),
        ),
        (
            "INSERT INTO special_offer_types (offer_id, service_type_id, sorting) SELECT ?, r.id, r.place FROM ",
            records(&draft.service_types),
        ),
    ] {
        let rows: Vec<Vec<Val>> =
            ids.iter().zip(1_i64..).map(|(id, place)| vec![(*id).into(), place.into()]).collect();
        if !rows.is_empty() {
            work.exec(Sql::new(sql).bind(id).rows("r", &["id", "place"], rows)).await?;
        }
    }
    Ok(texts::write(work, &TEXTS, id, &draft.translations).await?)
}

/// What was judged is written on condition that nobody was faster.
pub(super) async fn set(work: &mut Work, id: SpecialOfferId, action: Move) -> Result<()> {
    let (field, to) = action.sets();
    let sql = Sql::new("UPDATE special_offers SET ").push(field).push(" = ?").bind(to);
    let sql = sql.push(", updated_at = ? WHERE id = ? AND ").bind(work.stamp()).bind(id);
    if work.exec(sql.push(field).push(" <> ?").bind(to)).await? == 0 {
        let message = "Somebody else was faster; reload to see where the offer stands.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    Ok(())
}

pub(super) async fn remove(work: &mut Work, id: SpecialOfferId) -> Result<()> {
    clear_parts(work, id).await?;
    let texts = Sql::new("DELETE FROM translations WHERE owner_type = 'special_offer' AND owner_id = ?");
    work.exec(texts.bind(id)).await?;
    work.exec(Sql::new("DELETE FROM special_offers WHERE id = ?").bind(id)).await?;
    Ok(())
}

/// One special offer with everything about it, in five statements.
pub(super) async fn load(db: &mut impl Source, scope: &Scope, id: SpecialOfferId) -> Result<SpecialOffer> {
    let shown = |record: Record, scope: &Scope| record.shown(scope);
    let mut rows = table::rows_from(db, scope, &SPECIAL_OFFERS, &[id], shown).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("special offer", id))?;
    let stamp = Sql::new("SELECT updated_at FROM special_offers WHERE id = ?").bind(id);
    let (updated_at,): (Stamp,) = db.one(stamp).await?;
    let translations = texts::of(db, &TEXTS, id, &row.name).await?;
    let services = named(db, Sql::new(SERVICES).bind(id)).await?;
    let service_types = named(db, Sql::new(TYPES).bind(id)).await?;
    Ok(SpecialOffer { row, services, service_types, translations, updated_at })
}

/// A page of the services on sale.
pub(super) async fn pick_services(ctx: &Ctx, query: &OfferServicesQuery) -> Result<OfferServices> {
    let page = query.page.unwrap_or(1);
    if !(1..=1_000_000).contains(&page) {
        return Err(FieldErrors::one("page", "Give a page from 1.").into());
    }
    let found = || {
        let mut sql = Sql::new(
            " FROM services s JOIN service_types t ON t.id = s.service_type_id WHERE s.is_enabled AND NOT s.is_archived",
        );
        if let Some(network) = query.network_id {
            sql = sql.push(" AND t.network_id = ?").bind(network);
        }
        match query.search.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            None => sql,
            Some(text) => {
                let texts = table::search_ids(&search_texts::SERVICES, text, ctx);
                let sql = sql.push(" AND (s.id IN (").append(texts).push(")");
                match text.parse::<ServiceId>() {
                    Ok(id) => sql.push(" OR s.id = ?").bind(id).push(")"),
                    Err(_) => sql.push(")"),
                }
            }
        }
    };
    let db = &mut ctx.db();
    let (count,): (i64,) = db.one(Sql::new("SELECT count(*)").append(found())).await?;
    let sql = Sql::new("SELECT s.id, s.name").append(found()).push(" ORDER BY s.name, s.id LIMIT ? OFFSET ?");
    let items = named(db, sql.bind(PAGE).bind((page - 1) * PAGE)).await?;
    Ok(OfferServices { items, current_page: page, last_page: ((count + PAGE - 1) / PAGE).max(1) })
}

pub(super) async fn pick_types(
    db: &mut impl Source,
    network: Option<NetworkId>,
) -> Result<Vec<Named<ServiceTypeId>>> {
    let mut sql = Sql::new("SELECT id, name FROM service_types");
    if let Some(network) = network {
        sql = sql.push(" WHERE network_id = ?").bind(network);
    }
    named(db, sql.push(" ORDER BY sorting, id")).await
}

pub(super) async fn pick_networks(db: &mut impl Source) -> Result<Vec<Named<NetworkId>>> {
    named(db, Sql::new("SELECT id, name FROM networks ORDER BY sorting, id")).await
}
