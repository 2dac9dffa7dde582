//! Loads the services that are synced from the providers of an external panel, with every field that a sync compares.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_kernel::error::Result;

use super::apply;
use super::compare::SyncedService;
use crate::catalogue::targets::service_targets;
use crate::pricing::minimum_margin;
use crate::pricing::ratio;
use panel_domain::reseller_protocol::extended_texts::ExtendedTexts;
use panel_platform::db::{Sql, SqlExecutor};

// Store

#[derive(sqlx::FromRow)]
struct SyncedServiceRow {
    provider_id: ProviderId,
    id: ServiceId,
    name: String,
    default_price: Money,
    min_price: Money,
    pricing_per: i64,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
    resale_margin_ppm: Option<Fraction>,
    sync_prices: bool,
    sync_name: bool,
    sync_params: bool,
    sync_service_details: bool,
    sync_description_field: bool,
    sync_short_description: bool,
    sync_meta: bool,
    sync_reviews: bool,
    sync_labels: bool,
    is_deactivated: bool,
    deactivated_by_sync: bool,
    has_refill: bool,
    drip_feed_is_allowed: bool,
    description: Option<String>,
    lowest_customer_price: Option<Money>,
    lowest_customer_min_price: Option<Money>,
    imported_type: Option<PanelServiceType>,
    ratio: Option<Fraction>,
    /// The service type as the external panel writes it.
    panel_type: Option<String>,
}

impl SyncedServiceRow {
    /// Units ordered at the external panel for each unit that a customer buys. It is at least 1, because a price covers the cost of
    /// an order even if no minimum margin is set.
    fn order_quantity_ratio(&self) -> Fraction {
        let one_to_one = Fraction(Money::MILLIONTHS_PER_UNIT);
        if ratio::is_list_order(self.panel_type.as_deref().unwrap_or_default(), false) {
            return one_to_one;
        }
        self.ratio.unwrap_or(one_to_one).max(one_to_one)
    }
}

/// Loads the services by the provider from which they are synced. This is their first active provider, because their orders are
/// sent to it.
pub(super) async fn load_by_provider(
    db: &mut impl SqlExecutor,
    panel: ExternalPanelId,
    provider_filter: Option<&[ProviderId]>,
) -> Result<BTreeMap<ProviderId, Vec<SyncedService>>> {
    let sql = Sql::new(
        "SELECT m.provider_id, s.id, s.name, s.default_price, s.min_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step, s.resale_margin_ppm, s.sync_prices,
           s.sync_name, s.sync_params, s.sync_service_details, s.sync_description_field, s.sync_short_description, s.sync_meta, s.sync_reviews, s.sync_labels, s.is_deactivated, s.deactivated_by_sync_at IS NOT NULL AS deactivated_by_sync,
           s.order_quantity_ratio_ppm AS ratio, (SELECT k.type FROM external_panel_services k
             WHERE k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id) AS panel_type,
           s.has_refill, s.drip_feed_is_allowed, t.value AS description, CASE WHEN s.imported_provider_id = m.provider_id THEN s.panel_service_type END AS imported_type,
           (SELECT min(u.default_price) FROM user_services u WHERE u.service_id = s.id AND u.default_price >= s.min_price) AS lowest_customer_price,
           (SELECT min(u.min_price) FROM user_services u WHERE u.service_id = s.id AND u.min_price >= s.min_price) AS lowest_customer_min_price
         FROM providers p JOIN service_providers m ON m.provider_id = p.id JOIN services s ON s.id = m.service_id
         LEFT JOIN translations t ON s.sync_description_field AND t.owner_type = 'service' AND t.owner_id = s.id AND t.locale = 'en' AND t.field = 'description'
         WHERE p.external_panel_id = ? AND NOT s.is_archived AND p.id = (SELECT x.provider_id FROM service_providers x JOIN providers y ON y.id = x.provider_id
           WHERE x.service_id = s.id AND y.status = 'active' AND NOT y.is_archived ORDER BY x.position, x.provider_id LIMIT 1)",
    );
    let rows: Vec<SyncedServiceRow> =
        db.fetch_all(apply::filter_by_provider(sql.bind(panel), " AND p.id IN ", provider_filter)).await?;
    let ids: Vec<ServiceId> = rows.iter().map(|row| row.id).collect();
    let lowest_prices = minimum_margin::load_lowest_prices(db, &ids).await?;
    let mut answer_kinds = service_targets::load_guaranteed_answers(db, &ids).await?;
    let mut texts = load_extended_texts(db, &rows).await?;
    let mut services: BTreeMap<ProviderId, Vec<SyncedService>> = BTreeMap::new();
    for row in rows {
        let order_quantity_ratio = row.order_quantity_ratio();
        services.entry(row.provider_id).or_default().push(SyncedService {
            id: row.id,
            name: row.name,
            price: row.default_price,
            min_price: row.min_price,
            pricing_per: row.pricing_per,
            min_quantity: row.min_quantity,
            max_quantity: row.max_quantity,
            quantity_step: row.quantity_step,
            margin: row.resale_margin_ppm,
            sync_price: row.sync_prices,
            sync_name: row.sync_name,
            sync_quantity_limits: row.sync_params,
            is_deactivated: row.is_deactivated,
            deactivated_by_sync: row.deactivated_by_sync,
            sync_details: row.sync_service_details,
            sync_description: row.sync_description_field,
            has_refill: row.has_refill,
            drip_feed_is_allowed: row.drip_feed_is_allowed,
            description: row.description.unwrap_or_default(),
            sync_short_description: row.sync_short_description,
            sync_meta: row.sync_meta,
            sync_reviews: row.sync_reviews,
            sync_labels: row.sync_labels,
            texts: texts.remove(&row.id).unwrap_or_default(),
            imported_type: row.imported_type,
            answer_kinds: answer_kinds.remove(&row.id).unwrap_or_default(),
            order_quantity_ratio,
            lowest_price_by_other_providers: lowest_prices.price_without_provider(
                row.provider_id,
                row.id,
                row.pricing_per,
            ),
            lowest_customer_price: row
                .lowest_customer_price
                .into_iter()
                .chain(row.lowest_customer_min_price)
                .min(),
        });
    }
    Ok(services)
}

