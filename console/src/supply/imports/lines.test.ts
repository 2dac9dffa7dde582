import { describe, expect, it } from 'vitest';
import { Problem } from '@/api/problem';
import { fromMillionths } from '@/form/decimal';
import {
  applyEdit,
  buildImportItem,
  buildImportServicesBody,
  clearFieldErrors,
  computePrice,
  findInvalidFields,
  hasServiceTypeForEachLine,
  type ImportLine,
  type LineEdits,
  NO_IMPORT_ERRORS,
  parseImportErrors,
  parseMillionths,
  type SharedValues,
  searchLines,
  sendInChunks,
} from './lines';

const createLine = (id: number, overrides: Partial<ImportLine> = {}): ImportLine => ({
  id,
  external_panel_service_id: String(900 + id),
  name: `Likes ${id}`,
  type: 'Default',
  category: 'Instagram',
  external_panel_price: '1',
  provider_price: '0.9',
  price: '1.08',
  lowest_price: '0.99',
  margin_fraction: '0.2',
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
  ...overrides,
});
const sharedValues: SharedValues = { margin: '', network_id: null, service_type_id: null, keep_categories: false };
const createValidationProblem = (fields: Record<string, string[]>) =>
  new Problem({ status: 422, code: 'invalid', message: 'Wrong.', fields });

describe('prices of import lines', () => {
  it('computes the same price as the server', () => {
    expect(parseMillionths(' 1 234,5 ')).toBe(1_234_500_000n);
    expect([parseMillionths('1.2345678'), parseMillionths('x'), parseMillionths('')]).toEqual([null, null, null]);
    expect([fromMillionths(1_500_000n), fromMillionths(-1n), fromMillionths(0n)]).toEqual(['1.5', '-0.000001', '0']);
    expect(computePrice(createLine(1), {}, sharedValues)).toEqual({ price: '1.08', margin: '20', isTooLow: false });
    expect(computePrice(createLine(1), {}, { ...sharedValues, margin: '30' })).toMatchObject({
      price: '1.17',
      margin: '30',
    });
    expect(computePrice(createLine(1), { margin: '12,5' }, { ...sharedValues, margin: '30' })).toMatchObject({
      price: '1.0125',
    });
    // The price is rounded up to the millionth, so that the margin is never below the requested margin.
    expect(computePrice(createLine(1, { provider_price: '0.000001' }), {}, sharedValues).price).toBe('0.000002');
  });

  it('computes the margin if the user types a price', () => {
    expect(computePrice(createLine(1), { price: '1.8' }, sharedValues)).toEqual({
      price: '1.8',
      margin: '100',
      isTooLow: false,
    });
    expect(computePrice(createLine(1), { price: '0.95' }, sharedValues)).toEqual({
      price: '0.95',
      margin: '5.55',
      isTooLow: true,
    });
    expect(computePrice(createLine(1), { price: '0.45' }, sharedValues)).toMatchObject({
      margin: '-50',
      isTooLow: true,
    });
    expect(computePrice(createLine(1, { provider_price: null }), {}, sharedValues)).toEqual({
      price: null,
      margin: null,
      isTooLow: false,
    });
  });

  it('finds prices and margins that are not numbers', () => {
    expect(findInvalidFields({ price: '1..2', margin: 'a' })).toEqual(['price', 'margin_fraction']);
    expect(findInvalidFields({ price: ' ', margin: '12,5' })).toEqual([]);
  });
});

