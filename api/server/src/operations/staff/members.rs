//! Members of staff: list, creation, update, and their roles and permissions.

use std::collections::BTreeSet;

use panel_contract::common::{Data, Named};
use panel_contract::endpoints::staff::{CreateStaff, EndStaffSessions, ListStaff, SyncGrants, UpdateStaff};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{RoleId, UserId};
use panel_contract::moment::{Stamp, Time};
use panel_contract::permission::Permission;
use panel_contract::session::EndedSessions;
use panel_contract::staff::{GrantsInput, NewStaffInput, StaffActions, StaffInput, StaffRow};
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
use crate::operations::staff::invitations;
use crate::operations::staff::roles::entries;
use crate::operations::staff::store;
use crate::operations::user_services::lock_user;
use crate::operations::users::undo::USERS;
use crate::operations::users::{status, webhook_events};
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{RowSource, SearchTarget, Table, base, expr};
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.table::<ListStaff, _, _>(&STAFF, StaffMemberRow::into_response)
        .on::<CreateStaff, _, _, _>(create)
        .on::<UpdateStaff, _, _, _>(update)
        .on::<EndStaffSessions, _, _, _>(end_sessions)
        .on::<SyncGrants, _, _, _>(sync)
}

/// The staff list: users with a role or a permission.
pub static STAFF: Table = Table::new(
    &panel_contract::lists::staff::STAFF,
    RowSource {
        base: "users",
        alias: "u",
        key: "u.id",
        scope: Some("u.is_staff = TRUE"),
        select: FIELDS,
        ..RowSource::NONE
    },
    &[
        base("name").text_index("u.id", &search_texts::USERS, "name"),
        base("email").text_index("u.id", &search_texts::USERS, "email"),
        expr("is_active", "(u.status <> 'deactivated')"),
    ],
)
.common_search(&[SearchTarget::new("u.id", &search_texts::USERS, "name").here(&[
    "u.name",
    "u.email",
    "u.telegram_username",
])])
.row_counts("users", "staff");

