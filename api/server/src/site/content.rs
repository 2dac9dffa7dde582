//! Loads the content that staff publish on the customers' site: menus, pages, banners, offers and promotions. Archived and
//! disabled records are left out. The number of SQL statements does not depend on the number of records.

use std::collections::BTreeMap;

use panel_contract::amount::Fraction;
use panel_contract::common::NamedRef;
use panel_contract::ids::{Id, NetworkId, PageId, RecordId, ServiceId, ServiceTypeId, SpecialOfferId};
use panel_contract::site::{SiteContent, SiteMenuItem, SiteOffer, SitePage, SitePromotion};
use panel_contract::special_offers::{OfferPlace, OfferPosition};
use panel_kernel::error::Result;

use crate::marketing::banners;
use crate::records::texts::{self, TextFields};
use panel_platform::db::{Sql, SqlExecutor};

// Store

pub(super) async fn load_content(db: &mut impl SqlExecutor) -> Result<SiteContent> {
    Ok(SiteContent {
        menu: load_menu(db).await?,
        added_menu: load_custom_menu(db).await?,
        pages: load_pages(db).await?,
        banners: banners::list_enabled(db).await?,
        special_offers: load_special_offers(db).await?,
        auto_promotions: load_auto_promotions(db).await?,
    })
}

/// Declares the translated texts of a kind of record. To load them, only `owner_type` is needed, so the list of fields is empty.
const fn text_fields_of(owner_type: &'static str) -> TextFields {
    TextFields { owner_type, fields: &[] }
}

#[derive(sqlx::FromRow)]
struct MenuRow {
    id: RecordId,
    parent_id: Option<RecordId>,
    name: String,
    icon: Option<String>,
    url: String,
    is_blank: bool,
    is_allowed_for_authorized: bool,
    is_allowed_for_guest: bool,
}

/// Loads the enabled menu items, without those below a disabled item.
async fn load_menu(db: &mut impl SqlExecutor) -> Result<Vec<SiteMenuItem>> {
    let sql = Sql::new(
        "WITH RECURSIVE shown (id, level) AS (
           SELECT m.id, 1 FROM menu_items m WHERE m.parent_id IS NULL AND m.is_enabled AND NOT m.is_archived
           UNION ALL SELECT m.id, s.level + 1 FROM menu_items m JOIN shown s ON s.id = m.parent_id WHERE m.is_enabled AND NOT m.is_archived)
         SELECT m.id, m.parent_id, m.name, m.icon, m.url, m.is_blank, m.is_allowed_for_authorized, m.is_allowed_for_guest
         FROM shown s JOIN menu_items m ON m.id = s.id ORDER BY s.level, m.sorting, m.id",
    );
    let rows: Vec<MenuRow> = db.fetch_all(sql).await?;
    into_menu_items(db, &text_fields_of("menu_item"), rows).await
}

async fn load_custom_menu(db: &mut impl SqlExecutor) -> Result<Vec<SiteMenuItem>> {
    let sql = Sql::new(
        "SELECT m.id, CAST(NULL AS BIGINT) AS parent_id, m.name, m.icon, m.url, m.is_blank, m.is_allowed_for_authorized, m.is_allowed_for_guest
         FROM custom_menu_items m WHERE m.is_enabled AND m.show_in_public ORDER BY m.id",
    );
    let rows: Vec<MenuRow> = db.fetch_all(sql).await?;
    into_menu_items(db, &text_fields_of("custom_menu_item"), rows).await
}

async fn into_menu_items(
    db: &mut impl SqlExecutor,
    texts: &TextFields,
    rows: Vec<MenuRow>,
) -> Result<Vec<SiteMenuItem>> {
    let ids: Vec<RecordId> = rows.iter().map(|row| row.id).collect();
    let mut translations_by_id = texts::load(db, texts, &ids).await?;
    let into_menu_item = |row: MenuRow| {
        let mut translations = translations_by_id.remove(&row.id).unwrap_or_default();
        translations.put("en", "name", &row.name);
        SiteMenuItem {
            id: row.id,
            parent_id: row.parent_id,
            icon: row.icon,
            url: row.url,
            is_blank: row.is_blank,
            is_allowed_for_authorized: row.is_allowed_for_authorized,
            is_allowed_for_guest: row.is_allowed_for_guest,
            translations,
        }
    };
    Ok(rows.into_iter().map(into_menu_item).collect())
}

