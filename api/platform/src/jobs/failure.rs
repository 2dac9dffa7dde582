//! Why a job was not done, and whether another try may succeed.

use panel_contract::moment::Time;

/// Why a job was not done. The text is for the log and for staff, never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Another try may succeed.
    Later(String),
    /// Another try may succeed at this moment; the job has a schedule of its own.
    At(String, Time),
    /// It was not tried, as now is not the time; until this moment.
    Postponed(Time),
    /// No try ever will.
    Never(String),
}
