//! Generates docs/states: one page for each state machine, from its transition table and from the conditions of its store.

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

struct StatePage {
    name: &'static str,
    title: &'static str,
    table: &'static str,
    text: String,
}

fn new_page<M: StateMachine>(stored: &StoredStates<M>) -> StatePage {
    StatePage { name: M::NAME, title: M::TITLE, table: stored.table, text: stored.docs_page() }
}

fn all_pages() -> Vec<StatePage> {
    vec![
        new_page(&orders::transitions::STATES),
        new_page(&attempts::STATES),
        new_page(&attempts::CANCEL_STATES),
        new_page(&cancel_requests::store::STATES),
        new_page(&refills::STATES),
        new_page(&combo_orders::store::STATES),
        new_page(&drip_feeds::store::STATES),
        new_page(&subscriptions::STATES),
        new_page(&content_store::STATES),
        new_page(&free_trials::store::STATES),
        new_page(&invoices::store::STATES),
        new_page(&withdrawals::store::STATES),
        new_page(&webhooks::delivery_store::DELIVERIES),
        new_page(&sync_store::SYNC_RUN_STATES),
        new_page(&sync_store::SYNC_CHANGE_STATES),
        new_page(&external_panels::STATES),
        new_page(&account_requests::STATES),
        new_page(&providers::STATES),
        new_page(&archive_state::STATES),
        new_page(&users::status::STATES),
        new_page(&account_links::STATES),
        new_page(&jobs::store::STATES),
        new_page(&quarantine::store::STATES),
    ]
}

#[test]
fn the_pages_of_state_machines_are_current() {
    let pages = all_pages();
    for page in &pages {
        assert_generated(&format!("docs/states/{}.md", page.name), &page.text);
    }
    let index_row = |page: &StatePage| format!("| [{}]({}.md) | `{}` |\n", page.title, page.name, page.table);
    let index_rows: String = pages.iter().map(index_row).collect();
    assert_generated("docs/states/README.md", &format!("{INDEX_HEAD}{index_rows}"));
}

#[test]
fn every_page_belongs_to_a_state_machine() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/states");
    let names: Vec<String> = all_pages().iter().map(|page| format!("{}.md", page.name)).collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || names.contains(&name),
            "docs/states/{name} belongs to no state machine; delete it"
        );
    }
}

const INDEX_HEAD: &str = "<!-- Generated from the transition tables in api/domain by `make generate`. -->
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
