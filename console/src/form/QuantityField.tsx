// A field for a whole number in the dialog of an action. It passes invalid input to the server unchanged, so that the server
// rejects the request too.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/Field';
import { quantityCodec } from './codecs';

interface Props {
  label: string;
  hint: string;
  value: number | null | undefined;
  onChange: (quantity: number | null) => void;
  /** The server's errors for the field. */
  errors: readonly string[] | undefined;
  autoFocus?: true;
}

export function QuantityField({ label, hint, value, onChange, errors, autoFocus }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => quantityCodec.format(value));
  const error = quantityCodec.validate?.(text);
  return (
    <Field label={label} hint={hint} errors={error ? [t(`ui.invalidInput.${error}`)] : errors}>
      {(controlProps) => (
        <input
          {...controlProps}
          className="input"
          inputMode="numeric"
          data-autofocus={autoFocus}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            onChange(quantityCodec.parse(event.target.value));
          }}
        />
      )}
    </Field>
  );
}
