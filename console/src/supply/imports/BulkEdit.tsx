// Edits all selected lines of a service import at once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { isPercentOrEmpty, type LineEdit, SERVICE_SYNC_FLAGS, toPanelSyncFlag } from './lines';
import { CheckerGroupSelect, NetworkSelect, SelectField, ServiceTypeSelect } from './selects';

interface Props {
  selectedCount: number;
  onApply: (change: LineEdit) => void;
}

/** A field that is left empty here does not change in the lines. */
export function BulkEdit({ selectedCount, onApply }: Props) {
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
            placeholder={t('services.stays')}
            onChange={(network_id) => update({ network_id, service_type_id: null })}
          />
        </SelectField>
        <SelectField label={t('panelServices.serviceType')}>
          <ServiceTypeSelect
            label={t('imports.fieldOfSelected', { field: t('panelServices.serviceType') })}
            networkId={change.network_id ?? null}
            value={change.service_type_id ?? null}
            placeholder={t('services.stays')}
            onChange={(service_type_id) => update({ service_type_id })}
          />
        </SelectField>
        <SelectField label={t('services.fields.promotable_checker_group_id')}>
          <CheckerGroupSelect
            label={t('imports.fieldOfSelected', { field: t('services.fields.promotable_checker_group_id') })}
            value={change.promotable_checker_group_id ?? null}
            placeholder={t('services.stays')}
            onChange={(promotable_checker_group_id) => update({ promotable_checker_group_id })}
          />
        </SelectField>
      </div>
      <fieldset className="import-flags">
        <legend>{t('externalPanels.sections.sync')}</legend>
        {SERVICE_SYNC_FLAGS.map((flag) => (
          <SyncFlagSelect
            key={flag}
            label={t(`externalPanels.sync.${toPanelSyncFlag(flag)}`)}
            value={change[flag]}
            onChange={(isOn) =>
              setChange(({ [flag]: _, ...others }) => (isOn === undefined ? others : { ...others, [flag]: isOn }))
            }
          />
        ))}
      </fieldset>
      <Button
        label={t('imports.apply', { shown: formatNumber(selectedCount) })}
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
  /** Undefined does not change the flag of the lines. */
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
        <option value="">{t('services.stays')}</option>
        <option value="on">{t('services.on')}</option>
        <option value="off">{t('services.off')}</option>
      </select>
    </label>
  );
}
