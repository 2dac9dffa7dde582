//! Service types, the second level of the catalogue.

use panel_contract::amount::Fraction;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Choice, Data, Named, Translations};
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::service_types::{
    CreateServiceType, GetServiceType, ListServiceTypeCollections, ListServiceTypes, ListServicesOfType,
    SortServices, UpdateServiceType,
};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::{Stamp, Time};
use panel_contract::service_types::{
    PlacedService, ServiceType, ServiceTypeCollections, ServiceTypeInput, ServiceTypeKind, ServiceTypeRow,
};
use serde::Serialize;
use serde_json::json;

use crate::catalogue::change_logs::Noted;
use crate::catalogue::positions::{self, Places};
use crate::catalogue::texts::{self, Text, Texts};
use crate::catalogue::{fields, record};
use crate::db::{DbError, Source, Sql};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::{Ctx, Req};
use crate::table::{self, Column, Join, Kind, Table};
use crate::words_of;
use crate::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListServiceTypes, _, _>(&SERVICE_TYPES, |record: Record, _| record.shown())
        .on::<CreateServiceType, _, _, _>(create)
        .on::<ListServiceTypeCollections, _, _, _>(collections)
        .on::<GetServiceType, _, _, _>(get)
        .on::<UpdateServiceType, _, _, _>(update)
        .on::<ListServicesOfType, _, _, _>(services)
        .on::<SortServices, _, _, _>(sort)
}

async fn collections(
    _ctx: Ctx,
    _req: Req<ListServiceTypeCollections>,
) -> Result<Data<ServiceTypeCollections>> {
    let choice = |kind: &ServiceTypeKind| Choice { kind: kind.to_string(), label: kind.to_string() };
    Ok(Data { data: ServiceTypeCollections { types: ServiceTypeKind::ALL.iter().map(choice).collect() } })
}

