//! The keys themselves, one row each. See the parent module for what holds for all of them.

use super::{Binding, Command, Place};
use crate::key::Key;
use crate::model::verb::Verb;
use Command as C;
use Key::{
    BackTab, Backspace, Char, Ctrl, Delete, Down, End, Enter, Esc, Home, Left, PageDown, PageUp, Right, Tab,
    Up,
};
use Place as P;

const fn bind(
    place: Place,
    keys: &'static [Key],
    command: Command,
    word: &'static str,
    help: &'static str,
    foot: u8,
) -> Binding {
    Binding { place, keys, command, word, help, foot }
}

const DIGITS: &[Key] =
    &[Char('1'), Char('2'), Char('3'), Char('4'), Char('5'), Char('6'), Char('7'), Char('8'), Char('9')];

/// The table. One row, one line: it is read as a table.
#[rustfmt::skip]
pub static KEYS: &[Binding] = &[
    bind(P::Queue, &[Char('a')], C::Verb(Verb::Approve), "approve", "Approve what is marked, or the row under the cursor.", 1),
    bind(P::Queue, &[Char('r')], C::Verb(Verb::Reject), "reject", "Reject: it stops, the money stays.", 2),
    bind(P::Queue, &[Char('c')], C::Verb(Verb::Cancel), "cancel", "Cancel, with or without returning the money.", 3),
    bind(P::Queue, &[Char('p')], C::Verb(Verb::Pause), "pause", "Pause what is in processing.", 4),
    bind(P::Queue, &[Char('t')], C::Verb(Verb::Activate), "activate", "Activate what is stopped or unpaid.", 14),
    bind(P::Queue, &[Char('d')], C::Verb(Verb::Complete), "complete", "Complete: it counts as done.", 15),
    bind(P::Queue, &[Char('m')], C::More, "more", "Every action, and why one is not possible.", 11),
    bind(P::Queue, &[Char('z')], C::Undo, "undo", "Take back the last action of this session.", 12),
    bind(P::Queue, &[Char(' ')], C::Mark, "mark", "Mark or unmark the row, and go down.", 5),
    bind(P::Queue, &[Char('v')], C::Range, "range", "Begin a range; moving marks it; again to end it.", 7),
    bind(P::Queue, &[Char('A')], C::All, "all", "Mark everything that matches now, on all pages.", 8),
    bind(P::Queue, &[Char('u')], C::Unmark, "unmark", "Unmark everything.", 9),
    bind(P::Queue, &[Enter, Right], C::Enter, "open", "Show the record in full.", 6),
    bind(P::Queue, &[Esc], C::Back, "back", "End the range, or go back to the queue's own filter.", 0),
    bind(P::Queue, &[Char('j'), Down], C::Down, "down", "One row down.", 0),
    bind(P::Queue, &[Char('k'), Up], C::Up, "up", "One row up.", 0),
    bind(P::Queue, &[Char('g'), Home], C::Top, "first", "First row of the page.", 0),
    bind(P::Queue, &[Char('G'), End], C::Bottom, "last", "Last row of the page.", 0),
    bind(P::Queue, &[PageDown, Ctrl('f')], C::PageDown, "screen down", "A screen down.", 0),
    bind(P::Queue, &[PageUp, Ctrl('b')], C::PageUp, "screen up", "A screen up.", 0),
    bind(P::Queue, &[Char(']')], C::PageOn, "next page", "Next page of the list.", 0),
    bind(P::Queue, &[Char('[')], C::PageBack, "page before", "Page of the list before.", 0),
    bind(P::Queue, DIGITS, C::Tab, "queue", "The queue with this number.", 0),
    bind(P::Queue, &[Tab], C::Next, "next queue", "Next queue.", 0),
    bind(P::Queue, &[BackTab], C::Previous, "queue before", "Queue before.", 0),
    bind(P::Queue, &[Char('/')], C::Filter, "filter", "Filter: cost>50 user:anna status:stopped, or any text.", 10),
    bind(P::Queue, &[Char(':')], C::CommandLine, "command", "Command: :orders 981204, :profile name, :quit.", 0),
    bind(P::Queue, &[Char('s')], C::Sort, "sort", "Order by another column, or turn the order around.", 16),
    bind(P::Queue, &[Char('w')], C::Columns, "columns", "Choose the columns.", 17),
    bind(P::Queue, &[Char('y')], C::Copy, "copy id", "Copy the id, or all marked ids.", 18),
    bind(P::Queue, &[Char('o')], C::Web, "console", "Open the record in the console, or show its address.", 19),
    bind(P::Queue, &[Ctrl('r')], C::Refresh, "refresh", "Ask the server again and show what is new.", 13),
    bind(P::Queue, &[Char('?')], C::Help, "keys", "These keys; typing searches them.", 0),
    bind(P::Queue, &[Char('q'), Ctrl('c')], C::Quit, "quit", "Leave; asks only while an action runs.", 0),
    bind(P::Detail, &[Esc, Left, Backspace], C::Back, "back", "Back to the list.", 1),
    bind(P::Detail, &[Char('j'), Down], C::Down, "down", "Scroll down.", 5),
    bind(P::Detail, &[Char('k'), Up], C::Up, "up", "Scroll up.", 6),
    bind(P::Detail, &[Char(']')], C::PageOn, "next record", "The next record of the list.", 7),
    bind(P::Detail, &[Char('[')], C::PageBack, "record before", "The record before it.", 8),
    bind(P::Detail, &[PageDown, Char(' ')], C::PageDown, "screen down", "A screen down.", 0),
    bind(P::Detail, &[PageUp], C::PageUp, "screen up", "A screen up.", 0),
    bind(P::Detail, &[Char('g'), Home], C::Top, "top", "To the top.", 0),
    bind(P::Detail, &[Char('a')], C::Verb(Verb::Approve), "approve", "Approve this record.", 2),
    bind(P::Detail, &[Char('r')], C::Verb(Verb::Reject), "reject", "Reject this record.", 3),
    bind(P::Detail, &[Char('c')], C::Verb(Verb::Cancel), "cancel", "Cancel this record.", 4),
    bind(P::Detail, &[Char('p')], C::Verb(Verb::Pause), "pause", "Pause this record.", 0),
    bind(P::Detail, &[Char('t')], C::Verb(Verb::Activate), "activate", "Activate this record.", 0),
    bind(P::Detail, &[Char('d')], C::Verb(Verb::Complete), "complete", "Complete this record.", 0),
    bind(P::Detail, &[Char('m')], C::More, "more", "Every action, and why one is not possible.", 9),
    bind(P::Detail, &[Char('z')], C::Undo, "undo", "Take back the last action of this session.", 10),
    bind(P::Detail, &[Char('y')], C::Copy, "copy id", "Copy the id.", 11),
    bind(P::Detail, &[Char('o')], C::Web, "console", "Open the record in the console, or show its address.", 12),
    bind(P::Detail, &[Ctrl('r')], C::Refresh, "refresh", "Ask the server again.", 0),
    bind(P::Detail, &[Char(':')], C::CommandLine, "command", "Command.", 0),
    bind(P::Detail, &[Char('?')], C::Help, "keys", "These keys.", 0),
    bind(P::Detail, &[Char('q'), Ctrl('c')], C::Quit, "quit", "Leave.", 0),
    bind(P::Confirm, &[Char('y')], C::Yes, "do it", "Do it; where it is final for many, type the count.", 2),
    bind(P::Confirm, &[Esc, Char('n'), Char('q'), Ctrl('c')], C::Back, "keep", "Leave everything as it is.", 1),
    bind(P::Confirm, &[Tab, Down], C::Down, "next", "Next field.", 3),
    bind(P::Confirm, &[BackTab, Up], C::Up, "before", "Field before.", 0),
    bind(P::Confirm, &[Char(' ')], C::Toggle, "tick", "Tick, untick, or take the next value.", 4),
    bind(P::Confirm, &[Right], C::Right, "next value", "Next value.", 0),
    bind(P::Confirm, &[Left], C::Left, "value before", "Value before.", 0),
    bind(P::Confirm, &[Enter], C::Enter, "press", "Press what has the focus: the safe button at first.", 5),
    bind(P::Menu, &[Enter, Char(' ')], C::Enter, "choose", "Choose; the key beside an entry does the same.", 1),
    bind(P::Menu, &[Esc, Char('q'), Ctrl('c')], C::Back, "close", "Close.", 2),
    bind(P::Menu, &[Char('j'), Down, Tab], C::Down, "down", "One down.", 3),
    bind(P::Menu, &[Char('k'), Up, BackTab], C::Up, "up", "One up.", 4),
    bind(P::Prompt, &[Enter], C::Enter, "use it", "Use what is typed.", 1),
    bind(P::Prompt, &[Esc, Ctrl('c')], C::Back, "close", "Close and change nothing.", 2),
    bind(P::Prompt, &[Up], C::Up, "older", "What was typed before.", 3),
    bind(P::Prompt, &[Down], C::Down, "newer", "What was typed after it.", 4),
    bind(P::Help, &[Esc, Ctrl('c')], C::Back, "close", "Close.", 1),
    bind(P::Help, &[Down], C::Down, "down", "Scroll down.", 2),
    bind(P::Help, &[Up], C::Up, "up", "Scroll up.", 3),
    bind(P::Help, &[PageDown], C::PageDown, "screen down", "A screen down.", 0),
    bind(P::Help, &[PageUp], C::PageUp, "screen up", "A screen up.", 0),
    bind(P::Notice, &[Esc, Enter, Char('q'), Ctrl('c')], C::Back, "close", "Close.", 1),
    bind(P::Notice, &[Char('y')], C::Copy, "copy", "Copy the ids or the address in it.", 2),
    bind(P::Notice, &[Char('j'), Down, PageDown], C::Down, "down", "Scroll down.", 0),
    bind(P::Notice, &[Char('k'), Up, PageUp], C::Up, "up", "Scroll up.", 0),
    bind(P::SignIn, &[Enter], C::Enter, "sign in", "Next field; on the last one, sign in.", 1),
    bind(P::SignIn, &[Tab, Down], C::Down, "next", "Next field.", 2),
    bind(P::SignIn, &[BackTab, Up], C::Up, "before", "Field before.", 3),
    bind(P::SignIn, &[Ctrl('c'), Esc], C::Quit, "quit", "Leave.", 4),
    bind(P::Identity, &[Enter], C::Enter, "confirm", "Confirm with the password that is typed.", 1),
    bind(P::Identity, &[Esc, Ctrl('c')], C::Back, "cancel", "Cancel; nothing is changed.", 2),
];

/// Edits text in every place where text is typed; not commands, so they stand apart.
pub static EDITING: &[(&[Key], &str)] = &[
    (&[Left, Right, Home, End], "Move in the text."),
    (&[Backspace, Delete], "Delete a letter."),
    (&[Ctrl('w')], "Delete a word."),
    (&[Ctrl('u')], "Delete to the beginning."),
];
