// Makes or changes a label: its icon, its name in every language, and the services that have it. The one for custom
// comments first says which services take comments because of it.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { beside, isAt } from '@/ui/beside';
import { Dialog } from '@/ui/Dialog';
import { Field, Tick } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { ProblemBar } from '@/ui/Notice';
import { ServicePicker } from '@/ui/ServicePicker';
import { TranslatedField } from '@/ui/TranslatedField';
import { textsOf } from '@/ui/texts';
import { useUnsaved } from '@/ui/unsaved';
import { UsedBy } from './UsedBy';

const NONE = {};

type Named = Pick<Schemas['ServiceRow'], 'id' | 'name'>;

interface Props {
  label: Schemas['LabelRow'] | null;
  onClose: () => void;
  onDone: () => void;
}

export function LabelForm(props: Props) {
  const { t } = useTranslation();
  const { label, onClose } = props;
  const [warned, setWarned] = useState(!label?.is_custom_comments);
  const { data } = useQuery({
    queryKey: ['labels', 'one', label?.id],
    enabled: label !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: async () =>
      (await told(api.GET('/api/v1/admin/services/labels/{id}', { params: { path: { id: label?.id ?? 0 } } }))).data,
  });
  if (label && !warned) {
    return (
      <Dialog
        role="alertdialog"
        title={t('labels.editOne', { name: label.name })}
        onClose={onClose}
        footer={
          <>
            <Button label={t('ui.cancel')} onClick={onClose} />
            <Button look="filled" label={t('labels.goOn')} onClick={() => setWarned(true)} data-autofocus />
          </>
        }
      >
        <p>{t('labels.customWarning')}</p>
        <UsedBy id={label.id} />
      </Dialog>
    );
  }
  if (label && !data) return null;
  return <Form {...props} before={data ?? null} />;
}

function Form({ before, onClose, onDone }: Props & { before: Schemas['Label'] | null }) {
  const { t } = useTranslation();
  const [texts, setTexts] = useState(() => JSON.stringify(before?.translations ?? {}));
  const [icon, setIcon] = useState(before?.icon ?? '');
  const [chosen, setChosen] = useState<readonly Named[]>(before?.services ?? []);
  const [custom, setCustom] = useState(before?.is_custom_comments ?? false);
  const [dirty, setDirty] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const mayLeave = useUnsaved(dirty && !busy);
  const errors = problem?.fields ?? {};
  const rest = beside(problem, isAt(['name', 'translations', 'icon', 'services', 'is_custom_comments']));
  const close = () => mayLeave() && onClose();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      translations: textsOf(texts),
      is_custom_comments: custom,
      services: chosen.map(({ id }) => id),
      ...(icon !== (before?.icon ?? '') ? { icon: icon || null } : {}),
      ...(before ? { updated_at: before.updated_at } : {}),
    } as Schemas['LabelInput'];
    try {
      await told(
        before
          ? api.PUT('/api/v1/admin/services/labels/{id}', { params: { path: { id: before.id } }, body })
          : api.POST('/api/v1/admin/services/labels', { body }),
      );
      onDone();
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const change = (act: () => void) => {
    act();
    setDirty(true);
  };
  const add = ({ id, name }: Named) =>
    change(() => setChosen([...chosen.filter((one) => one.id !== id), { id, name }]));
  return (
    <Dialog
      wide
      title={t(before ? 'labels.edit' : 'labels.create')}
      onClose={close}
      held={busy}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={close} />
          <Button look="filled" type="submit" form="label-form" label={t('ui.save')} busy={busy} />
        </>
      }
    >
      <form id="label-form" className="form" onSubmit={save}>
        <TranslatedField
          name="translations"
          label={t('serviceTypes.texts.label')}
          texts={[{ name: 'name', label: t('labels.name'), maxLength: 100 }]}
          value={texts}
          errors={errors.name ? { ...errors, 'translations.en.name': errors.name } : errors}
          clashes={NONE}
          first
          onChange={(to) => change(() => setTexts(to))}
        />
        <Field label={t('labels.icon')} hint={t('ui.image.hint')} errors={errors.icon}>
          {(given) => (
            <ImageField {...given} label={t('labels.icon')} value={icon} onChange={(to) => change(() => setIcon(to))} />
          )}
        </Field>
        <Field label={t('labels.services')} errors={errors.services}>
          {(given) => (
            <ServicePicker
              id={given.id}
              label={t('labels.services')}
              value={null}
              onChange={(service) => service && add(service)}
            />
          )}
        </Field>
        <ul className="used-by">
          {chosen.map(({ id, name }) => (
            <li key={id}>
              {id} · {name}
              <Button
                look="plain"
                iconOnly
                icon="times"
                label={t('services.removeProvider', { name })}
                onClick={() => change(() => setChosen(chosen.filter((one) => one.id !== id)))}
              />
            </li>
          ))}
        </ul>
        <Tick
          label={t('labels.customComments')}
          checked={custom}
          errors={errors.is_custom_comments}
          onChange={(on) => change(() => setCustom(on))}
        />
        {rest && <ProblemBar problem={rest} />}
      </form>
    </Dialog>
  );
}
