//! Social networks, the first level of the catalogue. A shop has only a few networks, so the list returns all of them on one page.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, NamedRef, Translations};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::networks::{
    CreateNetwork, DeleteNetwork, ListNetworkServiceTypes, ListNetworks, SortNetworks, SortServiceTypes,
    UpdateNetwork,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, RecordId, ServiceTypeId};
use panel_contract::moment::Timestamp;
use panel_contract::networks::{Network, NetworkInput};
use panel_contract::service_types::ServiceTypeRow;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::service_types;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::positions::{self, SortableList};
use crate::records::texts::{self, TextField, TextFields};
use crate::records::{changes, references};
use panel_domain::fields;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListNetworks, _, _, _>(list)
        .route::<CreateNetwork, _, _, _>(create)
        .route::<UpdateNetwork, _, _, _>(update)
        .route::<DeleteNetwork, _, _, _>(delete)
        .route::<SortNetworks, _, _, _>(sort)
        .route::<ListNetworkServiceTypes, _, _, _>(list_service_types)
        .route::<SortServiceTypes, _, _, _>(sort_service_types)
}

async fn list(ctx: Ctx, _req: Req<ListNetworks>) -> Result<Data<Vec<Network>>> {
    Ok(Data { data: load_networks(&mut ctx.db(), None).await? })
}

async fn create(ctx: Ctx, req: Req<CreateNetwork>) -> Result<Data<Network>> {
    let mut field_errors = FieldErrorCollector::default();
    let draft = field_errors.collect(NetworkDraft::default().apply(&req.body))?;
    let icon = field_errors
        .collect(ctx.app.uploads.store_image(ctx.meta.dry_run, "icon", &req.body.icon, None).await)?
        .flatten();
    field_errors.into_result(())?;
    let draft = NetworkDraft { icon, ..draft.unwrap_or_default() };
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &NetworkDraft::default()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateNetwork>) -> Result<Data<Network>> {
    let mut field_errors = FieldErrorCollector::default();
    let icon = field_errors
        .collect(ctx.app.uploads.store_image_before_lock(ctx.meta.dry_run, "icon", &req.body.icon).await)?;
    let mut work = ctx.begin().await?;
    // The image is validated before the record is locked, because the validation takes time. If the image is invalid and the record
    // is missing, the error of the image comes first.
    let (before, updated_at) =
        NetworkDraft::lock(&mut work, req.path).await.map_err(|missing| field_errors.finish_with(missing))?;
    Error::check_not_stale("network", req.body.updated_at, updated_at)?;
    let after = field_errors.collect(before.clone().apply(&req.body))?;
    let icon = match icon {
        Some(icon) => field_errors.collect(icon.new_value(before.icon.as_deref()))?.flatten(),
        None => None,
    };
    field_errors.into_result(())?;
    let after = NetworkDraft { icon, ..after.unwrap_or_default() };
    if after != before {
        after.update(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteNetwork>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = NetworkDraft::lock(&mut work, req.path).await?;
    references::reject_if_used(&mut work, &references::TO_NETWORK, req.path).await?;
    delete_network(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::Network);
    let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &before.name };
    changes::record(&mut work, record, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: NetworkId) -> Result<Data<Network>> {
    let data =
        load_networks(&mut work, Some(id)).await?.pop().ok_or_else(|| Error::not_found("network", id))?;
    work.finish(Data { data }).await
}

async fn sort(ctx: Ctx, req: Req<SortNetworks>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let requested_order = &req.body.networks;
    let order_before = positions::sort(&mut work, SORTABLE_NETWORKS, None, requested_order).await?;
    if order_before != *requested_order {
        let record = ChangedRecord {
            action: ChangeAction::Sorted,
            model: ChangeModel::Network,
            id: RecordId::NONE,
            name: "Networks",
        };
        let (old, new) = (json!({ "networks": order_before }), json!({ "networks": requested_order }));
        changes::record(&mut work, record, &old, &new).await?;
    }
    work.finish(EmptyBody {}).await
}

async fn list_service_types(
    ctx: Ctx,
    req: Req<ListNetworkServiceTypes>,
) -> Result<Data<Vec<ServiceTypeRow>>> {
    Ok(Data { data: service_types::load_types_of_network(&ctx, req.path).await? })
}

async fn sort_service_types(ctx: Ctx, req: Req<SortServiceTypes>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (network, _) = NetworkDraft::lock(&mut work, req.path).await?;
    let requested_order = &req.body.service_types;
    let order_before = positions::sort(
        &mut work,
        service_types::SORTABLE_SERVICE_TYPES,
        Some(req.path.as_record_id()),
        requested_order,
    )
    .await?;
    if order_before != *requested_order {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::Network);
        let record = ChangedRecord { action, model, id: req.path.as_record_id(), name: &network.name };
        let (old, new) =
            (json!({ "service_types": order_before }), json!({ "service_types": requested_order }));
        changes::record(&mut work, record, &old, &new).await?;
    }
    work.finish(EmptyBody {}).await
}

// Rules

const MAX_URL_EXAMPLES: usize = 20;

/// The texts of a network that staff translate.
const TEXTS: TextFields =
    TextFields { owner_type: "network", fields: &[TextField { field: "name", max_chars: 100 }] };

/// A network as staff edit it and as the change log shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct NetworkDraft {
    name: String,
    icon: Option<String>,
    color: Option<String>,
    url_examples: Vec<String>,
    translations: Translations,
}

