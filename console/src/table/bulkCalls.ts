// Bulk actions for resources with a bulk endpoint: one call per chunk.

import type { paths } from '@/api/schema';
import { type WriteOptions, writeInit, writeInitAt } from '@/api/writeOptions';
import type { Action, BulkOutcome, Input } from './action';
import { type BodyOf, type DryRunPath, type Operation, sendUntyped } from './perRecordCalls';

type BulkBody<P extends keyof paths> = BodyOf<Operation<'POST', P>>;
interface RequestParts<Body, Edited> {
  /** The body without the ids. */
  body?: (input: Edited) => Body;
  /** The endpoint for one record; without it the bulk endpoint is used. */
  one?: keyof paths;
  oneBody?: (input: Edited) => object;
}

/** The calls of an [`Action`], from a bulk endpoint whose body has the record ids in the field `ids`. */
export function bulkCalls<P extends DryRunPath<'POST'>, Ids extends keyof BulkBody<P>, Edited extends object = Input>(
  path: P,
  ids: Ids,
  parts: RequestParts<Omit<BulkBody<P>, Ids>, Edited> = {},
): Pick<Action<unknown, Edited>, 'one' | 'many'> {
  const many = (all: readonly number[], input: Edited, options: WriteOptions) => {
    const body = { ...parts.body?.(input), [ids]: [...all] };
    return sendUntyped('POST', path, { ...writeInit(options), body }) as Promise<BulkOutcome>;
  };
  const { one, oneBody } = parts;
  return {
    many,
    one: (id, input, options) => {
      if (!one) return many([id], input, options);
      return sendUntyped('POST', one, {
        ...writeInitAt({ id }, options),
        ...(oneBody ? { body: oneBody(input) } : {}),
      });
    },
  };
}

type Records<P extends keyof paths, List> = List extends keyof BodyOf<Operation<'PATCH', P>>
  ? BodyOf<Operation<'PATCH', P>>[List] extends readonly (infer One)[]
    ? Omit<One, 'id'>
    : never
  : never;

interface RecordParts<Body, Changed, Edited> {
  /** The changes of each record. */
  record: (input: Edited) => Changed;
  /** The body without the records. */
  body?: (input: Edited) => Body;
}

/** The calls of an [`Action`], from a bulk endpoint whose body has the changes of each record in the field `list`. */
export function bulkRecordCalls<
  P extends DryRunPath<'PATCH'>,
  List extends keyof BodyOf<Operation<'PATCH', P>>,
  Edited extends object,
>(
  path: P,
  list: List,
  parts: RecordParts<Omit<BodyOf<Operation<'PATCH', P>>, List>, Records<P, List>, Edited>,
): Pick<Action<unknown, Edited>, 'one' | 'many'> {
  const many = (ids: readonly number[], input: Edited, options: WriteOptions) => {
    const records = ids.map((id) => ({ ...parts.record(input), id }));
    const body = { ...parts.body?.(input), [list]: records };
    return sendUntyped('PATCH', path, { ...writeInit(options), body }) as Promise<BulkOutcome>;
  };
  return { many, one: (id, input, options) => many([id], input, options) };
}
