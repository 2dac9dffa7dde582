//! What syncs found: the log of runs and changes, and somebody's yes or no to what is held.

use panel_contract::common::{Data, Named};
use panel_contract::endpoints::external_services::{AcceptSyncChange, RefuseSyncChange};
use panel_contract::external_services::{SyncChangeActions, SyncChangeRow, SyncField, SyncRunRow, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId, SyncChangeId, SyncRunId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::judge::{Change, FieldValue, Provider};
use super::prices::Cost;
use super::store;
use super::{apply, prices, sync};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::db::{Source as _, Sql};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

/// `POST external-panels/sync-changes/{id}/accept`.
pub async fn accept(ctx: Ctx, req: Req<AcceptSyncChange>) -> Result<Data<SyncChangeRow>> {
    let mut work = ctx.begin().await?;
    // Services and providers before the change itself, as a sync locks them.
    let provider = find(&mut work, req.path, false).await?.provider_id;
    apply::lock(&mut work, &[provider]).await?;
    let held = find(&mut work, req.path, true).await?;
    unless_decided(held.state)?;
    let policy = apply::load_policy(&mut work, held.external_panel_id).await?;
    let provider = apply::load(&mut work, held.external_panel_id, Some(&[held.provider_id])).await?.pop();
    let provider = provider.ok_or_else(|| moved("The provider is archived; refuse this change."))?;
    let change = held.change().ok_or_else(|| Error::Fault(format!("change {} cannot be read", held.id)))?;
    // The yes was to what was shown.
    let stands = match held.field {
        SyncField::SourcePrice => provider.price.to_string() == held.old_value,
        _ => provider.is_active,
    };
    if !stands {
        return Err(moved("The provider changed since; wait for the next sync, or refuse this change."));
    }
    let mut after = Vec::new();
    if let (SyncField::SourcePrice, Some(price)) = (held.field, sync::asked(&held.new_value)) {
        let own = policy
            .rates
            .to_own(price, &policy.currency)
            .ok_or_else(|| moved("There is no exchange rate for the panel's currency; set one first."))?;
        if policy.prices {
            let (per, kind) = listed(&mut work, &provider).await?;
            let cost = Cost { price: own, per };
            after = prices::follow(&policy, &provider, cost, cost);
            if policy.availability {
                after.retain(|change| !sells_another_type(change, &provider, kind.as_deref()));
            }
        }
    }
    let off = apply::make(&mut work, &policy.currency, &[change]).await?;
    apply::make(&mut work, &policy.currency, &after).await?;
    after.extend(off);
    let now = work.now;
    store::log(&mut work, (held.sync_run_id, held.external_panel_id), &after, now).await?;
    decide(work, &held, SyncState::Accepted).await
}

/// `POST external-panels/sync-changes/{id}/refuse`.
pub async fn refuse(ctx: Ctx, req: Req<RefuseSyncChange>) -> Result<Data<SyncChangeRow>> {
    let mut work = ctx.begin().await?;
    let held = find(&mut work, req.path, true).await?;
    unless_decided(held.state)?;
    decide(work, &held, SyncState::Refused).await
}

/// All runs, newest first.
pub static SYNC_RUNS: Table = Table::new(
    &panel_contract::lists::external_services::SYNC_RUNS,
    RowSource {
        base: "sync_runs",
        alias: "r",
        key: "r.id",
        joins: &[Join { alias: "e", sql: "JOIN external_panels e ON e.id = r.external_panel_id" }],
        select: "r.id, r.external_panel_id, e.name AS panel_name, r.started_at, r.ended_at, r.services_count, r.unreadable_count, r.new_count, r.gone_count,
      r.applied_count, r.held_count, r.imported_count, r.not_imported_count, r.not_imported, r.error",
        ..RowSource::NONE
    },
    &[
        expr("external_panel", "e.name")
            .join("e")
            .text_index("r.external_panel_id", &search_texts::EXTERNAL_PANELS, "name"),
        expr("external_panel.id", "r.external_panel_id"),
        expr("external_panel.name", "e.name").join("e"),
    ],
)
.common_search(&[SearchTarget::new("r.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel.name")]);

/// All changes, newest first.
pub static SYNC_CHANGES: Table = Table::new(
    &panel_contract::lists::external_services::SYNC_CHANGES,
    RowSource {
        base: "sync_changes",
        alias: "c",
        key: "c.id",
        joins: &[
            Join { alias: "e", sql: "JOIN external_panels e ON e.id = c.external_panel_id" },
            Join { alias: "p", sql: "JOIN providers p ON p.id = c.provider_id" },
            Join { alias: "s", sql: "LEFT JOIN services s ON s.id = c.service_id" },
            Join { alias: "u", sql: "LEFT JOIN users u ON u.id = c.decided_by" },
        ],
        select: "c.id, c.sync_run_id, c.external_panel_id, e.name AS panel_name, c.external_panel_service_id, c.provider_id, p.name AS provider_name, c.service_id,
      s.name AS service_name, c.field, c.old_value, c.new_value, c.state, c.created_at, c.decided_at, c.decided_by, u.name AS decider",
        ..RowSource::NONE
    },
    &[
        expr("external_panel", "e.name")
            .join("e")
            .text_index("c.external_panel_id", &search_texts::EXTERNAL_PANELS, "name"),
        expr("external_panel.id", "c.external_panel_id"),
        expr("external_panel.name", "e.name").join("e"),
        expr("provider", "p.name")
            .join("p")
            .text_index("c.provider_id", &search_texts::PROVIDERS, "name"),
        expr("provider.id", "c.provider_id"),
        expr("provider.name", "p.name").join("p"),
        expr("service", "s.name").join("s").text_index("c.service_id", &search_texts::SERVICES, "name"),
        expr("service.id", "c.service_id"),
        expr("service.name", "s.name").join("s"),
        expr("decided_by.id", "c.decided_by"),
    ],
)
.common_search(&[
    SearchTarget::new("c.provider_id", &search_texts::PROVIDERS, "provider.name"),
    SearchTarget::new("c.service_id", &search_texts::SERVICES, "service.name"),
    SearchTarget::new("c.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel.name"),
]);

// Rules

/// Only what is held waits for anybody.
fn unless_decided(state: SyncState) -> Result<(), Rejection> {
    let message = match state {
        SyncState::Held => return Ok(()),
        SyncState::Applied => "This change was made by itself; there is nothing to decide.",
        SyncState::Accepted => "Somebody accepted this change already.",
        SyncState::Refused => "Somebody refused this change already.",
        SyncState::Outdated => "The panel took this change back; there is nothing to decide.",
    };
    Err(Rejection::conflict("change_not_held", message))
}

fn moved(message: &str) -> Error {
    Error::conflict("change_outdated", message)
}

/// Whether a change brings a service on sale whose orders could not be delivered, as the panel's is of another type by now.
fn sells_another_type(change: &Change, provider: &Provider, kind: Option<&str>) -> bool {
    let is_sale = change.field == SyncField::IsDeactivated && change.new == FieldValue::Flag(false);
    let service = provider.services.iter().find(|service| Some(service.id) == change.service);
    is_sale && service.zip(kind).is_some_and(|(service, kind)| service.is_of_another_type(kind))
}

// Store

/// A change as it is kept.
#[derive(Debug, sqlx::FromRow)]
struct Held {
    id: SyncChangeId,
    sync_run_id: SyncRunId,
    external_panel_id: ExternalPanelId,
    external_panel_service_id: String,
    provider_id: ProviderId,
    field: SyncField,
    old_value: String,
    new_value: String,
    state: SyncState,
}

impl Held {
    /// As the change it would be; only prices and availability are ever held.
    fn change(&self) -> Option<Change> {
        let worth = |text: &str| match self.field {
            SyncField::SourcePrice => text.parse().ok().map(FieldValue::Money),
            SyncField::Availability => text.parse().ok().map(FieldValue::Flag),
            _ => None,
        };
        let (old, new) = (worth(&self.old_value)?, worth(&self.new_value)?);
        let (provider, there) = (self.provider_id, self.external_panel_service_id.clone());
        Some(Change {
            provider,
            there,
            service: None,
            field: self.field,
            old,
            new,
            state: SyncState::Accepted,
        })
    }
}

async fn find(work: &mut UnitOfWork, id: SyncChangeId, lock: bool) -> Result<Held> {
    let sql = Sql::new(
        "SELECT id, sync_run_id, external_panel_id, external_panel_service_id, provider_id, field, old_value, new_value, state FROM sync_changes WHERE id = ?",
    );
    let sql = sql.bind(id);
    let found: Option<Held> = work.opt(if lock { sql.for_update() } else { sql }).await?;
    found.ok_or_else(|| Error::not_found("change of a sync", id))
}

/// For how many units the panel asks the price of a provider's service now, and its word for the type.
async fn listed(work: &mut UnitOfWork, provider: &Provider) -> Result<(i64, Option<String>)> {
    let sql = Sql::new(
        "SELECT k.pricing_per, k.type FROM external_panel_services k JOIN providers p ON p.external_panel_id = k.external_panel_id
           AND p.external_panel_service_id = k.external_panel_service_id WHERE p.id = ?",
    );
    let found: Option<(i64, String)> = work.opt(sql.bind(provider.id)).await?;
    Ok(found.map_or((provider.per, None), |(per, kind)| (per, Some(kind))))
}

/// Writes the yes or no. A no stands, so that the same is not asked again.
async fn decide(mut work: UnitOfWork, held: &Held, state: SyncState) -> Result<Data<SyncChangeRow>> {
    let decided = store::decide(&mut work, held.id, state).await?;
    decided.or_conflict("change_outdated", "Somebody decided meanwhile; reload and look.")?;
    let old = json!({ "state": held.state });
    let new = json!({ "state": state, "field": held.field, "new_value": held.new_value, "provider_id": held.provider_id });
    let event = if state == SyncState::Accepted { "sync_change.accepted" } else { "sync_change.refused" };
    audit::record(
        &mut work,
        event,
        "sync_change",
        audit::change::AuditChange { id: held.id.record(), old, new },
    )
    .await?;
    let ctx = work.scope().clone();
    let shown = |record: Record, scope: &Scope| record.shown(scope);
    let row = table::rows_from(&mut work, &ctx, &SYNC_CHANGES, &[held.id], shown).await?.pop();
    let data = row.ok_or_else(|| Error::not_found("change of a sync", held.id))?;
    work.finish(Data { data }).await
}

/// A run as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Run {
    id: SyncRunId,
    external_panel_id: ExternalPanelId,
    panel_name: String,
    started_at: Time,
    ended_at: Option<Time>,
    services_count: i64,
    unreadable_count: i64,
    new_count: i64,
    gone_count: i64,
    applied_count: i64,
    held_count: i64,
    imported_count: i64,
    not_imported_count: i64,
    not_imported: String,
    error: Option<String>,
}

