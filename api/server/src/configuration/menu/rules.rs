//! What an item of a menu may be, and which trees are menus. Pure.

use std::collections::BTreeMap;

use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::MenuItemId;
use panel_contract::menu::{MenuItemStatus, PlacedMenuItem};
use panel_kernel::rejection::Rejection;
use serde::Serialize;

use crate::records::archivables::MENU_ITEM;
use crate::records::texts::{self, Text, Texts};
use panel_domain::fields::is_address;

/// Most items of a menu.
pub const MOST: usize = 500;
/// How deep a menu may go.
pub const DEEPEST: usize = 3;
/// Longest path.
const PATH: usize = 2_000;

/// What an item has in every language.
pub const TEXTS: Texts = Texts { owner: "menu_item", fields: &[Text { field: "name", most: 100 }] };
/// The same of an added item.
pub const CUSTOM_TEXTS: Texts =
    Texts { owner: "custom_menu_item", fields: &[Text { field: "name", most: 100 }] };

/// What both kinds of item have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// English name.
    pub name: String,
    /// The name of its icon.
    pub icon: Option<String>,
    /// Where it leads.
    pub url: String,
    /// Whether it opens a tab of its own.
    pub is_blank: bool,
    /// Whether it is shown.
    pub is_enabled: bool,
    /// Whether it is shown to who is signed in.
    pub is_allowed_for_authorized: bool,
    /// Whether it is shown to who is not.
    pub is_allowed_for_guest: bool,
    /// Its texts.
    pub translations: Translations,
}

/// What an input says of them.
#[derive(Debug)]
pub struct Said<'i> {
    /// English name.
    pub name: Option<&'i str>,
    /// The name of its icon.
    pub icon: &'i Patch<String>,
    /// Where it leads.
    pub url: Option<&'i str>,
    /// Tab, shown, for who is signed in, for who is not.
    pub flags: [Option<bool>; 4],
    /// Its texts.
    pub translations: Option<&'i Translations>,
}

