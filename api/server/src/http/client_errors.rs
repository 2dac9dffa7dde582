//! Errors that the console reports. The server logs and counts them, but must not store them, because they are untrusted input.
//! Operators read them in the log together with the server's errors.

use panel_contract::client_errors::ClientErrorInput;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::session::ReportClientError;
use panel_contract::fields::FieldErrors;
use panel_kernel::error::Result;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::metrics::CONSOLE_ERRORS;

const MAX_MESSAGE_CHARS: usize = 1_000;
const MAX_PATH_CHARS: usize = 200;
const MAX_STACK_CHARS: usize = 8_000;

pub(crate) fn routes(api: Api) -> Api {
    api.route::<ReportClientError, _, _, _>(log_client_error)
}

async fn log_client_error(ctx: Ctx, req: Req<ReportClientError>) -> Result<EmptyBody> {
    check_lengths(&req.body)?;
    let user_id = ctx.caller()?.user_id;
    let ClientErrorInput { message, path, stack } = &req.body;
    // The debug format escapes control characters, so that a client cannot add lines to the log.
    tracing::error!(user_id = user_id.get(), path = ?path, error = ?message, stack = ?stack.as_deref().unwrap_or_default(), "the console reported an error");
    CONSOLE_ERRORS.unlabeled().increment(1);
    Ok(EmptyBody {})
}

fn check_lengths(input: &ClientErrorInput) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.message.trim().is_empty() {
        errors.add("message", "Send the error's message.");
    }
    let limited_fields = [
        ("message", input.message.as_str(), MAX_MESSAGE_CHARS),
        ("path", input.path.as_str(), MAX_PATH_CHARS),
        ("stack", input.stack.as_deref().unwrap_or_default(), MAX_STACK_CHARS),
    ];
    for (field, text, max_chars) in limited_fields {
        if text.chars().count() > max_chars {
            errors.add(field, format!("Send at most {max_chars} characters."));
        }
    }
    errors.into_result(())
}