async fn create(ctx: Ctx, req: Req<CreateStaff>) -> Result<Data<StaffRow>> {
    let input = &req.body;
    let email = input.email.trim().to_lowercase();
    let panel_name = settings::text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    let password = input.password.as_deref();
    let account = setup::check_account(&panel_name, &input.name, &email, password).map_err(Error::from);
    Error::unless_all([account, check_granted(input), invitations::check_password(&ctx.app, password)])?;
    // Hashing is slow on purpose, so it happens before the transaction.
    let hash = match password {
        Some(password) => Some(ctx.app.passwords.hash(password).await?),
        None => None,
    };
    let mut work = ctx.begin().await?;
    let now = work.now;
    let inserted =
        crate::auth::store::insert_user(&mut work, input.name.trim(), &email, hash.as_deref(), now).await;
    let id = inserted.map_err(|error| match error.is_unique() {
        true => Error::invalid(
            "email",
            "email_taken",
            "Another user has this email address. Give that user a role instead.",
        ),
        false => error.into(),
    })?;
    let requested =
        GrantsInput { roles: Some(input.roles.clone()), permissions: Some(input.permissions.clone()) };
    let grant_change = grant(&mut work, id, &requested).await?;
    let mut new = grant_change.1;
    new["name"] = json!(input.name.trim());
    new["email"] = json!(email);
    audit::record(&mut work, "staff.created", "user", AuditChange { id: id.record(), old: json!({}), new })
        .await?;
    webhook_events::publish_created(&mut work, id).await?;
    if hash.is_none() {
        invitations::invite(&mut work, id, &email).await?;
    }
    answer(work, &ctx, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateStaff>) -> Result<Data<StaffRow>> {
    let (id, input) = (req.path, &req.body);
    check(input, &context_of(&ctx, id, input).await?)?;
    if input.password.is_some() || input.is_active.is_some() {
        confirmation::require_for(&ctx)?;
    }
    let hash = match &input.password {
        Some(password) => Some(ctx.app.passwords.hash(password).await?),
        None => None,
    };
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let old = member(&mut work, id).await?;
    let holds = old.holds();
    if holds.is_empty() && !old.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    Error::check_not_stale("member of staff", input.updated_at, old.updated_at)?;
    let target = TargetUser { id, holds: &holds };
    let new_is_active = input.is_active.filter(|is_active| *is_active != old.is_active());
    ActingStaff::of(ctx.caller()?).check_rank(&holds)?;
    if new_is_active.is_some() {
        staff::check_activation(ActingStaff::of(ctx.caller()?), target)?;
    }
    // Only a change of `is_active` alone can be undone, because an undo does not restore a name or a password.
    let is_only_activation = new_is_active.is_some() && input.password.is_none() && input.name.is_none();
    let ids: &[UserId] = if is_only_activation { &[id] } else { &[] };
    let before = Snapshot::before(&mut work, &USERS, Permission::ManageStaff, ids).await?;
    let change = write(&mut work, &ctx, &old, input, hash.as_deref(), new_is_active).await?;
    if change.new != json!({}) {
        let mut events = Vec::new();
        if change.new.get("name").is_some() {
            events.push((id, EventType::UserUpdated, None));
        }
        if new_is_active.is_some() {
            events.push((id, EventType::UserStatusChanged, Some(old.status.to_string())));
        }
        audit::record_undoable(&mut work, "staff.updated", &USERS, &before, vec![change]).await?;
        webhook_events::publish(&mut work, &events).await?;
    }
    answer(work, &ctx, id).await
}

/// The names and the address that the new password must not be similar to.
async fn context_of(ctx: &Ctx, id: UserId, input: &StaffInput) -> Result<password::Context> {
    if input.password.is_none() {
        return Ok(password::Context::default());
    }
    let panel_name = settings::text(&mut ctx.db(), settings::PANEL_NAME).await?.unwrap_or_default();
    let account = crate::auth::store::account(&mut ctx.db(), id).await?;
    let (email, old_name) = account.map(|account| (account.email, account.name)).unwrap_or_default();
    let name = format!("{old_name} {}", input.name.as_deref().unwrap_or_default());
    Ok(password::Context::new(&panel_name, &email, &name))
}

async fn write(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    old: &StaffMemberRow,
    input: &StaffInput,
    hash: Option<&str>,
    new_is_active: Option<bool>,
) -> Result<AuditChange> {
    let mut change = AuditChange { id: old.id.record(), old: json!({}), new: json!({}) };
    if let Some(name) = input.name.as_deref().map(str::trim).filter(|name| *name != old.name) {
        store::rename(work, old.id, name).await?;
        change.old["name"] = json!(old.name);
        change.new["name"] = json!(name);
    }
    if let Some(hash) = hash {
        store::write_hash(work, old.id, hash).await?;
        crate::auth::store::end_sessions(work, old.id, Some(ctx.caller()?.session_id), work.now).await?;
        change.new["password"] = json!("changed");
    }
    if let Some(is_active) = new_is_active {
        let to = if is_active { UserStatus::Active } else { UserStatus::Deactivated };
        status::set_status(work, &[old.id], UserEvent::to(to)).await?;
        change.old["is_active"] = json!(old.is_active());
        change.new["is_active"] = json!(is_active);
        if !is_active {
            crate::auth::store::end_sessions(work, old.id, None, work.now).await?;
            staff::require_manager(store::managers(work).await?)?;
        }
    }
    Ok(change)
}

async fn end_sessions(ctx: Ctx, req: Req<EndStaffSessions>) -> Result<EndedSessions> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let old = member(&mut work, id).await?;
    let holds = old.holds();
    if holds.is_empty() && !old.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    ActingStaff::of(ctx.caller()?).check_rank(&holds)?;
    let ended = own_sessions::end_all(&mut work, id).await?;
    if ended == 0 {
        let message = format!("{} has no other session to end.", old.name);
        return Err(Error::conflict("no_sessions", message));
    }
    work.finish(EndedSessions { ended }).await
}

