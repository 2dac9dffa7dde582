// Field errors of the server, and where a form shows them: at the field, inside of a field, or in the error bar when the form has
// no such field, because the user would not see them otherwise.
import { Problem } from '@/api/problem';

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export const NO_ERRORS: FieldErrors = {};

/** The error code of a save when the record was changed after the form had loaded it (optimistic locking). */
export const STALE = 'changed_meanwhile';

/** The error code of an idempotency key that was used with another body: the first call succeeded, but its answer was lost. */
export const KEY_REUSED = 'idempotency_key_reused';

/** The problem for the error bar: the whole problem without field errors, else the errors that no field shows, or null. */
export function problemForBar(problem: Problem | null, isAtField: (key: string) => boolean): Problem | null {
  if (!problem) return null;
  const keys = Object.keys(problem.fields);
  if (keys.length === 0) return problem;
  const messages = keys.filter((key) => !isAtField(key)).flatMap((key) => problem.fields[key] ?? []);
  if (messages.length === 0) return null;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: messages.join(' ') });
}

/** Whether an error key such as `lines.3.percent` belongs to one of the given fields. */
export const isWithinFields = (names: readonly string[]) => (key: string) =>
  names.some((name) => key === name || key.startsWith(`${name}.`));

/** Copies errors to a second name, such as from `name` to the English text of the name. */
export function withAliases(errors: FieldErrors, aliases: Readonly<Record<string, string>> = {}): FieldErrors {
  const more = Object.entries(aliases).flatMap(([name, alias]) =>
    errors[name] ? [[alias, errors[name]] as const] : [],
  );
  return more.length > 0 ? { ...errors, ...Object.fromEntries(more) } : errors;
}

/** The server reports a missing English name as `name`; the form shows it at the English text. */
export const ENGLISH_NAME = { name: 'translations.en.name' } as const;

/** The errors of a field and of everything inside of it. */
export function errorsAt(errors: FieldErrors, name: string): readonly string[] | undefined {
  const matching = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
  return matching.length > 0 ? matching.flatMap(([, messages]) => messages) : undefined;
}

/** The errors inside of a field, keyed by the rest of the path: `3.percent` for `lines.3.percent`. */
export function errorsWithin(errors: FieldErrors, name: string): FieldErrors {
  const inner = Object.entries(errors).filter(([field]) => field.startsWith(`${name}.`));
  return Object.fromEntries(inner.map(([field, messages]) => [field.slice(name.length + 1), messages]));
}

/** A copy of the problem in which `fields` replace its own errors of the same names. */
export function withFields(problem: Problem, fields: Record<string, string[]>): Problem {
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  const before = Object.fromEntries(Object.entries(problem.fields).map(([name, all]) => [name, [...all]]));
  return new Problem({ status, code, message, fields: { ...before, ...fields }, skipped, requestId, retryAfterMs });
}

/** A copy of the problem with renamed errors; errors that get the same name are joined. */
export function renameFields(problem: Problem, nameOf: (name: string) => string): Problem {
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(problem.fields)) {
    const to = nameOf(name);
    fields[to] = [...(fields[to] ?? []), ...messages];
  }
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  return new Problem({ status, code, message, fields, skipped, requestId, retryAfterMs });
}

/** For the `catch` of a call whose fields are nested in one part of the body: removes the prefix, so that names match the form. */
export function rethrowWithoutPrefix(part: string) {
  return (error: unknown): never => {
    if (!(error instanceof Problem)) throw error;
    throw renameFields(error, (name) => (name.startsWith(`${part}.`) ? name.slice(part.length + 1) : name));
  };
}

/** Renames the errors of list rows: `provider_statistics.1.cost` becomes `nameOf(1, 'cost')`, unless that is null. */
export function renameRowErrors(
  problem: Problem,
  list: string,
  nameOf: (row: number, field: string) => string | null,
): Problem {
  return renameFields(problem, (name) => {
    const [first, row, ...field] = name.split('.');
    return (first === list && /^\d+$/.test(row ?? '') ? nameOf(Number(row), field.join('.')) : null) ?? name;
  });
}

/** Whether the server accepts the price after a confirmation. A server that forbids such prices does not offer it. */
export const needsPriceConfirmation = (problem: Problem | null): boolean =>
  problem?.code === 'below_least_margin' && JSON.stringify(problem.fields).includes('confirm_below_margin');
