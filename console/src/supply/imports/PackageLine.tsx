// A package in the import dialog, with inputs for the values of the new package.
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Checkbox } from '@/ui/Field';
import { NumberCell } from './LineInputs';
import { type LineProps, LineRow, RefusedLine, useFieldErrors, useFieldLabel } from './LineRow';
import { type ImportLine, parseMillionths } from './lines';
import { findInvalidPackageFields, type PackageEdit, type SharedPackageValues } from './packages';
import { NetworkSelect, PackageTypeSelect } from './selects';

interface Props extends LineProps {
  edit: PackageEdit;
  shared: SharedPackageValues;
  onEdit: (change: PackageEdit) => void;
}

/**
 * Returns the lowest price that the minimum margin allows if the fixed cost is below it, otherwise null. The import accepts such
 * a fixed cost, but the minimum margin applies when staff create a package for sale from the imported package.
 */
function findUndercutPrice(line: ImportLine, edit: PackageEdit): string | null {
  const fixedCost = parseMillionths(edit.fixed_cost ?? '');
  const lowestPrice = parseMillionths(line.lowest_price ?? '');
  const isTooLow = fixedCost !== null && lowestPrice !== null && fixedCost < lowestPrice;
  return (isTooLow && line.lowest_price) || null;
}

export function PackageLine({ line, edit, shared, errors, isSelected, onSelect, onEdit }: Props) {
  const { t } = useTranslation();
  const formatLabel = useFieldLabel(line);
  const getErrors = useFieldErrors(errors, findInvalidPackageFields(edit));
  const undercutPrice = findUndercutPrice(line, edit);
  if (line.refusal) return <RefusedLine line={line} otherColumns={4} />;
  return (
    <LineRow
      {...{ line, isSelected, onSelect, getErrors }}
      name={edit.name ?? line.name}
      fieldsWithoutCell={['id']}
      onName={(name) => onEdit({ name })}
    >
      <NumberCell
        column={t('packages.fields.fixed_cost')}
        formatLabel={formatLabel}
        value={edit.fixed_cost ?? ''}
        errors={getErrors('fixed_cost')}
        warning={undercutPrice ? t('imports.belowMinPrice', { minPrice: formatMoney(undercutPrice) }) : ''}
        onChange={(fixed_cost) => onEdit({ fixed_cost })}
      />
      <NumberCell
        column={t('packages.fields.discount_fraction')}
        formatLabel={formatLabel}
        value={edit.discount ?? ''}
        errors={getErrors('discount_fraction')}
        onChange={(discount) => onEdit({ discount })}
      />
      <td className="import-place" data-label={t('packages.columns.type')}>
        <PackageTypeSelect
          label={formatLabel(t('packages.columns.type'))}
          value={edit.type ?? shared.type}
          errors={getErrors('type')}
          onChange={(type) => onEdit({ type })}
        />
      </td>
      <td className="import-place" data-label={t('panelServices.network')}>
        <NetworkSelect
          label={formatLabel(t('panelServices.network'))}
          value={edit.network_id ?? shared.network_id}
          errors={getErrors('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <Checkbox
          label={t('packages.provided.sync')}
          checked={edit.sync ?? shared.sync}
          onChange={(sync) => onEdit({ sync })}
        />
      </td>
    </LineRow>
  );
}
