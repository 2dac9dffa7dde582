// Exact calculations with decimal numbers as strings: amounts, fractions and percentages. The functions move digits or add
// integers; they must never convert a value to a floating-point number.

const NUMBER_PATTERN = /^-?(\d+(\.\d*)?|\.\d+)$/;
const AMOUNT_PATTERN = /^(-?)(\d+)(?:\.(\d{0,6}))?$/;
const AMOUNT_DECIMALS = 6;

/** Removes spaces and replaces the decimal comma by a point: "1 234,5" → "1234.5". */
export function normalizeDecimal(text: string): string {
  return text.replace(/\s/g, '').replace(',', '.');
}

export const isNumber = (text: string): boolean => NUMBER_PATTERN.test(normalizeDecimal(text));

/** "0.125" → "12.5". The API uses fractions, the console shows percent (specification, section 5). */
export function fractionToPercent(fraction: string): string {
  return shiftPoint(fraction, 2);
}

/** "12.5" → "0.125". Returns invalid input unchanged, so that the server reports it. */
export function percentToFraction(percent: string): string {
  const number = normalizeDecimal(percent);
  return NUMBER_PATTERN.test(number) ? shiftPoint(number, -2) : percent.trim();
}

/** Whether two texts are the same number, such as "1.5" and "1,50". Texts that are not numbers are compared as strings. */
export function isSameNumber(a: string, b: string): boolean {
  return canonicalNumber(a) === canonicalNumber(b);
}

/** Converts an amount to millionths. Returns null if the text is not an amount or has more than six decimals. */
export function toMillionths(amount: string): bigint | null {
  const [, sign, whole, decimals = ''] = AMOUNT_PATTERN.exec(amount) ?? [];
  if (whole === undefined) return null;
  const value = BigInt(whole + decimals.padEnd(AMOUNT_DECIMALS, '0'));
  return sign ? -value : value;
}

/** Formats millionths as an amount without trailing zeros. */
export function fromMillionths(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(AMOUNT_DECIMALS + 1, '0');
  const decimals = digits.slice(-AMOUNT_DECIMALS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -AMOUNT_DECIMALS)}${decimals && `.${decimals}`}`;
}

/** Adds two amounts exactly. Throws a `RangeError` if one of them is not an amount. */
export function addAmounts(a: string, b: string): string {
  return fromMillionths(parseAmount(a) + parseAmount(b));
}

function parseAmount(amount: string): bigint {
  const value = toMillionths(amount);
  if (value === null) throw new RangeError(`${amount} is not an amount.`);
  return value;
}

function canonicalNumber(text: string): string {
  const number = normalizeDecimal(text);
  return NUMBER_PATTERN.test(number) ? shiftPoint(number, 0) : text.trim();
}

/** Moves the decimal point by `places` digits to the right, or to the left if `places` is negative. */
function shiftPoint(text: string, places: number): string {
  const sign = text.startsWith('-') ? '-' : '';
  const [whole = '', decimals = ''] = text.replace('-', '').split('.');
  const digits = whole.padStart(Math.max(0, -places) + 1, '0') + decimals.padEnd(Math.max(0, places), '0');
  const pointIndex = Math.max(whole.length, -places + 1) + places;
  const newWhole = digits.slice(0, pointIndex).replace(/^0+(?=\d)/, '');
  const newDecimals = digits.slice(pointIndex).replace(/0+$/, '');
  return sign + newWhole + (newDecimals && `.${newDecimals}`);
}
