//! Asks for the password once if the server requires a confirmation, and passes it to all waiting requests.
//! It must send the password only to the server of the session that requested it.

use std::sync::{Arc, Mutex, PoisonError};

use panel_contract::session::ConfirmInput;
use tokio::sync::oneshot;

use crate::job::RunnerEvent;
use crate::runner::message_channel::MessageSender;
use crate::session::Secret;

#[derive(Debug, Clone)]
pub(crate) struct IdentityPrompts {
    sender: MessageSender,
    /// The requests that wait for the password; `None` after the session has ended.
    waiting_requests: Arc<Mutex<Option<Vec<oneshot::Sender<ConfirmInput>>>>>,
}

impl IdentityPrompts {
    /// Creates prompts that reach the dashboard through `sender`.
    pub(crate) fn new(sender: &MessageSender) -> Self {
        // The client exists before its session starts, and its messages must still arrive in that session.
        Self { sender: sender.across_sessions(), waiting_requests: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Requests the password and waits for it; `None` if the staff member cancels or the session ends.
    pub(crate) async fn request_password(self) -> Option<ConfirmInput> {
        let (sender, receiver) = oneshot::channel();
        self.waiting_requests.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.push(sender);
        self.sender.send_runner_event(RunnerEvent::IdentityNeeded);
        receiver.await.ok()
    }

    /// Sends the password to all waiting requests; `None` cancels them.
    pub(crate) fn send_password(&self, password: Option<Secret>) {
        let mut waiting_requests = self.waiting_requests.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting_requests = waiting_requests.as_mut().map(std::mem::take).unwrap_or_default();
        let Some(Secret(password)) = password else { return };
        for request in waiting_requests {
            // A request that was aborted in the meantime needs no password.
            drop(request.send(ConfirmInput { password: Some(password.clone()), ..ConfirmInput::default() }));
        }
    }

    /// Cancels all waiting and later prompts.
    pub(crate) fn cancel_all(&self) {
        self.waiting_requests.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