impl NetworkDraft {
    /// Returns the draft with the changes of an input. Errors have the field names of the request.
    fn apply(mut self, input: &NetworkInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        fields::apply_color(&mut errors, "color", &input.color, &mut self.color);
        if let Some(examples) = &input.url_examples {
            if examples.len() > MAX_URL_EXAMPLES {
                errors.add("url_examples", format!("Enter at most {MAX_URL_EXAMPLES} URLs."));
            }
            self.url_examples = examples.iter().map(|example| example.trim().to_owned()).collect();
            for (index, url) in self.url_examples.iter().enumerate() {
                if !fields::is_http_url(url) {
                    let message = "Enter a full URL that begins with http:// or https://.";
                    errors.add(format!("url_examples.{index}"), message);
                }
            }
        }
        errors.into_result(self)
    }
}

// Store

const SORTABLE_NETWORKS: SortableList = SortableList {
    field: "networks",
    select_sql: "SELECT id, sorting FROM networks",
    update_sql: "UPDATE networks SET sorting = r.place FROM ",
    update_where_sql: " WHERE networks.id = r.id",
};

#[derive(sqlx::FromRow)]
struct NetworkRecord {
    id: NetworkId,
    name: String,
    icon: Option<String>,
    color: Option<String>,
    url_examples: String,
    sorting: i64,
    updated_at: Timestamp,
}

const SELECT_RECORDS: &str = "SELECT id, name, icon, color, url_examples, sorting, updated_at FROM networks";

/// Loads networks with their service types and texts in three statements: only the network with `id`, or all if it is `None`.
async fn load_networks(db: &mut impl SqlExecutor, id: Option<NetworkId>) -> Result<Vec<Network>> {
    let mut sql = Sql::new(SELECT_RECORDS);
    if let Some(id) = id {
        sql = sql.push(" WHERE id = ?").bind(id);
    }
    let records: Vec<NetworkRecord> = db.fetch_all(sql.push(" ORDER BY sorting, id")).await?;
    let ids: Vec<NetworkId> = records.iter().map(|record| record.id).collect();
    let types_sql = Sql::new("SELECT network_id, id, name FROM service_types WHERE network_id IN ").ids(&ids);
    let types: Vec<(NetworkId, ServiceTypeId, String)> =
        db.fetch_all(types_sql.push(" ORDER BY sorting, id")).await?;
    let mut translations = texts::load(db, &TEXTS, &ids).await?;
    let networks = records.into_iter().map(|record| {
        let types_of_network = types.iter().filter(|(network, ..)| *network == record.id);
        let mut texts = translations.remove(&record.id).unwrap_or_default();
        texts.put("en", "name", &record.name);
        Network {
            id: record.id,
            icon: record.icon,
            color: record.color,
            url_examples: serde_json::from_str(&record.url_examples).unwrap_or_default(),
            sorting: record.sorting,
            positions: types_of_network.clone().map(|(_, id, _)| *id).collect(),
            service_types: types_of_network
                .map(|(_, id, name)| NamedRef { id: *id, name: name.clone() })
                .collect(),
            translations: texts,
            updated_at: record.updated_at,
            name: record.name,
        }
    });
    Ok(networks.collect())
}

