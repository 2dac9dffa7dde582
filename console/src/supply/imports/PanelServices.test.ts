import { expect, it } from 'vitest';
import type { PanelServiceRow } from './calls';
import { createImportActions } from './PanelServices';

const getAllowedActionNames = (actions: PanelServiceRow['actions']) =>
  createImportActions(7)
    // The type and the provider have no effect. Only the flags of the server decide.
    .filter((action) => action.allows({ id: 1, type: 'Package', provider: null, actions } as PanelServiceRow))
    .map((action) => action.name);

it('shows the import actions that the server allows', () => {
  expect(getAllowedActionNames({ importable: true, importable_as_package: true })).toEqual([
    'importServices',
    'importProviders',
    'importPackages',
  ]);
  expect(getAllowedActionNames({ importable: true, importable_as_package: false })).toEqual([
    'importServices',
    'importProviders',
  ]);
  expect(getAllowedActionNames({ importable: false, importable_as_package: true })).toEqual(['importPackages']);
  expect(getAllowedActionNames({ importable: false, importable_as_package: false })).toEqual([]);
  expect(getAllowedActionNames(undefined)).toEqual([]);
});
