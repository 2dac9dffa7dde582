// The dialog that creates or edits a target: its texts, its type, and the values that customers can select.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { checkbox, id, lines, parseLines, texts } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm } from '@/form/spec';
import { MultiChoice } from '@/ui/MultiChoice';
import { useCountries } from '../services/calls';
import { fetchTarget, type TargetType, useTarget, useTargetTypes } from './calls';

interface Props {
  id: number | null;
  onClose: () => void;
  onDone: () => void;
}

export function TargetForm(props: Props) {
  const { t } = useTranslation();
  const target = useTarget(props.id);
  const types = useTargetTypes();
  if ((props.id !== null && !target.data) || !types.data) {
    const title = t(props.id === null ? 'targets.create' : 'targets.edit');
    return <LoadErrorDialog title={title} queries={[target, types]} onClose={props.onClose} />;
  }
  return <TargetFormDialog {...props} target={target.data ?? null} types={types.data} />;
}

const TARGET_FORM = defineForm<Schemas['TargetInput']>()({
  translations: texts,
  target_type_id: omitIfEmpty(id),
  selectable_values: lines,
  is_visible_default_values: checkbox,
});

function TargetFormDialog({
  target,
  types,
  onClose,
  onDone,
}: Props & { target: Schemas['Target'] | null; types: readonly TargetType[] }) {
  const { t } = useTranslation();
  const countries = useCountries();
  const typeOf = (id: string | undefined) => types.find((type) => String(type.id) === id);
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('serviceTypes.texts.label'),
      texts: [
        { name: 'name', label: t('targets.columns.name'), maxLength: 100 },
        { name: 'placeholder', label: t('targets.placeholder'), maxLength: 255 },
      ],
    },
    {
      name: 'target_type_id',
      label: t('targets.type'),
      options: types.map((type) => ({
        value: String(type.id),
        label: `${t(`targets.about.${type.name}`)} · ${t(`targets.views.${type.view_type}`)}`,
      })),
      ...(target?.is_system ? { hint: t('targets.systemHint') } : {}),
    },
    {
      name: 'selectable_values',
      label: t('targets.values'),
      hint: t('targets.valuesHint'),
      render: ({ id, value, onChange, values }) => {
        const type = typeOf(values.target_type_id);
        if (type?.name === 'geotargeting') {
          return (
            <MultiChoice
              id={id}
              label={t('targets.values')}
              value={parseLines(value)}
              options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
              onChange={(selected) => onChange(lines.format(selected))}
              searchable
            />
          );
        }
        return (
          <textarea
            id={id}
            className="input"
            rows={4}
            value={value}
            disabled={!type?.selectable}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      },
    },
    { name: 'is_visible_default_values', label: t('targets.columns.visible') },
  ];
  return (
    <FormDialog
      title={t(target ? 'targets.edit' : 'targets.create')}
      confirmLabel={t('ui.save')}
      fields={fields}
      spec={TARGET_FORM}
      initial={TARGET_FORM.toValues(target ?? {})}
      reload={target ? async () => TARGET_FORM.toValues(await fetchTarget(target.id)) : undefined}
      send={({ values, base }, key) => {
        const isSelectable = typeOf(values.target_type_id)?.selectable;
        const body = { ...TARGET_FORM.toBody(values, base), ...(isSelectable ? {} : { selectable_values: [] }) };
        return unwrap(
          target
            ? api.PUT('/api/v1/admin/targets/{id}', { params: { path: { id: target.id } }, body })
            : api.POST('/api/v1/admin/targets', { body, ...withIdempotencyKey(key) }),
        );
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
