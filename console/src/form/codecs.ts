// The codecs of every kind of field that the contract has.
import type { Schemas } from '@/api/client';
import { textsOf } from '@/ui/texts';
import { asTyped, type Codec, type FieldMode, type Wrong } from './codec';
import { fractionOf, isNumber, percentOf, plain, sameNumber } from './decimal';

const isSame = (a: string, b: string) => a === b;
const asItIs = (value: string | null | undefined) => value ?? '';
const withMode = <Sent, Read>(codec: Codec<Sent, Read>, mode: FieldMode): Codec<Sent, Read> => ({ ...codec, mode });

/** A text as it was typed. */
export const text: Codec<string> = { format: asItIs, parse: (text) => text, equal: isSame };
export const long = withMode(text, 'long');
export const url = withMode(text, 'url');

/** A text, or nothing where the field is empty. */
export const textOrNull: Codec<string | null> = { ...text, parse: (text) => text || null };
/** A picture: an address, a data URL, or nothing. */
export const image = withMode(textOrNull, 'image');
export const day = withMode(textOrNull, 'date');
/** A text without spaces around it, or nothing where no more is left. */
export const trimmedOrNull: Codec<string | null> = { ...text, parse: (text) => text.trim() || null };

/** A comma that may part thousands is left to the server: see `moneyByHand`. */
const noNumber = (text: string): Wrong | null => (plain(text) === '' || isNumber(text) ? null : 'number');

const decimal: Codec<string | null> = {
  mode: 'decimal',
  format: asItIs,
  parse: (text) => plain(text) || null,
  equal: sameNumber,
  wrong: noNumber,
};
export const money: Codec<Schemas['Money'] | null> = decimal;
/** Money that a person moves by hand: a comma stays, for the server to refuse, as "1,234" may mean two things. */
export const moneyByHand: Codec<Schemas['Money'] | null> = {
  ...decimal,
  parse: (text) => text.replace(/\s/g, '') || null,
};
/** A percentage that the wire has as a percentage too. */
export const points: Codec<Schemas['Percent'] | null> = decimal;
/** A ratio or a multiplier, typed as the wire has it. */
export const factor: Codec<Schemas['Fraction'] | null> = decimal;
/** A share: people type 12.5 for the 0.125 of the wire. */
export const percent: Codec<Schemas['Fraction'] | null> = {
  mode: 'decimal',
  format: (fraction) => (fraction ? percentOf(fraction) : ''),
  parse: (text) => fractionOf(text) || null,
  equal: sameNumber,
  wrong: noNumber,
};

/** A whole number in digits: "1.500" and "1500.00" may mean two things, and "0x1F" or "1e3" is not how people count. */
function wholeOf(text: string): number | null {
  const typed = text.replace(/\s/g, '');
  const number = /^-?\d+$/.test(typed) ? Number(typed) : null;
  return Number.isSafeInteger(number) ? number : null;
}
const noWhole = (text: string): Wrong | null => (text.trim() === '' || wholeOf(text) !== null ? null : 'wholeNumber');

export const quantity: Codec<number | null> = {
  mode: 'numeric',
  format: (number) => (number === null || number === undefined ? '' : String(number)),
  parse: (text) => (text.trim() === '' ? null : (wholeOf(text) ?? asTyped(text))),
  equal: sameNumber,
  wrong: noWhole,
};

/** What a menu holds for no record, where its empty value has another meaning or shows no label. */
const NO_RECORD = 'none';
const isNone = (text: string) => text.trim() === '' || text === NO_RECORD;

/** The id of a record that was picked; nothing where none was. */
export const id: Codec<number | null> = {
  format: (id) => (id ? String(id) : ''),
  parse: (text) => (isNone(text) ? null : (wholeOf(text) ?? asTyped<number>(text)) || null),
  equal: isSame,
  wrong: (text) => (isNone(text) ? null : noWhole(text)),
};

