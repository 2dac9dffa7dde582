//! Endpoints of invoices.

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::ids::InvoiceId;
use crate::invoices::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_invoices_endpoint "invoices";
    /// Lists invoices, newest first.
    ListInvoices list_invoices: GET "/api/v1/admin/invoices" [ViewInvoices] ((), TableQuery, EmptyBody) -> Page<Invoice>;
    /// Marks a pending invoice as paid: credits the customer's main balance once, with the bonus of the payment method.
    MarkInvoicePaid mark_invoice_paid: POST "/api/v1/admin/invoices/{id}/mark-as-paid" [ManageInvoices] partly_confirmed (InvoiceId, DryRun, PayInvoiceInput) -> Data<Invoice>;
}
