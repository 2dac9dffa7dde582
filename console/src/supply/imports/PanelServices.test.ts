import { expect, it } from 'vitest';
import type { PanelServiceRow } from './calls';
import { actionsOf } from './PanelServices';

const offered = (actions: PanelServiceRow['actions']) =>
  actionsOf(7)
    // Neither its type nor its provider decides anything here.
    .filter((action) => action.allows({ id: 1, type: 'Package', provider: null, actions } as PanelServiceRow))
    .map((action) => action.name);

it('offers the imports that the server allows', () => {
  expect(offered({ importable: true, importable_as_package: true })).toEqual([
    'importServices',
    'importProviders',
    'importPackages',
  ]);
  expect(offered({ importable: true, importable_as_package: false })).toEqual(['importServices', 'importProviders']);
  expect(offered({ importable: false, importable_as_package: true })).toEqual(['importPackages']);
  expect(offered({ importable: false, importable_as_package: false })).toEqual([]);
  expect(offered(undefined)).toEqual([]);
});
