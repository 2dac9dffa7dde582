//! Checks `docs/security/asvs.tsv` and `docs/security/asvs.md`: each requirement has one row, its evidence exists, and the totals
//! are correct. No test can check the verdicts: the author of a change must review the rows that the change affects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The number of requirements of levels 1 and 2 in OWASP ASVS 5.0.0, by chapter from V1 on.
const REQUIREMENTS_PER_CHAPTER: [usize; 17] = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
const VERDICTS: [&str; 4] = ["pass", "partly", "fail", "not applicable"];
/// Minimum percentage of the applicable requirements that must pass.
const MIN_PASS_PERCENT: usize = 97;

struct RequirementRow {
    id: String,
    verdict: String,
    evidence: Vec<String>,
    note: String,
}

fn read_file(file: &str) -> Option<String> {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).ok()
}

fn read_rows() -> Vec<RequirementRow> {
    let text = read_file("docs/security/asvs.tsv").unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("id\tlevel\tverdict\tevidence\tnote"));
    let parse_row = |line: &str| {
        let [id, level, verdict, evidence, note] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("expected five columns: {line}")
        };
        assert!(["1", "2"].contains(&level), "{id} has an unknown level: {level}");
        RequirementRow {
            id: id.to_owned(),
            verdict: verdict.to_owned(),
            evidence: evidence.split(", ").map(str::to_owned).collect(),
            note: note.to_owned(),
        }
    };
    lines.map(parse_row).collect()
}

/// Chapter number of a requirement id: 6 for `V6.2.11`.
fn chapter_of(id: &str) -> usize {
    let number = id
        .strip_prefix('V')
        .and_then(|after_v| after_v.split('.').next())
        .and_then(|chapter| chapter.parse().ok());
    number.unwrap_or_else(|| panic!("{id} is not a requirement id"))
}

/// Whether the file exists and contains the test or text that follows `::`.
fn evidence_exists(evidence: &str) -> bool {
    let (file, test) = evidence.split_once("::").unwrap_or((evidence, ""));
    let Some(text) = read_file(file) else { return false };
    if file.ends_with(".rs") && !test.is_empty() {
        text.contains(&format!("fn {test}("))
    } else {
        text.contains(test)
    }
}

#[test]
fn every_requirement_has_a_verdict_and_evidence() {
    let rows = read_rows();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), rows.len(), "two rows have the same id");
    let mut rows_per_chapter = [0; REQUIREMENTS_PER_CHAPTER.len()];
    let mut missing_evidence = Vec::new();
    for row in &rows {
        rows_per_chapter[chapter_of(&row.id) - 1] += 1;
        assert!(
            VERDICTS.contains(&row.verdict.as_str()),
            "{} has an unknown verdict: {}",
            row.id,
            row.verdict
        );
        assert!(
            row.note.ends_with('.') && row.note.len() > 8,
            "the note of {} must be a sentence: {}",
            row.id,
            row.note
        );
        missing_evidence.extend(
            row.evidence
                .iter()
                .filter(|evidence| !evidence_exists(evidence))
                .map(|evidence| format!("{}: {evidence}", row.id)),
        );
    }
    assert_eq!(rows_per_chapter, REQUIREMENTS_PER_CHAPTER);
    assert!(missing_evidence.is_empty(), "evidence that does not exist: {missing_evidence:#?}");
}

#[test]
fn the_page_lists_the_totals_and_the_failed_requirements() {
    let page = read_file("docs/security/asvs.md").expect("docs/security/asvs.md");
    let rows = read_rows();
    let mut counts: BTreeMap<usize, [usize; 4]> = BTreeMap::new();
    let mut totals = [0; 4];
    for row in &rows {
        let verdict = VERDICTS.iter().position(|verdict| *verdict == row.verdict).unwrap();
        counts.entry(chapter_of(&row.id)).or_default()[verdict] += 1;
        totals[verdict] += 1;
    }
    let assert_page_has_row = |name: &str, counts: &[usize; 4]| {
        let cells: String = counts.iter().map(|count| format!(" {count} |")).collect();
        let line = page.lines().find(|line| line.starts_with(&format!("| {name} |")));
        assert!(
            line.is_some_and(|line| line.ends_with(&format!(" |{cells}"))),
            "the row {name} of the page must end with {cells}: {line:?}"
        );
    };
    counts.iter().for_each(|(chapter, counts)| assert_page_has_row(&format!("V{chapter}"), counts));
    assert_page_has_row("All", &totals);
    for row in &rows {
        let is_listed_on_page = page.contains(&format!("**{}** ({}): {}", row.id, row.verdict, row.note));
        assert_eq!(
            is_listed_on_page,
            ["partly", "fail"].contains(&row.verdict.as_str()),
            "the page must list exactly the failed requirements: {}",
            row.id
        );
    }
    let [pass, partly, fail, _] = totals;
    let applicable_count = pass + partly + fail;
    assert!(
        page.contains(&format!("Of {applicable_count} that apply {pass}\npass")),
        "the page must state {pass} of {applicable_count}"
    );
    assert!(pass * 100 >= applicable_count * MIN_PASS_PERCENT, "{pass} of {applicable_count} pass");
}