/// Deletes a network and closes the gap in the positions.
async fn delete_network(work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
    for sql in [
        "UPDATE networks SET sorting = sorting - 1 WHERE sorting > (SELECT x.sorting FROM networks x WHERE x.id = ?)",
        "DELETE FROM auto_promotion_networks WHERE network_id = ?",
        "DELETE FROM translations WHERE owner_type = 'network' AND owner_id = ?",
        "DELETE FROM networks WHERE id = ?",
    ] {
        work.execute(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

impl NetworkDraft {
    async fn lock(work: &mut UnitOfWork, id: NetworkId) -> Result<(Self, Timestamp)> {
        let sql = Sql::new(SELECT_RECORDS).push(" WHERE id = ?").bind(id).for_update();
        let record: Option<NetworkRecord> = work.fetch_optional(sql).await?;
        let record = record.ok_or_else(|| Error::not_found("network", id))?;
        let draft = Self {
            translations: texts::load_one(work, &TEXTS, id, &record.name).await?,
            name: record.name,
            icon: record.icon,
            color: record.color,
            url_examples: serde_json::from_str(&record.url_examples).unwrap_or_default(),
        };
        Ok((draft, record.updated_at))
    }

    /// The INSERT at the last position, and the UPDATE to which the caller binds `id`.
    fn insert_and_update_sql(&self, now: Timestamp) -> [Sql; 2] {
        sql!(
            [
                "INSERT INTO networks (name, icon, color, url_examples, sorting, created_at, updated_at)
                 SELECT @name, @icon, @color, @url_examples, COALESCE(max(sorting), 0) + 1, @now, @now FROM networks RETURNING id",
                "UPDATE networks SET name = @name, icon = @icon, color = @color, url_examples = @url_examples, updated_at = @now \
                   WHERE id = @id",
            ],
            {
                name: &*self.name,
                icon: self.icon.clone(),
                color: self.color.clone(),
                url_examples: json!(self.url_examples).to_string(),
                now,
            },
            bound_later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork) -> Result<NetworkId> {
        let [insert_sql, _] = self.insert_and_update_sql(work.timestamp());
        let (id,): (NetworkId,) = work.fetch_one(insert_sql).await?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    async fn update(&self, work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
        let [_, update_sql] = self.insert_and_update_sql(work.timestamp());
        work.execute(update_sql.bind_named("id", id)).await?;
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: NetworkId,
        before: &Self,
    ) -> Result<()> {
        let record =
            ChangedRecord { action, model: ChangeModel::Network, id: id.as_record_id(), name: &self.name };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_fields(body: &str) -> Vec<String> {
        let input: NetworkInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        NetworkDraft::default()
            .apply(&input)
            .map(|_| ())
            .map_err(|errors| errors.0.into_keys().collect())
            .unwrap_err()
    }

    #[test]
    fn a_network_needs_a_name_and_full_urls() {
        assert_eq!(error_fields("{}"), ["name"]);
        let body = r#"{"name":"Video","color":"red","url_examples":["https://a.example/1","a.example"]}"#;
        assert_eq!(error_fields(body), ["color", "url_examples.1"]);
    }
}
