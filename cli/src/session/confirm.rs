//! Step-up authentication: if the panel requires a confirmation, panelctl asks for the password in the terminal, or reads it from
//! `PANELCTL_PASSWORD`. The password is never a flag, and panelctl never stores it.

use panel_contract::session::ConfirmInput;

use crate::output::can_ask;

/// Holds the password for scripts.
const VARIABLE: &str = "PANELCTL_PASSWORD";

/// The password of the variable or of the user at the terminal; none without either.
pub(crate) async fn ask() -> Option<ConfirmInput> {
    let password = match std::env::var(VARIABLE).ok().filter(|password| !password.is_empty()) {
        Some(password) => password,
        None if can_ask() => {
            let prompt = "Confirm your password (valid for ten minutes): ";
            let answer = tokio::task::spawn_blocking(move || rpassword::prompt_password(prompt));
            answer.await.ok()?.ok().filter(|password| !password.is_empty())?
        }
        None => return None,
    };
    Some(ConfirmInput { password: Some(password), otp: None, passkey: None })
}
