// What an audit entry changed, field by field. Pure.

export interface Difference {
  field: string;
  before: string | null;
  after: string | null;
}

/** Fields that differ, in the order of the new values; what is only old stands last. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [old, now] = [fields(before), fields(after)];
  const names = [...Object.keys(now), ...Object.keys(old).filter((name) => !(name in now))];
  return names
    .map((field) => ({ field, before: text(old[field]), after: text(now[field]) }))
    .filter((found) => found.before !== found.after);
}

/** `min_quantity` → `Min quantity`. */
export function words(field: string): string {
  const text = field.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fields(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return { value };
}

function text(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
