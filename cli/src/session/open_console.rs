//! `open`: opens the console in a browser, signed in with a one-time code that is valid for a minute.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::CreateHandoffCode;

use crate::command::CustomCommand;
use crate::command::request_command::optional_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};

pub(crate) const OPEN: CustomCommand = CustomCommand {
    name: "open",
    about: "Open the console in a browser, signed in as this profile",
    examples: &[
        ("open", "open the home page"),
        ("open orders/981204", "open one order"),
        ("open orders --print", "print the address; open it within a minute"),
    ],
    operations: &[CreateHandoffCode::OP],
    args: |command| {
        command
            .arg(Arg::new("path").value_name("PATH").help("Page of the console, such as orders or orders/7"))
            .arg(
                Arg::new("print")
                    .long("print")
                    .action(ArgAction::SetTrue)
                    .help("Print the address instead of opening it; implied if the output is a pipe"),
            )
    },
    run: |ctx, matches| Box::pin(open(ctx, matches)),
};

/// The system's command that opens a URL.
const OPEN_COMMAND: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

async fn open(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let path =
        format!("/{}", optional_value::<String>(matches, "path").unwrap_or_default().trim_start_matches('/'));
    let client = ctx.client()?;
    let code = client.create_handoff_code((), &EmptyQuery {}, &EmptyBody {}).await?.data.code;
    let mut console_url = client.base_url().clone();
    console_url.set_path(&format!("{}/login", console_url.path().trim_end_matches('/')));
    console_url.query_pairs_mut().append_pair("token", &code).append_pair("redirect", &path);
    // The code is in the fragment, which browsers do not send: so no request line and no proxy log contains the code.
    let query = console_url.query().map(str::to_owned);
    console_url.set_query(None);
    console_url.set_fragment(query.as_deref());
    if matches.get_flag("print") || !ctx.out.stdout_is_terminal {
        ctx.out.print_text(console_url.as_str())?;
        return Ok(Exit::Ok);
    }
    // Other processes can read the code in the arguments of this command, but the browser redeems it at once, and it is valid only
    // once.
    let open_result = tokio::process::Command::new(OPEN_COMMAND)
        .arg(console_url.as_str())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .await;
    match open_result {
        Ok(status) if status.success() => {
            ctx.out.print_message(&format!("Opened {path} in your browser."));
            Ok(Exit::Ok)
        }
        _ => Err(Failure::failed(format!("{OPEN_COMMAND} could not open a browser."))
            .hint("panelctl open --print   (open the address within a minute)")),
    }
}
