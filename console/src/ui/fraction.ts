// Shares: the wire sends 0.125, people read and type 12.5 (specification, section 5). Exact: digits are moved, nothing
// is calculated.

/** "0.125" → "12.5". */
export function percentOf(fraction: string): string {
  return shifted(fraction, 2);
}

/** "12.5" → "0.125"; what is no number stays as it was typed, for the server to name. */
export function fractionOf(percent: string): string {
  const typed = percent.trim().replace(',', '.');
  return /^-?\d+(\.\d*)?$/.test(typed) ? shifted(typed, -2) : typed;
}

function shifted(text: string, by: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', decimals = ''] = text.replace('-', '').split('.');
  const digits = whole.padStart(Math.max(0, -by) + 1, '0') + decimals.padEnd(Math.max(0, by), '0');
  const point = Math.max(whole.length, -by + 1) + by;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const after = digits.slice(point).replace(/0+$/, '');
  return sign + before + (after && `.${after}`);
}
