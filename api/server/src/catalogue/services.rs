//! Services: the list, and one service with everything about it.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::services::{GetService, ListServices};
use panel_contract::moment::{Stamp, Time};
use panel_contract::services::{Service, ServiceRow};

use crate::catalogue::texts::{self, Text, Texts};
use crate::db::{Source, Sql};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::operations::orders::list::SERVICE_TEXTS;
use crate::table::{self, Arm, Column, Join, Kind, Table};

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListServices, _, _>(&SERVICES, |record: Record, _| record.shown())
        .on::<GetService, _, _, _>(get)
}

async fn get(ctx: Ctx, req: Req<GetService>) -> Result<Data<Service>> {
    Ok(Data { data: load(&ctx, req.path).await? })
}

/// The services list.
pub static SERVICES: Table = Table {
    name: "services",
    base: "services",
    alias: "s",
    key: "s.id",
    scope: None,
    joins: &[
        Join { alias: "t", sql: "JOIN service_types t ON t.id = s.service_type_id" },
        Join {
            alias: "n",
            sql: "JOIN networks n ON n.id = (SELECT network_id FROM service_types WHERE id = s.service_type_id)",
        },
    ],
    select: SELECT,
    columns: COLUMNS,
    plain: &[Column::new("is_archived", "s.is_archived", Kind::Flag)],
    common: &[Arm { key: "s.id", index: &SERVICE_TEXTS, here: &["s.name"], column: "name" }],
    order: &[],
    kept: None,
};

const COLUMNS: &[Column] = &[
    Column::new("id", "s.id", Kind::Id),
    Column::new("name", "s.name", Kind::Text).found("s.id", &SERVICE_TEXTS, "name"),
    Column::new("type", "t.name", Kind::Text).of("t").hidden(),
    Column::new("service_type.id", "s.service_type_id", Kind::Id),
    Column::new("service_type.name", "t.name", Kind::Text).of("t"),
    Column::new("network", "n.name", Kind::Text).of("n").hidden(),
    Column::new("network.id", "n.id", Kind::Id).of("n"),
    Column::new("network.name", "n.name", Kind::Text).of("n"),
    Column::new("price", "s.default_price", Kind::Money).hidden(),
    Column::new("default_price", "s.default_price", Kind::Money),
    Column::new("min_price", "s.min_price", Kind::Money),
    Column::new("pricing_per", "s.pricing_per", Kind::Number),
    Column::new("min_quantity", "s.min_quantity", Kind::Number),
    Column::new("max_quantity", "s.max_quantity", Kind::Number),
    Column::new("quantity_step", "s.quantity_step", Kind::Number),
    Column::new("is_enabled", "s.is_enabled", Kind::Flag),
    Column::new("is_archived", "s.is_archived", Kind::Flag),
    Column::new("moderation_is_enabled", "s.moderation_is_enabled", Kind::Flag),
    Column::new("has_refill", "s.has_refill", Kind::Flag),
    Column::new("drip_feed_is_allowed", "s.drip_feed_is_allowed", Kind::Flag),
    Column::new("has_no_active_providers", "(NOT s.has_active_providers)", Kind::Flag),
    Column::new("created_at", "s.created_at", Kind::Time),
];

const SELECT: &str = "s.id, s.name, s.service_type_id AS type_id, t.name AS type_name, n.id AS network_id, n.name AS network_name,
  s.default_price, s.min_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step, s.is_enabled, s.is_archived,
  s.moderation_is_enabled, s.has_refill, s.drip_feed_is_allowed, s.has_active_providers, s.created_at";

// Rules

/// What a service has in every language.
const TEXTS: Texts = Texts {
    owner: "service",
    fields: &[
        Text { field: "name", most: 255 },
        Text { field: "example_link", most: 2_000 },
        Text { field: "speed", most: 255 },
        Text { field: "geo", most: 255 },
        Text { field: "requirements", most: 5_000 },
        Text { field: "guarantee", most: 255 },
        Text { field: "start_time", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "reviews", most: 20_000 },
        Text { field: "description", most: 50_000 },
        Text { field: "meta_description", most: 1_000 },
        Text { field: "meta_title", most: 255 },
    ],
};

// Store

/// A service as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    type_id: i64,
    type_name: String,
    network_id: i64,
    network_name: String,
    default_price: Money,
    min_price: Money,
    pricing_per: i64,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
    is_enabled: bool,
    is_archived: bool,
    moderation_is_enabled: bool,
    has_refill: bool,
    drip_feed_is_allowed: bool,
    has_active_providers: bool,
    created_at: Time,
}

