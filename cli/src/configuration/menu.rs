//! The menu of the customer site, and custom items that staff add.

use clap::{Arg, ArgMatches, Command};
use panel_contract::common::Patch;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::menu::{
    ArchiveMenuItem, CreateCustomMenuItem, CreateMenuItem, DeleteCustomMenuItem, ListCustomMenuItems,
    SortMenuItems, UnarchiveMenuItem, UpdateCustomMenuItem, UpdateMenuItem,
};
use panel_contract::ids::MenuItemId;
use panel_contract::lists;
use panel_contract::menu::{CustomMenuItemInput, MenuItemInput, MenuItemPosition, SortMenuInput};

use crate::command::archive_command::archive_command;
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::text::{read_text_or_none, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec};
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "menu",
    alias: None,
    about: "Manage the menu of the customer site",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&SORT),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Nested(&CUSTOM_ITEMS),
        CommandSpec::Export(&LIST),
    ],
};

const CUSTOM_ITEMS: CommandGroup = CommandGroup {
    name: "custom",
    alias: None,
    about: "Manage custom items: links to your own pages or other sites",
    commands: &[
        CommandSpec::Request(&CUSTOM_LIST),
        CommandSpec::Request(&CUSTOM_CREATE),
        CommandSpec::Request(&CUSTOM_UPDATE),
        CommandSpec::Request(&CUSTOM_DELETE),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::menu::MENU_ITEMS,
    plural: "menu items",
    singular: "menu item",
    about: "List the items of the menu",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("archived", "is_archived", "Filter by archived (1) or not archived (0)"),
    ],
    time_column: "created_at",
    examples: &[("menu list --archived 0 --sort sorting", "the menu as customers see it")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a menu item at the last position",
    examples: &[("menu create --name Blog --url /blog --parent 3", "create an item below item 3")],
    op: CreateMenuItem::OP,
    args: menu_item_args,
    request: |_, matches| build_request::<CreateMenuItem>((), &EmptyQuery {}, &read_menu_item(matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this menu item?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl menu archive"),
        success: |_| "Menu item created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a menu item; fields without an option keep their values",
    examples: &[(
        "menu update 3 --guests off --parent none",
        "move an item to the top level and hide it from visitors who are not signed in",
    )],
    op: UpdateMenuItem::OP,
    args: |command| menu_item_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateMenuItem>(required_id(matches)?, &EmptyQuery {}, &read_menu_item(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update menu item {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Menu item {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const SORT: RequestCommand = RequestCommand {
    name: "sort",
    about: "Set the positions of all menu items",
    examples: &[("menu sort 3 1:3 2", "list all items that are not archived: 3 first, 1 below it, then 2")],
    op: SortMenuItems::OP,
    args: |command| {
        command.arg(
            Arg::new("menu-items")
                .value_name("ID[:PARENT]")
                .num_args(1..)
                .required(true)
                .help("All items in the new order, each with the id of its parent"),
        )
    },
    request: |_, matches| build_request::<SortMenuItems>((), &EmptyQuery {}, &read_sorting(matches)?),
    write: Some(WriteSpec {
        question: |_| "Save these positions?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old positions"),
        success: |_| "Positions saved.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveMenuItem, {
    about: "Archive a menu item; rejected while it has items below it",
    example: ("menu archive 3", "archive one item"),
    question: "Archive menu item {}?",
    success: "Menu item {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveMenuItem, {
    about: "Restore an archived menu item at the last position",
    example: ("menu unarchive 3", "restore one item"),
    question: "Restore menu item {}?",
    success: "Menu item {} restored.",
});

const CUSTOM_LIST: RequestCommand = RequestCommand {
    name: "list",
    about: "List custom menu items",
    examples: &[("menu custom list", "list all custom items")],
    op: ListCustomMenuItems::OP,
    args: |command| command,
    request: |_, _| build_request::<ListCustomMenuItems>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("url", DisplayKind::Text),
        Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
        Column::new("show_in_internal", DisplayKind::Enum).with_title("customer area"),
        Column::new("show_in_public", DisplayKind::Enum).with_title("public site"),
        Column::hidden("is_blank", DisplayKind::Enum),
        Column::hidden("is_allowed_for_authorized", DisplayKind::Enum),
        Column::hidden("is_allowed_for_guest", DisplayKind::Enum),
        Column::hidden("icon", DisplayKind::Text),
    ],
    write: None,
    ..BASE_COMMAND
};

const CUSTOM_CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a custom menu item",
    examples: &[(
        "menu custom create --name Blog --url https://blog.example --blank on",
        "create an item that opens a new tab",
    )],
    op: CreateCustomMenuItem::OP,
    args: custom_item_args,
    request: |_, matches| {
        build_request::<CreateCustomMenuItem>((), &EmptyQuery {}, &read_custom_item(matches)?)
    },
    write: Some(WriteSpec {
        question: |_| "Create this custom menu item?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl menu custom delete"),
        success: |_| "Custom menu item created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const CUSTOM_UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a custom menu item; fields without an option keep their values",
    examples: &[("menu custom update 3 --public on", "show it on the public site")],
    op: UpdateCustomMenuItem::OP,
    args: |command| custom_item_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateCustomMenuItem>(
            required_id(matches)?,
            &EmptyQuery {},
            &read_custom_item(matches)?,
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update custom menu item {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Custom menu item {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const CUSTOM_DELETE: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a custom menu item",
    examples: &[("menu custom delete 3", "delete one item")],
    op: DeleteCustomMenuItem::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeleteCustomMenuItem>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete custom menu item {}?", id_for_message(matches)),
        reversibility: Reversibility::Irreversible,
        success: |matches| format!("Custom menu item {} deleted.", id_for_message(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

fn common_item_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("url", "Path that starts with /, or an absolute URL"),
        text_arg("icon", "Name of the icon, such as home, or none"),
        on_off_option("is-enabled", "enabled", "Enable or disable the item"),
        on_off_option("is-allowed-for-authorized", "authorized", "Show it to signed-in customers"),
        on_off_option("is-allowed-for-guest", "guests", "Show it to visitors who are not signed in"),
        on_off_option("is-blank", "blank", "Open it in a new tab"),
        translations_arg(),
    ])
}

fn on_off_option(name: &'static str, long: &'static str, help: &'static str) -> Arg {
    on_off_arg(name).long(long).help(help)
}

fn menu_item_args(command: Command) -> Command {
    let parent = Arg::new("parent-id")
        .long("parent")
        .value_name("ID")
        .help("Id of the parent item, or none for the top level");
    common_item_args(command).arg(parent)
}

fn custom_item_args(command: Command) -> Command {
    common_item_args(command).args([
        on_off_option("show-in-internal", "internal", "Show it in the customer area"),
        on_off_option("show-in-public", "public", "Show it on the public site"),
    ])
}

fn read_menu_item(matches: &ArgMatches) -> CommandResult<MenuItemInput> {
    Ok(MenuItemInput {
        name: optional_value(matches, "name"),
        icon: read_text_or_none(matches, "icon"),
        url: optional_value(matches, "url"),
        parent_id: read_parent(matches)?,
        is_enabled: optional_value(matches, "is-enabled"),
        is_allowed_for_authorized: optional_value(matches, "is-allowed-for-authorized"),
        is_allowed_for_guest: optional_value(matches, "is-allowed-for-guest"),
        is_blank: optional_value(matches, "is-blank"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}

fn read_parent(matches: &ArgMatches) -> CommandResult<Patch<MenuItemId>> {
    parse_value_or_none(matches, "parent-id")
}

fn read_custom_item(matches: &ArgMatches) -> CommandResult<CustomMenuItemInput> {
    Ok(CustomMenuItemInput {
        name: optional_value(matches, "name"),
        icon: read_text_or_none(matches, "icon"),
        url: optional_value(matches, "url"),
        is_blank: optional_value(matches, "is-blank"),
        is_enabled: optional_value(matches, "is-enabled"),
        is_allowed_for_authorized: optional_value(matches, "is-allowed-for-authorized"),
        is_allowed_for_guest: optional_value(matches, "is-allowed-for-guest"),
        show_in_internal: optional_value(matches, "show-in-internal"),
        show_in_public: optional_value(matches, "show-in-public"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}

fn read_sorting(matches: &ArgMatches) -> CommandResult<SortMenuInput> {
    let mut menu_items = Vec::new();
    for value in matches.get_many::<String>("menu-items").into_iter().flatten() {
        let usage_error = |_| Failure::usage(format!("{value}: expected ID or ID:PARENT."));
        let (id, parent) =
            value.split_once(':').map_or((value.as_str(), None), |(id, parent)| (id, Some(parent)));
        let parent_id = parent.map(str::parse).transpose().map_err(usage_error)?;
        menu_items.push(MenuItemPosition { id: id.parse().map_err(usage_error)?, parent_id });
    }
    Ok(SortMenuInput { menu_items })
}
