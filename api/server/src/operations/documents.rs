//! Stores and serves the verification documents of customers, which are images. Staff who may view users can open them; the
//! server records each view in the audit trail before it sends the first byte. No response contains the name of the stored file.

use axum::response::Response;
use panel_contract::common::Data;
use panel_contract::documents::{DocumentGroup, VerificationDocument, VerificationGroup};
use panel_contract::endpoint::{Endpoint as _, PathArgs as _};
use panel_contract::endpoints::documents::{
    AddVerificationDocument, ListVerificationDocuments, ShowVerificationDocument,
};
use panel_contract::ids::{DocumentId, UserId};
use panel_contract::moment::Time;
use panel_contract::upload::ImageInput;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::files::{self, AuditedFile};
use crate::operations::staff::rank;
use crate::operations::user_services::user_exists;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Maximum number of documents of one customer, to limit abuse.
const MAX_DOCUMENTS: i64 = 100;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListVerificationDocuments, _, _, _>(list_documents_of_user)
        .route::<AddVerificationDocument, _, _, _>(add_document)
        .route_with_response::<ShowVerificationDocument, _, _>(show_document)
}

async fn list_documents_of_user(
    ctx: Ctx,
    req: Req<ListVerificationDocuments>,
) -> Result<Data<Vec<VerificationGroup>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: group_documents(load_documents(db, req.path).await?) })
}

async fn add_document(ctx: Ctx, req: Req<AddVerificationDocument>) -> Result<Data<VerificationDocument>> {
    let (user, group) = (req.path, req.body.group);
    let ImageInput::New(bytes) = &req.body.picture else {
        return Err(Error::invalid("picture", "image_missing", "Choose an image."));
    };
    if !user_exists(&mut ctx.db(), user).await? {
        return Err(Error::not_found("user", user));
    }
    let file = ctx.app.uploads.store_private(ctx.meta.dry_run, "picture", bytes).await?;
    match insert_with_audit(&ctx, user, group, &file).await {
        Ok((work, document)) => work.finish(Data { data: document }).await,
        Err(error) => {
            // No record refers to the file, so no other process would delete it. `finish` is outside of this match: after a
            // commit of unknown outcome the file stays.
            ctx.app.uploads.delete_private(&file).await?;
            Err(error)
        }
    }
}

/// Inserts the record of a stored file, and returns the transaction before its commit.
async fn insert_with_audit(
    ctx: &Ctx,
    user: UserId,
    group: DocumentGroup,
    file: &str,
) -> Result<(UnitOfWork, VerificationDocument)> {
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    if count_documents(&mut work, user).await? >= MAX_DOCUMENTS {
        let message = format!("This customer already has {MAX_DOCUMENTS} documents, which is the limit.");
        return Err(Error::conflict("too_many_documents", message));
    }
    let row = insert(&mut work, user, group, file).await?;
    let new = json!({ "document": row.id, "group": group });
    let change = AuditChange { id: user.as_record_id(), old: json!({}), new };
    audit::record(&mut work, "verification_document.added", "user", change).await?;
    Ok((work, row.into_response()))
}

async fn show_document(ctx: Ctx, req: Req<ShowVerificationDocument>) -> Result<Response> {
    let (user, id) = req.path;
    let file = load_file(&mut ctx.db(), user, id).await?;
    let file = file.ok_or_else(|| Error::not_found("verification document", id))?;
    let audited_file = AuditedFile {
        event: "verification_document.viewed",
        record_type: "user",
        id: user.as_record_id(),
        key: &file,
    };
    files::serve_audited(&ctx, audited_file).await
}

// Rules

#[derive(sqlx::FromRow)]
struct DocumentRow {
    id: DocumentId,
    user_id: UserId,
    kind: DocumentGroup,
    created_at: Time,
}

impl DocumentRow {
    fn into_response(self) -> VerificationDocument {
        VerificationDocument {
            id: self.id,
            group: self.kind,
            created_at: self.created_at,
            url: (self.user_id, self.id).fill(ShowVerificationDocument::OP.path),
        }
    }
}

/// All groups, including those without documents.
fn group_documents(rows: Vec<DocumentRow>) -> Vec<VerificationGroup> {
    let empty_group = |group: &DocumentGroup| VerificationGroup { group: *group, documents: Vec::new() };
    let mut groups: Vec<_> = DocumentGroup::ALL.iter().map(empty_group).collect();
    for row in rows {
        if let Some(group) = groups.iter_mut().find(|group| group.group == row.kind) {
            group.documents.push(row.into_response());
        }
    }
    groups
}

// Store

async fn load_documents(db: &mut impl SqlExecutor, user: UserId) -> DbResult<Vec<DocumentRow>> {
    let sql = Sql::new(
        "SELECT id, user_id, kind, created_at FROM verification_documents WHERE user_id = ? ORDER BY id DESC",
    );
    db.fetch_all(sql.bind(user)).await
}

async fn load_file(db: &mut impl SqlExecutor, user: UserId, id: DocumentId) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT file FROM verification_documents WHERE user_id = ? AND id = ?");
    Ok(db.fetch_optional::<(String,)>(sql.bind(user).bind(id)).await?.map(|(file,)| file))
}

async fn count_documents(work: &mut UnitOfWork, user: UserId) -> DbResult<i64> {
    let sql = Sql::new("SELECT count(*) FROM verification_documents WHERE user_id = ?").bind(user);
    Ok(work.fetch_one::<(i64,)>(sql).await?.0)
}

async fn insert(
    work: &mut UnitOfWork,
    user: UserId,
    group: DocumentGroup,
    file: &str,
) -> DbResult<DocumentRow> {
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO verification_documents (user_id, kind, file, created_at) VALUES (?, ?, ?, ?) RETURNING id, user_id, kind, created_at",
    );
    work.fetch_one(sql.bind(user).bind(group.as_str()).bind(file).bind(now)).await
}
