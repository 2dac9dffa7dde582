// A service as a field of a form: found by name or id by those who may see services, else its id is typed.
import { useState } from 'react';
import { type ServiceHit, ServicePicker } from '@/ui/ServicePicker';
import type { FormField } from './DeclaredField';

interface Props {
  id: string;
  label: string;
  invalid: boolean;
  onChange: (id: string) => void;
}

function ServiceField({ onChange, ...given }: Props) {
  const [service, setService] = useState<ServiceHit | null>(null);
  return (
    <ServicePicker
      {...given}
      value={service}
      onChange={(service) => {
        setService(service);
        onChange(service ? String(service.id) : '');
      }}
    />
  );
}

export function serviceField(name: string, label: string, maySee: boolean): FormField {
  if (!maySee) return { name, label, mode: 'numeric' };
  return {
    name,
    label,
    draw: ({ id, onChange, invalid }) => <ServiceField id={id} label={label} invalid={invalid} onChange={onChange} />,
  };
}
