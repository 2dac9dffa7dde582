//! Endpoints for roles, which are named sets of permissions. A change of a role affects every user with the role.

use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::staff::{
    CreateRole, DeleteRole, GetRole, ListPermissions, ListRoles, UpdateRole,
};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::RoleId;
use panel_contract::permission::{Permission, PermissionInfo};
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
use panel_platform::audit::change::AuditChange;
use panel_platform::db::{DbError, SqlExecutor};
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.route::<ListRoles, _, _, _>(list_roles)
        .route::<CreateRole, _, _, _>(create)
        .route::<GetRole, _, _, _>(get)
        .route::<UpdateRole, _, _, _>(update)
        .route::<DeleteRole, _, _, _>(delete)
        .route::<ListPermissions, _, _, _>(list_permissions)
}

async fn list_permissions(_ctx: Ctx, _req: Req<ListPermissions>) -> Result<Data<Vec<PermissionInfo>>> {
    Ok(Data { data: Permission::ALL.iter().copied().map(PermissionInfo::from).collect() })
}

async fn list_roles(ctx: Ctx, _req: Req<ListRoles>) -> Result<Data<Vec<Role>>> {
    let roles = store::load_roles_with_permissions(&mut ctx.db()).await?;
    let permissions_by_role = rank::load_member_permissions(&mut ctx.db(), None).await?;
    let actor = ActingStaff::from_staff_member(ctx.caller()?);
    let member_permissions_of =
        |role: RoleId| permissions_by_role.get(&role).map_or(&[] as &[Permission], Vec::as_slice);
    let to_response = |(role, role_permissions): (RoleRow, Vec<Permission>)| {
        let member_permissions = member_permissions_of(role.id);
        to_role(role, &role_permissions, member_permissions, actor)
    };
    Ok(Data { data: roles.into_iter().map(to_response).collect() })
}

