// The field differences between the old and the new values of an audit entry. No I/O.

export interface Difference {
  field: string;
  before: string | null;
  after: string | null;
}

/** Returns the fields that differ, in the order of the new values. Fields that exist only in the old values come last. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  const [oldFields, newFields] = [fieldsOf(before), fieldsOf(after)];
  const names = [...Object.keys(newFields), ...Object.keys(oldFields).filter((name) => !(name in newFields))];
  return names
    .map((field) => ({ field, before: textOf(oldFields[field]), after: textOf(newFields[field]) }))
    .filter(({ before, after }) => before !== after);
}

/** `min_quantity` → `Min quantity`. */
export function fieldLabel(field: string): string {
  const text = field.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return { value };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
