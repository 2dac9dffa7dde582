//! State machines: the trait that declares a transition table, and functions that read the table. Pure functions. This module must
//! not depend on the records or on how a state is stored.

pub mod document;

use std::fmt::Debug;

/// A state or an event with its name in diagrams and a sentence for the documentation.
#[derive(Debug, Clone, Copy)]
pub struct DiagramLabel<T: 'static> {
    pub value: T,
    /// The name in diagrams, in lower case. States use underscores between words, events use spaces.
    pub name: &'static str,
    /// The meaning for the documentation, a sentence without a full stop.
    pub text: &'static str,
}

/// Builds an item of [`StateMachine::STATES`] or [`StateMachine::EVENTS`].
pub const fn label<T: Copy>(value: T, name: &'static str, text: &'static str) -> DiagramLabel<T> {
    DiagramLabel { value, name, text }
}

/// Transitions from one or several states, which are the same for each of these states.
#[derive(Debug, Clone, Copy)]
pub struct Transitions<S: 'static, E: 'static> {
    pub from: &'static [S],
    /// Each event that may happen in these states, with the next state.
    pub to: &'static [(E, S)],
}

/// Builds an item of [`StateMachine::TRANSITIONS`].
pub const fn transitions<S, E>(from: &'static [S], to: &'static [(E, S)]) -> Transitions<S, E> {
    Transitions { from, to }
}

/// The state machine of one kind of record. An event that the table does not allow in a state must be rejected.
pub trait StateMachine: 'static {
    type State: Copy + Eq + Debug + Send + Sync + 'static;
    type Event: Copy + Eq + Debug + Send + Sync + 'static;
    /// Name of the documentation page, `docs/states/NAME.md`.
    const NAME: &'static str;
    /// Heading of the documentation page.
    const TITLE: &'static str;
    /// The paragraph below the heading, which explains the record.
    const ABOUT: &'static str;
    const STATES: &'static [DiagramLabel<Self::State>];
    const EVENTS: &'static [DiagramLabel<Self::Event>];
    /// States of new records.
    const INITIAL_STATES: &'static [Self::State];
    /// The transition table. It has at most one next state for a state and an event.
    const TRANSITIONS: &'static [Transitions<Self::State, Self::Event>];
    /// Events whose arrows from a state to the same state are omitted in the diagram, to keep the diagram readable.
    const HIDDEN_EVENTS: &'static [Self::Event] = &[];
    /// Whether every record can reach a final state, from which no event leads to another state. False if records can always change
    /// again, or if their rows are deleted instead.
    const HAS_FINAL_STATES: bool = true;
}

/// The state after an event; `None` if the table does not allow the event.
#[must_use]
pub fn next_state<M: StateMachine>(from: M::State, event: M::Event) -> Option<M::State> {
    let transitions_from_state = M::TRANSITIONS.iter().filter(|transitions| transitions.from.contains(&from));
    transitions_from_state
        .flat_map(|transitions| transitions.to)
        .find(|(other, _)| *other == event)
        .map(|(_, to)| *to)
}

/// The states in which an event may happen, in the order of [`StateMachine::STATES`].
pub fn source_states<M: StateMachine>(event: M::Event) -> impl Iterator<Item = M::State> {
    all_states::<M>().filter(move |state| next_state::<M>(*state, event).is_some())
}

/// Every state, in the order of [`StateMachine::STATES`].
pub fn all_states<M: StateMachine>() -> impl Iterator<Item = M::State> {
    M::STATES.iter().map(|state| state.value)
}

/// Every event, in the order of [`StateMachine::EVENTS`].
pub fn all_events<M: StateMachine>() -> impl Iterator<Item = M::Event> {
    M::EVENTS.iter().map(|event| event.value)
}

/// Whether no event leads from this state to another state.
#[must_use]
pub fn is_final<M: StateMachine>(state: M::State) -> bool {
    all_events::<M>().all(|event| next_state::<M>(state, event).is_none_or(|to| to == state))
}

