//! Endpoints of the audit log.

use crate::audits::*;
use crate::common::{BulkOutcome, Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_audits_endpoint "logs";
    /// Who changed what, newest first.
    ListAudits list_audits: GET "/api/v1/admin/audits" [ViewAudits] ((), TableQuery, NoBody) -> Page<AuditRow>;
    /// The events and kinds of record that the log can have.
    AuditCollectionsOp audit_collections: GET "/api/v1/admin/audits/collections" [ViewAudits] ((), NoQuery, NoBody) -> Data<AuditCollections>;
    /// Looks whether entries are as they were sealed, up to 100 seals a call.
    VerifyAudits verify_audits: GET "/api/v1/admin/audits/verify" [ViewAudits] ((), AuditVerifyQuery, NoBody) -> Data<AuditVerification>;
    /// Takes a request back: its records are again as they were before it. Needs the permission of that request. Answers say under `undo` when they can be taken back.
    Undo undo: POST "/api/v1/admin/undo" [bearer] ((), DryRun, UndoInput) -> BulkOutcome;
}
