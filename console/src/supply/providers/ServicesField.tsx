// The form field with the services that a provider delivers.
import { useTranslation } from 'react-i18next';
import { parseRows, rowsCodec } from '@/form/codecs';
import { Button } from '@/ui/Button';
import { ServicePicker } from '@/ui/ServicePicker';

interface ServiceOption {
  id: number;
  name: string;
}

const servicesCodec = rowsCodec<number, ServiceOption>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);

/** Sorts the services by id, so that the form does not treat the same services in another sequence as a change. */
export const providerServicesCodec: typeof servicesCodec = {
  ...servicesCodec,
  format: (services) => servicesCodec.format([...(services ?? [])].sort((a, b) => a.id - b.id)),
};

export function ServicesField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const services = parseRows<ServiceOption>(value);
  return (
    <fieldset className="part lines">
      <legend>{t('providers.columns.services')}</legend>
      {services.map((service) => (
        <div key={service.id} className="line" data-id={service.id}>
          <span className="line-name">
            {service.name} <small className="none">{service.id}</small>
          </span>
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('discounts.remove', { name: service.name })}
            onClick={() => onChange(providerServicesCodec.format(services.filter(({ id }) => id !== service.id)))}
          />
        </div>
      ))}
      <ServicePicker
        label={t('discounts.addService')}
        value={null}
        onChange={(service) => {
          if (service && !services.some(({ id }) => id === service.id))
            onChange(providerServicesCodec.format([...services, service]));
        }}
      />
    </fieldset>
  );
}
