// Selects of the import dialogs: network, service type, promotable checker group and package type. They are native selects,
// because a page of lines has dozens of them.
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PackageType as PackageTypes } from '@/api/enums';
import { useNetworks, useServiceTypesOfNetwork } from '@/catalogue/networks/requests';
import { useCheckerGroups } from '@/catalogue/targets/requests';
import type { PackageType } from './packages';

interface RecordSelectProps {
  label: string;
  value: number | null;
  errors?: readonly string[];
  placeholder?: string;
  onChange: (value: number | null) => void;
}

interface PackageTypeSelectProps {
  label: string;
  value: PackageType;
  errors?: readonly string[];
  onChange: (value: PackageType) => void;
}

interface NativeSelectProps<Id extends string | number> {
  label: string;
  value: Id | null;
  errors?: readonly string[];
  /** The text of the empty option. Without a placeholder the select has no empty option, so a value is always selected. */
  placeholder?: string;
  options: readonly { id: Id; name: string }[];
  onChange: (value: Id | null) => void;
}

function NativeSelect<Id extends string | number>(props: NativeSelectProps<Id>) {
  const { label, value, errors = [], placeholder, options, onChange } = props;
  const errorId = useId();
  return (
    <>
      <select
        className="input"
        aria-label={label}
        aria-invalid={errors.length > 0 || undefined}
        {...(errors.length > 0 ? { 'aria-describedby': errorId } : {})}
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
      {errors.length > 0 && (
        <small id={errorId} className="field-error">
          {errors.join(' ')}
        </small>
      )}
    </>
  );
}

/** A label above a select. Screen readers ignore the label, because the selects in this file have an accessible name already. */
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

export function NetworkSelect({ placeholder, ...props }: RecordSelectProps) {
  const { t } = useTranslation();
  const { data = [] } = useNetworks();
  return <NativeSelect {...props} placeholder={placeholder ?? t('panelServices.chooseNetwork')} options={data} />;
}

/** The service types of one network. */
export function ServiceTypeSelect({
  networkId,
  placeholder,
  ...props
}: RecordSelectProps & { networkId: number | null }) {
  const { t } = useTranslation();
  const { data = [] } = useServiceTypesOfNetwork(networkId);
  return <NativeSelect {...props} placeholder={placeholder ?? t('panelServices.chooseType')} options={data} />;
}

export function CheckerGroupSelect({ placeholder = '–', ...props }: RecordSelectProps) {
  const { data = [] } = useCheckerGroups();
  return <NativeSelect {...props} placeholder={placeholder} options={data} />;
}

export function PackageTypeSelect({ onChange, ...props }: PackageTypeSelectProps) {
  const { t } = useTranslation();
  const options = PackageTypes.map((id) => ({ id, name: t(`packages.kinds.${id}`) }));
  return <NativeSelect<PackageType> {...props} options={options} onChange={(type) => type && onChange(type)} />;
}
