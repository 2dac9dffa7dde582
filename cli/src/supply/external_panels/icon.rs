//! `external-panels icon`: saves the icon of an external panel to a file.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::external_panels::ShowExternalPanelIcon;
use panel_contract::ids::ExternalPanelId;

use crate::command::CustomCommand;
use crate::command::request_command::{id_arg, required_id, required_value};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::new_file::create_private_file;

pub(super) const ICON: CustomCommand = CustomCommand {
    name: "icon",
    about: "Save the icon of an external panel's website to a new file",
    examples: &[("external-panels icon 3 --to panel.ico", "save the icon of external panel 3")],
    operations: &[ShowExternalPanelIcon::OP],
    args: |command| {
        let path =
            Arg::new("to").long("to").value_name("FILE").required(true).help("New file; must not exist yet");
        command.args([id_arg().help("Id of the external panel"), path])
    },
    run: |ctx, matches| Box::pin(save_icon(ctx, matches)),
};

async fn save_icon(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    use std::io::Write as _;
    let (panel_id, path): (ExternalPanelId, String) = (required_id(matches)?, required_value(matches, "to")?);
    let icon = ctx.client()?.show_external_panel_icon(panel_id, &EmptyQuery {}, &EmptyBody {}).await?;
    if icon.0.is_empty() {
        return Err(Failure::failed(format!("External panel {panel_id} has no icon.")));
    }
    let mut file = create_private_file(&path)?;
    file.write_all(&icon.0)?;
    ctx.out.print_message(&format!("Saved {} bytes to {path}.", icon.0.len()));
    Ok(Exit::Ok)
}
