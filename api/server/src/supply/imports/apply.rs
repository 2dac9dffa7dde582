//! Reading providers with what follows them, and writing what the rule found: set-wise, under locks, and only over what
//! was judged.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::external_services::{SyncField, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, RecordId, ServiceId, SyncChangeId, SyncRunId};
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value, json};

use super::followed::FOLLOWED;
use super::judge::{Change, FieldValue, LastDecision, Provider, SyncPolicy};
use super::store;
use super::{labels, own_prices, sold};
use crate::pricing::available;
use crate::pricing::rates::ExchangeRates;
use crate::records::changes::{self, RecordChange};
use crate::stores::providers as store_of_providers;
use panel_platform::db::{Source, Sql, Val, names};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

#[derive(sqlx::FromRow)]
struct PanelRow {
    is_followed: bool,
    sync_prices: bool,
    sync_name: bool,
    sync_params: bool,
    sync_service_details: bool,
    sync_description: bool,
    sync_short_description: bool,
    sync_meta: bool,
    sync_reviews: bool,
    sync_labels: bool,
    currency: String,
    price_jump_ppm: Fraction,
    resale_margin_ppm: Option<Fraction>,
}

/// What a panel's services are followed by now.
pub async fn load_policy(db: &mut impl Source, panel: ExternalPanelId) -> Result<SyncPolicy> {
    let sql = Sql::new(
        "SELECT sync_prices, sync_name, sync_params, sync_service_details, sync_description, sync_short_description, sync_meta, sync_reviews, sync_labels, currency, price_jump_ppm, resale_margin_ppm, ",
    );
    let sql = sql.push(FOLLOWED).push(" AS is_followed FROM external_panels WHERE id = ?");
    let row: Option<PanelRow> = db.opt(sql.bind(panel)).await?;
    let row = row.ok_or_else(|| Error::not_found("external panel", panel))?;
    Ok(SyncPolicy {
        availability: row.is_followed,
        prices: row.sync_prices,
        names: row.sync_name,
        bounds: row.sync_params,
        details: row.sync_service_details,
        descriptions: row.sync_description,
        short_descriptions: row.sync_short_description,
        meta: row.sync_meta,
        reviews: row.sync_reviews,
        labels: row.sync_labels,
        currency: row.currency,
        jump: row.price_jump_ppm,
        margin: row.resale_margin_ppm,
        least: settings::min_margin(db).await?,
        rates: ExchangeRates::read(db).await?,
    })
}

/// Locks providers and all services of theirs.
pub async fn lock(work: &mut UnitOfWork, providers: &[ProviderId]) -> Result<()> {
    let services = Sql::new(
        "SELECT id FROM services WHERE id IN (SELECT service_id FROM service_providers WHERE provider_id IN ",
    );
    let _: Vec<(ServiceId,)> = work.all(services.ids(providers).push(") ORDER BY id").for_update()).await?;
    Ok(work.lock("providers", providers).await?)
}

/// A record's fields before and after.
type OldAndNew = (Map<String, Value>, Map<String, Value>);

#[derive(sqlx::FromRow)]
struct ProviderRow {
    id: ProviderId,
    external_panel_service_id: String,
    source_price: Money,
    source_currency: String,
    source_pricing_per: i64,
    is_active: bool,
    is_vanished: bool,
}

/// Providers of a panel that are in use, all or some, with the services that follow them.
pub async fn load(
    db: &mut impl Source,
    panel: ExternalPanelId,
    some: Option<&[ProviderId]>,
) -> Result<Vec<Provider>> {
    let sql = Sql::new(
        "SELECT p.id, p.external_panel_service_id, p.source_price, p.source_currency, p.source_pricing_per, p.status = 'active' AS is_active,
           p.vanished_at IS NOT NULL AS is_vanished
         FROM providers p WHERE p.external_panel_id = ? AND p.external_panel_service_id IS NOT NULL AND NOT p.is_archived",
    );
    let rows: Vec<ProviderRow> =
        db.all(only(sql.bind(panel), " AND p.id IN ", some).push(" ORDER BY p.id")).await?;
    let mut services = sold::by_provider(db, panel, some).await?;
    let mut standing = standing(db, panel, some).await?;
    let provider = |row: ProviderRow| Provider {
        on_price: standing.remove(&(row.id, SyncField::SourcePrice)),
        on_availability: standing.remove(&(row.id, SyncField::Availability)),
        services: services.remove(&row.id).unwrap_or_default(),
        id: row.id,
        there: row.external_panel_service_id,
        price: row.source_price,
        currency: row.source_currency,
        per: row.source_pricing_per,
        is_active: row.is_active,
        is_vanished: row.is_vanished,
    };
    Ok(rows.into_iter().map(provider).collect())
}

pub(super) fn only(sql: Sql, before: &'static str, some: Option<&[ProviderId]>) -> Sql {
    match some {
        Some(ids) => sql.push(before).ids(ids),
        None => sql,
    }
}

