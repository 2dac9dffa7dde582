//! The staff of a demo: one account per typical role, the same password for all.

use panel_contract::permission::Permission;
use panel_kernel::error::Result;

use crate::app::App;
use crate::auth::store;

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

/// Makes those that are not there yet.
pub async fn make(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let mut missing = Vec::new();
    for account in ACCOUNTS {
        if store::account_by_email(&mut tx, account.email).await?.is_none() {
            missing.push(account);
        }
    }
    // A hash costs time and memory on purpose: a later start does without.
    if missing.is_empty() {
        return Ok(());
    }
    let (hash, now) = (app.passwords.hash(PASSWORD).await?, app.clock.now());
    for account in missing {
        let id = store::insert_user(&mut tx, account.name, account.email, Some(&hash), now).await?;
        let permissions: Vec<&str> = account.permissions().into_iter().map(Permission::as_str).collect();
        store::give_role(&mut tx, id, account.role, &permissions, now).await?;
    }
    tx.commit().await?;
    Ok(())
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
