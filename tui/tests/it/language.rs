//! Sorts by every column and filters by every field of every queue on a real server.

use panel_client::Client;
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;
use panel_tui::model::filter::{FieldKind, Filter, FilterField};
use panel_tui::model::list::RecordList;
use panel_tui::model::queue::{Source, TABS};

use crate::terminal::start_server;

/// Example filters for a field.
fn example_filters(field: &FilterField) -> Vec<String> {
    let name = field.name;
    match field.kind {
        FieldKind::Text => vec![format!("{name}:anna"), format!("{name}:\"two words\"")],
        FieldKind::Number => vec![format!("{name}:1..9"), format!("{name}>3"), format!("{name}:1,2,3")],
        FieldKind::Percent => vec![format!("{name}>=0.5"), format!("{name}:1..9.5")],
        FieldKind::Money => vec![format!("{name}>=0.5"), format!("{name}>1 {name}<9")],
        FieldKind::Time => vec![format!("{name}>2026-11-01"), format!("{name}:2026-11-01..2026-11-20")],
        FieldKind::Enum(values) => vec![format!("{name}:{}", values.join(","))],
        FieldKind::Flag => vec![format!("{name}:1"), format!("{name}:false")],
    }
}

#[tokio::test]
async fn the_server_accepts_every_sort_column_and_every_filter_field() {
    let (_folder, server) = tokio::task::spawn_blocking(|| start_server(3)).await.unwrap();
    let client = Client::builder(&server.address).build().unwrap();
    let (email, password) = ("admin@panel.test".to_owned(), "panel-demo".to_owned());
    let login = LoginInput { email, password, captcha: None, otp: None, passkey: None };
    client.login((), &EmptyQuery {}, &login).await.unwrap();
    let count_records = async |source: Source, query: &TableQuery, description: &str| {
        let result = match source {
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
            Source::ExternalPanels => unreachable!("the dashboard filters this source itself"),
        };
        result.unwrap_or_else(|error| panic!("{description}: {error:?}"))
    };

    // The dashboard itself filters the report of external panels, so that tab sends no query.
    for tab in TABS.iter().filter(|tab| tab.source != Source::ExternalPanels) {
        let count = count_records(tab.source, &RecordList::new(tab).query(), tab.name).await;
        let expected =
            [("Orders", 3), ("Combo", 0), ("Free trials", 0), ("No provider", 2), ("Withdrawals", 0)];
        assert!(expected.contains(&(tab.name, count)), "{}: {count}", tab.name);
        for sort_key in tab.source.columns().iter().filter_map(|column| column.sort_key) {
            count_records(tab.source, &TableQuery::new().sort(sort_key, true), sort_key).await;
        }
        for filter_text in tab.source.fields().iter().flat_map(example_filters) {
            let filter = Filter::parse(&filter_text, tab.source.fields()).unwrap();
            count_records(tab.source, &filter.apply(TableQuery::new().page(0, 10)), &filter_text).await;
        }
    }
    let anna = Filter::parse("user:anna", Source::Orders.fields()).unwrap();
    assert_eq!(count_records(Source::Orders, &anna.apply(TableQuery::new()), "user:anna").await, 3);
}
