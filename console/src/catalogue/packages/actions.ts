// The actions on packages, declared as data.
import type { Schemas } from '@/api/client';
import { money, percent } from '@/form/codecs';
import { type Action, withInputErased } from '@/table/action';
import { bulkRecordCalls } from '@/table/bulkCalls';
import { perRecordCalls } from '@/table/perRecordCalls';
import { BulkForm, type PackageBulkChange } from './BulkForm';
import type { PackageRow } from './calls';

/** Converts the form values to the request body. A discount clears the fixed cost, and a fixed cost clears the discount. */
function changesOf(change: PackageBulkChange): Omit<Schemas['BulkPackage'], 'id'> {
  const { discount_percent = '', fixed_cost = '', confirm_below_margin: _, ...switches } = change;
  return {
    ...switches,
    ...(discount_percent ? { discount_percent: percent.parse(discount_percent), fixed_cost: null } : {}),
    ...(fixed_cost ? { fixed_cost: money.parse(fixed_cost), discount_percent: '0' } : {}),
  };
}

const changePackages = withInputErased<PackageRow, PackageBulkChange>({
  name: 'changePackages',
  icon: 'sliders-h',
  allows: (row) => row.actions.editable,
  isReady: (input) => Object.keys(input).length > 0,
  Form: BulkForm,
  ...bulkRecordCalls('/api/v1/admin/packages/bulk', 'packages', {
    record: changesOf,
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
