// The dialog that creates or edits a label: its icon, its name in every language, and the services that have it. Before the
// label for custom comments is edited, the dialog lists the services that accept comments because of it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkbox, image, parseRows, rows, texts } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/Field';
import { ServicePicker } from '@/ui/ServicePicker';
import { LabelServices } from './LabelServices';

type LabelService = Pick<Schemas['ServiceRow'], 'id' | 'name'>;

const services = rows<number, LabelService>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);
const LABEL = defineForm<Schemas['LabelInput']>()({ translations: texts, services, is_custom_comments: checkbox });
/** The image is sent only when the person chose another one. */
const ICON = defineForm<Schemas['LabelInput']>()({ icon: image });
const SPEC = { codecs: { ...LABEL.codecs, ...ICON.codecs } };

const valuesOf = (label: Schemas['Label'] | null) => ({
  ...LABEL.toValues(label ?? {}),
  ...ICON.toValues({ icon: label?.icon ?? null }),
});

const read = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/services/labels/{id}', { params: { path: { id } } }))).data;

interface Props {
  label: Schemas['LabelRow'] | null;
  onClose: () => void;
  onDone: () => void;
}

export function LabelForm(props: Props) {
  const { t } = useTranslation();
  const { label, onClose } = props;
  const [isConfirmed, setConfirmed] = useState(!label?.is_custom_comments);
  const query = useQuery({
    queryKey: ['labels', 'one', label?.id],
    enabled: label !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(label?.id ?? 0),
  });
  if (label && !isConfirmed) {
    return (
      <Dialog
        role="alertdialog"
        title={t('labels.editOne', { name: label.name })}
        onClose={onClose}
        footer={
          <>
            <Button label={t('ui.cancel')} onClick={onClose} />
            <Button variant="filled" label={t('labels.goOn')} onClick={() => setConfirmed(true)} data-autofocus />
          </>
        }
      >
        <p>{t('labels.customWarning')}</p>
        <LabelServices id={label.id} />
      </Dialog>
    );
  }
  if (label && !query.data) {
    return <NotLoaded title={t('labels.editOne', { name: label.name })} queries={[query]} onClose={onClose} />;
  }
  return <LabelFormDialog {...props} current={query.data ?? null} />;
}

function LabelFormDialog({ current, onClose, onDone }: Props & { current: Schemas['Label'] | null }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(current ? 'labels.edit' : 'labels.create')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'translations',
          label: t('serviceTypes.texts.label'),
          texts: [{ name: 'name', label: t('labels.name'), maxLength: 100 }],
        },
        { name: 'icon', label: t('labels.icon') },
        {
          name: 'services',
          label: t('labels.services'),
          fullWidth: true,
          render: ({ value, onChange }) => <ServicesField value={value} onChange={onChange} />,
        },
        { name: 'is_custom_comments', label: t('labels.customComments') },
      ]}
      spec={SPEC}
      initial={valuesOf(current)}
      reload={current ? async () => valuesOf(await read(current.id)) : undefined}
      // `updated_at` of the label does not change when a service gets or loses the label elsewhere.
      unversionedLists={['services']}
      send={({ values, base }, key) => {
        const icon = ICON.toPatch(values, base);
        // The server replaces the whole list of services, so the list is sent only when the person changed it.
        const changes = { ...LABEL.toPatch(values, base), ...icon };
        const body = { ...LABEL.toBody(values), ...icon };
        return unwrap(
          current
            ? api.PUT('/api/v1/admin/services/labels/{id}', { params: { path: { id: current.id } }, body: changes })
            : api.POST('/api/v1/admin/services/labels', { body, ...withIdempotencyKey(key) }),
        );
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function ServicesField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const selected = parseRows<LabelService>(value);
  const set = (all: readonly LabelService[]) => onChange(services.format(all));
  return (
    <>
      <Field label={t('labels.services')}>
        {(control) => (
          <ServicePicker
            id={control.id}
            label={t('labels.services')}
            value={null}
            onChange={(service) => service && set([...selected.filter(({ id }) => id !== service.id), service])}
          />
        )}
      </Field>
      <ul className="used-by">
        {selected.map(({ id, name }) => (
          <li key={id}>
            {id} · {name}
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('services.removeProvider', { name })}
              onClick={() => set(selected.filter((one) => one.id !== id))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
