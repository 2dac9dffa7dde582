//! Columns with the statistics of the content that an order or a drip-feed promotes.

use panel_contract::moment::Time;
use panel_contract::orders::Promotable;

/// The columns of [`PromotableColumns`], for the table alias `p`.
pub const COLUMNS: &str =
    "p.promotable_embed_url, p.promotable_region_restriction, p.promotable_average_viewers,
  p.promotable_first_statistic_viewers, p.promotable_supported_at, p.promotable_supported_until";

#[derive(Debug, sqlx::FromRow)]
pub struct PromotableColumns {
    promotable_embed_url: Option<String>,
    promotable_region_restriction: Option<String>,
    promotable_average_viewers: Option<i64>,
    promotable_first_statistic_viewers: Option<i64>,
    promotable_supported_at: Option<Time>,
    promotable_supported_until: Option<Time>,
}

impl From<PromotableColumns> for Promotable {
    fn from(columns: PromotableColumns) -> Self {
        Self {
            embed_url: columns.promotable_embed_url,
            region_restriction: columns.promotable_region_restriction,
            average_viewers: columns.promotable_average_viewers,
            first_statistic_viewers: columns.promotable_first_statistic_viewers,
            supported_at: columns.promotable_supported_at,
            supported_until: columns.promotable_supported_until,
        }
    }
}
