//! Mutates sample inputs: removes, repeats, copies and overwrites parts of real inputs.

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

/// Returns mutated samples of bytes.
pub fn mutated_bytes(samples: Vec<Vec<u8>>, mutations: Mutations) -> BoxedStrategy<Input> {
    mutated(prop::sample::select(samples), mutations)
}

/// Returns mutated samples of text; invalid UTF-8 is replaced.
pub fn mutated_texts(text_samples: &[&str], tokens: &'static [&'static str]) -> BoxedStrategy<String> {
    let byte_samples = text_samples.iter().map(|sample| sample.as_bytes().to_vec()).collect();
    let mutations = Mutations { tokens, max_changes: 6, max_bytes: 64 << 10 };
    mutated_bytes(byte_samples, mutations)
        .prop_map(|input| String::from_utf8_lossy(&input).into_owned())
        .boxed()
}

/// Returns the pairs of a query or a form, from mutated samples such as `a[b]=1&c=2`.
pub fn query_pairs(
    query_samples: &[&str],
    tokens: &'static [&'static str],
) -> BoxedStrategy<Vec<(String, String)>> {
    let to_pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.to_owned(), value.to_owned())
    };
    mutated_texts(query_samples, tokens).prop_map(move |text| text.split('&').map(to_pair).collect()).boxed()
}

/// Positions are relative to the length of the input at the time of the mutation.
#[derive(Debug, Clone, Copy)]
enum Mutation {
    Remove(Index, u16),
    Repeat(Index, u16, u16),
    Insert(Index, &'static str, u16),
    Overwrite(Index, u8),
    CopyTo(Index, Index, u8),
    Truncate(Index),
}

/// Returns mutated samples; one in five is unchanged.
pub fn mutated(
    samples: impl Strategy<Value = Vec<u8>> + 'static,
    mutations: Mutations,
) -> BoxedStrategy<Input> {
    let mutation_list =
        prop::collection::vec(mutation_strategy(mutations.tokens), 0..=mutations.max_changes).boxed();
    let mutate = move |(mut bytes, mutation_list): (Vec<u8>, Vec<Mutation>)| {
        for mutation in mutation_list {
            apply_mutation(&mut bytes, mutation);
            bytes.truncate(mutations.max_bytes);
        }
        Input(bytes)
    };
    (samples, prop_oneof![1 => Just(Vec::new()), 4 => mutation_list]).prop_map(mutate).boxed()
}

fn mutation_strategy(tokens: &'static [&'static str]) -> impl Strategy<Value = Mutation> + 'static {
    let any_position = any::<Index>;
    let length = || prop_oneof![4 => 0..20_u16, 1 => any::<u16>()];
    let repeat_count = || prop_oneof![6 => 1..5_u16, 1 => 1..3_000_u16];
    let token = prop::sample::select(if tokens.is_empty() { &["\0"] } else { tokens });
    prop_oneof![
        (any_position(), length()).prop_map(|(position, length)| Mutation::Remove(position, length)),
        (any_position(), length(), repeat_count())
            .prop_map(|(position, length, repeat_count)| Mutation::Repeat(position, length, repeat_count)),
        (any_position(), token, repeat_count()).prop_map(|(position, token, repeat_count)| Mutation::Insert(
            position,
            token,
            repeat_count
        )),
        (any_position(), any::<u8>()).prop_map(|(position, byte)| Mutation::Overwrite(position, byte)),
        (any_position(), any_position(), any::<u8>())
            .prop_map(|(source, target, length)| Mutation::CopyTo(source, target, length)),
        any_position().prop_map(Mutation::Truncate),
    ]
}

fn apply_mutation(bytes: &mut Vec<u8>, mutation: Mutation) {
    let to_index = |position: Index, bytes: &[u8]| position.index(bytes.len() + 1);
    match mutation {
        Mutation::Remove(position, length) => {
            let start = to_index(position, bytes);
            drop(bytes.drain(start..bytes.len().min(start + usize::from(length))));
        }
        Mutation::Repeat(position, length, repeat_count) => {
            let start = to_index(position, bytes);
            let end = bytes.len().min(start + usize::from(length));
            let part = bytes[start..end].repeat(usize::from(repeat_count));
            drop(bytes.splice(end..end, part));
        }
        Mutation::Insert(position, token, repeat_count) => {
            let start = to_index(position, bytes);
            drop(bytes.splice(start..start, token.as_bytes().repeat(usize::from(repeat_count))));
        }
        Mutation::Overwrite(position, byte) => {
            let start = to_index(position, bytes);
            if let Some(old_byte) = bytes.get_mut(start) {
                *old_byte = byte;
            }
        }
        Mutation::CopyTo(source, target, length) => {
            let (start, target) = (to_index(source, bytes), to_index(target, bytes));
            let part: Vec<u8> = bytes[start..bytes.len().min(start + usize::from(length))].to_vec();
            drop(bytes.splice(target..target, part));
        }
        Mutation::Truncate(position) => bytes.truncate(to_index(position, bytes)),
    }
}
