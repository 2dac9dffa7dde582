// The controls of settings that need more than one input: secrets, exchange rates, meta tags, and lists of service types.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serviceTypes } from '@/api/lists/service-types';
import { fetchRows } from '@/api/table';
import { normalizeDecimal } from '@/form/decimal';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { MultiChoice } from '@/ui/MultiChoice';

/** Props that connect an input with its label, hint and errors. */
export interface InputProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

interface ControlProps extends InputProps {
  value: unknown;
  onChange: (value: unknown) => void;
}

/**
 * Sets, replaces or removes a secret. The server never returns a secret, only `{ is_set }`. `value` is this object while the secret
 * is unchanged, a string while the user types a new secret, and null after the user has removed the secret.
 */
export function SecretControl({ label, value, onChange, ...inputProps }: ControlProps & { label: string }) {
  const { t } = useTranslation();
  const isSet = (value as { is_set?: boolean } | null)?.is_set === true;
  const [initialValue] = useState(value);
  if (typeof value === 'string') {
    return (
      <div className="secret-field">
        <input
          {...inputProps}
          className="input"
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button variant="plain" label={t('ui.cancel')} onClick={() => onChange(initialValue)} />
      </div>
    );
  }
  const state = value === null ? 'removed' : isSet ? 'set' : 'unset';
  return (
    <div className="secret-field">
      <span data-state={state}>{t(`settings.secret.${state}`)}</span>
      <Button
        id={inputProps.id}
        label={t(isSet ? 'settings.secret.replace' : 'settings.secret.enter')}
        aria-label={`${t(isSet ? 'settings.secret.replace' : 'settings.secret.enter')}: ${label}`}
        onClick={() => onChange('')}
      />
      {isSet && (
        <Button
          variant="plain"
          label={t('settings.secret.remove')}
          aria-label={`${t('settings.secret.remove')}: ${label}`}
          onClick={() => onChange(null)}
        />
      )}
      {value === null && (
        <Button variant="plain" label={t('settings.secret.undoRemoval')} onClick={() => onChange(initialValue)} />
      )}
    </div>
  );
}

interface ExchangeRatesProps extends ControlProps {
  currencies: readonly string[];
}

/** Edits the exchange rates: units of each currency per unit of the panel's currency. Rates are strings, so that no digit is lost. */
export function ExchangeRatesControl({ id, value, onChange, currencies }: ExchangeRatesProps) {
  const { t } = useTranslation();
  const rates = (value ?? {}) as Record<string, string>;
  const setRate = (currency: string, text: string) => {
    const { [currency]: _, ...otherRates } = rates;
    const rate = normalizeDecimal(text);
    onChange(Object.fromEntries(Object.entries(rate ? { ...otherRates, [currency]: rate } : otherRates).sort()));
  };
  // The ruble always comes first.
  const sortedCurrencies = ['RUB', ...currencies.filter((currency) => currency !== 'RUB')];
  return (
    <div className="rates" id={id}>
      {sortedCurrencies.map((currency) => (
        <label key={currency}>
          <span>{currency}</span>
          <input
            className="input"
            inputMode="decimal"
            aria-label={t('settings.rateOf', { currency })}
            value={rates[currency] ?? ''}
            onChange={(event) => setRate(currency, event.target.value)}
          />
        </label>
      ))}
    </div>
  );
}

interface MetaTag {
  name: string;
  content: string;
}

export function MetaTagsControl({ id, value, onChange }: ControlProps) {
  const { t } = useTranslation();
  const tags = (value ?? []) as readonly MetaTag[];
  const changeTag = (changedIndex: number, changes: Partial<MetaTag>) =>
    onChange(tags.map((tag, index) => (index === changedIndex ? { ...tag, ...changes } : tag)));
  return (
    <div className="tags" id={id}>
      {tags.map((tag, index) => (
        <div key={index} className="tags-one">
          <input
            className="input"
            aria-label={t('settings.tag.name', { number: index + 1 })}
            placeholder="description"
            value={tag.name}
            onChange={(event) => changeTag(index, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={t('settings.tag.content', { number: index + 1 })}
            value={tag.content}
            onChange={(event) => changeTag(index, { content: event.target.value })}
          />
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('settings.tag.remove', { number: index + 1 })}
            onClick={() => onChange(tags.filter((otherTag) => otherTag !== tag))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        label={t('settings.tag.add')}
        onClick={() => onChange([...tags, { name: '', content: '' }])}
      />
    </div>
  );
}

/** Selects service types by name. Staff without the permission to view service types enter ids. */
export function ServiceTypesControl({ id, label, value, onChange }: ControlProps & { label: string }) {
  const hasPermission = useHasPermission();
  const canViewTypes = hasPermission('view services', 'manage service types');
  const selectedIds = (value ?? []) as readonly number[];
  const { data: types = [] } = useQuery({
    queryKey: ['service-types', 'names'],
    enabled: canViewTypes,
    queryFn: ({ signal }) => fetchRows(serviceTypes, 1000, signal),
  });
  if (!canViewTypes) {
    const parseIds = (text: string) => text.split(/[\s,]+/).flatMap((part) => (Number(part) > 0 ? [Number(part)] : []));
    return (
      <input
        id={id}
        className="input"
        inputMode="numeric"
        defaultValue={selectedIds.join(', ')}
        onChange={(event) => onChange(parseIds(event.target.value))}
      />
    );
  }
  return (
    <MultiChoice
      id={id}
      label={label}
      value={selectedIds}
      options={types.map((type) => ({ value: type.id, label: type.name }))}
      onChange={onChange}
      hasSearchField
      maxShownValues={3}
    />
  );
}
