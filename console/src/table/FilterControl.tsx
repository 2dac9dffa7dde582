// The input control of a column's filter, with the server's errors below it. The kind of the filter decides which control is shown.
// Every control produces the filter syntax of the API: `text`, `a,b,c` or `from..to`.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { ChoicesFilter, EnumFilter, FlagFilter } from './EnumFilters';
import type { Filter } from './listDefinition';
import { fractionsToPercents, percentsToFractions } from './percentFilters';
import { RecordFilter } from './RecordFilter';
import { RECORD_LOOKUPS } from './recordLookups';
import { TimeFilter } from './TimeFilter';
import { useDebouncedInput } from './useDebouncedInput';

/** If `pushHistory` is true, the change adds a history entry, so that the Back button reverts the change. */
export type OnFilterChange = (value: string, pushHistory: boolean) => void;

interface Props {
  filter: Filter;
  label: string;
  value: string;
  errors?: readonly string[] | undefined;
  onChange: OnFilterChange;
}

export function FilterControl({ errors = [], ...props }: Props) {
  const id = useId();
  const errorId = errors.length > 0 ? id : undefined;
  return (
    <>
      <FilterInput {...props} errorId={errorId} />
      {errorId && (
        <small id={errorId} className="field-error">
          {errors.join(' ')}
        </small>
      )}
    </>
  );
}

interface ErrorIdProps {
  /** Id of the element that shows the errors of the control. Undefined if there are no errors. */
  errorId: string | undefined;
}

function FilterInput({ filter, label, value, errorId, onChange }: Omit<Props, 'errors'> & ErrorIdProps) {
  const hasPermission = useHasPermission();
  switch (filter.kind) {
    case 'enum':
      return <EnumFilter filter={filter} label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'choices':
      return (
        <ChoicesFilter list={filter.list} label={label} value={value} onChange={(value) => onChange(value, true)} />
      );
    case 'flag':
      return <FlagFilter label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'time':
      return <TimeFilter label={label} value={value} onChange={(value) => onChange(value, true)} />;
    case 'fraction':
      return (
        <TextFilter
          kind="number"
          label={`${label}, %`}
          errorId={errorId}
          value={fractionsToPercents(value)}
          onChange={(percents, pushHistory) => onChange(percentsToFractions(percents), pushHistory)}
        />
      );
    case 'record':
      if (!hasPermission(RECORD_LOOKUPS[filter.recordKind].permission))
        return <TextFilter kind="record" label={label} errorId={errorId} value={value} onChange={onChange} />;
      return (
        <RecordFilter
          kind={filter.recordKind}
          label={label}
          value={value}
          onChange={(value) => onChange(value, true)}
        />
      );
    default:
      return <TextFilter kind={filter.kind} label={label} errorId={errorId} value={value} onChange={onChange} />;
  }
}

interface TextFilterProps extends ErrorIdProps {
  /** `record` is for staff without the permission to look up records: they type an id or a part of the name. */
  kind: 'text' | 'ids' | 'number' | 'money' | 'record';
  label: string;
  value: string;
  onChange: OnFilterChange;
}

function TextFilter({ kind, label, errorId, value, onChange }: TextFilterProps) {
  const { t } = useTranslation();
  const { draft, setDraft, commit } = useDebouncedInput(value, onChange);
  const isList = kind !== 'text';
  return (
    <input
      className="input"
      aria-label={label}
      aria-invalid={errorId ? true : undefined}
      aria-describedby={errorId}
      title={kind === 'record' ? t('table.lookupForbidden') : isList ? t('table.rangeHint') : undefined}
      placeholder={t('table.anyValue')}
      inputMode={isList ? 'text' : 'search'}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      // Commits an input that is still debounced, because it would be lost if the user closes the dialog.
      onBlur={commit}
      onPaste={(event) => {
        // The browser would join the pasted lines without a separator, because the input has a single line.
        if (!isList) return;
        const pastedList = toCommaList(event.clipboardData.getData('text'));
        if (!pastedList.includes(',')) return;
        event.preventDefault();
        setDraft(pastedList);
      }}
    />
  );
}

/** Converts numbers separated by commas, spaces, tabs or lines to a comma-separated list. */
export function toCommaList(text: string): string {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .join(',');
}
