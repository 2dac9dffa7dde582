// A quantity in the form of an action: a whole number. Invalid input is sent as it was typed, so that the server rejects it too.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/Field';
import { quantity } from './codecs';

interface Props {
  label: string;
  hint: string;
  value: number | null | undefined;
  onChange: (quantity: number | null) => void;
  /** The server's errors for the field. */
  errors: readonly string[] | undefined;
  /** Whether the field has the initial focus. */
  first?: true;
}

export function QuantityField({ label, hint, value, onChange, errors, first }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => quantity.format(value));
  const error = quantity.validate?.(typed);
  return (
    <Field label={label} hint={hint} errors={error ? [t(`ui.wrong.${error}`)] : errors}>
      {(controlProps) => (
        <input
          {...controlProps}
          className="input"
          inputMode="numeric"
          data-autofocus={first}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(quantity.parse(event.target.value));
          }}
        />
      )}
    </Field>
  );
}
