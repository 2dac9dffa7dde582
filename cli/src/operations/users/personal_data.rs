//! Commands for data protection requests of customers: export or erase all data of a customer.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::personal_data::{EraseUser, ExportUserData};
use panel_contract::ids::UserId;

use crate::command::CustomCommand;
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::request_command::{
    RequestCommand, WriteSpec, build_request, id_arg, id_for_message, required_id, required_value,
};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};
use crate::output::new_file::create_private_file;

pub(crate) const EXPORT_DATA: CustomCommand = CustomCommand {
    name: "export-data",
    about: "Export all data about a customer to a new JSON file that only you can read",
    examples: &[("users export-data 42 --to customer-42.json", "export the data of customer 42")],
    operations: &[ExportUserData::OP],
    args: |command| {
        command.args([
            id_arg().help("Id of the customer"),
            Arg::new("to").long("to").value_name("FILE").required(true).help("New file; must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(export_data(ctx, matches)),
};

pub(crate) const ERASE: RequestCommand = RequestCommand {
    name: "erase",
    about: "Erase a customer's personal data permanently, except financial records",
    examples: &[
        ("users erase 42 --dry-run", "show which data would be deleted, overwritten or kept"),
        ("users erase 42", "ask for confirmation, then erase the data"),
    ],
    op: EraseUser::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        build_request::<EraseUser>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    json_pointer: "/data/tables",
    columns: &[
        Column::new("table", DisplayKind::Text),
        Column::new("treatment", DisplayKind::Enum),
        Column::new("records", DisplayKind::Number),
        Column::new("fields", DisplayKind::Text),
        Column::new("note", DisplayKind::Text),
    ],
    write: Some(WriteSpec {
        question: |matches| {
            format!("Erase the personal data of customer {}? This cannot be undone.", id_for_message(matches))
        },
        reversibility: Reversibility::Irreversible,
        success: |matches| {
            format!("Erasure of customer {} requested. The account is closed.", id_for_message(matches))
        },
        has_dry_run: true,
    }),
};

async fn export_data(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let (user_id, path): (UserId, String) = (required_id(matches)?, required_value(matches, "to")?);
    let mut file = create_private_file(&path)?;
    let written_bytes = download_to_file(ctx, user_id, &mut file).await.inspect_err(|_| {
        // The user could mistake an incomplete file for a complete export.
        let _ = std::fs::remove_file(&path);
    })?;
    ctx.out.print_message(&format!("Exported {written_bytes} bytes to {path}."));
    Ok(Exit::Ok)
}

async fn download_to_file(ctx: &Ctx, user_id: UserId, file: &mut std::fs::File) -> CommandResult<u64> {
    use std::io::Write as _;
    let mut chunks = std::pin::pin!(ctx.client()?.download::<ExportUserData>(user_id).await?);
    let mut written_bytes = 0;
    while let Some(chunk) = chunks.try_next().await? {
        file.write_all(&chunk)?;
        written_bytes += chunk.len() as u64;
    }
    Ok(written_bytes)
}
