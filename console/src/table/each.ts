// Actions of resources without a bulk endpoint: the same dialog, one call a record. A record that is gone, has moved on
// or cannot take what is asked is skipped with the server's sentence; anything else stops the run, which can go on from
// there. What all of them refuse for the same reason is the form's fault, and is said at its fields.
import { Problem } from '@/api/problem';
import { type Action, type BulkOutcome, type How, type Input, NotRehearsable, type UndoOffer, undosOf } from './action';
import { add, chargedOf, returnedOf } from './run';

type Init = { headers: Record<string, string>; signal?: AbortSignal };
type Query = { dry_run?: '1' };
type Call = (id: number, init: Init, query: Query, input: Input) => Promise<unknown>;

/** Answers that say something of one record, not of the run. */
const SKIPPED: readonly number[] = [404, 409, 422];

/** More are not tried one by one. */
const MOST_TRIED = 50;

/** What an [`Action`] needs of its calls, from the call for one record. `rehearses`: the endpoint knows `dry_run`. */
export function eachOf<Row>(call: Call, { rehearses = false } = {}): Pick<Action<Row>, 'one' | 'many'> {
  const init = ({ key, signal }: How, id: number): Init => ({
    // One key for each record of the chunk, and the same one when the chunk is sent again.
    headers: { 'Idempotency-Key': `${key}-${id}` },
    ...(signal ? { signal } : {}),
  });
  return {
    one: (id, input, how) => call(id, init(how, id), {}, input),
    many: async (ids, input, how) => {
      // Nothing to try without doing it: the dialog says so.
      if (how.dryRun && (!rehearses || ids.length > MOST_TRIED)) throw new NotRehearsable();
      const outcome: BulkOutcome = {
        processed: 0,
        skipped: [],
        totals: { orders: 0, returned: '0', users: 0, charged: '0' },
        dry_run: how.dryRun,
      };
      const undos: UndoOffer[] = [];
      outcome.undos = undos;
      const refused: Problem[] = [];
      for (const id of ids) {
        try {
          const answer = await call(id, init(how, id), how.dryRun ? { dry_run: '1' } : {}, input);
          const returned = returnedOf(answer);
          outcome.totals.charged = add(outcome.totals.charged ?? '0', chargedOf(answer));
          if (ids.length === 1) outcome.record = (answer as { data?: unknown } | undefined)?.data;
          undos.push(...undosOf(answer));
          outcome.processed += 1;
          outcome.totals.orders += 1;
          outcome.totals.users += returned === '0' ? 0 : 1;
          outcome.totals.returned = add(outcome.totals.returned, returned);
        } catch (error) {
          if (!(error instanceof Problem) || !SKIPPED.includes(error.status)) throw error;
          if (error.status === 422) refused.push(error);
          outcome.skipped.push({ id, code: error.code, message: sentenceOf(error) });
        }
      }
      const fault = refused.length === (how.total ?? ids.length) ? refused[0] : undefined;
      if (fault && refused.every((other) => sentenceOf(other) === sentenceOf(fault))) throw fault;
      return outcome;
    },
  };
}

/** What went wrong, with what the fields say where they were blamed. */
function sentenceOf(problem: Problem): string {
  return Object.values(problem.fields).flat().join(' ') || problem.message;
}
