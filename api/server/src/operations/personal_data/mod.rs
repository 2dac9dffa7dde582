//! Requests about the personal data of a customer: a copy of all data, and its erasure.
//!
//! `declared` lists every table with data of customers; the export, the erasure, its preview and docs/security.md are derived from
//! it. The transaction of an erasure request closes the account and overwrites the personal fields of the user; afterwards `worker`
//! erases the other records in batches. Nothing here moves money, changes the ledger or deletes audit entries.

pub mod declared;
mod export;
mod exported;
mod part;
mod store;
pub mod worker;

use axum::response::Response;
use panel_contract::common::Data;
use panel_contract::endpoints::personal_data::{EraseUser, ExportUserData};
use panel_contract::ids::UserId;
use panel_contract::personal_data::{Erasure, ErasureTable};
use panel_contract::webhooks::EventType;
use panel_domain::personal_data;
use panel_kernel::error::{Error, Result};
use serde_json::{Map, json};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::personal_data::declared::{PERSONAL, RowOwner, Treatment};
use crate::operations::staff::rank;
use crate::operations::user_services::lock_account;
use crate::operations::users::webhook_events;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::Source;

pub fn routes(api: Api) -> Api {
    api.raw::<ExportUserData, _, _>(export_data).on::<EraseUser, _, _, _>(erase)
}

async fn export_data(ctx: Ctx, req: Req<ExportUserData>) -> Result<Response> {
    if store::state(&mut ctx.db(), req.path).await?.is_none() {
        return Err(Error::not_found("user", req.path));
    }
    // The document is too large to be stored under an idempotency key.
    let mut work = ctx.once().begin().await?;
    rank::require(&mut work, req.path).await?;
    let change = AuditChange { id: req.path.record(), old: json!({}), new: json!({}) };
    audit::record(&mut work, "user.data_exported", "user", change).await?;
    work.finish(()).await?;
    export::answer(ctx, req.path)
}

async fn erase(ctx: Ctx, req: Req<EraseUser>) -> Result<Data<Erasure>> {
    let user = req.path;
    if let Some(before) = requested_before(&mut ctx.db(), user).await? {
        return Ok(Data { data: before });
    }
    // Checked and counted before the transaction, because a customer may have a million records and a long transaction blocks
    // other writers. The check is repeated under the lock.
    personal_data::check_erasable(&store::open_obligations(&mut ctx.db(), user).await?)?;
    let tables = plan_erasure(&ctx, user).await?;
    let mut work = ctx.begin().await?;
    lock_account(&mut work, user).await?;
    rank::require(&mut work, user).await?;
    if let Some(before) = requested_before(&mut work, user).await? {
        return work.finish(Data { data: before }).await;
    }
    personal_data::check_erasable(&store::open_obligations(&mut work, user).await?)?;
    let previous = store::close_account(&mut work, user).await?;
    let counts: Map<_, _> = tables
        .iter()
        .filter_map(|of| Some((of.table.clone(), json!(of.records.filter(|n| *n > 0)?))))
        .collect();
    let change = AuditChange {
        id: user.record(),
        old: json!({ "status": previous }),
        new: json!({ "records": counts }),
    };
    audit::record(&mut work, "user.erasure_requested", "user", change).await?;
    webhook_events::publish(
        &mut work,
        &[(user, EventType::UserStatusChanged, Some(previous)), (user, EventType::UserUpdated, None)],
    )
    .await?;
    let requested_at = Some(work.now).filter(|_| !ctx.meta.dry_run);
    work.finish(Data { data: Erasure { user_id: user, requested_at, erased_at: None, tables } }).await
}

/// The erasure that an earlier request started, if any; 404 if the user does not exist.
async fn requested_before(db: &mut impl Source, user: UserId) -> Result<Option<Erasure>> {
    let state = store::state(db, user).await?.ok_or_else(|| Error::not_found("user", user))?;
    Ok(state.requested_at.is_some().then(|| Erasure {
        user_id: user,
        requested_at: state.requested_at,
        erased_at: state.erased_at,
        tables: Vec::new(),
    }))
}

/// What an erasure does with each table.
async fn plan_erasure(ctx: &Ctx, user: UserId) -> Result<Vec<ErasureTable>> {
    let mut tables = Vec::with_capacity(PERSONAL.len());
    for of in PERSONAL {
        let note = match (of.erasure, of.owner) {
            (Treatment::Kept(reason), _) => Some(reason),
            (_, RowOwner::Contents) => Some("Found by their contents while the erasure runs."),
            _ => None,
        };
        tables.push(ErasureTable {
            table: of.table.to_owned(),
            treatment: of.erasure.treatment(),
            records: store::count(&mut ctx.db(), of, user).await?,
            fields: of.erasure.fields(),
            note: note.map(str::to_owned),
        });
    }
    Ok(tables)
}
