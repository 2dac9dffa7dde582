//! Endpoints of the audit log.

use crate::audits::*;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_audits_endpoint "logs";
    /// Lists audit log entries, newest first.
    ListAudits list_audits: GET "/api/v1/admin/audits" [ViewAudits] ((), TableQuery, EmptyBody) -> Page<AuditRow>;
    /// Lists the events and record types of the audit log.
    GetAuditCollections audit_collections: GET "/api/v1/admin/audits/collections" [ViewAudits] ((), EmptyQuery, EmptyBody) -> Data<AuditCollections>;
    /// Verifies audit log entries against their seals, up to 100 seals per request.
    VerifyAudits verify_audits: GET "/api/v1/admin/audits/verify" [ViewAudits] ((), AuditVerifyQuery, EmptyBody) -> Data<AuditVerification>;
    /// Undoes a request: restores its records to their state before that request. Requires the same permission as that request.
    /// A response contains `undo` if its request can be undone.
    Undo undo: POST "/api/v1/admin/undo" [bearer] ((), DryRun, UndoInput) -> BulkOutcome;
}
