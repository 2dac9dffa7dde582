//! Reading the services that follow the providers of a panel, with what a sync compares. It writes nothing.

use std::collections::BTreeMap;

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId};
use panel_contract::panel_service_types::PanelServiceType;
use panel_kernel::error::Result;

use super::apply;
use super::judge::Sold;
use crate::catalogue::targets::asked;
use crate::pricing::least_margin;
use crate::pricing::ratio;
use panel_domain::reseller_protocol::own_texts::OwnTexts;
use panel_platform::db::{Source, Sql};

// Store

#[derive(sqlx::FromRow)]
struct SoldRow {
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
    is_off_by_sync: bool,
    has_refill: bool,
    drip_feed_is_allowed: bool,
    description: Option<String>,
    own_price: Option<Money>,
    own_min_price: Option<Money>,
    imported_as: Option<PanelServiceType>,
    ratio: Option<Fraction>,
    kind: Option<String>,
}

impl SoldRow {
    /// How many units the panel is ordered for each that is sold, never below one: prices follow what an order costs, whether
    /// or not a least margin is held.
    fn ordered_for_each(&self) -> Fraction {
        let one = Fraction(Money::UNIT);
        if ratio::is_a_list(self.kind.as_deref().unwrap_or_default(), false) {
            return one;
        }
        self.ratio.unwrap_or(one).max(one)
    }
}

/// Services by the provider that they follow: the first of theirs that delivers, for orders go there.
pub(super) async fn by_provider(
    db: &mut impl Source,
    panel: ExternalPanelId,
    some: Option<&[ProviderId]>,
) -> Result<BTreeMap<ProviderId, Vec<Sold>>> {
    let sql = Sql::new(
        "SELECT m.provider_id, s.id, s.name, s.default_price, s.min_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step, s.resale_margin_ppm, s.sync_prices,
           s.sync_name, s.sync_params, s.sync_service_details, s.sync_description_field, s.sync_short_description, s.sync_meta, s.sync_reviews, s.sync_labels, s.is_deactivated, s.deactivated_by_sync_at IS NOT NULL AS is_off_by_sync,
           s.order_quantity_ratio_ppm AS ratio, (SELECT k.type FROM external_panel_services k
             WHERE k.external_panel_id = p.external_panel_id AND k.external_panel_service_id = p.external_panel_service_id) AS kind,
           s.has_refill, s.drip_feed_is_allowed, t.value AS description, CASE WHEN s.imported_provider_id = m.provider_id THEN s.panel_service_type END AS imported_as,
           (SELECT min(u.default_price) FROM user_services u WHERE u.service_id = s.id AND u.default_price >= s.min_price) AS own_price,
           (SELECT min(u.min_price) FROM user_services u WHERE u.service_id = s.id AND u.min_price >= s.min_price) AS own_min_price
         FROM providers p JOIN service_providers m ON m.provider_id = p.id JOIN services s ON s.id = m.service_id
         LEFT JOIN translations t ON s.sync_description_field AND t.owner_type = 'service' AND t.owner_id = s.id AND t.locale = 'en' AND t.field = 'description'
         WHERE p.external_panel_id = ? AND NOT s.is_archived AND p.id = (SELECT x.provider_id FROM service_providers x JOIN providers y ON y.id = x.provider_id
           WHERE x.service_id = s.id AND y.status = 'active' AND NOT y.is_archived ORDER BY x.position, x.provider_id LIMIT 1)",
    );
    let rows: Vec<SoldRow> = db.all(apply::only(sql.bind(panel), " AND p.id IN ", some)).await?;
    let ids: Vec<ServiceId> = rows.iter().map(|row| row.id).collect();
    let lowest = least_margin::of_services(db, &ids).await?;
    let mut answered = asked::surely_answered(db, &ids).await?;
    let mut texts = own_texts(db, &rows).await?;
    let mut found: BTreeMap<ProviderId, Vec<Sold>> = BTreeMap::new();
    for row in rows {
        let ordered_for_each = row.ordered_for_each();
        found.entry(row.provider_id).or_default().push(Sold {
            id: row.id,
            name: row.name,
            price: row.default_price,
            floor: row.min_price,
            per: row.pricing_per,
            min: row.min_quantity,
            max: row.max_quantity,
            step: row.quantity_step,
            margin: row.resale_margin_ppm,
            follows_price: row.sync_prices,
            follows_name: row.sync_name,
            follows_bounds: row.sync_params,
            is_off: row.is_deactivated,
            is_off_by_sync: row.is_off_by_sync,
            follows_details: row.sync_service_details,
            follows_description: row.sync_description_field,
            has_refill: row.has_refill,
            drip_feed: row.drip_feed_is_allowed,
            description: row.description.unwrap_or_default(),
            follows_short_description: row.sync_short_description,
            follows_meta: row.sync_meta,
            follows_reviews: row.sync_reviews,
            follows_labels: row.sync_labels,
            texts: texts.remove(&row.id).unwrap_or_default(),
            imported_as: row.imported_as,
            answered: answered.remove(&row.id).unwrap_or_default(),
            ratio: ordered_for_each,
            others_lowest: lowest.without(row.provider_id, row.id, row.pricing_per),
            own_least: row.own_price.into_iter().chain(row.own_min_price).min(),
        });
    }
    Ok(found)
}

/// The texts and labels of those services that follow them; a service follows one provider, so each is read once.
async fn own_texts(db: &mut impl Source, rows: &[SoldRow]) -> Result<BTreeMap<ServiceId, OwnTexts>> {
    let follows = |row: &&SoldRow| row.sync_short_description || row.sync_meta || row.sync_reviews;
    let ids: Vec<ServiceId> = rows.iter().filter(follows).map(|row| row.id).collect();
    let labeled: Vec<ServiceId> = rows.iter().filter(|row| row.sync_labels).map(|row| row.id).collect();
    let mut found: BTreeMap<ServiceId, OwnTexts> = BTreeMap::new();
    let sql = Sql::new(
        "SELECT owner_id, field, value FROM translations WHERE owner_type = 'service' AND locale = 'en'
           AND field IN ('short_description', 'meta_title', 'meta_description', 'reviews') AND owner_id IN ",
    );
    let texts: Vec<(ServiceId, String, String)> = db.all(sql.ids(&ids)).await?;
    for (service, field, value) in texts {
        let of = found.entry(service).or_default();
        match field.as_str() {
            "short_description" => of.short_description = Some(value),
            "meta_title" => of.meta_title = Some(value),
            "meta_description" => of.meta_description = Some(value),
            _ => of.reviews = Some(value),
        }
    }
    let sql = Sql::new(
        "SELECT x.service_id, l.name FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE NOT l.is_custom_comments AND x.service_id IN ",
    );
    let names: Vec<(ServiceId, String)> = db.all(sql.ids(&labeled)).await?;
    for (service, name) in names {
        found.entry(service).or_default().labels.get_or_insert_default().push(name);
    }
    for labels in found.values_mut().filter_map(|texts| texts.labels.as_mut()) {
        labels.sort();
        labels.dedup();
    }
    Ok(found)
}
