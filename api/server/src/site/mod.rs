//! Endpoints for the customers' site, which reads them with an account of its own: its settings, its content, and the properties
//! of services that only the site uses. They never write, and they return only the data that the site needs.

mod content;

use std::collections::BTreeMap;

use panel_contract::amount::Fraction;
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::site::{GetSiteContent, GetSiteSettings, ListSiteServices};
use panel_contract::ids::{LabelId, ProviderId, ServiceId, ServiceTypeId};
use panel_contract::moment::Timestamp;
use panel_contract::services::DescriptionLocation;
use panel_contract::settings::{SETTINGS, SettingKind, SettingsTree};
use panel_contract::site::{PrivateSiteSettings, SiteContent, SiteEvent, SiteLabel, SiteService};
use panel_kernel::error::Result;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;

/// Maximum number of services in one response.
const PAGE_SIZE: i64 = 500;

// Routes

/// Registers the endpoints of the customers' site.
pub fn routes(api: Api) -> Api {
    api.route::<GetSiteSettings, _, _, _>(get_site_settings)
        .route::<GetSiteContent, _, _, _>(get_site_content)
        .route::<ListSiteServices, _, _, _>(list_services)
}

async fn get_site_settings(ctx: Ctx, _req: Req<GetSiteSettings>) -> Result<Data<PrivateSiteSettings>> {
    let stored_settings = settings::load_all(&mut ctx.db()).await?;
    let mut tree = SettingsTree::default();
    for setting in SETTINGS.iter().filter(|setting| setting.is_for_site) {
        let value = match setting.kind {
            SettingKind::Secret => json!(settings::read_secret(&ctx.app, &mut ctx.db(), setting.key).await?),
            _ => stored_settings.value(setting.key),
        };
        tree.put(setting.key, value);
    }
    Ok(Data { data: PrivateSiteSettings(tree) })
}

async fn get_site_content(ctx: Ctx, _req: Req<GetSiteContent>) -> Result<Data<SiteContent>> {
    Ok(Data { data: content::load_content(&mut ctx.db()).await? })
}

async fn list_services(ctx: Ctx, req: Req<ListSiteServices>) -> Result<Data<Vec<SiteService>>> {
    Ok(Data { data: load_page_of_services(&mut ctx.db(), req.query.after).await? })
}

// Store

#[derive(sqlx::FromRow)]
struct ServiceRow {
    id: ServiceId,
    name: String,
    slug: Option<String>,
    type_id: ServiceTypeId,
    type_name: String,
    calculable_quantity: bool,
    budget_multiplier_ppm: Option<Fraction>,
    live_stream_support_minutes: Option<i64>,
    live_stream_retention_quantity_multiplier_ppm: Option<Fraction>,
    full_description_location: DescriptionLocation,
    buy_page_url: Option<String>,
    can_speedup: bool,
    updated_at: Timestamp,
}

/// Loads the first [`PAGE_SIZE`] services with an id above `after_id` that customers can order.
async fn load_page_of_services(
    db: &mut impl SqlExecutor,
    after_id: Option<ServiceId>,
) -> Result<Vec<SiteService>> {
    let sql = Sql::new(
        "SELECT s.id, s.name, s.slug, t.id AS type_id, t.name AS type_name, s.calculable_quantity, s.budget_multiplier_ppm, s.live_stream_support_minutes,
           s.live_stream_retention_quantity_multiplier_ppm, s.full_description_location, s.buy_page_url, s.can_speedup, s.updated_at
         FROM services s JOIN service_types t ON t.id = s.service_type_id
         WHERE s.id > ? AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated ORDER BY s.id LIMIT ?",
    );
    let rows: Vec<ServiceRow> =
        db.fetch_all(sql.bind(after_id.map_or(0, ServiceId::get)).bind(PAGE_SIZE)).await?;
    let ids: Vec<ServiceId> = rows.iter().map(|row| row.id).collect();
    let (mut labels_by_service, mut events_by_service) =
        (load_labels(db, &ids).await?, load_events(db, &ids).await?);
    let into_site_service = |row: ServiceRow| SiteService {
        id: row.id,
        name: row.name,
        slug: row.slug,
        service_type: NamedRef { id: row.type_id, name: row.type_name },
        labels: labels_by_service.remove(&row.id).unwrap_or_default(),
        calculable_quantity: row.calculable_quantity,
        budget_multiplier: row.budget_multiplier_ppm,
        live_stream_support_minutes: row.live_stream_support_minutes,
        live_stream_retention_quantity_multiplier: row.live_stream_retention_quantity_multiplier_ppm,
        full_description_location: row.full_description_location,
        buy_page_url: row.buy_page_url,
        can_speedup: row.can_speedup,
        events: events_by_service.remove(&row.id).unwrap_or_default(),
        updated_at: row.updated_at,
    };
    Ok(rows.into_iter().map(into_site_service).collect())
}

async fn load_labels(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<SiteLabel>>> {
    type LabelRow = (ServiceId, LabelId, String, Option<String>, bool);
    let sql = Sql::new(
        "SELECT x.service_id, l.id, l.name, l.icon, l.is_custom_comments FROM service_labels x JOIN labels l ON l.id = x.label_id WHERE x.service_id IN ",
    );
    let rows: Vec<LabelRow> = db.fetch_all(sql.ids(ids).push(" ORDER BY l.name, l.id")).await?;
    let mut labels_by_service: BTreeMap<ServiceId, Vec<SiteLabel>> = BTreeMap::new();
    for (service_id, id, name, icon, is_custom_comments) in rows {
        labels_by_service.entry(service_id).or_default().push(SiteLabel {
            id,
            name,
            icon,
            is_custom_comments,
        });
    }
    Ok(labels_by_service)
}

async fn load_events(
    db: &mut impl SqlExecutor,
    ids: &[ServiceId],
) -> Result<BTreeMap<ServiceId, Vec<SiteEvent>>> {
    type EventRow = (ServiceId, ProviderId, Option<String>, Option<String>);
    let sql = Sql::new(
        "SELECT m.service_id, p.id, p.source_event, p.target_event FROM service_providers m JOIN providers p ON p.id = m.provider_id
         WHERE NOT p.is_archived AND (p.source_event IS NOT NULL OR p.target_event IS NOT NULL) AND m.service_id IN ",
    );
    let rows: Vec<EventRow> = db.fetch_all(sql.ids(ids).push(" ORDER BY m.position, p.id")).await?;
    let mut events_by_service: BTreeMap<ServiceId, Vec<SiteEvent>> = BTreeMap::new();
    for (service_id, provider_id, source_event, target_event) in rows {
        events_by_service.entry(service_id).or_default().push(SiteEvent {
            provider_id,
            source_event,
            target_event,
        });
    }
    Ok(events_by_service)
}
