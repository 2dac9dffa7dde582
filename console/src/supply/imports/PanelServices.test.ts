import { expect, it } from 'vitest';
import type { PanelServiceRow } from './importProviders';
import { createImportActions } from './PanelServices';

const getAllowedActionNames = (actions: PanelServiceRow['actions']) =>
  createImportActions(7)
    // Only `actions` decides which actions are shown; the type and the provider have no effect.
    .filter((action) => action.isAllowedFor({ id: 1, type: 'Package', provider: null, actions } as PanelServiceRow))
    .map((action) => action.name);

it('allows the import actions that the server allows', () => {
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
