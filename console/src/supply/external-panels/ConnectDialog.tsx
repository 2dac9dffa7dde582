// Connects a panel in two steps: which kind, where and with which token, asked at once whether that is right; then what
// it is called here. A token stands nowhere but in the form.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { omitIfEmpty } from '@/form/codec';
import { textOrNull, url } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { formatMoneyIn } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import type { ExternalPanel } from './declaration';
import { PATH } from './declaration';
import { PanelForm } from './PanelForm';

type Preset = Schemas['PresetPanel'];

/** What is known of a panel before it is saved. */
export interface Found {
  endpoint: string;
  api_token: string;
  type: Schemas['PanelType'];
  currency: string;
  balance: string | null;
}

const CONNECTION = defineForm<Schemas['ValidatePanelInput']>()({ endpoint: url, api_token: omitIfEmpty(textOrNull) });

interface Props {
  onClose: () => void;
  onSaved: (panel: ExternalPanel) => void;
}

export function ConnectDialog({ onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [found, setFound] = useState<Found | null>(null);
  const presets = useQuery({
    queryKey: ['external-panels', 'presets'],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/preset-panels`))).data,
  });
  if (!presets.data) return <NotLoaded title={t('externalPanels.connect')} queries={[presets]} onClose={onClose} />;
  if (!found) return <Where presets={presets.data} onFound={setFound} onClose={onClose} />;
  const said =
    found.balance === null
      ? ''
      : t('externalPanels.balanceIs', { shown: formatMoneyIn(found.balance, found.currency) });
  return <PanelForm panel={null} found={found} note={said} onClose={onClose} onSaved={onSaved} />;
}

function Where({
  presets,
  onFound,
  onClose,
}: {
  presets: readonly Preset[];
  onFound: (found: Found) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const of = (id: string | undefined) => presets.find((preset) => String(preset.id) === id);
  const fields: FormField[] = [
    {
      name: 'preset',
      label: t('externalPanels.kind'),
      options: presets.map(({ id, name }) => ({
        value: String(id),
        label: t(`externalPanels.presets.${id as 1}.name`, { defaultValue: name }),
      })),
    },
    {
      name: 'about',
      label: '',
      fullWidth: true,
      render: ({ values }) => <About preset={of(values.preset)} />,
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
        of(values.preset)?.can_create_account && !values.api_token ? (
          <AskForAccount endpoint={values.endpoint ?? ''} onFound={onFound} />
        ) : null,
    },
  ];
  return (
    <FormDialog
      title={t('externalPanels.connect')}
      confirm={t('externalPanels.check')}
      fields={fields}
      initial={{ preset: String(presets[0]?.id ?? ''), endpoint: '', api_token: '' }}
      spec={CONNECTION}
      send={async ({ values }) => {
        const { data } = await unwrap(api.POST(`${PATH}/validate`, { body: CONNECTION.toBody(values) }));
        return { ...data, api_token: values.api_token ?? '' };
      }}
      onDone={({ endpoint, api_token, isOurPanel, currency, balance }) => {
        onFound({
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

function About({ preset }: { preset: Preset | undefined }) {
  const { t } = useTranslation();
  if (!preset) return null;
  return (
    <small className="field-hint">
      {t(`externalPanels.presets.${preset.id as 1}.hint`, { defaultValue: preset.hint })} <code>{preset.endpoint}</code>
    </small>
  );
}

/** Panels of this product may hand out an account by themselves. */
function AskForAccount({ endpoint, onFound }: { endpoint: string; onFound: (found: Found) => void }) {
  const { t } = useTranslation();
  const { submit, isPending, problem } = useSubmit({
    send: (checked: boolean) => unwrap(api.POST(`${PATH}/create-account`, { body: { endpoint, checked } })),
    onDone: ({ data }) =>
      onFound({
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
        label={t('externalPanels.askForAccount')}
        busy={isPending}
        onClick={() => void submit(false)}
      />
      {problem && <ProblemBar problem={problem} />}
      {problem?.code === 'account_asked_before' && (
        <Button
          icon="check"
          label={t('externalPanels.askedAndChecked')}
          busy={isPending}
          onClick={() => void submit(true)}
        />
      )}
    </>
  );
}
