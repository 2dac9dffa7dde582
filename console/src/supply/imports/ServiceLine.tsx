// A service in the import dialog, with inputs for the values of the new service. Less common fields are in a second row, which is
// hidden until the user opens it.
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Checkbox } from '@/ui/Field';
import { NumberCell } from './LineInputs';
import { type LineProps, LineRow, RefusedLine, useFieldErrors, useFieldLabel } from './LineRow';
import {
  computePrice,
  findInvalidFields,
  type LineEdit,
  SERVICE_SYNC_FLAGS,
  type SharedValues,
  toPanelSyncFlag,
} from './lines';
import { CheckerGroupSelect, NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface Props extends LineProps {
  edit: LineEdit;
  shared: SharedValues;
  onEdit: (change: LineEdit) => void;
}

export function ServiceLine({ line, edit, shared, errors, isSelected, onSelect, onEdit }: Props) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const formatLabel = useFieldLabel(line);
  const { price, margin, isTooLow } = computePrice(line, edit, shared);
  const getErrors = useFieldErrors(errors, findInvalidFields(edit));
  const networkId = edit.network_id ?? shared.network_id;
  const hasErrorInDetails = ['description', 'promotable_checker_group_id', ...SERVICE_SYNC_FLAGS].some(
    (field) => errors?.[field],
  );
  const showsDetails = isOpen || hasErrorInDetails;
  if (line.refusal) return <RefusedLine line={line} otherColumns={4} />;
  return (
    <LineRow
      {...{ line, isSelected, onSelect, getErrors }}
      name={edit.name ?? line.name}
      fieldsWithoutCell={['id', 'external_panel_price', 'provider_price']}
      onName={(name) => onEdit({ name })}
      detailsRow={
        showsDetails && (
          <tr id={detailsId} className="import-details">
            <td />
            <td colSpan={6}>
              <ServiceDetails {...{ line, edit, formatLabel, getErrors, onEdit }} />
            </td>
          </tr>
        )
      }
    >
      <NumberCell
        column={t('panelServices.price')}
        formatLabel={formatLabel}
        value={edit.price ?? price ?? ''}
        errors={getErrors('price')}
        warning={
          isTooLow && line.lowest_price ? t('imports.belowMinPrice', { minPrice: formatMoney(line.lowest_price) }) : ''
        }
        onChange={(price) => onEdit({ price })}
      />
      <NumberCell
        column={t('imports.columns.margin')}
        formatLabel={formatLabel}
        value={edit.margin ?? margin ?? ''}
        errors={getErrors('margin_fraction')}
        onChange={(margin) => onEdit({ margin })}
      />
      <td className="import-place" data-label={t('imports.columns.destination')}>
        <NetworkSelect
          label={formatLabel(t('panelServices.network'))}
          value={networkId}
          errors={getErrors('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <ServiceTypeSelect
          label={formatLabel(t('panelServices.serviceType'))}
          networkId={networkId}
          value={edit.service_type_id ?? (edit.service_type_id === null ? null : shared.service_type_id)}
          errors={getErrors('service_type_id')}
          {...(shared.keep_categories && line.category ? { placeholder: line.category } : {})}
          onChange={(service_type_id) => onEdit({ service_type_id })}
        />
      </td>
      <td>
        <Button
          variant="plain"
          iconOnly
          icon={showsDetails ? 'angle-up' : 'angle-down'}
          label={formatLabel(t('imports.columns.moreFields'))}
          aria-expanded={showsDetails}
          aria-controls={detailsId}
          onClick={() => setIsOpen(!showsDetails)}
        />
      </td>
    </LineRow>
  );
}

interface ServiceDetailsProps extends Pick<Props, 'line' | 'edit' | 'onEdit'> {
  formatLabel: (field: string) => string;
  getErrors: (field: string) => readonly string[];
}

function ServiceDetails({ line, edit, formatLabel, getErrors, onEdit }: ServiceDetailsProps) {
  const { t } = useTranslation();
  const descriptionErrors = getErrors('description');
  return (
    <div className="import-more">
      <label className="field">
        <span className="field-label">{t('syncField.description')}</span>
        <textarea
          className="input"
          rows={3}
          maxLength={50_000}
          aria-label={formatLabel(t('syncField.description'))}
          aria-invalid={descriptionErrors.length > 0 || undefined}
          value={edit.description ?? line.description ?? ''}
          onChange={(event) => onEdit({ description: event.target.value })}
        />
        {descriptionErrors.length > 0 && <small className="field-error">{descriptionErrors.join(' ')}</small>}
      </label>
      <SelectField label={t('services.fields.promotable_checker_group_id')}>
        <CheckerGroupSelect
          label={formatLabel(t('services.fields.promotable_checker_group_id'))}
          value={edit.promotable_checker_group_id ?? null}
          errors={getErrors('promotable_checker_group_id')}
          onChange={(promotable_checker_group_id) => onEdit({ promotable_checker_group_id })}
        />
      </SelectField>
      <fieldset className="import-flags">
        <legend>{t('externalPanels.sections.sync')}</legend>
        {SERVICE_SYNC_FLAGS.map((flag) => (
          <Checkbox
            key={flag}
            label={t(`externalPanels.sync.${toPanelSyncFlag(flag)}`)}
            checked={edit[flag] ?? line[flag]}
            onChange={(isOn) => onEdit({ [flag]: isOn })}
          />
        ))}
      </fieldset>
    </div>
  );
}
