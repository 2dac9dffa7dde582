//! Loads and locks the stored values of a package.

use panel_contract::ids::PackageId;
use panel_contract::moment::Timestamp;
use panel_kernel::error::{Error, Result};

use super::{PackageDraft, TEXTS};
use crate::records::texts;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Select list for the columns of a [`PackageDraft`].
const DRAFT_SELECT_LIST: &str = "name, type AS kind, network_id, service_type_id, is_enabled, restricted_access, sync, fixed_cost, discount_ppm, slug, buy_page_url,
  provider_package_id, below_margin_confirmed";

/// The stored values of a package.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct StoredPackage {
    #[sqlx(flatten)]
    pub(crate) draft: PackageDraft,
    pub(crate) updated_at: Timestamp,
    pub(crate) is_archived: bool,
}

impl StoredPackage {
    /// Loads a package with its contents and texts in three statements; `None` if it does not exist.
    pub(crate) async fn load(db: &mut impl SqlExecutor, id: PackageId) -> Result<Option<Self>> {
        Self::load_with_sql(db, id, select_package_sql(id)).await
    }

    /// Loads a package and locks its row until the transaction ends; 404 if it does not exist.
    pub(crate) async fn lock(work: &mut UnitOfWork, id: PackageId) -> Result<Self> {
        let stored = Self::load_with_sql(work, id, select_package_sql(id).for_update()).await?;
        stored.ok_or_else(|| Error::not_found("package", id))
    }

    async fn load_with_sql(
        db: &mut impl SqlExecutor,
        id: PackageId,
        select_sql: Sql,
    ) -> Result<Option<Self>> {
        let Some(mut stored) = db.fetch_optional::<Self>(select_sql).await? else { return Ok(None) };
        let contents_sql = Sql::new(
            "SELECT service_id AS id, quantity, price, is_displayable FROM package_contents WHERE package_id = ? ORDER BY position, service_id",
        );
        stored.draft.package_contents = db.fetch_all(contents_sql.bind(id)).await?;
        stored.draft.translations = texts::load_one(db, &TEXTS, id, &stored.draft.name).await?;
        Ok(Some(stored))
    }
}

fn select_package_sql(id: PackageId) -> Sql {
    let sql = Sql::new("SELECT ").push(DRAFT_SELECT_LIST);
    sql.push(", updated_at, is_archived FROM packages WHERE id = ?").bind(id)
}
