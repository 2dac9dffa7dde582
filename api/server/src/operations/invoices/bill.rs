//! How an invoice begins: its customer says what they will send. No money moves before it is there.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, PaymentMethodId, UserId};
use panel_kernel::error::Result;
use serde_json::json;

use super::store;
use crate::marketing::coupons::redeem::{self, Occasion};
use crate::operations::user_services::lock_user;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::settings;
use panel_platform::work::Work;

/// What a customer will send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvoice {
    /// The customer.
    pub user_id: UserId,
    /// How much.
    pub amount: Money,
    /// By which payment method.
    pub payment_method_id: PaymentMethodId,
    /// What it is called; the panel's `invoice_prefix` comes before it, and stays when the setting changes.
    pub short_name: String,
    /// The code of a coupon, which is used when the invoice is paid.
    pub coupon: Option<String>,
}

/// Writes the invoice; its id. An amount that is not above zero is 422 on `amount`, a coupon that cannot
/// be used on `coupon`; a customer who was erased gets no invoice (409).
pub async fn bill(work: &mut Work, new: &NewInvoice) -> Result<InvoiceId> {
    let amount = super::positive(new.amount)?;
    lock_user(work, new.user_id).await?;
    let coupon = match &new.coupon {
        Some(code) => {
            let places = settings::rounding_precision(work).await?;
            Some(redeem::of_code(work, code, new.user_id, Occasion::deposit(amount), places).await?)
        }
        None => None,
    };
    let prefix = settings::text(work, settings::INVOICE_PREFIX).await?.unwrap_or_default();
    let short_name = format!("{prefix}{}", new.short_name);
    let (owner, coupon_id) =
        ((new.user_id, new.payment_method_id), coupon.as_ref().map(|coupon| coupon.coupon_id));
    let id = store::insert(work, owner, &short_name, amount, coupon_id).await?;
    let made = json!({ "status": "pending", "amount": amount, "short_name": short_name, "coupon": coupon.map(|coupon| coupon.code) });
    audit::record(work, "invoice.created", "invoice", Change { id: id.record(), old: json!({}), new: made })
        .await?;
    Ok(id)
}
