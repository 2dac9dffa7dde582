//! Renders the page of a state machine in docs/states: a Mermaid diagram, the states, the events and the transition table. A test
//! checks that the stored pages are up to date. Pure functions.

use super::{StateMachine, all_events, all_states, is_final, next_state};

/// The Markdown page of a state machine. `conditions` are the SQL conditions of the states, in any order; a state without a
/// condition gets an empty cell.
#[must_use]
pub fn render_page<M: StateMachine>(table: &str, conditions: &[(M::State, &str)]) -> String {
    let format_condition = |state: M::State| {
        let condition = conditions.iter().find(|(other, _)| *other == state);
        condition.map(|(_, text)| format!("`{}`", text.replace(&format!("{table}."), ""))).unwrap_or_default()
    };
    let state_rows: String = M::STATES
        .iter()
        .map(|state| format!("| `{}` | {} | {} |\n", state.name, state.text, format_condition(state.value)))
        .collect();
    let event_rows: String =
        M::EVENTS.iter().map(|event| format!("| {} | {} |\n", event.name, event.text)).collect();
    format!(
        "<!-- Made from the transition table in api/domain by `make generate`. -->\n\
         # {title}\n\n{about}\n\n```mermaid\n{diagram}```\n\n\
         ## States\n\n| state | meaning | columns of `{table}` |\n|---|---|---|\n{state_rows}\n\
         ## Events\n\n| event | what happened |\n|---|---|\n{event_rows}\n\
         ## Transitions\n\nAn empty cell means that the event is not allowed in the state.\n\n{matrix}",
        title = M::TITLE,
        about = M::ABOUT,
        diagram = render_diagram::<M>(),
        matrix = render_matrix::<M>(),
    )
}

/// Renders the Mermaid diagram. All events between the same two states share one arrow.
#[must_use]
pub fn render_diagram<M: StateMachine>() -> String {
    let mut lines = vec!["stateDiagram-v2".to_owned()];
    lines.extend(M::INITIAL_STATES.iter().map(|state| format!("  [*] --> {}", state_name::<M>(*state))));
    for from in all_states::<M>() {
        for to in all_states::<M>() {
            let is_drawn = |event: &M::Event| from != to || !M::HIDDEN_EVENTS.contains(event);
            let leads_to_state = |event: &M::Event| next_state::<M>(from, *event) == Some(to);
            let labels: Vec<&str> =
                all_events::<M>().filter(leads_to_state).filter(is_drawn).map(event_name::<M>).collect();
            if !labels.is_empty() {
                lines.push(format!(
                    "  {} --> {}: {}",
                    state_name::<M>(from),
                    state_name::<M>(to),
                    labels.join(", ")
                ));
            }
        }
    }
    let final_states = all_states::<M>().filter(|state| M::HAS_FINAL_STATES && is_final::<M>(*state));
    lines.extend(final_states.map(|state| format!("  {} --> [*]", state_name::<M>(state))));
    lines.join("\n") + "\n"
}

/// Renders the transition table: a row for each event, a column for each state, and the next state in each cell.
#[must_use]
pub fn render_matrix<M: StateMachine>() -> String {
    let names: Vec<&str> = all_states::<M>().map(state_name::<M>).collect();
    let mut lines =
        vec![format!("| | {} |", names.join(" | ")), format!("|---|{}", "---|".repeat(names.len()))];
    for event in all_events::<M>() {
        let cell = |from| next_state::<M>(from, event).map(state_name::<M>).unwrap_or_default();
        let cells: Vec<&str> = all_states::<M>().map(cell).collect();
        lines.push(format!("| {} | {} |", event_name::<M>(event), cells.join(" | ")));
    }
    lines.join("\n") + "\n"
}

/// The name of a state in diagrams.
#[must_use]
pub fn state_name<M: StateMachine>(state: M::State) -> &'static str {
    M::STATES.iter().find(|label| label.value == state).map(|label| label.name).unwrap_or_default()
}

fn event_name<M: StateMachine>(event: M::Event) -> &'static str {
    M::EVENTS.iter().find(|label| label.value == event).map(|label| label.name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Lamp, Light};
    use super::*;

    #[test]
    fn a_diagram_has_one_arrow_for_all_events_between_two_states() {
        assert_eq!(
            render_diagram::<Lamp>(),
            "stateDiagram-v2\n  [*] --> off\n  off --> on: press\n  off --> broken: drop it\n  on --> off: press\n  on --> broken: drop it\n  broken --> [*]\n"
        );
        assert_eq!(
            render_matrix::<Lamp>(),
            "| | off | on | broken |\n|---|---|---|---|\n| press | on | off |  |\n| clean | off | on |  |\n| drop it | broken | broken |  |\n"
        );
        let page = render_page::<Lamp>("lamps", &[(Light::On, "lamps.is_on")]);
        assert!(page.contains("| `on` | It shines | `is_on` |"), "{page}");
        assert!(page.contains("| `off` | It is dark |  |"), "{page}");
    }
}
