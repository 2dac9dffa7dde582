//! Endpoints of the quarantine of background work.

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::ids::QuarantineId;
use crate::quarantine::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_quarantine_endpoint "system";
    /// Lists records in quarantine, newest first.
    ListQuarantine list_quarantine: GET "/api/v1/admin/quarantine" [ManagePanelSettings] ((), TableQuery, EmptyBody) -> Page<QuarantineRow>;
    /// Releases a record from quarantine, so that pollers work on it immediately. Returns the entry with its values before the
    /// release.
    ReleaseQuarantined release_quarantined: POST "/api/v1/admin/quarantine/{id}/release" [ManagePanelSettings] (QuarantineId, DryRun, EmptyBody) -> Data<QuarantineRow>;
}
