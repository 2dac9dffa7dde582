//! Loads the providers and services that a sync compares, and applies the changes with one statement per field, under locks. A
//! change is applied only if the record still has the value that was compared.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::external_services::{SyncField, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, RecordId, ServiceId, SyncChangeId, SyncRunId};
use panel_kernel::error::{Error, Result};
use serde_json::{Map, Value, json};

use super::compare::{FieldValue, HeldOrRejectedChange, SyncChange, SyncPolicy, SyncedProvider};
use super::synced_panels::IS_SYNCED;
use super::{customer_prices, labels, sync_store, synced_services};
use crate::pricing::available;
use crate::pricing::rates::ExchangeRates;
use crate::records::changes::{self, RecordChange};
use crate::stores::providers as provider_store;
use panel_platform::db::{Sql, SqlExecutor, Val, names};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

#[derive(sqlx::FromRow)]
struct PanelSyncRow {
    is_synced: bool,
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

pub async fn load_policy(db: &mut impl SqlExecutor, panel: ExternalPanelId) -> Result<SyncPolicy> {
    let sql = Sql::new(
        "SELECT sync_prices, sync_name, sync_params, sync_service_details, sync_description, sync_short_description, sync_meta, sync_reviews, sync_labels, currency, price_jump_ppm, resale_margin_ppm, ",
    );
    let sql = sql.push(IS_SYNCED).push(" AS is_synced FROM external_panels WHERE id = ?");
    let row: Option<PanelSyncRow> = db.fetch_optional(sql.bind(panel)).await?;
    let row = row.ok_or_else(|| Error::not_found("external panel", panel))?;
    Ok(SyncPolicy {
        availability: row.is_synced,
        prices: row.sync_prices,
        names: row.sync_name,
        quantity_limits: row.sync_params,
        details: row.sync_service_details,
        descriptions: row.sync_description,
        short_descriptions: row.sync_short_description,
        meta: row.sync_meta,
        reviews: row.sync_reviews,
        labels: row.sync_labels,
        currency: row.currency,
        price_jump_limit: row.price_jump_ppm,
        panel_margin: row.resale_margin_ppm,
        min_margin: settings::read_min_margin(db).await?,
        rates: ExchangeRates::load(db).await?,
    })
}

/// Locks the providers and all their services. Services are locked first, in the lock order of every sync.
pub async fn lock_providers(work: &mut UnitOfWork, providers: &[ProviderId]) -> Result<()> {
    let lock_services_sql = Sql::new(
        "SELECT id FROM services WHERE id IN (SELECT service_id FROM service_providers WHERE provider_id IN ",
    );
    let _: Vec<(ServiceId,)> =
        work.fetch_all(lock_services_sql.ids(providers).push(") ORDER BY id").for_update()).await?;
    Ok(work.lock("providers", providers).await?)
}

/// The changed fields of a record with their old values, and the same fields with their new values.
type OldAndNewFields = (Map<String, Value>, Map<String, Value>);

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

/// Loads the providers of an external panel that are not archived, with the services that are synced from them. `provider_filter`
/// limits the result to these providers.
pub async fn load_providers(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    provider_filter: Option<&[ProviderId]>,
) -> Result<Vec<SyncedProvider>> {
    let sql = Sql::new(
        "SELECT p.id, p.external_panel_service_id, p.source_price, p.source_currency, p.source_pricing_per, p.status = 'active' AS is_active,
           p.vanished_at IS NOT NULL AS is_vanished
         FROM providers p WHERE p.external_panel_id = ? AND p.external_panel_service_id IS NOT NULL AND NOT p.is_archived",
    );
    let rows: Vec<ProviderRow> = db
        .fetch_all(
            filter_by_provider(sql.bind(panel), " AND p.id IN ", provider_filter).push(" ORDER BY p.id"),
        )
        .await?;
    let mut services = synced_services::load_by_provider(db, panel, provider_filter).await?;
    let mut held_or_rejected = load_held_or_rejected(db, panel, provider_filter).await?;
    let to_synced_provider = |row: ProviderRow| SyncedProvider {
        held_or_rejected_price: held_or_rejected.remove(&(row.id, SyncField::SourcePrice)),
        held_or_rejected_availability: held_or_rejected.remove(&(row.id, SyncField::Availability)),
        services: services.remove(&row.id).unwrap_or_default(),
        id: row.id,
        external_service_id: row.external_panel_service_id,
        price: row.source_price,
        currency: row.source_currency,
        pricing_per: row.source_pricing_per,
        is_active: row.is_active,
        is_vanished: row.is_vanished,
    };
    Ok(rows.into_iter().map(to_synced_provider).collect())
}

pub(super) fn filter_by_provider(
    sql: Sql,
    condition: &'static str,
    provider_filter: Option<&[ProviderId]>,
) -> Sql {
    match provider_filter {
        Some(ids) => sql.push(condition).ids(ids),
        None => sql,
    }
}

async fn load_held_or_rejected(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    provider_filter: Option<&[ProviderId]>,
) -> Result<BTreeMap<(ProviderId, SyncField), HeldOrRejectedChange>> {
    let sql = Sql::new(
        "SELECT c.provider_id, c.field, c.id, c.new_value FROM sync_changes c WHERE c.is_current AND c.external_panel_id = ?",
    );
    let rows: Vec<(ProviderId, SyncField, SyncChangeId, String)> =
        db.fetch_all(filter_by_provider(sql.bind(panel), " AND c.provider_id IN ", provider_filter)).await?;
    Ok(rows
        .into_iter()
        .map(|(provider, field, id, new_value)| ((provider, field), HeldOrRejectedChange { id, new_value }))
        .collect())
}

/// Applies the changes that are not held, and logs all changes. The caller must still hold the locks under which it compared the
/// records. Returns additional changes: services that were deactivated because they have no available provider any more.
pub async fn apply_and_log(
    work: &mut UnitOfWork,
    (run, panel): (SyncRunId, ExternalPanelId),
    currency: &str,
    changes: &[SyncChange],
    outdated_ids: &[SyncChangeId],
) -> Result<Vec<SyncChange>> {
    sync_store::mark_outdated(work, outdated_ids).await?;
    let deactivations = apply_changes(work, currency, changes).await?;
    let now = work.now;
    sync_store::log_changes(work, (run, panel), changes, now).await?;
    sync_store::log_changes(work, (run, panel), &deactivations, now).await?;
    Ok(deactivations)
}

/// Applies the changes that are not held, then deactivates the services that lost their last available provider. Returns these
/// deactivations.
pub async fn apply_changes(
    work: &mut UnitOfWork,
    currency: &str,
    changes: &[SyncChange],
) -> Result<Vec<SyncChange>> {
    let changes_to_apply: Vec<&SyncChange> =
        changes.iter().filter(|change| change.state != SyncState::Held).collect();
    record_changes(work, &changes_to_apply).await?;
    let mut changes_by_field: BTreeMap<SyncField, Vec<&SyncChange>> = BTreeMap::new();
    for change in &changes_to_apply {
        changes_by_field.entry(change.field).or_default().push(change);
    }
    for (field, changes) in changes_by_field {
        write_field(work, field, currency, &changes).await?;
    }
    let deactivations = find_services_without_provider(work, &changes_to_apply).await?;
    if !deactivations.is_empty() {
        let changes: Vec<&SyncChange> = deactivations.iter().collect();
        record_changes(work, &changes).await?;
        write_field(work, SyncField::IsDeactivated, currency, &changes).await?;
    }
    Ok(deactivations)
}

/// Finds the services on sale that have no available provider after these changes, and returns their deactivations. The caller must
/// hold the locks of the services.
async fn find_services_without_provider(
    work: &mut UnitOfWork,
    applied_changes: &[&SyncChange],
) -> Result<Vec<SyncChange>> {
    let disables_provider = |change: &&&SyncChange| {
        change.field == SyncField::Availability && change.new == FieldValue::Flag(false)
    };
    let disabled_providers: BTreeMap<ProviderId, &str> = applied_changes
        .iter()
        .filter(disables_provider)
        .map(|change| (change.provider, &*change.external_service_id))
        .collect();
    if disabled_providers.is_empty() {
        return Ok(Vec::new());
    }
    let sql = Sql::new(
        "SELECT s.id, min(m.provider_id) FROM service_providers m JOIN services s ON s.id = m.service_id
         WHERE NOT s.has_active_providers AND NOT s.is_deactivated AND NOT s.is_archived AND m.provider_id IN ",
    );
    let ids: Vec<ProviderId> = disabled_providers.keys().copied().collect();
    let services: Vec<(ServiceId, ProviderId)> =
        work.fetch_all(sql.ids(&ids).push(" GROUP BY s.id ORDER BY s.id")).await?;
    let deactivations = services.into_iter().map(|(service, provider)| SyncChange {
        provider,
        external_service_id: disabled_providers.get(&provider).copied().unwrap_or_default().to_owned(),
        service: Some(service),
        field: SyncField::IsDeactivated,
        old: FieldValue::Flag(false),
        new: FieldValue::Flag(true),
        state: SyncState::Applied,
    });
    Ok(deactivations.collect())
}

/// Writes one field of many records in one statement. Returns a 409 error if a record no longer has the old value.
async fn write_field(
    work: &mut UnitOfWork,
    field: SyncField,
    currency: &str,
    changes: &[&SyncChange],
) -> Result<()> {
    let now = work.timestamp();
    let to_row = |change: &&SyncChange| {
        vec![change.changed_record_id().into(), Val::from(&change.old), Val::from(&change.new)]
    };
    let rows: Vec<Vec<Val>> = changes.iter().map(to_row).collect();
    let (update_sql, where_sql) = match field {
        SyncField::Availability => return write_availability(work, changes).await,
        SyncField::OwnPrices => return customer_prices::raise_customer_prices(work, rows).await,
        SyncField::Description
        | SyncField::ShortDescription
        | SyncField::MetaTitle
        | SyncField::MetaDescription
        | SyncField::Reviews => return write_translations(work, field.as_str(), rows).await,
        SyncField::Labels => return labels::replace_labels(work, changes).await,
        field => field_update_sql(field),
    };
    let sql = Sql::new(update_sql);
    let sql = match field {
        SyncField::SourcePrice => sql.bind(currency),
        SyncField::IsDeactivated => sql.bind(now),
        _ => sql,
    };
    let sql = sql.bind(now).rows("r", &["id", "old", "new"], rows.clone()).push(where_sql);
    if work.execute(sql).await? != u64::try_from(changes.len()).unwrap_or(u64::MAX) {
        let message = "Another request changed a service or provider during the sync. Try again.";
        return Err(Error::conflict("changed_meanwhile", message));
    }
    if field == SyncField::Name { write_translations(work, "name", rows).await } else { Ok(()) }
}

/// Returns the two parts of the UPDATE of a field. The caller inserts the rows `r` with the new values between them.
const fn field_update_sql(field: SyncField) -> (&'static str, &'static str) {
    match field {
        // The new price covers the number of units in the stored service list.
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
        // `write_field` writes these fields with other functions.
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

/// Writes the English text of one field of many services. A row contains the id, the old and the new value. The caller must hold
/// the locks of the services.
async fn write_translations(work: &mut UnitOfWork, field: &'static str, rows: Vec<Vec<Val>>) -> Result<()> {
    let ids: Vec<Val> = rows.iter().filter_map(|row| row.first().cloned()).collect();
    let insert_texts_sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', r.id, 'en', CAST(? AS TEXT), r.new FROM ",
    );
    let insert_texts_sql = insert_texts_sql.bind(field).rows("r", &["id", "old", "new"], rows);
    let on_conflict_sql =
        " WHERE TRUE ON CONFLICT (owner_type, owner_id, locale, field) DO UPDATE SET value = excluded.value";
    work.execute(insert_texts_sql.push(on_conflict_sql)).await?;
    let now = work.timestamp();
    let sql = Sql::new("UPDATE services SET updated_at = ? FROM ").bind(now);
    let rows = ids.into_iter().map(|id| vec![id]).collect();
    work.execute(sql.rows("r", &["id"], rows).push(" WHERE services.id = r.id")).await?;
    Ok(())
}

/// Disables the providers whose service is no longer listed, enables those whose service is listed again, and updates
/// `services.has_active_providers`.
async fn write_availability(work: &mut UnitOfWork, changes: &[&SyncChange]) -> Result<()> {
    let now = work.timestamp();
    let providers_with = |is_listed: bool| {
        let flag = FieldValue::Flag(is_listed);
        changes.iter().filter(|change| change.new == flag).map(|change| change.provider).collect::<Vec<_>>()
    };
    let (returned_providers, vanished_providers) = (providers_with(true), providers_with(false));
    provider_store::mark_listed_again(work, &returned_providers, now).await?;
    provider_store::mark_vanished(work, &vanished_providers, now).await?;
    let providers: Vec<ProviderId> = returned_providers.into_iter().chain(vanished_providers).collect();
    let sql =
        Sql::new("SELECT DISTINCT service_id FROM service_providers WHERE provider_id IN ").ids(&providers);
    let services: Vec<ServiceId> =
        work.fetch_all::<(ServiceId,)>(sql).await?.into_iter().map(|(id,)| id).collect();
    available::update_availability(work, &services).await
}

/// Writes one entry per record, with all changed fields of the record, to the audit trail and the change log.
async fn record_changes(work: &mut UnitOfWork, changes: &[&SyncChange]) -> Result<()> {
    for (model, table) in [(ChangeModel::Provider, "providers"), (ChangeModel::Service, "services")] {
        let mut fields_by_record: BTreeMap<RecordId, OldAndNewFields> = BTreeMap::new();
        for change in
            changes.iter().filter(|change| change.service.is_some() == (model == ChangeModel::Service))
        {
            let (old, new) = fields_by_record.entry(change.changed_record_id()).or_default();
            old.insert(change.field.to_string(), json!(change.old.to_string()));
            new.insert(change.field.to_string(), json!(change.new.to_string()));
        }
        let ids: Vec<RecordId> = fields_by_record.keys().copied().collect();
        let mut names = names::load_names(work, table, &ids).await?;
        let record_changes = fields_by_record.into_iter().map(|(id, (old, new))| RecordChange {
            id,
            name: names.remove(&id).unwrap_or_default(),
            old: old.into(),
            new: new.into(),
        });
        changes::record_all(work, ChangeAction::Updated, model, record_changes.collect()).await?;
    }
    Ok(())
}
