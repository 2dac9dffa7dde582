import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { faultsOf, importing } from './calls';

const wrong = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Wrong.', fields });
const how = { dryRun: false, key: 'k' };
const made = (created: number) => ({ created, dry_run: false, items: [], service_types: [] });

describe('importing', () => {
  it('names those that are wrong by their ids', () => {
    const error = wrong({
      'services.1.price': ['Too cheap.'],
      'services.1.id': ['Gone.'],
      'services.2.id': ['Known.'],
    });
    expect(faultsOf(error, [7, 8, 9])).toEqual([
      { id: 8, code: 'price', message: 'Too cheap.' },
      { id: 9, code: 'id', message: 'Known.' },
    ]);
    expect(faultsOf(wrong({ margin_percent: ['Too small.'] }), [7])).toBeNull();
    expect(faultsOf(new Error('no'), [7])).toBeNull();
  });

  it('leaves them out and imports the rest under another key', async () => {
    const calls: [readonly number[], string][] = [];
    const call = async (ids: readonly number[], { key }: { key: string }) => {
      calls.push([ids, key]);
      if (ids.includes(8)) throw wrong({ 'services.1.id': ['Gone.'] });
      return made(ids.length);
    };
    const outcome = await importing(call, [7, 8, 9], how);
    expect([outcome.processed, outcome.skipped.map((skip) => skip.id)]).toEqual([2, [8]]);
    expect(calls).toEqual([
      [[7, 8, 9], 'k'],
      [[7, 9], 'k-rest'],
    ]);
  });

  it('lets everything else through', async () => {
    const call = async () => Promise.reject(wrong({ service_type_id: ['Choose one.'] }));
    await expect(importing(call, [7], how)).rejects.toThrow('Wrong.');
  });
});
