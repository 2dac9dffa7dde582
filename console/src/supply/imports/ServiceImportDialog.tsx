// The dialog that imports services of an external panel. The user edits name, price and service type of each line before the import.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import { BulkEdit } from './BulkEdit';
import { ImportDialogLayout, ImportLinesLoader, useLineSelection } from './ImportDialogLayout';
import type { PanelServiceRow } from './importProviders';
import type { ImportLine } from './lines';
import { ServiceLine } from './ServiceLine';
import { SharedFields } from './SharedFields';
import { useServiceImport } from './useServiceImport';

interface EditorProps {
  lines: readonly ImportLine[];
  externalPanelId: number;
  onClose: () => void;
  onDone: () => void;
}

export function ServiceImportDialog(props: CustomDialogProps<PanelServiceRow> & { externalPanelId: number }) {
  const { ids, externalPanelId, onClose, onDone } = props;
  return (
    <ImportLinesLoader action="importServices" externalPanelId={externalPanelId} ids={ids} onClose={onClose}>
      {(lines) => <ServiceImportEditor {...{ lines, externalPanelId, onClose, onDone }} />}
    </ImportLinesLoader>
  );
}

function ServiceImportEditor({ lines, externalPanelId, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useLineSelection(lines);
  const run = useServiceImport(externalPanelId, selection.selectedLines);
  const { sharedValues, edits, editLines, errors } = run;
  return (
    <ImportDialogLayout
      action="importServices"
      notReadyMessage={t('imports.serviceTypeMissing')}
      {...{ lines, selection, run, edits, onClose, onDone }}
      sharedFields={
        <>
          <SharedFields sharedValues={sharedValues} errors={errors.sharedErrors} onChange={run.editSharedValues} />
          <BulkEdit
            selectedCount={selection.selectedLines.length}
            onApply={(change) => editLines(selection.selectedIds, change)}
          />
        </>
      }
      extraHeaders={
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
          sharedValues={sharedValues}
          onEdit={(change) => editLines([props.line.id], change)}
        />
      )}
    />
  );
}
