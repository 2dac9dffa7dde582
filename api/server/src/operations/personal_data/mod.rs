//! Requests about the personal data of a customer: the export of all data, and its erasure.
//!
//! `tables` declares every table with data of customers; the export, the erasure, its preview and docs/security.md follow from this
//! declaration. The transaction of an erasure request closes the account and overwrites the personal fields of the user. Afterwards
//! `worker` erases the other records in batches. These modules never change a balance or the ledger, and never delete audit
//! entries.

mod export;
mod export_fields;
mod store;
mod table_batch;
pub mod tables;
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
use crate::operations::personal_data::tables::{PERSONAL_TABLES, RowOwner, Treatment};
use crate::operations::staff::rank;
use crate::operations::user_services::lock_account;
use crate::operations::users::webhook_events;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::SqlExecutor;

pub fn routes(api: Api) -> Api {
    api.route_with_response::<ExportUserData, _, _>(export_data).route::<EraseUser, _, _, _>(erase)
}

async fn export_data(ctx: Ctx, req: Req<ExportUserData>) -> Result<Response> {
    if store::load_erasure_state(&mut ctx.db(), req.path).await?.is_none() {
        return Err(Error::not_found("user", req.path));
    }
    // The document is too large, so the server must not store it under an idempotency key.
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    rank::check_user(&mut work, req.path).await?;
    let change = AuditChange { id: req.path.as_record_id(), old: json!({}), new: json!({}) };
    audit::record(&mut work, "user.data_exported", "user", change).await?;
    work.finish(()).await?;
    export::streamed_response(ctx, req.path)
}

async fn erase(ctx: Ctx, req: Req<EraseUser>) -> Result<Data<Erasure>> {
    let user_id = req.path;
    if let Some(erasure) = load_existing_erasure(&mut ctx.db(), user_id).await? {
        return Ok(Data { data: erasure });
    }
    // The checks and counts run before the transaction, because a customer may have a million records, and a long transaction would
    // block other writers. The transaction repeats the checks after it has locked the account.
    personal_data::check_erasable(&store::load_open_obligations(&mut ctx.db(), user_id).await?)?;
    let tables = plan_erasure(&ctx, user_id).await?;
    let mut work = ctx.begin().await?;
    lock_account(&mut work, user_id).await?;
    rank::check_user(&mut work, user_id).await?;
    if let Some(erasure) = load_existing_erasure(&mut work, user_id).await? {
        return work.finish(Data { data: erasure }).await;
    }
    personal_data::check_erasable(&store::load_open_obligations(&mut work, user_id).await?)?;
    let previous_status = store::close_account(&mut work, user_id).await?;
    let counts: Map<_, _> = tables
        .iter()
        .filter_map(|table| Some((table.table.clone(), json!(table.records.filter(|count| *count > 0)?))))
        .collect();
    let change = AuditChange {
        id: user_id.as_record_id(),
        old: json!({ "status": previous_status }),
        new: json!({ "records": counts }),
    };
    audit::record(&mut work, "user.erasure_requested", "user", change).await?;
    webhook_events::publish(
        &mut work,
        &[
            (user_id, EventType::UserStatusChanged, Some(previous_status)),
            (user_id, EventType::UserUpdated, None),
        ],
    )
    .await?;
    let requested_at = Some(work.now).filter(|_| !ctx.meta.dry_run);
    work.finish(Data { data: Erasure { user_id, requested_at, erased_at: None, tables } }).await
}

/// The erasure that an earlier request started, if any; 404 if the user does not exist.
async fn load_existing_erasure(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Option<Erasure>> {
    let state =
        store::load_erasure_state(db, user_id).await?.ok_or_else(|| Error::not_found("user", user_id))?;
    Ok(state.requested_at.is_some().then(|| Erasure {
        user_id,
        requested_at: state.requested_at,
        erased_at: state.erased_at,
        tables: Vec::new(),
    }))
}

/// What an erasure does with each table.
async fn plan_erasure(ctx: &Ctx, user_id: UserId) -> Result<Vec<ErasureTable>> {
    let mut tables = Vec::with_capacity(PERSONAL_TABLES.len());
    for personal_table in PERSONAL_TABLES {
        let note = match (personal_table.erasure, personal_table.owner) {
            (Treatment::Kept(reason), _) => Some(reason),
            (_, RowOwner::Contents) => Some("The erasure finds these records by their contents."),
            _ => None,
        };
        tables.push(ErasureTable {
            table: personal_table.table.to_owned(),
            treatment: personal_table.erasure.api_value(),
            records: store::count_records(&mut ctx.db(), personal_table, user_id).await?,
            fields: personal_table.erasure.overwritten_fields(),
            note: note.map(str::to_owned),
        });
    }
    Ok(tables)
}
