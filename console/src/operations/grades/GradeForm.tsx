// The dialog that creates or edits a grade.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import {
  checkboxCodec,
  fractionAsPercentCodec,
  imageCodec,
  moneyCodec,
  quantityCodec,
  translationsCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { GRADE_PATH, type Grade } from './gradeList';

const GRADE_FORM = defineForm<Schemas['GradeInput']>()({
  translations: translationsCodec,
  discount_fraction: orDefault(fractionAsPercentCodec, '0'),
  spending_goal: orDefault(moneyCodec, '0'),
  thumbnail_period: orDefault(quantityCodec, 0),
  consultation_chat_period: orDefault(quantityCodec, 0),
  available_closed_sales: checkboxCodec,
  available_personal_manager: checkboxCodec,
  icon: imageCodec,
});
const PERIOD_FIELDS = ['thumbnail_period', 'consultation_chat_period'] as const;
const CHECKBOX_FIELDS = ['available_closed_sales', 'available_personal_manager'] as const;

/** Shows a period of 0 days as an empty field: the grade does not include this benefit. */
const toFormValues = (grade: Grade) =>
  GRADE_FORM.toValues({
    ...grade,
    thumbnail_period: grade.thumbnail_period || null,
    consultation_chat_period: grade.consultation_chat_period || null,
  });

interface Props {
  grade: Grade | null;
  onClose: () => void;
  onSaved: (grade: Grade) => void;
}

export function GradeForm({ grade, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('grades.names'),
      texts: [{ name: 'name', label: t('grades.columns.name'), hint: t('grades.nameHint'), maxLength: 100 }],
    },
    { name: 'discount_fraction', label: t('grades.discountPercent'), hint: t('grades.discountHint') },
    { name: 'spending_goal', label: t('grades.columns.goal'), hint: t('grades.goalHint') },
    ...PERIOD_FIELDS.map((name): FormField => ({ name, label: t(`grades.${name}`), hint: t('grades.periodHint') })),
    ...CHECKBOX_FIELDS.map((name): FormField => ({ name, label: t(`grades.${name}`) })),
    { name: 'icon', label: t('grades.icon') },
  ];
  return (
    <FormDialog
      title={grade ? t('grades.edit') : t('grades.create')}
      confirmLabel={grade ? t('ui.save') : t('grades.create')}
      fields={fields}
      isWide
      spec={GRADE_FORM}
      initialValues={grade ? toFormValues(grade) : { translations: '' }}
      reload={
        grade
          ? async () => toFormValues((await unwrap(api.GET(GRADE_PATH, { params: { path: { id: grade.id } } }))).data)
          : undefined
      }
      send={({ values, base }, key) => {
        const body = grade ? GRADE_FORM.toPatch(values, base) : GRADE_FORM.toCreateBody(values);
        return unwrap(
          grade
            ? api.PATCH(GRADE_PATH, { params: { path: { id: grade.id } }, body })
            : api.POST('/api/v1/admin/grades', { body, ...withIdempotencyKey(key) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}
