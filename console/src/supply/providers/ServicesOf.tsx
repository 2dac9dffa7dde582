// The services that a provider delivers, put in and taken out one by one.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ServicePicker } from '@/ui/ServicePicker';

export interface Named {
  id: number;
  name: string;
}

export const servicesIn = (value: string | undefined) => JSON.parse(value || '[]') as readonly Named[];

/** By id, so that the same services are the same text. */
export const servicesOut = (services: readonly Named[]) =>
  JSON.stringify(services.map(({ id, name }) => ({ id, name })).sort((one, other) => one.id - other.id));

export function ServicesOf({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const services = servicesIn(value);
  return (
    <fieldset className="part lines">
      <legend>{t('providers.columns.services')}</legend>
      {services.map((service) => (
        <div key={service.id} className="line" data-id={service.id}>
          <span className="line-name">
            {service.name} <small className="none">{service.id}</small>
          </span>
          <Button
            look="plain"
            iconOnly
            icon="times"
            label={t('discounts.remove', { name: service.name })}
            onClick={() => onChange(servicesOut(services.filter((one) => one.id !== service.id)))}
          />
        </div>
      ))}
      <ServicePicker
        label={t('discounts.addService')}
        value={null}
        onChange={(hit) => {
          if (hit && !services.some((one) => one.id === hit.id)) onChange(servicesOut([...services, hit]));
        }}
      />
    </fieldset>
  );
}
