//! Saved views: named filters and columns of one list. A staff member manages their own views; creating, changing or deleting a
//! shared view requires `manage panel settings`.

use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::saved_views::{
    CreateSavedView, DeleteSavedView, ListSavedViews, UpdateSavedView,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{SavedViewId, UserId};
use panel_contract::moment::Timestamp;
use panel_contract::permission::Permission;
use panel_contract::saved_views::{SavedView, SavedViewInput};
use panel_kernel::error::{Error, Result};
use panel_kernel::rejection::Rejection;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbResult, Sql, SqlExecutor};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Maximum number of views of one list per staff member.
const MAX_VIEWS: i64 = 100;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListSavedViews, _, _, _>(list)
        .route::<CreateSavedView, _, _, _>(create)
        .route::<UpdateSavedView, _, _, _>(update)
        .route::<DeleteSavedView, _, _, _>(delete)
}

async fn list(ctx: Ctx, req: Req<ListSavedViews>) -> Result<Data<Vec<SavedView>>> {
    let views = list_views(&mut ctx.db(), &req.query.list, ctx.caller()?.user_id).await?;
    Ok(Data { data: views.into_iter().map(|view| into_response(view, &ctx)).collect() })
}

async fn create(ctx: Ctx, req: Req<CreateSavedView>) -> Result<Data<SavedView>> {
    validate(&req.body, ctx.has_permission(Permission::ManagePanelSettings))?;
    let mut work = ctx.begin().await?;
    if count_own_views(&mut work, &req.body.list).await? >= MAX_VIEWS {
        let message =
            format!("You already have {MAX_VIEWS} views of this list. Delete one that you do not need.");
        return Err(Error::invalid("name", "too_many_views", message));
    }
    let id = insert(&mut work, &req.body).await.map_err(|error| unique_violation(error, &req.body))?;
    audit::record(
        &mut work,
        "saved_view.created",
        "saved_view",
        AuditChange { id: id.as_record_id(), old: json!({}), new: json!(req.body) },
    )
    .await?;
    let view = load_view(&mut work, id).await?.ok_or_else(|| Error::not_found("saved view", id))?;
    work.finish(Data { data: into_response(view, &ctx) }).await
}

async fn update(ctx: Ctx, req: Req<UpdateSavedView>) -> Result<Data<SavedView>> {
    validate(&req.body, ctx.has_permission(Permission::ManagePanelSettings))?;
    let mut work = ctx.begin().await?;
    let view = lock_editable_view(&mut work, &ctx, req.path).await?;
    check_update(&view, &req.body)?;
    update_row(&mut work, &view, &req.body).await.map_err(|error| unique_violation(error, &req.body))?;
    let old = json!({ "name": view.name, "query": view.query, "is_shared": view.is_shared });
    audit::record(
        &mut work,
        "saved_view.updated",
        "saved_view",
        AuditChange { id: view.id.as_record_id(), old, new: json!(req.body) },
    )
    .await?;
    let view =
        load_view(&mut work, view.id).await?.ok_or_else(|| Error::not_found("saved view", req.path))?;
    work.finish(Data { data: into_response(view, &ctx) }).await
}

async fn delete(ctx: Ctx, req: Req<DeleteSavedView>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    let view = lock_editable_view(&mut work, &ctx, req.path).await?;
    delete_row(&mut work, view.id).await?;
    let old = json!({ "name": view.name, "query": view.query, "is_shared": view.is_shared });
    audit::record(
        &mut work,
        "saved_view.deleted",
        "saved_view",
        AuditChange { id: view.id.as_record_id(), old, new: json!({}) },
    )
    .await?;
    work.finish(EmptyBody {}).await
}

async fn lock_editable_view(work: &mut UnitOfWork, ctx: &Ctx, id: SavedViewId) -> Result<SavedViewRecord> {
    let view = lock_view(work, id).await?.ok_or_else(|| Error::not_found("saved view", id))?;
    if view.user_id == ctx.caller()?.user_id
        || (view.is_shared && ctx.has_permission(Permission::ManagePanelSettings))
    {
        return Ok(view);
    }
    // Another staff member's private view must look as if it did not exist.
    match view.is_shared {
        true => Err(Error::forbidden(
            "not_yours",
            "Only the owner of a shared view, or a staff member with the permission \"manage panel settings\", can change it.",
        )),
        false => Err(Error::not_found("saved view", id)),
    }
}

fn unique_violation(error: panel_platform::db::DbError, input: &SavedViewInput) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "name",
            "name_taken",
            format!("You already have a view named \"{}\". Enter another name.", input.name),
        ),
        false => error.into(),
    }
}

fn into_response(view: SavedViewRecord, scope: &Scope) -> SavedView {
    let is_own = scope.caller().is_ok_and(|caller| caller.user_id == view.user_id);
    SavedView {
        id: view.id,
        columns: parse_columns(&view),
        list: view.list,
        name: view.name,
        query: view.query,
        is_shared: view.is_shared,
        is_own,
        editable: is_own || scope.has_permission(Permission::ManagePanelSettings),
        updated_at: view.updated_at,
    }
}

// Rules

