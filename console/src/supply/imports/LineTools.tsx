// What stands for all lines of an import, and changes of the ticked ones at once.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Checkbox, Field } from '@/ui/Field';
import { type Edit, FLAGS, isPercent, panelFlag, type SharedValues } from './lines';
import { GroupSelect, NetworkSelect, SelectField, TypeSelect } from './selects';

interface SharedProps {
  shared: SharedValues;
  errors: FieldErrors;
  onChange: (change: Partial<SharedValues>) => void;
}

/** Margin and place of every line that does not say otherwise. */
export function SharedFields({ shared, errors, onChange }: SharedProps) {
  const { t } = useTranslation();
  const margin = isPercent(shared.margin) ? errors.margin_percent : [t('imports.noNumber')];
  return (
    <div className="import-shared">
      <Field label={t('panelServices.margin')} errors={margin} hint={t('panelServices.marginHint')}>
        {(given) => (
          <input
            {...given}
            className="input"
            inputMode="decimal"
            data-autofocus
            value={shared.margin}
            onChange={(event) => onChange({ margin: event.target.value })}
          />
        )}
      </Field>
      <SelectField label={t('panelServices.network')}>
        <NetworkSelect
          label={t('panelServices.network')}
          value={shared.network_id}
          wrong={errors.network_id ?? []}
          onChange={(network_id) => onChange({ network_id, service_type_id: null })}
        />
      </SelectField>
      <SelectField label={t('panelServices.serviceType')}>
        <TypeSelect
          label={t('panelServices.serviceType')}
          network={shared.network_id}
          value={shared.service_type_id}
          wrong={errors.service_type_id ?? []}
          {...(shared.keep_categories ? { placeholder: t('imports.byCategory') } : {})}
          onChange={(service_type_id) => onChange({ service_type_id })}
        />
      </SelectField>
      <div className="field">
        <Checkbox
          label={t('imports.keepCategories')}
          checked={shared.keep_categories}
          onChange={(keep_categories) => onChange({ keep_categories })}
        />
        <small className="field-hint">{t('imports.keepCategoriesHint')}</small>
      </div>
    </div>
  );
}

interface ChangeProps {
  ids: readonly number[];
  onApply: (change: Edit) => void;
}

/** One change of all ticked lines; what is left empty stays as each line has it. */
export function ChangeTicked({ ids, onApply }: ChangeProps) {
  const { t } = useTranslation();
  const [change, setChange] = useState<Edit>({});
  const set = (part: Edit) => setChange((change) => ({ ...change, ...part }));
  const wanted = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== null && value !== undefined && value !== ''),
  ) as Edit;
  const isReadable = isPercent(change.margin ?? '');
  const nothing = !isReadable
    ? t('imports.unreadable')
    : Object.keys(wanted).length === 0
      ? t('imports.nothingToApply')
      : ids.length === 0 && t('imports.tickSome');
  return (
    <details className="import-change">
      <summary>{t('imports.changeTicked')}</summary>
      <div className="import-shared">
        <Field label={t('panelServices.margin')} errors={isReadable ? [] : [t('imports.noNumber')]}>
          {(given) => (
            <input
              {...given}
              className="input"
              inputMode="decimal"
              value={change.margin ?? ''}
              onChange={(event) => set({ margin: event.target.value })}
            />
          )}
        </Field>
        <SelectField label={t('panelServices.network')}>
          <NetworkSelect
            label={t('imports.ofTicked', { field: t('panelServices.network') })}
            value={change.network_id ?? null}
            placeholder={t('services.stays')}
            onChange={(network_id) => set({ network_id, service_type_id: null })}
          />
        </SelectField>
        <SelectField label={t('panelServices.serviceType')}>
          <TypeSelect
            label={t('imports.ofTicked', { field: t('panelServices.serviceType') })}
            network={change.network_id ?? null}
            value={change.service_type_id ?? null}
            placeholder={t('services.stays')}
            onChange={(service_type_id) => set({ service_type_id })}
          />
        </SelectField>
        <SelectField label={t('services.fields.promotable_checker_group_id')}>
          <GroupSelect
            label={t('imports.ofTicked', { field: t('services.fields.promotable_checker_group_id') })}
            value={change.promotable_checker_group_id ?? null}
            placeholder={t('services.stays')}
            onChange={(promotable_checker_group_id) => set({ promotable_checker_group_id })}
          />
        </SelectField>
      </div>
      <fieldset className="import-flags">
        <legend>{t('externalPanels.parts.sync')}</legend>
        {FLAGS.map((flag) => (
          <FlagChoice
            key={flag}
            label={t(`externalPanels.sync.${panelFlag(flag)}`)}
            value={change[flag]}
            onChange={(on) =>
              setChange(({ [flag]: _, ...rest }) => (on === undefined ? rest : { ...rest, [flag]: on }))
            }
          />
        ))}
      </fieldset>
      <Button
        label={t('imports.apply', { shown: formatNumber(ids.length) })}
        disabled={nothing}
        onClick={() => {
          onApply(wanted);
          setChange({});
        }}
      />
    </details>
  );
}

interface FlagProps {
  label: string;
  value: boolean | undefined;
  onChange: (on: boolean | undefined) => void;
}

/** On, off, or as it is. */
function FlagChoice({ label, value, onChange }: FlagProps) {
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
