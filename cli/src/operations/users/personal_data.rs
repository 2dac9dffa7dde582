//! Commands for data protection requests of customers: exports or erases all their data.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::personal_data::{EraseUser, ExportUserData};
use panel_contract::ids::UserId;

use crate::command::CustomCommand;
use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, request_for, required_id, required_value,
};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};
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

pub(crate) const ERASE: Call = Call {
    name: "erase",
    about: "Erase a customer's personal data permanently, except financial records",
    examples: &[
        ("users erase 42 --dry-run", "show which data would be deleted, overwritten or kept"),
        ("users erase 42", "ask for confirmation, then erase"),
    ],
    op: EraseUser::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        request_for::<EraseUser>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    pointer: "/data/tables",
    columns: &[
        Column::new("table", Kind::Text),
        Column::new("treatment", Kind::Enum),
        Column::new("records", Kind::Number),
        Column::new("fields", Kind::Text),
        Column::new("note", Kind::Text),
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

async fn export_data(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let (user_id, path): (UserId, String) = (required_id(matches)?, required_value(matches, "to")?);
    let mut file = create_private_file(&path)?;
    let written_bytes = download_to_file(ctx, user_id, &mut file).await.inspect_err(|_| {
        // The user could mistake an incomplete file for a complete export.
        let _ = std::fs::remove_file(&path);
    })?;
    ctx.out.print_message(&format!("Exported {written_bytes} bytes to {path}."));
    Ok(Exit::Ok)
}

async fn download_to_file(ctx: &Ctx, user_id: UserId, file: &mut std::fs::File) -> CmdResult<u64> {
    use std::io::Write as _;
    let mut chunks = std::pin::pin!(ctx.client()?.download::<ExportUserData>(user_id).await?);
    let mut written_bytes = 0;
    while let Some(chunk) = chunks.try_next().await? {
        file.write_all(&chunk)?;
        written_bytes += chunk.len() as u64;
    }
    Ok(written_bytes)
}
