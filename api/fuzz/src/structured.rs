//! Generates JSON and XML from their grammars and mutates it: names that mean something to the parser, unusual numbers,
//! duplicate names, and deep nesting.

use proptest::prelude::*;
use proptest::strategy::Union;

use crate::bytes::{Input, Mutations, mutated};

/// Maximum length of a document in bytes; performance tests build larger feeds and catalogues.
const MAX_BYTES: usize = 64 << 10;
/// Tokens that are difficult for JSON parsers.
const JSON_TOKENS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "[[",
    "{\"a\":",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "1e400",
    "-0",
    "0.1",
    "99999999999999999999",
    "\u{feff}",
    "\u{2028}",
];
/// Tokens that are difficult for XML parsers.
const XML_TOKENS: &[&str] = &[
    "<",
    ">",
    "/>",
    "</",
    "<a>",
    "</a>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!DOCTYPE",
    "&",
    ";",
    "&amp;",
    "&#x0;",
    "&#xD800;",
    "&lol;",
    "\"",
    "'",
    "=",
    " xmlns=\"\"",
    " xml:base=\"a/\"",
    "\0",
    "\u{1b}",
    "\u{feff}",
    ":",
    "<?xml version=\"1.0\" encoding=\"shift_jis\"?>",
    "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
];

/// Values that are difficult for parsers of numbers, strings and dates.
const LEAF_VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-1",
    "1.5",
    "1e5",
    "1e-7",
    "1e400",
    "-1e308",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "123456789012345678901234567890",
    "\"\"",
    "\" \"",
    "\"0\"",
    "\"1\"",
    "\"-1\"",
    "\"0.90\"",
    "\"1,234.50\"",
    "\"$5\"",
    "\"1e2147483647\"",
    "\"1e-2147483648\"",
    "\"1.0e9\"",
    "\"NaN\"",
    "\"Infinity\"",
    "\"Completed\"",
    "\"Partial\"",
    "\"error\"",
    "\"2026-11-20T10:00:00Z\"",
    "\"https://a.example/1\"",
    "\"javascript:alert(1)\"",
    "\"\\u0000\"",
    "\"\\ud83d\\ude00\"",
    "\"\u{ff08}\"",
    "\"\u{202e}\"",
    "\"key\"",
    "[]",
    "{}",
];

/// Returns JSON documents with these names, mutated samples, and deep nesting.
pub fn json_documents(
    names: &'static [&'static str],
    samples: &'static [&'static str],
) -> BoxedStrategy<Input> {
    let leaf = prop_oneof![
        4 => prop::sample::select(LEAF_VALUES).prop_map(str::to_owned),
        1 => "[a-z0-9 ]{0,12}".prop_map(|text| format!("{text:?}")),
    ];
    let tree = leaf.prop_recursive(5, 60, 8, move |inner| {
        let name = prop::sample::select(names).prop_map(|name| format!("{name:?}"));
        let field = (name, inner.clone()).prop_map(|(name, value)| format!("{name}:{value}"));
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 0..8).prop_map(|values| format!("[{}]", values.join(","))),
            4 => prop::collection::vec(field, 0..8).prop_map(|fields| format!("{{{}}}", fields.join(","))),
            1 => (inner, nesting_depth()).prop_map(|(inner, depth)| nest("[", &inner, "]", depth)),
        ]
    });
    let tree = tree.prop_map(String::into_bytes);
    mutated(
        with_samples(tree, samples),
        Mutations { tokens: JSON_TOKENS, max_changes: 6, max_bytes: MAX_BYTES },
    )
}

/// Returns XML documents with these names, mutated samples, and deep nesting.
pub fn xml_documents(
    names: &'static [&'static str],
    samples: &'static [&'static str],
) -> BoxedStrategy<Input> {
    let leaf = prop_oneof![
        "[a-z0-9 ]{0,12}".prop_map(|text| text),
        prop::sample::select(LEAF_VALUES).prop_map(|text| text.trim_matches('"').to_owned()),
        prop::sample::select(&["<!-- c -->", "<![CDATA[<p>]]>", "&amp;", "&#38;", "<?pi x?>"][..])
            .prop_map(str::to_owned),
    ];
    let attribute = || {
        let name = prop::sample::select(&["href", "rel", "type", "xmlns", "xml:base", "xmlns:a", "url"][..]);
        let value = prop::sample::select(LEAF_VALUES).prop_map(|text| text.trim_matches('"'));
        (name, value).prop_map(|(name, value)| format!(" {name}=\"{}\"", value.replace('"', "'")))
    };
    let attributes =
        move || prop::collection::vec(attribute(), 0..3).prop_map(|attributes| attributes.concat());
    let tree = leaf.prop_recursive(6, 80, 6, move |inner| {
        let name = prop::sample::select(names);
        let element = (name.clone(), attributes(), prop::collection::vec(inner.clone(), 0..6))
            .prop_map(|(name, attributes, inner)| format!("<{name}{attributes}>{}</{name}>", inner.concat()));
        let deep_element = (name.clone(), inner, nesting_depth()).prop_map(|(name, inner, depth)| {
            nest(&format!("<{name}>"), &inner, &format!("</{name}>"), depth)
        });
        let empty_element =
            (name, attributes()).prop_map(|(name, attributes)| format!("<{name}{attributes}/>"));
        prop_oneof![6 => element, 1 => deep_element, 2 => empty_element]
    });
    let tree = tree.prop_map(String::into_bytes);
    mutated(
        with_samples(tree, samples),
        Mutations { tokens: XML_TOKENS, max_changes: 6, max_bytes: MAX_BYTES },
    )
}

/// Nests `inner` in `depth` pairs of `open` and `close`.
#[must_use]
pub fn nest(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

fn nesting_depth() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1..4_usize, 2 => 50..140_usize, 1 => 1_000..6_000_usize]
}

fn with_samples(
    tree: impl Strategy<Value = Vec<u8>> + 'static,
    samples: &'static [&'static str],
) -> impl Strategy<Value = Vec<u8>> {
    let mut weighted_strategies = vec![(3, tree.boxed())];
    if !samples.is_empty() {
        let sample = prop::sample::select(samples).prop_map(|sample| sample.as_bytes().to_vec());
        weighted_strategies.push((2, sample.boxed()));
    }
    Union::new_weighted(weighted_strategies)
}
