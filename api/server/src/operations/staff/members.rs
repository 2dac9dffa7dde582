//! Lists, creates and updates staff members, and replaces their roles and permissions.

use std::collections::BTreeSet;

use panel_contract::common::Data;
use panel_contract::endpoints::staff::{CreateStaff, EndStaffSessions, ListStaff, SyncGrants, UpdateStaff};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{RoleId, UserId};
use panel_contract::permission::Permission;
use panel_contract::session::EndedSessions;
use panel_contract::staff::{GrantsInput, NewStaffInput, StaffInput, StaffRow};
use panel_contract::users::UserStatus;
use panel_contract::webhooks::EventType;
use panel_domain::rank::ActingStaff;
use panel_domain::staff::{self, TargetUser};
use panel_domain::states::users::UserEvent;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::auth::{confirmation, own_sessions, password, setup};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::member_row::{COLUMNS, StaffMemberRow, load_member};
use crate::operations::staff::roles::to_permission_entries;
use crate::operations::staff::{invitations, store};
use crate::operations::user_services::lock_user;
use crate::operations::users::undo::USERS;
use crate::operations::users::{status, webhook_events};
use crate::records::search_texts;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::Snapshot;
use panel_platform::table::{RowSource, SearchTarget, Table, base_column, expr};
use panel_platform::work::UnitOfWork;
use panel_platform::{audit, settings};

// Routes

pub fn routes(api: Api) -> Api {
    api.list_route::<ListStaff, _, _>(&STAFF, StaffMemberRow::into_response)
        .route::<CreateStaff, _, _, _>(create_member)
        .route::<UpdateStaff, _, _, _>(update_member)
        .route::<EndStaffSessions, _, _, _>(end_sessions)
        .route::<SyncGrants, _, _, _>(sync_grants)
}

/// The staff list: users with a role or a permission.
pub static STAFF: Table = Table::new(
    &panel_contract::lists::staff::STAFF,
    RowSource {
        base: "users",
        alias: "u",
        key: "u.id",
        scope: Some("u.is_staff = TRUE"),
        select: COLUMNS,
        ..RowSource::NONE
    },
    &[
        base_column("name").text_index("u.id", &search_texts::USERS, "name"),
        base_column("email").text_index("u.id", &search_texts::USERS, "email"),
        expr("is_active", "(u.status <> 'deactivated')"),
    ],
)
.global_search(&[SearchTarget::new("u.id", &search_texts::USERS, "name").own_columns(&[
    "u.name",
    "u.email",
    "u.telegram_username",
])])
.count_from("users", "staff");

