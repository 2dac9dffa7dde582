// Makes or changes a label: its icon, its name in every language, and the services that have it. The one for custom
// comments first says which services take comments because of it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { image, rows, rowsIn, texts, tick } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { formOf } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/Field';
import { ServicePicker } from '@/ui/ServicePicker';
import { UsedBy } from './UsedBy';

type Named = Pick<Schemas['ServiceRow'], 'id' | 'name'>;

const services = rows<number, Named>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);
const LABEL = formOf<Schemas['LabelInput']>()({ translations: texts, services, is_custom_comments: tick });
/** A picture is sent only where another was chosen. */
const ICON = formOf<Schemas['LabelInput']>()({ icon: image });
const SPEC = { codecs: { ...LABEL.codecs, ...ICON.codecs } };

const valuesOf = (label: Schemas['Label'] | null) => ({
  ...LABEL.valuesOf(label ?? {}),
  ...ICON.valuesOf({ icon: label?.icon ?? null }),
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
  const [warned, setWarned] = useState(!label?.is_custom_comments);
  const query = useQuery({
    queryKey: ['labels', 'one', label?.id],
    enabled: label !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(label?.id ?? 0),
  });
  if (label && !warned) {
    return (
      <Dialog
        role="alertdialog"
        title={t('labels.editOne', { name: label.name })}
        onClose={onClose}
        footer={
          <>
            <Button label={t('ui.cancel')} onClick={onClose} />
            <Button look="filled" label={t('labels.goOn')} onClick={() => setWarned(true)} data-autofocus />
          </>
        }
      >
        <p>{t('labels.customWarning')}</p>
        <UsedBy id={label.id} />
      </Dialog>
    );
  }
  if (label && !query.data) {
    return <NotLoaded title={t('labels.editOne', { name: label.name })} queries={[query]} onClose={onClose} />;
  }
  return <Form {...props} before={query.data ?? null} />;
}

function Form({ before, onClose, onDone }: Props & { before: Schemas['Label'] | null }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(before ? 'labels.edit' : 'labels.create')}
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
          row: true,
          draw: ({ value, onChange }) => <Services value={value} onChange={onChange} />,
        },
        { name: 'is_custom_comments', label: t('labels.customComments') },
      ]}
      spec={SPEC}
      initial={valuesOf(before)}
      reload={before ? async () => valuesOf(await read(before.id)) : undefined}
      // A service that gets or loses the label elsewhere leaves its stamp as it is.
      unguarded={['services']}
      send={({ values, base }, key) => {
        const icon = ICON.changesOf(values, base);
        // The services are one list: it is sent only where the person changed it.
        const changes = { ...LABEL.changesOf(values, base), ...icon };
        const body = { ...LABEL.wholeOf(values), ...icon };
        return unwrap(
          before
            ? api.PUT('/api/v1/admin/services/labels/{id}', { params: { path: { id: before.id } }, body: changes })
            : api.POST('/api/v1/admin/services/labels', { body, ...keyed(key) }),
        );
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function Services({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const chosen = rowsIn<Named>(value);
  const set = (all: readonly Named[]) => onChange(services.format(all));
  return (
    <>
      <Field label={t('labels.services')}>
        {(given) => (
          <ServicePicker
            id={given.id}
            label={t('labels.services')}
            value={null}
            onChange={(service) => service && set([...chosen.filter(({ id }) => id !== service.id), service])}
          />
        )}
      </Field>
      <ul className="used-by">
        {chosen.map(({ id, name }) => (
          <li key={id}>
            {id} · {name}
            <Button
              look="plain"
              iconOnly
              icon="times"
              label={t('services.removeProvider', { name })}
              onClick={() => set(chosen.filter((one) => one.id !== id))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