/** "2026-11-21 10:00:00" → what the browser's field holds. It knows no time zone: a time in it is UTC. */
const fieldOf = (time: string | null | undefined) => (time ? time.slice(0, 19).replace(' ', 'T') : '');
/** What the field holds → "2026-11-21 10:00:00"; the browser leaves out seconds that are zero. */
const timeOf = (field: string) => (field ? field.replace('T', ' ').padEnd(19, ':00').slice(0, 19) : null);
export const time: Codec<Schemas['Time'] | null> = {
  mode: 'time',
  format: fieldOf,
  parse: timeOf,
  equal: (a, b) => timeOf(a) === timeOf(b),
};

/** Whether a tick is set, of the text that its field holds. */
export const isOn = (text: string | undefined) => text === 'yes';
export const tick: Codec<boolean> = { mode: 'tick', format: (on) => (on ? 'yes' : ''), parse: isOn, equal: isSame };

/** `confirm_below_margin`: sent only where a person confirmed the price. */
export const confirmation: Codec<true | undefined> = { ...tick, parse: (text) => (isOn(text) ? true : undefined) };

/** Texts by language, as JSON; an empty text is none. */
export const texts: Codec<Schemas['Translations']> = {
  mode: 'texts',
  format: (texts) => JSON.stringify(texts ?? {}),
  parse: (text) => JSON.parse(text || '{}'),
  equal: (a, b) => written(a) === written(b),
};

/** The texts that are not empty, always in the same order. */
function written(value: string): string {
  const all = Object.entries(textsOf(value)).flatMap(([locale, texts]) =>
    Object.entries(texts ?? {}).flatMap(([name, text]) => (text ? [[locale, name, text].join('\n')] : [])),
  );
  return JSON.stringify(all.sort());
}

/** What a field holds of several words, such as countries. */
export const wordsIn = (text: string | undefined): string[] => (text ? text.split(',').filter(Boolean) : []);
export const words: Codec<string[], readonly string[]> = {
  format: (words) => (words ?? []).join(','),
  parse: wordsIn,
  equal: isSame,
};
export const ids: Codec<number[], readonly number[]> = {
  format: (ids) => (ids ?? []).join(','),
  parse: (text) => wordsIn(text).map(Number),
  equal: isSame,
};

/** What a field holds as a line each; empty lines are none. */
export const linesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
export const lines: Codec<string[], readonly string[]> = {
  mode: 'long',
  format: (lines) => (lines ?? []).join('\n'),
  parse: linesIn,
  equal: isSame,
};

/** One word of an enumeration. */
export function choice<Word extends string>(all: readonly Word[]): Codec<Word, string> {
  const parse = (text: string) => all.find((word) => word === text) ?? asTyped<Word>(text);
  return { format: asItIs, parse, equal: isSame };
}

export function choiceOrNull<Word extends string>(all: readonly Word[]): Codec<Word | null, string> {
  const one = choice(all);
  return { ...one, parse: (text) => (text ? one.parse(text) : null) };
}

/** Some words of an enumeration. */
export function wordsOf<Word extends string>(all: readonly Word[]): Codec<Word[], readonly string[]> {
  const one = choice(all);
  return { format: words.format, parse: (text) => wordsIn(text).map(one.parse), equal: isSame };
}

/** What a control of its own holds of its rows, as JSON. */
export const rowsIn = <Shown>(text: string | undefined): Shown[] => JSON.parse(text || '[]');

/** Rows that a control of its own edits as JSON: `toSent` is a row as a body has it, `toShown` one of an answer in the field. */
export function rows<Sent, Shown, Read = Shown>(
  toSent: (row: Shown) => Sent,
  toShown: (row: Read) => Shown,
): Codec<Sent[], readonly Read[]> {
  return {
    format: (rows) => JSON.stringify((rows ?? []).map(toShown)),
    parse: (text) => rowsIn<Shown>(text).map(toSent),
    equal: isSame,
  };
}
