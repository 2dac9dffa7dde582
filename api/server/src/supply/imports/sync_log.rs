//! The lists of sync runs and sync changes, and the endpoints by which staff accept or reject a held change.

use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::external_services::{AcceptSyncChange, RejectSyncChange};
use panel_contract::external_services::{SyncChangeActions, SyncChangeRow, SyncField, SyncRunRow, SyncState};
use panel_contract::ids::{ExternalPanelId, ProviderId, ServiceId, SyncChangeId, SyncRunId, UserId};
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use super::compare::{FieldValue, SyncChange, SyncedProvider};
use super::prices::Cost;
use super::{apply, prices, sync, sync_store};
use crate::context::Ctx;
use crate::http::Req;
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, expr};
use panel_platform::work::UnitOfWork;

// Routes

/// `POST external-panels/sync-changes/{id}/accept`.
pub async fn accept(ctx: Ctx, req: Req<AcceptSyncChange>) -> Result<Data<SyncChangeRow>> {
    let mut work = ctx.begin().await?;
    // Services and providers are locked before the change, in the same order as in a sync.
    let provider = load_change(&mut work, req.path, false).await?.provider_id;
    apply::lock_providers(&mut work, &[provider]).await?;
    let held_change = load_change(&mut work, req.path, true).await?;
    check_is_held(held_change.state)?;
    let policy = apply::load_policy(&mut work, held_change.external_panel_id).await?;
    let provider =
        apply::load_providers(&mut work, held_change.external_panel_id, Some(&[held_change.provider_id]))
            .await?
            .pop();
    let provider =
        provider.ok_or_else(|| change_outdated_error("The provider is archived. Reject this change."))?;
    let change = held_change
        .to_accepted_change()
        .ok_or_else(|| Error::Internal(format!("change {} cannot be read", held_change.id)))?;
    // The staff member accepted the old and new values that the list displayed.
    let still_applies = match held_change.field {
        SyncField::SourcePrice => provider.price.to_string() == held_change.old_value,
        _ => provider.is_active,
    };
    if !still_applies {
        return Err(change_outdated_error(
            "The provider has changed since the sync. Wait for the next sync, or reject this change.",
        ));
    }
    let mut service_changes = Vec::new();
    if let (SyncField::SourcePrice, Some(price)) =
        (held_change.field, sync::parse_price(&held_change.new_value))
    {
        let amount = policy.rates.to_own_currency(price, &policy.currency).ok_or_else(|| {
            change_outdated_error(
                "There is no exchange rate for the currency of the external panel. Set the rate first.",
            )
        })?;
        if policy.prices {
            let (pricing_per, listed_type) = load_listed_pricing(&mut work, &provider).await?;
            let cost = Cost { amount, pricing_per };
            service_changes = prices::reprice_services(&policy, &provider, cost, cost);
            if policy.availability {
                service_changes.retain(|change| {
                    !reactivates_incompatible_type(change, &provider, listed_type.as_deref())
                });
            }
        }
    }
    let deactivations = apply::apply_changes(&mut work, &policy.currency, &[change]).await?;
    apply::apply_changes(&mut work, &policy.currency, &service_changes).await?;
    service_changes.extend(deactivations);
    let now = work.now;
    sync_store::log_changes(
        &mut work,
        (held_change.sync_run_id, held_change.external_panel_id),
        &service_changes,
        now,
    )
    .await?;
    finish_decision(work, &held_change, SyncState::Accepted).await
}

/// `POST external-panels/sync-changes/{id}/reject`.
pub async fn reject(ctx: Ctx, req: Req<RejectSyncChange>) -> Result<Data<SyncChangeRow>> {
    let mut work = ctx.begin().await?;
    let held_change = load_change(&mut work, req.path, true).await?;
    check_is_held(held_change.state)?;
    finish_decision(work, &held_change, SyncState::Rejected).await
}

