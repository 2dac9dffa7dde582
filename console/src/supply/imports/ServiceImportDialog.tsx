// The dialog that imports services of a panel: the user edits name, price and service type of each line before the import.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import { BulkEdit } from './BulkEdit';
import type { PanelServiceRow } from './calls';
import { ImportDialogLayout, ImportLinesLoader, useLineSelection } from './ImportDialogLayout';
import type { ImportLine } from './lines';
import { ServiceLine } from './ServiceLine';
import { SharedFields } from './SharedFields';
import { useServiceImport } from './useServiceImport';

interface EditorProps {
  lines: readonly ImportLine[];
  panelId: number;
  onClose: () => void;
  onDone: () => void;
}

export function ServiceImportDialog(props: CustomDialogProps<PanelServiceRow> & { panelId: number }) {
  const { ids, panelId, onClose, onDone } = props;
  return (
    <ImportLinesLoader action="importServices" panelId={panelId} ids={ids} onClose={onClose}>
      {(lines) => <ServiceImportEditor {...{ lines, panelId, onClose, onDone }} />}
    </ImportLinesLoader>
  );
}

function ServiceImportEditor({ lines, panelId, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useLineSelection(lines);
  const run = useServiceImport(panelId, selection.selectedLines);
  const { shared, edits, editLines, errors } = run;
  return (
    <ImportDialogLayout
      action="importServices"
      notReadyMessage={t('imports.destinationMissing')}
      {...{ lines, selection, run, edits, onClose, onDone }}
      sharedFields={
        <>
          <SharedFields shared={shared} errors={errors.shared} onChange={run.editShared} />
          <BulkEdit
            selectedCount={selection.selectedLines.length}
            onApply={(change) => editLines(selection.selectedIds, change)}
          />
        </>
      }
      headers={
        <>
          <th scope="col">{t('panelServices.price')}</th>
          <th scope="col">{t('imports.columns.margin')}</th>
          <th scope="col">{t('imports.columns.destination')}</th>
          <th scope="col">
            <span className="sr">{t('imports.columns.moreFields')}</span>
          </th>
        </>
      }
      renderLine={(props) => (
        <ServiceLine
          key={props.line.id}
          {...props}
          edit={edits.get(props.line.id) ?? {}}
          shared={shared}
          onEdit={(change) => editLines([props.line.id], change)}
        />
      )}
    />
  );
}
