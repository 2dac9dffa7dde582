//! `pages`: manages the pages of the customer site.

use clap::{ArgMatches, Command};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::lists;
use panel_contract::pages::PanelPageInput;

use crate::command::archive_command::archive_command;
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    required_id,
};
use crate::command::text::{read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::CommandResult;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "pages",
    alias: Some("page"),
    about: "Manage pages of the customer site and their texts for search engines",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::pages::PANEL_PAGES,
    plural: "pages",
    singular: "page",
    about: "List pages, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("route", "route_name", "Filter by part of the route"),
        Filter::new("status", "status", "Filter by status"),
    ],
    time_column: "created_at",
    examples: &[("pages list --status active", "pages that customers can open")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a page",
    examples: &[("pages create --name Services --route-name services.index", "create a page")],
    op: CreatePanelPage::OP,
    args: page_args,
    request: |_, matches| build_request::<CreatePanelPage>((), &EmptyQuery {}, &read_input(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this page?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl pages archive"),
        success: |_| "Page created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a page; fields without an option keep their values",
    examples: &[("pages update 3 --translations texts.json", "replace its texts in all languages")],
    op: UpdatePanelPage::OP,
    args: |command| page_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdatePanelPage>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update page {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Page {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchivePanelPage, {
    about: "Archive a page",
    example: ("pages archive 3", "archive one page"),
    question: "Archive page {}?",
    success: "Page {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchivePanelPage, {
    about: "Restore an archived page",
    example: ("pages unarchive 3", "restore one page"),
    question: "Restore page {}?",
    success: "Page {} restored.",
});

fn page_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("route-name", "Route name in the site, such as services.show"),
        translations_arg(),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<PanelPageInput> {
    Ok(PanelPageInput {
        page_id: None,
        name: optional_value(matches, "name"),
        route_name: optional_value(matches, "route-name"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