/// Loads the texts and labels of the services that sync them. A service is synced from only one provider, so its texts are loaded
/// once.
async fn load_extended_texts(
    db: &mut impl SqlExecutor,
    rows: &[SyncedServiceRow],
) -> Result<BTreeMap<ServiceId, ExtendedTexts>> {
    let syncs_texts =
        |row: &&SyncedServiceRow| row.sync_short_description || row.sync_meta || row.sync_reviews;
    let ids: Vec<ServiceId> = rows.iter().filter(syncs_texts).map(|row| row.id).collect();
    let ids_with_labels: Vec<ServiceId> =
        rows.iter().filter(|row| row.sync_labels).map(|row| row.id).collect();
    let mut texts_by_service: BTreeMap<ServiceId, ExtendedTexts> = BTreeMap::new();
    let sql = Sql::new(
        "SELECT owner_id, field, value FROM translations WHERE owner_type = 'service' AND locale = 'en'
           AND field IN ('short_description', 'meta_title', 'meta_description', 'reviews') AND owner_id IN ",
    );
    let texts: Vec<(ServiceId, String, String)> = db.fetch_all(sql.ids(&ids)).await?;
    for (service, field, value) in texts {
        let service_texts = texts_by_service.entry(service).or_default();
        match field.as_str() {
            "short_description" => service_texts.short_description = Some(value),
            "meta_title" => service_texts.meta_title = Some(value),
            "meta_description" => service_texts.meta_description = Some(value),
            _ => service_texts.reviews = Some(value),
        }
    }
    let sql = Sql::new(
        "SELECT x.service_id, l.name FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE NOT l.is_custom_comments AND x.service_id IN ",
    );
    let label_names: Vec<(ServiceId, String)> = db.fetch_all(sql.ids(&ids_with_labels)).await?;
    for (service, name) in label_names {
        texts_by_service.entry(service).or_default().labels.get_or_insert_default().push(name);
    }
    for labels in texts_by_service.values_mut().filter_map(|texts| texts.labels.as_mut()) {
        labels.sort();
        labels.dedup();
    }
    Ok(texts_by_service)
}
