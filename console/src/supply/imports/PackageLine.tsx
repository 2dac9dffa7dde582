// A package in the import dialog, with inputs for the values of the new package.
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Checkbox } from '@/ui/Field';
import { NumberCell } from './LineInputs';
import { type LineProps, LineRow, NotImportableLine, useFieldErrors, useLabelForLine } from './LineRow';
import { type ImportLine, parseMillionths } from './lines';
import { findInvalidPackageFields, type PackageEdit, type SharedPackageValues } from './packages';
import { NetworkSelect, PackageTypeSelect } from './selects';

interface Props extends LineProps {
  edit: PackageEdit;
  sharedValues: SharedPackageValues;
  onEdit: (change: PackageEdit) => void;
}

/**
 * Returns the lowest price that the minimum margin allows, or null if the fixed cost is not below this price. The import accepts a
 * fixed cost below it, but the server applies the minimum margin when staff create a package for sale from the imported package.
 */
function getUndercutMinPrice(line: ImportLine, edit: PackageEdit): string | null {
  const fixedCost = parseMillionths(edit.fixed_cost ?? '');
  const minPrice = parseMillionths(line.lowest_price ?? '');
  const isTooLow = fixedCost !== null && minPrice !== null && fixedCost < minPrice;
  return (isTooLow && line.lowest_price) || null;
}

export function PackageLine({ line, edit, sharedValues, errors, isSelected, onSelect, onEdit }: Props) {
  const { t } = useTranslation();
  const labelForLine = useLabelForLine(line);
  const getErrors = useFieldErrors(errors, findInvalidPackageFields(edit));
  const undercutMinPrice = getUndercutMinPrice(line, edit);
  if (line.rejection) return <NotImportableLine line={line} spannedColumnCount={4} />;
  return (
    <LineRow
      {...{ line, isSelected, onSelect, getErrors }}
      name={edit.name ?? line.name}
      fieldsShownAtName={['id']}
      onNameChange={(name) => onEdit({ name })}
    >
      <NumberCell
        columnTitle={t('packages.fields.fixed_cost')}
        labelForLine={labelForLine}
        value={edit.fixed_cost ?? ''}
        errors={getErrors('fixed_cost')}
        warning={undercutMinPrice ? t('imports.belowMinPrice', { minPrice: formatMoney(undercutMinPrice) }) : ''}
        onChange={(fixed_cost) => onEdit({ fixed_cost })}
      />
      <NumberCell
        columnTitle={t('packages.fields.discount_fraction')}
        labelForLine={labelForLine}
        value={edit.discount ?? ''}
        errors={getErrors('discount_fraction')}
        onChange={(discount) => onEdit({ discount })}
      />
      <td className="import-place" data-label={t('packages.columns.type')}>
        <PackageTypeSelect
          label={labelForLine(t('packages.columns.type'))}
          value={edit.type ?? sharedValues.type}
          errors={getErrors('type')}
          onChange={(type) => onEdit({ type })}
        />
      </td>
      <td className="import-place" data-label={t('panelServices.network')}>
        <NetworkSelect
          label={labelForLine(t('panelServices.network'))}
          value={edit.network_id ?? sharedValues.network_id}
          errors={getErrors('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <Checkbox
          label={t('packages.external.sync')}
          checked={edit.sync ?? sharedValues.sync}
          onChange={(sync) => onEdit({ sync })}
        />
      </td>
    </LineRow>
  );
}
