//! Step-up authentication: if the server requires a confirmation, panelctl asks for the password in the terminal, or reads it from
//! `PANELCTL_PASSWORD`. The password is never a flag, and panelctl never stores it.

use panel_contract::session::ConfirmInput;

use crate::output::can_prompt;

const PASSWORD_VARIABLE: &str = "PANELCTL_PASSWORD";

/// Returns the password of `PANELCTL_PASSWORD`, or asks the user. `None` without the variable and without a terminal.
pub(crate) async fn ask_password() -> Option<ConfirmInput> {
    let password = match std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty()) {
        Some(password) => password,
        None if can_prompt() => {
            let prompt = "Confirm your password (valid for ten minutes): ";
            let input = tokio::task::spawn_blocking(move || rpassword::prompt_password(prompt));
            input.await.ok()?.ok().filter(|password| !password.is_empty())?
        }
        None => return None,
    };
    Some(ConfirmInput { password: Some(password), otp: None, passkey: None })
}
