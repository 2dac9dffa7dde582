// The dialog that imports packages of an external panel. The user edits name, price, type and network of each package before the import.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import { Checkbox } from '@/ui/Field';
import { ImportDialogLayout, ImportLinesLoader, useLineSelection } from './ImportDialogLayout';
import type { PanelServiceRow } from './importProviders';
import type { ImportLine } from './lines';
import { PackageLine } from './PackageLine';
import type { SharedPackageValues } from './packages';
import { NetworkSelect, PackageTypeSelect, SelectField } from './selects';
import { usePackageImport } from './usePackageImport';

export function PackageImportDialog(props: CustomDialogProps<PanelServiceRow> & { externalPanelId: number }) {
  const { ids, externalPanelId, onClose, onDone } = props;
  return (
    <ImportLinesLoader action="importPackages" externalPanelId={externalPanelId} ids={ids} onClose={onClose}>
      {(lines) => <PackageImportEditor {...{ lines, externalPanelId, onClose, onDone }} />}
    </ImportLinesLoader>
  );
}

interface EditorProps {
  lines: readonly ImportLine[];
  externalPanelId: number;
  onClose: () => void;
  onDone: () => void;
}

function PackageImportEditor({ lines, externalPanelId, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useLineSelection(lines);
  const run = usePackageImport(externalPanelId, selection.selectedLines);
  const { sharedValues, edits } = run;
  return (
    <ImportDialogLayout
      action="importPackages"
      // The message is never shown: every package has a type, so a valid import is always ready.
      notReadyMessage=""
      {...{ lines, selection, run, edits, onClose, onDone }}
      sharedFields={<SharedPackageFields sharedValues={sharedValues} onChange={run.editSharedValues} />}
      extraHeaders={
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
          sharedValues={sharedValues}
          onEdit={(change) => run.editPackage(props.line.id, change)}
        />
      )}
    />
  );
}

interface SharedPackageFieldsProps {
  sharedValues: SharedPackageValues;
  onChange: (change: Partial<SharedPackageValues>) => void;
}

/** Fields above the lines: their values apply to all packages in which the user has not edited the field. */
function SharedPackageFields({ sharedValues, onChange }: SharedPackageFieldsProps) {
  const { t } = useTranslation();
  return (
    <div className="import-shared">
      <SelectField label={t('panelServices.network')}>
        <NetworkSelect
          label={t('panelServices.network')}
          value={sharedValues.network_id}
          onChange={(network_id) => onChange({ network_id })}
        />
      </SelectField>
      <SelectField label={t('packages.columns.type')}>
        <PackageTypeSelect
          label={t('packages.columns.type')}
          value={sharedValues.type}
          onChange={(type) => onChange({ type })}
        />
      </SelectField>
      <div className="field">
        <Checkbox
          label={t('packages.external.sync')}
          checked={sharedValues.sync}
          onChange={(sync) => onChange({ sync })}
        />
      </div>
    </div>
  );
}