async fn get(ctx: Ctx, req: Req<GetServiceType>) -> Result<Data<ServiceType>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateServiceType>) -> Result<Data<ServiceType>> {
    let mut errors = FieldErrors::default();
    if req.body.id.is_some() {
        errors.add("id", "A new service type gets its id from the panel; leave it out.");
    }
    let draft = Draft::default().with(&req.body, errors)?;
    let mut work = ctx.begin().await?;
    check_network(&mut work, draft.network).await?;
    let id = draft.insert(&mut work).await?;
    draft.tell(&mut work, ChangeAction::Created, id, &Draft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateServiceType>) -> Result<Data<ServiceType>> {
    let (id, input) = (req.path, &req.body.panel_service_type);
    let mut errors = FieldErrors::default();
    if input.id.is_some_and(|named| named != id) {
        errors.add("id", format!("The address says {id}; name the same service type, or leave it out."));
    }
    let mut work = ctx.begin().await?;
    let (before, stamp) = Draft::lock(&mut work, id).await?;
    record::unchanged("service type", input.updated_at, stamp)?;
    let after = before.clone().with(input, errors)?;
    if after.network != before.network {
        check_network(&mut work, after.network).await?;
    }
    if after != before {
        after.write(&mut work, id, after.network != before.network).await?;
        after.tell(&mut work, ChangeAction::Updated, id, &before).await?;
    }
    answer(work, id).await
}

async fn answer(mut work: Work, id: i64) -> Result<Data<ServiceType>> {
    let ctx = work.ctx().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn services(ctx: Ctx, req: Req<ListServicesOfType>) -> Result<Data<Vec<PlacedService>>> {
    let db = &mut ctx.db();
    let sql = Sql::new(
        "SELECT id, name, default_price, pricing_per, is_enabled, sorting FROM services
         WHERE service_type_id = ? AND NOT is_archived ORDER BY sorting, id",
    );
    let placed: Vec<Placed> = db.all(sql.bind(req.path)).await?;
    if placed.is_empty() {
        exists(db, req.path).await?;
    }
    let shown = placed.into_iter().map(|service| PlacedService {
        id: service.id,
        name: service.name,
        default_price: service.default_price,
        pricing_per: service.pricing_per,
        is_enabled: service.is_enabled,
        sorting: service.sorting,
    });
    Ok(Data { data: shown.collect() })
}

async fn sort(ctx: Ctx, req: Req<SortServices>) -> Result<NoBody> {
    let mut work = ctx.begin().await?;
    let name = exists(&mut work, req.path).await?;
    let wanted = &req.body.services;
    let before = positions::sort(&mut work, SERVICES, Some(req.path), wanted).await?;
    if before != *wanted {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::ServiceType);
        let noted = Noted { action, model, id: req.path, name: &name };
        record::tell(&mut work, noted, &json!({ "services": before }), &json!({ "services": wanted }))
            .await?;
    }
    work.finish(NoBody {}).await
}

/// All service types.
pub static SERVICE_TYPES: Table = Table {
    name: "service-types",
    base: "service_types",
    alias: "t",
    key: "t.id",
    scope: None,
    joins: &[Join { alias: "n", sql: "JOIN networks n ON n.id = t.network_id" }],
    select: SELECT,
    columns: &[
        Column::new("id", "t.id", Kind::Id),
        Column::new("name", "t.name", Kind::Text),
        Column::new("network", "n.name", Kind::Text).of("n").hidden(),
        Column::new("network.id", "t.network_id", Kind::Id),
        Column::new("network.name", "n.name", Kind::Text).of("n"),
        Column::new("title", "t.title", Kind::Text).nullable(),
        Column::new("type", "t.type", words_of!(ServiceTypeKind)),
        Column::new("slug", "t.slug", Kind::Text).nullable(),
        Column::new("sorting", "t.sorting", Kind::Number),
        Column::new("services_count", COUNT, Kind::Number),
        Column::new("reviews_count", "t.reviews_count", Kind::Number),
        Column::new("reviews_rating", "t.reviews_rating_ppm", Kind::Money),
        Column::new("created_at", "t.created_at", Kind::Time),
    ],
    plain: &[],
    common: &[],
    order: &[],
    kept: None,
};

const COUNT: &str = "(SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived)";
const SELECT: &str = "t.id, t.name, n.id AS network_id, n.name AS network_name, t.title, t.type AS kind, t.slug, t.icon, t.color, t.sorting,
  (SELECT count(*) FROM services x WHERE x.service_type_id = t.id AND NOT x.is_archived) AS services_count,
  t.reviews_count, t.reviews_rating_ppm, t.created_at, t.updated_at";

// Rules

/// What a service type has in every language.
const TEXTS: Texts = Texts {
    owner: "service_type",
    fields: &[
        Text { field: "name", most: 100 },
        Text { field: "title", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "reviews", most: 20_000 },
        Text { field: "faq", most: 20_000 },
        Text { field: "meta_title", most: 255 },
        Text { field: "meta_description", most: 1_000 },
    ],
};

/// A service type as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct Draft {
    name: String,
    network: i64,
    title: Option<String>,
    description: Option<String>,
    full_description: Option<String>,
    #[serde(rename = "type")]
    kind: Option<ServiceTypeKind>,
    slug: Option<String>,
    color: Option<String>,
    reviews_count: i64,
    reviews_rating: Fraction,
    translations: Translations,
}

