// The lines of an import of packages, without any UI: the user's edits, and the request body.
import type { Schemas } from '@/api/client';
import { normalizeDecimal, percentToFraction } from '@/form/decimal';
import { type ImportLine, isPercentOrEmpty, parseMillionths } from './lines';

type ImportPackageItem = Schemas['ImportPackageItem'];
export type ImportPackagesBody = Schemas['ImportPackagesInput'];
export type PackageType = Schemas['PackageType'];

/** The values of all packages that have no edited value. */
export interface SharedPackageValues {
  type: PackageType;
  network_id: number | null;
  /** Whether later syncs update the package when the panel changes it. */
  sync: boolean;
}

/** The edits of a package, as the user typed them. A package never has both a fixed cost and a discount. */
export interface PackageEdit extends Partial<SharedPackageValues> {
  name?: string;
  /** The price of the package in the currency of this panel. It replaces the sum of the prices in the package. */
  fixed_cost?: string;
  /** Percentage off the sum of the prices in the package. */
  discount?: string;
}

export type PackageEdits = ReadonlyMap<number, PackageEdit>;

/** Validates numbers before they are sent. Returns the API names of the fields whose text is not a number. */
export function findInvalidPackageFields(edit: PackageEdit): readonly ('fixed_cost' | 'discount_fraction')[] {
  const invalid: ('fixed_cost' | 'discount_fraction')[] = [];
  if (edit.fixed_cost?.trim() && parseMillionths(edit.fixed_cost) === null) invalid.push('fixed_cost');
  if (!isPercentOrEmpty(edit.discount ?? '')) invalid.push('discount_fraction');
  return invalid;
}

function buildPackageItem(line: ImportLine, edit: PackageEdit, shared: SharedPackageValues): ImportPackageItem {
  const networkId = edit.network_id ?? shared.network_id;
  return {
    id: line.id,
    type: edit.type ?? shared.type,
    sync: edit.sync ?? shared.sync,
    ...(networkId ? { network_id: networkId } : {}),
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.fixed_cost?.trim() ? { fixed_cost: normalizeDecimal(edit.fixed_cost) } : {}),
    ...(edit.discount?.trim() ? { discount_fraction: percentToFraction(edit.discount) } : {}),
  };
}

export function buildImportPackagesBody(
  panelId: number,
  lines: readonly ImportLine[],
  edits: PackageEdits,
  shared: SharedPackageValues,
): ImportPackagesBody {
  return {
    external_panel_id: panelId,
    packages: lines.map((line) => buildPackageItem(line, edits.get(line.id) ?? {}, shared)),
  };
}

/** Applies a change to a package. A new discount removes its fixed cost, and a new fixed cost removes the discount. */
export function applyPackageEdit(edits: PackageEdits, id: number, change: PackageEdit): PackageEdits {
  const { fixed_cost, discount, ...otherFields } = edits.get(id) ?? {};
  const keptValues = {
    ...(fixed_cost !== undefined && !change.discount?.trim() ? { fixed_cost } : {}),
    ...(discount !== undefined && !change.fixed_cost?.trim() ? { discount } : {}),
  };
  return new Map([...edits, [id, { ...otherFields, ...keptValues, ...change }]]);
}
