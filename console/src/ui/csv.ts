// Formats rows as CSV with a byte order mark for spreadsheets. Texts that a spreadsheet would execute as a formula are neutralized.

export function csv(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): Blob {
  const lines = [head, ...rows].map((row) => row.map(cell).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
}

export function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(value)) return String(value);
  // As in api/kernel/src/spreadsheet.rs: spaces and invisible characters may precede a formula.
  const isFormula = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(value.replace(/^'+/, ''));
  const safe = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
