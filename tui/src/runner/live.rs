//! The live channel: counters and the state of the connection. While the channel is down, this module requests the counters
//! to find out whether the whole server is down or only the channel.

use std::time::Duration;

use panel_client::Client;
use panel_client::environment::{Environment as _, SystemEnvironment};
use panel_client::realtime::LiveEvent;
use panel_contract::endpoint::{EmptyBody, EmptyQuery};
use panel_contract::session::Counters;

use crate::event::Event;
use crate::runner::message_channel::MessageSender;
use crate::runner::session::{ProfileTarget, outage_connection, time_after};
use crate::session::Connection;

/// The interval of requests to the server if it rejects the live channel.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// A server that does not respond within this time counts as offline.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Follows the live channel until the session ends.
pub(crate) async fn follow_live_channel(client: Client, target: ProfileTarget, sender: MessageSender) {
    loop {
        let mut live = client.open_live_channel();
        let (mut counters, mut is_connected) = (Counters::default(), false);
        while let Some(live_event) = live.next().await {
            match live_event {
                LiveEvent::Connected(current_counters) => {
                    (counters, is_connected) = (current_counters, true);
                    sender.send_event(Event::Counters(counters));
                    sender.send_connection(Connection::Live);
                }
                LiveEvent::CounterChanged { counter, count } => {
                    counter.set_value_in(&mut counters, count);
                    sender.send_event(Event::Counters(counters));
                }
                LiveEvent::Disconnected { retry_in, is_silent, .. } => {
                    let retry_delay = retry_in.unwrap_or(POLL_INTERVAL);
                    if std::mem::take(&mut is_connected) {
                        let retry_at = time_after(retry_delay);
                        sender.send_connection(if is_silent {
                            Connection::Offline(retry_at)
                        } else {
                            Connection::Retry(retry_at)
                        });
                    }
                    check_server(&client, &target, &sender, retry_delay).await;
                }
            }
        }
        SystemEnvironment.sleep(POLL_INTERVAL).await;
    }
}

/// Requests the counters to find out whether the whole server is down or only the live channel.
async fn check_server(
    client: &Client,
    target: &ProfileTarget,
    sender: &MessageSender,
    retry_delay: Duration,
) {
    let retry_at = time_after(retry_delay);
    let response =
        tokio::time::timeout(RESPONSE_TIMEOUT, client.counters((), &EmptyQuery {}, &EmptyBody {})).await;
    let Ok(result) = response else { return sender.send_connection(Connection::Offline(retry_at)) };
    match result {
        Ok(counters) => {
            sender.send_event(Event::Counters(counters.data));
            sender.send_connection(Connection::Retry(retry_at));
        }
        Err(error) if error.is_unauthenticated() => {
            sender.send_connection(Connection::Retry(retry_at));
            target.request_sign_in(sender, Some("Your session has expired. Sign in again.".into()));
        }
        Err(error) if error.is_transient() => sender.send_connection(outage_connection(&error, retry_at)),
        Err(_) => sender.send_connection(Connection::Retry(retry_at)),
    }
}
