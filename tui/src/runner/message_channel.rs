//! The channel from background tasks to the main loop. Messages of an ended session are dropped; results of runs never
//! are.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::event::Event;
use crate::job::Answer;
use crate::runner::session::Session;
use crate::session::Connection;

/// A message of a background task.
#[derive(Debug)]
pub(crate) enum RunnerMessage {
    /// An event for the dashboard.
    Event(Event),
    /// A new session.
    Session(Box<Session>),
}

/// Sends messages to the main loop. Each message has the number of its session, or none.
#[derive(Debug, Clone)]
pub(crate) struct MessageSender {
    epoch: Option<u64>,
    sender: UnboundedSender<(Option<u64>, RunnerMessage)>,
}

/// Receives the messages of the background tasks.
#[derive(Debug)]
pub(crate) struct MessageReceiver(UnboundedReceiver<(Option<u64>, RunnerMessage)>);

pub(crate) fn message_channel() -> (MessageSender, MessageReceiver) {
    let (sender, receiver) = unbounded_channel();
    (MessageSender { epoch: Some(0), sender }, MessageReceiver(receiver))
}

impl MessageSender {
    /// Starts a new session: messages of earlier clones are dropped.
    pub(crate) fn start_next_session(&mut self) {
        self.epoch = self.epoch.map(|epoch| epoch + 1);
    }

    /// A sender whose messages arrive even after its session has ended.
    pub(crate) fn across_sessions(&self) -> Self {
        Self { epoch: None, sender: self.sender.clone() }
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.event(Event::Answer(Box::new(answer)));
    }

    pub(crate) fn connection(&self, connection: Connection) {
        self.event(Event::Connection(connection));
    }

    pub(crate) fn event(&self, event: Event) {
        self.send(RunnerMessage::Event(event));
    }

    pub(crate) fn send(&self, message: RunnerMessage) {
        // The receiver is closed only when the program ends.
        drop(self.sender.send((self.epoch, message)));
    }
}

impl MessageReceiver {
    /// The next message of the current session of `sender`.
    pub(crate) async fn next(&mut self, sender: &MessageSender) -> Option<RunnerMessage> {
        loop {
            match self.0.recv().await? {
                (epoch, message) if epoch.is_none() || epoch == sender.epoch => return Some(message),
                _ => {}
            }
        }
    }
}
