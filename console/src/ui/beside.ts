// What a form has no place for of what the server refused: it belongs into the bar, or it stays unread.
import { Problem } from '@/api/problem';

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
