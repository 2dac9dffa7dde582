//! Verification documents of customers. A picture is shown to whoever may see users, and every look stands in the audit
//! log before a byte of it is sent; its file's name is told to nobody.

use axum::response::Response;
use panel_contract::common::Data;
use panel_contract::documents::{DocumentGroup, VerificationDocument, VerificationGroup};
use panel_contract::endpoint::{Endpoint as _, PathArgs as _};
use panel_contract::endpoints::documents::{
    AddVerificationDocument, ListVerificationDocuments, ShowVerificationDocument,
};
use panel_contract::ids::{DocumentId, UserId};
use panel_contract::moment::Time;
use panel_contract::upload::Picture;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::http::files::{self, Look};
use crate::operations::staff::rank;
use crate::operations::user_services::user_exists;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbResult, Source, Sql};
use panel_platform::work::Work;

/// Documents of one customer; no honest one needs as many.
const MOST: i64 = 100;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListVerificationDocuments, _, _, _>(list)
        .on::<AddVerificationDocument, _, _, _>(add)
        .raw::<ShowVerificationDocument, _, _>(show)
}

async fn list(ctx: Ctx, req: Req<ListVerificationDocuments>) -> Result<Data<Vec<VerificationGroup>>> {
    let db = &mut ctx.db();
    if !user_exists(db, req.path).await? {
        return Err(Error::not_found("user", req.path));
    }
    Ok(Data { data: grouped(all(db, req.path).await?) })
}

async fn add(ctx: Ctx, req: Req<AddVerificationDocument>) -> Result<Data<VerificationDocument>> {
    let (user, group) = (req.path, req.body.group);
    let Picture::New(bytes) = &req.body.picture else {
        return Err(Error::invalid("picture", "picture_missing", "Choose a picture."));
    };
    if !user_exists(&mut ctx.db(), user).await? {
        return Err(Error::not_found("user", user));
    }
    let file = ctx.app.uploads.keep_private(ctx.meta.dry_run, "picture", bytes).await?;
    match record(&ctx, user, group, &file).await {
        Ok((work, shown)) => work.finish(Data { data: shown }).await,
        Err(error) => {
            // Nothing refers to the file, and nothing else would find it. After a commit of unknown outcome it stays.
            ctx.app.uploads.remove_private(&file).await?;
            Err(error)
        }
    }
}

/// The work that records a stored file, not committed yet.
async fn record(
    ctx: &Ctx,
    user: UserId,
    group: DocumentGroup,
    file: &str,
) -> Result<(Work, VerificationDocument)> {
    let mut work = ctx.begin().await?;
    rank::lock_user(&mut work, user).await?;
    if count(&mut work, user).await? >= MOST {
        let message = format!("This customer has {MOST} documents, which is as many as are kept.");
        return Err(Error::conflict("too_many_documents", message));
    }
    let row = insert(&mut work, user, group, file).await?;
    let new = json!({ "document": row.id, "group": group });
    let change = Change { id: user.record(), old: json!({}), new };
    audit::record(&mut work, "verification_document.added", "user", change).await?;
    Ok((work, row.shown()))
}

async fn show(ctx: Ctx, req: Req<ShowVerificationDocument>) -> Result<Response> {
    let (user, id) = req.path;
    let file = file(&mut ctx.db(), user, id).await?;
    let file = file.ok_or_else(|| Error::not_found("verification document", id))?;
    let look = Look { event: "verification_document.viewed", kind: "user", id: user.record(), key: &file };
    files::reveal(&ctx, look).await
}

// Rules

#[derive(sqlx::FromRow)]
struct Row {
    id: DocumentId,
    user_id: UserId,
    kind: DocumentGroup,
    created_at: Time,
}

impl Row {
    fn shown(self) -> VerificationDocument {
        VerificationDocument {
            id: self.id,
            group: self.kind,
            created_at: self.created_at,
            url: (self.user_id, self.id).fill(ShowVerificationDocument::OP.path),
        }
    }
}

/// Every group, also those without documents.
fn grouped(rows: Vec<Row>) -> Vec<VerificationGroup> {
    let empty = |group: &DocumentGroup| VerificationGroup { group: *group, documents: Vec::new() };
    let mut groups: Vec<_> = DocumentGroup::ALL.iter().map(empty).collect();
    for row in rows {
        if let Some(group) = groups.iter_mut().find(|group| group.group == row.kind) {
            group.documents.push(row.shown());
        }
    }
    groups
}

// Store

async fn all(db: &mut impl Source, user: UserId) -> DbResult<Vec<Row>> {
    let sql = Sql::new(
        "SELECT id, user_id, kind, created_at FROM verification_documents WHERE user_id = ? ORDER BY id DESC",
    );
    db.all(sql.bind(user)).await
}

async fn file(db: &mut impl Source, user: UserId, id: DocumentId) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT file FROM verification_documents WHERE user_id = ? AND id = ?");
    Ok(db.opt::<(String,)>(sql.bind(user).bind(id)).await?.map(|(file,)| file))
}

async fn count(work: &mut Work, user: UserId) -> DbResult<i64> {
    let sql = Sql::new("SELECT count(*) FROM verification_documents WHERE user_id = ?").bind(user);
    Ok(work.one::<(i64,)>(sql).await?.0)
}

async fn insert(work: &mut Work, user: UserId, group: DocumentGroup, file: &str) -> DbResult<Row> {
    let now = work.now;
    let sql = Sql::new(
        "INSERT INTO verification_documents (user_id, kind, file, created_at) VALUES (?, ?, ?, ?) RETURNING id, user_id, kind, created_at",
    );
    work.one(sql.bind(user).bind(group.as_str()).bind(file).bind(now)).await
}
