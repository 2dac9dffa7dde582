//! Conditional writes: the WHERE of a transition allows only the states from which its event may start, and the write returns
//! whether it changed the record. This module knows no table; each store declares the SQL conditions of its states.

use panel_contract::ids::Id;
use panel_domain::state_machine::{self, StateMachine};
use panel_kernel::error::{Error, Result};

use super::{DbResult, Sql, SqlExecutor};

/// A set of states, and the SQL condition by which their table stores it.
pub type Condition<M> = (&'static [<M as StateMachine>::State], &'static str);

/// How a table stores the states of a machine: a condition for each state, and one for each set of states that has a condition
/// of its own. The conditions qualify columns by the table's name, because most bulk statements join a table of values.
#[derive(Debug)]
pub struct StoredStates<M: StateMachine> {
    pub table: &'static str,
    pub conditions: &'static [Condition<M>],
}

impl<M: StateMachine> StoredStates<M> {
    /// Returns ` AND (…)`: the condition that the event is allowed in the state of the record.
    #[must_use]
    pub fn condition_for(&self, event: M::Event) -> Sql {
        self.condition_in(&state_machine::source_states::<M>(event).collect::<Vec<_>>())
    }

    /// Returns ` AND (…)`: the condition that the record is in one of these states. Uses the condition of exactly this set if the
    /// store declares one, else the conditions of the single states.
    #[must_use]
    pub fn condition_in(&self, states: &[M::State]) -> Sql {
        let condition_of_state = |state: &M::State| self.condition(&[*state]).unwrap_or("FALSE");
        let conditions: Vec<&'static str> = match self.condition(states) {
            Some(condition) => vec![condition],
            None => states.iter().map(condition_of_state).collect(),
        };
        let Some((first, others)) = conditions.split_first() else { return Sql::new(" AND FALSE") };
        let sql = Sql::new(" AND (").push(first);
        others.iter().fold(sql, |sql, condition| sql.push(" OR ").push(condition)).push(")")
    }

    /// The condition of exactly these states, if the store declares one.
    #[must_use]
    pub fn condition(&self, states: &[M::State]) -> Option<&'static str> {
        let is_same =
            |set: &[M::State]| set.len() == states.len() && set.iter().all(|state| states.contains(state));
        self.conditions.iter().find(|(set, _)| is_same(set)).map(|(_, condition)| *condition)
    }

    /// Renders the page of docs/states about this machine.
    #[must_use]
    pub fn docs_page(&self) -> String {
        let single = self.conditions.iter().filter_map(|(set, condition)| match set {
            [state] => Some((*state, *condition)),
            _ => None,
        });
        state_machine::document::render_page::<M>(self.table, &single.collect::<Vec<_>>())
    }
}

/// The conditions of a machine whose states are the values of one text column, usually `status`.
#[macro_export]
macro_rules! status_conditions {
    ($column:literal, $($state:expr => $value:literal),+ $(,)?) => {
        &[$((&[$state], concat!($column, " = '", $value, "'"))),+]
    };
}

/// Result of a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Transition {
    /// The event was allowed in the record's state, and the write changed the record.
    Applied,
    /// Another write had changed the state before: this one changed nothing.
    Superseded,
}

impl Transition {
    /// Derives the result from the number of rows that a write of one record changed.
    pub const fn from_row_count(rows: u64) -> Self {
        if rows == 0 { Self::Superseded } else { Self::Applied }
    }

    #[must_use]
    pub const fn is_applied(self) -> bool {
        matches!(self, Self::Applied)
    }

    /// Accepts both results, for callers whose goal another write has reached already, or made pointless.
    pub const fn ignore_superseded(self) {}

    /// Returns a 409 with this code and message if another write came first.
    pub fn or_conflict(self, code: &'static str, message: &'static str) -> Result<()> {
        match self {
            Self::Applied => Ok(()),
            Self::Superseded => Err(Error::conflict(code, message)),
        }
    }
}

/// Runs a conditional write of one record.
pub async fn transition(db: &mut impl SqlExecutor, statement: Sql) -> DbResult<Transition> {
    Ok(Transition::from_row_count(db.execute(statement).await?))
}

/// Runs a conditional write of many records that returns their ids; returns the ids of the changed records, ascending.
pub async fn transition_all<I: Id>(db: &mut impl SqlExecutor, statement: Sql) -> DbResult<Vec<I>> {
    let mut changed: Vec<I> = db.fetch_ids(statement).await?;
    changed.sort_unstable();
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

    use super::*;
    use crate::db::Dialect;

    const STORED_STATES: StoredStates<CancelRequests> = StoredStates {
        table: "requests",
        conditions: &[
            (&[CancelRequestState::Requested], "requests.status = 'requested'"),
            (&[CancelRequestState::Sent], "requests.status = 'sent'"),
            (&[CancelRequestState::Sent, CancelRequestState::Requested], "requests.is_open"),
            (&[CancelRequestState::Acknowledged], "requests.acknowledged_at IS NOT NULL"),
        ],
    };

    fn text(sql: Sql) -> String {
        sql.render(Dialect::Sqlite).0
    }

    #[test]
    fn a_write_names_the_states_that_its_event_leaves() {
        let leaving = |event| text(STORED_STATES.condition_for(event));
        assert_eq!(leaving(CancelRequestEvent::Acknowledge), " AND (requests.status = 'sent')");
        assert_eq!(leaving(CancelRequestEvent::Send), " AND (requests.is_open)", "in any order");
        assert_eq!(
            leaving(CancelRequestEvent::Escalate),
            " AND (requests.status = 'requested' OR requests.status = 'sent' OR requests.acknowledged_at IS NOT NULL)"
        );
        assert_eq!(text(STORED_STATES.condition_in(&[])), " AND FALSE");
        assert!(STORED_STATES.docs_page().contains("`status = 'sent'`"), "{}", STORED_STATES.docs_page());
    }

    #[test]
    fn a_write_that_changed_no_row_is_a_conflict() {
        assert_eq!(
            (Transition::from_row_count(0), Transition::from_row_count(1)),
            (Transition::Superseded, Transition::Applied)
        );
        assert!(Transition::Applied.or_conflict("moved", "It moved.").is_ok());
        let error = Transition::Superseded.or_conflict("moved", "It moved.").unwrap_err();
        assert_eq!(error.rejection().map(|rejection| rejection.code), Some("moved"));
    }
}
