// The banner of one place: what it shows, its slides in their order, and how they look there.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { useMay } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { beside, isAt } from '@/ui/beside';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { onTopOf } from '@/ui/newer';
import { moved } from '@/ui/order';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { toast } from '@/ui/toasts';
import { useUnsaved } from '@/ui/unsaved';
import { nameOf, type Slide, type Stand, sentSlides, slidesOf, standsOf, useBanners } from './calls';
import { Preview } from './Preview';
import { SlideForm } from './SlideForm';

const TYPES = ['none', 'slider', 'content'] as const satisfies readonly Schemas['BannerType'][];

export default function BannerPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useBanners();
  const [kept, setKept] = useState<Kept | null>(null);
  const stand = query.data && standsOf(query.data).find(({ place }) => place === params.place);
  return (
    <div className="record">
      <nav>
        <Link href="/banners">{t('banners.title')}</Link>
      </nav>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && !stand && <Notice icon="image" title={t('ui.missing')} />}
      {stand && <Editor key={stand.banner?.updated_at ?? stand.place} stand={stand} kept={kept} onKeep={setKept} />}
    </div>
  );
}

interface Values {
  type: Schemas['BannerType'];
  scroll_delay: string;
  content: string;
  slides: Slide[];
}

const valuesOf = ({ banner }: Stand): Values => ({
  type: banner?.type ?? 'none',
  scroll_delay: String(banner?.scroll_delay || 3),
  content: banner?.content ?? '',
  slides: slidesOf(banner),
});

/** What was typed into a banner that somebody else changed meanwhile, and what it began with. */
interface Kept {
  was: Values;
  typed: Values;
}

const flat = ({ slides, ...values }: Values) => ({ ...values, slides: JSON.stringify(slides) });

/** What was typed, on top of the banner as it is now; the slides count as one. */
function resumed(stand: Stand, kept: Kept | null): Values {
  const now = valuesOf(stand);
  if (!kept) return now;
  const { slides, ...values } = onTopOf(flat(kept.was), flat(kept.typed), flat(now)).values;
  return { ...now, ...values, slides: JSON.parse(slides ?? '[]') } as Values;
}

/** The errors of one slide, named without its place. */
function errorsOf(errors: Problem['fields'], at: number) {
  const start = `informations.${at}.`;
  const of = Object.entries(errors).filter(([name]) => name.startsWith(start));
  return Object.fromEntries(of.map(([name, all]) => [name.slice(start.length), all]));
}

interface Props {
  stand: Stand;
  kept: Kept | null;
  onKeep: (kept: Kept | null) => void;
}

