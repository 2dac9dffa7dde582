// What can be done with packages, as data.
import type { Schemas } from '@/api/client';
import { money, percent } from '@/form/codecs';
import { type Action, typed } from '@/table/action';
import { recordsOf } from '@/table/bulk';
import { eachOf } from '@/table/each';
import { BulkForm, type PackageChange } from './BulkForm';
import type { Row } from './calls';

/** What the form holds, as the wire has it: a discount and a cost take the place of each other. */
function changesOf(change: PackageChange): Omit<Schemas['BulkPackage'], 'id'> {
  const { discount_percent = '', fixed_cost = '', confirm_below_margin: _, ...switches } = change;
  return {
    ...switches,
    ...(discount_percent ? { discount_percent: percent.parse(discount_percent), fixed_cost: null } : {}),
    ...(fixed_cost ? { fixed_cost: money.parse(fixed_cost), discount_percent: '0' } : {}),
  };
}

const changePackages = typed<Row, PackageChange>({
  name: 'changePackages',
  icon: 'sliders-h',
  allows: (row) => row.actions.editable,
  ready: (input) => Object.keys(input).length > 0,
  Form: BulkForm,
  ...recordsOf('/api/v1/admin/packages/bulk', 'packages', {
    record: changesOf,
    body: ({ confirm_below_margin }: PackageChange) => (confirm_below_margin ? { confirm_below_margin } : {}),
  }),
});

export const PACKAGE_ACTIONS: readonly Action<Row>[] = [
  changePackages,
  {
    name: 'archivePackage',
    icon: 'box',
    tone: 'danger',
    allows: (row) => row.actions.archivable,
    ...eachOf('POST', '/api/v1/admin/packages/{id}/archive'),
  },
  {
    name: 'unarchivePackage',
    icon: 'undo',
    allows: (row) => row.actions.restore,
    ...eachOf('POST', '/api/v1/admin/packages/{id}/unarchive'),
  },
];
