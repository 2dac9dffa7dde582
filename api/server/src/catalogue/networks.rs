//! Networks, the first level of the catalogue: few, shown whole, in their order.

use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named, Translations};
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::networks::{
    CreateNetwork, DeleteNetwork, ListNetworkServiceTypes, ListNetworks, SortNetworks, SortServiceTypes,
    UpdateNetwork,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, RecordId, ServiceTypeId};
use panel_contract::moment::Stamp;
use panel_contract::networks::{Network, NetworkInput};
use panel_contract::service_types::ServiceTypeRow;
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::service_types;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::change_log::ChangedRecord;
use crate::records::positions::{self, SortableList};
use crate::records::texts::{self, Text, Texts};
use crate::records::{changes, uses};
use panel_domain::fields;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListNetworks, _, _, _>(list)
        .on::<CreateNetwork, _, _, _>(create)
        .on::<UpdateNetwork, _, _, _>(update)
        .on::<DeleteNetwork, _, _, _>(delete)
        .on::<SortNetworks, _, _, _>(sort)
        .on::<ListNetworkServiceTypes, _, _, _>(types_of)
        .on::<SortServiceTypes, _, _, _>(sort_types)
}

async fn list(ctx: Ctx, _req: Req<ListNetworks>) -> Result<Data<Vec<Network>>> {
    Ok(Data { data: read(&mut ctx.db(), None).await? })
}