async fn standing(
    db: &mut impl Source,
    panel: ExternalPanelId,
    some: Option<&[ProviderId]>,
) -> Result<BTreeMap<(ProviderId, SyncField), LastDecision>> {
    let sql = Sql::new(
        "SELECT c.provider_id, c.field, c.id, c.new_value FROM sync_changes c WHERE c.stands AND c.external_panel_id = ?",
    );
    let rows: Vec<(ProviderId, SyncField, SyncChangeId, String)> =
        db.all(only(sql.bind(panel), " AND c.provider_id IN ", some)).await?;
    Ok(rows
        .into_iter()
        .map(|(provider, field, id, new)| ((provider, field), LastDecision { id, new }))
        .collect())
}

/// Writes what was judged under the lock, and the sync log of it; what went off sale by it stands in the log, too, and comes
/// back.
pub async fn write(
    work: &mut UnitOfWork,
    of: (SyncRunId, ExternalPanelId),
    currency: &str,
    changes: &[Change],
    over: &[SyncChangeId],
) -> Result<Vec<Change>> {
    store::outdate(work, over).await?;
    let off = make(work, currency, changes).await?;
    let now = work.now;
    store::log(work, of, changes, now).await?;
    store::log(work, of, &off, now).await?;
    Ok(off)
}

/// Makes the changes that are to be made. A service whose last provider vanishes by them goes off sale: these changes come
/// back.
pub async fn make(work: &mut UnitOfWork, currency: &str, changes: &[Change]) -> Result<Vec<Change>> {
    let made: Vec<&Change> = changes.iter().filter(|change| change.state != SyncState::Held).collect();
    record_change(work, &made).await?;
    let mut by_field: BTreeMap<SyncField, Vec<&Change>> = BTreeMap::new();
    for change in &made {
        by_field.entry(change.field).or_default().push(change);
    }
    for (field, changes) in by_field {
        set(work, field, currency, &changes).await?;
    }
    let off = without_providers(work, &made).await?;
    let off_now: Vec<&Change> = off.iter().collect();
    if !off.is_empty() {
        record_change(work, &off_now).await?;
        set(work, SyncField::IsDeactivated, currency, &off_now).await?;
    }
    Ok(off)
}

/// The services on sale that no provider delivers any more since these changes; their rows are locked.
async fn without_providers(work: &mut UnitOfWork, made: &[&Change]) -> Result<Vec<Change>> {
    let is_gone =
        |change: &&&Change| change.field == SyncField::Availability && change.new == FieldValue::Flag(false);
    let gone: BTreeMap<ProviderId, &str> =
        made.iter().filter(is_gone).map(|change| (change.provider, &*change.there)).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "SELECT s.id, min(m.provider_id) FROM service_providers m JOIN services s ON s.id = m.service_id
         WHERE NOT s.has_active_providers AND NOT s.is_deactivated AND NOT s.is_archived AND m.provider_id IN ",
    );
    let ids: Vec<ProviderId> = gone.keys().copied().collect();
    let services: Vec<(ServiceId, ProviderId)> =
        work.all(sql.ids(&ids).push(" GROUP BY s.id ORDER BY s.id")).await?;
    let off = services.into_iter().map(|(service, provider)| Change {
        provider,
        there: gone.get(&provider).copied().unwrap_or_default().to_owned(),
        service: Some(service),
        field: SyncField::IsDeactivated,
        old: FieldValue::Flag(false),
        new: FieldValue::Flag(true),
        state: SyncState::Applied,
    });
    Ok(off.collect())
}