/// Asserts that the table is complete and unambiguous: each state and each event is described once, a state and an event have at
/// most one next state, every event can happen, every state can be reached, and a final state can be reached from each state if the
/// machine has final states.
#[cfg(test)]
pub(crate) fn assert_sound<M: StateMachine>() {
    let (all_states, all_events): (Vec<M::State>, Vec<M::Event>) =
        (all_states::<M>().collect(), all_events::<M>().collect());
    for (index, state) in all_states.iter().enumerate() {
        assert!(!all_states[..index].contains(state), "{state:?} is described twice");
    }
    for (index, event) in all_events.iter().enumerate() {
        assert!(!all_events[..index].contains(event), "{event:?} is described twice");
        assert!(source_states::<M>(*event).next().is_some(), "{event:?} never happens");
    }
    let mut pairs: Vec<(M::State, M::Event)> = Vec::new();
    for transitions in M::TRANSITIONS {
        for from in transitions.from {
            for (event, to) in transitions.to {
                assert!(
                    all_states.contains(from) && all_states.contains(to) && all_events.contains(event),
                    "{from:?} {event:?} {to:?}"
                );
                assert!(!pairs.contains(&(*from, *event)), "{from:?} {event:?} is in the table twice");
                pairs.push((*from, *event));
            }
        }
    }
    let reachable_from = |start_states: Vec<M::State>| {
        let mut reached = start_states;
        let mut index = 0;
        while let Some(state) = reached.get(index).copied() {
            index += 1;
            for to in self::all_events::<M>().filter_map(|event| next_state::<M>(state, event)) {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
        }
        reached
    };
    let reachable_states = reachable_from(M::INITIAL_STATES.to_vec());
    for state in all_states {
        assert!(reachable_states.contains(&state), "{state:?} is never reached");
        let can_end = reachable_from(vec![state]).into_iter().any(is_final::<M>);
        assert!(can_end || !M::HAS_FINAL_STATES, "no final state can be reached from {state:?}");
    }
}

/// Asserts for each event in each state that the table gives the same result as `expected`, an independent second implementation.
#[cfg(test)]
pub(crate) fn assert_table<M: StateMachine>(expected: impl Fn(M::State, M::Event) -> Option<M::State>) {
    assert_sound::<M>();
    for state in all_states::<M>() {
        for event in all_events::<M>() {
            assert_eq!(next_state::<M>(state, event), expected(state, event), "{state:?} {event:?}");
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Light {
        Off,
        On,
        Broken,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Touch {
        Press,
        Clean,
        Drop,
    }

    /// A state machine for tests.
    pub(crate) struct Lamp;

    impl StateMachine for Lamp {
        type State = Light;
        type Event = Touch;
        const NAME: &'static str = "lamp";
        const TITLE: &'static str = "Lamps";
        const ABOUT: &'static str = "A lamp.";
        const STATES: &'static [DiagramLabel<Light>] = &[
            label(Light::Off, "off", "It is dark"),
            label(Light::On, "on", "It shines"),
            label(Light::Broken, "broken", "It never shines again"),
        ];
        const EVENTS: &'static [DiagramLabel<Touch>] = &[
            label(Touch::Press, "press", "The switch is pressed"),
            label(Touch::Clean, "clean", "It is cleaned"),
            label(Touch::Drop, "drop it", "It falls"),
        ];
        const INITIAL_STATES: &'static [Light] = &[Light::Off];
        const TRANSITIONS: &'static [Transitions<Light, Touch>] = &[
            transitions(&[Light::Off], &[(Touch::Press, Light::On), (Touch::Clean, Light::Off)]),
            transitions(&[Light::On], &[(Touch::Press, Light::Off), (Touch::Clean, Light::On)]),
            transitions(&[Light::Off, Light::On], &[(Touch::Drop, Light::Broken)]),
        ];
        const HIDDEN_EVENTS: &'static [Touch] = &[Touch::Clean];
    }

    #[test]
    fn follows_the_transition_table() {
        assert_table::<Lamp>(|state, event| match (state, event) {
            (Light::Broken, _) => None,
            (_, Touch::Drop) => Some(Light::Broken),
            (_, Touch::Clean) => Some(state),
            (Light::Off, Touch::Press) => Some(Light::On),
            (Light::On, Touch::Press) => Some(Light::Off),
        });
        assert_eq!(source_states::<Lamp>(Touch::Press).collect::<Vec<_>>(), [Light::Off, Light::On]);
        assert_eq!(all_states::<Lamp>().map(is_final::<Lamp>).collect::<Vec<_>>(), [false, false, true]);
    }
}
