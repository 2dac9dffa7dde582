// Makes or changes a target: its texts, its kind, and what customers can choose, where they choose.
import { MultiSelect } from 'primereact/multiselect';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { textsOf } from '@/ui/texts';
import { useCountries } from '../services/calls';
import { type TargetType, useTarget, useTargetTypes } from './calls';

interface Props {
  id: number | null;
  onClose: () => void;
  onDone: () => void;
}

export function TargetForm(props: Props) {
  const target = useTarget(props.id);
  const types = useTargetTypes();
  if ((props.id !== null && !target) || !types) return null;
  return <Form {...props} target={target ?? null} types={types} />;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function Form({
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
      mode: 'texts',
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
      draw: ({ id, value, onChange, values }) => {
        const type = typeOf(values.target_type_id);
        if (type?.name === 'geotargeting') {
          return (
            <MultiSelect
              inputId={id}
              aria-label={t('targets.values')}
              value={linesOf(value)}
              options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
              onChange={({ value }) => onChange(((value as string[] | null) ?? []).join('\n'))}
              filter
              display="chip"
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
    { name: 'is_visible_default_values', label: t('targets.columns.visible'), mode: 'tick' },
  ];
  return (
    <FormDialog
      title={t(target ? 'targets.edit' : 'targets.create')}
      confirm={t('ui.save')}
      fields={fields}
      initial={{
        translations: JSON.stringify(target?.translations ?? {}),
        target_type_id: target ? String(target.target_type_id) : '',
        selectable_values: target?.selectable_values.join('\n') ?? '',
        is_visible_default_values: target?.is_visible_default_values ? 'yes' : '',
      }}
      onClose={onClose}
      onSave={async (values) => {
        const chooses = typeOf(values.target_type_id)?.selectable;
        const body = {
          translations: textsOf(values.translations ?? ''),
          ...(values.target_type_id ? { target_type_id: Number(values.target_type_id) } : {}),
          selectable_values: chooses ? linesOf(values.selectable_values ?? '') : [],
          is_visible_default_values: values.is_visible_default_values === 'yes',
          ...(target ? { updated_at: target.updated_at } : {}),
        } as Schemas['TargetInput'];
        await told(
          target
            ? api.PUT('/api/v1/admin/targets/{id}', { params: { path: { id: target.id } }, body })
            : api.POST('/api/v1/admin/targets', { body }),
        );
        onDone();
      }}
    />
  );
}
