// The table row of an import line, with the cells that services and packages have in common: the checkbox, the name and the cost.
// All other cells are children.
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatMoney } from '@/i18n/format';
import { TextInput } from './LineInputs';
import type { ImportLine } from './lines';

export interface LineProps {
  line: ImportLine;
  errors: FieldErrors | undefined;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
}

interface LineRowProps extends Omit<LineProps, 'errors'> {
  /** The name that the user typed, or else the external panel's name. */
  name: string;
  /** The error messages of a field, by its API name. */
  getErrors: (field: string) => readonly string[];
  /** Fields without a cell of their own. Their errors are shown below the name. */
  fieldsShownAtName: readonly string[];
  onNameChange: (name: string) => void;
  children: ReactNode;
  /** A second table row below the line. */
  detailsRow?: ReactNode;
}

/** Number of columns that `LineRow` fills before its children. */
const COMMON_COLUMN_COUNT = 3;

/** The headers of the columns that `LineRow` fills. */
export function LineHeaders() {
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

/**
 * Returns a function that formats the accessible name of a field, such as "Price of Likes 7". The name of the line is part of it,
 * because a screen reader reads only the field and not the row.
 */
export function useLabelForLine({ name }: ImportLine) {
  const { t } = useTranslation();
  return (field: string) => t('imports.fieldOfLine', { field, name });
}

/** Returns a function from a field to its errors: the errors of the server, and an error if the text is not a number. */
export function useFieldErrors(errors: FieldErrors = {}, invalidFields: readonly string[]) {
  const { t } = useTranslation();
  return (field: string): readonly string[] => [
    ...(errors[field] ?? []),
    ...(invalidFields.includes(field) ? [t('imports.enterNumber')] : []),
  ];
}

export function LineRow(props: LineRowProps) {
  const { line, isSelected, onSelect, name, getErrors, fieldsShownAtName, onNameChange, children, detailsRow } = props;
  const { t } = useTranslation();
  const labelForLine = useLabelForLine(line);
  const errorsWithoutCell = fieldsShownAtName.flatMap(getErrors);
  return (
    <tbody className={isSelected ? 'import-line' : 'import-line import-line-off'} data-line={line.id}>
      <tr>
        <td className="import-tick">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={labelForLine(t('imports.columns.import'))}
            onChange={(event) => onSelect(event.target.checked)}
          />
        </td>
        <td className="import-name">
          <TextInput
            label={labelForLine(t('panelServices.columns.name'))}
            value={name}
            errors={getErrors('name')}
            onChange={onNameChange}
          />
          <small className="import-there">
            #{line.external_panel_service_id} · {line.type} · {line.category || t('imports.noCategory')}
          </small>
          {errorsWithoutCell.length > 0 && <small className="field-error">{errorsWithoutCell.join(' ')}</small>}
        </td>
        <td className="end" data-label={t('panelServices.cost')}>
          {line.provider_price ? formatMoney(line.provider_price) : '–'}
        </td>
        {children}
      </tr>
      {detailsRow}
    </tbody>
  );
}

/**
 * A line that the server cannot import, with the reason. `spannedColumnCount` is the number of columns that `LineRow` does not fill.
 */
export function NotImportableLine({ line, spannedColumnCount }: { line: ImportLine; spannedColumnCount: number }) {
  return (
    <tbody className="import-line" data-line={line.id}>
      <tr>
        <td />
        <td colSpan={COMMON_COLUMN_COUNT - 1 + spannedColumnCount}>
          {line.name}
          <small className="field-error">{line.rejection}</small>
        </td>
      </tr>
    </tbody>
  );
}
