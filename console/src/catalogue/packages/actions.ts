// What can be done with packages, as data.
import { api, type Schemas, told } from '@/api/client';
import type { Action, How, Input } from '@/table/action';
import { eachOf } from '@/table/each';
import { fractionOf } from '@/ui/fraction';
import { BulkForm } from './BulkForm';
import type { Row } from './calls';

/** What the form holds, as the wire has it. */
function changed(input: Input): Omit<Schemas['BulkPackage'], 'id'> {
  const given = input as Record<string, string | boolean>;
  const { discount_percent: percent, fixed_cost: cost, confirm_below_margin: _, ...switches } = given;
  return {
    ...switches,
    ...(percent ? { discount_percent: fractionOf(String(percent)), fixed_cost: null } : {}),
    ...(cost ? { fixed_cost: String(cost).trim().replace(',', '.'), discount_percent: '0' } : {}),
  };
}

function change(ids: readonly number[], input: Input, { dryRun, key, signal }: How) {
  const packages = ids.map((id) => ({ ...changed(input), id })) as Schemas['BulkPackage'][];
  return told(
    api.PATCH('/api/v1/admin/packages/bulk', {
      params: { query: dryRun ? { dry_run: '1' } : {} },
      body: { packages, ...(input.confirm_below_margin === true ? { confirm_below_margin: true } : {}) },
      headers: { 'Idempotency-Key': key },
      ...(signal ? { signal } : {}),
    }),
  );
}

export const PACKAGE_ACTIONS: readonly Action<Row>[] = [
  {
    name: 'changePackages',
    icon: 'sliders-h',
    allows: (row) => row.actions.editable,
    ready: (input) => Object.keys(input).length > 0,
    Form: BulkForm,
    one: (id, input, how) => change([id], input, how),
    many: change,
  },
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
