// How amounts, counts and durations are written: the same in every language, as the specification has it. Exact:
// money is never a number here.

/** A narrow space that does not break. */
const GAP = '\u202f';

let currency = '$';

/** The panel's currency sign, from its public settings. */
export function setCurrency(symbol: string): void {
  currency = symbol;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, GAP);
}

/** 12000 → 12 000. */
export function count(value: number): string {
  return (value < 0 ? '−' : '') + grouped(String(Math.abs(value)));
}

/** "1234.5" → $1 234.50; more decimals only where there are more. */
export function money(amount: string): string {
  return signed(amount, currency);
}

/** "1234.5" of another currency than the panel's own → 1 234.50 EUR. */
export function moneyOf(amount: string, code: string): string {
  return `${signed(amount, '')}${GAP}${code}`;
}

function signed(amount: string, symbol: string): string {
  const negative = amount.startsWith('-');
  const [whole = '0', decimals = ''] = amount.replace('-', '').split('.');
  return `${negative ? '−' : ''}${symbol}${grouped(whole)}.${decimals.padEnd(2, '0')}`;
}

/** "12.5" → 12.5 %. */
export function percent(amount: string): string {
  return `${amount.replace('-', '−')}${GAP}%`;
}

/** "2026-11-21 10:00:00", as the wire has it, as a date. */
export function moment(utc: string): Date {
  return new Date(`${utc.replace(' ', 'T')}Z`);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relatives = new Map<string, Intl.RelativeTimeFormat>();

/** How long ago, or until, in words of the language. */
export function relative(utc: string, now: number, language: string): string {
  const seconds = Math.round((moment(utc).getTime() - now) / 1000);
  const [unit, size] = STEPS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  const known = relatives.get(language);
  const format = known ?? new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (!known) relatives.set(language, format);
  return format.format(Math.trunc(seconds / size), unit);
}

/** A moment in a time zone, or in that of the browser where there is none or the browser does not know it. */
export function local(utc: string, language: string, zone?: string | null): string {
  try {
    return moment(utc).toLocaleString(language, zone ? { timeZone: zone } : {});
  } catch {
    return moment(utc).toLocaleString(language);
  }
}

/** 1530 minutes → 1 d 1 h 30 min, as the specification writes them. */
export function interval(minutes: number, language: string): string {
  const parts = [
    ['day', Math.floor(minutes / 1_440)],
    ['hour', Math.floor((minutes % 1_440) / 60)],
    ['minute', minutes % 60],
  ] as const;
  const shown = parts.filter(([, value]) => value > 0);
  const unit = (unit: string, value: number) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  return (shown.length > 0 ? shown : parts.slice(2)).map(([name, value]) => unit(name, value)).join(' ');
}

/** ["DE", "BR"] → Germany, Brazil: in the language of the interface. */
export function countries(codes: readonly string[], language: string): string {
  const names = new Intl.DisplayNames(language, { type: 'region' });
  return codes.map((code) => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code)).join(', ');
}
