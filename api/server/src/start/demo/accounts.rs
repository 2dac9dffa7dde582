//! Creates the staff accounts of the demo.

use panel_contract::permission::Permission;
use panel_demo::accounts::{ACCOUNTS, PASSWORD};
use panel_kernel::error::Result;

use crate::app::App;
use crate::auth::store;

/// Creates the accounts that do not exist yet.
pub async fn create_missing_accounts(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let mut missing_accounts = Vec::new();
    for account in ACCOUNTS {
        if store::load_account_by_email(&mut tx, account.email).await?.is_none() {
            missing_accounts.push(account);
        }
    }
    // Hashing a password is slow by design, so later starts skip it.
    if missing_accounts.is_empty() {
        return Ok(());
    }
    let (password_hash, now) = (app.passwords.hash(PASSWORD).await?, app.clock.now());
    for account in missing_accounts {
        let id = store::insert_user(&mut tx, account.name, account.email, Some(&password_hash), now).await?;
        let permissions: Vec<&str> = account.permissions().into_iter().map(Permission::as_str).collect();
        store::grant_role(&mut tx, id, account.role, &permissions, now).await?;
    }
    tx.commit().await?;
    Ok(())
}
