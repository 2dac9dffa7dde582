// The input control of one column's filter, chosen by the kind of the filter, with the server's errors below it. Every control
// produces the filter syntax of the API: `text`, `a,b,c` or `from..to`.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { ChoicesFilter, EnumFilter, FlagFilter } from './EnumFilters';
import type { Filter } from './listDefinition';
import { fractionsToPercents, percentsToFractions } from './percentFilters';
import { RecordFilter } from './RecordFilter';
import { RECORDS } from './records';
import { TimeFilter } from './TimeFilter';
import { useDebouncedInput } from './useDebouncedInput';

/** `pushHistory`: whether the change adds a history entry, so that Back reverts it. */
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
      <Control {...props} errorId={errorId} />
      {errorId && (
        <small id={errorId} className="field-error">
          {errors.join(' ')}
        </small>
      )}
    </>
  );
}

interface ErrorIdProps {
  /** Id of the element that shows the control's errors; undefined without errors. */
  errorId: string | undefined;
}

function Control({ filter, label, value, errorId, onChange }: Omit<Props, 'errors'> & ErrorIdProps) {
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
      if (!hasPermission(RECORDS[filter.recordKind].permission))
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
  /** `record`: staff who may not look up records type an id or a part of a name. */
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
      title={kind === 'record' ? t('table.noLookup') : isList ? t('table.rangeHint') : undefined}
      placeholder={t('table.any')}
      inputMode={isList ? 'text' : 'search'}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      // Without a commit here, an input that is still debounced would be lost when the dialog closes.
      onBlur={commit}
      onPaste={(event) => {
        // A single-line input would join pasted lines without a separator.
        if (!isList) return;
        const pasted = toCommaList(event.clipboardData.getData('text'));
        if (!pasted.includes(',')) return;
        event.preventDefault();
        setDraft(pasted);
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
