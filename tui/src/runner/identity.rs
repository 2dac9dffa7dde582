//! Puts the panel's wish for a confirmation to the person as one question, and hands the answer to the calls that wait.
//! The answer goes only to the panel of the session that the question belongs to.

use std::sync::{Arc, Mutex, PoisonError};

use panel_contract::session::ConfirmInput;
use tokio::sync::oneshot;

use crate::job::Answer;
use crate::runner::mail::Out;
use crate::session::Secret;

/// The questions of one session.
#[derive(Debug, Clone)]
pub(crate) struct Questions {
    out: Out,
    /// Calls that wait for the answer; none once the session is over.
    waiting: Arc<Mutex<Option<Vec<oneshot::Sender<ConfirmInput>>>>>,
}

impl Questions {
    /// Questions that are put through `out`.
    pub(crate) fn new(out: &Out) -> Self {
        // A client is made before its session begins, and its letters must arrive in the session.
        Self { out: out.lasting(), waiting: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Waits for the person's answer; none where they decline or the session ends.
    pub(crate) async fn ask(self) -> Option<ConfirmInput> {
        let (sender, answer) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.push(sender);
        self.out.answer(Answer::IdentityNeeded);
        answer.await.ok()
    }

    /// Answers all calls that wait.
    pub(crate) fn answer(&self, password: Option<Secret>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = waiting.as_mut().map(std::mem::take).unwrap_or_default();
        let Some(Secret(password)) = password else { return };
        for call in waiting {
            // A call that was given up meanwhile needs no answer.
            drop(call.send(ConfirmInput { password: Some(password.clone()), ..ConfirmInput::default() }));
        }
    }

    /// Declines what waits and what is asked later.
    pub(crate) fn end(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}
