//! Endpoints of background work that ended a process.

use crate::common::{Data, DryRun};
use crate::endpoint::NoBody;
use crate::ids::QuarantineId;
use crate::quarantine::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_quarantine_endpoint "system";
    /// Background work that ended the process that did it, newest first.
    ListQuarantine list_quarantine: GET "/api/v1/admin/quarantine" [ManagePanelSettings] ((), TableQuery, NoBody) -> Page<QuarantineRow>;
    /// Releases a record: it is due again at once in the normal way. Answers the record as it was.
    ReleaseQuarantined release_quarantined: POST "/api/v1/admin/quarantine/{id}/release" [ManagePanelSettings] (QuarantineId, DryRun, NoBody) -> Data<QuarantineRow>;
}
