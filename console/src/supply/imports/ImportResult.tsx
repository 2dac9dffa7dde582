// The result of an import: the number of imported lines, and the lines that were not imported, with the reasons.
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import type { ImportErrors, ImportLine } from './lines';
import type { ImportSummary } from './useImportRun';

const MAX_SHOWN_LINES = 100;

interface Props {
  lines: readonly ImportLine[];
  selectedIds: ReadonlySet<number>;
  /** Lines that the user excluded after the server had rejected them, with the reasons. */
  exclusionReasons: ReadonlyMap<number, string>;
  errors: ImportErrors;
  summary: ImportSummary;
  onClose: () => void;
  onDone: () => void;
}

export function ImportResult({ lines, selectedIds, exclusionReasons, errors, summary, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const importedIds = new Set(summary.importedIds);
  const notImportedLines = lines.filter(({ id }) => !importedIds.has(id));
  const getReason = ({ id, rejection }: ImportLine) => {
    const lineErrors = errors.lineErrors.get(id);
    if (lineErrors && selectedIds.has(id)) return Object.values(lineErrors).flat().join(' ');
    if (rejection) return rejection;
    return exclusionReasons.get(id) ?? t(selectedIds.has(id) ? 'imports.notSent' : 'imports.notSelected');
  };
  const close = () => {
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t('imports.importFinished')}
      isWide={notImportedLines.length > 0}
      onClose={close}
      footer={<Button variant="filled" label={t('ui.done')} onClick={close} data-autofocus />}
    >
      <div className="outcome">
        <p role="status">{t('imports.imported', { formattedCount: formatNumber(importedIds.size) })}</p>
        {summary.serviceTypes.length > 0 && (
          <p>{t('imports.createdServiceTypes', { names: summary.serviceTypes.join(', ') })}</p>
        )}
        {notImportedLines.length > 0 && (
          <>
            <p>{t('imports.notImported', { formattedCount: formatNumber(notImportedLines.length) })}</p>
            <ul className="import-rest">
              {notImportedLines.slice(0, MAX_SHOWN_LINES).map((line) => (
                <li key={line.id}>
                  <strong>{line.name}</strong> {getReason(line)}
                </li>
              ))}
            </ul>
            {notImportedLines.length > MAX_SHOWN_LINES && (
              <p>
                {t('panelServices.andMore', {
                  formattedCount: formatNumber(notImportedLines.length - MAX_SHOWN_LINES),
                })}
              </p>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}
