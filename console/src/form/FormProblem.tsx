// The error bar of a form: it shows the errors that no field shows, and the buttons with which the user resolves a conflict or
// confirms a price below the minimum margin.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { getBarProblem } from './problems';
import type { Form } from './useForm';

interface Props {
  form: Pick<Form<unknown>, 'problem' | 'loadLatest' | 'submitWithPriceConfirmation' | 'isPending'>;
  /** Whether the form has a control that shows the errors of the field. */
  isShownAtField: (field: string) => boolean;
}

export function FormProblem({ form, isShownAtField }: Props) {
  const { t } = useTranslation();
  const { problem, loadLatest, submitWithPriceConfirmation, isPending } = form;
  const barProblem = getBarProblem(problem, isShownAtField);
  return (
    <>
      {submitWithPriceConfirmation && (
        <Button label={t('ui.confirmLowPrice')} busy={isPending} onClick={() => void submitWithPriceConfirmation()} />
      )}
      {barProblem && (
        <ProblemBar problem={barProblem}>
          {loadLatest && (
            <Button
              label={t('ui.conflict.loadLatest')}
              icon="refresh"
              busy={isPending}
              onClick={() => void loadLatest()}
            />
          )}
        </ProblemBar>
      )}
    </>
  );
}
