//! Staff accounts of a demo: one for each typical role, all with the same password.

use panel_contract::permission::Permission;

/// Password of all demo accounts.
pub const PASSWORD: &str = "panel-demo";

#[derive(Debug, Clone, Copy)]
pub struct StaffAccount {
    pub name: &'static str,
    pub email: &'static str,
    pub role: &'static str,
    has_permission: fn(Permission) -> bool,
}

pub const ACCOUNTS: [StaffAccount; 5] = [
    StaffAccount { name: "Ada Admin", email: "admin@panel.test", role: "Owner", has_permission: |_| true },
    StaffAccount {
        name: "Mo Derator",
        email: "moderator@panel.test",
        role: "Moderator",
        has_permission: is_moderator_permission,
    },
    StaffAccount {
        name: "Fin Ance",
        email: "finance@panel.test",
        role: "Finance",
        has_permission: is_finance_permission,
    },
    StaffAccount {
        name: "Cat Alogue",
        email: "catalogue@panel.test",
        role: "Catalogue",
        has_permission: is_catalogue_permission,
    },
    StaffAccount {
        name: "Rea Donly",
        email: "readonly@panel.test",
        role: "Read-only",
        has_permission: is_view_permission,
    },
];

fn is_moderator_permission(permission: Permission) -> bool {
    use Permission::{FreezeUsers, ManageFreeTrials, ManageOrders, ViewOrders, ViewServices, ViewUsers};
    matches!(
        permission,
        ViewOrders | ManageOrders | ViewUsers | ViewServices | FreezeUsers | ManageFreeTrials
    )
}

fn is_finance_permission(permission: Permission) -> bool {
    permission.group() == "finances" || matches!(permission, Permission::ViewUsers | Permission::ViewOrders)
}

fn is_catalogue_permission(permission: Permission) -> bool {
    matches!(permission.group(), "catalogue" | "supply") || permission == Permission::ViewOrders
}

fn is_view_permission(permission: Permission) -> bool {
    permission.as_str().starts_with("view ")
}

impl StaffAccount {
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        Permission::ALL.iter().copied().filter(|permission| (self.has_permission)(*permission)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_has_all_permissions() {
        let [owner, others @ ..] = ACCOUNTS.map(|account| account.permissions());
        assert_eq!(owner, Permission::ALL);
        assert!(others.iter().all(|permissions| !permissions.is_empty() && !permissions.contains(&Permission::ManageStaff)));
        assert!(ACCOUNTS[4].permissions().iter().all(|permission| permission.as_str().starts_with("view")));
    }
}
