// Actions of resources with an endpoint for many records: the same dialog, one call for all of a chunk.
import { type How, initAt, initOf } from '@/api/how';
import type { paths } from '@/api/schema';
import type { Action, BulkOutcome, Input } from './action';
import { type BodyOf, type Operation, type Rehearsable, send } from './each';

type Many<P extends keyof paths> = BodyOf<Operation<'POST', P>>;
interface Parts<Body, Edited> {
  /** What is sent beside the ids. */
  body?: (input: Edited) => Body;
  /** The endpoint for one record; without it one record goes as many do. */
  one?: keyof paths;
  oneBody?: (input: Edited) => object;
}

/** What an [`Action`] needs of its calls, from an endpoint whose body takes the records' ids under `ids`. */
export function bulkOf<P extends Rehearsable<'POST'>, Ids extends keyof Many<P>, Edited extends object = Input>(
  path: P,
  ids: Ids,
  parts: Parts<Omit<Many<P>, Ids>, Edited> = {},
): Pick<Action<unknown, Edited>, 'one' | 'many'> {
  const many = (all: readonly number[], input: Edited, how: How) => {
    const body = { ...parts.body?.(input), [ids]: [...all] };
    return send('POST', path, { ...initOf(how), body }) as Promise<BulkOutcome>;
  };
  const { one, oneBody } = parts;
  return {
    many,
    one: (id, input, how) => {
      if (!one) return many([id], input, how);
      return send('POST', one, { ...initAt({ id }, how), ...(oneBody ? { body: oneBody(input) } : {}) });
    },
  };
}

type Records<P extends keyof paths, List> = List extends keyof BodyOf<Operation<'PATCH', P>>
  ? BodyOf<Operation<'PATCH', P>>[List] extends readonly (infer One)[]
    ? Omit<One, 'id'>
    : never
  : never;

interface RecordParts<Body, Changed, Edited> {
  /** What changes about each record. */
  record: (input: Edited) => Changed;
  /** What is sent beside the records. */
  body?: (input: Edited) => Body;
}

/** What an [`Action`] needs of its calls, from an endpoint whose body has under `list` a record with its changes for each id. */
export function recordsOf<
  P extends Rehearsable<'PATCH'>,
  List extends keyof BodyOf<Operation<'PATCH', P>>,
  Edited extends object,
>(
  path: P,
  list: List,
  parts: RecordParts<Omit<BodyOf<Operation<'PATCH', P>>, List>, Records<P, List>, Edited>,
): Pick<Action<unknown, Edited>, 'one' | 'many'> {
  const many = (ids: readonly number[], input: Edited, how: How) => {
    const records = ids.map((id) => ({ ...parts.record(input), id }));
    const body = { ...parts.body?.(input), [list]: records };
    return send('PATCH', path, { ...initOf(how), body }) as Promise<BulkOutcome>;
  };
  return { many, one: (id, input, how) => many([id], input, how) };
}
