//! Builds workbooks for tests.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const ROOT_RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="/xl/workbook.xml"/></Relationships>"#;
const WORKBOOK: &str =
    r#"<workbook xmlns:r="r"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
const WORKBOOK_RELATIONSHIPS: &str = r#"<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>"#;

/// A workbook with one sheet and one table of shared texts.
pub(crate) fn build_workbook(sheet: &[u8], strings: &[u8]) -> Vec<u8> {
    let deflate_options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in [
        ("_rels/.rels", ROOT_RELATIONSHIPS.as_bytes()),
        ("xl/workbook.xml", WORKBOOK.as_bytes()),
        ("xl/_rels/workbook.xml.rels", WORKBOOK_RELATIONSHIPS.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet),
        ("xl/sharedStrings.xml", strings),
    ] {
        archive.start_file(name, deflate_options).unwrap();
        archive.write_all(part).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Builds a sheet from `rows`, the XML of its `<row>` elements.
pub(crate) fn build_sheet(rows: &str) -> Vec<u8> {
    format!("<worksheet><sheetData>{rows}</sheetData></worksheet>").into_bytes()
}

/// A table with these shared texts, as XML.
pub(crate) fn build_shared_strings(texts: &str) -> Vec<u8> {
    format!("<sst>{texts}</sst>").into_bytes()
}
