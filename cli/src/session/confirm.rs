//! Step-up: where the panel asks for a confirmation, panelctl asks for the password in the terminal, or reads it from
//! `PANELCTL_PASSWORD`. It is never a flag, and panelctl never stores it.

use panel_contract::session::ConfirmInput;

use crate::output::can_ask;

/// The environment variable with the password of a script.
const VARIABLE: &str = "PANELCTL_PASSWORD";

/// The question to the person at the terminal; none without a terminal.
pub(crate) async fn ask() -> Option<ConfirmInput> {
    let password = match std::env::var(VARIABLE).ok().filter(|password| !password.is_empty()) {
        Some(password) => password,
        None if can_ask() => {
            let prompt = "Confirm that it is you (for ten minutes). Password: ";
            let answer = tokio::task::spawn_blocking(move || rpassword::prompt_password(prompt));
            answer.await.ok()?.ok().filter(|password| !password.is_empty())?
        }
        None => return None,
    };
    Some(ConfirmInput { password: Some(password), otp: None, passkey: None })
}
