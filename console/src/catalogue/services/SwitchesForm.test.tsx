import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { initI18n } from '@/i18n';
import { SWITCH_FIELDS } from './fields';
import { SwitchesForm } from './SwitchesForm';

beforeAll(initI18n);
afterEach(cleanup);

it('shows only the first error of a switch, even if several services have an error', () => {
  const [name] = SWITCH_FIELDS;
  const errors = {
    [`services.0.${name}`]: ['This service has no active provider.'],
    [`services.4.${name}`]: ['This service has no price.'],
  };
  render(<SwitchesForm value={{}} onChange={vi.fn()} errors={errors} row={null} count={5} />);
  const message = screen.getByText('This service has no active provider.');
  expect(message.closest('.switches-one')).toBe(document.querySelector('.switches-one'));
  expect(document.querySelectorAll('.field-error')).toHaveLength(1);
});
