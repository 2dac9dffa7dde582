//! Tests the client library with the real server, in the way panelctl and panel-tui use it.

use std::time::Duration;

use panel_client::realtime::{Counter, LiveChannel, LiveEvent};
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::LoginInput;
use panel_contract::table::TableQuery;
use panel_demo::accounts;
use panel_platform::db::{Dialect, Sql};

use crate::test_server::TestServer;

test_both_databases! {
    the_client_signs_in_reads_lists_and_receives_live_counters;
}

async fn next_event(live_channel: &mut LiveChannel) -> Option<LiveEvent> {
    tokio::time::timeout(Duration::from_secs(10), live_channel.next()).await.unwrap()
}

async fn the_client_signs_in_reads_lists_and_receives_live_counters(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.insert_generated_records(20, 1_000).await;
    panel_server::start::demo::accounts::create_missing_accounts(&server.panel.app).await.unwrap();
    let client = server.client("owner");
    let input = LoginInput {
        email: "moderator@panel.test".into(),
        password: accounts::PASSWORD.into(),
        captcha: None,
        otp: None,
        passkey: None,
    };
    let session = client.login((), &EmptyQuery {}, &input).await.unwrap();
    assert_eq!(session.user.name, "Mo Derator");
    let profile = client.profile((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    assert_eq!(profile.data, session.user);
    let page = client.list_orders((), &TableQuery::new().page(0, 7), &EmptyBody {}).await.unwrap();
    assert_eq!((page.data.len(), page.records_total), (7, 1_000));

    let mut live_channel = client.open_live_channel();
    let Some(LiveEvent::Connected(counters)) = next_event(&mut live_channel).await else {
        panic!("the live channel did not connect")
    };
    let moderate_orders_sql =
        Sql::new("UPDATE orders SET status = 'in_moderation' WHERE status = 'in_processing'");
    let moved_order_count = i64::try_from(server.panel.execute(moderate_orders_sql).await).unwrap();
    assert_eq!(moved_order_count, counters.orders_in_processing_count);
    server.panel.app.live.notify_change();
    let expected_count = counters.orders_in_moderation_count + moved_order_count;
    loop {
        match next_event(&mut live_channel).await {
            Some(LiveEvent::CounterChanged { counter: Counter::OrdersInModeration, count })
                if count == expected_count =>
            {
                break;
            }
            Some(LiveEvent::CounterChanged { .. }) => {}
            event => panic!("unexpected event: {event:?}"),
        }
    }
    client.logout((), &EmptyQuery {}, &EmptyBody {}).await.unwrap();
    // After the sign-out the server closes the connection. The client may reconnect once, and then gives up.
    loop {
        match next_event(&mut live_channel).await {
            Some(LiveEvent::CounterChanged { .. } | LiveEvent::Disconnected { retry_in: Some(_), .. }) => {}
            Some(LiveEvent::Disconnected { retry_in: None, .. }) | None => break,
            Some(LiveEvent::Connected(_)) => panic!("the client must not connect after the sign-out"),
        }
    }
}
