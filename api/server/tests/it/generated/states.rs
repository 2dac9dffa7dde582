//! docs/states: a page for each state machine, generated from its transition table and from the conditions of its store.

use panel_domain::state_machine::StateMachine;
use panel_platform::db::state::StoredStates;
use panel_platform::{jobs, quarantine};
use panel_server::configuration::webhooks;
use panel_server::operations::subscriptions::{content_store, store as subscriptions};
use panel_server::operations::{
    cancel_requests, combo_orders, drip_feeds, free_trials, invoices, users, withdrawals,
};
use panel_server::stores::placement_attempts::conditions as attempts;
use panel_server::stores::{
    account_links, account_requests, archive_state, external_panels, orders, providers, refills,
};
use panel_server::supply::imports::sync_store;

use super::assert_generated;

struct Page {
    name: &'static str,
    title: &'static str,
    table: &'static str,
    text: String,
}

fn page<M: StateMachine>(stored: &StoredStates<M>) -> Page {
    Page { name: M::NAME, title: M::TITLE, table: stored.table, text: stored.docs_page() }
}

fn pages() -> Vec<Page> {
    vec![
        page(&orders::transitions::STATES),
        page(&attempts::STATES),
        page(&attempts::CANCEL_STATES),
        page(&cancel_requests::store::STATES),
        page(&refills::STATES),
        page(&combo_orders::store::STATES),
        page(&drip_feeds::store::STATES),
        page(&subscriptions::STATES),
        page(&content_store::STATES),
        page(&free_trials::store::STATES),
        page(&invoices::store::STATES),
        page(&withdrawals::store::STATES),
        page(&webhooks::store::DELIVERIES),
        page(&sync_store::SYNC_RUN_STATES),
        page(&sync_store::SYNC_CHANGE_STATES),
        page(&external_panels::STATES),
        page(&account_requests::STATES),
        page(&providers::STATES),
        page(&archive_state::STATES),
        page(&users::status::STATES),
        page(&account_links::STATES),
        page(&jobs::store::STATES),
        page(&quarantine::store::STATES),
    ]
}

#[test]
fn the_states_are_documented() {
    let pages = pages();
    for page in &pages {
        assert_generated(&format!("docs/states/{}.md", page.name), &page.text);
    }
    let line = |page: &Page| format!("| [{}]({}.md) | `{}` |\n", page.title, page.name, page.table);
    let lines: String = pages.iter().map(line).collect();
    assert_generated("docs/states/README.md", &format!("{HEAD}{lines}"));
}

#[test]
fn every_page_belongs_to_a_state_machine() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/states");
    let names: Vec<String> = pages().iter().map(|page| format!("{}.md", page.name)).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || names.contains(&name),
            "docs/states/{name} belongs to no state machine"
        );
    }
}

const HEAD: &str = "<!-- Generated from the transition tables in api/domain by `make generate`. -->
# State machines

A record whose status changes has a table of transitions: the event, the states in which it may happen, and the next state. The
tables are in `api/domain/src/states`; each has an exhaustive test of every event in every state. One store writes a record, by
named transitions whose `WHERE` is the states that the event leaves, and tests run each store on both databases. These pages are
generated from the same tables, so they cannot differ from what runs.

To change a machine: change its table and the second, independent copy of it in its test, then the transition in the store, and
run `make generate`.

| machine | table |
|---|---|
";
