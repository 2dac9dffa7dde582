//! `external-panels icon`: the icon of a panel as a file.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::external_panels::ShowExternalPanelIcon;
use panel_contract::ids::ExternalPanelId;

use crate::command::Own;
use crate::command::call::{arg, id, id_arg};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::new_file::new_file;

pub(super) const ICON: Own = Own {
    name: "icon",
    about: "Writes the icon of a panel, as its host gives it, to a new file",
    examples: &[("external-panels icon 3 --to panel.ico", "the icon of panel 3")],
    reaches: &[ShowExternalPanelIcon::OP],
    args: |command| {
        let to = Arg::new("to").long("to").value_name("FILE").required(true).help("Must not exist yet");
        command.args([id_arg().help("The panel"), to])
    },
    run: |ctx, matches| Box::pin(save(ctx, matches)),
};

async fn save(ctx: &Ctx, matches: &ArgMatches) -> Done {
    use std::io::Write as _;
    let (panel, to): (ExternalPanelId, String) = (id(matches)?, arg(matches, "to")?);
    let icon = ctx.client()?.show_external_panel_icon(panel, &NoQuery {}, &NoBody {}).await?;
    if icon.0.is_empty() {
        return Err(Failure::failed(format!("Panel {panel} has no icon.")));
    }
    let mut file = new_file(&to)?;
    file.write_all(&icon.0)?;
    ctx.out.say(&format!("{} bytes in {to}.", icon.0.len()));
    Ok(Exit::Ok)
}