async fn sync(ctx: Ctx, req: Req<SyncGrants>) -> Result<Data<StaffRow>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::lock_access_version(&mut work).await?;
    let before = member(&mut work, id).await?.holds();
    staff::may_grant_to(ActingStaff::of(ctx.caller()?), TargetUser { id, holds: &before })?;
    let (old, new) = grant(&mut work, id, &req.body).await?;
    staff::require_manager(store::managers(&mut work).await?)?;
    if old != new {
        audit::record(&mut work, "user.grants_synced", "user", AuditChange { id: id.record(), old, new })
            .await?;
    }
    answer(work, &ctx, id).await
}

/// Replaces the roles and direct permissions of a user with those that the caller may grant. Returns the old and the new ones for
/// the audit trail.
async fn grant(work: &mut UnitOfWork, user: UserId, requested: &GrantsInput) -> Result<(Value, Value)> {
    let (old_ids, old_permissions) = store::load_direct_grants(work, user).await?;
    let requested_roles = requested.roles.as_ref().unwrap_or(&old_ids);
    let requested_permissions = requested.permissions.as_ref().unwrap_or(&old_permissions);
    let ids: Vec<RoleId> = requested_roles.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let all: Vec<RoleId> = ids.iter().chain(&old_ids).copied().collect();
    let roles = store::roles(work, &all).await?;
    let mut errors = FieldErrors::default();
    for (at, id) in requested_roles.iter().enumerate().filter(|(_, id)| !roles.contains_key(id)) {
        errors.add(format!("roles.{at}"), format!("Role {id} does not exist. Choose another role."));
    }
    errors.or(())?;
    let new_roles = ids.iter().filter(|id| !old_ids.contains(id)).filter_map(|id| roles.get(id));
    let mut added: Vec<Permission> = new_roles.flat_map(|role| role.1.iter().copied()).collect();
    added.extend(requested_permissions.iter().filter(|one| !old_permissions.contains(one)));
    let ctx = work.scope().clone();
    staff::may_give(ActingStaff::of(ctx.caller()?), &added)?;
    let permissions: Vec<Permission> =
        entries(requested_permissions).into_iter().map(|entry| entry.name).collect();
    let old_permissions: Vec<Permission> =
        entries(&old_permissions).into_iter().map(|entry| entry.name).collect();
    if (&ids, &permissions) != (&old_ids, &old_permissions) {
        store::replace(work, user, &ids, &permissions).await?;
    }
    let names = |ids: &[RoleId]| -> Vec<&str> {
        ids.iter().filter_map(|id| roles.get(id)).map(|role| role.0.as_str()).collect()
    };
    Ok((
        json!({ "roles": names(&old_ids), "permissions": old_permissions }),
        json!({ "roles": names(&ids), "permissions": permissions }),
    ))
}

pub(super) async fn answer(mut work: UnitOfWork, ctx: &Ctx, id: UserId) -> Result<Data<StaffRow>> {
    let data = member(&mut work, id).await?.into_response(ctx);
    work.finish(Data { data }).await
}

// Rules

fn check_granted(input: &NewStaffInput) -> Result<()> {
    if !input.roles.is_empty() || !input.permissions.is_empty() {
        return Ok(());
    }
    let message = "Choose at least one role or permission. Without one this person cannot sign in.";
    Err(Error::invalid("roles", "nothing_granted", message))
}

fn check(input: &StaffInput, context: &password::Context) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.name.as_ref().is_some_and(|name| name.trim().is_empty() || name.chars().count() > 100) {
        errors.add("name", "Enter a name of 1 to 100 characters.");
    }
    let password = input.password.as_deref();
    if let Some(Err(message)) = password.map(|password| password::check_new(password, context)) {
        errors.add("password", message);
    }
    errors.or(())
}

