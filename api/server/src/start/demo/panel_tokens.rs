//! Random API tokens for the demo's external panels, sealed like real tokens. No real panel accepts them.

use panel_contract::ids::ExternalPanelId;
use panel_kernel::error::Result;

use crate::app::App;
use crate::supply::panels;
use panel_platform::db::{Sql, SqlExecutor};

/// Stores a sealed token for every external panel that has no token.
pub(super) async fn fill(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let sql = Sql::new("SELECT id FROM external_panels WHERE api_token_sealed IS NULL ORDER BY id");
    for (id,) in tx.fetch_all::<(ExternalPanelId,)>(sql).await? {
        let sealed_token = panels::seal_token(app, id, &app.random.token())?;
        let sql =
            Sql::new("UPDATE external_panels SET api_token_sealed = ?, api_token_hint = ? WHERE id = ?");
        tx.execute(sql.bind(sealed_token).bind(format!("{:04x}", 4_096 + id.get() * 2_741)).bind(id)).await?;
    }
    Ok(tx.commit().await?)
}
