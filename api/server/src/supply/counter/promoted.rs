//! Stores the details of the promoted content (video, post, live stream) that the counter reports with its count: the embed URL,
//! region restrictions, and the viewers of a live stream. Responses show the details as `promotable` of an order; no decision
//! depends on them.

use panel_contract::ids::OrderId;
use panel_kernel::error::Result;

use super::rules::PromotedContentInfo;
use crate::stores::orders::delivery::{
    PromotedContent, StreamViewers, record_promoted_content, record_viewers,
};
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::work::UnitOfWork;

/// Writes the details to the orders, which the caller has locked. The first response with viewers marks the start of live stream
/// support for an order, and later responses extend it. If the counter sends no average, the server calculates it from its own
/// counts.
pub(super) async fn write_promoted_content(
    work: &mut UnitOfWork,
    infos: &[(OrderId, &PromotedContentInfo)],
) -> Result<()> {
    if infos.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let to_stream_viewers = |(id, info): &(OrderId, &PromotedContentInfo)| {
        Some(StreamViewers { id: *id, viewers: info.viewers?, average: info.average_viewers })
    };
    let streams: Vec<StreamViewers> = infos.iter().filter_map(to_stream_viewers).collect();
    if !streams.is_empty() {
        let rows = streams.iter().map(|stream| vec![stream.id.into(), stream.viewers.into()]).collect();
        let sql = Sql::new(
            "INSERT INTO promotable_statistics (order_id, at, viewers) SELECT r.id, CAST(? AS BIGINT), r.viewers FROM ",
        );
        work.execute(sql.bind(now).rows("r", &["id", "viewers"], rows)).await?;
        record_viewers(work, &streams, now).await?;
    }
    let contents: Vec<PromotedContent<'_>> = infos
        .iter()
        .filter(|(_, info)| info.embed_url.is_some() || info.region_restriction.is_some())
        .map(|(id, info)| PromotedContent {
            id: *id,
            embed_url: info.embed_url.as_deref(),
            region_restriction: info.region_restriction.as_deref(),
        })
        .collect();
    if contents.is_empty() {
        return Ok(());
    }
    Ok(record_promoted_content(work, &contents).await?)
}
