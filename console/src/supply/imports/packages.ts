// The lines of an import of packages, without any UI: the user's edits, and the request body.
import type { Schemas } from '@/api/client';
import { normalizeDecimal, percentToFraction } from '@/form/decimal';
import { type ImportLine, isPercentOrEmpty, parseMillionths } from './lines';

type ImportPackageItem = Schemas['ImportPackageItem'];
export type ImportPackagesBody = Schemas['ImportPackagesInput'];
export type PackageType = Schemas['PackageType'];

/** Values of all packages in which the user has not edited the field. */
export interface SharedPackageValues {
  type: PackageType;
  network_id: number | null;
  /** Whether later syncs update the package if the external panel changes it. */
  sync: boolean;
}

/** The edits of a package, as the user typed them. An edit never contains both a fixed cost and a discount. */
export interface PackageEdit extends Partial<SharedPackageValues> {
  name?: string;
  /** The price of the package in the currency of this panel, instead of the sum of the prices of its services. */
  fixed_cost?: string;
  /** Percentage that is subtracted from the sum of the prices of its services. */
  discount?: string;
}

export type PackageEdits = ReadonlyMap<number, PackageEdit>;

/** Validates numbers before the request. Returns the API names of the fields whose text is not a number. */
export function findInvalidPackageFields(edit: PackageEdit): readonly ('fixed_cost' | 'discount_fraction')[] {
  const invalidFields: ('fixed_cost' | 'discount_fraction')[] = [];
  if (edit.fixed_cost?.trim() && parseMillionths(edit.fixed_cost) === null) invalidFields.push('fixed_cost');
  if (!isPercentOrEmpty(edit.discount ?? '')) invalidFields.push('discount_fraction');
  return invalidFields;
}

function buildPackageItem(line: ImportLine, edit: PackageEdit, sharedValues: SharedPackageValues): ImportPackageItem {
  const networkId = edit.network_id ?? sharedValues.network_id;
  return {
    id: line.id,
    type: edit.type ?? sharedValues.type,
    sync: edit.sync ?? sharedValues.sync,
    ...(networkId ? { network_id: networkId } : {}),
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.fixed_cost?.trim() ? { fixed_cost: normalizeDecimal(edit.fixed_cost) } : {}),
    ...(edit.discount?.trim() ? { discount_fraction: percentToFraction(edit.discount) } : {}),
  };
}

export function buildImportPackagesBody(
  externalPanelId: number,
  lines: readonly ImportLine[],
  edits: PackageEdits,
  sharedValues: SharedPackageValues,
): ImportPackagesBody {
  return {
    external_panel_id: externalPanelId,
    packages: lines.map((line) => buildPackageItem(line, edits.get(line.id) ?? {}, sharedValues)),
  };
}

/** Applies a change to a package. A new discount removes the fixed cost, and a new fixed cost removes the discount. */
export function applyPackageEdit(edits: PackageEdits, id: number, change: PackageEdit): PackageEdits {
  const { fixed_cost, discount, ...otherFields } = edits.get(id) ?? {};
  const remainingCostOrDiscount = {
    ...(fixed_cost !== undefined && !change.discount?.trim() ? { fixed_cost } : {}),
    ...(discount !== undefined && !change.fixed_cost?.trim() ? { discount } : {}),
  };
  return new Map([...edits, [id, { ...otherFields, ...remainingCostOrDiscount, ...change }]]);
}
