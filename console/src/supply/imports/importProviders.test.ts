import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { findSkippedRecords, importValidRecords } from './importProviders';

const createValidationProblem = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Wrong.', fields });
const chunkOptions = { dryRun: false, key: 'k' };
const createOutcome = (created: number) => ({ created, dry_run: false, items: [], service_types: [] });

describe('an import of providers', () => {
  it('reports the ids of invalid records', () => {
    const error = createValidationProblem({
      'services.1.price': ['Too cheap.'],
      'services.1.id': ['Not found.'],
      'services.2.id': ['Already imported.'],
    });
    expect(findSkippedRecords(error, [7, 8, 9])).toEqual([
      { id: 8, code: 'price', message: 'Too cheap.' },
      { id: 9, code: 'id', message: 'Already imported.' },
    ]);
    expect(findSkippedRecords(createValidationProblem({ margin_fraction: ['Too small.'] }), [7])).toBeNull();
    expect(findSkippedRecords(new Error('no'), [7])).toBeNull();
  });

  it('skips invalid records and imports the other records with another idempotency key', async () => {
    const requests: [readonly number[], string][] = [];
    const importRecords = async (ids: readonly number[], { key }: { key: string }) => {
      requests.push([ids, key]);
      if (ids.includes(8)) throw createValidationProblem({ 'services.1.id': ['Not found.'] });
      return createOutcome(ids.length);
    };
    const outcome = await importValidRecords(importRecords, [7, 8, 9], chunkOptions);
    expect([outcome.processed, outcome.skipped.map(({ id }) => id)]).toEqual([2, [8]]);
    expect(requests).toEqual([
      [[7, 8, 9], 'k'],
      [[7, 9], 'k-rest'],
    ]);
  });

  it('throws errors that do not belong to a record', async () => {
    const importRecords = async () => Promise.reject(createValidationProblem({ service_type_id: ['Choose one.'] }));
    await expect(importValidRecords(importRecords, [7], chunkOptions)).rejects.toThrow('Wrong.');
  });
});
