// Edits all selected lines of a service import at once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { isPercentOrEmpty, type LineEdit, SERVICE_SYNC_FLAGS, toExternalPanelSyncFlag } from './lines';
import { CheckerGroupSelect, NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface BulkEditProps {
  selectedCount: number;
  onApply: (change: LineEdit) => void;
}

/** If the user leaves a field empty, the field does not change in the lines. */
export function BulkEdit({ selectedCount, onApply }: BulkEditProps) {
  const { t } = useTranslation();
  const [change, setChange] = useState<LineEdit>({});
  const update = (fields: LineEdit) => setChange((change) => ({ ...change, ...fields }));
  const filledFields = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ) as LineEdit;
  const isValid = isPercentOrEmpty(change.margin ?? '');
  const disabledReason = !isValid
    ? t('imports.invalidNumbers')
    : Object.keys(filledFields).length === 0
      ? t('imports.chooseChange')
      : selectedCount === 0 && t('imports.selectLines');
  return (
    <details className="import-change">
      <summary>{t('imports.changeSelected')}</summary>
      <div className="import-shared">
        <Field label={t('panelServices.margin')} errors={isValid ? [] : [t('imports.enterNumber')]}>
          {(controlProps) => (
            <input
              {...controlProps}
              className="input"
              inputMode="decimal"
              value={change.margin ?? ''}
              onChange={(event) => update({ margin: event.target.value })}
            />
          )}
        </Field>
        <SelectField label={t('panelServices.network')}>
          <NetworkSelect
            label={t('imports.fieldOfSelected', { field: t('panelServices.network') })}
            value={change.network_id ?? null}
            placeholder={t('ui.noChange')}
            onChange={(network_id) => update({ network_id, service_type_id: null })}
          />
        </SelectField>
        <SelectField label={t('panelServices.serviceType')}>
          <ServiceTypeSelect
            label={t('imports.fieldOfSelected', { field: t('panelServices.serviceType') })}
            networkId={change.network_id ?? null}
            value={change.service_type_id ?? null}
            placeholder={t('ui.noChange')}
            onChange={(service_type_id) => update({ service_type_id })}
          />
        </SelectField>
        <SelectField label={t('services.fields.promotable_checker_group_id')}>
          <CheckerGroupSelect
            label={t('imports.fieldOfSelected', { field: t('services.fields.promotable_checker_group_id') })}
            value={change.promotable_checker_group_id ?? null}
            placeholder={t('ui.noChange')}
            onChange={(promotable_checker_group_id) => update({ promotable_checker_group_id })}
          />
        </SelectField>
      </div>
      <fieldset className="import-flags">
        <legend>{t('externalPanels.sections.sync')}</legend>
        {SERVICE_SYNC_FLAGS.map((flag) => (
          <SyncFlagSelect
            key={flag}
            label={t(`externalPanels.sync.${toExternalPanelSyncFlag(flag)}`)}
            value={change[flag]}
            onChange={(isOn) =>
              setChange(({ [flag]: _, ...otherFields }) =>
                isOn === undefined ? otherFields : { ...otherFields, [flag]: isOn },
              )
            }
          />
        ))}
      </fieldset>
      <Button
        label={t('imports.applyToSelected', { formattedCount: formatNumber(selectedCount) })}
        disabled={disabledReason}
        onClick={() => {
          onApply(filledFields);
          setChange({});
        }}
      />
    </details>
  );
}

interface SyncFlagSelectProps {
  label: string;
  /** Undefined means that the flag does not change in the lines. */
  value: boolean | undefined;
  onChange: (value: boolean | undefined) => void;
}

function SyncFlagSelect({ label, value, onChange }: SyncFlagSelectProps) {
  const { t } = useTranslation();
  return (
    <label className="import-flag">
      <span>{label}</span>
      <select
        className="input"
        value={value === undefined ? '' : value ? 'on' : 'off'}
        onChange={(event) => onChange(event.target.value ? event.target.value === 'on' : undefined)}
      >
        <option value="">{t('ui.noChange')}</option>
        <option value="on">{t('ui.on')}</option>
        <option value="off">{t('ui.off')}</option>
      </select>
    </label>
  );
}
