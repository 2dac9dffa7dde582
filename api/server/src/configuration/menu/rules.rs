//! Validates menu items and the menu tree.

use std::collections::BTreeMap;

use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::MenuItemId;
use panel_contract::menu::{MenuItemPosition, MenuItemStatus};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::records::archivable_kinds::MENU_ITEM;
use crate::records::texts::{self, TextField, TextFields};
use panel_domain::fields::is_http_url;

/// Maximum number of items of a menu.
pub const MAX_ITEMS: usize = 500;
/// Maximum number of levels of a menu.
pub const MAX_DEPTH: usize = 3;
/// Maximum length of the path of a link in bytes.
const MAX_PATH_BYTES: usize = 2_000;

/// The translated fields of a menu item.
pub const TEXTS: TextFields =
    TextFields { owner_type: "menu_item", fields: &[TextField { field: "name", max_chars: 100 }] };
/// The translated fields of a custom item.
pub const CUSTOM_TEXTS: TextFields =
    TextFields { owner_type: "custom_menu_item", fields: &[TextField { field: "name", max_chars: 100 }] };

/// The fields that menu items and custom items share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MenuEntry {
    pub name: String,
    pub icon: Option<String>,
    /// The link: a path of the site or an absolute URL.
    pub url: String,
    /// Whether the link opens in a new tab.
    pub is_blank: bool,
    pub is_enabled: bool,
    /// Whether signed-in customers see the item.
    pub is_allowed_for_authorized: bool,
    /// Whether guests see the item.
    pub is_allowed_for_guest: bool,
    pub translations: Translations,
}

/// The input of these fields; `None` keeps the current value.
#[derive(Debug)]
pub struct MenuEntryInput<'i> {
    pub name: Option<&'i str>,
    pub icon: &'i Patch<String>,
    /// The link: a path of the site or an absolute URL.
    pub url: Option<&'i str>,
    /// Whether the link opens in a new tab.
    pub is_blank: Option<bool>,
    pub is_enabled: Option<bool>,
    /// Whether signed-in customers see the item.
    pub is_allowed_for_authorized: Option<bool>,
    /// Whether guests see the item.
    pub is_allowed_for_guest: Option<bool>,
    pub translations: Option<&'i Translations>,
}

impl Default for MenuEntry {
    fn default() -> Self {
        Self {
            name: String::new(),
            icon: None,
            url: String::new(),
            is_blank: false,
            is_enabled: true,
            is_allowed_for_authorized: true,
            is_allowed_for_guest: true,
            translations: Translations::default(),
        }
    }
}

