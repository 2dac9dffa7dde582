// The form fields for the targets of a service: their sequence, their attachment types, and the values that customers can select. Also
// the form field for the checker group, which validates the URLs of orders.
import { useTranslation } from 'react-i18next';
import { TargetAttachmentType } from '@/api/enums';
import { ConflictNote, useConflictText } from '@/form/Conflict';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { MultiChoice } from '@/ui/MultiChoice';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import { useCheckerGroups, useTargets } from '../targets/requests';
import { parseTargets, type ServiceTarget } from './fields';
import type { SectionProps } from './SectionFields';

export function CheckerGroupField({ values, errors, conflicts, onChange }: SectionProps) {
  const { t } = useTranslation();
  const groups = useCheckerGroups().data ?? [];
  const name = 'promotable_checker_group_id';
  const conflict = useConflictText(conflicts)(name, (id) => groups.find((group) => String(group.id) === id)?.name);
  return (
    <Field label={t('services.fields.promotable_checker_group_id')} conflict={conflict} errors={errors[name]}>
      {({ id }) => (
        <Select
          id={id}
          label={t('services.fields.promotable_checker_group_id')}
          value={values[name] || null}
          placeholder={t('services.targets.anyLink')}
          isClearable
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
  const availableTargets = useTargets() ?? [];
  const targets = parseTargets(values);
  const setTargets = (targets: readonly ServiceTarget[]) => onChange('targets', JSON.stringify(targets));
  const errorMessages = Object.entries(errors).flatMap(([name, fieldMessages]) =>
    name.startsWith('target') ? fieldMessages : [],
  );
  const changeTarget = (id: number, changes: Partial<ServiceTarget>) =>
    setTargets(targets.map((target) => (target.id === id ? { ...target, ...changes } : target)));
  return (
    <fieldset className="part">
      <legend>{t('services.sections.targets')}</legend>
      <p className="hint">{t('services.targets.hint')}</p>
      <ConflictNote conflicts={conflicts} name="targets" />
      <SortableList
        label={t('services.sections.targets')}
        items={targets}
        onMove={(fromIndex, toIndex) => setTargets(moveItem(targets, fromIndex, toIndex))}
        renderAfterName={({ id, name }) => (
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('ui.removeNamed', { name })}
            onClick={() => setTargets(targets.filter((target) => target.id !== id))}
          />
        )}
      />
      {targets.map((target) => {
        const targetDetails = availableTargets.find(({ id }) => id === target.id);
        return (
          <div key={target.id} className="form form-wide" data-target={target.id}>
            <Field label={t('services.targets.attachmentType', { name: target.name })}>
              {(controlProps) => (
                <Select
                  id={controlProps.id}
                  label={t('services.targets.attachmentType', { name: target.name })}
                  value={target.kind}
                  options={TargetAttachmentType.map((kind) => ({
                    value: kind,
                    label: t(`targets.attachments.${kind}`),
                  }))}
                  onChange={(kind) => changeTarget(target.id, { kind: kind ?? 'required' })}
                />
              )}
            </Field>
            <Field label={t('services.targets.values', { name: target.name })}>
              {(controlProps) =>
                targetDetails?.target_type.selectable ? (
                  <MultiChoice
                    id={controlProps.id}
                    label={t('services.targets.values', { name: target.name })}
                    value={target.values}
                    options={targetDetails.selectable_values.map((value) => ({ value, label: value }))}
                    placeholder={t('services.targets.allValues')}
                    onChange={(values) => changeTarget(target.id, { values })}
                  />
                ) : (
                  <input
                    {...controlProps}
                    className="input"
                    value={target.values[0] ?? ''}
                    placeholder={targetDetails?.placeholder ?? ''}
                    onChange={(event) =>
                      changeTarget(target.id, { values: event.target.value ? [event.target.value] : [] })
                    }
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
        options={availableTargets
          .filter(
            ({ id, target_type }) => target_type.enabled_for_service && !targets.some((target) => target.id === id),
          )
          .map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => {
          const target = availableTargets.find((availableTarget) => availableTarget.id === id);
          if (target) setTargets([...targets, { id: target.id, name: target.name, kind: 'required', values: [] }]);
        }}
      />
      {errorMessages.length > 0 && <small className="field-error">{errorMessages.join(' ')}</small>}
    </fieldset>
  );
}
