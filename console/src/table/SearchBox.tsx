// The input of the global search of a list. The key `/` focuses the input.
import { useTranslation } from 'react-i18next';
import { useDebouncedInput } from './useDebouncedInput';

export function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const { draft, setDraft, commit } = useDebouncedInput(value, onChange);
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
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
    </label>
  );
}
