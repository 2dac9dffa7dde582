//! `pages`: manages the pages of the customers' site.

use clap::{ArgMatches, Command};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::lists;
use panel_contract::pages::PanelPageInput;

use crate::command::archive_command::archive_command;
use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, optional_value, request_for, required_id,
};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::text::{read_translations, text_arg, translations_arg};
use crate::command::{Cmd, CommandGroup};
use crate::failure::CmdResult;

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "pages",
    alias: Some("page"),
    about: "Manage pages of the customers' site and their texts for search engines",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
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

const CREATE: Call = Call {
    name: "create",
    about: "Create a page",
    examples: &[("pages create --name Services --route-name services.index", "create a page")],
    op: CreatePanelPage::OP,
    args: page_args,
    request: |_, matches| request_for::<CreatePanelPage>((), &EmptyQuery {}, &read_input(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this page?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl pages archive"),
        success: |_| "Page created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a page; fields without an option keep their values",
    examples: &[("pages update 3 --translations texts.json", "replace its texts in all languages")],
    op: UpdatePanelPage::OP,
    args: |command| page_args(command.arg(id_arg())),
    request: |_, matches| {
        request_for::<UpdatePanelPage>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update page {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Page {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archive_command!("archive", ArchivePanelPage, {
    about: "Archive a page",
    example: ("pages archive 3", "archive one page"),
    question: "Archive page {}?",
    success: "Page {} archived.",
});

const UNARCHIVE: Call = archive_command!("unarchive", UnarchivePanelPage, {
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

fn read_input(matches: &ArgMatches) -> CmdResult<PanelPageInput> {
    Ok(PanelPageInput {
        page_id: None,
        name: optional_value(matches, "name"),
        route_name: optional_value(matches, "route-name"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
