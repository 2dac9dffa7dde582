// The banner of one place: what it shows, its slides in their order, and how they look there.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { BannerType } from '@/api/words';
import { withIdempotencyKey, writeInitAt } from '@/api/writeOptions';
import { ConflictMark, useConflictText } from '@/form/Conflict';
import { choice, parseRows, quantity, textOrNull } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormProblem } from '@/form/FormProblem';
import { errorsAt, errorsWithin, isWithinFields } from '@/form/problems';
import { defineForm, type FormValues } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { moveItem } from '@/ui/order';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import {
  type Banner,
  nameOf,
  readBanners,
  type Slide,
  type Stand,
  sentSlides,
  slidesOf,
  standsOf,
  useBanners,
} from './calls';
import { Preview } from './Preview';
import { SlideForm } from './SlideForm';

export default function BannerPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useBanners();
  const stand = query.data && standsOf(query.data).find(({ place }) => place === params.place);
  return (
    <div className="record">
      <nav>
        <Link href="/banners">{t('banners.title')}</Link>
      </nav>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && !stand && <Notice icon="image" title={t('ui.missing')} />}
      {stand && <Editor key={stand.place} stand={stand} />}
    </div>
  );
}

const BANNER = defineForm<Schemas['BannerInput']>()({
  type: choice(BannerType),
  scroll_delay: quantity,
  content: textOrNull,
});

/** The usual seconds between two slides. */
const DELAY = 3;

/** The slides are one value, named as the server names what is wrong with them. */
const SLIDES = 'informations';

const valuesOf = (banner: Banner | null): FormValues => ({
  ...BANNER.toValues({ ...banner, type: banner?.type ?? 'none', scroll_delay: banner?.scroll_delay || DELAY }),
  [SLIDES]: JSON.stringify(slidesOf(banner)),
});

const slidesIn = (values: FormValues) => parseRows<Slide>(values[SLIDES]);

function Editor({ stand }: { stand: Stand }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { banner, place, sizes } = stand;
  const manages = useHasPermission()('manage panel settings');
  const initial = useMemo(() => valuesOf(banner), [banner]);
  const [chosen, setChosen] = useState<number | null>(slidesIn(initial)[0]?.id ?? null);
  const [deleting, setDeleting] = useState(false);
  const form = useForm({
    spec: BANNER,
    initial,
    followsRecord: true,
    reload: async () => valuesOf(standsOf(await readBanners()).find((one) => one.place === place)?.banner ?? null),
    send: ({ values, base }, key) => {
      const informations = sentSlides(slidesIn(values), slidesIn(base));
      const body = { ...BANNER.toBody(values, base), informations, ...(banner ? {} : { place }) };
      return unwrap(
        banner
          ? api.POST('/api/v1/admin/banners/{id}', { params: { path: { id: banner.id } }, body })
          : api.POST('/api/v1/admin/banners', { body, ...withIdempotencyKey(key) }),
      );
    },
    success: t('ui.saved'),
    onProblem: ({ fields }) => {
      const wrong = slides.find((_, at) => errorsAt(fields, `${SLIDES}.${at}`));
      if (wrong) setChosen(wrong.id);
    },
    onDone: ({ data }, { rebase }) => {
      const values = valuesOf(data);
      // A slide that was new has an id now, and the same place.
      setChosen(slidesIn(values)[at]?.id ?? null);
      rebase(values);
      void queries.invalidateQueries({ queryKey: ['banners'] });
    },
  });
  const { values, errors, conflicts, isPending, isDirty, change } = form;
  const newer = useConflictText(conflicts);
  const slides = slidesIn(values);
  const at = slides.findIndex(({ id }) => id === chosen);
  const slide = slides[at];
  const setSlides = (slides: readonly Slide[]) => change(SLIDES, JSON.stringify(slides));
  const changeSlide = (change: Partial<Slide>) =>
    setSlides(
      slides.map((one, place) => {
        const now = { ...one, ...(one.id === chosen ? change : {}) };
        return { ...now, name: nameOf(now.translations, place) };
      }),
    );
  const add = () => {
    const id = Math.min(0, ...slides.map(({ id }) => id)) - 1;
    const name = nameOf('', slides.length);
    const slide = { id, name, image: '', background_image: '', background_color: '', translations: '{}' };
    setSlides([...slides, slide]);
    if (values.type === 'none') change('type', 'slider');
    setChosen(id);
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
      <form className="editor" onSubmit={form.submit}>
        <FormProblem form={form} isShownAtField={isWithinFields(['type', 'scroll_delay', 'content', SLIDES])} />
        <fieldset className="editor-part" disabled={!manages}>
          <div className="form form-wide">
            <Field
              label={t('banners.type')}
              conflict={newer('type', (type) => t(`banners.types.${type as 'none'}`))}
              errors={errors.type}
            >
              {(given) => (
                <Select
                  id={given.id}
                  label={t('banners.type')}
                  value={values.type ?? null}
                  options={BannerType.map((type) => ({ value: type, label: t(`banners.types.${type}`) }))}
                  onChange={(type) => change('type', type ?? 'none')}
                />
              )}
            </Field>
            <Field
              label={t('banners.delay')}
              hint={t('banners.delayHint')}
              conflict={newer('scroll_delay')}
              errors={errors.scroll_delay}
            >
              {(given) => (
                <input
                  {...given}
                  className="input"
                  type="number"
                  value={values.scroll_delay ?? ''}
                  onChange={(event) => change('scroll_delay', event.target.value)}
                />
              )}
            </Field>
          </div>
          {(values.type === 'content' || values.content) && (
            <>
              <Field label={t('banners.content')} conflict={newer('content')} errors={errors.content}>
                {(given) => (
                  <textarea
                    {...given}
                    className="input"
                    rows={6}
                    value={values.content ?? ''}
                    onChange={(event) => change('content', event.target.value)}
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
              items={slides}
              isReadOnly={!manages}
              selectedId={chosen}
              onSelect={({ id }) => setChosen(id)}
              onMove={(from, to) => setSlides(moveItem(slides, from, to))}
              renderExtra={({ id, name }) => (
                <Button
                  variant="plain"
                  iconOnly
                  icon="times"
                  label={t('services.removeProvider', { name })}
                  onClick={() => setSlides(slides.filter((one) => one.id !== id))}
                />
              )}
            />
            {errors.informations && <small className="field-error">{errors.informations.join(' ')}</small>}
            <ConflictMark conflicts={conflicts} name={SLIDES} />
            {manages && <Button icon="plus" label={t('banners.addSlide')} onClick={add} />}
          </fieldset>
          {slide && (
            <>
              <Preview slide={slide} sizes={sizes} />
              <SlideForm
                key={slide.id}
                slide={slide}
                sizes={sizes}
                errors={errorsWithin(errors, `${SLIDES}.${at}`)}
                onChange={changeSlide}
              />
            </>
          )}
        </fieldset>
        {manages && (
          <div className="editor-save">
            <Button label={t('services.discard')} disabled={!isDirty} onClick={form.discard} />
            <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          </div>
        )}
      </form>
      {deleting && banner && (
        <Delete id={banner.id} name={t(`banners.places.${place}`)} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}

function Delete({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return (
    <DeleteDialog
      name={name}
      texts={{
        title: t('banners.delete'),
        cancel: t('labels.keep'),
        confirm: t('banners.delete'),
        description: t('labels.noWayBack'),
      }}
      remove={(how) => unwrap(api.DELETE('/api/v1/admin/banners/{id}', writeInitAt({ id }, how)))}
      onClose={onClose}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: ['banners'] });
        navigate('/banners');
      }}
    />
  );
}