impl Draft {
    /// After an input; each wrong field is named.
    fn with(mut self, input: &ServiceTypeInput, mut errors: FieldErrors) -> Result<Self, FieldErrors> {
        let errors_now = &mut errors;
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::settle(errors_now, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.network = input.network.unwrap_or(self.network);
        if self.network == 0 {
            errors_now.add("network", "Choose the network that it belongs to.");
        }
        fields::text(errors_now, "title", &input.title, &mut self.title, 255);
        fields::text(errors_now, "description", &input.description, &mut self.description, 2_000);
        let full = &mut self.full_description;
        fields::text(errors_now, "full_description", &input.full_description, full, 50_000);
        self.kind = input.kind.or(self.kind);
        fields::slug(errors_now, "slug", &input.slug, &mut self.slug);
        fields::color(errors_now, "color", &input.color, &mut self.color);
        fields::whole(errors_now, "reviews_count", input.reviews_count, &mut self.reviews_count, 0..=10_000_000);
        match input.reviews_rating {
            Some(rating) if (0..=5_000_000).contains(&rating.0) => self.reviews_rating = rating,
            Some(_) => errors_now.add("reviews_rating", "Give a rating from 0 to 5."),
            None => {}
        }
        errors.or(self)
    }
}

// Store

/// The service types of a network.
pub const PLACES: Places = Places {
    field: "service_types",
    read: "SELECT id, sorting FROM service_types WHERE network_id = ?",
    write: "UPDATE service_types SET sorting = r.place FROM ",
    on: " WHERE service_types.id = r.id",
};

/// The services of a service type; archived ones have no place.
const SERVICES: Places = Places {
    field: "services",
    read: "SELECT id, sorting FROM services WHERE NOT is_archived AND service_type_id = ?",
    write: "UPDATE services SET sorting = r.place FROM ",
    on: " WHERE services.id = r.id",
};

/// A service type as the list reads it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    network_id: i64,
    network_name: String,
    title: Option<String>,
    kind: ServiceTypeKind,
    slug: Option<String>,
    icon: Option<String>,
    color: Option<String>,
    sorting: i64,
    services_count: i64,
    reviews_count: i64,
    reviews_rating_ppm: Fraction,
    created_at: Time,
    updated_at: Stamp,
}

