//! Finds the customer to whom an API key belongs, and records the use of the key.

use std::time::Duration;

use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::users::UserStatus;
use panel_kernel::error::Result;

use crate::auth::sign_in_audit;
use crate::context::Ctx;
use panel_platform::db::{Sql, SqlExecutor};

/// Interval between two updates of a key's last use.
pub(super) const KEY_USE_INTERVAL: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Customer {
    pub(super) id: UserId,
    pub(super) status: UserStatus,
    pub(super) last_used_at: Option<Time>,
}

pub(super) async fn find_by_key_hash(db: &mut impl SqlExecutor, hash: Vec<u8>) -> Result<Option<Customer>> {
    let sql = Sql::new(
        "SELECT u.id, u.status, k.last_used_at FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.key_hash = ?",
    );
    Ok(db.fetch_optional(sql.bind(hash)).await?)
}

/// Stores when and from which IP address the API key was used. Staff see both values in the profile of the customer.
pub(super) async fn record_key_use(ctx: &Ctx, user_id: UserId) -> Result<()> {
    let mut work = ctx.begin().await?;
    let now = work.now;
    let sql = Sql::new(
        "UPDATE api_keys SET last_used_at = ?, last_used_ip = ? WHERE user_id = ? AND (last_used_at IS NULL OR last_used_at <= ?)",
    );
    let sql = sql.bind(now).bind(ctx.meta.ip.to_string()).bind(user_id).bind(now.minus(KEY_USE_INTERVAL));
    if work.execute(sql).await? == 1 {
        sign_in_audit::record_key_use(&mut work, user_id).await?;
    }
    work.finish(()).await
}
