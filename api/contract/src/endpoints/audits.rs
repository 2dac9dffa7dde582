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
    /// Verifies audit log entries against their seals, up to 100 seals per call.
    VerifyAudits verify_audits: GET "/api/v1/admin/audits/verify" [ViewAudits] ((), AuditVerifyQuery, EmptyBody) -> Data<AuditVerification>;
    /// Undoes a request: restores its records to their state before it. Requires the permission of that request. Responses
    /// contain `undo` when they can be undone.
    Undo undo: POST "/api/v1/admin/undo" [bearer] ((), DryRun, UndoInput) -> BulkOutcome;
}
