// Actions of resources without a bulk endpoint: the same dialog, one call a record. A record that is gone or has moved
// on is skipped with the server's sentence; anything else stops the run, which can go on from there.
import { Problem } from '@/api/problem';
import type { Action, BulkOutcome, How } from './action';

type Init = { headers: Record<string, string>; signal?: AbortSignal };
type Call = (id: number, init: Init) => Promise<unknown>;

/** What an [`Action`] needs of its calls, from the call for one record. */
export function eachOf<Row>(call: Call): Pick<Action<Row>, 'one' | 'many'> {
  const init = ({ key, signal }: How, id: number): Init => ({
    // One key for each record of the chunk, and the same one when the chunk is sent again.
    headers: { 'Idempotency-Key': `${key}-${id}` },
    ...(signal ? { signal } : {}),
  });
  return {
    one: (id, _, how) => call(id, init(how, id)),
    many: async (ids, _, how) => {
      // Nothing to try without doing it: the dialog says so.
      if (how.dryRun) throw new Problem({ status: 0, code: 'cannot_rehearse', message: '' });
      const outcome: BulkOutcome = {
        processed: 0,
        skipped: [],
        totals: { orders: 0, returned: '0', users: 0 },
        dry_run: false,
      };
      for (const id of ids) {
        try {
          await call(id, init(how, id));
          outcome.processed += 1;
        } catch (error) {
          if (!(error instanceof Problem) || (error.status !== 404 && error.status !== 409)) throw error;
          outcome.skipped.push({ id, code: error.code, message: error.message });
        }
      }
      return outcome;
    },
  };
}
