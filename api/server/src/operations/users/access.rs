//! Revokes the access of deactivated users. The last user who can manage staff cannot be deactivated.

use panel_contract::ids::UserId;
use panel_kernel::error::{Error, Result};

use crate::operations::staff::store;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Revokes all sessions of deactivated users. Returns an error if no other user can manage staff.
pub(super) async fn revoke_sessions(work: &mut UnitOfWork, ids: &[UserId]) -> Result<()> {
    let now = work.now;
    let sql = Sql::new("UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND user_id IN ");
    work.execute(sql.bind(now).ids(ids)).await?;
    require_staff_manager(work).await
}

/// Returns a 409 if no user can manage staff. Call it after a change of permissions, in the same transaction.
pub async fn require_staff_manager(work: &mut UnitOfWork) -> Result<()> {
    if store::count_managers(work).await? > 0 {
        return Ok(());
    }
    Err(Error::conflict(
        "last_staff_manager",
        "No other user can manage staff. Give another user this permission first.",
    ))
}