/// All sync runs, newest first.
pub static SYNC_RUNS: Table = Table::new(
    &panel_contract::lists::external_services::SYNC_RUNS,
    RowSource {
        base: "sync_runs",
        alias: "r",
        key: "r.id",
        joins: &[Join { alias: "e", sql: "JOIN external_panels e ON e.id = r.external_panel_id" }],
        select: "r.id, r.external_panel_id, e.name AS panel_name, r.started_at, r.ended_at, r.services_count, r.unreadable_count, r.new_count, r.vanished_count,
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
.global_search(&[SearchTarget::new("r.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel.name")]);

/// All sync changes, newest first.
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
.global_search(&[
    SearchTarget::new("c.provider_id", &search_texts::PROVIDERS, "provider.name"),
    SearchTarget::new("c.service_id", &search_texts::SERVICES, "service.name"),
    SearchTarget::new("c.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel.name"),
]);

// Rules

fn check_is_held(state: SyncState) -> Result<(), Rejection> {
    let message = match state {
        SyncState::Held => return Ok(()),
        SyncState::Applied => "This change needed no approval and is already applied.",
        SyncState::Accepted => "This change is already accepted.",
        SyncState::Rejected => "This change is already rejected.",
        SyncState::Outdated => "The external panel no longer lists this value, so the change is outdated.",
    };
    Err(Rejection::conflict("change_not_held", message))
}

fn change_outdated_error(message: &str) -> Error {
    Error::conflict("change_outdated", message)
}

/// Returns whether a change reactivates a service whose orders the external panel would reject, because the service at the external
/// panel now has another type.
fn reactivates_incompatible_type(
    change: &SyncChange,
    provider: &SyncedProvider,
    listed_type: Option<&str>,
) -> bool {
    let reactivates = change.field == SyncField::IsDeactivated && change.new == FieldValue::Flag(false);
    let service = provider.services.iter().find(|service| Some(service.id) == change.service);
    reactivates
        && service
            .zip(listed_type)
            .is_some_and(|(service, listed_type)| service.has_incompatible_type(listed_type))
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct StoredSyncChange {
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

impl StoredSyncChange {
    /// Returns the change to apply after a staff member accepted it; `None` for a field that is never held. Only changes of prices
    /// and availability are held.
    fn to_accepted_change(&self) -> Option<SyncChange> {
        let parse_value = |text: &str| match self.field {
            SyncField::SourcePrice => text.parse().ok().map(FieldValue::Money),
            SyncField::Availability => text.parse().ok().map(FieldValue::Flag),
            _ => None,
        };
        let (old, new) = (parse_value(&self.old_value)?, parse_value(&self.new_value)?);
        let (provider, external_service_id) = (self.provider_id, self.external_panel_service_id.clone());
        Some(SyncChange {
            provider,
            external_service_id,
            service: None,
            field: self.field,
            old,
            new,
            state: SyncState::Accepted,
        })
    }
}

async fn load_change(work: &mut UnitOfWork, id: SyncChangeId, is_locking: bool) -> Result<StoredSyncChange> {
    let sql = Sql::new(
        "SELECT id, sync_run_id, external_panel_id, external_panel_service_id, provider_id, field, old_value, new_value, state FROM sync_changes WHERE id = ?",
    );
    let sql = sql.bind(id);
    let change: Option<StoredSyncChange> =
        work.fetch_optional(if is_locking { sql.for_update() } else { sql }).await?;
    change.ok_or_else(|| Error::not_found("sync change", id))
}

/// Loads the number of units to which the listed price of the provider's service applies, and the listed service type; the type is
/// `None` if the service is not listed.
async fn load_listed_pricing(
    work: &mut UnitOfWork,
    provider: &SyncedProvider,
) -> Result<(i64, Option<String>)> {
    let sql = Sql::new(
        "SELECT k.pricing_per, k.type FROM external_panel_services k JOIN providers p ON p.external_panel_id = k.external_panel_id
           AND p.external_panel_service_id = k.external_panel_service_id WHERE p.id = ?",
    );
    let listed_row: Option<(i64, String)> = work.fetch_optional(sql.bind(provider.id)).await?;
    Ok(listed_row.map_or((provider.pricing_per, None), |(pricing_per, kind)| (pricing_per, Some(kind))))
}

/// Records and audits the decision, and returns the change.
async fn finish_decision(
    mut work: UnitOfWork,
    held_change: &StoredSyncChange,
    state: SyncState,
) -> Result<Data<SyncChangeRow>> {
    let transition = sync_store::record_decision(&mut work, held_change.id, state).await?;
    transition.or_conflict(
        "change_outdated",
        "Another staff member has already accepted or rejected this change. Reload the list.",
    )?;
    let old = json!({ "state": held_change.state });
    let new = json!({ "state": state, "field": held_change.field, "new_value": held_change.new_value, "provider_id": held_change.provider_id });
    let event = if state == SyncState::Accepted { "sync_change.accepted" } else { "sync_change.rejected" };
    audit::record(
        &mut work,
        event,
        "sync_change",
        audit::change::AuditChange { id: held_change.id.as_record_id(), old, new },
    )
    .await?;
    let ctx = work.scope().clone();
    let into_row = |record: SyncChangeRecord, scope: &Scope| record.into_row(scope);
    let row = table::load_rows_from(&mut work, &ctx, &SYNC_CHANGES, &[held_change.id], into_row).await?.pop();
    let data = row.ok_or_else(|| Error::not_found("sync change", held_change.id))?;
    work.finish(Data { data }).await
}

#[derive(Debug, sqlx::FromRow)]
pub struct SyncRunRecord {
    id: SyncRunId,
    external_panel_id: ExternalPanelId,
    panel_name: String,
    started_at: Time,
    ended_at: Option<Time>,
    services_count: i64,
    unreadable_count: i64,
    new_count: i64,
    vanished_count: i64,
    applied_count: i64,
    held_count: i64,
    imported_count: i64,
    not_imported_count: i64,
    not_imported: String,
    error: Option<String>,
}

impl SyncRunRecord {
    pub fn into_row(self) -> SyncRunRow {
        SyncRunRow {
            id: self.id,
            external_panel: NamedRef { id: self.external_panel_id, name: self.panel_name },
            started_at: self.started_at,
            ended_at: self.ended_at,
            services_count: self.services_count,
            unreadable_count: self.unreadable_count,
            new_count: self.new_count,
            vanished_count: self.vanished_count,
            applied_count: self.applied_count,
            held_count: self.held_count,
            imported_count: self.imported_count,
            not_imported_count: self.not_imported_count,
            not_imported: serde_json::from_str(&self.not_imported).unwrap_or_default(),
            error: self.error,
        }
    }
}

#[derive(Debug, sqlx::FromRow)]
pub struct SyncChangeRecord {
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

impl SyncChangeRecord {
    /// Converts the record to a row. The permissions in `scope` decide whether the caller may accept or reject the change.
    pub fn into_row(self, scope: &Scope) -> SyncChangeRow {
        let may_decide =
            scope.has_permission(Permission::ManageExternalPanels) && check_is_held(self.state).is_ok();
        SyncChangeRow {
            id: self.id,
            sync_run_id: self.sync_run_id,
            external_panel: NamedRef { id: self.external_panel_id, name: self.panel_name },
            external_panel_service_id: self.external_panel_service_id,
            provider: NamedRef { id: self.provider_id, name: self.provider_name },
            service: self.service_id.zip(self.service_name).map(|(id, name)| NamedRef { id, name }),
            field: self.field,
            old_value: self.old_value,
            new_value: self.new_value,
            state: self.state,
            created_at: self.created_at,
            decided_at: self.decided_at,
            decided_by: self.decided_by.zip(self.decider).map(|(id, name)| NamedRef { id, name }),
            actions: SyncChangeActions { acceptable: may_decide, rejectable: may_decide },
        }
    }
}
