//! Errors that the console reports about itself. They are logged and counted, never stored: what a browser sends is foreign
//! data, and an operator looks for it where all other errors are.

use panel_contract::client_errors::ClientErrorInput;
use panel_contract::endpoint::NoBody;
use panel_contract::endpoints::session::ReportClientError;
use panel_contract::fields::FieldErrors;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::metrics::CONSOLE_ERRORS;

/// Longest texts, in characters.
const MAX_MESSAGE: usize = 1_000;
const MAX_PATH: usize = 200;
const MAX_STACK: usize = 8_000;

pub(crate) fn routes(api: Api) -> Api {
    api.on::<ReportClientError, _, _, _>(report)
}

async fn report(ctx: Ctx, req: Req<ReportClientError>) -> Result<NoBody> {
    check(&req.body)?;
    let user_id = ctx.caller()?.user_id;
    let ClientErrorInput { message, path, stack } = &req.body;
    // Debug output escapes control characters, so that a browser cannot write lines of its own into the log.
    tracing::error!(user_id = user_id.get(), path = ?path, error = ?message, stack = ?stack.as_deref().unwrap_or_default(), "the console reported an error");
    CONSOLE_ERRORS.only().increment(1);
    Ok(NoBody {})
}

fn check(input: &ClientErrorInput) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.message.trim().is_empty() {
        errors.add("message", "Send the error's message.");
    }
    let texts = [
        ("message", input.message.as_str(), MAX_MESSAGE),
        ("path", input.path.as_str(), MAX_PATH),
        ("stack", input.stack.as_deref().unwrap_or_default(), MAX_STACK),
    ];
    for (field, text, most) in texts {
        if text.chars().count() > most {
            errors.add(field, format!("Send at most {most} characters."));
        }
    }
    errors.or(())
}