impl Default for Entry {
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

impl Entry {
    /// After an input; each wrong field is named.
    #[must_use]
    pub fn with(mut self, errors: &mut FieldErrors, texts: &Texts, said: &Said<'_>) -> Self {
        self.translations = texts::settle(errors, texts, &self.translations, said.name, said.translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        if let Some(icon) = said.icon.wish() {
            let icon = icon.map(|icon| icon.trim()).filter(|icon| !icon.is_empty());
            let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if icon.is_some_and(|icon| icon.len() > 50 || !icon.bytes().all(plain)) {
                errors.add(
                    "icon",
                    "Name an icon with at most 50 small letters, digits and hyphens, such as home.",
                );
            }
            self.icon = icon.map(str::to_owned);
        }
        if let Some(url) = said.url {
            url.trim().clone_into(&mut self.url);
        }
        if !leads_somewhere(&self.url) {
            errors.add(
                "url",
                "Give a path that begins with /, or an address that begins with http:// or https://.",
            );
        }
        let [blank, enabled, authorized, guest] = said.flags;
        self.is_blank = blank.unwrap_or(self.is_blank);
        self.is_enabled = enabled.unwrap_or(self.is_enabled);
        self.is_allowed_for_authorized = authorized.unwrap_or(self.is_allowed_for_authorized);
        self.is_allowed_for_guest = guest.unwrap_or(self.is_allowed_for_guest);
        self
    }
}

/// A path of the site or an absolute address; `//host` is neither.
fn leads_somewhere(url: &str) -> bool {
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\\';
    let is_path = url.starts_with('/') && !url.starts_with("//") && url.len() <= PATH && !url.contains(odd);
    is_path || is_address(url)
}

/// Where an item stands.
#[must_use]
pub fn status(is_enabled: bool, is_archived: bool) -> MenuItemStatus {
    match (is_archived, is_enabled) {
        (true, _) => MenuItemStatus::Archived,
        (false, true) => MenuItemStatus::Active,
        (false, false) => MenuItemStatus::Disabled,
    }
}

/// Whether an item may be put away or taken back.
pub fn judge_away(is_archived: bool, children: &[String], away: bool) -> Result<(), Rejection> {
    MENU_ITEM.judge(is_archived, away)?;
    if away && !children.is_empty() {
        let some: Vec<&str> = children.iter().take(5).map(String::as_str).collect();
        let message = format!(
            "{} items stand below this one ({}); archive or move them first.",
            children.len(),
            some.join(", ")
        );
        return Err(Rejection::conflict("menu_item_has_children", message));
    }
    Ok(())
}

/// Whether a whole order is one: parents are in it, stand before their children, and nothing is too deep.
pub fn judge_tree(wanted: &[PlacedMenuItem]) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    let mut depths: BTreeMap<MenuItemId, usize> = BTreeMap::new();
    for (at, item) in wanted.iter().enumerate() {
        let depth = match item.parent_id {
            None => Some(1),
            Some(parent) => depths.get(&parent).map(|depth| depth + 1),
        };
        match depth {
            None => errors.add(
                format!("menu_items.{at}.parent_id"),
                "The item that it stands below must stand before it in the list.",
            ),
            Some(depth) if depth > DEEPEST => errors.add(
                format!("menu_items.{at}.parent_id"),
                format!("A menu is at most {DEEPEST} deep; put it higher up."),
            ),
            Some(depth) => drop(depths.insert(item.id, depth)),
        }
    }
    errors.or(())
}

/// Whether an item with so much below it (itself counts one) may stand below a parent at this depth.
pub fn judge_depth(parent_depth: usize, height: usize) -> Result<(), FieldErrors> {
    match parent_depth + height <= DEEPEST {
        true => Ok(()),
        false => {
            Err(FieldErrors::one("parent_id", format!("A menu is at most {DEEPEST} deep; put it higher up.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'i>(url: &'i str, icon: &'i Patch<String>) -> Said<'i> {
        Said { name: Some("Home"), icon, url: Some(url), flags: [None; 4], translations: None }
    }

    #[test]
    fn addresses_lead_somewhere() {
        let keep = Patch::Keep;
        for (url, is_good) in [
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
            let entry = Entry::default().with(&mut errors, &TEXTS, &said(url, &keep));
            assert_eq!(errors.0.is_empty(), is_good, "{url}");
            assert_eq!((entry.name.as_str(), entry.is_enabled), ("Home", true));
        }
        let mut errors = FieldErrors::default();
        let icon = Patch::Set("<b>".to_owned());
        drop(Entry::default().with(&mut errors, &TEXTS, &said("/", &icon)));
        assert!(errors.0.contains_key("icon"));
    }

    #[test]
    fn a_tree_is_no_deeper_than_it_may() {
        let placed = |list: &[(i64, Option<i64>)]| {
            let list: Vec<_> = list
                .iter()
                .map(|(id, parent_id)| PlacedMenuItem {
                    id: MenuItemId::new(*id),
                    parent_id: parent_id.map(MenuItemId::new),
                })
                .collect();
            judge_tree(&list).map_err(|errors| errors.0.into_keys().collect::<Vec<_>>())
        };
        assert_eq!(placed(&[(1, None), (2, Some(1)), (3, Some(2)), (4, None)]), Ok(()));
        assert_eq!(placed(&[(2, Some(1)), (1, None)]).unwrap_err(), ["menu_items.0.parent_id"]);
        assert_eq!(placed(&[(1, Some(1))]).unwrap_err(), ["menu_items.0.parent_id"]);
        let deep = [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(3))];
        assert_eq!(placed(&deep).unwrap_err(), ["menu_items.3.parent_id"]);
        assert!(judge_depth(2, 1).is_ok() && judge_depth(2, 2).is_err() && judge_depth(0, 3).is_ok());
    }

    #[test]
    fn what_others_stand_below_stays() {
        let below = ["A".to_owned()];
        let code = |outcome: Result<(), Rejection>| outcome.map_err(|refusal| refusal.code);
        assert_eq!(code(judge_away(false, &below, true)), Err("menu_item_has_children"));
        assert_eq!(code(judge_away(true, &[], true)), Err("menu_item_archived"));
        assert_eq!(code(judge_away(true, &below, false)), Ok(()));
    }
}
