//! Service types in the database: lists, places and conditional writes. What one may become is judged in `draft`.

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Named;
use panel_contract::ids::{NetworkId, ServiceId, ServiceTypeId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::service_types::{ServiceType, ServiceTypeKind, ServiceTypeRow};
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::catalogue::service_types::SERVICE_TYPES;
use crate::catalogue::service_types::draft::{ServiceTypeDraft, TEXTS};
use crate::context::Ctx;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::positions::SortableList;
use crate::records::texts;
use panel_platform::db::{DbError, Source, Sql, names};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// The service types of a network.
pub const PLACES: SortableList = SortableList {
    field: "service_types",
    read: "SELECT id, sorting FROM service_types WHERE network_id = ?",
    write: "UPDATE service_types SET sorting = r.place FROM ",
    on: " WHERE service_types.id = r.id",
};

/// The services of a service type; archived ones have no place.
pub const SERVICES: SortableList = SortableList {
    field: "services",
    read: "SELECT id, sorting FROM services WHERE NOT is_archived AND service_type_id = ?",
    write: "UPDATE services SET sorting = r.place FROM ",
    on: " WHERE services.id = r.id",
};

/// A service type as the list reads it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: ServiceTypeId,
    name: String,
    network_id: NetworkId,
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
    /// As the wire has it.
    #[must_use]
    pub fn shown(self) -> ServiceTypeRow {
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

/// A service in its place.
#[derive(Debug, sqlx::FromRow)]
pub struct Placed {
    /// Id.
    pub id: ServiceId,
    /// Name.
    pub name: String,
    /// Default price.
    pub default_price: Money,
    /// Pricing per.
    pub pricing_per: i64,
    /// Is enabled.
    pub is_enabled: bool,
    /// Sorting.
    pub sorting: i64,
}

/// The service types of a network, in their order.
pub async fn of_network(ctx: &Ctx, network: NetworkId) -> Result<Vec<ServiceTypeRow>> {
    let db = &mut ctx.db();
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? ORDER BY sorting, id");
    let ids: Vec<ServiceTypeId> =
        db.all::<(ServiceTypeId,)>(sql.bind(network)).await?.into_iter().map(|(id,)| id).collect();
    if ids.is_empty() {
        names::load_name(db, "networks", network)
            .await?
            .ok_or_else(|| Error::not_found("network", network))?;
    }
    table::rows(ctx, &SERVICE_TYPES, &ids, |record: Record, _| record.shown()).await
}

/// The services of a type that are not archived, in their order.
pub async fn placed(db: &mut impl Source, id: ServiceTypeId) -> Result<Vec<Placed>> {
    let sql = Sql::new(
        "SELECT id, name, default_price, pricing_per, is_enabled, sorting FROM services
         WHERE service_type_id = ? AND NOT is_archived ORDER BY sorting, id",
    );
    let placed: Vec<Placed> = db.all(sql.bind(id)).await?;
    if placed.is_empty() {
        exists(db, id).await?;
    }
    Ok(placed)
}

/// The name of a service type that must be there.
pub async fn exists(db: &mut impl Source, id: ServiceTypeId) -> Result<String> {
    names::load_name(db, "service_types", id).await?.ok_or_else(|| Error::not_found("service type", id))
}

/// Refuses a network that is not there.
pub async fn check_network(work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
    let known = names::load_name(work, "networks", id).await?;
    let message = || format!("There is no network {id}.");
    known.map(|_| ()).ok_or_else(|| Error::invalid("network", "network_unknown", message()))
}

/// Deletes one that nothing uses; those behind it in its network move up.
pub async fn remove(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<()> {
    let sql = "UPDATE service_types SET sorting = sorting - 1 WHERE network_id = (SELECT x.network_id FROM service_types x WHERE x.id = ?)
       AND sorting > (SELECT x.sorting FROM service_types x WHERE x.id = ?)";
    work.exec(Sql::new(sql).bind(id).bind(id)).await?;
    for sql in [
        "DELETE FROM auto_promotion_types WHERE service_type_id = ?",
        "DELETE FROM translations WHERE owner_type = 'service_type' AND owner_id = ?",
        "DELETE FROM service_types WHERE id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

const TEXTS_OF: &str = "SELECT description, full_description, panel_category FROM service_types WHERE id = ?";

/// One service type, in three statements.
pub async fn load(db: &mut impl Source, scope: &Scope, id: ServiceTypeId) -> Result<ServiceType> {
    let mut rows =
        table::rows_from(db, scope, &SERVICE_TYPES, &[id], |record: Record, _| record.shown()).await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("service type", id))?;
    let (description, full_description, panel_category) = db.one(Sql::new(TEXTS_OF).bind(id)).await?;
    let translations = texts::load_one(db, &TEXTS, id, &row.name).await?;
    let panel_service_type_id = row.id;
    Ok(ServiceType {
        row,
        description,
        full_description,
        panel_service_type_id,
        panel_category,
        translations,
    })
}

impl ServiceTypeDraft {
    /// Reads and locks one that must be there, with its stamp.
    pub async fn lock(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<(Self, Stamp)> {
        let lock = Sql::new("SELECT id FROM service_types WHERE id = ?").bind(id).for_update();
        let known: Option<(ServiceTypeId,)> = work.opt(lock).await?;
        known.ok_or_else(|| Error::not_found("service type", id))?;
        let ctx = work.scope().clone();
        let now = load(work, &ctx, id).await?;
        let draft = Self {
            name: now.row.name,
            network: Some(now.row.network.id),
            title: now.row.title,
            description: now.description,
            full_description: now.full_description,
            kind: Some(now.row.kind),
            slug: now.row.slug,
            icon: now.row.icon,
            color: now.row.color,
            reviews_count: now.row.reviews_count,
            reviews_rating: now.row.reviews_rating,
            panel_category: now.panel_category,
            translations: now.translations,
        };
        Ok((draft, now.row.updated_at))
    }

    /// The INSERT, last in its network, and the UPDATE of all its fields, without its condition.
    fn statements(&self, now: Stamp) -> [Sql; 2] {
        let Self {
            name,
            network,
            title,
            description,
            full_description,
            kind,
            slug,
            icon,
            color,
            reviews_count,
            reviews_rating,
            panel_category,
            translations: _,
        } = self;
        sql!(
            [
                "INSERT INTO service_types (name, network_id, title, description, full_description, type, slug, icon, color, \
                   reviews_count, reviews_rating_ppm,
                   panel_category, created_at, updated_at, sorting)
                 SELECT @name, @network_id, @title, @description, @full_description, @type, @slug, @icon, @color, @reviews_count, \
                   @reviews_rating_ppm, @panel_category, @now, @now, COALESCE(max(sorting), 0) + 1 FROM service_types \
                   WHERE network_id = @network_id RETURNING id",
                "UPDATE service_types SET name = @name, network_id = @network_id, title = @title, description = @description, \
                   full_description = @full_description, type = @type, slug = @slug, icon = @icon, color = @color,
                   reviews_count = @reviews_count, reviews_rating_ppm = @reviews_rating_ppm, panel_category = @panel_category, \
                   updated_at = @now",
            ],
            {
                name: name.as_str(),
                network_id: network,
                title: title.as_deref(),
                description: description.as_deref(),
                full_description: full_description.as_deref(),
                type: kind.unwrap_or(ServiceTypeKind::Youtube).as_str(),
                slug: slug.as_deref(),
                icon: icon.as_deref(),
                color: color.as_deref(),
                reviews_count,
                reviews_rating_ppm: reviews_rating,
                panel_category: panel_category.as_deref(),
                now,
            },
        )
    }

    /// Writes a new one, last in its network; its id.
    pub async fn insert(&self, work: &mut UnitOfWork) -> Result<ServiceTypeId> {
        let [insert, _] = self.statements(work.stamp());
        let (id,): (ServiceTypeId,) = work.one(insert).await.map_err(taken)?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    /// `moved`: it stands last in its new network.
    pub async fn write(&self, work: &mut UnitOfWork, id: ServiceTypeId, moved: bool) -> Result<()> {
        let [_, mut update] = self.statements(work.stamp());
        if moved {
            update = update.push(
                ", sorting = (SELECT COALESCE(max(sorting), 0) + 1 FROM service_types WHERE network_id = ?)",
            );
            update = update.bind(self.network);
        }
        work.exec(update.push(" WHERE id = ?").bind(id)).await.map_err(taken)?;
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    /// Writes down what was done.
    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ServiceTypeId,
        before: &Self,
    ) -> Result<()> {
        let noted =
            ChangedRecord { action, model: ChangeModel::ServiceType, id: id.record(), name: &self.name };
        changes::record(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid("slug", "slug_taken", "Another service type has this slug; take another."),
        false => error.into(),
    }
}
