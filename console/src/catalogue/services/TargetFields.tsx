// The targets that customers of a service fill in: their order, how each is attached to the service and the values that the
// service offers. Also the group of checks for the URLs of orders.
import { useTranslation } from 'react-i18next';
import { TargetAttachmentType } from '@/api/words';
import { ConflictMark, useConflictText } from '@/form/Conflict';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { moveItem } from '@/ui/order';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { useCheckerGroups, useTargets } from '../targets/calls';
import { type ServiceTarget, targetsOf } from './fields';
import type { SectionProps } from './SectionFields';

export function CheckerGroupField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const groups = useCheckerGroups().data ?? [];
  const name = 'promotable_checker_group_id';
  const conflict = useConflictText(conflicts)(name, (id) => groups.find((group) => String(group.id) === id)?.name);
  return (
    <Field label={t('services.fields.promotable_checker_group_id')} conflict={conflict} errors={errors[name]}>
      {(control) => (
        <Select
          id={control.id}
          label={t('services.fields.promotable_checker_group_id')}
          value={values[name] || null}
          placeholder={t('services.targets.anyAddress')}
          clearable
          options={groups.map((group) => ({
            value: String(group.id),
            label: `${group.name} · ${group.service_type_type}`,
          }))}
          onChange={(id) => onChange(name, id ?? '')}
          invalid={Boolean(errors[name])}
        />
      )}
    </Field>
  );
}

export function TargetsField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const available = useTargets() ?? [];
  const targets = targetsOf(values);
  const set = (targets: readonly ServiceTarget[]) => onChange('targets', JSON.stringify(targets));
  const messages = Object.entries(errors).flatMap(([name, all]) => (name.startsWith('target') ? all : []));
  const change = (id: number, change: Partial<ServiceTarget>) =>
    set(targets.map((one) => (one.id === id ? { ...one, ...change } : one)));
  return (
    <fieldset className="part">
      <legend>{t('services.parts.targets')}</legend>
      <p className="hint">{t('services.targets.hint')}</p>
      <ConflictMark conflicts={conflicts} name="targets" />
      <SortableList
        label={t('services.parts.targets')}
        items={targets}
        onMove={(from, to) => set(moveItem(targets, from, to))}
        renderExtra={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
            onClick={() => set(targets.filter((one) => one.id !== id))}
          />
        )}
      />
      {targets.map((one) => {
        const target = available.find(({ id }) => id === one.id);
        return (
          <div key={one.id} className="form form-wide" data-target={one.id}>
            <Field label={t('services.targets.kind', { name: one.name })}>
              {(control) => (
                <Select
                  id={control.id}
                  label={t('services.targets.kind', { name: one.name })}
                  value={one.kind}
                  options={TargetAttachmentType.map((kind) => ({
                    value: kind,
                    label: t(`targets.attachments.${kind}`),
                  }))}
                  onChange={(kind) => change(one.id, { kind: kind ?? 'required' })}
                />
              )}
            </Field>
            <Field label={t('services.targets.values', { name: one.name })}>
              {(control) =>
                target?.target_type.selectable ? (
                  <MultiChoice
                    id={control.id}
                    label={t('services.targets.values', { name: one.name })}
                    value={one.values}
                    options={target.selectable_values.map((value) => ({ value, label: value }))}
                    placeholder={t('services.targets.all')}
                    onChange={(values) => change(one.id, { values })}
                  />
                ) : (
                  <input
                    {...control}
                    className="input"
                    value={one.values[0] ?? ''}
                    placeholder={target?.placeholder ?? ''}
                    onChange={(event) => change(one.id, { values: event.target.value ? [event.target.value] : [] })}
                  />
                )
              }
            </Field>
          </div>
        );
      })}
      <Select
        label={t('services.targets.add')}
        value={null}
        placeholder={t('services.targets.add')}
        options={available
          .filter(({ id, target_type }) => target_type.enabled_for_service && !targets.some((one) => one.id === id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => {
          const target = available.find((one) => one.id === id);
          if (target) set([...targets, { id: target.id, name: target.name, kind: 'required', values: [] }]);
        }}
      />
      {messages.length > 0 && <small className="field-error">{messages.join(' ')}</small>}
    </fieldset>
  );
}
