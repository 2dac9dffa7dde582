//! Roles: a name for permissions that go together. Changing one changes what everybody who has it may do.

use panel_contract::common::Data;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::staff::{
    CreateRole, DeleteRole, GetRole, ListPermissions, ListRoles, UpdateRole,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RoleId;
use panel_contract::permission::{Permission, PermissionEntry};
use panel_contract::staff::Role;
use panel_domain::rank::ActingStaff;
use panel_domain::staff;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::staff::rank;
use crate::operations::staff::store::{self, RoleDraft, RoleRow};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{DbError, Source};
use panel_platform::work::Work;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListRoles, _, _, _>(list)
        .on::<CreateRole, _, _, _>(create)
        .on::<GetRole, _, _, _>(get)
        .on::<UpdateRole, _, _, _>(update)
        .on::<DeleteRole, _, _, _>(delete)
        .on::<ListPermissions, _, _, _>(permissions)
}

async fn permissions(_ctx: Ctx, _req: Req<ListPermissions>) -> Result<Data<Vec<PermissionEntry>>> {
    Ok(Data { data: Permission::ALL.iter().copied().map(PermissionEntry::from).collect() })
}

async fn list(ctx: Ctx, _req: Req<ListRoles>) -> Result<Data<Vec<Role>>> {
    let roles = store::all_roles(&mut ctx.db()).await?;
    let held = rank::held_by_members(&mut ctx.db(), None).await?;
    let by = ActingStaff::of(ctx.caller()?);
    let held_by = |role: RoleId| held.get(&role).map_or(&[] as &[Permission], Vec::as_slice);
    let shown = |(role, allowed): (RoleRow, Vec<Permission>)| {
        let held = held_by(role.id);
        shown(role, &allowed, held, by)
    };
    Ok(Data { data: roles.into_iter().map(shown).collect() })
}

async fn get(ctx: Ctx, req: Req<GetRole>) -> Result<Data<Role>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateRole>) -> Result<Data<Role>> {
    let draft = RoleDraft {
        name: req.body.name.trim(),
        permissions: check(&req.body.name, &req.body.permissions)?,
        requires_second_factor: req.body.requires_second_factor,
    };
    staff::may_give(ActingStaff::of(ctx.caller()?), &draft.permissions)?;
    let mut work = ctx.begin().await?;
    let id = store::insert_role(&mut work, &draft).await.map_err(taken)?;
    let change = Change { id: id.record(), old: json!({}), new: told(&draft) };
    audit::record(&mut work, "role.created", "role", change).await?;
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn update(ctx: Ctx, req: Req<UpdateRole>) -> Result<Data<Role>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    store::hold_access(&mut work).await?;
    let (role, old) = store::role(&mut work, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    Error::unless_newest("role", req.body.updated_at, role.updated_at)?;
    judge_edit(&mut work, &ctx, id, &old).await?;
    let name = req.body.name.as_deref().unwrap_or(&role.name).trim();
    let draft = RoleDraft {
        name,
        permissions: check(name, req.body.permissions.as_deref().unwrap_or(&old))?,
        requires_second_factor: req.body.requires_second_factor.unwrap_or(role.requires_second_factor),
    };
    staff::may_give(ActingStaff::of(ctx.caller()?), &draft.permissions)?;
    if draft.permissions != old && store::has_role(&mut work, ActingStaff::of(ctx.caller()?).id, id).await? {
        return Err(staff::own_role().into());
    }
    let change = Change { id: id.record(), old: told(&as_stored(&role, old)), new: told(&draft) };
    if change.old != change.new {
        store::write_role(&mut work, id, &draft).await.map_err(taken)?;
        staff::somebody_remains(store::managers(&mut work).await?)?;
        audit::record(&mut work, "role.updated", "role", change).await?;
    }
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn delete(ctx: Ctx, req: Req<DeleteRole>) -> Result<NoBody> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    store::hold_access(&mut work).await?;
    let (role, old) = store::role(&mut work, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    judge_edit(&mut work, &ctx, id, &old).await?;
    if !staff::is_unused(role.users_count) || !store::delete_role(&mut work, id).await? {
        let (count, names) = (role.users_count, store::holders(&mut work, id).await?.join(", "));
        let message = format!("Still in use by {count}, such as {names}; take the role from them first.");
        return Err(Error::conflict("role_in_use", message));
    }
    let change = Change { id: id.record(), old: told(&as_stored(&role, old)), new: json!({}) };
    audit::record(&mut work, "role.deleted", "role", change).await?;
    work.finish(NoBody {}).await
}

/// Refuses a caller who may not change the role `id`, which allows `old`.
async fn judge_edit(work: &mut Work, ctx: &Ctx, id: RoleId, old: &[Permission]) -> Result<()> {
    let held = members_hold(work, id).await?;
    Ok(staff::may_edit_role(ActingStaff::of(ctx.caller()?), old, &held)?)
}

async fn members_hold(db: &mut impl Source, role: RoleId) -> Result<Vec<Permission>> {
    Ok(rank::held_by_members(db, Some(role)).await?.remove(&role).unwrap_or_default())
}

async fn load(db: &mut impl Source, ctx: &Ctx, id: RoleId) -> Result<Role> {
    let (role, allowed) = store::role(db, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    let held = members_hold(db, id).await?;
    Ok(shown(role, &allowed, &held, ActingStaff::of(ctx.caller()?)))
}

fn shown(role: RoleRow, allowed: &[Permission], held: &[Permission], by: ActingStaff<'_>) -> Role {
    let editable = staff::may_edit_role(by, allowed, held).is_ok();
    Role {
        id: role.id,
        name: role.name,
        permissions: entries(allowed),
        requires_second_factor: role.requires_second_factor,
        users_count: role.users_count,
        editable,
        deletable: editable && staff::is_unused(role.users_count),
        grantable: staff::may_give(by, allowed).is_ok(),
        updated_at: role.updated_at,
    }
}

/// Permissions in the order of the table of all.
#[must_use]
pub fn entries(held: &[Permission]) -> Vec<PermissionEntry> {
    Permission::ALL.iter().filter(|one| held.contains(one)).copied().map(PermissionEntry::from).collect()
}

fn as_stored(role: &RoleRow, permissions: Vec<Permission>) -> RoleDraft<'_> {
    RoleDraft { name: &role.name, permissions, requires_second_factor: role.requires_second_factor }
}

fn told(role: &RoleDraft<'_>) -> serde_json::Value {
    let names: Vec<Permission> = entries(&role.permissions).into_iter().map(|entry| entry.name).collect();
    json!({ "name": role.name, "permissions": names, "requires_second_factor": role.requires_second_factor })
}

/// The permissions, each once; or what is wrong.
fn check(name: &str, permissions: &[Permission]) -> Result<Vec<Permission>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
        errors.add("name", "Give the role a name of 1 to 60 characters.");
    }
    if permissions.is_empty() {
        errors.add("permissions", "Choose at least one permission.");
    }
    errors.or(entries(permissions).into_iter().map(|entry| entry.name).collect())
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid("name", "name_taken", "There is a role with this name; take another."),
        false => error.into(),
    }
}
