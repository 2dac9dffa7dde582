// Choices of an import: network, service type of a network, promotable checker group, type of a package. Plain selects, as a
// page of lines has dozens of them.
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PackageType as PackageTypes } from '@/api/words';
import { useNetworks, useServiceTypesOf } from '@/catalogue/networks/calls';
import { useCheckerGroups } from '@/catalogue/targets/calls';
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

interface ChoiceProps<Id extends string | number> {
  label: string;
  value: Id | null;
  wrong?: readonly string[];
  /** What stands for none; without it one is always chosen. */
  placeholder?: string;
  options: readonly { id: Id; name: string }[];
  onChange: (value: Id | null) => void;
}

function Choice<Id extends string | number>(props: ChoiceProps<Id>) {
  const { label, value, wrong = [], placeholder, options, onChange } = props;
  const errorId = useId();
  return (
    <>
      <select
        className="input"
        aria-label={label}
        aria-invalid={wrong.length > 0 || undefined}
        {...(wrong.length > 0 ? { 'aria-describedby': errorId } : {})}
        value={value ?? ''}
        onChange={({ target }) => onChange(options.find(({ id }) => String(id) === target.value)?.id ?? null)}
      >
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {wrong.length > 0 && (
        <small id={errorId} className="field-error">
          {wrong.join(' ')}
        </small>
      )}
    </>
  );
}

/** A select below its label; the select names itself, as a line has one of its own. */
export function SelectField({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        {label}
      </span>
      {children}
    </div>
  );
}

export function NetworkSelect({ placeholder, ...props }: Props) {
  const { t } = useTranslation();
  const { data = [] } = useNetworks();
  return <Choice {...props} placeholder={placeholder ?? t('panelServices.chooseNetwork')} options={data} />;
}

export function TypeSelect({ network, placeholder, ...props }: Props & { network: number | null }) {
  const { t } = useTranslation();
  const { data = [] } = useServiceTypesOf(network);
  return <Choice {...props} placeholder={placeholder ?? t('panelServices.chooseType')} options={data} />;
}

export function GroupSelect({ placeholder = '–', ...props }: Props) {
  const { data = [] } = useCheckerGroups();
  return <Choice {...props} placeholder={placeholder} options={data} />;
}

/** What happens when a package is bought. */
export function PackageTypeSelect({ onChange, ...props }: TypeProps) {
  const { t } = useTranslation();
  const options = PackageTypes.map((id) => ({ id, name: t(`packages.kinds.${id}`) }));
  return <Choice<PackageType> {...props} options={options} onChange={(type) => type && onChange(type)} />;
}
