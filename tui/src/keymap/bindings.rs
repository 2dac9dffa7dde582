//! The table of key bindings. The module `keymap` documents the rules for them.

use super::{Binding, Command, KeyContext};
use crate::key::Key;
use crate::model::record_action::RecordAction;
use Command as C;
use Key::{
    BackTab, Backspace, Char, Ctrl, Delete, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab,
    Up,
};
use KeyContext as K;

const fn bind(
    context: KeyContext,
    keys: &'static [Key],
    command: Command,
    hint: &'static str,
    help: &'static str,
    footer_rank: u8,
) -> Binding {
    Binding { context, keys, command, hint, help, footer_rank }
}

const DIGITS: &[Key] =
    &[Char('1'), Char('2'), Char('3'), Char('4'), Char('5'), Char('6'), Char('7'), Char('8'), Char('9')];

/// The key bindings, one per line.
#[rustfmt::skip]
pub static KEYS: &[Binding] = &[
    bind(K::List, &[Char('a')], C::RecordAction(RecordAction::Approve), "approve", "Approve the marked records, or the selected row.", 1),
    bind(K::List, &[Char('r')], C::RecordAction(RecordAction::Reject), "reject", "Reject; orders are not refunded.", 2),
    bind(K::List, &[Char('c')], C::RecordAction(RecordAction::Cancel), "cancel", "Cancel, with or without a refund.", 3),
    bind(K::List, &[Char('p')], C::RecordAction(RecordAction::Pause), "pause", "Pause orders in processing.", 4),
    bind(K::List, &[Char('t')], C::RecordAction(RecordAction::Activate), "activate", "Activate stopped or unpaid orders.", 14),
    bind(K::List, &[Char('d')], C::RecordAction(RecordAction::Complete), "complete", "Complete; mark a withdrawal as paid.", 15),
    bind(K::List, &[Char('m')], C::ActionMenu, "actions", "List all actions, and why one is not available.", 11),
    bind(K::List, &[Char('z')], C::Undo, "undo", "Undo the last action of this session.", 12),
    bind(K::List, &[Char(' ')], C::Mark, "mark", "Mark or unmark the row and move down.", 5),
    bind(K::List, &[Char('v')], C::Range, "range", "Start or end a range; move the cursor to extend it.", 7),
    bind(K::List, &[Char('A')], C::MarkAll, "all", "Mark all matching records, on all pages.", 8),
    bind(K::List, &[Char('u')], C::Unmark, "unmark", "Unmark all.", 9),
    bind(K::List, &[Enter, Right], C::Enter, "open", "Open the record.", 6),
    bind(K::List, &[Esc], C::Back, "back", "End the range, or reset the filter.", 0),
    bind(K::List, &[Char('j'), Down], C::Down, "down", "Move down one row.", 0),
    bind(K::List, &[Char('k'), Up], C::Up, "up", "Move up one row.", 0),
    bind(K::List, &[Char('g'), Home], C::Top, "first", "Go to the first row of the page.", 0),
    bind(K::List, &[Char('G'), End], C::Bottom, "last", "Go to the last row of the page.", 0),
    bind(K::List, &[PageDown, Ctrl('f')], C::PageDown, "screen down", "Move down one screen.", 0),
    bind(K::List, &[PageUp, Ctrl('b')], C::PageUp, "screen up", "Move up one screen.", 0),
    bind(K::List, &[Char(']')], C::NextListPage, "next page", "Go to the next page.", 0),
    bind(K::List, &[Char('[')], C::PreviousListPage, "previous page", "Go to the previous page.", 0),
    bind(K::List, DIGITS, C::Tab, "queue", "Go to the queue with this number.", 0),
    bind(K::List, &[Tab], C::Next, "next queue", "Go to the next queue.", 0),
    bind(K::List, &[BackTab], C::Previous, "previous queue", "Go to the previous queue.", 0),
    bind(K::List, &[Char('/')], C::Filter, "filter", "Filter: cost>50 user:anna status:stopped, or any text.", 10),
    bind(K::List, &[Char(':')], C::CommandLine, "command", "Run a command, such as :orders 981204 or :quit.", 0),
    bind(K::List, &[Char('s')], C::Sort, "sort", "Choose the sort column; again to reverse the order.", 16),
    bind(K::List, &[Char('w')], C::Columns, "columns", "Choose the columns.", 17),
    bind(K::List, &[Char('y')], C::Copy, "copy id", "Copy the id, or all marked ids.", 18),
    bind(K::List, &[Char('o')], C::OpenConsole, "console", "Open the record in the console, or show its address.", 19),
    bind(K::List, &[Ctrl('r')], C::Refresh, "refresh", "Refresh the list and show new rows.", 13),
    bind(K::List, &[Char('?')], C::Help, "keys", "Show the keys; type to search them.", 0),
    bind(K::List, &[Char('q'), Ctrl('c')], C::Quit, "quit", "Quit; asks first while an action is running.", 0),
    bind(K::Detail, &[Esc, Left, Backspace], C::Back, "back", "Go back to the list.", 1),
    bind(K::Detail, &[Char('j'), Down], C::Down, "down", "Scroll down.", 5),
    bind(K::Detail, &[Char('k'), Up], C::Up, "up", "Scroll up.", 6),
    bind(K::Detail, &[Char(']')], C::NextListPage, "next record", "Go to the next record.", 7),
    bind(K::Detail, &[Char('[')], C::PreviousListPage, "previous record", "Go to the previous record.", 8),
    bind(K::Detail, &[PageDown, Char(' ')], C::PageDown, "screen down", "Move down one screen.", 0),
    bind(K::Detail, &[PageUp], C::PageUp, "screen up", "Move up one screen.", 0),
    bind(K::Detail, &[Char('g'), Home], C::Top, "top", "Scroll to the top.", 0),
    bind(K::Detail, &[Char('a')], C::RecordAction(RecordAction::Approve), "approve", "Approve this record.", 2),
    bind(K::Detail, &[Char('r')], C::RecordAction(RecordAction::Reject), "reject", "Reject this record.", 3),
    bind(K::Detail, &[Char('c')], C::RecordAction(RecordAction::Cancel), "cancel", "Cancel this record.", 4),
    bind(K::Detail, &[Char('p')], C::RecordAction(RecordAction::Pause), "pause", "Pause this record.", 0),
    bind(K::Detail, &[Char('t')], C::RecordAction(RecordAction::Activate), "activate", "Activate this record.", 0),
    bind(K::Detail, &[Char('d')], C::RecordAction(RecordAction::Complete), "complete", "Complete this record.", 0),
    bind(K::Detail, &[Char('m')], C::ActionMenu, "actions", "List all actions, and why one is not available.", 9),
    bind(K::Detail, &[Char('z')], C::Undo, "undo", "Undo the last action of this session.", 10),
    bind(K::Detail, &[Char('y')], C::Copy, "copy id", "Copy the id.", 11),
    bind(K::Detail, &[Char('o')], C::OpenConsole, "console", "Open the record in the console, or show its address.", 12),
    bind(K::Detail, &[Ctrl('r')], C::Refresh, "refresh", "Refresh the record.", 0),
    bind(K::Detail, &[Char(':')], C::CommandLine, "command", "Run a command.", 0),
    bind(K::Detail, &[Char('?')], C::Help, "keys", "Show the keys.", 0),
    bind(K::Detail, &[Char('q'), Ctrl('c')], C::Quit, "quit", "Quit.", 0),
    bind(K::Confirm, &[Char('y')], C::Confirm, "confirm", "Confirm; many records require typing the count.", 2),
    bind(K::Confirm, &[Esc, Char('n'), Char('q'), Ctrl('c')], C::Back, "close", "Close without changing anything.", 1),
    bind(K::Confirm, &[Tab, Down], C::Down, "next", "Go to the next field.", 3),
    bind(K::Confirm, &[BackTab, Up], C::Up, "previous", "Go to the previous field.", 0),
    bind(K::Confirm, &[Char(' ')], C::Toggle, "toggle", "Toggle the checkbox, or choose the next value.", 4),
    bind(K::Confirm, &[Right], C::Right, "next value", "Choose the next value.", 0),
    bind(K::Confirm, &[Left], C::Left, "previous value", "Choose the previous value.", 0),
    bind(K::Confirm, &[Enter], C::Enter, "press", "Press the focused button; the safe one comes first.", 5),
    bind(K::Menu, &[Enter, Char(' ')], C::Enter, "choose", "Choose the entry; its own key also chooses it.", 1),
    bind(K::Menu, &[Esc, Char('q'), Ctrl('c')], C::Back, "close", "Close.", 2),
    bind(K::Menu, &[Char('j'), Down, Tab], C::Down, "down", "Move down.", 3),
    bind(K::Menu, &[Char('k'), Up, BackTab], C::Up, "up", "Move up.", 4),
    bind(K::Prompt, &[Enter], C::Enter, "apply", "Apply the text.", 1),
    bind(K::Prompt, &[Esc, Ctrl('c')], C::Back, "close", "Close without changing anything.", 2),
    bind(K::Prompt, &[Up], C::Up, "older", "Show the previous entry.", 3),
    bind(K::Prompt, &[Down], C::Down, "newer", "Show the next entry.", 4),
    bind(K::Help, &[Esc, Ctrl('c')], C::Back, "close", "Close.", 1),
    bind(K::Help, &[Down], C::Down, "down", "Scroll down.", 2),
    bind(K::Help, &[Up], C::Up, "up", "Scroll up.", 3),
    bind(K::Help, &[PageDown], C::PageDown, "screen down", "Move down one screen.", 0),
    bind(K::Help, &[PageUp], C::PageUp, "screen up", "Move up one screen.", 0),
    bind(K::Notice, &[Esc, Enter, Char('q'), Ctrl('c')], C::Back, "close", "Close.", 1),
    bind(K::Notice, &[Char('y')], C::Copy, "copy", "Copy the ids or the address.", 2),
    bind(K::Notice, &[Char('j'), Down, PageDown], C::Down, "down", "Scroll down.", 0),
    bind(K::Notice, &[Char('k'), Up, PageUp], C::Up, "up", "Scroll up.", 0),
    bind(K::SignIn, &[Enter], C::Enter, "sign in", "Go to the next field; on the last one, sign in.", 1),
    bind(K::SignIn, &[Tab, Down], C::Down, "next", "Go to the next field.", 2),
    bind(K::SignIn, &[BackTab, Up], C::Up, "previous", "Go to the previous field.", 3),
    bind(K::SignIn, &[Ctrl('c'), Esc], C::Quit, "quit", "Quit.", 4),
    bind(K::Identity, &[Enter], C::Enter, "confirm", "Confirm with this password.", 1),
    bind(K::Identity, &[Esc, Ctrl('c')], C::Back, "cancel", "Cancel; nothing changes.", 2),
];

/// Editing keys of all text fields; they are not bound to commands.
pub static EDITING_KEYS: &[(&[Key], &str)] = &[
    (&[Left, Right, Home, End], "Move the cursor."),
    (&[Backspace, Delete], "Delete a character."),
    (&[Ctrl('w')], "Delete a word."),
    (&[Ctrl('u')], "Delete to the start of the line."),
];
