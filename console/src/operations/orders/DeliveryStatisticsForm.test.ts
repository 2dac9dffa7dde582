import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { assignErrorsToProviders, collectFilledRows, findMissingFields } from './DeliveryStatisticsForm';

const PROVIDERS = [3, 7, 9].map((id) => ({ id, name: `P${id}`, status: 'active', cost: '0', quantity: 0 }));

describe('provider statistics of an order', () => {
  it('sends only providers with a value, and removes spaces from numbers', () => {
    const values = { '7.cost': '1 250,5', '7.quantity': '0', '9.cost': '0', '9.quantity': '12 000' };
    expect(collectFilledRows(PROVIDERS, values)).toEqual([
      { provider_id: 7, cost: '1250.5', quantity: 0 },
      { provider_id: 9, cost: '0', quantity: 12000 },
    ]);
    expect(findMissingFields(PROVIDERS, values)).toEqual([]);
  });

  it('reports the empty field of a provider whose other field is filled', () => {
    const values = { date: '2026-11-20', '7.cost': '1', '9.cost': ' ', '9.quantity': '12' };
    expect(findMissingFields(PROVIDERS, values)).toEqual(['7.quantity', '9.cost']);
  });

  it('assigns the errors of rows to their providers', () => {
    const fields = { 'provider_statistics.1.cost': ['a'], date: ['b'], 'provider_statistics.1.provider_id': ['c'] };
    const problem = new Problem({ status: 422, code: 'invalid', message: 'm', fields });
    expect(assignErrorsToProviders(problem, [{ provider_id: 7 }, { provider_id: 9 }]).fields).toEqual({
      '9.cost': ['a', 'c'],
      date: ['b'],
    });
  });
});
