// The actions on packages, declared as data.
import type { Schemas } from '@/api/client';
import { fractionAsPercent, money } from '@/form/codecs';
import { type Action, eraseInputType } from '@/table/action';
import { bulkRecordCalls } from '@/table/bulkCalls';
import { perRecordCalls } from '@/table/perRecordCalls';
import { BulkForm, type PackageBulkChange } from './BulkForm';
import type { PackageRow } from './calls';

/**
 * Converts the input of the form to the changes in the request. A discount clears the fixed cost, and a fixed cost the discount.
 */
function toRequestChanges(input: PackageBulkChange): Omit<Schemas['BulkPackage'], 'id'> {
  const { discount_fraction = '', fixed_cost = '', confirm_below_margin: _, ...switches } = input;
  return {
    ...switches,
    ...(discount_fraction ? { discount_fraction: fractionAsPercent.parse(discount_fraction), fixed_cost: null } : {}),
    ...(fixed_cost ? { fixed_cost: money.parse(fixed_cost), discount_fraction: '0' } : {}),
  };
}

const changePackages = eraseInputType<PackageRow, PackageBulkChange>({
  name: 'changePackages',
  icon: 'sliders-h',
  allows: (row) => row.actions.editable,
  isReady: (input) => Object.keys(input).length > 0,
  Form: BulkForm,
  ...bulkRecordCalls('/api/v1/admin/packages/bulk', 'packages', {
    changes: toRequestChanges,
    body: ({ confirm_below_margin }: PackageBulkChange) => (confirm_below_margin ? { confirm_below_margin } : {}),
  }),
});

export const PACKAGE_ACTIONS: readonly Action<PackageRow>[] = [
  changePackages,
  {
    name: 'archivePackage',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    ...perRecordCalls('POST', '/api/v1/admin/packages/{id}/archive'),
  },
  {
    name: 'unarchivePackage',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...perRecordCalls('POST', '/api/v1/admin/packages/{id}/unarchive'),
  },
];
