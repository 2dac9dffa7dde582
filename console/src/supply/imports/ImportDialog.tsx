// Importing services: what each line would be here, editable, tried on the server and sent.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import type { PanelServiceRow } from './calls';
import { ImportFrame, Loaded, useTicked } from './ImportFrame';
import { ImportLine } from './ImportLine';
import { ChangeTicked, SharedFields } from './LineTools';
import type { Line } from './lines';
import { useImport } from './useImport';

interface EditorProps {
  lines: readonly Line[];
  panel: number;
  onClose: () => void;
  onDone: () => void;
}

export function ImportDialog({ ids, panel, ...props }: CustomDialogProps<PanelServiceRow> & { panel: number }) {
  return (
    <Loaded name="importServices" panel={panel} ids={ids} onClose={props.onClose}>
      {(lines) => <Editor lines={lines} panel={panel} onClose={props.onClose} onDone={props.onDone} />}
    </Loaded>
  );
}

function Editor({ lines, panel, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useTicked(lines);
  const run = useImport(panel, selection.chosen);
  const { shared, edits, edit, errors } = run;
  return (
    <ImportFrame
      name="importServices"
      names={edits}
      missing={t('imports.place')}
      {...{ lines, selection, run, onClose, onDone }}
      top={
        <>
          <SharedFields shared={shared} errors={errors.shared} onChange={run.share} />
          <ChangeTicked
            ids={selection.chosen.map(({ id }) => id)}
            onApply={(change) => edit(selection.ticked, change)}
          />
        </>
      }
      head={
        <>
          <th scope="col">{t('panelServices.price')}</th>
          <th scope="col">{t('imports.columns.margin')}</th>
          <th scope="col">{t('imports.columns.place')}</th>
          <th scope="col">
            <span className="sr">{t('imports.columns.more')}</span>
          </th>
        </>
      }
      row={(props) => (
        <ImportLine
          key={props.line.id}
          {...props}
          edit={edits.get(props.line.id) ?? {}}
          shared={shared}
          onEdit={(change) => edit([props.line.id], change)}
        />
      )}
    />
  );
}
