import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { fromMillionths } from '@/form/decimal';
import {
  bodyOf,
  type Edits,
  edited,
  errorsOf,
  found,
  isPlaced,
  itemOf,
  type Line,
  micros,
  NO_ERRORS,
  priced,
  type SharedValues,
  sendAll,
  unreadable,
  withoutFields,
} from './lines';

const line = (id: number, more: Partial<Line> = {}): Line => ({
  id,
  external_panel_service_id: String(900 + id),
  name: `Likes ${id}`,
  type: 'Default',
  category: 'Instagram',
  external_panel_price: '1',
  provider_price: '0.9',
  price: '1.08',
  lowest_price: '0.99',
  margin_percent: '0.2',
  pricing_per: 1000,
  sync_params: false,
  sync_prices: true,
  sync_labels: false,
  sync_name: false,
  sync_meta: false,
  sync_service_details: false,
  sync_description_field: false,
  sync_short_description: false,
  sync_reviews: false,
  ...more,
});
const shared: SharedValues = { margin: '', network_id: null, service_type_id: null, keep_categories: false };
const wrong = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Wrong.', fields });

describe('prices', () => {
  it('are exact, as the server works them out', () => {
    expect(micros(' 1 234,5 ')).toBe(1_234_500_000n);
    expect([micros('1.2345678'), micros('x'), micros('')]).toEqual([null, null, null]);
    expect([fromMillionths(1_500_000n), fromMillionths(-1n), fromMillionths(0n)]).toEqual(['1.5', '-0.000001', '0']);
    expect(priced(line(1), {}, shared)).toEqual({ price: '1.08', margin: '20', isTooLow: false });
    expect(priced(line(1), {}, { ...shared, margin: '30' })).toMatchObject({ price: '1.17', margin: '30' });
    expect(priced(line(1), { margin: '12,5' }, { ...shared, margin: '30' })).toMatchObject({ price: '1.0125' });
    // Rounded up to the millionth, so never below the margin.
    expect(priced(line(1, { provider_price: '0.000001' }), {}, shared).price).toBe('0.000002');
  });

  it('show the margin that a typed price leaves', () => {
    expect(priced(line(1), { price: '1.8' }, shared)).toEqual({ price: '1.8', margin: '100', isTooLow: false });
    expect(priced(line(1), { price: '0.95' }, shared)).toEqual({ price: '0.95', margin: '5.55', isTooLow: true });
    expect(priced(line(1), { price: '0.45' }, shared)).toMatchObject({ margin: '-50', isTooLow: true });
    expect(priced(line(1, { provider_price: null }), {}, shared)).toEqual({
      price: null,
      margin: null,
      isTooLow: false,
    });
  });

  it('that are no numbers are named before they are sent', () => {
    expect(unreadable({ price: '1..2', margin: 'a' })).toEqual(['price', 'margin_percent']);
    expect(unreadable({ price: ' ', margin: '12,5' })).toEqual([]);
  });
});

describe('what is sent', () => {
  it('is what was edited, and what the panel asked', () => {
    const edit = { name: 'Mine', price: '2,50', network_id: 3, service_type_id: 4, sync_name: true, description: '' };
    expect(itemOf(line(7), edit)).toEqual({
      id: 7,
      external_panel_price: '1',
      provider_price: '0.9',
      name: 'Mine',
      price: '2.50',
      network_id: 3,
      service_type_id: 4,
      sync_name: true,
      description: '',
    });
    expect(itemOf(line(8), { margin: '30' })).toMatchObject({ margin_percent: '0.3' });
    const all = { margin: '12.5', network_id: 2, service_type_id: null, keep_categories: true };
    expect(bodyOf(5, [line(8)], new Map(), all)).toMatchObject({
      external_panel_id: 5,
      margin_percent: '0.125',
      network_id: 2,
      keep_categories: true,
      services: [{ id: 8 }],
    });
  });

  it('goes out only when each line has its place', () => {
    const edits: Edits = new Map([[1, { service_type_id: 4 }]]);
    expect(isPlaced([line(1)], edits, shared)).toBe(true);
    expect(isPlaced([line(1), line(2)], edits, shared)).toBe(false);
    expect(isPlaced([line(1), line(2)], edits, { ...shared, keep_categories: true })).toBe(false);
    expect(isPlaced([line(1), line(2)], edits, { ...shared, keep_categories: true, network_id: 1 })).toBe(true);
  });
});

