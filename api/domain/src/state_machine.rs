//! State machines: a table of transitions, and functions over it. Pure. It knows no record, and not how a state is stored.

pub mod document;

use std::fmt::Debug;

/// A state or an event with its name in diagrams and a sentence for the documentation.
#[derive(Debug, Clone, Copy)]
pub struct Described<T: 'static> {
    /// The state or the event itself.
    pub value: T,
    /// Its name in diagrams: lower case, words of a state joined by an underscore, those of an event by a space.
    pub name: &'static str,
    /// What it means, without a full stop at the end.
    pub text: &'static str,
}

/// A line of [`StateMachine::STATES`] or [`StateMachine::EVENTS`].
pub const fn described<T: Copy>(value: T, name: &'static str, text: &'static str) -> Described<T> {
    Described { value, name, text }
}

/// The transitions that leave each state of a set.
#[derive(Debug, Clone, Copy)]
pub struct Transitions<S: 'static, E: 'static> {
    /// The states that are left.
    pub from: &'static [S],
    /// Each event that may happen in them, with the next state.
    pub to: &'static [(E, S)],
}

/// A line of [`StateMachine::TRANSITIONS`].
pub const fn transitions<S, E>(from: &'static [S], to: &'static [(E, S)]) -> Transitions<S, E> {
    Transitions { from, to }
}

/// A record whose state changes by events: which event may happen in which state, and where it leads. What the table
/// lacks is refused.
pub trait StateMachine: 'static {
    /// Where a record is.
    type State: Copy + Eq + Debug + Send + Sync + 'static;
    /// What happens to it.
    type Event: Copy + Eq + Debug + Send + Sync + 'static;
    /// Its page is `docs/states/NAME.md`.
    const NAME: &'static str;
    /// Heading of its page.
    const TITLE: &'static str;
    /// What the record is, in a paragraph.
    const ABOUT: &'static str;
    /// Every state once.
    const STATES: &'static [Described<Self::State>];
    /// Every event once.
    const EVENTS: &'static [Described<Self::Event>];
    /// States that a record may begin in.
    const INITIAL_STATES: &'static [Self::State];
    /// The table. A state and an event are in it together at most once.
    const TRANSITIONS: &'static [Transitions<Self::State, Self::Event>];
    /// Events whose arrows from a state to itself are left out of the drawing, as they would hide the others.
    const HIDDEN_EVENTS: &'static [Self::Event] = &[];
    /// Whether every record can come to a state that no event leaves. Not so where records go back and forth, and where an
    /// event deletes the row.
    const HAS_FINAL_STATES: bool = true;
}

/// Where an event leads; none where the table lacks it.
#[must_use]
pub fn next<M: StateMachine>(from: M::State, event: M::Event) -> Option<M::State> {
    let leaving = M::TRANSITIONS.iter().filter(|transitions| transitions.from.contains(&from));
    leaving.flat_map(|transitions| transitions.to).find(|(on, _)| *on == event).map(|(_, to)| *to)
}

/// The states in which an event may happen, in the order of [`StateMachine::STATES`].
pub fn left_by<M: StateMachine>(event: M::Event) -> impl Iterator<Item = M::State> {
    states::<M>().filter(move |state| next::<M>(*state, event).is_some())
}

/// Every state, in the order of [`StateMachine::STATES`].
pub fn states<M: StateMachine>() -> impl Iterator<Item = M::State> {
    M::STATES.iter().map(|state| state.value)
}

/// Every event, in the order of [`StateMachine::EVENTS`].
pub fn events<M: StateMachine>() -> impl Iterator<Item = M::Event> {
    M::EVENTS.iter().map(|event| event.value)
}

/// Whether no event leads from it to another state.
#[must_use]
pub fn is_final<M: StateMachine>(state: M::State) -> bool {
    events::<M>().all(|event| next::<M>(state, event).is_none_or(|to| to == state))
}

/// Fails unless the table is complete and without contradiction: each state and each event is described once, a state and
/// an event have one next state, every event may happen, every state is reached, and an end is reached from each where
/// records end.
#[cfg(test)]
pub(crate) fn assert_sound<M: StateMachine>() {
    let (all, on): (Vec<M::State>, Vec<M::Event>) = (states::<M>().collect(), events::<M>().collect());
    for (at, state) in all.iter().enumerate() {
        assert!(!all[..at].contains(state), "{state:?} is described twice");
    }
    for (at, event) in on.iter().enumerate() {
        assert!(!on[..at].contains(event), "{event:?} is described twice");
        assert!(left_by::<M>(*event).next().is_some(), "{event:?} never happens");
    }
    let mut cells: Vec<(M::State, M::Event)> = Vec::new();
    for transitions in M::TRANSITIONS {
        for from in transitions.from {
            for (event, to) in transitions.to {
                assert!(
                    all.contains(from) && all.contains(to) && on.contains(event),
                    "{from:?} {event:?} {to:?}"
                );
                assert!(!cells.contains(&(*from, *event)), "{from:?} {event:?} is in the table twice");
                cells.push((*from, *event));
            }
        }
    }
    let reached = |begins: Vec<M::State>| {
        let mut reached = begins;
        let mut at = 0;
        while let Some(state) = reached.get(at).copied() {
            at += 1;
            for to in events::<M>().filter_map(|event| next::<M>(state, event)) {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
        }
        reached
    };
    let living = reached(M::INITIAL_STATES.to_vec());
    for state in all {
        assert!(living.contains(&state), "{state:?} is never reached");
        let ends = reached(vec![state]).into_iter().any(is_final::<M>);
        assert!(ends || !M::HAS_FINAL_STATES, "{state:?} never ends");
    }
}

/// Fails unless the table is what a second, independently written function says, for every event in every state.
#[cfg(test)]
pub(crate) fn assert_table<M: StateMachine>(expected: impl Fn(M::State, M::Event) -> Option<M::State>) {
    assert_sound::<M>();
    for state in states::<M>() {
        for event in events::<M>() {
            assert_eq!(next::<M>(state, event), expected(state, event), "{state:?} {event:?}");
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

    /// A machine of the tests.
    pub(crate) struct Lamp;

    impl StateMachine for Lamp {
        type State = Light;
        type Event = Touch;
        const NAME: &'static str = "lamp";
        const TITLE: &'static str = "Lamps";
        const ABOUT: &'static str = "A lamp.";
        const STATES: &'static [Described<Light>] = &[
            described(Light::Off, "off", "It is dark"),
            described(Light::On, "on", "It shines"),
            described(Light::Broken, "broken", "It never shines again"),
        ];
        const EVENTS: &'static [Described<Touch>] = &[
            described(Touch::Press, "press", "The switch is pressed"),
            described(Touch::Clean, "clean", "It is cleaned"),
            described(Touch::Drop, "drop it", "It falls"),
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
        assert_eq!(left_by::<Lamp>(Touch::Press).collect::<Vec<_>>(), [Light::Off, Light::On]);
        assert_eq!(states::<Lamp>().map(is_final::<Lamp>).collect::<Vec<_>>(), [false, false, true]);
    }
}