impl Record {
    fn shown(self) -> ServiceTypeRow {
        ServiceTypeRow {
            id: self.id,
            name: self.name,
            network: Named { id: self.network_id, name: self.network_name },
            title: self.title,
            kind: self.kind,
            slug: self.slug,
            icon: self.icon,
            color: self.color,
            sorting: self.sorting,
            services_count: self.services_count,
            reviews_count: self.reviews_count,
            reviews_rating: self.reviews_rating_ppm,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

#[derive(sqlx::FromRow)]
struct Placed {
    id: i64,
    name: String,
    default_price: panel_contract::amount::Money,
    pricing_per: i64,
    is_enabled: bool,
    sorting: i64,
}

/// The service types of a network, in their order.
pub async fn of_network(ctx: &Ctx, network: i64) -> Result<Vec<ServiceTypeRow>> {
    let db = &mut ctx.db();
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? ORDER BY sorting, id");
    let ids: Vec<i64> = db.all::<(i64,)>(sql.bind(network)).await?.into_iter().map(|(id,)| id).collect();
    if ids.is_empty() {
        let known: Option<(i64,)> =
            db.opt(Sql::new("SELECT id FROM networks WHERE id = ?").bind(network)).await?;
        known.ok_or_else(|| ApiError::not_found("network", network))?;
    }
    table::rows(ctx, &SERVICE_TYPES, &ids, |record: Record, _| record.shown()).await
}

/// The name of a service type that must be there.
async fn exists(db: &mut impl Source, id: i64) -> Result<String> {
    let name: Option<(String,)> =
        db.opt(Sql::new("SELECT name FROM service_types WHERE id = ?").bind(id)).await?;
    name.map(|(name,)| name).ok_or_else(|| ApiError::not_found("service type", id))
}

async fn check_network(work: &mut Work, id: i64) -> Result<()> {
    let known: Option<(i64,)> = work.opt(Sql::new("SELECT id FROM networks WHERE id = ?").bind(id)).await?;
    let message = || format!("There is no network {id}.");
    known.map(|_| ()).ok_or_else(|| ApiError::invalid("network", "network_unknown", message()))
}

const TEXTS_OF: &str = "SELECT description, full_description, panel_service_type_id FROM service_types WHERE id = ?";

/// One service type, in three statements.
async fn load(db: &mut impl Source, ctx: &Ctx, id: i64) -> Result<ServiceType> {
    let mut rows = table::rows_from(db, ctx, &SERVICE_TYPES, &[id], |record: Record, _| record.shown()).await?;
    let row = rows.pop().ok_or_else(|| ApiError::not_found("service type", id))?;
    let (description, full_description, panel_service_type_id) = db.one(Sql::new(TEXTS_OF).bind(id)).await?;
    let translations = texts::of(db, &TEXTS, id, &row.name).await?;
    Ok(ServiceType { row, description, full_description, panel_service_type_id, translations })
}

impl Draft {
    async fn lock(work: &mut Work, id: i64) -> Result<(Self, Stamp)> {
        let lock = Sql::new("SELECT id FROM service_types WHERE id = ?").bind(id).for_update();
        let known: Option<(i64,)> = work.opt(lock).await?;
        known.ok_or_else(|| ApiError::not_found("service type", id))?;
        let ctx = work.ctx().clone();
        let now = load(work, &ctx, id).await?;
        let draft = Self {
            name: now.row.name,
            network: now.row.network.id,
            title: now.row.title,
            description: now.description,
            full_description: now.full_description,
            kind: Some(now.row.kind),
            slug: now.row.slug,
            color: now.row.color,
            reviews_count: now.row.reviews_count,
            reviews_rating: now.row.reviews_rating,
            translations: now.translations,
        };
        Ok((draft, now.row.updated_at))
    }

    /// The values of name, network, title, description, full description, type, slug, colour, reviews and rating.
    fn bind(&self, sql: Sql) -> Sql {
        sql.bind(&*self.name)
            .bind(self.network)
            .bind(self.title.clone())
            .bind(self.description.clone())
            .bind(self.full_description.clone())
            .bind(self.kind.unwrap_or(ServiceTypeKind::Youtube).as_str())
            .bind(self.slug.clone())
            .bind(self.color.clone())
            .bind(self.reviews_count)
            .bind(self.reviews_rating)
    }

    async fn insert(&self, work: &mut Work) -> Result<i64> {
        let now = work.stamp();
        let sql = Sql::new(
            "INSERT INTO service_types (name, network_id, title, description, full_description, type, slug, color, reviews_count, reviews_rating_ppm,
               created_at, updated_at, sorting)
             SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, COALESCE(max(sorting), 0) + 1 FROM service_types WHERE network_id = ? RETURNING id",
        );
        let sql = self.bind(sql).bind(now).bind(now).bind(self.network);
        let (id,): (i64,) = work.one(sql).await.map_err(taken)?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    /// `moved`: it stands last in its new network.
    async fn write(&self, work: &mut Work, id: i64, moved: bool) -> Result<()> {
        let now = work.stamp();
        let sql = Sql::new(
            "UPDATE service_types SET name = ?, network_id = ?, title = ?, description = ?, full_description = ?, type = ?, slug = ?, color = ?,
               reviews_count = ?, reviews_rating_ppm = ?, updated_at = ?",
        );
        let mut sql = self.bind(sql).bind(now);
        if moved {
            sql = sql.push(", sorting = (SELECT COALESCE(max(sorting), 0) + 1 FROM service_types WHERE network_id = ?)");
            sql = sql.bind(self.network);
        }
        work.exec(sql.push(" WHERE id = ?").bind(id)).await.map_err(taken)?;
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    async fn tell(&self, work: &mut Work, action: ChangeAction, id: i64, before: &Self) -> Result<()> {
        let noted = Noted { action, model: ChangeModel::ServiceType, id, name: &self.name };
        record::tell(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> ApiError {
    match error.is_unique() {
        true => ApiError::invalid("slug", "slug_taken", "Another service type has this slug; take another."),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_field_of_a_service_type_is_named() {
        let wrong = |body: &str| {
            let input: ServiceTypeInput = FieldErrors::from_json(body.as_bytes()).unwrap();
            let judged = Draft::default().with(&input, FieldErrors::default());
            judged.map(|_| ()).unwrap_err().0.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(wrong("{}"), ["name", "network"]);
        let body = r#"{"name":"Likes","network":1,"reviews_rating":"5.1","reviews_count":-1,"slug":"Ä","color":"red"}"#;
        assert_eq!(wrong(body), ["color", "reviews_count", "reviews_rating", "slug"]);
    }
}
