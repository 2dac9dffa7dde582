// Decides where a form shows the field errors of the server: next to the field, inside of the field, or in the error bar if the
// form has no such field.
import { Problem } from '@/api/problem';

export type FieldErrors = Readonly<Record<string, readonly string[]>>;

export const NO_ERRORS: FieldErrors = {};

/** The error code of a conflict: another user has saved the record after the form had loaded it (optimistic locking). */
export const STALE_RECORD_CODE = 'changed_meanwhile';

/**
 * The error code if the idempotency key was already used with another body: an earlier request succeeded, but the console did not
 * receive the response.
 */
export const KEY_REUSED_CODE = 'idempotency_key_reused';

/**
 * Returns the problem for the error bar: the problem itself if it has no field errors, otherwise a copy with the errors that no
 * field shows. Returns null if the fields show all errors.
 */
export function getBarProblem(problem: Problem | null, isShownAtField: (key: string) => boolean): Problem | null {
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

/** Copies the errors of fields to their aliases, for example from `name` to `translations.en.name`. */
export function copyErrorsToAliases(errors: FieldErrors, aliases: Readonly<Record<string, string>> = {}): FieldErrors {
  const copiedErrors = Object.entries(aliases).flatMap(([name, alias]) =>
    errors[name] ? [[alias, errors[name]] as const] : [],
  );
  return copiedErrors.length > 0 ? { ...errors, ...Object.fromEntries(copiedErrors) } : errors;
}

/** The server reports a missing English name as `name`. With this alias the form shows the error next to the English text. */
export const ENGLISH_NAME_ALIAS = { name: 'translations.en.name' } as const;

/** Returns the errors of a field and of all fields inside of it. Undefined if there are none. */
export function collectFieldErrors(errors: FieldErrors, name: string): readonly string[] | undefined {
  const matchingErrors = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
  return matchingErrors.length > 0 ? matchingErrors.flatMap(([, messages]) => messages) : undefined;
}

/** Returns the errors inside of a field. Their keys have no field name: `3.percent` for `lines.3.percent`. */
export function collectInnerErrors(errors: FieldErrors, name: string): FieldErrors {
  const innerErrors = Object.entries(errors).filter(([field]) => field.startsWith(`${name}.`));
  return Object.fromEntries(innerErrors.map(([field, messages]) => [field.slice(name.length + 1), messages]));
}

/** Returns a copy of the problem in which `fields` replace the errors of the same fields. */
export function withFieldErrors(problem: Problem, fields: Record<string, string[]>): Problem {
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  const oldFields = Object.fromEntries(Object.entries(problem.fields).map(([name, messages]) => [name, [...messages]]));
  return new Problem({ status, code, message, fields: { ...oldFields, ...fields }, skipped, requestId, retryAfterMs });
}

/** Returns a copy of the problem with renamed fields. The errors of fields that get the same name are merged. */
export function renameFieldErrors(problem: Problem, getNewName: (name: string) => string): Problem {
  const fields: Record<string, string[]> = {};
  for (const [name, messages] of Object.entries(problem.fields)) {
    const newName = getNewName(name);
    fields[newName] = [...(fields[newName] ?? []), ...messages];
  }
  const { status, code, message, skipped, requestId, retryAfterMs } = problem;
  return new Problem({ status, code, message, fields, skipped, requestId, retryAfterMs });
}

/**
 * Creates a `catch` handler for a request whose fields are nested in `group` of the body: it removes this prefix from the names of
 * the field errors, so that the names match the fields of the form, and rethrows the error.
 */
export function rethrowWithoutPrefix(group: string) {
  return (error: unknown): never => {
    if (!(error instanceof Problem)) throw error;
    throw renameFieldErrors(error, (name) => (name.startsWith(`${group}.`) ? name.slice(group.length + 1) : name));
  };
}

/** Renames the errors of the rows of a list: `lines.1.cost` becomes `getFieldName(1, 'cost')`, unless this is null. */
export function renameRowErrors(
  problem: Problem,
  list: string,
  getFieldName: (rowIndex: number, field: string) => string | null,
): Problem {
  return renameFieldErrors(problem, (name) => {
    const [listName, index, ...field] = name.split('.');
    const isRowError = listName === list && /^\d+$/.test(index ?? '');
    return (isRowError ? getFieldName(Number(index), field.join('.')) : null) ?? name;
  });
}

/** Whether the server accepts the price if the user confirms it. The settings of the panel can forbid such prices. */
export const canConfirmPrice = (problem: Problem | null): boolean =>
  problem?.code === 'below_minimum_margin' && JSON.stringify(problem.fields).includes('confirm_below_margin');