async fn create_member(ctx: Ctx, req: Req<CreateStaff>) -> Result<Data<StaffRow>> {
    let input = &req.body;
    let email = input.email.trim().to_lowercase();
    let panel_name = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    let password = input.password.as_deref();
    let account = setup::check_account(&panel_name, &input.name, &email, password).map_err(Error::from);
    Error::merge_field_errors([
        account,
        check_grants_not_empty(input),
        invitations::check_password(&ctx.app, password),
    ])?;
    // Hashing is slow on purpose, so it happens before the transaction.
    let hash = match password {
        Some(password) => Some(ctx.app.passwords.hash(password).await?),
        None => None,
    };
    let mut work = ctx.begin().await?;
    let now = work.now;
    let insert_result =
        crate::auth::store::insert_user(&mut work, input.name.trim(), &email, hash.as_deref(), now).await;
    let id = insert_result.map_err(|error| match error.is_unique() {
        true => Error::invalid(
            "email",
            "email_taken",
            "Another user has this email address. Give that user a role instead.",
        ),
        false => error.into(),
    })?;
    let requested_grants =
        GrantsInput { roles: Some(input.roles.clone()), permissions: Some(input.permissions.clone()) };
    let (_, mut new_values) = replace_grants(&mut work, id, &requested_grants).await?;
    new_values["name"] = json!(input.name.trim());
    new_values["email"] = json!(email);
    audit::record(
        &mut work,
        "staff.created",
        "user",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    webhook_events::publish_created(&mut work, id).await?;
    if hash.is_none() {
        invitations::invite(&mut work, id, &email).await?;
    }
    commit_and_respond(work, &ctx, id).await
}

async fn update_member(ctx: Ctx, req: Req<UpdateStaff>) -> Result<Data<StaffRow>> {
    let (id, input) = (req.path, &req.body);
    validate(input, &load_password_context(&ctx, id, input).await?)?;
    if input.password.is_some() || input.is_active.is_some() {
        confirmation::require_unless_dry_run(&ctx)?;
    }
    let hash = match &input.password {
        Some(password) => Some(ctx.app.passwords.hash(password).await?),
        None => None,
    };
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let member = load_member(&mut work, id).await?;
    let permissions = member.permissions();
    if permissions.is_empty() && !member.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    Error::check_not_stale("member of staff", input.updated_at, member.updated_at)?;
    let target = TargetUser { id, permissions: &permissions };
    let new_is_active = input.is_active.filter(|is_active| *is_active != member.is_active());
    ActingStaff::from_staff_member(ctx.caller()?).check_rank(&permissions)?;
    if new_is_active.is_some() {
        staff::check_activation(ActingStaff::from_staff_member(ctx.caller()?), target)?;
    }
    // Only a change of `is_active` alone can be undone, because an undo does not restore a name or a password.
    let is_only_activation = new_is_active.is_some() && input.password.is_none() && input.name.is_none();
    let ids: &[UserId] = if is_only_activation { &[id] } else { &[] };
    let snapshot = Snapshot::take_before(&mut work, &USERS, Permission::ManageStaff, ids).await?;
    let change = apply_update(&mut work, &ctx, &member, input, hash.as_deref(), new_is_active).await?;
    if change.new != json!({}) {
        let mut events = Vec::new();
        if change.new.get("name").is_some() {
            events.push((id, EventType::UserUpdated, None));
        }
        if new_is_active.is_some() {
            events.push((id, EventType::UserStatusChanged, Some(member.status.to_string())));
        }
        audit::record_undoable(&mut work, "staff.updated", &USERS, &snapshot, vec![change]).await?;
        webhook_events::publish(&mut work, &events).await?;
    }
    commit_and_respond(work, &ctx, id).await
}

/// Loads the panel name, the user's name and the email address, because the new password must not be similar to them.
async fn load_password_context(ctx: &Ctx, id: UserId, input: &StaffInput) -> Result<password::Context> {
    if input.password.is_none() {
        return Ok(password::Context::default());
    }
    let panel_name = settings::read_text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    let account = crate::auth::store::load_account(&mut ctx.db(), id).await?;
    let (email, old_name) = account.map(|account| (account.email, account.name)).unwrap_or_default();
    let name = format!("{old_name} {}", input.name.as_deref().unwrap_or_default());
    Ok(password::Context::new(&panel_name, &email, &name))
}

async fn apply_update(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    member: &StaffMemberRow,
    input: &StaffInput,
    hash: Option<&str>,
    new_is_active: Option<bool>,
) -> Result<AuditChange> {
    let mut change = AuditChange { id: member.id.as_record_id(), old: json!({}), new: json!({}) };
    if let Some(name) = input.name.as_deref().map(str::trim).filter(|name| *name != member.name) {
        store::rename_user(work, member.id, name).await?;
        change.old["name"] = json!(member.name);
        change.new["name"] = json!(name);
    }
    if let Some(hash) = hash {
        store::write_password_hash(work, member.id, hash).await?;
        crate::auth::store::end_sessions(work, member.id, Some(ctx.caller()?.session_id), work.now).await?;
        change.new["password"] = json!("changed");
    }
    if let Some(is_active) = new_is_active {
        let new_status = if is_active { UserStatus::Active } else { UserStatus::Deactivated };
        status::set_status(work, &[member.id], UserEvent::to(new_status)).await?;
        change.old["is_active"] = json!(member.is_active());
        change.new["is_active"] = json!(is_active);
        if !is_active {
            crate::auth::store::end_sessions(work, member.id, None, work.now).await?;
            staff::require_manager(store::count_managers(work).await?)?;
        }
    }
    Ok(change)
}

async fn end_sessions(ctx: Ctx, req: Req<EndStaffSessions>) -> Result<EndedSessions> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let member = load_member(&mut work, id).await?;
    let permissions = member.permissions();
    if permissions.is_empty() && !member.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    ActingStaff::from_staff_member(ctx.caller()?).check_rank(&permissions)?;
    let ended = own_sessions::end_all(&mut work, id).await?;
    if ended == 0 {
        let message = format!("{} has no other session to end.", member.name);
        return Err(Error::conflict("no_sessions", message));
    }
    work.finish(EndedSessions { ended }).await
}

