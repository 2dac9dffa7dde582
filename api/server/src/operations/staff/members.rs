//! Members of staff: the list, making one, changing one, and what they may do.

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
use panel_domain::staff::{self, Whom};
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
use crate::operations::users::{status, tell};
use crate::records::search_texts;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::audit::restore::Snapshot;
use panel_platform::db::{Source, Sql};
use panel_platform::scope::Scope;
use panel_platform::settings;
use panel_platform::table::{Arm, RowSource, Table, base, expr};
use panel_platform::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListStaff, _, _>(&STAFF, Record::shown)
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
.common_search(&[Arm::new("u.id", &search_texts::USERS, "name").here(&[
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
    // Work that is heavy on purpose is done before the writer is taken.
    let hash = match password {
        Some(password) => Some(ctx.app.passwords.hash(password).await?),
        None => None,
    };
    let mut work = ctx.begin().await?;
    let now = work.now;
    let made =
        crate::auth::store::insert_user(&mut work, input.name.trim(), &email, hash.as_deref(), now).await;
    let id = made.map_err(|error| match error.is_unique() {
        true => Error::invalid(
            "email",
            "email_taken",
            "Another user has this email address; give that user a role instead.",
        ),
        false => error.into(),
    })?;
    let wanted =
        GrantsInput { roles: Some(input.roles.clone()), permissions: Some(input.permissions.clone()) };
    let granted = grant(&mut work, id, &wanted).await?;
    let mut new = granted.1;
    new["name"] = json!(input.name.trim());
    new["email"] = json!(email);
    audit::record(&mut work, "staff.created", "user", Change { id: id.record(), old: json!({}), new })
        .await?;
    tell::made(&mut work, id).await?;
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
    store::hold_access(&mut work).await?;
    let old = member(&mut work, id).await?;
    let holds = old.holds();
    if holds.is_empty() && !old.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    Error::unless_newest("member of staff", input.updated_at, old.updated_at)?;
    let whom = Whom { id, holds: &holds };
    let switched = input.is_active.filter(|is_active| *is_active != old.is_active());
    ActingStaff::of(ctx.caller()?).judge(&holds)?;
    if switched.is_some() {
        staff::may_switch(ActingStaff::of(ctx.caller()?), whom)?;
    }
    // A new name or password stays: then nothing is offered.
    let is_switch = switched.is_some() && input.password.is_none() && input.name.is_none();
    let ids: &[UserId] = if is_switch { &[id] } else { &[] };
    let before = Snapshot::before(&mut work, &USERS, Permission::ManageStaff, ids).await?;
    let change = write(&mut work, &ctx, &old, input, hash.as_deref(), switched).await?;
    if change.new != json!({}) {
        let mut told = Vec::new();
        if change.new.get("name").is_some() {
            told.push((id, EventType::UserUpdated, None));
        }
        if switched.is_some() {
            told.push((id, EventType::UserStatusChanged, Some(old.status.to_string())));
        }
        audit::record_undoable(&mut work, "staff.updated", &USERS, &before, vec![change]).await?;
        tell::tell(&mut work, &told).await?;
    }
    answer(work, &ctx, id).await
}

/// What the new password of a member of staff must be more than.
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
    work: &mut Work,
    ctx: &Ctx,
    old: &Record,
    input: &StaffInput,
    hash: Option<&str>,
    switched: Option<bool>,
) -> Result<Change> {
    let mut change = Change { id: old.id.record(), old: json!({}), new: json!({}) };
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
    if let Some(is_active) = switched {
        let to = if is_active { UserStatus::Active } else { UserStatus::Deactivated };
        status::write(work, &[old.id], UserEvent::to(to)).await?;
        change.old["is_active"] = json!(old.is_active());
        change.new["is_active"] = json!(is_active);
        if !is_active {
            crate::auth::store::end_sessions(work, old.id, None, work.now).await?;
            staff::somebody_remains(store::managers(work).await?)?;
        }
    }
    Ok(change)
}

async fn end_sessions(ctx: Ctx, req: Req<EndStaffSessions>) -> Result<EndedSessions> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::hold_access(&mut work).await?;
    let old = member(&mut work, id).await?;
    let holds = old.holds();
    if holds.is_empty() && !old.is_staff() {
        return Err(Error::not_found("member of staff", id));
    }
    ActingStaff::of(ctx.caller()?).judge(&holds)?;
    let ended = own_sessions::end_all(&mut work, id).await?;
    if ended == 0 {
        let message = format!("{} is signed in nowhere else; there is no session to end.", old.name);
        return Err(Error::conflict("no_sessions", message));
    }
    work.finish(EndedSessions { ended }).await
}

async fn sync(ctx: Ctx, req: Req<SyncGrants>) -> Result<Data<StaffRow>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    lock_user(&mut work, id).await?;
    store::hold_access(&mut work).await?;
    let before = member(&mut work, id).await?.holds();
    staff::may_grant_to(ActingStaff::of(ctx.caller()?), Whom { id, holds: &before })?;
    let (old, new) = grant(&mut work, id, &req.body).await?;
    staff::somebody_remains(store::managers(&mut work).await?)?;
    if old != new {
        audit::record(&mut work, "user.grants_synced", "user", Change { id: id.record(), old, new }).await?;
    }
    answer(work, &ctx, id).await
}

