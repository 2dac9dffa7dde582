// The codecs of all field types of the API.
import type { Schemas } from '@/api/client';
import { parseTexts } from '@/ui/texts';
import { asInvalidInput, type Codec, type CodecError, type FieldMode } from './codec';
import { fractionToPercent, isNumber, isSameNumber, normalizeDecimal, percentToFraction } from './decimal';

const isSameText = (a: string, b: string) => a === b;
const emptyIfMissing = (value: string | null | undefined) => value ?? '';
const withMode = <Sent, Read>(codec: Codec<Sent, Read>, mode: FieldMode): Codec<Sent, Read> => ({ ...codec, mode });

/** Sends the text exactly as the user typed it, with all spaces. */
export const textCodec: Codec<string> = { format: emptyIfMissing, parse: (text) => text, isEqual: isSameText };
export const multilineTextCodec = withMode(textCodec, 'multiline');
export const urlCodec = withMode(textCodec, 'url');

/** Sends null if the field is empty. */
export const textOrNullCodec: Codec<string | null> = { ...textCodec, parse: (text) => text || null };
/** The URL of a stored image, the data URL of a new image, or null. */
export const imageCodec = withMode(textOrNullCodec, 'image');
export const dateCodec = withMode(textOrNullCodec, 'date');
/** Trims the text. Sends null if the trimmed text is empty. */
export const trimmedTextOrNullCodec: Codec<string | null> = { ...textCodec, parse: (text) => text.trim() || null };

/** Accepts a comma as the decimal separator, even for `manualMoneyCodec`, where the server rejects the comma. */
const validateNumber = (text: string): CodecError | null =>
  normalizeDecimal(text) === '' || isNumber(text) ? null : 'number';

const decimalCodec: Codec<string | null> = {
  mode: 'decimal',
  format: emptyIfMissing,
  parse: (text) => normalizeDecimal(text) || null,
  isEqual: isSameNumber,
  validate: validateNumber,
};
export const moneyCodec: Codec<Schemas['Money'] | null> = decimalCodec;
/**
 * An amount that a staff member books manually. A comma is sent unchanged, and the server rejects it, because "1,234" is ambiguous.
 */
export const manualMoneyCodec: Codec<Schemas['Money'] | null> = {
  ...decimalCodec,
  parse: (text) => text.replace(/\s/g, '') || null,
};
/** A ratio or a multiplier: the field shows the same number as the API. */
export const ratioCodec: Codec<Schemas['Fraction'] | null> = decimalCodec;
/** A fraction that the field shows in percent: 12.5 in the field is 0.125 in the API. */
export const fractionAsPercentCodec: Codec<Schemas['Fraction'] | null> = {
  mode: 'decimal',
  format: (fraction) => (fraction ? fractionToPercent(fraction) : ''),
  parse: (text) => percentToFraction(text) || null,
  isEqual: isSameNumber,
  validate: validateNumber,
};

/** Parses decimal digits. Returns null for other texts, such as "0x1F", "1e3", and the ambiguous "1.500" and "1500.00". */
function parseInteger(text: string): number | null {
  const digits = text.replace(/\s/g, '');
  const number = /^-?\d+$/.test(digits) ? Number(digits) : null;
  return Number.isSafeInteger(number) ? number : null;
}
const validateInteger = (text: string): CodecError | null =>
  text.trim() === '' || parseInteger(text) !== null ? null : 'wholeNumber';

export const quantityCodec: Codec<number | null> = {
  mode: 'numeric',
  format: (number) => (number === null || number === undefined ? '' : String(number)),
  parse: (text) => (text.trim() === '' ? null : (parseInteger(text) ?? asInvalidInput(text))),
  isEqual: isSameNumber,
  validate: validateInteger,
};

/** The value of the option "no record" in selects where an empty value has another meaning or would show no label. */
const NO_RECORD = 'none';
const isNoRecord = (text: string) => text.trim() === '' || text === NO_RECORD;

/** The id of the selected record; null if no record is selected. */
export const idCodec: Codec<number | null> = {
  format: (id) => (id ? String(id) : ''),
  parse: (text) => (isNoRecord(text) ? null : (parseInteger(text) ?? asInvalidInput<number>(text)) || null),
  isEqual: isSameText,
  validate: (text) => (isNoRecord(text) ? null : validateInteger(text)),
};

