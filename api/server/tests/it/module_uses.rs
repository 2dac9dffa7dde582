//! Parses the sources of a crate, and finds the modules that each module uses: by `crate::`, `super::`, `self::` and paths into a
//! child module. A re-exported name (`pub use`) counts as a use of the module that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The modules that each module uses, by name, such as `supply/dispatch`.
pub(crate) type Modules = BTreeMap<String, BTreeSet<String>>;

/// The segments of a path, such as `crate`, `db`, `Sql`.
type Path = Vec<String>;

/// The paths in a source file.
#[derive(Default)]
struct SourceFile {
    used_paths: Vec<Path>,
    /// The path of each name that the file re-exports.
    re_exports: BTreeMap<String, Path>,
}

/// The modules below `folder`, a path relative to the root of the workspace.
pub(crate) fn modules(folder: &str) -> Modules {
    let root = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut sources = BTreeMap::new();
    parse_folder(&root, &root, &mut sources);
    let modules: Modules =
        sources.keys().map(|module| (module.clone(), find_used_modules(module, &sources))).collect();
    let use_count = modules.values().map(BTreeSet::len).sum::<usize>();
    assert!(
        modules.len() > 80 && use_count > 200,
        "implausibly few modules or uses: {} {use_count}",
        modules.len()
    );
    modules
}

fn find_used_modules(module: &str, sources: &BTreeMap<String, SourceFile>) -> BTreeSet<String> {
    let paths = sources[module].used_paths.iter().filter_map(|path| absolute_path(module, path, sources));
    paths
        .filter_map(|path| defining_module(&path, sources, 0))
        .filter(|other_module| other_module != module)
        .collect()
}

/// The path from the root of the crate, or `None` for a path outside of the crate.
fn absolute_path(module: &str, path: &[String], sources: &BTreeMap<String, SourceFile>) -> Option<Path> {
    let own_path: Path = module.split('/').map(str::to_owned).collect();
    let super_count = path.iter().take_while(|segment| *segment == "super").count();
    let (base, remaining_segments) = match path.first()?.as_str() {
        "crate" => (Path::new(), &path[1..]),
        "super" => (own_path[..own_path.len().saturating_sub(super_count)].to_vec(), &path[super_count..]),
        "self" => (own_path, &path[1..]),
        child if sources.contains_key(&format!("{module}/{child}")) => (own_path, path),
        _ => return None,
    };
    Some([&base, remaining_segments].concat())
}

/// The module that defines the item of an absolute path. Follows at most eight re-exports.
fn defining_module(
    path: &[String],
    sources: &BTreeMap<String, SourceFile>,
    followed_count: usize,
) -> Option<String> {
    let is_module = |length: &usize| sources.contains_key(&path[..*length].join("/"));
    let length = (1..=path.len()).rev().find(is_module)?;
    let module = path[..length].join("/");
    let re_exports = path.get(length).and_then(|name| sources[&module].re_exports.get(name));
    match re_exports.and_then(|re_exported_path| absolute_path(&module, re_exported_path, sources)) {
        Some(re_exported_path) if followed_count < 8 => {
            defining_module(&[&re_exported_path, &path[length + 1..]].concat(), sources, followed_count + 1)
                .or(Some(module))
        }
        _ => Some(module),
    }
}

