// Three-way merge of a form with a record that another user has changed: edited fields keep the user's values, and all other fields
// get the saved values.
import { parseTexts, setText, type Texts } from '@/ui/texts';
import type { FormValues } from './spec';

interface MergeResult {
  values: Record<string, string>;
  /** The saved values of fields that both users have changed. The key of a text in a language is `translations.de.name`. */
  conflicts: Record<string, string>;
}

/**
 * `base` contains the values that the form was loaded with, `edited` the values that the user sees, and `saved` the values of the
 * record on the server. `textFields` are the names of the fields with translations, which are merged text by text.
 */
export function mergeEdits(
  base: FormValues,
  edited: FormValues,
  saved: FormValues,
  textFields: readonly string[] = [],
): MergeResult {
  const baseValues = flattenTexts(base, textFields);
  const editedValues = flattenTexts(edited, textFields);
  const savedValues = flattenTexts(saved, textFields);
  const result: MergeResult = { values: { ...savedValues }, conflicts: {} };
  for (const name of new Set([...Object.keys(baseValues), ...Object.keys(editedValues)])) {
    const baseValue = baseValues[name] ?? '';
    const editedValue = editedValues[name] ?? '';
    const savedValue = savedValues[name] ?? '';
    if (editedValue === baseValue) continue;
    result.values[name] = editedValue;
    if (savedValue !== baseValue && savedValue !== editedValue) result.conflicts[name] = savedValue;
  }
  return { ...result, values: unflattenTexts(result.values, textFields) };
}

/** Finds a row in the refetched list. Returns the loaded row if the row was deleted, because the server then rejects the save. */
export function findLatestRow<Row extends { id: number }>(loadedRow: Row, rows: readonly Row[]): Row {
  return rows.find(({ id }) => id === loadedRow.id) ?? loadedRow;
}

/** Splits the values of `textFields` into one value per text: `translations.de.name`. */
function flattenTexts(values: FormValues, textFields: readonly string[]): Record<string, string> {
  const entries = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    textFields.includes(name)
      ? Object.entries(parseTexts(value)).flatMap(([locale, texts]) =>
          Object.entries(texts ?? {}).map(([textName, text]): [string, string] => [
            `${name}.${locale}.${textName}`,
            text ?? '',
          ]),
        )
      : [[name, value]],
  );
  return Object.fromEntries(entries);
}

/** The inverse of `flatten`. */
function unflattenTexts(values: FormValues, textFields: readonly string[]): Record<string, string> {
  const textsByField: Record<string, Texts> = Object.fromEntries(textFields.map((name) => [name, {}]));
  const otherValues: Record<string, string> = {};
  for (const [key, value] of Object.entries(values)) {
    const name = textFields.find((name) => key.startsWith(`${name}.`));
    const [locale = '', textName = ''] = name ? key.slice(name.length + 1).split('.') : [];
    if (name) textsByField[name] = setText(textsByField[name] ?? {}, locale, textName, value);
    else otherValues[key] = value;
  }
  return {
    ...otherValues,
    ...Object.fromEntries(textFields.map((name) => [name, JSON.stringify(textsByField[name])])),
  };
}