impl Record {
    fn shown(self) -> ServiceRow {
        ServiceRow {
            id: self.id,
            name: self.name,
            service_type: Named { id: self.type_id, name: self.type_name },
            network: Named { id: self.network_id, name: self.network_name },
            default_price: self.default_price,
            min_price: self.min_price,
            pricing_per: self.pricing_per,
            min_quantity: self.min_quantity,
            max_quantity: self.max_quantity,
            quantity_step: self.quantity_step,
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            moderation_is_enabled: self.moderation_is_enabled,
            has_refill: self.has_refill,
            drip_feed_is_allowed: self.drip_feed_is_allowed,
            has_no_active_providers: !self.has_active_providers,
            created_at: self.created_at,
        }
    }
}

#[derive(sqlx::FromRow)]
struct Rest {
    admin_note: Option<String>,
    auto_refill_is_allowed: bool,
    auto_refill_after_hours: Option<i64>,
    auto_refill_once_fill_ppm: Option<Fraction>,
    auto_refill_min_drop_ppm: Option<Fraction>,
    auto_refill_max_drop_ppm: Option<Fraction>,
    auto_refill_max_total_refilled_ppm: Option<Fraction>,
    order_quantity_ratio_ppm: Option<Fraction>,
    api_access: bool,
    restricted_access: bool,
    can_speedup: bool,
    no_refund: bool,
    url_is_required: bool,
    real_counter_complete_is_enabled: bool,
    cancel_by_client_is_allowed: bool,
    auto_cancel: bool,
    gather_statistic: bool,
    forbids_orders_with_same_url: bool,
    full_description_location: String,
    slug: Option<String>,
    buy_page_url: Option<String>,
    resale_margin_ppm: Option<Fraction>,
    countries: String,
    updated_at: Stamp,
}

const REST: &str = "SELECT admin_note, auto_refill_is_allowed, auto_refill_after_hours, auto_refill_once_fill_ppm, auto_refill_min_drop_ppm,
  auto_refill_max_drop_ppm, auto_refill_max_total_refilled_ppm, order_quantity_ratio_ppm, api_access, restricted_access, can_speedup,
  no_refund, url_is_required, real_counter_complete_is_enabled, cancel_by_client_is_allowed, auto_cancel, gather_statistic,
  forbids_orders_with_same_url, full_description_location, slug, buy_page_url, resale_margin_ppm, countries, updated_at
  FROM services WHERE id = ?";

/// One service, in five statements.
async fn load(ctx: &Ctx, id: i64) -> Result<Service> {
    let db = &mut ctx.db();
    let mut rows = table::rows(ctx, &SERVICES, &[id], |record: Record, _| record.shown()).await?;
    let row = rows.pop().ok_or_else(|| ApiError::not_found("service", id))?;
    let rest: Rest = db.one(Sql::new(REST).bind(id)).await?;
    let translations = texts::of(db, &TEXTS, id, &row.name).await?;
    Ok(Service {
        row,
        translations,
        admin_note: rest.admin_note,
        auto_refill_is_allowed: rest.auto_refill_is_allowed,
        auto_refill_after_hours: rest.auto_refill_after_hours,
        auto_refill_once_fill_percent: rest.auto_refill_once_fill_ppm,
        auto_refill_min_drop_percent: rest.auto_refill_min_drop_ppm,
        auto_refill_max_drop_percent: rest.auto_refill_max_drop_ppm,
        auto_refill_max_total_refilled_percent: rest.auto_refill_max_total_refilled_ppm,
        order_quantity_ratio: rest.order_quantity_ratio_ppm,
        api_access: rest.api_access,
        restricted_access: rest.restricted_access,
        can_speedup: rest.can_speedup,
        no_refund: rest.no_refund,
        url_is_required: rest.url_is_required,
        real_counter_complete_is_enabled: rest.real_counter_complete_is_enabled,
        cancel_by_client_is_allowed: rest.cancel_by_client_is_allowed,
        auto_cancel: rest.auto_cancel,
        gather_statistic: rest.gather_statistic,
        forbids_orders_with_same_url: rest.forbids_orders_with_same_url,
        full_description_location: rest.full_description_location,
        slug: rest.slug,
        buy_page_url: rest.buy_page_url,
        resale_margin_percent: rest.resale_margin_ppm,
        labels: labels(db, id).await?,
        providers: providers(db, id).await?,
        countries: serde_json::from_str(&rest.countries).unwrap_or_default(),
        updated_at: rest.updated_at,
    })
}

async fn labels(db: &mut impl Source, id: i64) -> Result<Vec<i64>> {
    let sql = Sql::new("SELECT label_id FROM service_labels WHERE service_id = ? ORDER BY label_id").bind(id);
    Ok(db.all::<(i64,)>(sql).await?.into_iter().map(|(label,)| label).collect())
}

async fn providers(db: &mut impl Source, id: i64) -> Result<Vec<Named>> {
    let sql = Sql::new(
        "SELECT p.id, p.name FROM service_providers x JOIN providers p ON p.id = x.provider_id
         WHERE x.service_id = ? ORDER BY x.position, p.id",
    );
    let rows: Vec<(i64, String)> = db.all(sql.bind(id)).await?;
    Ok(rows.into_iter().map(|(id, name)| Named { id, name }).collect())
}
