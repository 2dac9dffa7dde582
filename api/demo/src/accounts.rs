//! The staff of a demo: one account per typical role, the same password for all.

use panel_contract::permission::Permission;

/// Everybody's password.
pub const PASSWORD: &str = "panel-demo";

/// One member of staff.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// Name.
    pub name: &'static str,
    /// E-mail address.
    pub email: &'static str,
    /// Role.
    pub role: &'static str,
    may: fn(Permission) -> bool,
}

/// All of them.
pub const ACCOUNTS: [Account; 5] = [
    Account { name: "Ada Admin", email: "admin@panel.test", role: "Owner", may: |_| true },
    Account { name: "Mo Derator", email: "moderator@panel.test", role: "Moderator", may: moderates },
    Account { name: "Fin Ance", email: "finance@panel.test", role: "Finance", may: minds_money },
    Account { name: "Cat Alogue", email: "catalogue@panel.test", role: "Catalogue", may: keeps_catalogue },
    Account { name: "Rea Donly", email: "readonly@panel.test", role: "Read-only", may: only_looks },
];

fn moderates(permission: Permission) -> bool {
    use Permission::{FreezeUsers, ManageFreeTrials, ManageOrders, ViewOrders, ViewServices, ViewUsers};
    matches!(
        permission,
        ViewOrders | ManageOrders | ViewUsers | ViewServices | FreezeUsers | ManageFreeTrials
    )
}

fn minds_money(permission: Permission) -> bool {
    permission.group() == "finances" || matches!(permission, Permission::ViewUsers | Permission::ViewOrders)
}

fn keeps_catalogue(permission: Permission) -> bool {
    matches!(permission.group(), "catalogue" | "supply") || permission == Permission::ViewOrders
}

fn only_looks(permission: Permission) -> bool {
    permission.as_str().starts_with("view ")
}

impl Account {
    /// What the account may do.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        Permission::ALL.iter().copied().filter(|permission| (self.may)(*permission)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_but_the_owner_holds_everything() {
        let [owner, rest @ ..] = ACCOUNTS.map(|account| account.permissions());
        assert_eq!(owner, Permission::ALL);
        assert!(rest.iter().all(|held| !held.is_empty() && !held.contains(&Permission::ManageStaff)));
        assert!(ACCOUNTS[4].permissions().iter().all(|held| held.as_str().starts_with("view")));
    }
}
