// The dialog that connects an external panel in two steps. First the user enters the panel type, the URL and the API token, and the
// server sends a test request with them. Then the user enters the settings of the external panel. The console stores the token only in
// the state of the form.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { omitIfEmpty } from '@/form/codec';
import { textOrNullCodec, urlCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { formatMoneyIn } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { EXTERNAL_PANELS_PATH, type ExternalPanel } from './externalPanelList';
import { PanelForm } from './PanelForm';

type PanelPreset = Schemas['PanelPreset'];

/** The connection of an external panel that is not saved yet. The test request of the server with these values was successful. */
export interface TestedConnection {
  endpoint: string;
  api_token: string;
  type: Schemas['PanelType'];
  currency: string;
  balance: string | null;
}

const CONNECTION_FORM = defineForm<Schemas['ValidatePanelInput']>()({
  endpoint: urlCodec,
  api_token: omitIfEmpty(textOrNullCodec),
});

interface ConnectDialogProps {
  onClose: () => void;
  onSaved: (panel: ExternalPanel) => void;
}

export function ConnectDialog({ onClose, onSaved }: ConnectDialogProps) {
  const { t } = useTranslation();
  const [connection, setConnection] = useState<TestedConnection | null>(null);
  const presets = useQuery({
    queryKey: ['external-panels', 'presets'],
    queryFn: async () => (await unwrap(api.GET(`${EXTERNAL_PANELS_PATH}/preset-panels`))).data,
  });
  if (!presets.data)
    return <LoadErrorDialog title={t('externalPanels.connect')} queries={[presets]} onClose={onClose} />;
  if (!connection) return <ConnectionForm presets={presets.data} onConnected={setConnection} onClose={onClose} />;
  const { balance, currency } = connection;
  const note =
    balance === null ? '' : t('externalPanels.connectedWithBalance', { balance: formatMoneyIn(balance, currency) });
  return <PanelForm panel={null} connection={connection} note={note} onClose={onClose} onSaved={onSaved} />;
}

interface ConnectionFormProps {
  presets: readonly PanelPreset[];
  onConnected: (connection: TestedConnection) => void;
  onClose: () => void;
}

function ConnectionForm({ presets, onConnected, onClose }: ConnectionFormProps) {
  const { t } = useTranslation();
  const findPreset = (id: string | undefined) => presets.find((preset) => String(preset.id) === id);
  const fields: FormField[] = [
    {
      name: 'preset',
      label: t('externalPanels.panelType'),
      options: presets.map(({ id, name }) => ({
        value: String(id),
        label: t(`externalPanels.presets.${id as 1}.name`, { defaultValue: name }),
      })),
    },
    {
      name: 'about',
      label: '',
      fullWidth: true,
      render: ({ values }) => <PresetHint preset={findPreset(values.preset)} />,
    },
    {
      name: 'endpoint',
      label: t('externalPanels.columns.endpoint'),
      hint: t('externalPanels.endpointHint'),
      maxLength: 2_000,
    },
    {
      name: 'api_token',
      label: t('externalPanels.token'),
      mode: 'secret',
      hint: t('externalPanels.tokenHint'),
      maxLength: 500,
    },
    {
      name: 'account',
      label: '',
      fullWidth: true,
      render: ({ values }) =>
        findPreset(values.preset)?.can_create_account && !values.api_token ? (
          <RequestAccountButton endpoint={values.endpoint ?? ''} onConnected={onConnected} />
        ) : null,
    },
  ];
  return (
    <FormDialog
      title={t('externalPanels.connect')}
      confirmLabel={t('externalPanels.check')}
      fields={fields}
      initialValues={{ preset: String(presets[0]?.id ?? ''), endpoint: '', api_token: '' }}
      spec={CONNECTION_FORM}
      send={async ({ values }) => {
        const { data } = await unwrap(
          api.POST(`${EXTERNAL_PANELS_PATH}/validate`, { body: CONNECTION_FORM.toBody(values) }),
        );
        return { ...data, api_token: values.api_token ?? '' };
      }}
      onDone={({ endpoint, api_token, isOurPanel, currency, balance }) => {
        onConnected({
          endpoint,
          api_token,
          type: isOurPanel ? 'socpanel' : 'perfect_panel',
          currency: currency ?? 'USD',
          balance: balance ?? null,
        });
        return 'stay';
      }}
      onClose={onClose}
    />
  );
}

function PresetHint({ preset }: { preset: PanelPreset | undefined }) {
  const { t } = useTranslation();
  if (!preset) return null;
  return (
    <small className="field-hint">
      {t(`externalPanels.presets.${preset.id as 1}.hint`, { defaultValue: preset.hint })} <code>{preset.endpoint}</code>
    </small>
  );
}

interface RequestAccountButtonProps {
  endpoint: string;
  onConnected: (connection: TestedConnection) => void;
}

/** Requests an account at an external panel of this product. Such panels can create accounts through their API. */
function RequestAccountButton({ endpoint, onConnected }: RequestAccountButtonProps) {
  const { t } = useTranslation();
  const { submit, isPending, problem } = useSubmit({
    // `checked` confirms that the user checked that no account exists, after an earlier request with an unknown outcome.
    send: (checked: boolean) =>
      unwrap(api.POST(`${EXTERNAL_PANELS_PATH}/create-account`, { body: { endpoint, checked } })),
    onDone: ({ data }) =>
      onConnected({
        endpoint: data.endpoint,
        api_token: data.apiToken,
        type: 'socpanel',
        currency: data.currency,
        balance: null,
      }),
  });
  return (
    <>
      <Button
        icon="user-plus"
        label={t('externalPanels.requestAccount')}
        busy={isPending}
        onClick={() => void submit(false)}
      />
      {problem && <ProblemBar problem={problem} />}
      {problem?.code === 'account_requested_before' && (
        <Button
          icon="check"
          label={t('externalPanels.requestAccountAgain')}
          busy={isPending}
          onClick={() => void submit(true)}
        />
      )}
    </>
  );
}
