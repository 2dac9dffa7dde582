//! `open`: opens the console in a browser, signed in with a one-time code that is valid for a minute.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::session::CreateHandoffCode;

use crate::command::CustomCommand;
use crate::command::call::optional_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};

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
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

/// The system's command that opens a URL.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

async fn run(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let path =
        format!("/{}", optional_value::<String>(matches, "path").unwrap_or_default().trim_start_matches('/'));
    let client = ctx.client()?;
    let code = client.create_handoff_code((), &EmptyQuery {}, &EmptyBody {}).await?.data.code;
    let mut address = client.base_url().clone();
    address.set_path(&format!("{}/login", address.path().trim_end_matches('/')));
    address.query_pairs_mut().append_pair("token", &code).append_pair("redirect", &path);
    // The code is in the fragment, which browsers do not send: no request line and no proxy log contains it.
    let query = address.query().map(str::to_owned);
    address.set_query(None);
    address.set_fragment(query.as_deref());
    if matches.get_flag("print") || !ctx.out.stdout_is_terminal {
        ctx.out.print_text(address.as_str())?;
        return Ok(Exit::Ok);
    }
    // Other processes can read the code in the arguments of the opener, but the browser redeems it at once, and it is valid only
    // once.
    let open_result = tokio::process::Command::new(OPENER)
        .arg(address.as_str())
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
        _ => Err(Failure::failed(format!("{OPENER} could not open a browser."))
            .hint("panelctl open --print   (open the address within a minute)")),
    }
}
