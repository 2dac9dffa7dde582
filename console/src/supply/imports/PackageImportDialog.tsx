// The dialog that imports packages of a panel: the user edits name, price, type and network of each package before the import.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import { Checkbox } from '@/ui/Field';
import type { PanelServiceRow } from './calls';
import { ImportDialogLayout, ImportLinesLoader, useLineSelection } from './ImportDialogLayout';
import type { ImportLine } from './lines';
import { PackageLine } from './PackageLine';
import type { SharedPackageValues } from './packages';
import { NetworkSelect, PackageTypeSelect, SelectField } from './selects';
import { usePackageImport } from './usePackageImport';

export function PackageImportDialog(props: CustomDialogProps<PanelServiceRow> & { panelId: number }) {
  const { ids, panelId, onClose, onDone } = props;
  return (
    <ImportLinesLoader action="importPackages" panelId={panelId} ids={ids} onClose={onClose}>
      {(lines) => <PackageImportEditor {...{ lines, panelId, onClose, onDone }} />}
    </ImportLinesLoader>
  );
}

interface EditorProps {
  lines: readonly ImportLine[];
  panelId: number;
  onClose: () => void;
  onDone: () => void;
}

function PackageImportEditor({ lines, panelId, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useLineSelection(lines);
  const run = usePackageImport(panelId, selection.selectedLines);
  const { shared, edits } = run;
  return (
    <ImportDialogLayout
      action="importPackages"
      // Never shown: every package has a type, so a valid import is always ready.
      notReadyMessage=""
      {...{ lines, selection, run, edits, onClose, onDone }}
      sharedFields={<SharedPackageFields shared={shared} onChange={run.editShared} />}
      headers={
        <>
          <th scope="col">{t('packages.fields.fixed_cost')}</th>
          <th scope="col">{t('packages.fields.discount_fraction')}</th>
          <th scope="col">{t('packages.columns.type')}</th>
          <th scope="col">{t('panelServices.network')}</th>
        </>
      }
      renderLine={(props) => (
        <PackageLine
          key={props.line.id}
          {...props}
          edit={edits.get(props.line.id) ?? {}}
          shared={shared}
          onEdit={(change) => run.editPackage(props.line.id, change)}
        />
      )}
    />
  );
}

interface SharedPackageFieldsProps {
  shared: SharedPackageValues;
  onChange: (change: Partial<SharedPackageValues>) => void;
}

/** The values of all packages without a value in their own line. */
function SharedPackageFields({ shared, onChange }: SharedPackageFieldsProps) {
  const { t } = useTranslation();
  return (
    <div className="import-shared">
      <SelectField label={t('panelServices.network')}>
        <NetworkSelect
          label={t('panelServices.network')}
          value={shared.network_id}
          onChange={(network_id) => onChange({ network_id })}
        />
      </SelectField>
      <SelectField label={t('packages.columns.type')}>
        <PackageTypeSelect
          label={t('packages.columns.type')}
          value={shared.type}
          onChange={(type) => onChange({ type })}
        />
      </SelectField>
      <div className="field">
        <Checkbox label={t('packages.provided.sync')} checked={shared.sync} onChange={(sync) => onChange({ sync })} />
      </div>
    </div>
  );
}
