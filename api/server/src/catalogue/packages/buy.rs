//! Buying a package: a combo order whose orders together cost what the package costs, to the last step.

use panel_contract::fields::FieldErrors;
use panel_contract::orders::OrderSource;
use panel_contract::packages::PackageType;

use crate::catalogue::packages::cost;
use crate::catalogue::packages::draft::Draft;
use crate::configuration::settings;
use crate::http::error::{ApiError, Result};
use crate::operations::combo_orders::buy::{NewCombo, buy_at};
use crate::work::Work;

/// Buys a package for a customer, delivered to `url`; the combo order's id. Staff look at manual ones first.
pub async fn buy(work: &mut Work, package: i64, user_id: i64, url: &str, source: OrderSource) -> Result<i64> {
    let (draft, _, is_archived) = Draft::lock(work, package).await?;
    if is_archived || !draft.is_enabled {
        let message = format!("{} is not on sale; choose another package.", draft.name);
        return Err(ApiError::conflict("package_not_on_sale", message));
    }
    let contents = cost::contents_of(work, &draft.inputs()).await?;
    let places = settings::rounding_precision(work).await?;
    let total = cost::judge(&contents, &draft.deal(), places)?.total_cost;
    let too_much = |_| FieldErrors::one("package_contents", "This comes to too much.");
    let shares = cost::shares(&contents, total, places).map_err(too_much)?;
    let new = NewCombo {
        user_id,
        url: url.to_owned(),
        source,
        package: (Some(package), draft.name.clone(), draft.kind.as_str().to_owned()),
        parts: contents.iter().map(|content| (content.id, content.quantity)).collect(),
        is_moderated: draft.kind == PackageType::Manual,
    };
    buy_at(work, &new, &shares).await
}