async fn sync_grants(ctx: Ctx, req: Req<SyncGrants>) -> Result<Data<StaffRow>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let old_permissions = load_member(&mut work, id).await?.permissions();
    staff::check_access_change(
        ActingStaff::from_staff_member(ctx.caller()?),
        TargetUser { id, permissions: &old_permissions },
    )?;
    let (old_values, new_values) = replace_grants(&mut work, id, &req.body).await?;
    staff::require_manager(store::count_managers(&mut work).await?)?;
    if old_values != new_values {
        audit::record(
            &mut work,
            "user.grants_synced",
            "user",
            AuditChange { id: id.as_record_id(), old: old_values, new: new_values },
        )
        .await?;
    }
    commit_and_respond(work, &ctx, id).await
}

/// Replaces the roles and direct permissions of a user. The caller must be allowed to grant the added ones. Returns the old and
/// the new ones for the audit trail.
async fn replace_grants(
    work: &mut UnitOfWork,
    user: UserId,
    requested_grants: &GrantsInput,
) -> Result<(Value, Value)> {
    let (old_ids, old_permissions) = store::load_direct_grants(work, user).await?;
    let requested_roles = requested_grants.roles.as_ref().unwrap_or(&old_ids);
    let requested_permissions = requested_grants.permissions.as_ref().unwrap_or(&old_permissions);
    let ids: Vec<RoleId> = requested_roles.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let loaded_ids: Vec<RoleId> = ids.iter().chain(&old_ids).copied().collect();
    let roles = store::load_roles(work, &loaded_ids).await?;
    let mut errors = FieldErrors::default();
    for (index, id) in requested_roles.iter().enumerate().filter(|(_, id)| !roles.contains_key(id)) {
        errors.add(format!("roles.{index}"), format!("There is no role {id}. Choose another role."));
    }
    errors.into_result(())?;
    let new_roles = ids.iter().filter(|id| !old_ids.contains(id)).filter_map(|id| roles.get(id));
    let mut added_permissions: Vec<Permission> = new_roles.flat_map(|role| role.1.iter().copied()).collect();
    added_permissions
        .extend(requested_permissions.iter().filter(|permission| !old_permissions.contains(permission)));
    let ctx = work.scope().clone();
    staff::check_grant(ActingStaff::from_staff_member(ctx.caller()?), &added_permissions)?;
    let permissions: Vec<Permission> =
        to_permission_entries(requested_permissions).into_iter().map(|entry| entry.name).collect();
    let old_permissions: Vec<Permission> =
        to_permission_entries(&old_permissions).into_iter().map(|entry| entry.name).collect();
    if (&ids, &permissions) != (&old_ids, &old_permissions) {
        store::replace_grants(work, user, &ids, &permissions).await?;
    }
    let names = |ids: &[RoleId]| -> Vec<&str> {
        ids.iter().filter_map(|id| roles.get(id)).map(|role| role.0.as_str()).collect()
    };
    Ok((
        json!({ "roles": names(&old_ids), "permissions": old_permissions }),
        json!({ "roles": names(&ids), "permissions": permissions }),
    ))
}

pub(super) async fn commit_and_respond(
    mut work: UnitOfWork,
    ctx: &Ctx,
    id: UserId,
) -> Result<Data<StaffRow>> {
    let data = load_member(&mut work, id).await?.into_response(ctx);
    work.finish(Data { data }).await
}

// Rules

fn check_grants_not_empty(input: &NewStaffInput) -> Result<()> {
    if !input.roles.is_empty() || !input.permissions.is_empty() {
        return Ok(());
    }
    let message = "Choose at least one role or permission. Without one, this staff member cannot sign in.";
    Err(Error::invalid("roles", "nothing_granted", message))
}

fn validate(input: &StaffInput, context: &password::Context) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.name.as_ref().is_some_and(|name| name.trim().is_empty() || name.chars().count() > 100) {
        errors.add("name", "Enter a name of 1 to 100 characters.");
    }
    let password = input.password.as_deref();
    if let Some(Err(message)) = password.map(|password| password::check_new_password(password, context)) {
        errors.add("password", message);
    }
    errors.into_result(())
}
