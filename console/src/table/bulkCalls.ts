// Calls of bulk actions for resources with a bulk endpoint: one request per chunk of records.

import type { paths } from '@/api/schema';
import { type WriteOptions, writeInit, writeInitWithPath } from '@/api/writeOptions';
import type { Action, BulkOutcome, Input } from './action';
import { type BodyOf, type DryRunPath, type Operation, sendUntyped } from './perRecordCalls';

type BulkBody<P extends keyof paths> = BodyOf<Operation<'POST', P>>;
interface RequestParts<Body, FormInput> {
  /** The body without the ids. */
  body?: (input: FormInput) => Body;
  /** The endpoint for one record; by default the bulk endpoint with one id. */
  singlePath?: keyof paths;
  singleBody?: (input: FormInput) => object;
}

/** The calls of an [`Action`] with a bulk endpoint whose body has the record ids in the field `idsField`. */
export function bulkCalls<
  P extends DryRunPath<'POST'>,
  IdsField extends keyof BulkBody<P>,
  FormInput extends object = Input,
>(
  path: P,
  idsField: IdsField,
  parts: RequestParts<Omit<BulkBody<P>, IdsField>, FormInput> = {},
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk'> {
  const runBulk = (ids: readonly number[], input: FormInput, options: WriteOptions) => {
    const body = { ...parts.body?.(input), [idsField]: [...ids] };
    return sendUntyped('POST', path, { ...writeInit(options), body }) as Promise<BulkOutcome>;
  };
  const { singlePath, singleBody } = parts;
  return {
    runBulk,
    runSingle: (id, input, options) => {
      if (!singlePath) return runBulk([id], input, options);
      return sendUntyped('POST', singlePath, {
        ...writeInitWithPath({ id }, options),
        ...(singleBody ? { body: singleBody(input) } : {}),
      });
    },
  };
}

/** The fields of a record in the list field of a bulk request, without its id. */
type RecordChanges<P extends keyof paths, ListField> = ListField extends keyof BodyOf<Operation<'PATCH', P>>
  ? BodyOf<Operation<'PATCH', P>>[ListField] extends readonly (infer BodyRecord)[]
    ? Omit<BodyRecord, 'id'>
    : never
  : never;

interface BulkRecordParts<Body, Changes, FormInput> {
  /** The changes, which are the same for each record. */
  changes: (input: FormInput) => Changes;
  /** The body without the records. */
  body?: (input: FormInput) => Body;
}

/** The calls of an [`Action`] with a bulk endpoint whose body has the changes of each record in the field `listField`. */
export function bulkRecordCalls<
  P extends DryRunPath<'PATCH'>,
  ListField extends keyof BodyOf<Operation<'PATCH', P>>,
  FormInput extends object,
>(
  path: P,
  listField: ListField,
  parts: BulkRecordParts<Omit<BodyOf<Operation<'PATCH', P>>, ListField>, RecordChanges<P, ListField>, FormInput>,
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk'> {
  const runBulk = (ids: readonly number[], input: FormInput, options: WriteOptions) => {
    const records = ids.map((id) => ({ ...parts.changes(input), id }));
    const body = { ...parts.body?.(input), [listField]: records };
    return sendUntyped('PATCH', path, { ...writeInit(options), body }) as Promise<BulkOutcome>;
  };
  return { runBulk, runSingle: (id, input, options) => runBulk([id], input, options) };
}
