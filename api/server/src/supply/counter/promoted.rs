//! What the counter knows of the promoted content beside its count: where it can be embedded, who cannot see it, and how many
//! watch a live stream. Orders show it (`promotable`); it decides nothing.

use panel_contract::ids::OrderId;
use panel_kernel::error::Result;

use super::rules::Promoted;
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::Work;

/// Writes it with the orders, which the caller locked. The first viewers begin the support of a live stream, later ones carry
/// it on. Their average is what the counter says of the stream; a counter that does not say it leaves the mean of our looks.
pub(super) async fn write(work: &mut Work, promoted: &[(OrderId, &Promoted)]) -> Result<()> {
    if promoted.is_empty() {
        return Ok(());
    }
    let now = work.now;
    let streams = promoted
        .iter()
        .filter_map(|(id, said)| Some(vec![(*id).into(), said.viewers?.into(), said.average_viewers.into()]));
    let streams: Vec<Vec<Val>> = streams.collect();
    if !streams.is_empty() {
        let sql = Sql::new(
            "INSERT INTO promotable_statistics (order_id, at, viewers) SELECT r.id, CAST(? AS BIGINT), r.viewers FROM ",
        );
        work.exec(sql.bind(now).rows("r", &["id", "viewers", "average"], streams.clone())).await?;
        let sql = Sql::new(
            "UPDATE orders SET promotable_first_statistic_viewers = COALESCE(orders.promotable_first_statistic_viewers, r.viewers),
               promotable_supported_at = COALESCE(orders.promotable_supported_at, CAST(? AS BIGINT)), promotable_supported_until = ?,
               promotable_average_viewers = COALESCE(r.average, (SELECT CAST(avg(p.viewers) AS BIGINT) FROM promotable_statistics p
                 WHERE p.order_id = orders.id AND p.at >= COALESCE(orders.promotable_supported_at, 0))) FROM ",
        );
        let sql = sql.bind(now).bind(now).rows("r", &["id", "viewers", "average"], streams);
        work.exec(sql.push(" WHERE orders.id = r.id")).await?;
    }
    let texts =
        promoted.iter().filter(|(_, said)| said.embed_url.is_some() || said.region_restriction.is_some());
    let texts: Vec<Vec<Val>> = texts
        .map(|(id, said)| {
            vec![(*id).into(), said.embed_url.clone().into(), said.region_restriction.clone().into()]
        })
        .collect();
    if texts.is_empty() {
        return Ok(());
    }
    let sql = Sql::new(
        "UPDATE orders SET promotable_embed_url = COALESCE(r.embed_url, orders.promotable_embed_url),
           promotable_region_restriction = COALESCE(r.region, orders.promotable_region_restriction) FROM ",
    );
    work.exec(sql.rows("r", &["id", "embed_url", "region"], texts).push(" WHERE orders.id = r.id")).await?;
    Ok(())
}
