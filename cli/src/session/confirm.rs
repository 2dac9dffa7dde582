//! Step-up: where the panel asks who is there, the password is asked for in the terminal, or taken from `PANELCTL_PASSWORD`.
//! It is never a flag, and never kept.

use panel_contract::session::ConfirmInput;

use crate::output::can_ask;

/// The variable that scripts give their password in.
const VARIABLE: &str = "PANELCTL_PASSWORD";

/// The question to the person at the terminal; none without a terminal.
pub(crate) async fn ask() -> Option<ConfirmInput> {
    let password = match std::env::var(VARIABLE).ok().filter(|password| !password.is_empty()) {
        Some(password) => password,
        None if can_ask() => {
            let prompt = "Confirm that it is you; it counts for ten minutes. Password: ";
            let asked = tokio::task::spawn_blocking(move || rpassword::prompt_password(prompt));
            asked.await.ok()?.ok().filter(|password| !password.is_empty())?
        }
        None => return None,
    };
    Some(ConfirmInput { password: Some(password), otp: None, passkey: None })
}
