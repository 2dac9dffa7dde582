// What a service asks its customers: its targets in their order, how each hangs on it, its own values for them, and
// the group of checks that its addresses go through.
import { useTranslation } from 'react-i18next';
import { TargetAttachmentType } from '@/api/words';
import { NewerMark, useNewer } from '@/form/Newer';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { moved } from '@/ui/order';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { useGroups, useTargets } from '../targets/calls';
import { type AskedTarget, targetsOf } from './fields';
import type { PartProps } from './PartFields';

export function CheckerGroup({ values, errors, conflicts, onChange }: PartProps) {
  const { t } = useTranslation();
  const groups = useGroups().data ?? [];
  const name = 'promotable_checker_group_id';
  const newer = useNewer(conflicts)(name, (id) => groups.find((group) => String(group.id) === id)?.name);
  return (
    <Field label={t('services.fields.promotable_checker_group_id')} newer={newer} errors={errors[name]}>
      {(given) => (
        <Select
          id={given.id}
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

export function Targets({ values, errors, conflicts, onChange }: PartProps) {
  const { t } = useTranslation();
  const known = useTargets() ?? [];
  const asked = targetsOf(values);
  const set = (targets: readonly AskedTarget[]) => onChange('targets', JSON.stringify(targets));
  const wrong = Object.entries(errors).flatMap(([name, all]) => (name.startsWith('target') ? all : []));
  const change = (id: number, change: Partial<AskedTarget>) =>
    set(asked.map((one) => (one.id === id ? { ...one, ...change } : one)));
  return (
    <fieldset className="part">
      <legend>{t('services.parts.targets')}</legend>
      <p className="hint">{t('services.targets.hint')}</p>
      <NewerMark conflicts={conflicts} name="targets" />
      <SortableList
        label={t('services.parts.targets')}
        items={asked}
        onMove={(from, to) => set(moved(asked, from, to))}
        more={({ id, name }) => (
          <Button
            look="plain"
            iconOnly
            icon="times"
            label={t('services.removeProvider', { name })}
            onClick={() => set(asked.filter((one) => one.id !== id))}
          />
        )}
      />
      {asked.map((one) => {
        const target = known.find(({ id }) => id === one.id);
        return (
          <div key={one.id} className="form form-wide" data-target={one.id}>
            <Field label={t('services.targets.kind', { name: one.name })}>
              {(given) => (
                <Select
                  id={given.id}
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
              {(given) =>
                target?.target_type.selectable ? (
                  <MultiChoice
                    id={given.id}
                    label={t('services.targets.values', { name: one.name })}
                    value={one.values}
                    options={target.selectable_values.map((value) => ({ value, label: value }))}
                    placeholder={t('services.targets.all')}
                    onChange={(values) => change(one.id, { values })}
                  />
                ) : (
                  <input
                    {...given}
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
        options={known
          .filter(({ id, target_type }) => target_type.enabled_for_service && !asked.some((one) => one.id === id))
          .map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => {
          const target = known.find((one) => one.id === id);
          if (target) set([...asked, { id: target.id, name: target.name, kind: 'required', values: [] }]);
        }}
      />
      {wrong.length > 0 && <small className="field-error">{wrong.join(' ')}</small>}
    </fieldset>
  );
}