describe('the import request', () => {
  it('contains the edited values, and the external panel prices that the user saw', () => {
    const edit = { name: 'Mine', price: '2,50', network_id: 3, service_type_id: 4, sync_name: true, description: '' };
    expect(buildImportItem(createLine(7), edit)).toEqual({
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
    expect(buildImportItem(createLine(8), { margin: '30' })).toMatchObject({ margin_fraction: '0.3' });
    const editedSharedValues = { margin: '12.5', network_id: 2, service_type_id: null, keep_categories: true };
    expect(buildImportServicesBody(5, [createLine(8)], new Map(), editedSharedValues)).toMatchObject({
      external_panel_id: 5,
      margin_fraction: '0.125',
      network_id: 2,
      keep_categories: true,
      services: [{ id: 8 }],
    });
  });

  it('requires a service type for each line, or its category together with a network', () => {
    const edits: LineEdits = new Map([[1, { service_type_id: 4 }]]);
    expect(hasServiceTypeForEachLine([createLine(1)], edits, sharedValues)).toBe(true);
    expect(hasServiceTypeForEachLine([createLine(1), createLine(2)], edits, sharedValues)).toBe(false);
    expect(
      hasServiceTypeForEachLine([createLine(1), createLine(2)], edits, { ...sharedValues, keep_categories: true }),
    ).toBe(false);
    expect(
      hasServiceTypeForEachLine([createLine(1), createLine(2)], edits, {
        ...sharedValues,
        keep_categories: true,
        network_id: 1,
      }),
    ).toBe(true);
  });
});

describe('edits of import lines', () => {
  it('applies a change to several lines, and never keeps both a price and a margin', () => {
    const oldEdits: LineEdits = new Map([[1, { price: '2', name: 'Mine', network_id: 1, service_type_id: 4 }]]);
    const newEdits = applyEdit(oldEdits, [1, 2], { margin: '30', network_id: 2 });
    expect(newEdits.get(1)).toEqual({ name: 'Mine', margin: '30', network_id: 2, service_type_id: null });
    expect(newEdits.get(2)).toEqual({ margin: '30', network_id: 2, service_type_id: null });
    expect(applyEdit(newEdits, [2], { price: '4' }).get(2)).toEqual({
      price: '4',
      network_id: 2,
      service_type_id: null,
    });
    expect(oldEdits.get(1)?.price).toBe('2');
  });
});

describe('the search in import lines', () => {
  it('finds lines by name, category, type and id', () => {
    const lines = [createLine(1), createLine(2, { category: 'TikTok' }), createLine(3, { type: 'Poll' })];
    const findMatchingIds = (query: string, edits: LineEdits = new Map()) =>
      searchLines(lines, edits, query).map(({ id }) => id);
    expect([findMatchingIds('tiktok'), findMatchingIds('POLL'), findMatchingIds('903'), findMatchingIds('')]).toEqual([
      [2],
      [3],
      [3],
      [1, 2, 3],
    ]);
    expect(findMatchingIds('mine', new Map([[1, { name: 'Mine' }]]))).toEqual([1]);
  });
});

describe('errors of an import', () => {
  it('assigns the errors of the server to lines and fields', () => {
    const errors = parseImportErrors(
      createValidationProblem({
        'services.1.price': ['Too low.'],
        'services.1.name': ['Empty.'],
        network_id: ['Choose.'],
      }),
      [7, 8],
    );
    expect(errors?.sharedErrors).toEqual({ network_id: ['Choose.'] });
    expect([...(errors?.lineErrors ?? [])]).toEqual([[8, { price: ['Too low.'], name: ['Empty.'] }]]);
    expect(parseImportErrors(new Error('no'), [7])).toBeNull();
    expect(parseImportErrors(createValidationProblem({}), [7])).toBeNull();
    const remainingErrors = clearFieldErrors(errors ?? NO_IMPORT_ERRORS, [8], { margin: '30' });
    expect([...remainingErrors.lineErrors]).toEqual([[8, { name: ['Empty.'] }]]);
    expect(clearFieldErrors(remainingErrors, [8], { name: 'x' }).lineErrors.size).toBe(0);
  });

  it('returns the errors of all chunks after a dry run, and stops an import at the first rejected chunk', async () => {
    const lines = Array.from({ length: 2_500 }, (_, index) => createLine(index + 1));
    const requestSizes: number[] = [];
    const send = async (body: { services: readonly { id: number }[] }, dry_run: boolean) => {
      const index = body.services.findIndex(({ id }) => id === 1_002 || id === 2_500);
      requestSizes.push(body.services.length);
      if (index >= 0) throw createValidationProblem({ [`services.${index}.price`]: ['Too low.'] });
      return { created: body.services.length, dry_run, items: [], service_types: ['Likes'] };
    };
    const buildBody = (chunk: readonly ImportLine[]) => buildImportServicesBody(1, chunk, new Map(), sharedValues);
    const dryRunResult = await sendInChunks(send, lines, buildBody, true, () => undefined);
    expect([...dryRunResult.errors.lineErrors.keys()]).toEqual([1_002, 2_500]);
    expect(dryRunResult.serviceTypes).toEqual(['Likes']);
    const importedCounts: number[] = [];
    const result = await sendInChunks(send, lines, buildBody, false, (importedIds) =>
      importedCounts.push(importedIds.length),
    );
    expect([result.importedIds.length, [...result.errors.lineErrors.keys()], importedCounts]).toEqual([
      1_000,
      [1_002],
      [1_000],
    ]);
    expect(requestSizes).toEqual([1_000, 1_000, 500, 1_000, 1_000]);
  });
});
