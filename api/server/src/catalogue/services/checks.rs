//! What is judged of a service as a transaction leaves it: its providers and its price. It writes nothing, and a refusal
//! takes the write back.

use crate::catalogue::services::draft::Draft;
use crate::http::error::Result;
use crate::operations::least_margin::{self, NewPrice};
use crate::supply::deliverable;
use crate::work::Work;

/// Its providers deliver what it asks for, as it was written: those that are new to it, and all of them where what it asks for
/// or its type changed.
pub(super) async fn check_providers(work: &mut Work, id: i64, after: &Draft, before: &Draft) -> Result<()> {
    let asks_otherwise =
        after.targets != before.targets || after.panel_service_type != before.panel_service_type;
    let is_judged = |provider: &&i64| asks_otherwise || !before.providers.contains(provider);
    let links: Vec<(i64, i64)> =
        after.providers.iter().filter(is_judged).map(|provider| (id, *provider)).collect();
    deliverable::check(work, "providers", &links).await
}

/// The price of a service as it was written; `field` is what changed it or its cost.
pub(super) async fn check_margin(
    work: &mut Work,
    (id, field): (i64, &str),
    draft: &Draft,
    is_confirmed: bool,
) -> Result<()> {
    let new = NewPrice::of_service(field.to_owned(), id, draft.default_price, draft.pricing_per);
    least_margin::check(work, &[new], is_confirmed).await?;
    Ok(())
}
