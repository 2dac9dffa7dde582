// What the server refused of a form, and where the form shows it: at its field, within a field, or in the bar where the form
// draws no field for it, as the person would else not read it.
import { Problem } from '@/api/problem';

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export const NO_ERRORS: FieldErrors = {};

/** The code of a save over a record that was changed since it was read. */
export const STALE = 'changed_meanwhile';

/** The code of a call whose key was used for another body: that one was done, though its answer was lost. */
export const KEY_USED = 'idempotency_key_reused';

/** The problem as the bar shows it: whole where it names no field, the rest where some fields are not drawn, else none. */
export function beside(problem: Problem | null, isAtField: (key: string) => boolean): Problem | null {
  if (!problem) return null;
  const keys = Object.keys(problem.fields);
  if (keys.length === 0) return problem;
  const left = keys.filter((key) => !isAtField(key)).flatMap((key) => problem.fields[key] ?? []);
  if (left.length === 0) return null;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: left.join(' ') });
}

/** Whether a key such as `lines.3.percent` is at one of the fields that are drawn. */
export const isAt = (names: readonly string[]) => (key: string) =>
  names.some((name) => key === name || key.startsWith(`${name}.`));

/** Errors that have a place under another name too, such as `name` at the English text of it. */
export function aliased(errors: FieldErrors, aliases: Readonly<Record<string, string>> = {}): FieldErrors {
  const more = Object.entries(aliases).flatMap(([name, alias]) =>
    errors[name] ? [[alias, errors[name]] as const] : [],
  );
  return more.length > 0 ? { ...errors, ...Object.fromEntries(more) } : errors;
}

/** Where the server names what is wrong with the name of a record that has one in every language. */
export const ENGLISH_NAME = { name: 'translations.en.name' } as const;

/** What is wrong with a field, or with something within it. */
export function errorsAt(errors: FieldErrors, name: string): readonly string[] | undefined {
  const found = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
  return found.length > 0 ? found.flatMap(([, messages]) => messages) : undefined;
}

/** What is wrong within a field, by what follows its name: `3.percent` for `lines.3.percent`. */
export function within(errors: FieldErrors, name: string): FieldErrors {
  const inner = Object.entries(errors).filter(([field]) => field.startsWith(`${name}.`));
  return Object.fromEntries(inner.map(([field, messages]) => [field.slice(name.length + 1), messages]));
}

/** The same problem with `fields` in the place of its own errors at those names. */
export function withFields(problem: Problem, fields: Record<string, string[]>): Problem {
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  const before = Object.fromEntries(Object.entries(problem.fields).map(([name, all]) => [name, [...all]]));
  return new Problem({ status, code, message, fields: { ...before, ...fields }, skipped, requestId, retryAfterMs });
}

/** The same problem with its errors under other names; errors of the same name are joined. */
export function renamed(problem: Problem, nameOf: (name: string) => string): Problem {
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(problem.fields)) {
    const to = nameOf(name);
    fields[to] = [...(fields[to] ?? []), ...messages];
  }
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  return new Problem({ status, code, message, fields, skipped, requestId, retryAfterMs });
}

/** For the `catch` of a call whose fields are within one part of the body: they get the names of the form. */
export function inPart(part: string) {
  return (error: unknown): never => {
    if (!(error instanceof Problem)) throw error;
    throw renamed(error, (name) => (name.startsWith(`${part}.`) ? name.slice(part.length + 1) : name));
  };
}

/** Errors of the rows of a list under other names: `provider_statistics.1.cost` → what `nameOf(1, 'cost')` says, unless null. */
export function atRows(problem: Problem, list: string, nameOf: (row: number, field: string) => string | null): Problem {
  return renamed(problem, (name) => {
    const [first, row, ...field] = name.split('.');
    return (first === list && /^\d+$/.test(row ?? '') ? nameOf(Number(row), field.join('.')) : null) ?? name;
  });
}

/** Whether the panel takes the price once it is confirmed; where it refuses such prices, it does not ask. */
export const asksForPrice = (problem: Problem | null): boolean =>
  problem?.code === 'below_least_margin' && JSON.stringify(problem.fields).includes('confirm_below_margin');
