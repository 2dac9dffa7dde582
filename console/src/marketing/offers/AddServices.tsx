// Picks what comes into the auto-promotion: single services, or all on sale of a service type.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { omitIfEmpty } from '@/form/codec';
import { percent } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { ServicePicker } from '@/ui/ServicePicker';
import { InOrder, named } from './InOrder';

const PATH = '/api/v1/admin/auto-promotions';

const ADDED = defineForm<Schemas['PromotedServicesInput']>()({
  services: named,
  resale_margin_percent: omitIfEmpty(percent),
});

interface Props {
  onClose: () => void;
  onDone: () => void;
}

export function AddServices({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const { data: types } = useQuery({
    queryKey: ['auto-promotion', 'types'],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/service-types`))).data,
  });
  const options = (types ?? []).map(({ id, name, network, other_services_count: others }) => ({
    value: String(id),
    label: `${network.name} · ${name} (+${others})`,
  }));
  return (
    <FormDialog
      title={t('promotion.add')}
      confirm={t('promotion.addThem')}
      fields={[
        { name: 'type', label: t('promotion.wholeType'), options, hint: t('promotion.wholeTypeHint') },
        {
          name: 'services',
          label: t('promotion.services'),
          fullWidth: true,
          render: ({ value, onChange }) => (
            <InOrder label={t('promotion.services')} value={value} onChange={onChange}>
              {(add) => (
                <ServicePicker label={t('offers.addService')} value={null} onChange={(hit) => hit && add(hit)} />
              )}
            </InOrder>
          ),
        },
        {
          name: 'resale_margin_percent',
          label: t('promotion.margin'),
          hint: t('promotion.marginHint'),
        },
      ]}
      spec={ADDED}
      initial={{ services: '[]' }}
      send={({ values }, key) => {
        const { services = [], ...margin } = ADDED.toBody(values);
        const isOfType = services?.length === 0 && values.type;
        const body = { ...margin, ...(isOfType ? { service_type_id: Number(values.type) } : { services }) };
        return unwrap(api.POST(`${PATH}/services`, { body, ...withIdempotencyKey(key) }));
      }}
      success={({ data }) => t('promotion.added', { count: data.length })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
