//! What the counter knows of the promoted content beside its count: where it can be embedded, who cannot see it, and how many
//! watch a live stream. Orders show it (`promotable`); it decides nothing.

use panel_contract::ids::OrderId;
use panel_kernel::error::Result;

use super::rules::Promoted;
use crate::stores::orders::delivery::{PromotedContent, StreamViewers, record_promoted, record_viewers};
use panel_platform::db::{Source, Sql};
use panel_platform::work::Work;

/// Writes it with the orders, which the caller locked. The first viewers begin the support of a live stream, later ones carry
/// it on. Their average is what the counter says of the stream; a counter that does not say it leaves the mean of our looks.
pub(super) async fn write(work: &mut Work, promoted: &[(OrderId, &Promoted)]) -> Result<()> {
    if promoted.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let stream = |(id, content): &(OrderId, &Promoted)| {
        Some(StreamViewers { id: *id, viewers: content.viewers?, average: content.average_viewers })
    };
    let streams: Vec<StreamViewers> = promoted.iter().filter_map(stream).collect();
    if !streams.is_empty() {
        let rows = streams.iter().map(|of| vec![of.id.into(), of.viewers.into()]).collect();
        let sql = Sql::new(
            "INSERT INTO promotable_statistics (order_id, at, viewers) SELECT r.id, CAST(? AS BIGINT), r.viewers FROM ",
        );
        work.exec(sql.bind(now).rows("r", &["id", "viewers"], rows)).await?;
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
    Ok(record_promoted(work, &contents).await?)
}
