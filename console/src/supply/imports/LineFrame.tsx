// What every line of an import begins with, whatever it is imported as: whether it is imported, its name here and there, and
// what the panel asks. What else it has are the cells within.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatMoney } from '@/i18n/format';
import type { Line } from './lines';
import { TextCell } from './TextCell';

/** What each kind of line is given to draw. */
export interface LineProps {
  line: Line;
  errors: FieldErrors | undefined;
  ticked: boolean;
  onTick: (on: boolean) => void;
}

interface Props extends Omit<LineProps, 'errors'> {
  name: string;
  /** The sentences about a field. */
  wrong: (field: string) => readonly string[];
  /** Fields without a cell of their own: their sentences stand below the name. */
  others: readonly string[];
  onName: (name: string) => void;
  children: ReactNode;
  /** A row of its own below the line. */
  below?: ReactNode;
}

/** How many columns `LineFrame` fills before its children. */
const OWN_COLUMNS = 3;

/** The heads of the columns that `LineFrame` fills. */
export function LineHeads() {
  const { t } = useTranslation();
  return (
    <>
      <th scope="col">{t('imports.columns.import')}</th>
      <th scope="col">{t('panelServices.columns.name')}</th>
      <th scope="col" className="end">
        {t('panelServices.cost')}
      </th>
    </>
  );
}

/** Names the control of a field of a line for those who do not see the line. */
export function useFieldLabel({ name }: Line) {
  const { t } = useTranslation();
  return (field: string) => t('imports.of', { field, name });
}

/** The sentences about each field: those of the server, and that a number cannot be read. */
export function useWrong(errors: FieldErrors = {}, unreadable: readonly string[]) {
  const { t } = useTranslation();
  return (field: string): readonly string[] => [
    ...(errors[field] ?? []),
    ...(unreadable.includes(field) ? [t('imports.noNumber')] : []),
  ];
}

export function LineFrame({ line, ticked, onTick, name, wrong, others, onName, children, below }: Props) {
  const { t } = useTranslation();
  const labelOf = useFieldLabel(line);
  const beside = others.flatMap(wrong);
  return (
    <tbody className={ticked ? 'import-line' : 'import-line import-line-off'} data-line={line.id}>
      <tr>
        <td className="import-tick">
          <input
            type="checkbox"
            checked={ticked}
            aria-label={labelOf(t('imports.columns.import'))}
            onChange={(event) => onTick(event.target.checked)}
          />
        </td>
        <td className="import-name">
          <TextCell
            label={labelOf(t('panelServices.columns.name'))}
            value={name}
            wrong={wrong('name')}
            onChange={onName}
          />
          <small className="import-there">
            #{line.external_panel_service_id} · {line.type} · {line.category || t('imports.noCategory')}
          </small>
          {beside.length > 0 && <small className="field-error">{beside.join(' ')}</small>}
        </td>
        <td className="end" data-label={t('panelServices.cost')}>
          {line.provider_price ? formatMoney(line.provider_price) : '–'}
        </td>
        {children}
      </tr>
      {below}
    </tbody>
  );
}

/** A line that cannot be imported, and why; `columns` are those beside the frame's own. */
export function RefusedLine({ line, columns }: { line: Line; columns: number }) {
  return (
    <tbody className="import-line" data-line={line.id}>
      <tr>
        <td />
        <td colSpan={OWN_COLUMNS - 1 + columns}>
          {line.name}
          <small className="field-error">{line.refusal}</small>
        </td>
      </tr>
    </tbody>
  );
}
