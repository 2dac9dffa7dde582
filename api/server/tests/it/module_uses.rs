//! Which module of a crate uses which, read from the sources: `crate::`, `super::`, `self::` and paths into a child module. A
//! name that a module only hands on (`pub use`) is the module's that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as File;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Modules by their names, such as `supply/dispatch`, each with those that it uses.
pub(crate) type Modules = BTreeMap<String, BTreeSet<String>>;

/// The parts of a path, such as `crate`, `db`, `Sql`.
type Path = Vec<String>;

/// What a source file names.
#[derive(Default)]
struct Source {
    /// Paths that it uses.
    paths: Vec<Path>,
    /// Names that it hands on, with their paths.
    handed_on: BTreeMap<String, Path>,
}

/// Every module below `folder`, a path from the workspace's root, with those that it uses.
pub(crate) fn modules(folder: &str) -> Modules {
    let root = File::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut sources = BTreeMap::new();
    read_folder(&root, &root, &mut sources);
    let modules: Modules = sources.keys().map(|module| (module.clone(), uses(module, &sources))).collect();
    let count = modules.values().map(BTreeSet::len).sum::<usize>();
    assert!(modules.len() > 80 && count > 200, "the sources are read: {} {count}", modules.len());
    modules
}

fn uses(module: &str, sources: &BTreeMap<String, Source>) -> BTreeSet<String> {
    let paths = sources[module].paths.iter().filter_map(|path| absolute(module, path, sources));
    paths.filter_map(|path| defining(&path, sources, 0)).filter(|other| other != module).collect()
}

/// The path from the crate's root; none where it leads out of the crate.
fn absolute(module: &str, path: &[String], sources: &BTreeMap<String, Source>) -> Option<Path> {
    let own: Path = module.split('/').map(str::to_owned).collect();
    let up = path.iter().take_while(|part| *part == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (Path::new(), &path[1..]),
        "super" => (own[..own.len().saturating_sub(up)].to_vec(), &path[up..]),
        "self" => (own, &path[1..]),
        child if sources.contains_key(&format!("{module}/{child}")) => (own, path),
        _ => return None,
    };
    Some([&base, rest].concat())
}

/// The module that defines what an absolute path names.
fn defining(path: &[String], sources: &BTreeMap<String, Source>, steps: usize) -> Option<String> {
    let known = |length: &usize| sources.contains_key(&path[..*length].join("/"));
    let length = (1..=path.len()).rev().find(known)?;
    let module = path[..length].join("/");
    let handed_on = path.get(length).and_then(|name| sources[&module].handed_on.get(name));
    match handed_on.and_then(|from| absolute(&module, from, sources)) {
        Some(from) if steps < 8 => {
            defining(&[&from, &path[length + 1..]].concat(), sources, steps + 1).or(Some(module))
        }
        _ => Some(module),
    }
}

fn read_folder(folder: &File, root: &File, sources: &mut BTreeMap<String, Source>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_folder(&path, root, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).unwrap().with_extension("");
            let name = relative.to_str().unwrap();
            let name = name.strip_suffix("/mod").unwrap_or(name).to_owned();
            sources.insert(name, read(&std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Reads a file without what only tests see.
fn read(text: &str) -> Source {
    let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut source = Source::default();
    read_tokens(shipped.parse().unwrap(), &mut source);
    source
}

fn read_tokens(tokens: TokenStream, source: &mut Source) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut at, mut is_public) = (0, false);
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if word == "pub" => is_public = true,
            TokenTree::Ident(word) if word == "use" => {
                let end = (at..tokens.len()).find(|end| is_punct(&tokens[*end], ';')).unwrap_or(tokens.len());
                for (path, name) in tree(&tokens[at + 1..end], &Path::new()) {
                    match is_public {
                        true => drop(source.handed_on.insert(name, path)),
                        false => source.paths.push(path),
                    }
                }
                (at, is_public) = (end, false);
            }
            TokenTree::Ident(_) => {
                is_public = false;
                let (path, end) = path_at(&tokens, at);
                at = end - 1;
                if path.len() > 1 {
                    source.paths.push(path);
                }
            }
            // The parentheses of `pub(super)` and `pub(in crate::supply)` use no module, and leave it public.
            TokenTree::Group(group) if is_public && group.delimiter() == Delimiter::Parenthesis => {}
            TokenTree::Group(group) => read_tokens(group.stream(), source),
            TokenTree::Punct(_) | TokenTree::Literal(_) => is_public = false,
        }
        at += 1;
    }
}

/// The path that begins at a token, and where it ends.
fn path_at(tokens: &[TokenTree], at: usize) -> (Path, usize) {
    let (mut path, mut end) = (vec![tokens[at].to_string()], at + 1);
    while let [colon, other, TokenTree::Ident(part), ..] = &tokens[end..] {
        if !is_punct(colon, ':') || !is_punct(other, ':') {
            break;
        }
        path.push(part.to_string());
        end += 3;
    }
    (path, end)
}

/// The paths of a tree such as `db::{self, sql::Sql as Text}`, each with the name that it gets here.
fn tree(tokens: &[TokenTree], prefix: &[String]) -> Vec<(Path, String)> {
    let mut path = prefix.to_vec();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                return inner.split(|token| is_punct(token, ',')).flat_map(|one| tree(one, &path)).collect();
            }
            TokenTree::Ident(word) if word == "as" => {
                return vec![(path, tokens[at + 1].to_string())];
            }
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            _ => {}
        }
    }
    let name = path.last().cloned().filter(|_| !tokens.is_empty());
    name.map(|name| (path, name)).into_iter().collect()
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

#[test]
fn a_tree_of_imports_is_read() {
    let source = read(
        "use crate::db::{self, Db, sql::{hex, Sql as Text}}; pub(super) use list::Row; fn f() { super::g(a::b) }",
    );
    let paths: Vec<String> = source.paths.iter().map(|path| path.join("::")).collect();
    let read =
        ["crate::db", "crate::db::Db", "crate::db::sql::hex", "crate::db::sql::Sql", "super::g", "a::b"];
    assert_eq!(paths, read);
    assert_eq!(source.handed_on["Row"], ["list", "Row"]);
}

#[test]
fn a_name_is_followed_to_the_module_that_defines_it() {
    let of = |texts: [(&str, &str); 3]| texts.map(|(name, text)| (name.to_owned(), read(text))).into();
    let sources: BTreeMap<String, Source> = of([
        ("db", "pub use sql::Sql; mod sql;"),
        ("db/sql", "pub struct Sql;"),
        ("work", "use crate::db::Sql; fn f() { super::db::begin() }"),
    ]);
    assert_eq!(uses("work", &sources), BTreeSet::from(["db".to_owned(), "db/sql".to_owned()]));
    assert_eq!(uses("db", &sources), BTreeSet::new());
}