/// Replaces what a user holds by what the caller may give; what was and what is, for the audit trail.
async fn grant(work: &mut Work, user: UserId, wanted: &GrantsInput) -> Result<(Value, Value)> {
    let (old_ids, old_permissions) = store::given(work, user).await?;
    let wanted_roles = wanted.roles.as_ref().unwrap_or(&old_ids);
    let wanted_permissions = wanted.permissions.as_ref().unwrap_or(&old_permissions);
    let ids: Vec<RoleId> = wanted_roles.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let all: Vec<RoleId> = ids.iter().chain(&old_ids).copied().collect();
    let roles = store::roles(work, &all).await?;
    let mut errors = FieldErrors::default();
    for (at, id) in wanted_roles.iter().enumerate().filter(|(_, id)| !roles.contains_key(id)) {
        errors.add(format!("roles.{at}"), format!("There is no role {id}; choose one."));
    }
    errors.or(())?;
    let new_roles = ids.iter().filter(|id| !old_ids.contains(id)).filter_map(|id| roles.get(id));
    let mut added: Vec<Permission> = new_roles.flat_map(|role| role.1.iter().copied()).collect();
    added.extend(wanted_permissions.iter().filter(|one| !old_permissions.contains(one)));
    let ctx = work.scope().clone();
    staff::may_give(ActingStaff::of(ctx.caller()?), &added)?;
    let permissions: Vec<Permission> =
        entries(wanted_permissions).into_iter().map(|entry| entry.name).collect();
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

pub(super) async fn answer(mut work: Work, ctx: &Ctx, id: UserId) -> Result<Data<StaffRow>> {
    let data = member(&mut work, id).await?.shown(ctx);
    work.finish(Data { data }).await
}

// Rules

fn check_granted(input: &NewStaffInput) -> Result<()> {
    if !input.roles.is_empty() || !input.permissions.is_empty() {
        return Ok(());
    }
    let message = "Choose a role or a permission; without one they cannot sign in.";
    Err(Error::invalid("roles", "nothing_granted", message))
}

fn check(input: &StaffInput, context: &password::Context) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.name.as_ref().is_some_and(|name| name.trim().is_empty() || name.chars().count() > 100) {
        errors.add("name", "Give a name of 1 to 100 characters.");
    }
    let password = input.password.as_deref();
    if let Some(Err(message)) = password.map(|password| password::check_new(password, context)) {
        errors.add("password", message);
    }
    errors.or(())
}

/// A member of staff as the database has them.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
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

fn listed(names: Option<&str>) -> impl Iterator<Item = Permission> {
    names.unwrap_or_default().split(',').filter_map(|name| name.parse().ok())
}

impl Record {
    /// Everything that they may do.
    pub(super) fn holds(&self) -> Vec<Permission> {
        listed(self.direct.as_deref()).chain(listed(self.by_roles.as_deref())).collect()
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

    fn shown(self, scope: &Scope) -> StaffRow {
        let (holds, is_active) = (self.holds(), self.is_active());
        let whom = Whom { id: self.id, holds: &holds };
        let actions = scope.caller().map(ActingStaff::of).map_or_else(
            |_| StaffActions::default(),
            |by| StaffActions {
                editable: by.covers(&holds),
                grantable: staff::may_grant_to(by, whom).is_ok(),
                deactivable: is_active && staff::may_switch(by, whom).is_ok(),
                activable: !is_active && staff::may_switch(by, whom).is_ok(),
                invitable: is_active && !self.has_password && by.covers(&holds),
                invitation_withdrawable: self.invitation_expires_at.is_some() && by.covers(&holds),
                second_factor_resettable: self.has_second_factor && by.id != self.id && by.covers(&holds),
            },
        );
        let direct: Vec<Permission> = listed(self.direct.as_deref()).collect();
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

/// One line a role: its id, a colon, its name, which has no control characters.
const FIELDS: &str = "u.id, u.created_at, u.updated_at, u.name, u.email, u.status,
  (SELECT string_agg(p.permission, ',') FROM user_permissions p WHERE p.user_id = u.id) AS direct,
  (SELECT string_agg(CAST(r.id AS TEXT) || ':' || r.name, '
') FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = u.id) AS roles,
  (SELECT string_agg(p.permission, ',') FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id) AS by_roles,
  (u.password_hash IS NOT NULL) AS has_password,
  (u.totp_secret IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id)) AS has_second_factor,
  (SELECT l.expires_at FROM account_links l WHERE l.user_id = u.id AND l.purpose = 'invitation') AS invitation_expires_at";

pub(super) async fn member(work: &mut Work, id: UserId) -> Result<Record> {
    let sql = Sql::new("SELECT ").push(FIELDS).push(" FROM users u WHERE u.id = ?").bind(id);
    work.opt(sql).await?.ok_or_else(|| Error::not_found("user", id))
}
