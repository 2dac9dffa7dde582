//! One changed record of an audit entry.

use panel_contract::ids::RecordId;
use serde_json::Value;

#[derive(Debug, Clone)]
pub struct AuditChange {
    pub id: RecordId,
    /// The changed fields before the change, as a JSON object.
    pub old: Value,
    /// The changed fields after the change, as a JSON object.
    pub new: Value,
}