async fn load_pages(db: &mut impl SqlExecutor) -> Result<Vec<SitePage>> {
    let sql = Sql::new(
        "SELECT id, name, route_name FROM panel_pages WHERE NOT is_archived ORDER BY route_name, id",
    );
    let rows: Vec<(PageId, String, String)> = db.fetch_all(sql).await?;
    let ids: Vec<PageId> = rows.iter().map(|(id, _, _)| *id).collect();
    let mut translations_by_id = texts::load(db, &text_fields_of("panel_page"), &ids).await?;
    let into_page = |(id, name, route_name): (PageId, String, String)| {
        let mut translations = translations_by_id.remove(&id).unwrap_or_default();
        translations.put("en", "name", &name);
        SitePage { id, route_name, translations }
    };
    Ok(rows.into_iter().map(into_page).collect())
}

async fn load_special_offers(db: &mut impl SqlExecutor) -> Result<Vec<SiteOffer>> {
    type OfferRow = (SpecialOfferId, String, NetworkId, OfferPlace, OfferPosition);
    let sql = Sql::new(
        "SELECT id, name, network_id, place, position FROM special_offers WHERE is_enabled AND NOT is_archived ORDER BY id DESC",
    );
    let rows: Vec<OfferRow> = db.fetch_all(sql).await?;
    let ids: Vec<SpecialOfferId> = rows.iter().map(|(id, ..)| *id).collect();
    let mut translations_by_id = texts::load(db, &text_fields_of("special_offer"), &ids).await?;
    let services_sql = Sql::new(
        "SELECT x.offer_id, x.service_id FROM special_offer_services x JOIN services s ON s.id = x.service_id
         WHERE s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AND x.offer_id IN ",
    );
    let mut services_by_offer =
        load_ids_by_offer(db, services_sql.ids(&ids).push(" ORDER BY x.sorting, x.service_id")).await?;
    let service_types_sql =
        Sql::new("SELECT x.offer_id, x.service_type_id FROM special_offer_types x WHERE x.offer_id IN ");
    let mut service_types_by_offer =
        load_ids_by_offer(db, service_types_sql.ids(&ids).push(" ORDER BY x.sorting, x.service_type_id"))
            .await?;
    let into_offer = |(id, name, network_id, place, position): OfferRow| {
        let mut translations = translations_by_id.remove(&id).unwrap_or_default();
        translations.put("en", "name", &name);
        SiteOffer {
            id,
            network_id,
            place,
            position,
            services: services_by_offer.remove(&id).unwrap_or_default(),
            service_types: service_types_by_offer.remove(&id).unwrap_or_default(),
            translations,
        }
    };
    Ok(rows.into_iter().map(into_offer).collect())
}

/// Groups the selected ids by offer. The ids of an offer keep the order of the rows.
async fn load_ids_by_offer<I: Id>(
    db: &mut impl SqlExecutor,
    sql: Sql,
) -> Result<BTreeMap<SpecialOfferId, Vec<I>>> {
    let mut ids_by_offer: BTreeMap<SpecialOfferId, Vec<I>> = BTreeMap::new();
    for (offer_id, id) in db.fetch_all::<(SpecialOfferId, i64)>(sql).await? {
        ids_by_offer.entry(offer_id).or_default().push(I::new(id));
    }
    Ok(ids_by_offer)
}

async fn load_auto_promotions(db: &mut impl SqlExecutor) -> Result<Vec<SitePromotion>> {
    type PromotionRow = (ServiceId, String, ServiceTypeId, String, NetworkId, String, Option<Fraction>);
    let sql = Sql::new(
        "SELECT s.id, s.name, t.id, t.name, n.id, n.name, COALESCE(a.resale_margin_ppm, p.resale_margin_ppm, q.resale_margin_ppm)
         FROM auto_promotions a JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id
           JOIN auto_promotion_types p ON p.service_type_id = t.id JOIN auto_promotion_networks q ON q.network_id = n.id
         WHERE a.is_enabled AND p.is_enabled AND q.is_enabled AND s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated
         ORDER BY q.sorting, n.id, p.sorting, t.id, a.sorting, s.id",
    );
    let rows: Vec<PromotionRow> = db.fetch_all(sql).await?;
    let into_promotion =
        |(id, name, type_id, type_name, network_id, network_name, resale_margin_fraction): PromotionRow| {
            SitePromotion {
                service: NamedRef { id, name },
                service_type: NamedRef { id: type_id, name: type_name },
                network: NamedRef { id: network_id, name: network_name },
                resale_margin_fraction,
            }
        };
    Ok(rows.into_iter().map(into_promotion).collect())
}
