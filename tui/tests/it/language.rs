//! Sorts by every column and filters by every field on a real panel.

use panel_client::Client;
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;
use panel_tui::model::filter::{FieldKind, Filter, FilterField};
use panel_tui::model::list::List;
use panel_tui::model::queue::{Source, TABS};

use crate::terminal::panel;

/// Filters to type for a field.
fn samples(field: &FilterField) -> Vec<String> {
    let name = field.name;
    match field.kind {
        FieldKind::Text => vec![format!("{name}:anna"), format!("{name}:\"two words\"")],
        FieldKind::Number => vec![format!("{name}:1..9"), format!("{name}>3"), format!("{name}:1,2,3")],
        FieldKind::Percent => vec![format!("{name}>=0.5"), format!("{name}:1..9.5")],
        FieldKind::Money => vec![format!("{name}>=0.5"), format!("{name}>1 {name}<9")],
        FieldKind::Time => vec![format!("{name}>2026-11-01"), format!("{name}:2026-11-01..2026-11-20")],
        FieldKind::Word(known) => vec![format!("{name}:{}", known.join(","))],
        FieldKind::Flag => vec![format!("{name}:1"), format!("{name}:false")],
    }
}

#[tokio::test]
async fn the_panel_understands_every_column_and_every_field() {
    let (_folder, panel) = tokio::task::spawn_blocking(|| panel(3)).await.unwrap();
    let client = Client::builder(&panel.address).build().unwrap();
    let (email, password) = ("admin@panel.test".to_owned(), "panel-demo".to_owned());
    let login = LoginInput { email, password, captcha: None, otp: None, passkey: None };
    client.login((), &EmptyQuery {}, &login).await.unwrap();
    let ask = async |source: Source, query: &TableQuery, what: &str| {
        let found = match source {
            Source::Orders => {
                client.list_orders((), query, &EmptyBody {}).await.map(|page| page.records_filtered)
            }
            Source::ComboOrders => {
                client.list_combo_orders((), query, &EmptyBody {}).await.map(|page| page.records_filtered)
            }
            Source::FreeTrials => {
                client.list_free_trials((), query, &EmptyBody {}).await.map(|page| page.records_filtered)
            }
            Source::Withdrawals => {
                client.list_withdrawals((), query, &EmptyBody {}).await.map(|page| page.records_filtered)
            }
            Source::ExternalPanels => unreachable!("the dashboard filters it"),
        };
        found.unwrap_or_else(|error| panic!("{what}: {error:?}"))
    };

    // The report of external panels is filtered by the dashboard, so its tab sends no query.
    for tab in TABS.iter().filter(|tab| tab.source != Source::ExternalPanels) {
        let found = ask(tab.source, &List::new(tab).query(), tab.name).await;
        let wanted =
            [("Orders", 3), ("Combo", 0), ("Free trials", 0), ("No provider", 2), ("Withdrawals", 0)];
        assert!(wanted.contains(&(tab.name, found)), "{}: {found}", tab.name);
        for sort in tab.source.columns().iter().filter_map(|column| column.sort) {
            ask(tab.source, &TableQuery::new().sort(sort, true), sort).await;
        }
        for typed in tab.source.fields().iter().flat_map(samples) {
            let filter = Filter::parse(&typed, tab.source.fields()).unwrap();
            ask(tab.source, &filter.apply(TableQuery::new().page(0, 10)), &typed).await;
        }
    }
    let anna = Filter::parse("user:anna", Source::Orders.fields()).unwrap();
    assert_eq!(ask(Source::Orders, &anna.apply(TableQuery::new()), "user:anna").await, 3);
}
