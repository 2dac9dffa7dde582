//! Asks for the password once where the panel requires a confirmation, and passes it to all waiting calls.
//! The password is only sent to the panel of the session that requested it.

use std::sync::{Arc, Mutex, PoisonError};

use panel_contract::session::ConfirmInput;
use tokio::sync::oneshot;

use crate::job::Answer;
use crate::runner::message_channel::MessageSender;
use crate::session::Secret;

#[derive(Debug, Clone)]
pub(crate) struct IdentityPrompts {
    sender: MessageSender,
    /// Calls that wait for the password; `None` once the session has ended.
    waiting: Arc<Mutex<Option<Vec<oneshot::Sender<ConfirmInput>>>>>,
}

impl IdentityPrompts {
    /// Prompts that are sent through `sender`.
    pub(crate) fn new(sender: &MessageSender) -> Self {
        // The client is built before its session starts, and its messages must arrive in the session.
        Self { sender: sender.across_sessions(), waiting: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Waits for the password; `None` where the staff member cancels or the session ends.
    pub(crate) async fn ask(self) -> Option<ConfirmInput> {
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.push(sender);
        self.sender.answer(Answer::IdentityNeeded);
        answer.await.ok()
    }

    /// Answers all waiting calls.
    pub(crate) fn answer(&self, password: Option<Secret>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = waiting.as_mut().map(std::mem::take).unwrap_or_default();
        let Some(Secret(password)) = password else { return };
        for call in waiting {
            // A call that was aborted meanwhile needs no answer.
            drop(call.send(ConfirmInput { password: Some(password.clone()), ..ConfirmInput::default() }));
        }
    }

    /// Cancels all waiting and later prompts.
    pub(crate) fn end(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
