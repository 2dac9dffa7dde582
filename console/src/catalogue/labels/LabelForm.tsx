// The dialog that creates or edits a label: its icon, its name in every language, and the services that have the label. Services
// accept custom comments only because they have the label for custom comments, so the dialog warns the user before an edit of this
// label, and lists its services.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkboxCodec, imageCodec, parseRows, rowsCodec, translationsCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/Field';
import { ServicePicker } from '@/ui/ServicePicker';
import { LabelServices } from './LabelServices';

type LabelService = Pick<Schemas['ServiceRow'], 'id' | 'name'>;

const labelServicesCodec = rowsCodec<number, LabelService>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);
const LABEL_FORM = defineForm<Schemas['LabelInput']>()({
  translations: translationsCodec,
  services: labelServicesCodec,
  is_custom_comments: checkboxCodec,
});
/** The request contains the image only if the user has selected a new image. */
const ICON_FORM = defineForm<Schemas['LabelInput']>()({ icon: imageCodec });
const LABEL_SPEC = { codecs: { ...LABEL_FORM.codecs, ...ICON_FORM.codecs } };

const toLabelFormValues = (label: Schemas['Label'] | null) => ({
  ...LABEL_FORM.toValues(label ?? {}),
  ...ICON_FORM.toValues({ icon: label?.icon ?? null }),
});

const fetchLabel = async (id: number) =>
  (await unwrap(api.GET('/api/v1/admin/services/labels/{id}', { params: { path: { id } } }))).data;

interface Props {
  /** The label to edit. Null for a new label. */
  label: Schemas['LabelRow'] | null;
  onClose: () => void;
  onDone: () => void;
}

export function LabelForm(props: Props) {
  const { t } = useTranslation();
  const { label, onClose } = props;
  const [isWarningConfirmed, setIsWarningConfirmed] = useState(!label?.is_custom_comments);
  const labelQuery = useQuery({
    queryKey: ['labels', 'detail', label?.id],
    enabled: label !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchLabel(label?.id ?? 0),
  });
  if (label && !isWarningConfirmed) {
    return (
      <Dialog
        role="alertdialog"
        title={t('labels.editNamed', { name: label.name })}
        onClose={onClose}
        footer={
          <>
            <Button label={t('ui.cancel')} onClick={onClose} />
            <Button
              variant="filled"
              label={t('labels.confirmEdit')}
              onClick={() => setIsWarningConfirmed(true)}
              data-autofocus
            />
          </>
        }
      >
        <p>{t('labels.customCommentsWarning')}</p>
        <LabelServices id={label.id} />
      </Dialog>
    );
  }
  if (label && !labelQuery.data) {
    return (
      <LoadErrorDialog title={t('labels.editNamed', { name: label.name })} queries={[labelQuery]} onClose={onClose} />
    );
  }
  return <LabelFormDialog label={labelQuery.data ?? null} onClose={onClose} onDone={props.onDone} />;
}

interface LabelFormDialogProps extends Omit<Props, 'label'> {
  label: Schemas['Label'] | null;
}

function LabelFormDialog({ label, onClose, onDone }: LabelFormDialogProps) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(label ? 'labels.edit' : 'labels.create')}
      confirmLabel={t('ui.save')}
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
      spec={LABEL_SPEC}
      initialValues={toLabelFormValues(label)}
      reload={label ? async () => toLabelFormValues(await fetchLabel(label.id)) : undefined}
      // `updated_at` of the label does not change when another user adds the label to a service or removes it from a service.
      unversionedLists={['services']}
      send={({ values, base }, idempotencyKey) => {
        const icon = ICON_FORM.toPatch(values, base);
        // The server replaces the whole list of services, so an update contains the list only if the user has changed it.
        const changedFields = { ...LABEL_FORM.toPatch(values, base), ...icon };
        const body = { ...LABEL_FORM.toBody(values), ...icon };
        return unwrap(
          label
            ? api.PUT('/api/v1/admin/services/labels/{id}', { params: { path: { id: label.id } }, body: changedFields })
            : api.POST('/api/v1/admin/services/labels', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

function ServicesField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const selectedServices = parseRows<LabelService>(value);
  const setSelected = (services: readonly LabelService[]) => onChange(labelServicesCodec.format(services));
  return (
    <>
      <Field label={t('labels.services')}>
        {({ id }) => (
          <ServicePicker
            id={id}
            label={t('labels.services')}
            value={null}
            onChange={(service) =>
              service && setSelected([...selectedServices.filter(({ id }) => id !== service.id), service])
            }
          />
        )}
      </Field>
      <ul className="used-by">
        {selectedServices.map(({ id, name }) => (
          <li key={id}>
            {id} · {name}
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('ui.removeNamed', { name })}
              onClick={() => setSelected(selectedServices.filter((service) => service.id !== id))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
