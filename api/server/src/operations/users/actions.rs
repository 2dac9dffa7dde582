//! Changes the status, the profile, the account manager and the grade of one user. `bulk` changes many users at once.

use panel_contract::common::{Choice, Data};
use panel_contract::endpoints::users::{
    ActivateUser, ChangeGrade, DeactivateUser, FreezeUser, ListAvailableSellers, ListContactSteps,
    UpdateSeller, UpdateUser,
};
use panel_contract::ids::{GradeId, UserId};
use panel_contract::users::{ContactStep, User, UserGradeInput, UserSearchResult, UserStatus};
use panel_domain::rank::ActingStaff;
use panel_domain::users;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::confirmation;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::operations::staff::store;
use crate::operations::users::change::{self, FieldUpdate, LockedUser};
use crate::operations::users::{access, edit, load, undo};
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

const MAX_ACCOUNT_MANAGERS: i64 = 1_000;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListAvailableSellers, _, _, _>(list_account_managers)
        .route::<ListContactSteps, _, _, _>(list_contact_steps)
        .route::<UpdateUser, _, _, _>(update)
        .route::<FreezeUser, _, _, _>(async |ctx, req: Req<FreezeUser>| {
            change_status(ctx, req.path, UserStatus::Frozen).await
        })
        .route::<DeactivateUser, _, _, _>(async |ctx, req: Req<DeactivateUser>| {
            change_status(ctx, req.path, UserStatus::Deactivated).await
        })
        .route::<ActivateUser, _, _, _>(async |ctx, req: Req<ActivateUser>| {
            change_status(ctx, req.path, UserStatus::Active).await
        })
        .route::<UpdateSeller, _, _, _>(update_account_manager)
        .route::<ChangeGrade, _, _, _>(change_grade)
}

async fn list_account_managers(
    ctx: Ctx,
    _req: Req<ListAvailableSellers>,
) -> Result<Data<Vec<UserSearchResult>>> {
    Ok(Data { data: load_active_staff(&mut ctx.db()).await? })
}

async fn list_contact_steps(_ctx: Ctx, _req: Req<ListContactSteps>) -> Result<Data<Vec<Choice>>> {
    let choice = |step: &ContactStep| Choice {
        kind: step.to_string(),
        label: panel_contract::dictionary::enum_label(step.as_str()),
    };
    Ok(Data { data: ContactStep::ALL.iter().map(choice).collect() })
}

async fn change_status(ctx: Ctx, id: UserId, new_status: UserStatus) -> Result<Data<User>> {
    let mut work = ctx.begin().await?;
    let user = change::lock_user(&mut work, id).await?;
    lock_access_version_for(&mut work, new_status).await?;
    let permissions = rank::load_permissions(&mut work, &[id]).await?;
    if permissions.contains_key(&id) {
        confirmation::require_unless_dry_run(work.scope())?;
    }
    users::check_status_change(
        &change::user_facts(&user, &permissions),
        new_status,
        ActingStaff::from_staff_member(work.scope().caller()?),
    )?;
    set_status(&mut work, &[&user], new_status, true).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateUser>) -> Result<Data<User>> {
    let updates = edit::profile_updates(&req.body)?;
    let mut work = ctx.begin().await?;
    let user = change::lock_within_rank(&mut work, req.path).await?;
    Error::check_not_stale("user", req.body.updated_at, user.updated_at)?;
    let changes_email =
        req.body.email.as_ref().is_some_and(|email| email.trim().to_lowercase() != user.email);
    if changes_email && !rank::load_permissions(&mut work, &[user.id]).await?.is_empty() {
        confirmation::require_unless_dry_run(work.scope())?;
    }
    change::write_updates(&mut work, "user.updated", &[&user], &updates).await?;
    commit_and_respond(work, req.path).await
}

async fn update_account_manager(ctx: Ctx, req: Req<UpdateSeller>) -> Result<Data<User>> {
    let mut work = ctx.begin().await?;
    let user = change::lock_within_rank(&mut work, req.path).await?;
    Error::check_not_stale("user", req.body.updated_at, user.updated_at)?;
    // An account manager who was deactivated later stays assigned until staff choose another account manager.
    if let Some(Some(manager_id)) = req.body.seller_id.as_update()
        && user.seller_id != Some(*manager_id)
    {
        check_account_manager(&mut work, *manager_id).await?;
    }
    change::write_updates(&mut work, "user.seller_updated", &[&user], &edit::seller_updates(&req.body))
        .await?;
    commit_and_respond(work, req.path).await
}

