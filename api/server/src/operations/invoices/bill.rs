//! Creates the invoice of a customer for the amount that they will pay. The customer gets no credit before staff mark it as paid.

use panel_contract::amount::Money;
use panel_contract::ids::{InvoiceId, PaymentMethodId, UserId};
use panel_kernel::error::Result;
use serde_json::json;

use super::store;
use crate::marketing::coupons::redeem::{self, CouponPurchase};
use crate::operations::user_services::lock_user;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInvoice {
    pub user_id: UserId,
    pub amount: Money,
    pub payment_method_id: PaymentMethodId,
    /// The name without the prefix. The stored name includes the current setting `invoice_prefix`, so a later change of the
    /// setting does not rename the invoice.
    pub short_name: String,
    /// The code of a coupon, which is redeemed when the invoice is paid.
    pub coupon: Option<String>,
}

/// Inserts the invoice and returns its id. An amount that is not above zero is a 422 on `amount`, an unusable coupon a 422 on
/// `coupon`, an erased customer a 409.
pub async fn issue_invoice(work: &mut UnitOfWork, new: &NewInvoice) -> Result<InvoiceId> {
    let amount = super::require_positive(new.amount)?;
    lock_user(work, new.user_id).await?;
    let coupon = match &new.coupon {
        Some(code) => {
            let decimals = settings::read_rounding_precision(work).await?;
            Some(
                redeem::lock_by_code(work, code, new.user_id, CouponPurchase::deposit(amount), decimals)
                    .await?,
            )
        }
        None => None,
    };
    let prefix = settings::read_text(work, settings::INVOICE_PREFIX).await?.unwrap_or_default();
    let short_name = format!("{prefix}{}", new.short_name);
    let (customer_and_method, coupon_id) =
        ((new.user_id, new.payment_method_id), coupon.as_ref().map(|coupon| coupon.coupon_id));
    let id = store::insert(work, customer_and_method, &short_name, amount, coupon_id).await?;
    let new_values = json!({ "status": "pending", "amount": amount, "short_name": short_name, "coupon": coupon.map(|coupon| coupon.code) });
    audit::record(
        work,
        "invoice.created",
        "invoice",
        AuditChange { id: id.as_record_id(), old: json!({}), new: new_values },
    )
    .await?;
    Ok(id)
}