function Editor({ stand, kept, onKeep }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { banner, place, sizes } = stand;
  const manages = useMay()('manage panel settings');
  const [was] = useState(() => valuesOf(stand));
  const [values, setValues] = useState(() => resumed(stand, kept));
  const [chosen, setChosen] = useState<number | null>(was.slides[0]?.id ?? null);
  const [busy, setBusy] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isDirty = JSON.stringify(values) !== JSON.stringify(was);
  useUnsaved(isDirty && !busy);
  const errors = problem?.fields ?? {};
  const rest = beside(problem, isAt(['type', 'scroll_delay', 'content', 'informations']));
  const change = (change: Partial<Values>) => setValues((values) => ({ ...values, ...change }));
  const at = values.slides.findIndex(({ id }) => id === chosen);
  const slide = values.slides[at];
  const changeSlide = (change: Partial<Slide>) =>
    setValues((values) => ({
      ...values,
      slides: values.slides.map((one, place) => {
        const now = { ...one, ...(one.id === chosen ? change : {}) };
        return { ...now, name: nameOf(now.translations, place) };
      }),
    }));
  const add = () => {
    const id = Math.min(0, ...values.slides.map(({ id }) => id)) - 1;
    const name = nameOf('', values.slides.length);
    const slide = { id, name, image: '', background_image: '', background_color: '', translations: '{}' };
    change({ slides: [...values.slides, slide], type: values.type === 'none' ? 'slider' : values.type });
    setChosen(id);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      type: values.type,
      scroll_delay: Number(values.scroll_delay) || null,
      content: values.content || null,
      informations: sentSlides(values.slides, was.slides),
      ...(banner ? { updated_at: banner.updated_at } : { place }),
    } as Schemas['BannerInput'];
    try {
      await told(
        banner
          ? api.POST('/api/v1/admin/banners/{id}', { params: { path: { id: banner.id } }, body })
          : api.POST('/api/v1/admin/banners', { body }),
      );
      toast({ tone: 'success', text: t('ui.saved') });
      onKeep(null);
      await queries.invalidateQueries({ queryKey: ['banners'] });
      setBusy(false);
    } catch (error) {
      const problem = asProblem(error);
      setProblem(problem);
      const wrong = values.slides.find((_, place) => Object.keys(errorsOf(problem.fields, place)).length > 0);
      if (wrong) setChosen(wrong.id);
      setBusy(false);
    }
  };
  const loadNewer = async () => {
    setBusy(true);
    onKeep({ was, typed: values });
    await queries.refetchQueries({ queryKey: ['banners'] });
    setBusy(false);
  };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{t(`banners.places.${place}`)}</h1>
        <span className="grow" />
        {manages && banner && (
          <Button icon="trash" tone="danger" label={t('banners.delete')} onClick={() => setDeleting(true)} />
        )}
      </div>
      <form className="editor" onSubmit={save}>
        {rest && (
          <ProblemBar problem={rest}>
            {rest.code === 'changed_meanwhile' && (
              <Button label={t('ui.newer.load')} icon="refresh" busy={busy} onClick={() => void loadNewer()} />
            )}
          </ProblemBar>
        )}
        <fieldset className="editor-part" disabled={!manages}>
          <div className="form form-wide">
            <Field label={t('banners.type')} errors={errors.type}>
              {(given) => (
                <Select
                  id={given.id}
                  label={t('banners.type')}
                  value={values.type}
                  options={TYPES.map((type) => ({ value: type, label: t(`banners.types.${type}`) }))}
                  onChange={(type) => change({ type: type ?? 'none' })}
                />
              )}
            </Field>
            <Field label={t('banners.delay')} hint={t('banners.delayHint')} errors={errors.scroll_delay}>
              {(given) => (
                <input
                  {...given}
                  className="input"
                  type="number"
                  min={1}
                  max={15}
                  value={values.scroll_delay}
                  onChange={(event) => change({ scroll_delay: event.target.value })}
                />
              )}
            </Field>
          </div>
          {(values.type === 'content' || values.content) && (
            <>
              <Field label={t('banners.content')} errors={errors.content}>
                {(given) => (
                  <textarea
                    {...given}
                    className="input"
                    rows={6}
                    value={values.content}
                    onChange={(event) => change({ content: event.target.value })}
                  />
                )}
              </Field>
              {/* Without any right of this page: what is written there cannot reach it. */}
              <iframe className="banner-content" title={t('banners.preview')} sandbox="" srcDoc={values.content} />
            </>
          )}
          <fieldset className="part">
            <legend>{t('banners.slides')}</legend>
            <SortableList
              label={t('banners.slides')}
              items={values.slides}
              fixed={!manages}
              chosen={chosen}
              onChoose={({ id }) => setChosen(id)}
              onMove={(from, to) => change({ slides: moved(values.slides, from, to) })}
              more={({ id, name }) => (
                <Button
                  look="plain"
                  iconOnly
                  icon="times"
                  label={t('services.removeProvider', { name })}
                  onClick={() => change({ slides: values.slides.filter((one) => one.id !== id) })}
                />
              )}
            />
            {errors.informations && <small className="field-error">{errors.informations.join(' ')}</small>}
            {manages && <Button icon="plus" label={t('banners.addSlide')} onClick={add} />}
          </fieldset>
          {slide && (
            <>
              <Preview slide={slide} sizes={sizes} />
              <SlideForm
                key={slide.id}
                slide={slide}
                sizes={sizes}
                errors={errorsOf(errors, at)}
                onChange={changeSlide}
              />
            </>
          )}
        </fieldset>
        {manages && (
          <div className="editor-save">
            <Button label={t('services.discard')} disabled={!isDirty} onClick={() => setValues(was)} />
            <Button look="filled" type="submit" label={t('ui.save')} busy={busy} disabled={!isDirty} />
          </div>
        )}
      </form>
      {deleting && banner && <Delete id={banner.id} onClose={() => setDeleting(false)} />}
    </div>
  );
}

function Delete({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const remove = async () => {
    setBusy(true);
    try {
      await told(api.DELETE('/api/v1/admin/banners/{id}', { params: { path: { id } } }));
      await queries.invalidateQueries({ queryKey: ['banners'] });
      navigate('/banners');
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      role="alertdialog"
      title={t('banners.delete')}
      onClose={onClose}
      held={busy}
      footer={
        <>
          <Button label={t('labels.keep')} onClick={onClose} data-autofocus />
          <Button look="filled" tone="danger" label={t('banners.delete')} busy={busy} onClick={() => void remove()} />
        </>
      }
    >
      <p className="preview-final">{t('labels.noWayBack')}</p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