async fn get(ctx: Ctx, req: Req<GetRole>) -> Result<Data<Role>> {
    Ok(Data { data: load_role(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateRole>) -> Result<Data<Role>> {
    let draft = RoleDraft {
        name: req.body.name.trim(),
        permissions: validate(&req.body.name, &req.body.permissions)?,
        requires_second_factor: req.body.requires_second_factor,
    };
    staff::check_grant(ActingStaff::from_staff_member(ctx.caller()?), &draft.permissions)?;
    let mut work = ctx.begin().await?;
    let id = store::insert_role(&mut work, &draft).await.map_err(name_taken_error)?;
    let change = AuditChange { id: id.as_record_id(), old: json!({}), new: audit_values(&draft) };
    audit::record(&mut work, "role.created", "role", change).await?;
    let data = load_role(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn update(ctx: Ctx, req: Req<UpdateRole>) -> Result<Data<Role>> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    store::lock_access_version(&mut work).await?;
    let (role, old_permissions) =
        store::load_role(&mut work, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    Error::check_not_stale("role", req.body.updated_at, role.updated_at)?;
    check_role_edit(&mut work, &ctx, id, &old_permissions).await?;
    let name = req.body.name.as_deref().unwrap_or(&role.name).trim();
    let draft = RoleDraft {
        name,
        permissions: validate(name, req.body.permissions.as_deref().unwrap_or(&old_permissions))?,
        requires_second_factor: req.body.requires_second_factor.unwrap_or(role.requires_second_factor),
    };
    staff::check_grant(ActingStaff::from_staff_member(ctx.caller()?), &draft.permissions)?;
    if draft.permissions != old_permissions
        && store::has_role(&mut work, ActingStaff::from_staff_member(ctx.caller()?).id, id).await?
    {
        return Err(staff::own_role_rejection().into());
    }
    let change = AuditChange {
        id: id.as_record_id(),
        old: audit_values(&to_draft(&role, old_permissions)),
        new: audit_values(&draft),
    };
    if change.old != change.new {
        store::write_role(&mut work, id, &draft).await.map_err(name_taken_error)?;
        staff::require_manager(store::count_managers(&mut work).await?)?;
        audit::record(&mut work, "role.updated", "role", change).await?;
    }
    let data = load_role(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

async fn delete(ctx: Ctx, req: Req<DeleteRole>) -> Result<EmptyBody> {
    let id = req.path;
    let mut work = ctx.begin().await?;
    store::lock_access_version(&mut work).await?;
    let (role, old_permissions) =
        store::load_role(&mut work, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    check_role_edit(&mut work, &ctx, id, &old_permissions).await?;
    if !staff::is_unused(role.users_count) || !store::delete_role(&mut work, id).await? {
        let (count, names) = (role.users_count, store::load_member_names(&mut work, id).await?.join(", "));
        let message = format!(
            "{count} members of staff have this role, such as {names}. Remove the role from these staff members first."
        );
        return Err(Error::conflict("role_in_use", message));
    }
    let change = AuditChange {
        id: id.as_record_id(),
        old: audit_values(&to_draft(&role, old_permissions)),
        new: json!({}),
    };
    audit::record(&mut work, "role.deleted", "role", change).await?;
    work.finish(EmptyBody {}).await
}

/// Rejects a caller who may not change the role `id` with the permissions `old_permissions`.
async fn check_role_edit(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    id: RoleId,
    old_permissions: &[Permission],
) -> Result<()> {
    let member_permissions = load_permissions_of_members(work, id).await?;
    Ok(staff::check_role_change(
        ActingStaff::from_staff_member(ctx.caller()?),
        old_permissions,
        &member_permissions,
    )?)
}

async fn load_permissions_of_members(db: &mut impl SqlExecutor, role: RoleId) -> Result<Vec<Permission>> {
    Ok(rank::load_member_permissions(db, Some(role)).await?.remove(&role).unwrap_or_default())
}

async fn load_role(db: &mut impl SqlExecutor, ctx: &Ctx, id: RoleId) -> Result<Role> {
    let (role, role_permissions) =
        store::load_role(db, id).await?.ok_or_else(|| Error::not_found("role", id))?;
    let member_permissions = load_permissions_of_members(db, id).await?;
    Ok(to_role(role, &role_permissions, &member_permissions, ActingStaff::from_staff_member(ctx.caller()?)))
}

fn to_role(
    role: RoleRow,
    role_permissions: &[Permission],
    member_permissions: &[Permission],
    actor: ActingStaff<'_>,
) -> Role {
    let editable = staff::check_role_change(actor, role_permissions, member_permissions).is_ok();
    Role {
        id: role.id,
        name: role.name,
        permissions: to_permission_entries(role_permissions),
        requires_second_factor: role.requires_second_factor,
        users_count: role.users_count,
        editable,
        deletable: editable && staff::is_unused(role.users_count),
        grantable: staff::check_grant(actor, role_permissions).is_ok(),
        updated_at: role.updated_at,
    }
}

/// Converts permissions to entries in the order of [`Permission::ALL`].
#[must_use]
pub fn to_permission_entries(permissions: &[Permission]) -> Vec<PermissionInfo> {
    Permission::ALL
        .iter()
        .filter(|permission| permissions.contains(permission))
        .copied()
        .map(PermissionInfo::from)
        .collect()
}

fn to_draft(role: &RoleRow, permissions: Vec<Permission>) -> RoleDraft<'_> {
    RoleDraft { name: &role.name, permissions, requires_second_factor: role.requires_second_factor }
}

fn audit_values(role: &RoleDraft<'_>) -> serde_json::Value {
    let names: Vec<Permission> =
        to_permission_entries(&role.permissions).into_iter().map(|entry| entry.name).collect();
    json!({ "name": role.name, "permissions": names, "requires_second_factor": role.requires_second_factor })
}

/// Validates the name and the permissions, and removes duplicates.
fn validate(name: &str, permissions: &[Permission]) -> Result<Vec<Permission>, FieldErrors> {
    let mut errors = FieldErrors::default();
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 60 || name.chars().any(char::is_control) {
        errors.add("name", "Enter a name of 1 to 60 characters.");
    }
    if permissions.is_empty() {
        errors.add("permissions", "Choose at least one permission.");
    }
    errors.into_result(to_permission_entries(permissions).into_iter().map(|entry| entry.name).collect())
}

fn name_taken_error(error: DbError) -> Error {
    match error.is_unique() {
        true => {
            Error::invalid("name", "name_taken", "A role with this name already exists. Choose another name.")
        }
        false => error.into(),
    }
}
