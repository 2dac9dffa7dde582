// Controls of settings that are no single text: secrets, exchange rates, meta tags, lists of service types.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serviceTypes } from '@/api/lists/service-types';
import { fetchRows } from '@/api/table';
import { normalizeDecimal } from '@/form/decimal';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { MultiChoice } from '@/ui/MultiChoice';

interface Given {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

interface Shared extends Given {
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A secret is only ever set, replaced or removed: nobody reads it again. */
export function Secret({ label, value, onChange, ...given }: Shared & { label: string }) {
  const { t } = useTranslation();
  const typed = typeof value === 'string';
  const isSet = (value as { is_set?: boolean } | null)?.is_set === true;
  const [before] = useState(value);
  if (typed) {
    return (
      <div className="secret-field">
        <input
          {...given}
          className="input"
          type="password"
          autoComplete="new-password"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        <Button variant="plain" label={t('ui.cancel')} onClick={() => onChange(before)} />
      </div>
    );
  }
  const state = value === null ? 'removed' : isSet ? 'set' : 'unset';
  return (
    <div className="secret-field">
      <span data-state={state}>{t(`settings.secret.${state}`)}</span>
      <Button
        id={given.id}
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
      {value === null && <Button variant="plain" label={t('settings.secret.keep')} onClick={() => onChange(before)} />}
    </div>
  );
}

/** How many units of each currency one unit of the panel's own is; texts, so that no digit is lost. */
export function Rates({ id, value, onChange, currencies }: Shared & { currencies: readonly string[] }) {
  const { t } = useTranslation();
  const rates = (value ?? {}) as Record<string, string>;
  const change = (currency: string, text: string) => {
    const { [currency]: _, ...others } = rates;
    const typed = normalizeDecimal(text);
    onChange(Object.fromEntries(Object.entries(typed ? { ...others, [currency]: typed } : others).sort()));
  };
  const order = ['RUB', ...currencies.filter((currency) => currency !== 'RUB')];
  return (
    <div className="rates" id={id}>
      {order.map((currency) => (
        <label key={currency}>
          <span>{currency}</span>
          <input
            className="input"
            inputMode="decimal"
            aria-label={t('settings.rateOf', { currency })}
            value={rates[currency] ?? ''}
            onChange={(event) => change(currency, event.target.value)}
          />
        </label>
      ))}
    </div>
  );
}

interface Tag {
  name: string;
  content: string;
}

export function Tags({ id, value, onChange }: Shared) {
  const { t } = useTranslation();
  const tags = (value ?? []) as readonly Tag[];
  const put = (at: number, tag: Partial<Tag>) =>
    onChange(tags.map((old, place) => (place === at ? { ...old, ...tag } : old)));
  return (
    <div className="tags" id={id}>
      {tags.map((tag, at) => (
        <div key={at} className="tags-one">
          <input
            className="input"
            aria-label={t('settings.tag.name', { at: at + 1 })}
            placeholder="description"
            value={tag.name}
            onChange={(event) => put(at, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={t('settings.tag.content', { at: at + 1 })}
            value={tag.content}
            onChange={(event) => put(at, { content: event.target.value })}
          />
          <Button
            variant="plain"
            iconOnly
            icon="times"
            label={t('settings.tag.remove', { at: at + 1 })}
            onClick={() => onChange(tags.filter((_, place) => place !== at))}
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

/** Service types by name; by number for who may not see them. */
export function Ids({ id, label, value, onChange }: Shared & { label: string }) {
  const may = useHasPermission();
  const sees = may('view services', 'manage service types');
  const chosen = (value ?? []) as readonly number[];
  const { data = [] } = useQuery({
    queryKey: ['service-types', 'names'],
    enabled: sees,
    queryFn: ({ signal }) => fetchRows(serviceTypes, 1000, signal),
  });
  if (!sees) {
    const ids = (text: string) => text.split(/[\s,]+/).flatMap((part) => (Number(part) > 0 ? [Number(part)] : []));
    return (
      <input
        id={id}
        className="input"
        inputMode="numeric"
        defaultValue={chosen.join(', ')}
        onChange={(event) => onChange(ids(event.target.value))}
      />
    );
  }
  return (
    <MultiChoice
      id={id}
      label={label}
      value={chosen}
      options={data.map((one) => ({ value: one.id, label: one.name }))}
      onChange={onChange}
      searchable
      maxLabels={3}
    />
  );
}
