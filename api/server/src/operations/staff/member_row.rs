//! Loads staff members, and converts them to rows of the list of staff.

use panel_contract::common::NamedRef;
use panel_contract::ids::{RoleId, UserId};
use panel_contract::moment::{Time, Timestamp};
use panel_contract::permission::Permission;
use panel_contract::staff::{StaffActions, StaffRow};
use panel_contract::users::UserStatus;
use panel_domain::rank::ActingStaff;
use panel_domain::staff::{self, TargetUser};
use panel_kernel::error::{Error, Result};

use crate::operations::staff::roles::to_permission_entries;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::scope::Scope;
use panel_platform::work::UnitOfWork;

/// A row of the staff list.
#[derive(Debug, sqlx::FromRow)]
pub struct StaffMemberRow {
    pub(super) id: UserId,
    pub(super) created_at: Time,
    pub(super) updated_at: Timestamp,
    pub(super) name: String,
    pub(super) email: String,
    pub(super) status: UserStatus,
    pub(super) direct_permissions: Option<String>,
    pub(super) roles: Option<String>,
    pub(super) role_permissions: Option<String>,
    pub(super) has_password: bool,
    pub(super) has_second_factor: bool,
    pub(super) invitation_expires_at: Option<Time>,
}

fn parse_permissions(names: Option<&str>) -> impl Iterator<Item = Permission> {
    names.unwrap_or_default().split(',').filter_map(|name| name.parse().ok())
}

impl StaffMemberRow {
    /// Returns all permissions: the direct permissions, and the permissions of the roles.
    pub(super) fn permissions(&self) -> Vec<Permission> {
        parse_permissions(self.direct_permissions.as_deref())
            .chain(parse_permissions(self.role_permissions.as_deref()))
            .collect()
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

    pub(super) fn into_response(self, scope: &Scope) -> StaffRow {
        let (permissions, is_active) = (self.permissions(), self.is_active());
        let target = TargetUser { id: self.id, permissions: &permissions };
        let actions = scope.caller().map(ActingStaff::from_staff_member).map_or_else(
            |_| StaffActions::default(),
            |actor| StaffActions {
                editable: actor.has_all_permissions(&permissions),
                grantable: staff::check_access_change(actor, target).is_ok(),
                deactivable: is_active && staff::check_activation(actor, target).is_ok(),
                activable: !is_active && staff::check_activation(actor, target).is_ok(),
                invitable: is_active && !self.has_password && actor.has_all_permissions(&permissions),
                invitation_withdrawable: self.invitation_expires_at.is_some()
                    && actor.has_all_permissions(&permissions),
                second_factor_resettable: self.has_second_factor
                    && actor.id != self.id
                    && actor.has_all_permissions(&permissions),
            },
        );
        let direct_permissions: Vec<Permission> =
            parse_permissions(self.direct_permissions.as_deref()).collect();
        let roles = self.roles.as_deref().unwrap_or_default().lines();
        let parse_role = |line: &str| {
            let (id, name) = line.split_once(':')?;
            Some(NamedRef { id: id.parse().ok()?, name: name.to_owned() })
        };
        let mut roles: Vec<NamedRef<RoleId>> = roles.filter_map(parse_role).collect();
        roles.sort_by(|left, right| left.name.cmp(&right.name));
        StaffRow {
            id: self.id,
            created_at: self.created_at,
            name: self.name,
            email: self.email,
            is_active,
            permissions: to_permission_entries(&direct_permissions),
            roles,
            has_second_factor: self.has_second_factor,
            invitation_expires_at: self.invitation_expires_at,
            updated_at: self.updated_at,
            actions,
        }
    }
}

/// The columns of [`StaffMemberRow`]. The column `roles` has one line per role: the id, a colon, and the name, which contains no
/// control characters.
pub(super) const COLUMNS: &str = "u.id, u.created_at, u.updated_at, u.name, u.email, u.status,
  (SELECT string_agg(p.permission, ',') FROM user_permissions p WHERE p.user_id = u.id) AS direct_permissions,
  (SELECT string_agg(CAST(r.id AS TEXT) || ':' || r.name, '
') FROM user_roles x JOIN roles r ON r.id = x.role_id WHERE x.user_id = u.id) AS roles,
  (SELECT string_agg(p.permission, ',') FROM user_roles x JOIN role_permissions p ON p.role_id = x.role_id WHERE x.user_id = u.id) AS role_permissions,
  (u.password_hash IS NOT NULL) AS has_password,
  (u.totp_secret IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id)) AS has_second_factor,
  (SELECT l.expires_at FROM account_links l WHERE l.user_id = u.id AND l.purpose = 'invitation') AS invitation_expires_at";

pub(super) async fn load_member(work: &mut UnitOfWork, id: UserId) -> Result<StaffMemberRow> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM users u WHERE u.id = ?").bind(id);
    work.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("user", id))
}
