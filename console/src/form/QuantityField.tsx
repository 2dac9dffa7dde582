// How much of something, in the form of an action: a whole number as every form takes it. What is none goes out as it was
// typed, so that the server refuses it too.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/Field';
import { quantity } from './codecs';

interface Props {
  label: string;
  hint: string;
  value: number | null | undefined;
  onChange: (quantity: number | null) => void;
  /** What the server says of it. */
  errors: readonly string[] | undefined;
  /** Whether the form begins with it. */
  first?: true;
}

export function QuantityField({ label, hint, value, onChange, errors, first }: Props) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => quantity.format(value));
  const wrong = quantity.wrong?.(typed);
  return (
    <Field label={label} hint={hint} errors={wrong ? [t(`ui.wrong.${wrong}`)] : errors}>
      {(given) => (
        <input
          {...given}
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
