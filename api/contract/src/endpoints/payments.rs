//! Endpoints of payments and transactions.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::payments::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_payments_endpoint "payments";
    /// Movements on customers' balances, newest first.
    ListPayments list_payments: GET "/api/v1/admin/payments" [ViewFinances] ((), TableQuery, NoBody) -> Page<PaymentRow>;
    /// Credits or debits a customer by hand; an Idempotency-Key is required. A credit needs a comment, and counts towards the
    /// caller's daily limit.
    CreatePayment create_payment: POST "/api/v1/admin/payments" [ManageFinances] ((), DryRun, ManualPaymentInput) -> Data<PaymentRow>;
    /// Types, transaction types and balance types.
    PaymentCollectionsOp payment_collections: GET "/api/v1/admin/payments/collections" [ViewFinances] ((), NoQuery, NoBody) -> Data<PaymentCollections>;
    /// The transactions screen's list.
    ListTransactions list_transactions: GET "/api/v1/admin/transactions" [ViewFinances] ((), TableQuery, NoBody) -> Page<PaymentRow>;
}
