// Rows as CSV: with a mark for spreadsheets, and no text that a spreadsheet would take for a formula. Pure.

export function csv(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): Blob {
  const lines = [head, ...rows].map((row) => row.map(cell).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
}

export function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(value)) return String(value);
  // As in api/kernel/src/spreadsheet.rs: spaces and invisible characters may stand before a formula.
  const isFormula = /^[\t\r\n]|^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(value.replace(/^'+/, ''));
  const harmless = isFormula ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
