//! One changed record of an audit entry.

use panel_contract::ids::RecordId;
use serde_json::Value;

/// One changed record.
#[derive(Debug, Clone)]
pub struct AuditChange {
    /// Its id.
    pub id: RecordId,
    /// The changed fields as they were.
    pub old: Value,
    /// The changed fields as they are.
    pub new: Value,
}
