//! `open`: the console in a browser, signed in by a code that is good once and for a minute.

use clap::{Arg, ArgAction, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::session::CreateHandoffCode;

use crate::command::Own;
use crate::command::call::opt;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};

/// `open`.
pub(crate) const OPEN: Own = Own {
    name: "open",
    about: "Opens the console in a browser, signed in as this profile",
    examples: &[
        ("open", "the start page"),
        ("open orders/981204", "one order"),
        ("open orders --print", "prints the address, to be opened within a minute"),
    ],
    reaches: &[CreateHandoffCode::OP],
    args: |command| {
        command
            .arg(
                Arg::new("path").value_name("PATH").help("A page of the console, such as orders or orders/7"),
            )
            .arg(
                Arg::new("print")
                    .long("print")
                    .action(ArgAction::SetTrue)
                    .help("Prints the address instead; so does a pipe"),
            )
    },
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

/// What opens an address, by system.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let path = format!("/{}", opt::<String>(matches, "path").unwrap_or_default().trim_start_matches('/'));
    let client = ctx.client()?;
    let code = client.create_handoff_code((), &NoQuery {}, &NoBody {}).await?.data.code;
    let mut address = client.base().clone();
    address.set_path(&format!("{}/login", address.path().trim_end_matches('/')));
    address.query_pairs_mut().append_pair("token", &code).append_pair("redirect", &path);
    // Behind the `#`, so that no request line and no log of a proxy has the code.
    let hidden = address.query().map(str::to_owned);
    address.set_query(None);
    address.set_fragment(hidden.as_deref());
    if matches.get_flag("print") || !ctx.out.to_terminal {
        ctx.out.text(address.as_str())?;
        return Ok(Exit::Ok);
    }
    // The opener's arguments have the code for a moment; a process that reads it there finds it used.
    let opened = tokio::process::Command::new(OPENER)
        .arg(address.as_str())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .await;
    match opened {
        Ok(status) if status.success() => {
            ctx.out.say(&format!("Opened {path} in your browser."));
            Ok(Exit::Ok)
        }
        _ => Err(Failure::failed(format!("{OPENER} could not open a browser."))
            .hint("panelctl open --print, and open the address within a minute")),
    }
}
