//! Mutated samples: parts of real inputs are dropped, repeated, copied and overwritten.

use proptest::prelude::*;
use proptest::sample::Index;

/// An input whose debug format is a Rust byte string literal.
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

/// Parameters of mutations.
#[derive(Debug, Clone, Copy)]
pub struct Mutations {
    /// Tokens with a meaning for the parser.
    pub tokens: &'static [&'static str],
    /// Maximum number of changes of one input.
    pub max_changes: usize,
    /// Maximum length of one input, in bytes.
    pub max_bytes: usize,
}

/// Mutated samples of bytes.
pub fn samples(samples: Vec<Vec<u8>>, with: Mutations) -> BoxedStrategy<Input> {
    mutated(prop::sample::select(samples), with)
}

/// Mutated samples of text; invalid UTF-8 is replaced.
pub fn texts(of: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<String> {
    let all = of.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    let with = Mutations { tokens, max_changes: 6, max_bytes: 64 << 10 };
    samples(all, with).prop_map(|input| String::from_utf8_lossy(&input).into_owned()).boxed()
}

/// The pairs of a query or a form, from mutated samples such as `a[b]=1&c=2`.
pub fn pairs(of: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    };
    texts(of, tokens).prop_map(move |text| text.split('&').map(pair).collect()).boxed()
}

/// A mutation.
#[derive(Debug, Clone, Copy)]
enum Mutation {
    Drop(Index, u16),
    Repeat(Index, u16, u16),
    Insert(Index, &'static str, u16),
    Byte(Index, u8),
    Exchange(Index, Index, u8),
    Cut(Index),
}

/// Mutated samples; one in five is unchanged.
pub fn mutated(samples: impl Strategy<Value = Vec<u8>> + 'static, with: Mutations) -> BoxedStrategy<Input> {
    let changes = prop::collection::vec(change(with.tokens), 0..=with.max_changes).boxed();
    let mutate = move |(mut bytes, changes): (Vec<u8>, Vec<Mutation>)| {
        for change in changes {
            apply(&mut bytes, change);
            bytes.truncate(with.max_bytes);
        }
        Input(bytes)
    };
    (samples, prop_oneof![1 => Just(Vec::new()), 4 => changes]).prop_map(mutate).boxed()
}

fn change(tokens: &'static [&'static str]) -> impl Strategy<Value = Mutation> + 'static {
    let place = any::<Index>;
    let length = || prop_oneof![4 => 0..20_u16, 1 => any::<u16>()];
    let times = || prop_oneof![6 => 1..5_u16, 1 => 1..3_000_u16];
    let token = prop::sample::select(if tokens.is_empty() { &["\0"] } else { tokens });
    prop_oneof![
        (place(), length()).prop_map(|(at, length)| Mutation::Drop(at, length)),
        (place(), length(), times()).prop_map(|(at, length, times)| Mutation::Repeat(at, length, times)),
        (place(), token, times()).prop_map(|(at, token, times)| Mutation::Insert(at, token, times)),
        (place(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        (place(), place(), any::<u8>()).prop_map(|(at, other, length)| Mutation::Exchange(at, other, length)),
        place().prop_map(Mutation::Cut),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: Mutation) {
    let place = |at: Index, bytes: &[u8]| at.index(bytes.len() + 1);
    match change {
        Mutation::Drop(at, length) => {
            let from = place(at, bytes);
            drop(bytes.drain(from..bytes.len().min(from + usize::from(length))));
        }
        Mutation::Repeat(at, length, times) => {
            let from = place(at, bytes);
            let to = bytes.len().min(from + usize::from(length));
            let part = bytes[from..to].repeat(usize::from(times));
            drop(bytes.splice(to..to, part));
        }
        Mutation::Insert(at, token, times) => {
            let from = place(at, bytes);
            drop(bytes.splice(from..from, token.as_bytes().repeat(usize::from(times))));
        }
        Mutation::Byte(at, byte) => {
            let from = place(at, bytes);
            if let Some(place) = bytes.get_mut(from) {
                *place = byte;
            }
        }
        Mutation::Exchange(at, other, length) => {
            let (from, to) = (place(at, bytes), place(other, bytes));
            let part: Vec<u8> = bytes[from..bytes.len().min(from + usize::from(length))].to_vec();
            drop(bytes.splice(to..to, part));
        }
        Mutation::Cut(at) => bytes.truncate(place(at, bytes)),
    }
}
