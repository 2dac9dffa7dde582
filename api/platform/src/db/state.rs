//! Conditional writes: the WHERE of a transition names the states that its event leaves, and the write returns whether it
//! applied. The module knows no table; each store declares the conditions of its own states.

use panel_contract::ids::Id;
use panel_domain::state_machine::{self, StateMachine};
use panel_kernel::error::{Error, Result};

use super::{DbResult, Source, Sql};

/// A set of states with its condition over the columns of their table.
pub type Condition<M> = (&'static [<M as StateMachine>::State], &'static str);

/// How the states of a machine are stored: a condition for each state, and one for each set of states that a statement names
/// as a whole. Columns are written with the table's name, because most statements about many records join a table of values.
#[derive(Debug)]
pub struct StoredStates<M: StateMachine> {
    /// The table whose rows are the records.
    pub table: &'static str,
    /// Conditions of sets of states.
    pub conditions: &'static [Condition<M>],
}

impl<M: StateMachine> StoredStates<M> {
    /// ` AND (…)`: the record is in a state that the event may leave.
    #[must_use]
    pub fn leaving(&self, event: M::Event) -> Sql {
        self.within(&state_machine::left_by::<M>(event).collect::<Vec<_>>())
    }

    /// ` AND (…)`: the record is in one of these states. Uses the condition of exactly this set where the store declares one,
    /// else the conditions of its states.
    #[must_use]
    pub fn within(&self, states: &[M::State]) -> Sql {
        let each = |state: &M::State| self.condition(&[*state]).unwrap_or("FALSE");
        let conditions: Vec<&'static str> = match self.condition(states) {
            Some(condition) => vec![condition],
            None => states.iter().map(each).collect(),
        };
        let Some((first, others)) = conditions.split_first() else { return Sql::new(" AND FALSE") };
        let sql = Sql::new(" AND (").push(first);
        others.iter().fold(sql, |sql, condition| sql.push(" OR ").push(condition)).push(")")
    }

    /// The condition of exactly these states, where the store declares one.
    #[must_use]
    pub fn condition(&self, states: &[M::State]) -> Option<&'static str> {
        let is_same =
            |set: &[M::State]| set.len() == states.len() && set.iter().all(|state| states.contains(state));
        self.conditions.iter().find(|(set, _)| is_same(set)).map(|(_, condition)| *condition)
    }

    /// The page of docs/states about this machine.
    #[must_use]
    pub fn page(&self) -> String {
        let single = self.conditions.iter().filter_map(|(set, condition)| match set {
            [state] => Some((*state, *condition)),
            _ => None,
        });
        state_machine::document::page::<M>(self.table, &single.collect::<Vec<_>>())
    }
}

/// The conditions of a machine whose states are the values of one text column.
#[macro_export]
macro_rules! word_conditions {
    ($column:literal, $($state:expr => $word:literal),+ $(,)?) => {
        &[$((&[$state], concat!($column, " = '", $word, "'"))),+]
    };
}

/// Result of a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Transition {
    /// The record was in a state that the event leaves, and has changed its state.
    Applied,
    /// Another write changed the state first: this one changed nothing.
    Superseded,
}

impl Transition {
    /// The result of a write of one record that changed `rows` rows.
    pub const fn of(rows: u64) -> Self {
        if rows == 0 { Self::Superseded } else { Self::Applied }
    }

    /// Whether the write changed the record.
    #[must_use]
    pub const fn is_applied(self) -> bool {
        matches!(self, Self::Applied)
    }

    /// Accepts both results: where another write came first, it has done the same or decided otherwise.
    pub const fn ignore_superseded(self) {}

    /// 409 with this code and message where another write came first.
    pub fn or_conflict(self, code: &'static str, message: &'static str) -> Result<()> {
        match self {
            Self::Applied => Ok(()),
            Self::Superseded => Err(Error::conflict(code, message)),
        }
    }
}

/// Runs a conditional write of one record.
pub async fn transition(db: &mut impl Source, statement: Sql) -> DbResult<Transition> {
    Ok(Transition::of(db.exec(statement).await?))
}

/// Runs a conditional write of many records that returns their ids; the ids of the changed records, ascending.
pub async fn transition_all<I: Id>(db: &mut impl Source, statement: Sql) -> DbResult<Vec<I>> {
    let mut changed: Vec<I> = db.ids_of(statement).await?;
    changed.sort_unstable();
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use panel_domain::states::cancel_requests::{CancelRequestEvent, CancelRequestState, CancelRequests};

    use super::*;
    use crate::db::Dialect;

    const STORED: StoredStates<CancelRequests> = StoredStates {
        table: "requests",
        conditions: &[
            (&[CancelRequestState::Requested], "requests.status = 'requested'"),
            (&[CancelRequestState::Asked], "requests.status = 'asked'"),
            (&[CancelRequestState::Asked, CancelRequestState::Requested], "requests.is_open"),
            (&[CancelRequestState::Acknowledged], "requests.acknowledged_at IS NOT NULL"),
        ],
    };

    fn text(sql: Sql) -> String {
        sql.render(Dialect::Sqlite).0
    }

    #[test]
    fn a_write_names_the_states_that_its_event_leaves() {
        let leaving = |event| text(STORED.leaving(event));
        assert_eq!(leaving(CancelRequestEvent::Acknowledge), " AND (requests.status = 'asked')");
        assert_eq!(leaving(CancelRequestEvent::Ask), " AND (requests.is_open)", "in any order");
        assert_eq!(
            leaving(CancelRequestEvent::Escalate),
            " AND (requests.status = 'requested' OR requests.status = 'asked' OR requests.acknowledged_at IS NOT NULL)"
        );
        assert_eq!(text(STORED.within(&[])), " AND FALSE");
        assert!(STORED.page().contains("`status = 'asked'`"), "{}", STORED.page());
    }

    #[test]
    fn a_write_that_changed_nothing_is_a_conflict_for_the_caller() {
        assert_eq!((Transition::of(0), Transition::of(1)), (Transition::Superseded, Transition::Applied));
        assert!(Transition::Applied.or_conflict("moved", "It moved.").is_ok());
        let error = Transition::Superseded.or_conflict("moved", "It moved.").unwrap_err();
        assert_eq!(error.rejection().map(|rejection| rejection.code), Some("moved"));
    }
}