impl MenuEntry {
    /// Applies an input; adds an error for each invalid field.
    #[must_use]
    pub fn apply_input(
        mut self,
        errors: &mut FieldErrors,
        texts: &TextFields,
        input: &MenuEntryInput<'_>,
    ) -> Self {
        self.translations = texts::merge(errors, texts, &self.translations, input.name, input.translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        if let Some(icon) = input.icon.as_update() {
            let icon = icon.map(|icon| icon.trim()).filter(|icon| !icon.is_empty());
            let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if icon.is_some_and(|icon| icon.len() > 50 || !icon.bytes().all(is_allowed)) {
                errors.add(
                    "icon",
                    "Enter an icon name of at most 50 lowercase letters, digits and hyphens, such as home.",
                );
            }
            self.icon = icon.map(str::to_owned);
        }
        if let Some(url) = input.url {
            url.trim().clone_into(&mut self.url);
        }
        if !is_link(&self.url) {
            errors.add(
                "url",
                "Enter a path that begins with /, or a URL that begins with http:// or https://.",
            );
        }
        self.is_blank = input.is_blank.unwrap_or(self.is_blank);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        self.is_allowed_for_authorized =
            input.is_allowed_for_authorized.unwrap_or(self.is_allowed_for_authorized);
        self.is_allowed_for_guest = input.is_allowed_for_guest.unwrap_or(self.is_allowed_for_guest);
        self
    }
}

/// Whether a string is a path of the site or an absolute URL. `//host` is neither.
fn is_link(url: &str) -> bool {
    let is_forbidden =
        |character: char| character.is_whitespace() || character.is_control() || character == '\\';
    let is_path = url.starts_with('/')
        && !url.starts_with("//")
        && url.len() <= MAX_PATH_BYTES
        && !url.contains(is_forbidden);
    is_path || is_http_url(url)
}

/// The status of an item.
#[must_use]
pub fn status(is_enabled: bool, is_archived: bool) -> MenuItemStatus {
    match (is_archived, is_enabled) {
        (true, _) => MenuItemStatus::Archived,
        (false, true) => MenuItemStatus::Active,
        (false, false) => MenuItemStatus::Disabled,
    }
}

/// Checks whether an item may be archived (`archive`) or restored.
pub fn check_archiving(is_archived: bool, child_names: &[String], archive: bool) -> Result<(), Rejection> {
    MENU_ITEM.check_transition(is_archived, archive)?;
    if archive && !child_names.is_empty() {
        let shown_names: Vec<&str> = child_names.iter().take(5).map(String::as_str).collect();
        let message = format!(
            "This item has {} items below it ({}). Archive or move them first.",
            child_names.len(),
            shown_names.join(", ")
        );
        return Err(Rejection::conflict("menu_item_has_children", message));
    }
    Ok(())
}

/// Checks a complete menu order: each parent is in the list before its children, and no item is too deep.
pub fn check_tree(requested: &[MenuItemPosition]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut depths: BTreeMap<MenuItemId, usize> = BTreeMap::new();
    for (index, item) in requested.iter().enumerate() {
        let depth = match item.parent_id {
            None => Some(1),
            Some(parent) => depths.get(&parent).map(|depth| depth + 1),
        };
        match depth {
            None => errors.add(
                format!("menu_items.{index}.parent_id"),
                "The parent must be in the list before this item.",
            ),
            Some(depth) if depth > MAX_DEPTH => errors.add(
                format!("menu_items.{index}.parent_id"),
                format!("A menu has at most {MAX_DEPTH} levels. Move the item to a higher level."),
            ),
            Some(depth) => drop(depths.insert(item.id, depth)),
        }
    }
    errors.into_result(())
}

/// Checks whether a subtree of `height` levels, with the item itself, fits below a parent at `parent_depth`.
pub fn check_depth(parent_depth: usize, height: usize) -> Result<(), FieldErrors> {
    match parent_depth + height <= MAX_DEPTH {
        true => Ok(()),
        false => Err(FieldErrors::single(
            "parent_id",
            format!("A menu has at most {MAX_DEPTH} levels. Move the item to a higher level."),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_input<'i>(url: &'i str, icon: &'i Patch<String>) -> MenuEntryInput<'i> {
        MenuEntryInput {
            name: Some("Home"),
            icon,
            url: Some(url),
            is_blank: None,
            is_enabled: None,
            is_allowed_for_authorized: None,
            is_allowed_for_guest: None,
            translations: None,
        }
    }

    #[test]
    fn accepts_paths_and_absolute_urls_only() {
        let unchanged_icon = Patch::Keep;
        for (url, is_accepted) in [
            ("/", true),
            ("/services?x=1#a", true),
            ("https://shop.example/a", true),
            ("//evil.example", false),
            ("javascript:alert(1)", false),
            ("/a b", false),
            ("/\\evil.example", false),
            ("services", false),
            ("", false),
        ] {
            let mut errors = FieldErrors::default();
            let entry =
                MenuEntry::default().apply_input(&mut errors, &TEXTS, &entry_input(url, &unchanged_icon));
            assert_eq!(errors.0.is_empty(), is_accepted, "{url}");
            assert_eq!((entry.name.as_str(), entry.is_enabled), ("Home", true));
        }
        let mut errors = FieldErrors::default();
        let icon = Patch::Set("<b>".to_owned());
        drop(MenuEntry::default().apply_input(&mut errors, &TEXTS, &entry_input("/", &icon)));
        assert!(errors.0.contains_key("icon"));
    }

    #[test]
    fn rejects_a_tree_that_is_too_deep_or_out_of_order() {
        let check_positions = |list: &[(i64, Option<i64>)]| {
            let list: Vec<_> = list
                .iter()
                .map(|(id, parent_id)| MenuItemPosition {
                    id: MenuItemId::new(*id),
                    parent_id: parent_id.map(MenuItemId::new),
                })
                .collect();
            check_tree(&list).map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(check_positions(&[(1, None), (2, Some(1)), (3, Some(2)), (4, None)]), Ok(()));
        assert_eq!(check_positions(&[(2, Some(1)), (1, None)]).unwrap_err(), ["menu_items.0.parent_id"]);
        assert_eq!(check_positions(&[(1, Some(1))]).unwrap_err(), ["menu_items.0.parent_id"]);
        let too_deep = [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(3))];
        assert_eq!(check_positions(&too_deep).unwrap_err(), ["menu_items.3.parent_id"]);
        assert!(check_depth(2, 1).is_ok() && check_depth(2, 2).is_err() && check_depth(0, 3).is_ok());
    }

    #[test]
    fn rejects_archiving_an_item_with_children() {
        let child_names = ["A".to_owned()];
        let rejection_code = |result: Result<(), Rejection>| result.map_err(|rejection| rejection.code);
        assert_eq!(rejection_code(check_archiving(false, &child_names, true)), Err("menu_item_has_children"));
        assert_eq!(rejection_code(check_archiving(true, &[], true)), Err("menu_item_archived"));
        assert_eq!(rejection_code(check_archiving(true, &child_names, false)), Ok(()));
    }
}
