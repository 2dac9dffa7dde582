import { afterEach, expect, it, vi } from 'vitest';
import type { ChunkHow } from './action';
import { eachOf } from './each';
import { merged, plan, proceed, reasons } from './run';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Asked {
  id: number;
  key: string;
  isDry: boolean;
}

/** Answers each request by its record; what is thrown is a connection that broke. */
function serve(answer: (asked: Asked) => { status?: number; headers?: Record<string, string>; body?: object }) {
  const asked: Asked[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const url = new URL(request.url);
    const one = {
      id: Number(url.pathname.split('/').at(-2)),
      key: request.headers.get('Idempotency-Key') ?? '',
      isDry: url.searchParams.get('dry_run') === '1',
    };
    asked.push(one);
    const { status = 200, headers = {}, body = {} } = answer(one);
    return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
  });
  return asked;
}

const { many } = eachOf('POST', '/api/v1/admin/services/{id}/archive');
const RUN: ChunkHow = { dryRun: false, key: 'k' };

it('calls once a record, skips what has moved on, and goes on after a failure under the same keys', async () => {
  let broken = true;
  const asked = serve(({ id }) => {
    if (id === 2) return { status: 409, body: { code: 'memo_is_so', message: 'It is so already.' } };
    if (id === 3 && broken) throw new TypeError('gone');
    return {};
  });
  const run = plan([1, 2, 3]);
  const call = (ids: readonly number[], key: string) => many(ids, {}, { dryRun: false, key });
  await expect(proceed(run, call, () => undefined)).rejects.toThrow('cannot be reached');
  broken = false;
  await proceed(run, call, () => undefined);
  expect(merged(run)).toMatchObject({ processed: 2, skipped: [{ id: 2, code: 'memo_is_so' }] });
  // The server answers a repeated key as it did the first time.
  expect(asked).toHaveLength(6);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(3);
});

it('tries hundreds in chunks, counts each customer once, and adds up what would go back', async () => {
  const ids = Array.from({ length: 400 }, (_, at) => at + 1);
  const asked = serve(({ id }) => ({
    body: {
      data: { user: { id: id % 7 }, returned: id % 10 === 0 ? '0' : '1.25' },
      ...(id === 3 ? { charged: '4' } : {}),
      ...(id === 9 ? { undo: { request_id: 'r', records: 1 } } : {}),
    },
  }));
  const run = plan(ids, eachOf('POST', '/api/v1/admin/services/{id}/archive').chunk);
  const seen: number[] = [];
  await proceed(
    run,
    (chunk, key) => many(chunk, {}, { dryRun: true, key }),
    (done) => seen.push(done),
  );
  expect(seen.slice(0, 3)).toEqual([20, 40, 60]);
  expect(merged(run)).toMatchObject({
    processed: 400,
    totals: { users: 7, returned: '450', charged: '4' },
    undos: [{ request_id: 'r', records: 1 }],
    dry_run: true,
  });
  expect(asked).toHaveLength(400);
  expect(asked.every(({ isDry }) => isDry)).toBe(true);
});

it('waits as long as the server asks where there are too many requests, and no longer once it is given up', async () => {
  vi.useFakeTimers();
  let full = true;
  const asked = serve(() =>
    full ? { status: 429, headers: { 'Retry-After': '3' }, body: { code: 'too_many_requests', message: 'Wait.' } } : {},
  );
  const answer = many([1], {}, RUN);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(asked).toHaveLength(1);
  full = false;
  await vi.advanceTimersByTimeAsync(200);
  expect((await answer).processed).toBe(1);
  expect(asked.map(({ key }) => key)).toEqual(['k-1', 'k-1']);

  full = true;
  const controller = new AbortController();
  const given = many([1], {}, { ...RUN, dryRun: true, signal: controller.signal });
  const failed = expect(given).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(100);
  controller.abort();
  await failed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toHaveLength(3);
});

it('skips a record that cannot take it, and stops where all say the same of the form', async () => {
  const least = { 1: 'At least 10.', 4: 'At least 20.' } as Record<number, string>;
  serve(({ id }) => {
    const message = least[id];
    if (!message) return {};
    return {
      status: 422,
      body: { code: 'invalid', message: `${message} (and 1 more)`, errors: { quantity: [message] } },
    };
  });
  expect(await many([1, 2], {}, RUN)).toMatchObject({
    processed: 1,
    skipped: [{ id: 1, code: 'invalid', message: 'At least 10.' }],
  });
  const both = await many([1, 4], {}, RUN);
  expect(reasons(both).map((reason) => reason.message)).toEqual(['At least 10.', 'At least 20.']);
  // One record is all of the run: its form shows what is wrong, but not where the run is longer than this chunk.
  await expect(many([1], {}, RUN)).rejects.toThrow('At least 10.');
  expect(await many([1], {}, { ...RUN, total: 1_001 })).toMatchObject({ processed: 0, skipped: [{ id: 1 }] });
  const refused = (code: string) => ({ status: 403, body: { code, message: 'No.' } });
  serve(({ id }) => (id === 1 ? refused('own_account') : {}));
  expect(await many([1, 2], {}, RUN)).toMatchObject({ processed: 1, skipped: [{ id: 1, code: 'own_account' }] });
  serve(() => refused('forbidden'));
  await expect(many([1, 2], {}, RUN)).rejects.toThrow('No.');
  serve(() => ({
    status: 422,
    body: { code: 'invalid', message: 'At least 10.', errors: { quantity: ['At least 10.'] } },
  }));
  await expect(many([1, 4], {}, RUN)).rejects.toThrow('At least 10.');
});
