// The common search of a list. `/` leads here.
import { useTranslation } from 'react-i18next';
import { useDraft } from './useDraft';

export function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const { draft, type, commit } = useDraft(value, onChange);
  return (
    <label className="search">
      <i className="pi pi-search" aria-hidden />
      <span className="sr">{t('table.search')}</span>
      <input
        type="search"
        className="input"
        placeholder={t('table.search')}
        value={draft}
        maxLength={500}
        data-search
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
    </label>
  );
}
