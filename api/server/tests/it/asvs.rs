//! `docs/security/asvs.tsv` and its page: each requirement once, its evidence exists, and the totals are true. It does not judge
//! whether a verdict is right: who changes what a row says does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Requirements of OWASP ASVS 5.0.0 of the levels 1 and 2, by chapter from V1 on.
const OF_CHAPTER: [usize; 17] = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
const VERDICTS: [&str; 4] = ["pass", "partly", "fail", "not applicable"];
/// Least share of what applies that passes, in per cent.
const LEAST_SHARE: usize = 97;

struct Row {
    id: String,
    verdict: String,
    evidence: Vec<String>,
    note: String,
}

fn read(file: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).ok()
}

fn rows() -> Vec<Row> {
    let text = read("docs/security/asvs.tsv").unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id\tlevel\tverdict\tevidence\tnote"));
    let row = |line: &str| {
        let [id, level, verdict, evidence, note] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}")
        };
        assert!(["1", "2"].contains(&level), "level of {id}");
        Row {
            id: id.to_owned(),
            verdict: verdict.to_owned(),
            evidence: evidence.split(", ").map(str::to_owned).collect(),
            note: note.to_owned(),
        }
    };
    lines.map(row).collect()
}

/// The number of the chapter in `V6.2.11`.
fn chapter(id: &str) -> usize {
    let number =
        id.strip_prefix('V').and_then(|rest| rest.split('.').next()).and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("{id} is no requirement"))
}

/// Whether a file exists, and holds the test that is named after `::`.
fn exists(evidence: &str) -> bool {
    let (file, test) = evidence.split_once("::").unwrap_or((evidence, ""));
    let Some(text) = read(file) else { return false };
    if file.ends_with(".rs") && !test.is_empty() {
        text.contains(&format!("fn {test}("))
    } else {
        text.contains(test)
    }
}

#[test]
fn every_requirement_has_a_verdict_and_evidence() {
    let rows = rows();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), rows.len(), "an id is there twice");
    let mut of_chapter = [0; OF_CHAPTER.len()];
    let mut wrong = Vec::new();
    for row in &rows {
        of_chapter[chapter(&row.id) - 1] += 1;
        assert!(VERDICTS.contains(&row.verdict.as_str()), "{}: {}", row.id, row.verdict);
        assert!(row.note.ends_with('.') && row.note.len() > 8, "{} says why: {}", row.id, row.note);
        wrong.extend(row.evidence.iter().filter(|it| !exists(it)).map(|it| format!("{}: {it}", row.id)));
    }
    assert_eq!(of_chapter, OF_CHAPTER);
    assert!(wrong.is_empty(), "evidence that does not exist: {wrong:#?}");
}

#[test]
fn the_page_has_the_totals_and_what_does_not_pass() {
    let page = read("docs/security/asvs.md").expect("docs/security/asvs.md");
    let rows = rows();
    let mut counts: BTreeMap<usize, [usize; 4]> = BTreeMap::new();
    let mut all = [0; 4];
    for row in &rows {
        let verdict = VERDICTS.iter().position(|verdict| *verdict == row.verdict).unwrap();
        counts.entry(chapter(&row.id)).or_default()[verdict] += 1;
        all[verdict] += 1;
    }
    let shown = |name: &str, counts: &[usize; 4]| {
        let cells: String = counts.iter().map(|count| format!(" {count} |")).collect();
        let line = page.lines().find(|line| line.starts_with(&format!("| {name} |")));
        assert!(line.is_some_and(|line| line.ends_with(&format!(" |{cells}"))), "{name}: {cells} {line:?}");
    };
    counts.iter().for_each(|(chapter, counts)| shown(&format!("V{chapter}"), counts));
    shown("All", &all);
    for row in &rows {
        let is_named = page.contains(&format!("**{}** ({}): {}", row.id, row.verdict, row.note));
        assert_eq!(is_named, ["partly", "fail"].contains(&row.verdict.as_str()), "{}", row.id);
    }
    let [pass, partly, fail, _] = all;
    let applicable = pass + partly + fail;
    assert!(page.contains(&format!("Of {applicable} that apply {pass}\npass")), "{pass} of {applicable}");
    assert!(pass * 100 >= applicable * LEAST_SHARE, "{pass} of {applicable} pass");
}
