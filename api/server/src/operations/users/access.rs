//! The access of users to the panel: it ends with their status, and never for the last who may manage staff.

use panel_contract::ids::UserId;
use panel_kernel::error::{Error, Result};

use crate::operations::staff::store;
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::Work;

/// Signs deactivated users out everywhere; refused where no user would be left who manages staff.
pub(super) async fn end(work: &mut Work, ids: &[UserId]) -> Result<()> {
    let now = work.now;
    let sql = Sql::new("UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND user_id IN ");
    work.exec(sql.bind(now).ids(ids)).await?;
    keep_a_staff_manager(work).await
}

/// At least one user must be left who can manage staff: checked after the change, in its transaction.
pub async fn keep_a_staff_manager(work: &mut Work) -> Result<()> {
    if store::managers(work).await? > 0 {
        return Ok(());
    }
    Err(Error::conflict(
        "last_staff_manager",
        "Nobody would be left who may manage staff; give that permission to somebody else first.",
    ))
}
