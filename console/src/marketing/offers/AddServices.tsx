// Picks what comes into the auto-promotion: single services, or all on sale of a service type.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog } from '@/ui/FormDialog';
import { ServicePicker } from '@/ui/ServicePicker';
import { toast } from '@/ui/toasts';
import { asShare } from '../calls';
import { InOrder, sentIds } from './InOrder';

const PATH = '/api/v1/admin/auto-promotions';

interface Props {
  onClose: () => void;
  onDone: () => void;
}

export function AddServices({ onClose, onDone }: Props) {
  const { t } = useTranslation();
  const { data: types } = useQuery({
    queryKey: ['auto-promotion', 'types'],
    queryFn: async () => (await told(api.GET(`${PATH}/service-types`))).data,
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
          row: true,
          draw: ({ value, onChange }) => (
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
          mode: 'decimal',
          hint: t('promotion.marginHint'),
        },
      ]}
      initial={{ services: '[]' }}
      onClose={onClose}
      onSave={async ({ type, services = '[]', resale_margin_percent: margin = '' }) => {
        const ids = sentIds(services);
        const body = {
          ...(ids.length > 0 || !type ? { services: ids } : { service_type_id: Number(type) }),
          ...(margin.trim() ? { resale_margin_percent: asShare(margin) } : {}),
        } as Schemas['PromotedServicesInput'];
        const { data } = await told(api.POST(`${PATH}/services`, { body }));
        toast({ tone: 'success', text: t('promotion.added', { count: data.length }) });
        onDone();
      }}
    />
  );
}
