//! A state machine as a page of docs/states: a Mermaid diagram, its states, its events, and the whole table. Pure; a test
//! compares the stored page with what this makes.

use super::{StateMachine, events, is_final, next, states};

/// The page of a machine. `conditions` are the SQL conditions of single states, in any order; a state without one gets an
/// empty cell.
#[must_use]
pub fn page<M: StateMachine>(table: &str, conditions: &[(M::State, &str)]) -> String {
    let condition = |state: M::State| {
        let found = conditions.iter().find(|(of, _)| *of == state);
        found.map(|(_, text)| format!("`{}`", text.replace(&format!("{table}."), ""))).unwrap_or_default()
    };
    let described: String = M::STATES
        .iter()
        .map(|state| format!("| `{}` | {} | {} |\n", state.name, state.text, condition(state.value)))
        .collect();
    let happening: String =
        M::EVENTS.iter().map(|event| format!("| {} | {} |\n", event.name, event.text)).collect();
    format!(
        "<!-- Made from the transition table in api/domain by `make generate`. -->\n\
         # {title}\n\n{about}\n\n```mermaid\n{diagram}```\n\n\
         ## States\n\n| state | meaning | columns of `{table}` |\n|---|---|---|\n{described}\n\
         ## Events\n\n| event | what happened |\n|---|---|\n{happening}\n\
         ## Transitions\n\nAn empty cell: the event is refused in that state.\n\n{matrix}",
        title = M::TITLE,
        about = M::ABOUT,
        diagram = mermaid::<M>(),
        matrix = matrix::<M>(),
    )
}

/// The diagram: the events between two states share an arrow. Arrows of a state to itself are left out for
/// [`StateMachine::HIDDEN_EVENTS`] events.
#[must_use]
pub fn mermaid<M: StateMachine>() -> String {
    let mut lines = vec!["stateDiagram-v2".to_owned()];
    lines.extend(M::INITIAL_STATES.iter().map(|state| format!("  [*] --> {}", name::<M>(*state))));
    for from in states::<M>() {
        for to in states::<M>() {
            let is_drawn = |event: &M::Event| from != to || !M::HIDDEN_EVENTS.contains(event);
            let leads = |event: &M::Event| next::<M>(from, *event) == Some(to);
            let named: Vec<&str> =
                events::<M>().filter(leads).filter(is_drawn).map(event_name::<M>).collect();
            if !named.is_empty() {
                lines.push(format!("  {} --> {}: {}", name::<M>(from), name::<M>(to), named.join(", ")));
            }
        }
    }
    let ends = states::<M>().filter(|state| M::HAS_FINAL_STATES && is_final::<M>(*state));
    lines.extend(ends.map(|state| format!("  {} --> [*]", name::<M>(state))));
    lines.join("\n") + "\n"
}

/// The table: a line for each event, a column for each state that it may happen in.
#[must_use]
pub fn matrix<M: StateMachine>() -> String {
    let names: Vec<&str> = states::<M>().map(name::<M>).collect();
    let mut lines =
        vec![format!("| | {} |", names.join(" | ")), format!("|---|{}", "---|".repeat(names.len()))];
    for event in events::<M>() {
        let cell = |from| next::<M>(from, event).map(name::<M>).unwrap_or_default();
        let cells: Vec<&str> = states::<M>().map(cell).collect();
        lines.push(format!("| {} | {} |", event_name::<M>(event), cells.join(" | ")));
    }
    lines.join("\n") + "\n"
}

/// What a state is called in diagrams.
#[must_use]
pub fn name<M: StateMachine>(state: M::State) -> &'static str {
    M::STATES.iter().find(|one| one.value == state).map(|one| one.name).unwrap_or_default()
}

fn event_name<M: StateMachine>(event: M::Event) -> &'static str {
    M::EVENTS.iter().find(|one| one.value == event).map(|one| one.name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Lamp, Light};
    use super::*;

    #[test]
    fn a_diagram_joins_the_events_of_an_arrow() {
        assert_eq!(
            mermaid::<Lamp>(),
            "stateDiagram-v2\n  [*] --> off\n  off --> on: press\n  off --> broken: drop it\n  on --> off: press\n  on --> broken: drop it\n  broken --> [*]\n"
        );
        assert_eq!(
            matrix::<Lamp>(),
            "| | off | on | broken |\n|---|---|---|---|\n| press | on | off |  |\n| clean | off | on |  |\n| drop it | broken | broken |  |\n"
        );
        let page = page::<Lamp>("lamps", &[(Light::On, "lamps.is_on")]);
        assert!(page.contains("| `on` | It shines | `is_on` |"), "{page}");
        assert!(page.contains("| `off` | It is dark |  |"), "{page}");
    }
}
