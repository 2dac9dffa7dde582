//! Loads and writes service types and their positions. `draft` validates what is written.

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::NamedRef;
use panel_contract::ids::{NetworkId, ServiceId, ServiceTypeId};
use panel_contract::moment::{Time, Timestamp};
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
use panel_platform::db::{DbError, Sql, SqlExecutor, names};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::table;
use panel_platform::work::UnitOfWork;

/// The service types of a network, which staff can sort.
pub const SORTABLE_SERVICE_TYPES: SortableList = SortableList {
    field: "service_types",
    select_sql: "SELECT id, sorting FROM service_types WHERE network_id = ?",
    update_sql: "UPDATE service_types SET sorting = r.place FROM ",
    update_where_sql: " WHERE service_types.id = r.id",
};

/// The services of a service type, which staff can sort. Archived services have no position.
pub const SORTABLE_SERVICES: SortableList = SortableList {
    field: "services",
    select_sql: "SELECT id, sorting FROM services WHERE NOT is_archived AND service_type_id = ?",
    update_sql: "UPDATE services SET sorting = r.place FROM ",
    update_where_sql: " WHERE services.id = r.id",
};

/// A row of [`SERVICE_TYPES`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct ServiceTypeRecord {
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
    updated_at: Timestamp,
}

impl ServiceTypeRecord {
    #[must_use]
    pub fn into_row(self) -> ServiceTypeRow {
        ServiceTypeRow {
            id: self.id,
            name: self.name,
            network: NamedRef { id: self.network_id, name: self.network_name },
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

/// A service with its position in the list of its service type.
#[derive(Debug, sqlx::FromRow)]
pub struct SortedService {
    pub id: ServiceId,
    pub name: String,
    pub default_price: Money,
    pub pricing_per: i64,
    pub is_enabled: bool,
    pub sorting: i64,
}

/// Loads the service types of a network in the order that staff set; 404 if the network does not exist.
pub async fn load_types_of_network(ctx: &Ctx, network: NetworkId) -> Result<Vec<ServiceTypeRow>> {
    let db = &mut ctx.db();
    let sql = Sql::new("SELECT id FROM service_types WHERE network_id = ? ORDER BY sorting, id");
    let ids: Vec<ServiceTypeId> =
        db.fetch_all::<(ServiceTypeId,)>(sql.bind(network)).await?.into_iter().map(|(id,)| id).collect();
    if ids.is_empty() {
        names::load_name(db, "networks", network)
            .await?
            .ok_or_else(|| Error::not_found("network", network))?;
    }
    table::load_rows(ctx, &SERVICE_TYPES, &ids, |record: ServiceTypeRecord, _| record.into_row()).await
}

/// Loads the services of a service type that are not archived, in the order that staff set; 404 if the service type does not exist.
pub async fn load_services_of_type(
    db: &mut impl SqlExecutor,
    id: ServiceTypeId,
) -> Result<Vec<SortedService>> {
    let sql = Sql::new(
        "SELECT id, name, default_price, pricing_per, is_enabled, sorting FROM services
         WHERE service_type_id = ? AND NOT is_archived ORDER BY sorting, id",
    );
    let services: Vec<SortedService> = db.fetch_all(sql.bind(id)).await?;
    if services.is_empty() {
        load_name(db, id).await?;
    }
    Ok(services)
}

/// Loads the name of a service type; 404 if it does not exist.
pub async fn load_name(db: &mut impl SqlExecutor, id: ServiceTypeId) -> Result<String> {
    names::load_name(db, "service_types", id).await?.ok_or_else(|| Error::not_found("service type", id))
}

/// Returns a field error if the network does not exist.
pub async fn check_network(work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
    let name = names::load_name(work, "networks", id).await?;
    let message = || format!("There is no network {id}.");
    name.map(|_| ()).ok_or_else(|| Error::invalid("network", "network_unknown", message()))
}

/// Deletes an unused service type and closes the gap in the positions of its network.
pub async fn delete_service_type(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<()> {
    let sql = "UPDATE service_types SET sorting = sorting - 1 WHERE network_id = (SELECT x.network_id FROM service_types x WHERE x.id = ?)
       AND sorting > (SELECT x.sorting FROM service_types x WHERE x.id = ?)";
    work.execute(Sql::new(sql).bind(id).bind(id)).await?;
    for sql in [
        "DELETE FROM auto_promotion_types WHERE service_type_id = ?",
        "DELETE FROM translations WHERE owner_type = 'service_type' AND owner_id = ?",
        "DELETE FROM service_types WHERE id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

const SELECT_DETAILS: &str =
    "SELECT description, full_description, panel_category FROM service_types WHERE id = ?";

/// Loads one service type with all details, in three statements; 404 if it does not exist.
pub async fn load_service_type(
    db: &mut impl SqlExecutor,
    scope: &Scope,
    id: ServiceTypeId,
) -> Result<ServiceType> {
    let mut rows = table::load_rows_from(db, scope, &SERVICE_TYPES, &[id], |record: ServiceTypeRecord, _| {
        record.into_row()
    })
    .await?;
    let row = rows.pop().ok_or_else(|| Error::not_found("service type", id))?;
    let (description, full_description, panel_category) =
        db.fetch_one(Sql::new(SELECT_DETAILS).bind(id)).await?;
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
    /// Loads a service type with its `updated_at` and locks its row until the transaction ends; 404 if it does not exist.
    pub async fn lock(work: &mut UnitOfWork, id: ServiceTypeId) -> Result<(Self, Timestamp)> {
        let lock_sql = Sql::new("SELECT id FROM service_types WHERE id = ?").bind(id).for_update();
        let existing: Option<(ServiceTypeId,)> = work.fetch_optional(lock_sql).await?;
        existing.ok_or_else(|| Error::not_found("service type", id))?;
        let ctx = work.scope().clone();
        let current = load_service_type(work, &ctx, id).await?;
        let draft = Self {
            name: current.row.name,
            network: Some(current.row.network.id),
            title: current.row.title,
            description: current.description,
            full_description: current.full_description,
            kind: Some(current.row.kind),
            slug: current.row.slug,
            icon: current.row.icon,
            color: current.row.color,
            reviews_count: current.row.reviews_count,
            reviews_rating: current.row.reviews_rating,
            panel_category: current.panel_category,
            translations: current.translations,
        };
        Ok((draft, current.row.updated_at))
    }

    /// The INSERT at the last position of the network, and the UPDATE of all fields, to which the caller appends the `WHERE`
    /// clause.
    fn insert_and_update_sql(&self, now: Timestamp) -> [Sql; 2] {
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

    /// Inserts the service type at the last position of its network and returns its id.
    pub async fn insert(&self, work: &mut UnitOfWork) -> Result<ServiceTypeId> {
        let [insert_sql, _] = self.insert_and_update_sql(work.timestamp());
        let (id,): (ServiceTypeId,) =
            work.fetch_one(insert_sql).await.map_err(unique_violation_as_duplicate_slug)?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    /// If `is_network_changed`, the service type gets the last position of its new network.
    pub async fn update(
        &self,
        work: &mut UnitOfWork,
        id: ServiceTypeId,
        is_network_changed: bool,
    ) -> Result<()> {
        let [_, mut update_sql] = self.insert_and_update_sql(work.timestamp());
        if is_network_changed {
            update_sql = update_sql.push(
                ", sorting = (SELECT COALESCE(max(sorting), 0) + 1 FROM service_types WHERE network_id = ?)",
            );
            update_sql = update_sql.bind(self.network);
        }
        work.execute(update_sql.push(" WHERE id = ?").bind(id))
            .await
            .map_err(unique_violation_as_duplicate_slug)?;
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    pub async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: ServiceTypeId,
        before: &Self,
    ) -> Result<()> {
        let record = ChangedRecord {
            action,
            model: ChangeModel::ServiceType,
            id: id.as_record_id(),
            name: &self.name,
        };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

fn unique_violation_as_duplicate_slug(error: DbError) -> Error {
    match error.is_unique() {
        true => {
            let message = "Another service type has this slug. Enter a different one.";
            Error::invalid("slug", "slug_taken", message)
        }
        false => error.into(),
    }
}
