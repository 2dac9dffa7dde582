//! State machines and how they are stored: the conditions select exactly the rows of their states, and a transition moves a record
//! exactly where its table leads.

mod attempts;
mod orders;
mod predicates;
mod transitions;
