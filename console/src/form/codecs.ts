// Codecs for every type of field in the contract.
import type { Schemas } from '@/api/client';
import { parseTexts } from '@/ui/texts';
import { asUnparsed, type Codec, type CodecError, type FieldMode } from './codec';
import { fractionToPercent, isNumber, isSameNumber, normalizeDecimal, percentToFraction } from './decimal';

const isSame = (a: string, b: string) => a === b;
const textOrEmpty = (value: string | null | undefined) => value ?? '';
const withMode = <Sent, Read>(codec: Codec<Sent, Read>, mode: FieldMode): Codec<Sent, Read> => ({ ...codec, mode });

/** Sends the text exactly as the user typed it. */
export const text: Codec<string> = { format: textOrEmpty, parse: (text) => text, equal: isSame };
export const multilineText = withMode(text, 'multiline');
export const url = withMode(text, 'url');

/** Null if the field is empty. */
export const textOrNull: Codec<string | null> = { ...text, parse: (text) => text || null };
/** The URL of a stored image, the data URL of a new image, or null. */
export const image = withMode(textOrNull, 'image');
export const day = withMode(textOrNull, 'date');
/** Trims the text; null if nothing remains. */
export const trimmedOrNull: Codec<string | null> = { ...text, parse: (text) => text.trim() || null };

/** Accepts a comma as a decimal point; for `manualMoney` the server rejects it. */
const validateNumber = (text: string): CodecError | null =>
  normalizeDecimal(text) === '' || isNumber(text) ? null : 'number';

const decimal: Codec<string | null> = {
  mode: 'decimal',
  format: textOrEmpty,
  parse: (text) => normalizeDecimal(text) || null,
  equal: isSameNumber,
  validate: validateNumber,
};
export const money: Codec<Schemas['Money'] | null> = decimal;
/** An amount that a staff member books manually. It is sent with its comma, and the server rejects it: "1,234" is ambiguous. */
export const manualMoney: Codec<Schemas['Money'] | null> = {
  ...decimal,
  parse: (text) => text.replace(/\s/g, '') || null,
};
/** A ratio or a multiplier: the field has the same number as the API. */
export const ratio: Codec<Schemas['Fraction'] | null> = decimal;
/** A fraction that the field shows in percent: 12.5 in the field is 0.125 in the API. */
export const fractionAsPercent: Codec<Schemas['Fraction'] | null> = {
  mode: 'decimal',
  format: (fraction) => (fraction ? fractionToPercent(fraction) : ''),
  parse: (text) => percentToFraction(text) || null,
  equal: isSameNumber,
  validate: validateNumber,
};

/** Parses decimal digits; returns null for other texts, such as "0x1F", "1e3", and the ambiguous "1.500" and "1500.00". */
function parseInteger(text: string): number | null {
  const digits = text.replace(/\s/g, '');
  const number = /^-?\d+$/.test(digits) ? Number(digits) : null;
  return Number.isSafeInteger(number) ? number : null;
}
const validateInteger = (text: string): CodecError | null =>
  text.trim() === '' || parseInteger(text) !== null ? null : 'wholeNumber';

export const quantity: Codec<number | null> = {
  mode: 'numeric',
  format: (number) => (number === null || number === undefined ? '' : String(number)),
  parse: (text) => (text.trim() === '' ? null : (parseInteger(text) ?? asUnparsed(text))),
  equal: isSameNumber,
  validate: validateInteger,
};

/** The value of the option "no record" in selects where the empty value has another meaning or would show no label. */
const NO_RECORD = 'none';
const isNone = (text: string) => text.trim() === '' || text === NO_RECORD;

/** The id of the selected record; null if no record is selected. */
export const id: Codec<number | null> = {
  format: (id) => (id ? String(id) : ''),
  parse: (text) => (isNone(text) ? null : (parseInteger(text) ?? asUnparsed<number>(text)) || null),
  equal: isSame,
  validate: (text) => (isNone(text) ? null : validateInteger(text)),
};

