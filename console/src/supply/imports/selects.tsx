// Choices of an import: network, service type of a network, promotable checker group, type of a package. Plain selects: a page of lines has
// dozens of them.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNetworks, useTypesOf } from '@/catalogue/networks/calls';
import { useGroups } from '@/catalogue/targets/calls';
import type { PackageType } from './packages';

interface Props {
  label: string;
  value: number | null;
  wrong?: readonly string[];
  placeholder?: string;
  onChange: (value: number | null) => void;
}

interface TypeProps {
  label: string;
  value: PackageType;
  wrong?: readonly string[];
  onChange: (value: PackageType) => void;
}

interface ChoiceProps extends Props {
  placeholder: string;
  options: readonly { id: number; name: string }[];
}

function Choice({ label, value, wrong = [], placeholder, options, onChange }: ChoiceProps) {
  const told = useId();
  return (
    <>
      <select
        className="input"
        aria-label={label}
        aria-invalid={wrong.length > 0 || undefined}
        {...(wrong.length > 0 ? { 'aria-describedby': told } : {})}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value ? Number(event.target.value) : null)}
      >
        <option value="">{placeholder}</option>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {wrong.length > 0 && (
        <small id={told} className="field-error">
          {wrong.join(' ')}
        </small>
      )}
    </>
  );
}

export function NetworkSelect({ placeholder, ...props }: Props) {
  const { t } = useTranslation();
  const { data = [] } = useNetworks();
  return <Choice {...props} placeholder={placeholder ?? t('panelServices.chooseNetwork')} options={data} />;
}

export function TypeSelect({ network, placeholder, ...props }: Props & { network: number | null }) {
  const { t } = useTranslation();
  const { data = [] } = useTypesOf(network);
  return <Choice {...props} placeholder={placeholder ?? t('panelServices.chooseType')} options={data} />;
}

export function GroupSelect({ placeholder = '–', ...props }: Props) {
  const { data = [] } = useGroups();
  return <Choice {...props} placeholder={placeholder} options={data} />;
}

/** What happens when a package is bought. */
export function PackageTypeSelect({ label, value, wrong = [], onChange }: TypeProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <>
      <select
        className="input"
        aria-label={label}
        aria-invalid={wrong.length > 0 || undefined}
        {...(wrong.length > 0 ? { 'aria-describedby': id } : {})}
        value={value}
        onChange={(event) => onChange(event.target.value as PackageType)}
      >
        {(['auto', 'manual'] as const).map((kind) => (
          <option key={kind} value={kind}>
            {t(`packages.kinds.${kind}`)}
          </option>
        ))}
      </select>
      {wrong.length > 0 && (
        <small id={id} className="field-error">
          {wrong.join(' ')}
        </small>
      )}
    </>
  );
}
