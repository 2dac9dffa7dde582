// Decides where a form shows the field errors of the server: at the field, inside of the field, or in the error bar if the form has
// no such field.
import { Problem } from '@/api/problem';

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export const NO_ERRORS: FieldErrors = {};

/** The error code if another user has saved the record after the form had loaded it (optimistic locking). */
export const STALE_RECORD_CODE = 'changed_meanwhile';

/** The error code if the key was used with another body: an earlier call succeeded, but the console did not get the response. */
export const KEY_REUSED_CODE = 'idempotency_key_reused';

/**
 * The problem for the error bar. Without field errors it is the problem itself; otherwise it has only the errors that no field
 * shows, and is null if there are none.
 */
export function problemForBar(problem: Problem | null, isShownAtField: (key: string) => boolean): Problem | null {
  if (!problem) return null;
  const keys = Object.keys(problem.fields);
  if (keys.length === 0) return problem;
  const messages = keys.filter((key) => !isShownAtField(key)).flatMap((key) => problem.fields[key] ?? []);
  if (messages.length === 0) return null;
  const { status, code, requestId } = problem;
  return new Problem({ status, code, requestId, message: messages.join(' ') });
}

/** Whether an error key such as `lines.3.percent` belongs to one of the given fields. */
export const isWithinFields = (names: readonly string[]) => (key: string) =>
  names.some((name) => key === name || key.startsWith(`${name}.`));

/** Copies the errors of a field to another field, such as from `name` to `translations.en.name`. */
export function withAliases(errors: FieldErrors, aliases: Readonly<Record<string, string>> = {}): FieldErrors {
  const copies = Object.entries(aliases).flatMap(([name, alias]) =>
    errors[name] ? [[alias, errors[name]] as const] : [],
  );
  return copies.length > 0 ? { ...errors, ...Object.fromEntries(copies) } : errors;
}

/**
 * The alias with which a form shows the error of a missing English name, which the server reports as `name`, at the English text.
 */
export const ENGLISH_NAME = { name: 'translations.en.name' } as const;

/** The errors of a field and of everything inside of it. */
export function errorsAt(errors: FieldErrors, name: string): readonly string[] | undefined {
  const matchingErrors = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
  return matchingErrors.length > 0 ? matchingErrors.flatMap(([, messages]) => messages) : undefined;
}

/** The errors inside of a field, without the name of the field in their keys: `3.percent` for `lines.3.percent`. */
export function errorsWithin(errors: FieldErrors, name: string): FieldErrors {
  const innerErrors = Object.entries(errors).filter(([field]) => field.startsWith(`${name}.`));
  return Object.fromEntries(innerErrors.map(([field, messages]) => [field.slice(name.length + 1), messages]));
}

/** A copy of the problem in which `fields` replace the errors of the same fields. */
export function withFields(problem: Problem, fields: Record<string, string[]>): Problem {
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  const oldFields = Object.fromEntries(Object.entries(problem.fields).map(([name, messages]) => [name, [...messages]]));
  return new Problem({ status, code, message, fields: { ...oldFields, ...fields }, skipped, requestId, retryAfterMs });
}

/** A copy of the problem with renamed fields. The errors of fields that get the same name are joined. */
export function renameFields(problem: Problem, nameOf: (name: string) => string): Problem {
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(problem.fields)) {
    const newName = nameOf(name);
    fields[newName] = [...(fields[newName] ?? []), ...messages];
  }
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  return new Problem({ status, code, message, fields, skipped, requestId, retryAfterMs });
}

/**
 * For the `catch` of a call whose fields are nested in `group` of the body: removes this prefix, so that the names match the form.
 */
export function rethrowWithoutPrefix(group: string) {
  return (error: unknown): never => {
    if (!(error instanceof Problem)) throw error;
    throw renameFields(error, (name) => (name.startsWith(`${group}.`) ? name.slice(group.length + 1) : name));
  };
}

/** Renames the errors of the rows of a list: `provider_statistics.1.cost` becomes `nameOf(1, 'cost')`, unless that is null. */
export function renameRowErrors(
  problem: Problem,
  list: string,
  nameOf: (rowIndex: number, field: string) => string | null,
): Problem {
  return renameFields(problem, (name) => {
    const [listName, index, ...field] = name.split('.');
    const isRowError = listName === list && /^\d+$/.test(index ?? '');
    return (isRowError ? nameOf(Number(index), field.join('.')) : null) ?? name;
  });
}

/** Whether the server accepts the price if the user confirms it. A server that forbids such prices does not offer this. */
export const needsPriceConfirmation = (problem: Problem | null): boolean =>
  problem?.code === 'below_minimum_margin' && JSON.stringify(problem.fields).includes('confirm_below_margin');
