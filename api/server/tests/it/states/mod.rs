//! State machines in the database: the SQL conditions of a store select exactly the rows in their states, and a transition writes
//! exactly the state that its table defines.

mod attempts;
mod orders;
mod predicates;
mod transitions;
