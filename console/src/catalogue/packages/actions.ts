// The declaration of the actions on packages.
import type { Schemas } from '@/api/client';
import { fractionAsPercentCodec, moneyCodec } from '@/form/codecs';
import { type Action, asUntypedAction } from '@/table/action';
import { createBulkRecordRequests } from '@/table/bulkRequests';
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { BulkForm, type PackageBulkChange } from './BulkForm';
import type { PackageRow } from './requests';

/**
 * Converts the form input to the changes in the request. A discount clears the fixed cost, and a fixed cost clears the discount.
 */
function toRequestChanges(input: PackageBulkChange): Omit<Schemas['BulkPackage'], 'id'> {
  const { discount_fraction = '', fixed_cost = '', confirm_below_margin: _, ...switches } = input;
  return {
    ...switches,
    ...(discount_fraction
      ? { discount_fraction: fractionAsPercentCodec.parse(discount_fraction), fixed_cost: null }
      : {}),
    ...(fixed_cost ? { fixed_cost: moneyCodec.parse(fixed_cost), discount_fraction: '0' } : {}),
  };
}

const changePackages = asUntypedAction<PackageRow, PackageBulkChange>({
  name: 'changePackages',
  icon: 'sliders-h',
  isAllowedFor: (row) => row.actions.editable,
  isReady: (input) => Object.keys(input).length > 0,
  Form: BulkForm,
  ...createBulkRecordRequests('/api/v1/admin/packages/bulk', 'packages', {
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
    isAllowedFor: (row) => row.actions.archivable,
    ...createPerRecordRequests('POST', '/api/v1/admin/packages/{id}/archive'),
  },
  {
    name: 'unarchivePackage',
    icon: 'undo',
    isAllowedFor: (row) => row.actions.restore,
    ...createPerRecordRequests('POST', '/api/v1/admin/packages/{id}/unarchive'),
  },
];
