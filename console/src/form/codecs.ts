// Codecs for every type of field in the contract.
import type { Schemas } from '@/api/client';
import { parseTexts } from '@/ui/texts';
import { asUnparsed, type Codec, type CodecError, type FieldMode } from './codec';
import { fractionToPercent, isNumber, isSameNumber, normalizeDecimal, percentToFraction } from './decimal';

const isSame = (a: string, b: string) => a === b;
const textOrEmpty = (value: string | null | undefined) => value ?? '';
const withMode = <Sent, Read>(codec: Codec<Sent, Read>, mode: FieldMode): Codec<Sent, Read> => ({ ...codec, mode });

/** A text, sent as it was typed. */
export const text: Codec<string> = { format: textOrEmpty, parse: (text) => text, equal: isSame };
export const long = withMode(text, 'long');
export const url = withMode(text, 'url');

/** A text; null when the field is empty. */
export const textOrNull: Codec<string | null> = { ...text, parse: (text) => text || null };
/** An image: a URL, a data URL, or null. */
export const image = withMode(textOrNull, 'image');
export const day = withMode(textOrNull, 'date');
/** A trimmed text; null when nothing is left. */
export const trimmedOrNull: Codec<string | null> = { ...text, parse: (text) => text.trim() || null };

/** An ambiguous comma is reported by the server, see `manualMoney`. */
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
/** An amount that a staff member books manually. A comma is kept and the server rejects it, because "1,234" is ambiguous. */
export const manualMoney: Codec<Schemas['Money'] | null> = {
  ...decimal,
  parse: (text) => text.replace(/\s/g, '') || null,
};
/** A percentage that the API has as a percentage too. */
export const points: Codec<Schemas['Percent'] | null> = decimal;
/** A ratio or a multiplier, typed as the API has it. */
export const factor: Codec<Schemas['Fraction'] | null> = decimal;
/** A fraction, shown in percent: 12.5 in the field is 0.125 in the API. */
export const percent: Codec<Schemas['Fraction'] | null> = {
  mode: 'decimal',
  format: (fraction) => (fraction ? fractionToPercent(fraction) : ''),
  parse: (text) => percentToFraction(text) || null,
  equal: isSameNumber,
  validate: validateNumber,
};

/** An integer in decimal digits; null for anything else, such as the ambiguous "1.500" and "1500.00", "0x1F" or "1e3". */
function parseInteger(text: string): number | null {
  const typed = text.replace(/\s/g, '');
  const number = /^-?\d+$/.test(typed) ? Number(typed) : null;
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

/** The value of a menu option for no record, where the empty value has another meaning or shows no label. */
const NO_RECORD = 'none';
const isNone = (text: string) => text.trim() === '' || text === NO_RECORD;

/** The id of the selected record; null when none is selected. */
export const id: Codec<number | null> = {
  format: (id) => (id ? String(id) : ''),
  parse: (text) => (isNone(text) ? null : (parseInteger(text) ?? asUnparsed<number>(text)) || null),
  equal: isSame,
  validate: (text) => (isNone(text) ? null : validateInteger(text)),
};

/** "2026-11-21 10:00:00" → value of a `datetime-local` input. The input has no time zone: its times are UTC. */
const toInputTime = (time: string | null | undefined) => (time ? time.slice(0, 19).replace(' ', 'T') : '');
/** Value of a `datetime-local` input → "2026-11-21 10:00:00". Browsers omit seconds that are zero. */
const fromInputTime = (field: string) => (field ? field.replace('T', ' ').padEnd(19, ':00').slice(0, 19) : null);
export const time: Codec<Schemas['Time'] | null> = {
  mode: 'time',
  format: toInputTime,
  parse: fromInputTime,
  equal: (a, b) => fromInputTime(a) === fromInputTime(b),
};

/** Whether a checkbox is checked, from the text of its field. */
export const isChecked = (text: string | undefined) => text === 'yes';
export const checkbox: Codec<boolean> = {
  mode: 'checkbox',
  format: (on) => (on ? 'yes' : ''),
  parse: isChecked,
  equal: isSame,
};

/** `confirm_below_margin`: sent only when the user has confirmed the price. */
export const confirmation: Codec<true | undefined> = {
  ...checkbox,
  parse: (text) => (isChecked(text) ? true : undefined),
};

/** Texts by language, as JSON. An empty text counts as missing. */
export const texts: Codec<Schemas['Translations']> = {
  mode: 'texts',
  format: (texts) => JSON.stringify(texts ?? {}),
  parse: (text) => JSON.parse(text || '{}'),
  equal: (a, b) => canonicalTexts(a) === canonicalTexts(b),
};

/** The non-empty texts in a fixed order, for comparison. */
function canonicalTexts(value: string): string {
  const all = Object.entries(parseTexts(value)).flatMap(([locale, texts]) =>
    Object.entries(texts ?? {}).flatMap(([name, text]) => (text ? [[locale, name, text].join('\n')] : [])),
  );
  return JSON.stringify(all.sort());
}

/** Parses a field with several values, such as countries, separated by commas. */
export const parseWords = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);
export const words: Codec<string[], readonly string[]> = {
  format: (words) => (words ?? []).join(','),
  parse: parseWords,
  equal: isSame,
};
export const ids: Codec<number[], readonly number[]> = {
  format: (ids) => (ids ?? []).join(','),
  parse: (text) => parseWords(text).map(Number),
  equal: isSame,
};

/** Parses a field with one value per line; empty lines are ignored. */
export const parseLines = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
export const lines: Codec<string[], readonly string[]> = {
  mode: 'long',
  format: (lines) => (lines ?? []).join('\n'),
  parse: parseLines,
  equal: isSame,
};

/** One value of an enumeration. */
export function choice<Word extends string>(all: readonly Word[]): Codec<Word, string> {
  const parse = (text: string) => all.find((word) => word === text) ?? asUnparsed<Word>(text);
  return { format: textOrEmpty, parse, equal: isSame };
}

export function choiceOrNull<Word extends string>(all: readonly Word[]): Codec<Word | null, string> {
  const one = choice(all);
  return { ...one, parse: (text) => (text ? one.parse(text) : null) };
}

/** Several values of an enumeration. */
export function choices<Word extends string>(all: readonly Word[]): Codec<Word[], readonly string[]> {
  const one = choice(all);
  return { format: words.format, parse: (text) => parseWords(text).map(one.parse), equal: isSame };
}

/** Parses the rows that a custom control keeps as JSON. */
export const parseRows = <Shown>(text: string | undefined): Shown[] => JSON.parse(text || '[]');

/**
 * Rows that a custom control edits as JSON. `toSent` converts a row for the body, `toShown` converts one of a response for the
 * field.
 */
export function rows<Sent, Shown, Read = Shown>(
  toSent: (row: Shown) => Sent,
  toShown: (row: Read) => Shown,
): Codec<Sent[], readonly Read[]> {
  return {
    format: (rows) => JSON.stringify((rows ?? []).map(toShown)),
    parse: (text) => parseRows<Shown>(text).map(toSent),
    equal: isSame,
  };
}