/** "2026-11-21 10:00:00" → value of a `datetime-local` input. The input has no time zone; its times are in UTC. */
const toInputTime = (time: string | null | undefined) => (time ? time.slice(0, 19).replace(' ', 'T') : '');
/** Value of a `datetime-local` input → "2026-11-21 10:00:00". Browsers omit seconds that are zero. */
const fromInputTime = (inputValue: string) =>
  inputValue ? inputValue.replace('T', ' ').padEnd(19, ':00').slice(0, 19) : null;
export const timeCodec: Codec<Schemas['Time'] | null> = {
  mode: 'time',
  format: toInputTime,
  parse: fromInputTime,
  isEqual: (a, b) => fromInputTime(a) === fromInputTime(b),
};

/** Whether a checkbox with this field value is checked. */
export const isChecked = (text: string | undefined) => text === 'yes';
export const checkboxCodec: Codec<boolean> = {
  mode: 'checkbox',
  format: (checked) => (checked ? 'yes' : ''),
  parse: isChecked,
  isEqual: isSameText,
};

/** The codec of `confirm_below_margin`, which is sent only if the user has confirmed the price. */
export const confirmationCodec: Codec<true | undefined> = {
  ...checkboxCodec,
  parse: (text) => (isChecked(text) ? true : undefined),
};

/** The texts of a record by language, as JSON. An empty text is equal to a missing text. */
export const translationsCodec: Codec<Schemas['Translations']> = {
  mode: 'texts',
  format: (texts) => JSON.stringify(texts ?? {}),
  parse: (text) => JSON.parse(text || '{}'),
  isEqual: (a, b) => canonicalTexts(a) === canonicalTexts(b),
};

/** Returns the non-empty texts in a fixed order, for comparison. */
function canonicalTexts(value: string): string {
  const lines = Object.entries(parseTexts(value)).flatMap(([locale, texts]) =>
    Object.entries(texts ?? {}).flatMap(([name, text]) => (text ? [[locale, name, text].join('\n')] : [])),
  );
  return JSON.stringify(lines.sort());
}

/** Parses a field with several values separated by commas, such as countries. */
export const parseCommaList = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);
export const commaListCodec: Codec<string[], readonly string[]> = {
  format: (values) => (values ?? []).join(','),
  parse: parseCommaList,
  isEqual: isSameText,
};
export const idListCodec: Codec<number[], readonly number[]> = {
  format: (ids) => (ids ?? []).join(','),
  parse: (text) => parseCommaList(text).map(Number),
  isEqual: isSameText,
};

/** Parses a field with one value per line. Ignores empty lines. */
export const parseLines = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
export const linesCodec: Codec<string[], readonly string[]> = {
  mode: 'multiline',
  format: (lines) => (lines ?? []).join('\n'),
  parse: parseLines,
  isEqual: isSameText,
};

/** One of the values of an enumeration. */
export function enumCodec<Value extends string>(values: readonly Value[]): Codec<Value, string> {
  const parse = (text: string) => values.find((value) => value === text) ?? asInvalidInput<Value>(text);
  return { format: emptyIfMissing, parse, isEqual: isSameText };
}

export function enumOrNullCodec<Value extends string>(values: readonly Value[]): Codec<Value | null, string> {
  const codec = enumCodec(values);
  return { ...codec, parse: (text) => (text ? codec.parse(text) : null) };
}

/** Several values of an enumeration. */
export function enumListCodec<Value extends string>(values: readonly Value[]): Codec<Value[], readonly string[]> {
  const codec = enumCodec(values);
  return { format: commaListCodec.format, parse: (text) => parseCommaList(text).map(codec.parse), isEqual: isSameText };
}

/** Parses the rows of a field whose custom control stores its rows as JSON. */
export const parseRows = <FieldRow>(text: string | undefined): FieldRow[] => JSON.parse(text || '[]');

/**
 * Creates the codec of rows that a custom control edits and the field stores as JSON. `toBodyRow` converts a row of the field to a
 * row of the body; `toFieldRow` converts a row of a response to a row of the field.
 */
export function rowsCodec<Sent, FieldRow, Read = FieldRow>(
  toBodyRow: (row: FieldRow) => Sent,
  toFieldRow: (row: Read) => FieldRow,
): Codec<Sent[], readonly Read[]> {
  return {
    format: (rows) => JSON.stringify((rows ?? []).map(toFieldRow)),
    parse: (text) => parseRows<FieldRow>(text).map(toBodyRow),
    isEqual: isSameText,
  };
}
