// One package of an import, and what is wrong with each of its fields.
import { useTranslation } from 'react-i18next';
import { money } from '@/i18n/format';
import { Tick } from '@/ui/Field';
import { type LineProps, RefusedLine } from './ImportFrame';
import { type Line, micros } from './lines';
import { type PackageEdit, type SharedPackageValues, unreadablePackage } from './packages';
import { NetworkSelect, PackageTypeSelect } from './selects';
import { TextCell } from './TextCell';

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

export function PackageLine({ line, edit, shared, errors = {}, ticked, onTick, onEdit }: Props) {
  const { t } = useTranslation();
  if (line.refusal) return <RefusedLine line={line} columns={6} />;
  const of = (field: string) => t('imports.of', { field, name: line.name });
  const notRead = unreadablePackage(edit);
  const wrong = (field: string) => [
    ...(errors[field] ?? []),
    ...(notRead.some((one) => one === field) ? [t('imports.noNumber')] : []),
  ];
  const lowest = tooLowFor(line, edit);
  return (
    <tbody className={ticked ? 'import-line' : 'import-line import-line-off'} data-line={line.id}>
      <tr>
        <td className="import-tick">
          <input
            type="checkbox"
            checked={ticked}
            aria-label={of(t('imports.columns.import'))}
            onChange={(event) => onTick(event.target.checked)}
          />
        </td>
        <td className="import-name">
          <TextCell
            label={of(t('panelServices.columns.name'))}
            value={edit.name ?? line.name}
            wrong={wrong('name')}
            onChange={(name) => onEdit({ name })}
          />
          <small className="import-there">
            #{line.external_panel_service_id} · {line.type} · {line.category || t('imports.noCategory')}
          </small>
          {errors.id && <small className="field-error">{errors.id.join(' ')}</small>}
        </td>
        <td className="end" data-label={t('panelServices.cost')}>
          {line.provider_price ? money(line.provider_price) : '–'}
        </td>
        <td data-label={t('packages.fields.fixed_cost')}>
          <TextCell
            label={of(t('packages.fields.fixed_cost'))}
            value={edit.fixed_cost ?? ''}
            wrong={wrong('fixed_cost')}
            note={lowest ? t('imports.tooLow', { lowest: money(lowest) }) : ''}
            numeric
            onChange={(fixed_cost) => onEdit({ fixed_cost })}
          />
        </td>
        <td data-label={t('packages.fields.discount_percent')}>
          <TextCell
            label={of(t('packages.fields.discount_percent'))}
            value={edit.discount ?? ''}
            wrong={wrong('discount_percent')}
            numeric
            onChange={(discount) => onEdit({ discount })}
          />
        </td>
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
          <Tick
            label={t('packages.provided.sync')}
            checked={edit.sync ?? shared.sync}
            onChange={(sync) => onEdit({ sync })}
          />
        </td>
      </tr>
    </tbody>
  );
}
