// What an import came to: how many lines were imported, and which were not, with the reason.
import { useTranslation } from 'react-i18next';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import type { ImportErrors, Line } from './lines';
import type { Imported } from './useRun';

interface Props {
  lines: readonly Line[];
  ticked: ReadonlySet<number>;
  /** Lines that staff left out as the server refused them, with the reason. */
  leftOut: ReadonlyMap<number, string>;
  errors: ImportErrors;
  outcome: Imported;
  onClose: () => void;
  onDone: () => void;
}

export function ImportResult({ lines, ticked, leftOut, errors, outcome, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const imported = new Set(outcome.imported);
  const rest = lines.filter(({ id }) => !imported.has(id));
  const reasonOf = ({ id, refusal }: Line) => {
    const refused = errors.lines.get(id);
    if (refused && ticked.has(id)) return Object.values(refused).flat().join(' ');
    if (refusal) return refusal;
    return leftOut.get(id) ?? t(ticked.has(id) ? 'imports.notSent' : 'imports.notTicked');
  };
  const close = () => {
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t('imports.result')}
      wide={rest.length > 0}
      onClose={close}
      footer={<Button variant="filled" label={t('ui.done')} onClick={close} data-autofocus />}
    >
      <div className="outcome">
        <p role="status">{t('imports.imported', { shown: formatNumber(imported.size) })}</p>
        {outcome.serviceTypes.length > 0 && <p>{t('imports.madeTypes', { names: outcome.serviceTypes.join(', ') })}</p>}
        {rest.length > 0 && (
          <>
            <p>{t('imports.notImported', { shown: formatNumber(rest.length) })}</p>
            <ul className="import-rest">
              {rest.slice(0, 100).map((line) => (
                <li key={line.id}>
                  <strong>{line.name}</strong> {reasonOf(line)}
                </li>
              ))}
            </ul>
            {rest.length > 100 && <p>{t('panelServices.more', { shown: formatNumber(rest.length - 100) })}</p>}
          </>
        )}
      </div>
    </Dialog>
  );
}
