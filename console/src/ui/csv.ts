// Formats rows as CSV with a byte order mark for spreadsheets. A value that a spreadsheet would execute as a formula gets a leading
// apostrophe (CSV injection).

export function formatCsv(header: readonly string[], rows: readonly (readonly (string | number | null)[])[]): Blob {
  const lines = [header, ...rows].map((row) => row.map(formatCell).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
}

export function formatCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(value)) return String(value);
  // Spaces and invisible characters may precede a formula. The server has the same rule in api/kernel/src/spreadsheet.rs.
  const isFormula = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(value.replace(/^'+/, ''));
  const text = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
