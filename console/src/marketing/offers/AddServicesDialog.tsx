// The dialog that adds services to the auto-promotion: either selected services, or all services on sale of a service type.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { fractionAsPercentCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { ServicePicker } from '@/ui/ServicePicker';
import { namedRecordsCodec, SortableRecordsField } from './SortableRecordsField';

const AUTO_PROMOTIONS_PATH = '/api/v1/admin/auto-promotions';

const ADD_SERVICES_FORM = defineForm<Schemas['AutoPromotionServicesInput']>()({
  services: namedRecordsCodec,
  resale_margin_fraction: omitIfEmpty(fractionAsPercentCodec),
});

interface Props {
  onClose: () => void;
  onDone: () => void;
}

export function AddServicesDialog({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const { data: types } = useQuery({
    queryKey: ['auto-promotion', 'types'],
    queryFn: async () => (await unwrap(api.GET(`${AUTO_PROMOTIONS_PATH}/service-types`))).data,
  });
  const typeOptions = (types ?? []).map(({ id, name, network, other_services_count: addableCount }) => ({
    value: String(id),
    label: `${network.name} · ${name} (+${addableCount})`,
  }));
  return (
    <FormDialog
      title={t('promotion.add')}
      confirmLabel={t('promotion.confirmAdd')}
      fields={[
        { name: 'type', label: t('promotion.wholeType'), options: typeOptions, hint: t('promotion.wholeTypeHint') },
        {
          name: 'services',
          label: t('promotion.services'),
          fullWidth: true,
          render: ({ value, onChange }) => (
            <SortableRecordsField label={t('promotion.services')} value={value} onChange={onChange}>
              {(addRecord) => (
                <ServicePicker
                  label={t('offers.addService')}
                  value={null}
                  onChange={(service) => service && addRecord(service)}
                />
              )}
            </SortableRecordsField>
          ),
        },
        {
          name: 'resale_margin_fraction',
          label: t('promotion.margin'),
          hint: t('promotion.marginHint'),
        },
      ]}
      spec={ADD_SERVICES_FORM}
      initialValues={{ services: '[]' }}
      send={({ values }, idempotencyKey) => {
        const { services = [], ...margin } = ADD_SERVICES_FORM.toBody(values);
        // Selected services take precedence over a selected type, because the server ignores the type if the body contains `services`.
        const addsWholeType = services?.length === 0 && values.type;
        const body = { ...margin, ...(addsWholeType ? { service_type_id: Number(values.type) } : { services }) };
        return unwrap(api.POST(`${AUTO_PROMOTIONS_PATH}/services`, { body, ...withIdempotencyKey(idempotencyKey) }));
      }}
      successMessage={({ data }) => t('promotion.servicesAdded', { count: data.length })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
