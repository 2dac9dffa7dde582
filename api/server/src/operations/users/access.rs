//! Access of users to the panel: it ends with their status, but never for the last user who can manage staff.

use panel_contract::ids::UserId;
use panel_kernel::error::{Error, Result};

use crate::operations::staff::store;
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

/// Revokes all sessions of deactivated users. An error if no user would remain who can manage staff.
pub(super) async fn revoke_sessions(work: &mut UnitOfWork, ids: &[UserId]) -> Result<()> {
    let now = work.now;
    let sql = Sql::new("UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND user_id IN ");
    work.exec(sql.bind(now).ids(ids)).await?;
    require_staff_manager(work).await
}

/// An error if no user can manage staff. Call it after the change, in its transaction.
pub async fn require_staff_manager(work: &mut UnitOfWork) -> Result<()> {
    if store::managers(work).await? > 0 {
        return Ok(());
    }
    Err(Error::conflict(
        "last_staff_manager",
        "No other user can manage staff. Give another user that permission first.",
    ))
}
