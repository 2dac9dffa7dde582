// Importing packages: name, what happens when one is bought, fixed cost or discount, network and whether it follows the panel.
import { useTranslation } from 'react-i18next';
import type { CustomDialogProps } from '@/table/action';
import { Checkbox } from '@/ui/Field';
import type { PanelServiceRow } from './calls';
import { ImportFrame, Loaded, useTicked } from './ImportFrame';
import type { Line } from './lines';
import { PackageLine } from './PackageLine';
import type { SharedPackageValues } from './packages';
import { NetworkSelect, PackageTypeSelect, SelectField } from './selects';
import { usePackageImport } from './usePackageImport';

export function PackageDialog({ ids, panel, onClose, onDone }: CustomDialogProps<PanelServiceRow> & { panel: number }) {
  return (
    <Loaded name="importPackages" panel={panel} ids={ids} onClose={onClose}>
      {(lines) => <Editor {...{ lines, panel, onClose, onDone }} />}
    </Loaded>
  );
}

interface EditorProps {
  lines: readonly Line[];
  panel: number;
  onClose: () => void;
  onDone: () => void;
}

function Editor({ lines, panel, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const selection = useTicked(lines);
  const run = usePackageImport(panel, selection.chosen);
  const { shared, edits } = run;
  return (
    <ImportFrame
      name="importPackages"
      names={edits}
      missing=""
      {...{ lines, selection, run, onClose, onDone }}
      top={<SharedFields shared={shared} onChange={run.share} />}
      head={
        <>
          <th scope="col">{t('packages.fields.fixed_cost')}</th>
          <th scope="col">{t('packages.fields.discount_percent')}</th>
          <th scope="col">{t('packages.columns.type')}</th>
          <th scope="col">{t('panelServices.network')}</th>
        </>
      }
      row={(props) => (
        <PackageLine
          key={props.line.id}
          {...props}
          edit={edits.get(props.line.id) ?? {}}
          shared={shared}
          onEdit={(change) => run.edit(props.line.id, change)}
        />
      )}
    />
  );
}

interface SharedProps {
  shared: SharedPackageValues;
  onChange: (change: Partial<SharedPackageValues>) => void;
}

/** Type, network and following of every package that does not say otherwise. */
function SharedFields({ shared, onChange }: SharedProps) {
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
