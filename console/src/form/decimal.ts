// Decimals as texts: amounts of money, shares and percentages, as people type them and as the wire has them. Digits are moved,
// or added as whole numbers: nothing here goes through a floating number.

const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)$/;
const AMOUNT = /^(-?)(\d+)(?:\.(\d{0,6}))?$/;
const MILLIONTHS = 6;

/** A typed number without the spaces of its thousands, with a point: "1 234,5" → "1234.5". */
export function plain(typed: string): string {
  return typed.replace(/\s/g, '').replace(',', '.');
}

/** Whether a typed text is a number in digits. */
export const isNumber = (typed: string): boolean => NUMBER.test(plain(typed));

/** "0.125" → "12.5". The wire sends shares as fractions, people read and type percents (specification, section 5). */
export function percentOf(fraction: string): string {
  return shifted(fraction, 2);
}

/** "12.5" → "0.125"; what is no number stays as it was typed, for the server to name. */
export function fractionOf(percent: string): string {
  const typed = plain(percent);
  return NUMBER.test(typed) ? shifted(typed, -2) : percent.trim();
}

/** Whether two texts are the same number, as "1.5" and "1,50" are; texts that are no numbers are compared as they are. */
export function sameNumber(a: string, b: string): boolean {
  return canonical(a) === canonical(b);
}

/** An amount in millionths; null where the text is none, or has more than six decimals. */
export function millionths(amount: string): bigint | null {
  const [, sign, whole, decimals = ''] = AMOUNT.exec(amount) ?? [];
  if (whole === undefined) return null;
  const value = BigInt(whole + decimals.padEnd(MILLIONTHS, '0'));
  return sign ? -value : value;
}

/** Millionths as an amount without zeros at its end. */
export function decimalOf(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(MILLIONTHS + 1, '0');
  const decimals = digits.slice(-MILLIONTHS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -MILLIONTHS)}${decimals && `.${decimals}`}`;
}

/** Adds two amounts of the wire. */
export function add(a: string, b: string): string {
  return decimalOf(wired(a) + wired(b));
}

function wired(amount: string): bigint {
  const value = millionths(amount);
  if (value === null) throw new RangeError(`${amount} is no amount.`);
  return value;
}

function canonical(text: string): string {
  const number = plain(text);
  return NUMBER.test(number) ? shifted(number, 0) : text.trim();
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