async fn create(ctx: Ctx, req: Req<CreateNetwork>) -> Result<Data<Network>> {
    let mut wrong = WrongFields::default();
    let draft = wrong.record(NetworkDraft::default().with(&req.body))?;
    let icon = wrong
        .record(ctx.app.uploads.store_picture(ctx.meta.dry_run, "icon", &req.body.icon, None).await)?
        .flatten();
    wrong.or(())?;
    let draft = NetworkDraft { icon, ..draft.unwrap_or_default() };
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &NetworkDraft::default()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateNetwork>) -> Result<Data<Network>> {
    let mut wrong = WrongFields::default();
    let icon =
        wrong.record(ctx.app.uploads.store_new_image(ctx.meta.dry_run, "icon", &req.body.icon).await)?;
    let mut work = ctx.begin().await?;
    // The image was looked at before the record, so that no record is locked meanwhile: its refusal comes first.
    let (before, stamp) =
        NetworkDraft::lock(&mut work, req.path).await.map_err(|missing| wrong.finish_with(missing))?;
    Error::check_not_stale("network", req.body.updated_at, stamp)?;
    let after = wrong.record(before.clone().with(&req.body))?;
    let icon = match icon {
        Some(icon) => wrong.record(icon.new_value(before.icon.as_deref()))?.flatten(),
        None => None,
    };
    wrong.or(())?;
    let after = NetworkDraft { icon, ..after.unwrap_or_default() };
    if after != before {
        after.write(&mut work, req.path).await?;
        after.record_change(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteNetwork>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (before, _) = NetworkDraft::lock(&mut work, req.path).await?;
    uses::refuse_if_used(&mut work, &uses::OF_NETWORK, req.path).await?;
    remove(&mut work, req.path).await?;
    let (action, model) = (ChangeAction::Deleted, ChangeModel::Network);
    let noted = ChangedRecord { action, model, id: req.path.record(), name: &before.name };
    changes::record(&mut work, noted, &json!(before), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn answer(mut work: UnitOfWork, id: NetworkId) -> Result<Data<Network>> {
    let data = read(&mut work, Some(id)).await?.pop().ok_or_else(|| Error::not_found("network", id))?;
    work.finish(Data { data }).await
}

async fn sort(ctx: Ctx, req: Req<SortNetworks>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let wanted = &req.body.networks;
    let before = positions::sort(&mut work, NETWORKS, None, wanted).await?;
    if before != *wanted {
        let noted = ChangedRecord {
            action: ChangeAction::Sorted,
            model: ChangeModel::Network,
            id: RecordId::NONE,
            name: "Networks",
        };
        changes::record(&mut work, noted, &json!({ "networks": before }), &json!({ "networks": wanted }))
            .await?;
    }
    work.finish(EmptyBody {}).await
}

async fn types_of(ctx: Ctx, req: Req<ListNetworkServiceTypes>) -> Result<Data<Vec<ServiceTypeRow>>> {
    Ok(Data { data: service_types::of_network(&ctx, req.path).await? })
}

async fn sort_types(ctx: Ctx, req: Req<SortServiceTypes>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let (network, _) = NetworkDraft::lock(&mut work, req.path).await?;
    let wanted = &req.body.service_types;
    let before = positions::sort(&mut work, service_types::PLACES, Some(req.path.record()), wanted).await?;
    if before != *wanted {
        let (action, model) = (ChangeAction::Sorted, ChangeModel::Network);
        let noted = ChangedRecord { action, model, id: req.path.record(), name: &network.name };
        let (old, new) = (json!({ "service_types": before }), json!({ "service_types": wanted }));
        changes::record(&mut work, noted, &old, &new).await?;
    }
    work.finish(EmptyBody {}).await
}

// Rules

/// Most addresses shown as examples.
const EXAMPLES: usize = 20;

/// What a network has in every language.
const TEXTS: Texts = Texts { owner: "network", fields: &[Text { field: "name", most: 100 }] };

/// A network as it is written and as the audit trail shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct NetworkDraft {
    name: String,
    icon: Option<String>,
    color: Option<String>,
    url_examples: Vec<String>,
    translations: Translations,
}

impl NetworkDraft {
    /// After an input; each wrong field is named.
    fn with(mut self, input: &NetworkInput) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        fields::color(&mut errors, "color", &input.color, &mut self.color);
        if let Some(examples) = &input.url_examples {
            if examples.len() > EXAMPLES {
                errors.add("url_examples", format!("Give at most {EXAMPLES} addresses."));
            }
            self.url_examples = examples.iter().map(|example| example.trim().to_owned()).collect();
            for (at, _) in self.url_examples.iter().enumerate().filter(|(_, url)| !fields::is_address(url)) {
                let message = "Give an absolute address that begins with http:// or https://.";
                errors.add(format!("url_examples.{at}"), message);
            }
        }
        errors.or(self)
    }
}

// Store

const NETWORKS: SortableList = SortableList {
    field: "networks",
    read: "SELECT id, sorting FROM networks",
    write: "UPDATE networks SET sorting = r.place FROM ",
    on: " WHERE networks.id = r.id",
};

#[derive(sqlx::FromRow)]
struct Record {
    id: NetworkId,
    name: String,
    icon: Option<String>,
    color: Option<String>,
    url_examples: String,
    sorting: i64,
    updated_at: Stamp,
}

const COLUMNS: &str = "SELECT id, name, icon, color, url_examples, sorting, updated_at FROM networks";

/// All networks, or one, with types and texts: three statements.
async fn read(db: &mut impl Source, only: Option<NetworkId>) -> Result<Vec<Network>> {
    let mut sql = Sql::new(COLUMNS);
    if let Some(id) = only {
        sql = sql.push(" WHERE id = ?").bind(id);
    }
    let records: Vec<Record> = db.all(sql.push(" ORDER BY sorting, id")).await?;
    let ids: Vec<NetworkId> = records.iter().map(|record| record.id).collect();
    let types = Sql::new("SELECT network_id, id, name FROM service_types WHERE network_id IN ").ids(&ids);
    let types: Vec<(NetworkId, ServiceTypeId, String)> = db.all(types.push(" ORDER BY sorting, id")).await?;
    let mut translations = texts::load(db, &TEXTS, &ids).await?;
    let shown = records.into_iter().map(|record| {
        let of = types.iter().filter(|(network, ..)| *network == record.id);
        let mut texts = translations.remove(&record.id).unwrap_or_default();
        texts.put("en", "name", &record.name);
        Network {
            id: record.id,
            icon: record.icon,
            color: record.color,
            url_examples: serde_json::from_str(&record.url_examples).unwrap_or_default(),
            sorting: record.sorting,
            positions: of.clone().map(|(_, id, _)| *id).collect(),
            service_types: of.map(|(_, id, name)| Named { id: *id, name: name.clone() }).collect(),
            translations: texts,
            updated_at: record.updated_at,
            name: record.name,
        }
    });
    Ok(shown.collect())
}

/// The networks behind it move up.
async fn remove(work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
    for sql in [
        "UPDATE networks SET sorting = sorting - 1 WHERE sorting > (SELECT x.sorting FROM networks x WHERE x.id = ?)",
        "DELETE FROM auto_promotion_networks WHERE network_id = ?",
        "DELETE FROM translations WHERE owner_type = 'network' AND owner_id = ?",
        "DELETE FROM networks WHERE id = ?",
    ] {
        work.exec(Sql::new(sql).bind(id)).await?;
    }
    Ok(())
}

impl NetworkDraft {
    async fn lock(work: &mut UnitOfWork, id: NetworkId) -> Result<(Self, Stamp)> {
        let sql = Sql::new(COLUMNS).push(" WHERE id = ?").bind(id).for_update();
        let record: Option<Record> = work.opt(sql).await?;
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

    /// The INSERT, behind all others, and the UPDATE of all its fields.
    fn statements(&self, now: Stamp) -> [Sql; 2] {
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
            later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork) -> Result<NetworkId> {
        let [insert, _] = self.statements(work.stamp());
        let (id,): (NetworkId,) = work.one(insert).await?;
        texts::write(work, &TEXTS, id, &self.translations).await?;
        Ok(id)
    }

    async fn write(&self, work: &mut UnitOfWork, id: NetworkId) -> Result<()> {
        let [_, update] = self.statements(work.stamp());
        work.exec(update.named("id", id)).await?;
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: NetworkId,
        before: &Self,
    ) -> Result<()> {
        let noted = ChangedRecord { action, model: ChangeModel::Network, id: id.record(), name: &self.name };
        changes::record(work, noted, &json!(before), &json!(self)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(body: &str) -> Vec<String> {
        let input: NetworkInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        NetworkDraft::default()
            .with(&input)
            .map(|_| ())
            .map_err(|errors| errors.0.into_keys().collect())
            .unwrap_err()
    }

    #[test]
    fn a_network_needs_a_name_and_real_addresses() {
        assert_eq!(wrong("{}"), ["name"]);
        let body = r#"{"name":"Video","color":"red","url_examples":["https://a.example/1","a.example"]}"#;
        assert_eq!(wrong(body), ["color", "url_examples.1"]);
    }
}
