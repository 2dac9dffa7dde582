//! Endpoints of invoices.

use crate::common::{Data, DryRun};
use crate::endpoint::NoBody;
use crate::ids::InvoiceId;
use crate::invoices::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_invoices_endpoint "invoices";
    /// Invoices, newest first.
    ListInvoices list_invoices: GET "/api/v1/admin/invoices" [ViewInvoices] ((), TableQuery, NoBody) -> Page<Invoice>;
    /// A pending one was paid: credits the customer's main balance once, and the payment method's bonus beside it.
    MarkInvoicePaid mark_invoice_paid: POST "/api/v1/admin/invoices/{id}/mark-as-paid" [ManageInvoices] partly_confirmed (InvoiceId, DryRun, PayInvoiceInput) -> Data<Invoice>;
}