fn validate(input: &SavedViewInput, can_share: bool) -> Result<()> {
    let mut errors = FieldErrors::default();
    let is_list_name = |text: &str| {
        !text.is_empty()
            && text.len() <= 60
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'_')
    };
    if !is_list_name(&input.list) {
        errors.add("list", "Send the name of a list in lowercase letters, such as orders.");
    }
    if input.name.trim().is_empty() || input.name.chars().count() > 60 {
        errors.add("name", "Enter a name of 1 to 60 characters.");
    }
    if input.query.chars().count() > 4_000 {
        errors.add("query", "The filters are too long to save. Remove some of them.");
    }
    if input.columns.len() > 100 || input.columns.iter().any(|column| column.len() > 60) {
        errors.add("columns", "Choose at most 100 columns.");
    }
    errors.into_result(())?;
    if input.is_shared && !can_share {
        return Err(Rejection::forbidden(
            "sharing_not_allowed",
            "Sharing a view requires the permission \"manage panel settings\". Save it for yourself, or ask an administrator.",
        )
        .into());
    }
    Ok(())
}

/// Checks that `input` may replace `view`: it has the same list, and the view has not changed since the editor read it.
fn check_update(view: &SavedViewRecord, input: &SavedViewInput) -> Result<()> {
    if input.list != view.list {
        let message =
            format!("This view belongs to the list {}. Create a new view for another list.", view.list);
        return Err(Error::invalid("list", "list_is_fixed", message));
    }
    Error::check_not_stale("view", input.updated_at, view.updated_at)
}

fn parse_columns(view: &SavedViewRecord) -> Vec<String> {
    serde_json::from_str(&view.columns).unwrap_or_default()
}

// Store

#[derive(Debug, sqlx::FromRow)]
struct SavedViewRecord {
    id: SavedViewId,
    user_id: UserId,
    list: String,
    name: String,
    query: String,
    columns: String,
    is_shared: bool,
    updated_at: Timestamp,
}

const SELECT_VIEW: &str =
    "SELECT id, user_id, list, name, query, columns, is_shared, updated_at FROM saved_views";

async fn list_views(db: &mut impl SqlExecutor, list: &str, user_id: UserId) -> Result<Vec<SavedViewRecord>> {
    let sql = Sql::new(SELECT_VIEW)
        .push(" WHERE list = ? AND (user_id = ? OR is_shared = TRUE) ORDER BY is_shared, name, id LIMIT ?");
    Ok(db.fetch_all(sql.bind(list).bind(user_id).bind(2 * MAX_VIEWS)).await?)
}

async fn load_view(db: &mut impl SqlExecutor, id: SavedViewId) -> Result<Option<SavedViewRecord>> {
    Ok(db.fetch_optional(Sql::new(SELECT_VIEW).push(" WHERE id = ?").bind(id)).await?)
}

async fn lock_view(work: &mut UnitOfWork, id: SavedViewId) -> Result<Option<SavedViewRecord>> {
    Ok(work.fetch_optional(Sql::new(SELECT_VIEW).push(" WHERE id = ?").bind(id).for_update()).await?)
}

/// Counts the caller's views of one list.
async fn count_own_views(work: &mut UnitOfWork, list: &str) -> Result<i64> {
    let sql = Sql::new("SELECT count(*) FROM saved_views WHERE user_id = ? AND list = ?");
    let owner_id = work.actor().map_or(0, UserId::get);
    Ok(work.fetch_one::<(i64,)>(sql.bind(owner_id).bind(list)).await?.0)
}

/// The INSERT and the UPDATE of an input. The list of a view never changes.
fn insert_and_update_sql(input: &SavedViewInput, now: Timestamp) -> [Sql; 2] {
    sql!(
        [
            "INSERT INTO saved_views (user_id, list, name, query, columns, is_shared, created_at, updated_at) \
               VALUES (@user_id, @list, @name, @query, @columns, @is_shared, @now, @now) RETURNING id",
            "UPDATE saved_views SET name = @name, query = @query, columns = @columns, is_shared = @is_shared, updated_at = @now \
               WHERE id = @id",
        ],
        {
            name: input.name.trim(),
            query: input.query.as_str(),
            columns: json!(input.columns).to_string(),
            is_shared: input.is_shared,
            now,
        },
        bound_later: [user_id, list, id],
    )
}

async fn insert(work: &mut UnitOfWork, input: &SavedViewInput) -> DbResult<SavedViewId> {
    let [insert_sql, _] = insert_and_update_sql(input, work.timestamp());
    let owner_id = work.actor().map_or(0, UserId::get);
    let insert_sql = insert_sql.bind_named("user_id", owner_id).bind_named("list", input.list.as_str());
    Ok(work.fetch_one::<(SavedViewId,)>(insert_sql).await?.0)
}

async fn update_row(work: &mut UnitOfWork, view: &SavedViewRecord, input: &SavedViewInput) -> DbResult<u64> {
    let [_, update_sql] = insert_and_update_sql(input, work.timestamp());
    work.execute(update_sql.bind_named("id", view.id)).await
}

async fn delete_row(work: &mut UnitOfWork, id: SavedViewId) -> DbResult<u64> {
    work.execute(Sql::new("DELETE FROM saved_views WHERE id = ?").bind(id)).await
}
