// Formats amounts, counts, times and durations. The format of numbers is the same in every language, as the specification requires.
// Amounts are strings, and must never be converted to floating-point numbers.

const NARROW_SPACE = '\u202f';

let currencySymbol = '$';

/** Sets the currency symbol of this panel, which the public settings contain. */
export function setCurrencySymbol(symbol: string): void {
  currencySymbol = symbol;
}

function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

/** 12000 → 12 000. */
export function formatNumber(value: number): string {
  return (value < 0 ? '−' : '') + groupDigits(String(Math.abs(value)));
}

/** "1234.5" → $1 234.50. Shows at least two decimals. */
export function formatMoney(amount: string): string {
  return formatAmount(amount, currencySymbol);
}

/** "1234.5" → 1 234.50 EUR. For amounts in a currency that may differ from the panel's currency. */
export function formatMoneyIn(amount: string, currencyCode: string): string {
  return `${formatAmount(amount, '')}${NARROW_SPACE}${currencyCode}`;
}

function formatAmount(amount: string, symbol: string): string {
  const isNegative = amount.startsWith('-');
  const [whole = '0', decimals = ''] = amount.replace('-', '').split('.');
  return `${isNegative ? '−' : ''}${symbol}${groupDigits(whole)}.${decimals.padEnd(2, '0')}`;
}

/** "12.5" → 12.5 %. */
export function formatPercent(percent: string): string {
  return `${percent.replace('-', '−')}${NARROW_SPACE}%`;
}

/** Parses a time of the API, which is in UTC: "2026-11-21 10:00:00". */
export function parseUtc(utc: string): Date {
  return new Date(`${utc.replace(' ', 'T')}Z`);
}

/** Units of relative times with their lengths in seconds. */
const RELATIVE_TIME_UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();

/** Formats a time relative to `nowMs`, such as "4 hours ago". */
export function formatRelative(utc: string, nowMs: number, language: string): string {
  const seconds = Math.round((parseUtc(utc).getTime() - nowMs) / 1000);
  const [unit, unitSeconds] = RELATIVE_TIME_UNITS.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? [
    'second',
    1,
  ];
  const cachedFormat = relativeFormats.get(language);
  const format = cachedFormat ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (!cachedFormat) relativeFormats.set(language, format);
  return format.format(Math.trunc(seconds / unitSeconds), unit);
}

/** Formats a time in the given time zone. Uses the browser's time zone if `timeZone` is missing or unknown to the browser. */
export function formatLocal(utc: string, language: string, timeZone?: string | null): string {
  try {
    return parseUtc(utc).toLocaleString(language, timeZone ? { timeZone } : {});
  } catch {
    return parseUtc(utc).toLocaleString(language);
  }
}

/** 1530 minutes → 1 day 1 hr 30 min, as the specification requires. */
export function formatMinutes(minutes: number, language: string): string {
  const parts = [
    ['day', Math.floor(minutes / 1_440)],
    ['hour', Math.floor((minutes % 1_440) / 60)],
    ['minute', minutes % 60],
  ] as const;
  const nonZeroParts = parts.filter(([, value]) => value > 0);
  const formatUnit = (unit: string, value: number) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  return (nonZeroParts.length > 0 ? nonZeroParts : parts.slice(2))
    .map(([unit, value]) => formatUnit(unit, value))
    .join(' ');
}

/** ["DE", "BR"] → Germany, Brazil. */
export function formatCountries(codes: readonly string[], language: string): string {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  return codes.map((code) => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code)).join(', ');
}
