//! The channel from background tasks to the main loop. It drops the messages of an ended session, but never the results of runs.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::event::Event;
use crate::job::RunnerEvent;
use crate::runner::session::Session;
use crate::session::Connection;

/// A message of a background task.
#[derive(Debug)]
pub(crate) enum RunnerMessage {
    /// An event for the dashboard.
    Event(Event),
    Session(Box<Session>),
}

/// Sends messages to the main loop.
#[derive(Debug, Clone)]
pub(crate) struct MessageSender {
    session_number: Option<u64>,
    sender: UnboundedSender<(Option<u64>, RunnerMessage)>,
}

/// Receives the messages of the background tasks.
#[derive(Debug)]
pub(crate) struct MessageReceiver(UnboundedReceiver<(Option<u64>, RunnerMessage)>);

pub(crate) fn message_channel() -> (MessageSender, MessageReceiver) {
    let (sender, receiver) = unbounded_channel();
    (MessageSender { session_number: Some(0), sender }, MessageReceiver(receiver))
}

impl MessageSender {
    /// Starts a new session. The receiver drops messages of earlier clones.
    pub(crate) fn start_next_session(&mut self) {
        self.session_number = self.session_number.map(|session_number| session_number + 1);
    }

    /// Creates a sender whose messages arrive even after its session has ended.
    pub(crate) fn across_sessions(&self) -> Self {
        Self { session_number: None, sender: self.sender.clone() }
    }

    pub(crate) fn send_runner_event(&self, event: RunnerEvent) {
        self.send_event(Event::Runner(Box::new(event)));
    }

    pub(crate) fn send_connection(&self, connection: Connection) {
        self.send_event(Event::Connection(connection));
    }

    pub(crate) fn send_event(&self, event: Event) {
        self.send(RunnerMessage::Event(event));
    }

    pub(crate) fn send(&self, message: RunnerMessage) {
        // The receiver is closed only when the program ends.
        drop(self.sender.send((self.session_number, message)));
    }
}

impl MessageReceiver {
    /// The next message of the current session of `sender`.
    pub(crate) async fn next(&mut self, sender: &MessageSender) -> Option<RunnerMessage> {
        loop {
            match self.0.recv().await? {
                (session_number, message)
                    if session_number.is_none() || session_number == sender.session_number =>
                {
                    return Some(message);
                }
                _ => {}
            }
        }
    }
}
