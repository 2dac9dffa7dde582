// One line of an import: name, price, margin and place as they would be here, the rest on demand, and what is wrong with
// each field.
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Checkbox } from '@/ui/Field';
import { LineFrame, type LineProps, RefusedLine, useFieldLabel, useWrong } from './LineFrame';
import { type Edit, FLAGS, panelFlag, priced, type SharedValues, unreadable } from './lines';
import { GroupSelect, NetworkSelect, SelectField, TypeSelect } from './selects';
import { NumberCell } from './TextCell';

interface Props extends LineProps {
  edit: Edit;
  shared: SharedValues;
  onEdit: (change: Edit) => void;
}

export function ImportLine({ line, edit, shared, errors, ticked, onTick, onEdit }: Props) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const details = useId();
  const of = useFieldLabel(line);
  const { price, margin, isTooLow } = priced(line, edit, shared);
  const wrong = useWrong(errors, unreadable(edit));
  const network = edit.network_id ?? shared.network_id;
  const hidden = ['description', 'promotable_checker_group_id', ...FLAGS].some((field) => errors?.[field]);
  const shown = open || hidden;
  if (line.refusal) return <RefusedLine line={line} columns={4} />;
  return (
    <LineFrame
      {...{ line, ticked, onTick, wrong }}
      name={edit.name ?? line.name}
      others={['id', 'external_panel_price', 'provider_price']}
      onName={(name) => onEdit({ name })}
      below={
        shown && (
          <tr id={details} className="import-details">
            <td />
            <td colSpan={6}>
              <Details {...{ line, edit, of, wrong, onEdit }} />
            </td>
          </tr>
        )
      }
    >
      <NumberCell
        name={t('panelServices.price')}
        labelOf={of}
        value={edit.price ?? price ?? ''}
        wrong={wrong('price')}
        note={isTooLow && line.lowest_price ? t('imports.tooLow', { lowest: formatMoney(line.lowest_price) }) : ''}
        onChange={(price) => onEdit({ price })}
      />
      <NumberCell
        name={t('imports.columns.margin')}
        labelOf={of}
        value={edit.margin ?? margin ?? ''}
        wrong={wrong('margin_percent')}
        onChange={(margin) => onEdit({ margin })}
      />
      <td className="import-place" data-label={t('imports.columns.place')}>
        <NetworkSelect
          label={of(t('panelServices.network'))}
          value={network}
          wrong={wrong('network_id')}
          onChange={(network_id) => onEdit({ network_id })}
        />
        <TypeSelect
          label={of(t('panelServices.serviceType'))}
          network={network}
          value={edit.service_type_id ?? (edit.service_type_id === null ? null : shared.service_type_id)}
          wrong={wrong('service_type_id')}
          {...(shared.keep_categories && line.category ? { placeholder: line.category } : {})}
          onChange={(service_type_id) => onEdit({ service_type_id })}
        />
      </td>
      <td>
        <Button
          variant="plain"
          iconOnly
          icon={shown ? 'angle-up' : 'angle-down'}
          label={of(t('imports.columns.more'))}
          aria-expanded={shown}
          aria-controls={details}
          onClick={() => setOpen(!shown)}
        />
      </td>
    </LineFrame>
  );
}

interface DetailsProps extends Pick<Props, 'line' | 'edit' | 'onEdit'> {
  of: (field: string) => string;
  wrong: (field: string) => readonly string[];
}

function Details({ line, edit, of, wrong, onEdit }: DetailsProps) {
  const { t } = useTranslation();
  const text = wrong('description');
  return (
    <div className="import-more">
      <label className="field">
        <span className="field-label">{t('syncField.description')}</span>
        <textarea
          className="input"
          rows={3}
          maxLength={50_000}
          aria-label={of(t('syncField.description'))}
          aria-invalid={text.length > 0 || undefined}
          value={edit.description ?? line.description ?? ''}
          onChange={(event) => onEdit({ description: event.target.value })}
        />
        {text.length > 0 && <small className="field-error">{text.join(' ')}</small>}
      </label>
      <SelectField label={t('services.fields.promotable_checker_group_id')}>
        <GroupSelect
          label={of(t('services.fields.promotable_checker_group_id'))}
          value={edit.promotable_checker_group_id ?? null}
          wrong={wrong('promotable_checker_group_id')}
          onChange={(promotable_checker_group_id) => onEdit({ promotable_checker_group_id })}
        />
      </SelectField>
      <fieldset className="import-flags">
        <legend>{t('externalPanels.parts.sync')}</legend>
        {FLAGS.map((flag) => (
          <Checkbox
            key={flag}
            label={t(`externalPanels.sync.${panelFlag(flag)}`)}
            checked={edit[flag] ?? line[flag]}
            onChange={(on) => onEdit({ [flag]: on })}
          />
        ))}
      </fieldset>
    </div>
  );
}
