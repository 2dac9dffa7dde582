// The requests of actions for resources with a bulk endpoint: one request per chunk of records.

import type { paths } from '@/api/schema';
import { createWriteOptions, createWriteOptionsWithPath, type WriteOptions } from '@/api/writeOptions';
import type { Action, ActionInput, BulkOutcome } from './action';
import { type BodyOf, type DryRunPath, type Operation, sendUntyped } from './perRecordRequests';

type BulkBody<P extends keyof paths> = BodyOf<Operation<'POST', P>>;
interface BulkRequestOptions<Body, FormInput> {
  /** Creates the request body without the ids. */
  body?: (input: FormInput) => Body;
  /** The endpoint for one record. Without it, a single record uses the bulk endpoint. */
  singlePath?: keyof paths;
  singleBody?: (input: FormInput) => object;
}

/** Creates the functions of an [`Action`] that send its requests, for a bulk endpoint whose body has the record ids in `idsField`. */
export function createBulkRequests<
  P extends DryRunPath<'POST'>,
  IdsField extends keyof BulkBody<P>,
  FormInput extends object = ActionInput,
>(
  path: P,
  idsField: IdsField,
  requestOptions: BulkRequestOptions<Omit<BulkBody<P>, IdsField>, FormInput> = {},
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk'> {
  const runBulk = (ids: readonly number[], input: FormInput, options: WriteOptions) => {
    const body = { ...requestOptions.body?.(input), [idsField]: [...ids] };
    return sendUntyped('POST', path, { ...createWriteOptions(options), body }) as Promise<BulkOutcome>;
  };
  const { singlePath, singleBody } = requestOptions;
  return {
    runBulk,
    runSingle: (id, input, options) => {
      if (!singlePath) return runBulk([id], input, options);
      return sendUntyped('POST', singlePath, {
        ...createWriteOptionsWithPath({ id }, options),
        ...(singleBody ? { body: singleBody(input) } : {}),
      });
    },
  };
}

/** The type of one record in the list `ListField` of a bulk request, without `id`. */
type RecordChanges<P extends keyof paths, ListField> = ListField extends keyof BodyOf<Operation<'PATCH', P>>
  ? BodyOf<Operation<'PATCH', P>>[ListField] extends readonly (infer BodyRecord)[]
    ? Omit<BodyRecord, 'id'>
    : never
  : never;

interface BulkRecordRequestOptions<Body, Changes, FormInput> {
  /** Creates the changes, which are the same for each record. */
  changes: (input: FormInput) => Changes;
  /** Creates the request body without the records. */
  body?: (input: FormInput) => Body;
}

/**
 * Creates the functions of an [`Action`] that send its requests, for a bulk endpoint whose body has a list `listField` of records,
 * each with its id and its changes.
 */
export function createBulkRecordRequests<
  P extends DryRunPath<'PATCH'>,
  ListField extends keyof BodyOf<Operation<'PATCH', P>>,
  FormInput extends object,
>(
  path: P,
  listField: ListField,
  requestOptions: BulkRecordRequestOptions<
    Omit<BodyOf<Operation<'PATCH', P>>, ListField>,
    RecordChanges<P, ListField>,
    FormInput
  >,
): Pick<Action<unknown, FormInput>, 'runSingle' | 'runBulk'> {
  const runBulk = (ids: readonly number[], input: FormInput, options: WriteOptions) => {
    const records = ids.map((id) => ({ ...requestOptions.changes(input), id }));
    const body = { ...requestOptions.body?.(input), [listField]: records };
    return sendUntyped('PATCH', path, { ...createWriteOptions(options), body }) as Promise<BulkOutcome>;
  };
  return { runBulk, runSingle: (id, input, options) => runBulk([id], input, options) };
}
