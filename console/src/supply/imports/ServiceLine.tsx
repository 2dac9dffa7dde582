// A service in the import dialog, with inputs for the values of the new service. A second table row contains the less common
// fields; it is hidden until the user opens it.
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Checkbox } from '@/ui/Field';
import { NumberCell } from './LineInputs';
import { type LineProps, LineRow, NotImportableLine, useFieldErrors, useLabelForLine } from './LineRow';
import {
  computePrice,
  findInvalidFields,
  type LineEdit,
  SERVICE_SYNC_FLAGS,
  type SharedValues,
  toExternalPanelSyncFlag,
} from './lines';
import { CheckerGroupSelect, NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface Props extends LineProps {
  edit: LineEdit;
  sharedValues: SharedValues;
  onEdit: (change: LineEdit) => void;
}

export function ServiceLine({ line, edit, sharedValues, errors, isSelected, onSelect, onEdit }: Props) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const labelForLine = useLabelForLine(line);
  const { price, margin, isTooLow } = computePrice(line, edit, sharedValues);
  const getErrors = useFieldErrors(errors, findInvalidFields(edit));
  const networkId = edit.network_id ?? sharedValues.network_id;
  const hasErrorInDetails = ['description', 'promotable_checker_group_id', ...SERVICE_SYNC_FLAGS].some(
    (field) => errors?.[field],
  );
  const areDetailsShown = isOpen || hasErrorInDetails;
  if (line.rejection) return <NotImportableLine line={line} spannedColumnCount={4} />;
  return (
    <LineRow
      {...{ line, isSelected, onSelect, getErrors }}
      name={edit.name ?? line.name}
      fieldsShownAtName={['id', 'external_panel_price', 'provider_price']}
      onNameChange={(name) => onEdit({ name })}
      detailsRow={
        areDetailsShown && (
          <tr id={detailsId} className="import-details">
            <td />
            <td colSpan={6}>
              <ServiceDetails {...{ line, edit, labelForLine, getErrors, onEdit }} />
            </td>
          </tr>
        )
      }
    >
      <NumberCell
        columnTitle={t('panelServices.price')}
        labelForLine={labelForLine}
        value={edit.price ?? price ?? ''}
        errors={getErrors('price')}
        warning={
          isTooLow && line.lowest_price ? t('imports.belowMinPrice', { minPrice: formatMoney(line.lowest_price) }) : ''
        }
        onChange={(price) => onEdit({ price })}
      />
      <NumberCell
        columnTitle={t('imports.columns.margin')}
        labelForLine={labelForLine}
        value={edit.margin ?? margin ?? ''}
        errors={getErrors('margin_fraction')}
        onChange={(margin) => onEdit({ margin })}
      />
      <td className="import-place" data-label={t('imports.columns.destination')}>
        <NetworkSelect
          label={labelForLine(t('panelServices.network'))}
          value={networkId}
          errors={getErrors('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <ServiceTypeSelect
          label={labelForLine(t('panelServices.serviceType'))}
          networkId={networkId}
          value={edit.service_type_id ?? (edit.service_type_id === null ? null : sharedValues.service_type_id)}
          errors={getErrors('service_type_id')}
          {...(sharedValues.keep_categories && line.category ? { placeholder: line.category } : {})}
          onChange={(service_type_id) => onEdit({ service_type_id })}
        />
      </td>
      <td>
        <Button
          variant="plain"
          iconOnly
          icon={areDetailsShown ? 'angle-up' : 'angle-down'}
          label={labelForLine(t('imports.columns.moreFields'))}
          aria-expanded={areDetailsShown}
          aria-controls={detailsId}
          onClick={() => setIsOpen(!areDetailsShown)}
        />
      </td>
    </LineRow>
  );
}

interface ServiceDetailsProps extends Pick<Props, 'line' | 'edit' | 'onEdit'> {
  labelForLine: (field: string) => string;
  getErrors: (field: string) => readonly string[];
}

function ServiceDetails({ line, edit, labelForLine, getErrors, onEdit }: ServiceDetailsProps) {
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
          aria-label={labelForLine(t('syncField.description'))}
          aria-invalid={descriptionErrors.length > 0 || undefined}
          value={edit.description ?? line.description ?? ''}
          onChange={(event) => onEdit({ description: event.target.value })}
        />
        {descriptionErrors.length > 0 && <small className="field-error">{descriptionErrors.join(' ')}</small>}
      </label>
      <SelectField label={t('services.fields.promotable_checker_group_id')}>
        <CheckerGroupSelect
          label={labelForLine(t('services.fields.promotable_checker_group_id'))}
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
            label={t(`externalPanels.sync.${toExternalPanelSyncFlag(flag)}`)}
            checked={edit[flag] ?? line[flag]}
            onChange={(isOn) => onEdit({ [flag]: isOn })}
          />
        ))}
      </fieldset>
    </div>
  );
}
