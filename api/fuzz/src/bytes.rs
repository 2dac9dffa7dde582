//! Bytes that were a real sample once: parts are dropped, repeated, exchanged and written over.

use proptest::prelude::*;
use proptest::sample::Index;

/// An input, shown as it would stand in a source text.
#[derive(Clone, PartialEq, Eq)]
pub struct Input(pub Vec<u8>);

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

impl std::ops::Deref for Input {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// What mutations are made of.
#[derive(Debug, Clone, Copy)]
pub struct Mutations {
    /// Texts that mean something to the parser.
    pub tokens: &'static [&'static str],
    /// Most changes of one input.
    pub most: usize,
    /// Most bytes of one input.
    pub longest: usize,
}

/// Samples of bytes with some changes.
pub fn samples(samples: Vec<Vec<u8>>, with: Mutations) -> BoxedStrategy<Input> {
    mutated(prop::sample::select(samples), with)
}

/// Samples of text with some changes; what is no UTF-8 any more is replaced.
pub fn texts(of: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<String> {
    let all = of.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    let with = Mutations { tokens, most: 6, longest: 64 << 10 };
    samples(all, with).prop_map(|input| String::from_utf8_lossy(&input).into_owned()).boxed()
}

/// The pairs of a query or a form, out of samples such as `a[b]=1&c=2` with some changes.
pub fn pairs(of: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    };
    texts(of, tokens).prop_map(move |text| text.split('&').map(pair).collect()).boxed()
}

/// One change.
#[derive(Debug, Clone, Copy)]
enum Change {
    Drop(Index, u16),
    Repeat(Index, u16, u16),
    Insert(Index, &'static str, u16),
    Byte(Index, u8),
    Exchange(Index, Index, u8),
    Cut(Index),
}

/// Samples with some changes each; one in five is a sample as it is.
pub fn mutated(samples: impl Strategy<Value = Vec<u8>> + 'static, with: Mutations) -> BoxedStrategy<Input> {
    let changes = prop::collection::vec(change(with.tokens), 0..=with.most).boxed();
    let mutate = move |(mut bytes, changes): (Vec<u8>, Vec<Change>)| {
        for change in changes {
            apply(&mut bytes, change);
            bytes.truncate(with.longest);
        }
        Input(bytes)
    };
    (samples, prop_oneof![1 => Just(Vec::new()), 4 => changes]).prop_map(mutate).boxed()
}

fn change(tokens: &'static [&'static str]) -> impl Strategy<Value = Change> + 'static {
    let place = any::<Index>;
    let length = || prop_oneof![4 => 0..20_u16, 1 => any::<u16>()];
    let times = || prop_oneof![6 => 1..5_u16, 1 => 1..3_000_u16];
    let token = prop::sample::select(if tokens.is_empty() { &["\0"] } else { tokens });
    prop_oneof![
        (place(), length()).prop_map(|(at, length)| Change::Drop(at, length)),
        (place(), length(), times()).prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
        (place(), token, times()).prop_map(|(at, token, times)| Change::Insert(at, token, times)),
        (place(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        (place(), place(), any::<u8>()).prop_map(|(at, other, length)| Change::Exchange(at, other, length)),
        place().prop_map(Change::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: Change) {
    let place = |at: Index, bytes: &[u8]| at.index(bytes.len() + 1);
    match change {
        Change::Drop(at, length) => {
            let from = place(at, bytes);
            drop(bytes.drain(from..bytes.len().min(from + usize::from(length))));
        }
        Change::Repeat(at, length, times) => {
            let from = place(at, bytes);
            let to = bytes.len().min(from + usize::from(length));
            let part = bytes[from..to].repeat(usize::from(times));
            drop(bytes.splice(to..to, part));
        }
        Change::Insert(at, token, times) => {
            let from = place(at, bytes);
            drop(bytes.splice(from..from, token.as_bytes().repeat(usize::from(times))));
        }
        Change::Byte(at, byte) => {
            let from = place(at, bytes);
            if let Some(place) = bytes.get_mut(from) {
                *place = byte;
            }
        }
        Change::Exchange(at, other, length) => {
            let (from, to) = (place(at, bytes), place(other, bytes));
            let part: Vec<u8> = bytes[from..bytes.len().min(from + usize::from(length))].to_vec();
            drop(bytes.splice(to..to, part));
        }
        Change::Cut(at) => bytes.truncate(place(at, bytes)),
    }
}