/// One field of many records in one statement, over the values that were judged.
async fn set(work: &mut UnitOfWork, field: SyncField, currency: &str, changes: &[&Change]) -> Result<()> {
    let now = work.stamp();
    let row = |change: &&Change| vec![change.record().into(), Val::from(&change.old), Val::from(&change.new)];
    let rows: Vec<Vec<Val>> = changes.iter().map(row).collect();
    let (start, end) = match field {
        SyncField::Availability => return available(work, changes).await,
        SyncField::OwnPrices => return own_prices::raise(work, rows).await,
        SyncField::Description
        | SyncField::ShortDescription
        | SyncField::MetaTitle
        | SyncField::MetaDescription
        | SyncField::Reviews => return translate(work, field.as_str(), rows).await,
        SyncField::Labels => return labels::attach(work, changes).await,
        field => column(field),
    };
    let sql = Sql::new(start);
    let sql = match field {
        SyncField::SourcePrice => sql.bind(currency),
        SyncField::IsDeactivated => sql.bind(now),
        _ => sql,
    };
    let sql = sql.bind(now).rows("r", &["id", "old", "new"], rows.clone()).push(end);
    if work.exec(sql).await? != u64::try_from(changes.len()).unwrap_or(u64::MAX) {
        let message = "A service or provider changed meanwhile; try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    if field == SyncField::Name { translate(work, "name", rows).await } else { Ok(()) }
}

/// The two ends of the statement that writes a field of its own; its rows `r` stand between them.
const fn column(field: SyncField) -> (&'static str, &'static str) {
    match field {
        // The price is for as many units as the panel's list says now.
        SyncField::SourcePrice => (
            "UPDATE providers SET source_price = r.new, source_pricing_per = COALESCE((SELECT k.pricing_per FROM external_panel_services k
               WHERE k.external_panel_id = providers.external_panel_id AND k.external_panel_service_id = providers.external_panel_service_id),
               source_pricing_per), source_currency = ?, updated_at = ? FROM ",
            " WHERE providers.id = r.id AND providers.source_price = r.old",
        ),
        SyncField::DefaultPrice => (
            "UPDATE services SET default_price = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.default_price = r.old",
        ),
        SyncField::MinPrice => (
            "UPDATE services SET min_price = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.min_price = r.old",
        ),
        SyncField::Name => (
            "UPDATE services SET name = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.name = r.old",
        ),
        SyncField::MinQuantity => (
            "UPDATE services SET min_quantity = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.min_quantity = r.old",
        ),
        SyncField::MaxQuantity => (
            "UPDATE services SET max_quantity = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.max_quantity = r.old",
        ),
        SyncField::QuantityStep => (
            "UPDATE services SET quantity_step = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.quantity_step = r.old",
        ),
        SyncField::HasRefill => (
            "UPDATE services SET has_refill = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.has_refill = r.old",
        ),
        SyncField::DripFeedIsAllowed => (
            "UPDATE services SET drip_feed_is_allowed = r.new, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.drip_feed_is_allowed = r.old",
        ),
        SyncField::IsDeactivated => (
            "UPDATE services SET is_deactivated = r.new, deactivated_by_sync_at = CASE WHEN r.new THEN CAST(? AS BIGINT) END, updated_at = ? FROM ",
            " WHERE services.id = r.id AND services.is_deactivated = r.old",
        ),
        // These have statements of their own.
        SyncField::Availability
        | SyncField::OwnPrices
        | SyncField::Description
        | SyncField::ShortDescription
        | SyncField::MetaTitle
        | SyncField::MetaDescription
        | SyncField::Reviews
        | SyncField::Labels => ("", ""),
    }
}

/// English texts of services; rows are id, old and new. Their services are locked.
async fn translate(work: &mut UnitOfWork, field: &'static str, rows: Vec<Vec<Val>>) -> Result<()> {
    let ids: Vec<Val> = rows.iter().filter_map(|row| row.first().cloned()).collect();
    let texts = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', r.id, 'en', CAST(? AS TEXT), r.new FROM ",
    );
    let texts = texts.bind(field).rows("r", &["id", "old", "new"], rows);
    let end =
        " WHERE TRUE ON CONFLICT (owner_type, owner_id, locale, field) DO UPDATE SET value = excluded.value";
    work.exec(texts.push(end)).await?;
    let now = work.stamp();
    let sql = Sql::new("UPDATE services SET updated_at = ? FROM ").bind(now);
    let rows = ids.into_iter().map(|id| vec![id]).collect();
    work.exec(sql.rows("r", &["id"], rows).push(" WHERE services.id = r.id")).await?;
    Ok(())
}

/// Providers that vanish are disabled, those that come back deliver again; their services know it at once.
async fn available(work: &mut UnitOfWork, changes: &[&Change]) -> Result<()> {
    let now = work.stamp();
    let of = |sold: bool| {
        let flag = FieldValue::Flag(sold);
        changes.iter().filter(|change| change.new == flag).map(|change| change.provider).collect::<Vec<_>>()
    };
    let (back, gone) = (of(true), of(false));
    store_of_providers::mark_returned(work, &back, now).await?;
    store_of_providers::mark_vanished(work, &gone, now).await?;
    let providers: Vec<ProviderId> = back.into_iter().chain(gone).collect();
    let sql =
        Sql::new("SELECT DISTINCT service_id FROM service_providers WHERE provider_id IN ").ids(&providers);
    let services: Vec<ServiceId> = work.all::<(ServiceId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
    available::update_availability(work, &services).await
}

/// Audit and change log: each record once, with all of its fields.
async fn record_change(work: &mut UnitOfWork, changes: &[&Change]) -> Result<()> {
    for (model, table) in [(ChangeModel::Provider, "providers"), (ChangeModel::Service, "services")] {
        let mut records: BTreeMap<RecordId, OldAndNew> = BTreeMap::new();
        for change in
            changes.iter().filter(|change| change.service.is_some() == (model == ChangeModel::Service))
        {
            let (old, new) = records.entry(change.record()).or_default();
            old.insert(change.field.to_string(), json!(change.old.to_string()));
            new.insert(change.field.to_string(), json!(change.new.to_string()));
        }
        let ids: Vec<RecordId> = records.keys().copied().collect();
        let mut names = names::load_names(work, table, &ids).await?;
        let record_changes = records.into_iter().map(|(id, (old, new))| RecordChange {
            id,
            name: names.remove(&id).unwrap_or_default(),
            old: old.into(),
            new: new.into(),
        });
        changes::record_all(work, ChangeAction::Updated, model, record_changes.collect()).await?;
    }
    Ok(())
}