describe('edits', () => {
  it('are of many lines at once, a price or a margin', () => {
    const first: Edits = new Map([[1, { price: '2', name: 'Mine', network_id: 1, service_type_id: 4 }]]);
    const next = edited(first, [1, 2], { margin: '30', network_id: 2 });
    expect(next.get(1)).toEqual({ name: 'Mine', margin: '30', network_id: 2, service_type_id: null });
    expect(next.get(2)).toEqual({ margin: '30', network_id: 2, service_type_id: null });
    expect(edited(next, [2], { price: '4' }).get(2)).toEqual({ price: '4', network_id: 2, service_type_id: null });
    expect(first.get(1)?.price).toBe('2');
  });

  it('are found by name, category, type and id', () => {
    const lines = [line(1), line(2, { category: 'TikTok' }), line(3, { type: 'Poll' })];
    const ids = (query: string, edits: Edits = new Map()) => found(lines, edits, query).map(({ id }) => id);
    expect([ids('tiktok'), ids('POLL'), ids('903'), ids('')]).toEqual([[2], [3], [3], [1, 2, 3]]);
    expect(ids('mine', new Map([[1, { name: 'Mine' }]]))).toEqual([1]);
  });
});

describe('errors', () => {
  it('stand at their lines and fields', () => {
    const errors = errorsOf(
      wrong({ 'services.1.price': ['Too low.'], 'services.1.name': ['Empty.'], network_id: ['Choose.'] }),
      [7, 8],
    );
    expect(errors?.shared).toEqual({ network_id: ['Choose.'] });
    expect([...(errors?.lines ?? [])]).toEqual([[8, { price: ['Too low.'], name: ['Empty.'] }]]);
    expect(errorsOf(new Error('no'), [7])).toBeNull();
    expect(errorsOf(wrong({}), [7])).toBeNull();
    const left = withoutFields(errors ?? NO_ERRORS, [8], { margin: '30' });
    expect([...left.lines]).toEqual([[8, { name: ['Empty.'] }]]);
    expect(withoutFields(left, [8], { name: 'x' }).lines.size).toBe(0);
  });

  it('of all chunks are known after a dry run; an import ends at the first', async () => {
    const lines = Array.from({ length: 2_500 }, (_, at) => line(at + 1));
    const sent: number[] = [];
    const send = async (body: { services: readonly { id: number }[] }, dry_run: boolean) => {
      const at = body.services.findIndex(({ id }) => id === 1_002 || id === 2_500);
      sent.push(body.services.length);
      if (at >= 0) throw wrong({ [`services.${at}.price`]: ['Too low.'] });
      return { created: body.services.length, dry_run, items: [], service_types: ['Likes'] };
    };
    const body = (some: readonly Line[]) => bodyOf(1, some, new Map(), shared);
    const tried = await sendAll(send, lines, body, true, () => undefined);
    expect([...tried.errors.lines.keys()]).toEqual([1_002, 2_500]);
    expect(tried.serviceTypes).toEqual(['Likes']);
    const done: number[] = [];
    const made = await sendAll(send, lines, body, false, (ids) => done.push(ids.length));
    expect([made.imported.length, [...made.errors.lines.keys()], done]).toEqual([1_000, [1_002], [1_000]]);
    expect(sent).toEqual([1_000, 1_000, 500, 1_000, 1_000]);
  });
});
