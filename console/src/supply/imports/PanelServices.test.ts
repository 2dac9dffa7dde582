import { expect, it } from 'vitest';
import type { PanelServiceRow } from './calls';
import { actionsOf } from './PanelServices';

const sold: PanelServiceRow = {
  id: 1,
  external_panel_service_id: '901',
  name: 'Ten likes a day',
  type: 'Package',
  category: 'Likes',
  external_panel_price: '1',
  currency: 'USD',
  pricing_per: 1000,
  min_quantity: 10,
  max_quantity: 100,
  refill: false,
  cancel: false,
  provider: null,
  gone_at: null,
  refusal: null,
  created_at: '2026-01-01T00:00:00Z',
} as PanelServiceRow;

const offered = (flags: { editable: boolean; import_packages: boolean }, row: PanelServiceRow) =>
  actionsOf(7, flags)
    .filter((action) => action.allows(row))
    .map((action) => action.name);

it('offers the imports that the panel allows', () => {
  expect(offered({ editable: true, import_packages: true }, sold)).toEqual([
    'importServices',
    'importProviders',
    'importPackages',
  ]);
  expect(offered({ editable: true, import_packages: false }, sold)).toEqual(['importServices', 'importProviders']);
  expect(offered({ editable: false, import_packages: false }, sold)).toEqual([]);
});

it('offers no import of what is not a package, was imported or is gone', () => {
  const all = { editable: true, import_packages: true };
  expect(offered(all, { ...sold, type: 'Default' })).toEqual(['importServices', 'importProviders']);
  expect(offered(all, { ...sold, provider: { id: 3, name: 'Likes' } })).toEqual(['importPackages']);
  expect(offered(all, { ...sold, gone_at: '2026-01-02T00:00:00Z' })).toEqual([]);
});
