// One package of an import, and what is wrong with each of its fields.
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Checkbox } from '@/ui/Field';
import { LineFrame, type LineProps, RefusedLine, useFieldLabel, useWrong } from './LineFrame';
import { type Line, micros } from './lines';
import { type PackageEdit, type SharedPackageValues, unreadablePackage } from './packages';
import { NetworkSelect, PackageTypeSelect } from './selects';
import { NumberCell } from './TextCell';

interface Props extends LineProps {
  edit: PackageEdit;
  shared: SharedPackageValues;
  onEdit: (change: PackageEdit) => void;
}

/** The lowest price by the least margin, where the fixed cost is below it: making a package of it will meet that rule. */
function tooLowFor({ lowest_price: lowest }: Line, { fixed_cost: typed }: PackageEdit): string | null {
  const [cost, least] = [micros(typed ?? ''), micros(lowest ?? '')];
  return lowest && cost !== null && least !== null && cost < least ? lowest : null;
}

export function PackageLine({ line, edit, shared, errors, ticked, onTick, onEdit }: Props) {
  const { t } = useTranslation();
  const of = useFieldLabel(line);
  const wrong = useWrong(errors, unreadablePackage(edit));
  const lowest = tooLowFor(line, edit);
  if (line.refusal) return <RefusedLine line={line} columns={4} />;
  return (
    <LineFrame
      {...{ line, ticked, onTick, wrong }}
      name={edit.name ?? line.name}
      others={['id']}
      onName={(name) => onEdit({ name })}
    >
      <NumberCell
        name={t('packages.fields.fixed_cost')}
        labelOf={of}
        value={edit.fixed_cost ?? ''}
        wrong={wrong('fixed_cost')}
        note={lowest ? t('imports.tooLow', { lowest: formatMoney(lowest) }) : ''}
        onChange={(fixed_cost) => onEdit({ fixed_cost })}
      />
      <NumberCell
        name={t('packages.fields.discount_percent')}
        labelOf={of}
        value={edit.discount ?? ''}
        wrong={wrong('discount_percent')}
        onChange={(discount) => onEdit({ discount })}
      />
      <td className="import-place" data-label={t('packages.columns.type')}>
        <PackageTypeSelect
          label={of(t('packages.columns.type'))}
          value={edit.type ?? shared.type}
          wrong={wrong('type')}
          onChange={(type) => onEdit({ type })}
        />
      </td>
      <td className="import-place" data-label={t('panelServices.network')}>
        <NetworkSelect
          label={of(t('panelServices.network'))}
          value={edit.network_id ?? shared.network_id}
          wrong={wrong('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <Checkbox
          label={t('packages.provided.sync')}
          checked={edit.sync ?? shared.sync}
          onChange={(sync) => onEdit({ sync })}
        />
      </td>
    </LineFrame>
  );
}