async fn change_grade(ctx: Ctx, req: Req<ChangeGrade>) -> Result<Data<User>> {
    let UserGradeInput { grade_id, grade_is_manual, grades_enabled, grade_discounts_enabled, updated_at } =
        req.body.clone();
    let is_grade_set = !grade_id.is_keep();
    let mut work = ctx.begin().await?;
    let user = change::lock_within_rank(&mut work, req.path).await?;
    Error::check_not_stale("user", updated_at, user.updated_at)?;
    let grade_id = grade_id.apply_to(user.grade_id);
    if let Some(grade) = grade_id.filter(|grade| user.grade_id != Some(*grade)) {
        check_grade(&mut work, grade).await?;
    }
    let is_manual = grade_is_manual.unwrap_or_else(|| is_manual_grade(&user, grade_id));
    let mut updates = Vec::new();
    if is_grade_set {
        updates.push(FieldUpdate::new("grade_id", "grade_id = ?", grade_id, json!(grade_id)));
    }
    if is_grade_set || grade_is_manual.is_some() {
        updates.push(FieldUpdate::new("grade_is_manual", "grade_is_manual = ?", is_manual, is_manual));
    }
    if let Some(is_enabled) = grades_enabled {
        updates.push(FieldUpdate::new("grades_enabled", "grades_enabled = ?", is_enabled, is_enabled));
    }
    if let Some(is_enabled) = grade_discounts_enabled {
        updates.push(FieldUpdate::new(
            "grade_discounts_enabled",
            "grade_discounts_enabled = ?",
            is_enabled,
            is_enabled,
        ));
    }
    change::write_updates(&mut work, "user.grade_changed", &[&user], &updates).await?;
    commit_and_respond(work, req.path).await
}

/// Returns the default of `grade_is_manual`: true if staff assign a new grade. If staff remove the grade, the customer is promoted
/// automatically again.
fn is_manual_grade(user: &LockedUser, grade_id: Option<GradeId>) -> bool {
    if grade_id == user.grade_id { user.grade_is_manual } else { grade_id.is_some() }
}

async fn commit_and_respond(mut work: UnitOfWork, id: UserId) -> Result<Data<User>> {
    let ctx = work.scope().clone();
    let data = load(&ctx, &mut work, id).await?;
    work.finish(Data { data }).await
}

// Store

/// SQL condition: the user `u` has a role or a permission.
pub const IS_STAFF_CONDITION: &str = "(EXISTS (SELECT 1 FROM user_roles x WHERE x.user_id = u.id) OR EXISTS (SELECT 1 FROM user_permissions y WHERE y.user_id = u.id))";

async fn load_active_staff(db: &mut impl SqlExecutor) -> Result<Vec<UserSearchResult>> {
    let sql = Sql::new("SELECT u.id, u.name, u.email FROM users u WHERE ")
        .push(IS_STAFF_CONDITION)
        .push(" AND u.status <> 'deactivated' ORDER BY u.name, u.id LIMIT ?")
        .bind(MAX_ACCOUNT_MANAGERS);
    let rows: Vec<(UserId, String, String)> = db.fetch_all(sql).await?;
    Ok(rows.into_iter().map(|(id, name, email)| UserSearchResult { id, name, email }).collect())
}

/// Locks the permissions before the rules read them, if the new status removes access. Otherwise two staff managers could
/// deactivate each other at the same time, and both would pass the check that a staff manager remains. The caller must have locked
/// the users.
pub async fn lock_access_version_for(work: &mut UnitOfWork, new_status: UserStatus) -> Result<()> {
    if new_status != UserStatus::Active {
        store::lock_access_version(work).await?;
    }
    Ok(())
}

/// Sets the status of users. The caller must have locked the users and the access version. A deactivation revokes all sessions, and
/// an undo does not restore them. `is_undoable` must be false if other fields change together with the status.
pub async fn set_status(
    work: &mut UnitOfWork,
    users: &[&LockedUser],
    new_status: UserStatus,
    is_undoable: bool,
) -> Result<()> {
    let ids: Vec<UserId> = users.iter().map(|user| user.id).collect();
    let undoable_ids: &[UserId] = if is_undoable { &ids } else { &[] };
    let before =
        Snapshot::take_before(work, &undo::USERS, users::required_permission(new_status), undoable_ids)
            .await?;
    change::write_status(work, audit_event(new_status), users, new_status, &before).await?;
    match new_status {
        UserStatus::Deactivated => access::revoke_sessions(work, &ids).await,
        _ => Ok(()),
    }
}

const fn audit_event(status: UserStatus) -> &'static str {
    match status {
        UserStatus::Active => "user.activated",
        UserStatus::Frozen => "user.frozen",
        UserStatus::Deactivated => "user.deactivated",
    }
}

/// Rejects an account manager who is not an active staff member.
pub async fn check_account_manager(db: &mut impl SqlExecutor, id: UserId) -> Result<()> {
    let sql = Sql::new("SELECT count(*) FROM users u WHERE u.status <> 'deactivated' AND u.id = ? AND ")
        .bind(id)
        .push(IS_STAFF_CONDITION);
    match db.fetch_one::<(i64,)>(sql).await?.0 {
        0 => Err(Error::invalid(
            "seller_id",
            "seller_unknown",
            format!(
                "There is no active staff member {id}. Choose an account manager from the list of available account managers."
            ),
        )),
        _ => Ok(()),
    }
}

/// Rejects a grade that does not exist or is archived.
pub async fn check_grade(db: &mut impl SqlExecutor, id: GradeId) -> Result<()> {
    settings::require_enabled(db, settings::GRADES_ENABLED, "grades_off", "Grades").await?;
    let sql = Sql::new("SELECT count(*) FROM grades WHERE id = ? AND NOT is_archived").bind(id);
    match db.fetch_one::<(i64,)>(sql).await?.0 {
        0 => Err(Error::invalid(
            "grade_id",
            "grade_unknown",
            format!("There is no active grade {id}. Choose a grade from the list of available grades."),
        )),
        _ => Ok(()),
    }
}
