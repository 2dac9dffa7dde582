// A customer (or member of staff) found by part of a name or e-mail, or by id.
import { AutoComplete } from 'primereact/autocomplete';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';

export type UserHit = Schemas['UserHit'];

interface Props {
  id?: string;
  label: string;
  value: UserHit | null;
  onChange: (user: UserHit | null) => void;
  invalid?: boolean;
}

const shown = (user: UserHit) => `${user.name} · ${user.email} · ${user.id}`;

export function UserPicker({ id, label, value, onChange, invalid = false }: Props) {
  const { t } = useTranslation();
  const [hits, setHits] = useState<UserHit[]>([]);
  const [typed, setTyped] = useState<string | null>(null);
  const search = async (query: string) => {
    const answer = await told(api.GET('/api/v1/admin/users/search', { params: { query: { query } } })).catch(
      () => null,
    );
    setHits(answer?.data ?? []);
  };
  return (
    <AutoComplete
      {...(id ? { inputId: id } : {})}
      aria-label={label}
      className="picker"
      value={typed ?? (value ? shown(value) : '')}
      suggestions={hits}
      completeMethod={({ query }) => void search(query)}
      itemTemplate={shown}
      delay={300}
      invalid={invalid}
      placeholder={t('users.find')}
      emptyMessage={t('users.noHit')}
      showEmptyMessage
      onChange={({ value }) => setTyped(typeof value === 'string' ? value : null)}
      onSelect={({ value }) => {
        setTyped(null);
        onChange(value as UserHit);
      }}
      onBlur={() => {
        // What was typed and not chosen is nobody.
        if (typed === '') onChange(null);
        setTyped(null);
      }}
    />
  );
}
