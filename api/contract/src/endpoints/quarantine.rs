//! Endpoints of background work that ended a process.

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::ids::QuarantineId;
use crate::quarantine::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_quarantine_endpoint "system";
    /// Lists background work that crashed its process, newest first.
    ListQuarantine list_quarantine: GET "/api/v1/admin/quarantine" [ManagePanelSettings] ((), TableQuery, EmptyBody) -> Page<QuarantineRow>;
    /// Releases a record from quarantine, so that it is due immediately. Returns the record as it was.
    ReleaseQuarantined release_quarantined: POST "/api/v1/admin/quarantine/{id}/release" [ManagePanelSettings] (QuarantineId, DryRun, EmptyBody) -> Data<QuarantineRow>;
}
