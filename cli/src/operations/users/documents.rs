//! `users documents`: manages the verification documents of customers.

use clap::{Arg, ArgMatches};
use panel_contract::documents::{DocumentGroup, VerificationDocumentInput};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::documents::*;

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, required_id,
    required_value,
};
use crate::command::{CommandGroup, CommandSpec, CustomCommand, image_args};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};
use crate::output::new_file::create_private_file;

pub(crate) const DOCUMENTS: CommandGroup = CommandGroup {
    name: "documents",
    alias: Some("document"),
    about: "Manage the verification documents of a customer",
    commands: &[CommandSpec::Request(&LIST), CommandSpec::Request(&ADD), CommandSpec::Custom(&SAVE)],
};

const LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List a customer's documents by group",
    examples: &[("users documents list 42 --jq '.[].documents[].id'", "print the ids of all documents")],
    op: ListVerificationDocuments::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| {
        build_request::<ListVerificationDocuments>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[Column::new("group", DisplayKind::Enum), Column::new("documents", DisplayKind::Text)],
    write: None,
};

const ADD: RequestCommand = RequestCommand {
    name: "add",
    about: "Add a document that was received another way, such as by email",
    examples: &[("users documents add 42 id --picture passport.jpg", "add the image of a passport")],
    op: AddVerificationDocument::OP,
    args: |command| {
        let group_parser = clap::builder::PossibleValuesParser::new(DocumentGroup::VALUES.texts);
        let group = Arg::new("group").value_name("GROUP").required(true).help("Document group");
        let group = group.value_parser(group_parser);
        let command = command.args([id_arg().help("Id of the customer"), group]);
        image_args::add(command, "picture", "no-picture")
    },
    request: |_, matches| {
        let body = VerificationDocumentInput {
            group: enum_value(matches, "group")
                .ok_or_else(|| Failure::usage("Specify the document group."))?,
            picture: image_args::read(matches, "picture", "no-picture")?,
        };
        build_request::<AddVerificationDocument>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Add a document to customer {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Document added to customer {}.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const SAVE: CustomCommand = CustomCommand {
    name: "save",
    about: "Save the image of a document to a new file that only you can read; the audit log records the access",
    examples: &[("users documents save 42 7 --to passport.jpg", "save document 7 of customer 42")],
    operations: &[ShowVerificationDocument::OP],
    args: |command| {
        let document = Arg::new("document").value_name("DOCUMENT").value_parser(clap::value_parser!(i64));
        command.args([
            id_arg().help("Id of the customer"),
            document.required(true).help("Id of the document"),
            Arg::new("to").long("to").value_name("FILE").required(true).help("New file; must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(save_document(ctx, matches)),
};

async fn save_document(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    use std::io::Write as _;
    let user_and_document = (required_id(matches)?, required_value(matches, "document")?);
    let path: String = required_value(matches, "to")?;
    let mut file = create_private_file(&path)?;
    let response =
        ctx.client()?.show_verification_document(user_and_document, &EmptyQuery {}, &EmptyBody {}).await;
    let image = response.inspect_err(|_| {
        // Without the image, an empty file would remain.
        let _ = std::fs::remove_file(&path);
    })?;
    file.write_all(&image.0)?;
    ctx.out.print_message(&format!("Saved {} bytes to {path}.", image.0.len()));
    Ok(Exit::Ok)
}
