//! Mutated samples: drops, repeats, copies and overwrites parts of real inputs.

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

#[derive(Debug, Clone, Copy)]
pub struct Mutations {
    /// Tokens with a meaning for the parser.
    pub tokens: &'static [&'static str],
    pub max_changes: usize,
    /// Maximum length of one input, in bytes.
    pub max_bytes: usize,
}

/// Mutated samples of bytes.
pub fn samples(samples: Vec<Vec<u8>>, mutations: Mutations) -> BoxedStrategy<Input> {
    mutated(prop::sample::select(samples), mutations)
}

/// Mutated samples of text; invalid UTF-8 is replaced.
pub fn texts(text_samples: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<String> {
    let byte_samples = text_samples.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    let mutations = Mutations { tokens, max_changes: 6, max_bytes: 64 << 10 };
    samples(byte_samples, mutations).prop_map(|input| String::from_utf8_lossy(&input).into_owned()).boxed()
}

/// The pairs of a query or a form, from mutated samples such as `a[b]=1&c=2`.
pub fn pairs(
    query_samples: &[&str],
    tokens: &'static [&'static str],
) -> BoxedStrategy<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    };
    texts(query_samples, tokens).prop_map(move |text| text.split('&').map(pair).collect()).boxed()
}

/// Positions are relative to the length of the input at the time of the mutation.
#[derive(Debug, Clone, Copy)]
enum Mutation {
    Drop(Index, u16),
    Repeat(Index, u16, u16),
    Insert(Index, &'static str, u16),
    Overwrite(Index, u8),
    CopyTo(Index, Index, u8),
    Truncate(Index),
}

/// Mutated samples; one in five is unchanged.
pub fn mutated(
    samples: impl Strategy<Value = Vec<u8>> + 'static,
    mutations: Mutations,
) -> BoxedStrategy<Input> {
    let changes = prop::collection::vec(mutation(mutations.tokens), 0..=mutations.max_changes).boxed();
    let mutate = move |(mut bytes, changes): (Vec<u8>, Vec<Mutation>)| {
        for change in changes {
            apply(&mut bytes, change);
            bytes.truncate(mutations.max_bytes);
        }
        Input(bytes)
    };
    (samples, prop_oneof![1 => Just(Vec::new()), 4 => changes]).prop_map(mutate).boxed()
}

fn mutation(tokens: &'static [&'static str]) -> impl Strategy<Value = Mutation> + 'static {
    let position = any::<Index>;
    let length = || prop_oneof![4 => 0..20_u16, 1 => any::<u16>()];
    let times = || prop_oneof![6 => 1..5_u16, 1 => 1..3_000_u16];
    let token = prop::sample::select(if tokens.is_empty() { &["\0"] } else { tokens });
    prop_oneof![
        (position(), length()).prop_map(|(at, length)| Mutation::Drop(at, length)),
        (position(), length(), times()).prop_map(|(at, length, times)| Mutation::Repeat(at, length, times)),
        (position(), token, times()).prop_map(|(at, token, times)| Mutation::Insert(at, token, times)),
        (position(), any::<u8>()).prop_map(|(at, byte)| Mutation::Overwrite(at, byte)),
        (position(), position(), any::<u8>())
            .prop_map(|(from, to, length)| Mutation::CopyTo(from, to, length)),
        position().prop_map(Mutation::Truncate),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: Mutation) {
    let position = |at: Index, bytes: &[u8]| at.index(bytes.len() + 1);
    match mutation {
        Mutation::Drop(at, length) => {
            let from = position(at, bytes);
            drop(bytes.drain(from..bytes.len().min(from + usize::from(length))));
        }
        Mutation::Repeat(at, length, times) => {
            let from = position(at, bytes);
            let to = bytes.len().min(from + usize::from(length));
            let part = bytes[from..to].repeat(usize::from(times));
            drop(bytes.splice(to..to, part));
        }
        Mutation::Insert(at, token, times) => {
            let from = position(at, bytes);
            drop(bytes.splice(from..from, token.as_bytes().repeat(usize::from(times))));
        }
        Mutation::Overwrite(at, byte) => {
            let from = position(at, bytes);
            if let Some(target) = bytes.get_mut(from) {
                *target = byte;
            }
        }
        Mutation::CopyTo(from, to, length) => {
            let (from, to) = (position(from, bytes), position(to, bytes));
            let part: Vec<u8> = bytes[from..bytes.len().min(from + usize::from(length))].to_vec();
            drop(bytes.splice(to..to, part));
        }
        Mutation::Truncate(at) => bytes.truncate(position(at, bytes)),
    }
}
