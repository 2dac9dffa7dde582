// Computes the fields that differ between the old and the new values of an audit entry.

export interface Difference {
  field: string;
  /** Null if the old values do not contain the field. */
  oldValue: string | null;
  /** Null if the new values do not contain the field. */
  newValue: string | null;
}

/** Returns the fields that differ, in the order of the new values. Fields that exist only in the old values are last. */
export function findDifferences(oldValues: unknown, newValues: unknown): Difference[] {
  const [oldFields, newFields] = [toFields(oldValues), toFields(newValues)];
  const names = [...Object.keys(newFields), ...Object.keys(oldFields).filter((name) => !(name in newFields))];
  return names
    .map((field) => ({ field, oldValue: formatValue(oldFields[field]), newValue: formatValue(newFields[field]) }))
    .filter(({ oldValue, newValue }) => oldValue !== newValue);
}

/** `min_quantity` → `Min quantity`. */
export function formatFieldName(field: string): string {
  const text = field.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toFields(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return { value };
}

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