impl Run {
    /// As it is shown.
    pub fn shown(self) -> SyncRunRow {
        SyncRunRow {
            id: self.id,
            external_panel: Named { id: self.external_panel_id, name: self.panel_name },
            started_at: self.started_at,
            ended_at: self.ended_at,
            services_count: self.services_count,
            unreadable_count: self.unreadable_count,
            new_count: self.new_count,
            gone_count: self.gone_count,
            applied_count: self.applied_count,
            held_count: self.held_count,
            imported_count: self.imported_count,
            not_imported_count: self.not_imported_count,
            not_imported: serde_json::from_str(&self.not_imported).unwrap_or_default(),
            error: self.error,
        }
    }
}

/// A change of the list as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: SyncChangeId,
    sync_run_id: SyncRunId,
    external_panel_id: ExternalPanelId,
    panel_name: String,
    external_panel_service_id: String,
    provider_id: ProviderId,
    provider_name: String,
    service_id: Option<ServiceId>,
    service_name: Option<String>,
    field: SyncField,
    old_value: String,
    new_value: String,
    state: SyncState,
    created_at: Time,
    decided_at: Option<Time>,
    decided_by: Option<UserId>,
    decider: Option<String>,
}

impl Record {
    /// As it is shown to somebody.
    pub fn shown(self, scope: &Scope) -> SyncChangeRow {
        let may = scope.may(Permission::ManageExternalPanels) && unless_decided(self.state).is_ok();
        SyncChangeRow {
            id: self.id,
            sync_run_id: self.sync_run_id,
            external_panel: Named { id: self.external_panel_id, name: self.panel_name },
            external_panel_service_id: self.external_panel_service_id,
            provider: Named { id: self.provider_id, name: self.provider_name },
            service: self.service_id.zip(self.service_name).map(|(id, name)| Named { id, name }),
            field: self.field,
            old_value: self.old_value,
            new_value: self.new_value,
            state: self.state,
            created_at: self.created_at,
            decided_at: self.decided_at,
            decided_by: self.decided_by.zip(self.decider).map(|(id, name)| Named { id, name }),
            actions: SyncChangeActions { acceptable: may, refusable: may },
        }
    }
}
