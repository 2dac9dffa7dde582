//! Parses CSV into records with their line numbers. Checks the limits of cells and bytes while it parses a record, so that a file
//! of only commas needs no more memory than the size of the file.

use csv_core::{ReadRecordResult, Reader};

/// Maximum number of cells in one record.
const MAX_CELLS: usize = 1_000;
/// Maximum size of one record in bytes.
const MAX_RECORD_BYTES: usize = 1 << 20;

/// One record of CSV text. A record may span several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CsvRecord {
    /// The line on which the record begins, from 1. Empty lines count.
    pub(crate) line: u64,
    /// The cells without quotation marks.
    pub(crate) cells: Vec<String>,
}

/// Iterates over the records of CSV text. After an error, the iterator ends.
pub(crate) struct CsvRecords<'t> {
    unread_bytes: &'t [u8],
    reader: Reader,
    /// The line on which `unread_bytes` begins. The line number of `Reader` does not count empty lines.
    line: u64,
    /// Whether the byte before `unread_bytes` is `\r`.
    is_after_carriage_return: bool,
    text_buffer: Vec<u8>,
    cell_ends: Vec<usize>,
}

impl<'t> CsvRecords<'t> {
    /// Parses CSV text, with or without a byte order mark.
    pub(crate) fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            unread_bytes: text.as_bytes(),
            reader: Reader::new(),
            line: 1,
            is_after_carriage_return: false,
            text_buffer: vec![0; MAX_RECORD_BYTES],
            cell_ends: vec![0; MAX_CELLS],
        }
    }

    /// Skips bytes and counts their line breaks: `\r\n`, `\n` or `\r`.
    fn skip(&mut self, byte_count: usize) {
        let (skipped_bytes, unread_bytes) =
            self.unread_bytes.split_at(byte_count.min(self.unread_bytes.len()));
        for byte in skipped_bytes {
            let is_line_end = *byte == b'\r' || (*byte == b'\n' && !self.is_after_carriage_return);
            self.line += u64::from(is_line_end);
            self.is_after_carriage_return = *byte == b'\r';
        }
        self.unread_bytes = unread_bytes;
    }

    fn read_record(&mut self) -> Result<Option<CsvRecord>, String> {
        self.skip(self.unread_bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count());
        let line = self.line;
        let (mut text_bytes, mut cell_count) = (0, 0);
        loop {
            let (text, cell_ends) = (&mut self.text_buffer[text_bytes..], &mut self.cell_ends[cell_count..]);
            let (result, read_bytes, new_text_bytes, new_cell_count) =
                self.reader.read_record(self.unread_bytes, text, cell_ends);
            (text_bytes, cell_count) = (text_bytes + new_text_bytes, cell_count + new_cell_count);
            self.skip(read_bytes);
            match result {
                // The next call has no input, which ends the last record.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    return Err(format!("line {line}: longer than {} KiB", MAX_RECORD_BYTES >> 10));
                }
                ReadRecordResult::OutputEndsFull => {
                    return Err(format!("line {line}: more than {MAX_CELLS} cells"));
                }
                ReadRecordResult::Record => return self.collect_record(line, cell_count).map(Some),
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    fn collect_record(&self, line: u64, cell_count: usize) -> Result<CsvRecord, String> {
        let cell_starts = std::iter::once(0).chain(self.cell_ends.iter().copied());
        let spans = cell_starts.zip(&self.cell_ends).take(cell_count);
        let cells = spans.map(|(start, end)| String::from_utf8(self.text_buffer[start..*end].to_vec()));
        let cells: Result<Vec<String>, _> = cells.collect();
        // Cells end at commas and quotation marks, which never occur within a character.
        Ok(CsvRecord { line, cells: cells.map_err(|_| format!("line {line}: not UTF-8 text"))? })
    }
}

impl Iterator for CsvRecords<'_> {
    type Item = Result<CsvRecord, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.read_record();
        if record.is_err() {
            self.unread_bytes = &[];
            self.reader.reset();
        }
        record.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_records(text: &str) -> Vec<(u64, Vec<String>)> {
        CsvRecords::new(text)
            .map(|record| record.map(|record| (record.line, record.cells)).unwrap())
            .collect()
    }

    fn expected_record(line: u64, cells: &[&str]) -> (u64, Vec<String>) {
        (line, cells.iter().map(|cell| (*cell).to_owned()).collect())
    }

    #[test]
    fn a_record_has_the_line_number_of_its_start() {
        let text = "\u{feff}id,name\r\n\r\n7,\"a \"\"b\"\",\nc\"\r\n\n8\n,ü";
        let expected = [
            expected_record(1, &["id", "name"]),
            expected_record(3, &["7", "a \"b\",\nc"]),
            expected_record(6, &["8"]),
            expected_record(7, &["", "ü"]),
        ];
        assert_eq!(parse_records(text), expected);
        assert_eq!(parse_records(""), []);
        assert_eq!(parse_records("\r\n\n"), []);
        assert_eq!(parse_records("a"), [expected_record(1, &["a"])]);
        assert_eq!(parse_records("a\r\rb"), [expected_record(1, &["a"]), expected_record(3, &["b"])]);
    }

    #[test]
    fn rejects_a_record_with_too_many_cells_or_bytes() {
        let first_error = |text: &str| {
            let mut records = CsvRecords::new(text);
            let error = records.find_map(Result::err).unwrap();
            assert_eq!(records.next(), None, "the iterator must end after an error");
            error
        };
        assert_eq!(first_error(&format!("a\n{}\nb", ",".repeat(5_000_000))), "line 2: more than 1000 cells");
        assert_eq!(first_error(&format!("\"{}", "a\n".repeat(600_000))), "line 1: longer than 1024 KiB");
        assert_eq!(parse_records(&",".repeat(999))[0].1.len(), 1_000);
    }

    /// For any text, each record begins on an existing line after the previous record.
    #[test]
    fn fuzz_csv_records() {
        let texts = panel_fuzz::mutated_texts(
            &["a,\"b\"\r\n\n,c\n"],
            &["\"", ",", "\n", "\r\n", "\r", "\0", "\u{feff}", "ü"],
        );
        panel_fuzz::FuzzTarget::new("panelctl", "csv_records").run(texts, |text| {
            let line_count = u64::try_from(text.matches(['\n', '\r']).count()).unwrap() + 1;
            let mut last_line = 0;
            for record in CsvRecords::new(text).map_while(Result::ok) {
                assert!(record.line > last_line && record.line <= line_count, "{record:?}");
                last_line = record.line;
            }
        });
    }
}
