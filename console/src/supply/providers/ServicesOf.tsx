// The services that a provider delivers, put in and taken out one by one.
import { useTranslation } from 'react-i18next';
import { parseRows, rows } from '@/form/codecs';
import { Button } from '@/ui/Button';
import { ServicePicker } from '@/ui/ServicePicker';

interface Named {
  id: number;
  name: string;
}

const inOrder = rows<number, Named>(
  ({ id }) => id,
  ({ id, name }) => ({ id, name }),
);

/** By id, so that the same services are the same text. */
export const provided: typeof inOrder = {
  ...inOrder,
  format: (services) => inOrder.format([...(services ?? [])].sort((one, other) => one.id - other.id)),
};

export function ServicesOf({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const services = parseRows<Named>(value);
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
            onClick={() => onChange(provided.format(services.filter((one) => one.id !== service.id)))}
          />
        </div>
      ))}
      <ServicePicker
        label={t('discounts.addService')}
        value={null}
        onChange={(hit) => {
          if (hit && !services.some((one) => one.id === hit.id)) onChange(provided.format([...services, hit]));
        }}
      />
    </fieldset>
  );
}
