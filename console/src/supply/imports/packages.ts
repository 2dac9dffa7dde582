// The lines of an import of packages: what was edited of each and what is sent. No drawing here.
import type { Schemas } from '@/api/client';
import { normalizeDecimal, percentToFraction } from '@/form/decimal';
import { isPercent, type Line, micros } from './lines';

type Item = Schemas['ImportPackageItem'];
export type PackagesBody = Schemas['ImportPackagesInput'];
export type PackageType = Schemas['PackageType'];

/** What stands for all packages that do not say otherwise. */
export interface SharedPackageValues {
  type: PackageType;
  network_id: number | null;
  sync: boolean;
}

/** What was typed at a package. A fixed cost or a discount, not both. */
export interface PackageEdit extends Partial<SharedPackageValues> {
  name?: string;
  /** Instead of what is in it, in our currency. */
  fixed_cost?: string;
  /** Off what is in it, as a percentage. */
  discount?: string;
}

export type PackageEdits = ReadonlyMap<number, PackageEdit>;

/** What is wrong with what was typed before any server sees it: names of fields. */
export function unreadablePackage(edit: PackageEdit): readonly ('fixed_cost' | 'discount_percent')[] {
  const wrong: ('fixed_cost' | 'discount_percent')[] = [];
  if (edit.fixed_cost?.trim() && micros(edit.fixed_cost) === null) wrong.push('fixed_cost');
  if (!isPercent(edit.discount ?? '')) wrong.push('discount_percent');
  return wrong;
}

/** A package as it is sent. */
function packageOf(line: Line, edit: PackageEdit, shared: SharedPackageValues): Item {
  const network = edit.network_id ?? shared.network_id;
  return {
    id: line.id,
    type: edit.type ?? shared.type,
    sync: edit.sync ?? shared.sync,
    ...(network ? { network_id: network } : {}),
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.fixed_cost?.trim() ? { fixed_cost: normalizeDecimal(edit.fixed_cost) } : {}),
    ...(edit.discount?.trim() ? { discount_percent: percentToFraction(edit.discount) } : {}),
  };
}

/** The body of an import of some packages. */
export function packagesBody(
  panel: number,
  lines: readonly Line[],
  edits: PackageEdits,
  shared: SharedPackageValues,
): PackagesBody {
  return {
    external_panel_id: panel,
    packages: lines.map((line) => packageOf(line, edits.get(line.id) ?? {}, shared)),
  };
}

/** Changes a package. Its fixed cost gives way to a discount, and the other way round. */
export function editedPackage(edits: PackageEdits, id: number, change: PackageEdit): PackageEdits {
  const { fixed_cost, discount, ...rest } = edits.get(id) ?? {};
  const kept = {
    ...(fixed_cost !== undefined && !change.discount?.trim() ? { fixed_cost } : {}),
    ...(discount !== undefined && !change.fixed_cost?.trim() ? { discount } : {}),
  };
  return new Map([...edits, [id, { ...rest, ...kept, ...change }]]);
}
