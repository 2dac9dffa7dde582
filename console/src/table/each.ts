// Actions of resources without a bulk endpoint: the same dialog, one call a record. A record that is gone, has moved on
// or cannot take what is asked is skipped with the server's sentence; anything else stops the run, which can go on from
// there. What all of them refuse for the same reason is the form's fault, and is said at its fields.
import { api, unwrap } from '@/api/client';
import { type How, initAt } from '@/api/how';
import { Problem } from '@/api/problem';
import type { paths } from '@/api/schema';
import { add } from '@/form/decimal';
import { type Action, type BulkOutcome, type ChunkHow, type Input, type UndoOffer, undosOf } from './action';
import { chargedOf, returnedOf, userOf } from './run';

type Verb = 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Operation<V extends Verb, P extends keyof paths> = paths[P][Lowercase<V>];
type QueryOf<O> = O extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never;
export type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never;

/** The paths whose endpoint takes a dry run: no action is made of any other, since none could be previewed. */
export type Rehearsable<V extends Verb> = {
  [P in keyof paths]: [QueryOf<Operation<V, P>>] extends [never]
    ? never
    : 'dry_run' extends keyof QueryOf<Operation<V, P>>
      ? P
      : never;
}[keyof paths];

interface Parts<Body, Edited> {
  /** The arguments of the path, where there are others than the record's id. */
  path?: (id: number) => Record<string, number>;
  body?: (input: Edited) => Body;
}

/** Answers that say something of one record, not of the run. */
const SKIPPED: readonly number[] = [404, 409, 422];

/** Whether only this record is refused: a missing permission refuses all, a colleague who may do more only themselves. */
function isOfRecord({ status, code }: Problem): boolean {
  return SKIPPED.includes(status) || (status === 403 && code !== 'forbidden');
}

/** Records of one call of `many`: the bar moves, and closing the dialog ends the trying soon. */
const CHUNK = 20;

/** The server lets so many requests a minute through; a longer run waits as long as it says, and goes on. */
const MOST_WAITS = 100;

type Call = (path: keyof paths, init: object) => Parameters<typeof unwrap<unknown>>[0];

/** A call to a path that only its caller knows: the one place where its type is forgotten. `eachOf` and its like check it. */
export const send = (verb: Verb, path: keyof paths, init: object): Promise<unknown> =>
  unwrap((api[verb] as unknown as Call)(path, init));

/** What an [`Action`] needs of its calls, from the endpoint for one record. */
export function eachOf<V extends Verb, P extends Rehearsable<V>, Edited extends object = Input>(
  verb: V,
  path: P,
  parts: Parts<BodyOf<Operation<V, P>>, Edited> = {},
): Pick<Action<unknown, Edited>, 'one' | 'many' | 'chunk'> {
  const call = (id: number, input: Edited, how: ChunkHow) => {
    // One key for each record of the chunk, and the same one when the chunk is sent again.
    const init = initAt(parts.path?.(id) ?? { id }, { ...how, key: `${how.key}-${id}` });
    return paced(() => send(verb, path, { ...init, ...(parts.body ? { body: parts.body(input) } : {}) }), how.signal);
  };
  return {
    chunk: CHUNK,
    one: call,
    many: async (ids, input, how) => {
      const undos: UndoOffer[] = [];
      const users = new Set<number>();
      const outcome: BulkOutcome = {
        processed: 0,
        skipped: [],
        totals: { orders: 0, returned: '0', users: 0, charged: '0' },
        dry_run: how.dryRun,
        undos,
      };
      const refused: Problem[] = [];
      for (const id of ids) {
        try {
          const answer = await call(id, input, how);
          const returned = returnedOf(answer);
          outcome.totals.charged = add(outcome.totals.charged ?? '0', chargedOf(answer));
          if (ids.length === 1) outcome.record = (answer as { data?: unknown } | undefined)?.data;
          undos.push(...undosOf(answer));
          outcome.processed += 1;
          outcome.totals.orders += 1;
          // An answer that does not name its customer counts as one of its own; ids are positive.
          if (returned !== '0') users.add(userOf(answer) ?? -id);
          outcome.totals.returned = add(outcome.totals.returned, returned);
        } catch (error) {
          if (!(error instanceof Problem) || !isOfRecord(error)) throw error;
          if (error.status === 422) refused.push(error);
          outcome.skipped.push({ id, code: error.code, message: error.detail });
        }
      }
      outcome.totals.users = users.size;
      if (users.size > 0) outcome.reach = { users: [...users], services: [], customers: [] };
      const fault = refused.length === (how.total ?? ids.length) ? refused[0] : undefined;
      if (fault && refused.every((other) => other.detail === fault.detail)) throw fault;
      return outcome;
    },
  };
}

/** Sends again what the server put off because there were too many requests, after the pause that it asked for. */
async function paced<T>(call: () => Promise<T>, signal: How['signal']): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 429 || waits === MOST_WAITS) throw error;
      await pause(error.retryAfterMs, signal);
    }
  }
}

function pause(ms: number, signal: How['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