fn parse_folder(folder: &FilePath, root: &FilePath, sources: &mut BTreeMap<String, SourceFile>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            parse_folder(&path, root, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).unwrap().with_extension("");
            let name = relative.to_str().unwrap();
            let name = name.strip_suffix("/mod").unwrap_or(name).to_owned();
            sources.insert(name, parse(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Parses a file without its test module.
fn parse(text: &str) -> SourceFile {
    let production_code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut source = SourceFile::default();
    parse_tokens(production_code.parse().unwrap(), &mut source);
    source
}

fn parse_tokens(tokens: TokenStream, source: &mut SourceFile) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut index, mut is_public) = (0, false);
    while index < tokens.len() {
        match &tokens[index] {
            TokenTree::Ident(ident) if ident == "pub" => is_public = true,
            TokenTree::Ident(ident) if ident == "use" => {
                let end =
                    (index..tokens.len()).find(|end| is_punct(&tokens[*end], ';')).unwrap_or(tokens.len());
                for (path, name) in parse_use_tree(&tokens[index + 1..end], &Path::new()) {
                    match is_public {
                        true => drop(source.re_exports.insert(name, path)),
                        false => source.used_paths.push(path),
                    }
                }
                (index, is_public) = (end, false);
            }
            TokenTree::Ident(_) => {
                is_public = false;
                let (path, end) = parse_path(&tokens, index);
                index = end - 1;
                if path.len() > 1 {
                    source.used_paths.push(path);
                }
            }
            // The parentheses of `pub(super)` and `pub(in crate::supply)` contain no use, and the next item is still public.
            TokenTree::Group(group) if is_public && group.delimiter() == Delimiter::Parenthesis => {}
            TokenTree::Group(group) => parse_tokens(group.stream(), source),
            TokenTree::Punct(_) | TokenTree::Literal(_) => is_public = false,
        }
        index += 1;
    }
}

/// The path that starts at `index`, and the index after it.
fn parse_path(tokens: &[TokenTree], index: usize) -> (Path, usize) {
    let (mut path, mut end) = (vec![tokens[index].to_string()], index + 1);
    while let [first_colon, other_module, TokenTree::Ident(segment), ..] = &tokens[end..] {
        if !is_punct(first_colon, ':') || !is_punct(other_module, ':') {
            break;
        }
        path.push(segment.to_string());
        end += 3;
    }
    (path, end)
}

/// The paths of a use tree such as `db::{self, sql::Sql as Text}`, each with the name under which the file imports the path.
fn parse_use_tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<(Path, String)> {
    let mut path = prefix.to_vec();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let group_tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                return group_tokens
                    .split(|token| is_punct(token, ','))
                    .flat_map(|branch| parse_use_tree(branch, &path))
                    .collect();
            }
            TokenTree::Ident(ident) if ident == "as" => {
                return vec![(path, tokens[index + 1].to_string())];
            }
            TokenTree::Ident(ident) if ident == "self" && !path.is_empty() => {}
            TokenTree::Ident(ident) => path.push(ident.to_string()),
            _ => {}
        }
    }
    let name = path.last().cloned().filter(|_| !tokens.is_empty());
    name.map(|name| (path, name)).into_iter().collect()
}

fn is_punct(token: &TokenTree, expected_char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected_char)
}

#[test]
fn parses_use_declarations_and_paths() {
    let source = parse(
        "use crate::db::{self, Db, sql::{hex, Sql as Text}}; pub(super) use list::Row; fn f() { super::g(a::b) }",
    );
    let paths: Vec<String> = source.used_paths.iter().map(|path| path.join("::")).collect();
    let expected_paths =
        ["crate::db", "crate::db::Db", "crate::db::sql::hex", "crate::db::sql::Sql", "super::g", "a::b"];
    assert_eq!(paths, expected_paths);
    assert_eq!(source.re_exports["Row"], ["list", "Row"]);
}

#[test]
fn resolves_a_re_exported_name_to_the_defining_module() {
    let parse_all = |files_by_module: [(&str, &str); 3]| {
        files_by_module.map(|(name, text)| (name.to_owned(), parse(text))).into()
    };
    let sources: BTreeMap<String, SourceFile> = parse_all([
        ("db", "pub use sql::Sql; mod sql;"),
        ("db/sql", "pub struct Sql;"),
        ("work", "use crate::db::Sql; fn f() { super::db::begin() }"),
    ]);
    assert_eq!(find_used_modules("work", &sources), BTreeSet::from(["db".to_owned(), "db/sql".to_owned()]));
    assert_eq!(find_used_modules("db", &sources), BTreeSet::new());
}
