// A form and a record that another person changed meanwhile: what was typed stays, what was not touched becomes the newer.
import { type Texts, textsOf, withText } from '@/ui/texts';
import type { FormValues } from './spec';

interface Merged {
  values: Record<string, string>;
  /** What both changed, and what it is now on the server; a text in a language as `translations.de.name`. */
  conflicts: Record<string, string>;
}

/** `base` is what the form started with, `typed` what it holds, `newer` the record as it is now; `texts` are the
 * values that hold texts by language, which are merged text by text. */
export function rebased(base: FormValues, typed: FormValues, newer: FormValues, texts: readonly string[] = []): Merged {
  const flat = (values: FormValues) => flattened(values, texts);
  const [began, mine, theirs] = [flat(base), flat(typed), flat(newer)];
  const merged: Merged = { values: { ...theirs }, conflicts: {} };
  for (const name of new Set([...Object.keys(began), ...Object.keys(mine)])) {
    const [value, before, now] = [mine[name] ?? '', began[name] ?? '', theirs[name] ?? ''];
    if (value === before) continue;
    merged.values[name] = value;
    if (now !== before && now !== value) merged.conflicts[name] = now;
  }
  return { ...merged, values: folded(merged.values, texts) };
}

/** The record as a list has it now; one that is gone stays as it was, and says so when it is saved. */
export function newestOf<Row extends { id: number }>(old: Row, rows: readonly Row[]): Row {
  return rows.find(({ id }) => id === old.id) ?? old;
}

type Flat = Record<string, string>;

function flattened(values: FormValues, texts: readonly string[]): Flat {
  const flat = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    texts.includes(name)
      ? Object.entries(textsOf(value)).flatMap(([locale, words]) =>
          Object.entries(words ?? {}).map(([text, value]): [string, string] => [
            `${name}.${locale}.${text}`,
            value ?? '',
          ]),
        )
      : [[name, value]],
  );
  return Object.fromEntries(flat);
}

function folded(values: FormValues, texts: readonly string[]): Record<string, string> {
  const all: Record<string, Texts> = Object.fromEntries(texts.map((name) => [name, {}]));
  const rest: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = texts.find((name) => key.startsWith(`${name}.`));
    const [locale = '', text = ''] = name ? key.slice(name.length + 1).split('.') : [];
    if (name) all[name] = withText(all[name] ?? {}, locale, text, value);
    else rest[key] = value;
  }
  return { ...rest, ...Object.fromEntries(texts.map((name) => [name, JSON.stringify(all[name])])) };
}