/// A row of the staff list.
#[derive(Debug, sqlx::FromRow)]
pub struct StaffMemberRow {
    id: UserId,
    created_at: Time,
    updated_at: Stamp,
    name: String,
    email: String,
    status: UserStatus,
    direct: Option<String>,
    roles: Option<String>,
    by_roles: Option<String>,
    has_password: bool,
    has_second_factor: bool,
    invitation_expires_at: Option<Time>,
}

fn parse_permissions(names: Option<&str>) -> impl Iterator<Item = Permission> {
    names.unwrap_or_default().split(',').filter_map(|name| name.parse().ok())
}

impl StaffMemberRow {
    /// All permissions, direct ones and those of roles.
    pub(super) fn holds(&self) -> Vec<Permission> {
        parse_permissions(self.direct.as_deref()).chain(parse_permissions(self.by_roles.as_deref())).collect()
    }

    pub(super) fn is_active(&self) -> bool {
        self.status != UserStatus::Deactivated
    }

    pub(super) const fn has_password(&self) -> bool {
        self.has_password
    }

    pub(super) fn email(&self) -> &str {
        &self.email
    }

    pub(super) fn is_staff(&self) -> bool {
        self.roles.is_some()
    }

    fn into_response(self, scope: &Scope) -> StaffRow {
        let (holds, is_active) = (self.holds(), self.is_active());
        let target = TargetUser { id: self.id, holds: &holds };
        let actions = scope.caller().map(ActingStaff::of).map_or_else(
            |_| StaffActions::default(),
            |by| StaffActions {
                editable: by.covers(&holds),
                grantable: staff::may_grant_to(by, target).is_ok(),
                deactivable: is_active && staff::check_activation(by, target).is_ok(),
                activable: !is_active && staff::check_activation(by, target).is_ok(),
                invitable: is_active && !self.has_password && by.covers(&holds),
                invitation_withdrawable: self.invitation_expires_at.is_some() && by.covers(&holds),
                second_factor_resettable: self.has_second_factor && by.id != self.id && by.covers(&holds),
            },
        );
        let direct: Vec<Permission> = parse_permissions(self.direct.as_deref()).collect();
        let roles = self.roles.as_deref().unwrap_or_default().lines();
        let role = |line: &str| {
            let (id, name) = line.split_once(':')?;
            Some(Named { id: id.parse().ok()?, name: name.to_owned() })
        };
        let mut roles: Vec<Named<RoleId>> = roles.filter_map(role).collect();
        roles.sort_by(|one, other| one.name.cmp(&other.name));
        StaffRow {
            id: self.id,
            created_at: self.created_at,
            name: self.name,
            email: self.email,
            is_active,
            permissions: entries(&direct),
            roles,
            has_second_factor: self.has_second_factor,
            invitation_expires_at: self.invitation_expires_at,
            updated_at: self.updated_at,
            actions,
        }
    }
}

// Store

/// `roles` has one line per role: its id, a colon, and its name, which has no control characters.
const FIELDS: &str = "u.id, u.created_at, u.updated_at, u.name, u.email, u.status,
  (SELECT string_agg(p.permission, ',') FROM user_permissions p WHERE p.user_id = u.id) AS direct,
  (SELECT string_agg(CAST(r.id AS TEXT) || ':' || r.name, '
') FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = u.id) AS roles,
  (SELECT string_agg(p.permission, ',') FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id) AS by_roles,
  (u.password_hash IS NOT NULL) AS has_password,
  (u.totp_secret IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id)) AS has_second_factor,
  (SELECT l.expires_at FROM account_links l WHERE l.user_id = u.id AND l.purpose = 'invitation') AS invitation_expires_at";

pub(super) async fn member(work: &mut UnitOfWork, id: UserId) -> Result<StaffMemberRow> {
    let sql = Sql::new("SELECT ").push(FIELDS).push(" FROM users u WHERE u.id = ?").bind(id);
    work.opt(sql).await?.ok_or_else(|| Error::not_found("user", id))
}
