//! Stores the details of the promoted content that the counter reports with its count: the embed URL, region restrictions, and the
//! viewers of a live stream. Orders show it (`promotable`); no decision depends on it.

use panel_contract::ids::OrderId;
use panel_kernel::error::Result;

use super::rules::PromotedInfo;
use crate::stores::orders::delivery::{
    PromotedContent, StreamViewers, record_promoted_content, record_viewers,
};
use panel_platform::db::{Source, Sql};
use panel_platform::work::UnitOfWork;

/// Writes the details to the orders, which the caller has locked. The first report of viewers starts the support of a live stream,
/// later reports continue it. If the counter sends no average, the average of our own counts is used.
pub(super) async fn write_promoted_content(
    work: &mut UnitOfWork,
    promoted: &[(OrderId, &PromotedInfo)],
) -> Result<()> {
    if promoted.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let viewers_of = |(id, content): &(OrderId, &PromotedInfo)| {
        Some(StreamViewers { id: *id, viewers: content.viewers?, average: content.average_viewers })
    };
    let streams: Vec<StreamViewers> = promoted.iter().filter_map(viewers_of).collect();
    if !streams.is_empty() {
        let rows = streams.iter().map(|stream| vec![stream.id.into(), stream.viewers.into()]).collect();
        let sql = Sql::new(
            "INSERT INTO promotable_statistics (order_id, at, viewers) SELECT r.id, CAST(? AS BIGINT), r.viewers FROM ",
        );
        work.execute(sql.bind(now).rows("r", &["id", "viewers"], rows)).await?;
        record_viewers(work, &streams, now).await?;
    }
    let contents: Vec<PromotedContent<'_>> = promoted
        .iter()
        .filter(|(_, content)| content.embed_url.is_some() || content.region_restriction.is_some())
        .map(|(id, content)| PromotedContent {
            id: *id,
            embed_url: content.embed_url.as_deref(),
            region_restriction: content.region_restriction.as_deref(),
        })
        .collect();
    if contents.is_empty() {
        return Ok(());
    }
    Ok(record_promoted_content(work, &contents).await?)
}
