//! Creates the staff accounts of the demo.

use panel_contract::permission::Permission;
use panel_demo::accounts::{ACCOUNTS, PASSWORD};
use panel_kernel::error::Result;

use crate::app::App;
use crate::auth::store;

/// Creates the missing accounts.
pub async fn create_missing(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let mut missing = Vec::new();
    for account in ACCOUNTS {
        if store::account_by_email(&mut tx, account.email).await?.is_none() {
            missing.push(account);
        }
    }
    // Hashing is expensive on purpose: later starts skip it.
    if missing.is_empty() {
        return Ok(());
    }
    let (hash, now) = (app.passwords.hash(PASSWORD).await?, app.clock.now());
    for account in missing {
        let id = store::insert_user(&mut tx, account.name, account.email, Some(&hash), now).await?;
        let permissions: Vec<&str> = account.permissions().into_iter().map(Permission::as_str).collect();
        store::grant_role(&mut tx, id, account.role, &permissions, now).await?;
    }
    tx.commit().await?;
    Ok(())
}
