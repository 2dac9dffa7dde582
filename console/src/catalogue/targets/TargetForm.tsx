// The dialog that creates or edits a target: its texts, its type, and the values that customers can select.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { checkboxCodec, idCodec, linesCodec, parseLines, translationsCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm } from '@/form/spec';
import { MultiChoice } from '@/ui/MultiChoice';
import { useCountries } from '../services/requests';
import { fetchTarget, type TargetType, useTarget, useTargetTypes } from './requests';

interface Props {
  id: number | null;
  onClose: () => void;
  onDone: () => void;
}

export function TargetForm(props: Props) {
  const { t } = useTranslation();
  const targetQuery = useTarget(props.id);
  const typesQuery = useTargetTypes();
  if ((props.id !== null && !targetQuery.data) || !typesQuery.data) {
    const title = t(props.id === null ? 'targets.create' : 'targets.edit');
    return <LoadErrorDialog title={title} queries={[targetQuery, typesQuery]} onClose={props.onClose} />;
  }
  return <TargetFormDialog {...props} target={targetQuery.data ?? null} types={typesQuery.data} />;
}

const TARGET_FORM = defineForm<Schemas['TargetInput']>()({
  translations: translationsCodec,
  target_type_id: omitIfEmpty(idCodec),
  selectable_values: linesCodec,
  is_visible_default_values: checkboxCodec,
});

function TargetFormDialog({
  target,
  types,
  onClose,
  onDone,
}: Props & { target: Schemas['Target'] | null; types: readonly TargetType[] }) {
  const { t } = useTranslation();
  const countries = useCountries();
  const findTargetType = (id: string | undefined) => types.find((type) => String(type.id) === id);
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
        const type = findTargetType(values.target_type_id);
        if (type?.name === 'geotargeting') {
          return (
            <MultiChoice
              id={id}
              label={t('targets.values')}
              value={parseLines(value)}
              options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
              onChange={(countryCodes) => onChange(linesCodec.format(countryCodes))}
              hasSearchField
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
      initialValues={TARGET_FORM.toValues(target ?? {})}
      reload={target ? async () => TARGET_FORM.toValues(await fetchTarget(target.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const isSelectable = findTargetType(values.target_type_id)?.selectable;
        const body = { ...TARGET_FORM.toBody(values, base), ...(isSelectable ? {} : { selectable_values: [] }) };
        return unwrap(
          target
            ? api.PUT('/api/v1/admin/targets/{id}', { params: { path: { id: target.id } }, body })
            : api.POST('/api/v1/admin/targets', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