/** "2026-11-21 10:00:00" → value of a `datetime-local` input. The input has no time zone: its times are UTC. */
const toInputTime = (time: string | null | undefined) => (time ? time.slice(0, 19).replace(' ', 'T') : '');
/** Value of a `datetime-local` input → "2026-11-21 10:00:00". Browsers omit seconds that are zero. */
const fromInputTime = (inputValue: string) =>
  inputValue ? inputValue.replace('T', ' ').padEnd(19, ':00').slice(0, 19) : null;
export const time: Codec<Schemas['Time'] | null> = {
  mode: 'time',
  format: toInputTime,
  parse: fromInputTime,
  equal: (a, b) => fromInputTime(a) === fromInputTime(b),
};

/** Whether the checkbox with this field value is checked. */
export const isChecked = (text: string | undefined) => text === 'yes';
export const checkbox: Codec<boolean> = {
  mode: 'checkbox',
  format: (checked) => (checked ? 'yes' : ''),
  parse: isChecked,
  equal: isSame,
};

/** For `confirm_below_margin`, which is sent only if the user has confirmed the price. */
export const confirmation: Codec<true | undefined> = {
  ...checkbox,
  parse: (text) => (isChecked(text) ? true : undefined),
};

/** The texts of a record by language, as JSON. An empty text is equal to a missing one. */
export const texts: Codec<Schemas['Translations']> = {
  mode: 'texts',
  format: (texts) => JSON.stringify(texts ?? {}),
  parse: (text) => JSON.parse(text || '{}'),
  equal: (a, b) => canonicalTexts(a) === canonicalTexts(b),
};

/** The non-empty texts in a fixed order, for comparison. */
function canonicalTexts(value: string): string {
  const lines = Object.entries(parseTexts(value)).flatMap(([locale, texts]) =>
    Object.entries(texts ?? {}).flatMap(([name, text]) => (text ? [[locale, name, text].join('\n')] : [])),
  );
  return JSON.stringify(lines.sort());
}

/** Parses a field with several values separated by commas, such as countries. */
export const parseCommaList = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);
export const commaList: Codec<string[], readonly string[]> = {
  format: (values) => (values ?? []).join(','),
  parse: parseCommaList,
  equal: isSame,
};
export const ids: Codec<number[], readonly number[]> = {
  format: (ids) => (ids ?? []).join(','),
  parse: (text) => parseCommaList(text).map(Number),
  equal: isSame,
};

/** Parses a field with one value per line. Ignores empty lines. */
export const parseLines = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
export const lines: Codec<string[], readonly string[]> = {
  mode: 'multiline',
  format: (lines) => (lines ?? []).join('\n'),
  parse: parseLines,
  equal: isSame,
};

/** One of the values of an enumeration. */
export function choice<Value extends string>(values: readonly Value[]): Codec<Value, string> {
  const parse = (text: string) => values.find((value) => value === text) ?? asUnparsed<Value>(text);
  return { format: textOrEmpty, parse, equal: isSame };
}

export function choiceOrNull<Value extends string>(values: readonly Value[]): Codec<Value | null, string> {
  const codec = choice(values);
  return { ...codec, parse: (text) => (text ? codec.parse(text) : null) };
}

/** Several values of an enumeration. */
export function choices<Value extends string>(values: readonly Value[]): Codec<Value[], readonly string[]> {
  const codec = choice(values);
  return { format: commaList.format, parse: (text) => parseCommaList(text).map(codec.parse), equal: isSame };
}

/** Parses the rows of a field whose custom control stores them as JSON. */
export const parseRows = <FieldRow>(text: string | undefined): FieldRow[] => JSON.parse(text || '[]');

/**
 * Rows that a custom control edits and the field stores as JSON. `toBodyRow` converts a row of the field to a row of the body,
 * `toFieldRow` converts a row of a response to a row of the field.
 */
export function rows<Sent, FieldRow, Read = FieldRow>(
  toBodyRow: (row: FieldRow) => Sent,
  toFieldRow: (row: Read) => FieldRow,
): Codec<Sent[], readonly Read[]> {
  return {
    format: (rows) => JSON.stringify((rows ?? []).map(toFieldRow)),
    parse: (text) => parseRows<FieldRow>(text).map(toBodyRow),
    equal: isSame,
  };
}
