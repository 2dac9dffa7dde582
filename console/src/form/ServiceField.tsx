// Creates a form field for a service: a picker for staff who may view services, and an input for the service id for other staff.
import { useState } from 'react';
import { ServicePicker, type ServiceSearchResult } from '@/ui/ServicePicker';
import type { FormField } from './FormFieldControl';

interface Props {
  id: string;
  label: string;
  invalid: boolean;
  onChange: (id: string) => void;
}

function ServiceField({ onChange, ...pickerProps }: Props) {
  const [service, setService] = useState<ServiceSearchResult | null>(null);
  return (
    <ServicePicker
      {...pickerProps}
      value={service}
      onChange={(service) => {
        setService(service);
        onChange(service ? String(service.id) : '');
      }}
    />
  );
}

export function createServiceField(name: string, label: string, canViewServices: boolean): FormField {
  if (!canViewServices) return { name, label, mode: 'numeric' };
  return {
    name,
    label,
    render: ({ id, onChange, invalid }) => <ServiceField id={id} label={label} invalid={invalid} onChange={onChange} />,
  };
}
