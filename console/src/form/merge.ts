// Three-way merge of a form with a record that another user has changed: edits are kept, other fields take the current values.
import { parseTexts, setText, type Texts } from '@/ui/texts';
import type { FormValues } from './spec';

interface Merged {
  values: Record<string, string>;
  /** Fields that both have changed, with the current value of the server; a text in a language as `translations.de.name`. */
  conflicts: Record<string, string>;
}

/** `base` has the values that the form started with, `edited` its values now, `current` those of the record on the server. `texts`
 * names the values with texts by language, which are merged text by text. */
export function mergeEdits(
  base: FormValues,
  edited: FormValues,
  current: FormValues,
  texts: readonly string[] = [],
): Merged {
  const flat = (values: FormValues) => flatten(values, texts);
  const [original, mine, theirs] = [flat(base), flat(edited), flat(current)];
  const merged: Merged = { values: { ...theirs }, conflicts: {} };
  for (const name of new Set([...Object.keys(original), ...Object.keys(mine)])) {
    const [value, before, now] = [mine[name] ?? '', original[name] ?? '', theirs[name] ?? ''];
    if (value === before) continue;
    merged.values[name] = value;
    if (now !== before && now !== value) merged.conflicts[name] = now;
  }
  return { ...merged, values: unflatten(merged.values, texts) };
}

/** The current version of a row in a refetched list, or the old row when it is gone: saving then reports that. */
export function latestRow<Row extends { id: number }>(old: Row, rows: readonly Row[]): Row {
  return rows.find(({ id }) => id === old.id) ?? old;
}

type Flat = Record<string, string>;

function flatten(values: FormValues, texts: readonly string[]): Flat {
  const flat = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    texts.includes(name)
      ? Object.entries(parseTexts(value)).flatMap(([locale, words]) =>
          Object.entries(words ?? {}).map(([text, value]): [string, string] => [
            `${name}.${locale}.${text}`,
            value ?? '',
          ]),
        )
      : [[name, value]],
  );
  return Object.fromEntries(flat);
}

function unflatten(values: FormValues, texts: readonly string[]): Record<string, string> {
  const all: Record<string, Texts> = Object.fromEntries(texts.map((name) => [name, {}]));
  const rest: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = texts.find((name) => key.startsWith(`${name}.`));
    const [locale = '', text = ''] = name ? key.slice(name.length + 1).split('.') : [];
    if (name) all[name] = setText(all[name] ?? {}, locale, text, value);
    else rest[key] = value;
  }
  return { ...rest, ...Object.fromEntries(texts.map((name) => [name, JSON.stringify(all[name])])) };
}
