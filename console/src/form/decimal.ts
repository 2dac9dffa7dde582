// Exact decimals as strings: amounts, fractions and percentages, as users type them and as the API has them. The functions move
// digits or add integers: no value is ever converted to a floating-point number.

const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)$/;
const AMOUNT = /^(-?)(\d+)(?:\.(\d{0,6}))?$/;
const MILLIONTHS = 6;

/** Removes spaces and replaces the comma by a point: "1 234,5" → "1234.5". */
export function normalizeDecimal(typed: string): string {
  return typed.replace(/\s/g, '').replace(',', '.');
}

/** Whether the input is a decimal number. */
export const isNumber = (typed: string): boolean => NUMBER.test(normalizeDecimal(typed));

/** "0.125" → "12.5". The API has fractions, users see percent (specification, section 5). */
export function fractionToPercent(fraction: string): string {
  return shiftPoint(fraction, 2);
}

/** "12.5" → "0.125". Returns invalid input unchanged, so that the server reports it. */
export function percentToFraction(percent: string): string {
  const typed = normalizeDecimal(percent);
  return NUMBER.test(typed) ? shiftPoint(typed, -2) : percent.trim();
}

/** Whether two texts are the same number, such as "1.5" and "1,50". Other texts are compared as text. */
export function isSameNumber(a: string, b: string): boolean {
  return canonical(a) === canonical(b);
}

/** An amount in millionths; null when the text is no amount or has more than six decimals. */
export function toMillionths(amount: string): bigint | null {
  const [, sign, whole, decimals = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) return null;
  const value = BigInt(whole + decimals.padEnd(MILLIONTHS, '0'));
  return sign ? -value : value;
}

/** Formats millionths as an amount without trailing zeros. */
export function fromMillionths(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(MILLIONTHS + 1, '0');
  const decimals = digits.slice(-MILLIONTHS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -MILLIONTHS)}${decimals && `.${decimals}`}`;
}

/** Adds two amounts exactly. Throws a `RangeError` when one of them is no amount. */
export function addAmounts(a: string, b: string): string {
  return fromMillionths(parseAmount(a) + parseAmount(b));
}

function parseAmount(amount: string): bigint {
  const value = toMillionths(amount);
  if (value === null) throw new RangeError(`${amount} is no amount.`);
  return value;
}

function canonical(text: string): string {
  const number = normalizeDecimal(text);
  return NUMBER.test(number) ? shiftPoint(number, 0) : text.trim();
}

function shiftPoint(text: string, by: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', decimals = ''] = text.replace('-', '').split('.');
  const digits = whole.padStart(Math.max(0, -by) + 1, '0') + decimals.padEnd(Math.max(0, by), '0');
  const point = Math.max(whole.length, -by + 1) + by;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const after = digits.slice(point).replace(/0+$/, '');
  return sign + before + (after && `.${after}`);
}
