//! Endpoints of payments and transactions.

use crate::common::{Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::payments::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_payments_endpoint "payments";
    /// Lists movements on the balances of customers, newest first.
    ListPayments list_payments: GET "/api/v1/admin/payments" [ViewFinances] ((), TableQuery, EmptyBody) -> Page<PaymentRow>;
    /// Credits or debits a customer manually; an `Idempotency-Key` is required. A credit requires a comment and counts towards
    /// the daily limit of the caller.
    CreatePayment create_payment: POST "/api/v1/admin/payments" [ManageFinances] partly_confirmed ((), DryRun, ManualPaymentInput) -> Data<PaymentRow>;
    /// Lists types, transaction types and balance types of payments.
    GetPaymentCollections payment_collections: GET "/api/v1/admin/payments/collections" [ViewFinances] ((), EmptyQuery, EmptyBody) -> Data<PaymentCollections>;
    /// Lists transactions on the balances of customers, newest first.
    ListTransactions list_transactions: GET "/api/v1/admin/transactions" [ViewFinances] ((), TableQuery, EmptyBody) -> Page<PaymentRow>;
}
