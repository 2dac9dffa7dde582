import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startTexts } from '@/i18n';
import { SWITCHES } from './fields';
import { SwitchesForm } from './SwitchesForm';

beforeAll(startTexts);
afterEach(cleanup);

it('shows what is wrong with a switch at the switch, once for all services', () => {
  const [name] = SWITCHES;
  const errors = {
    [`services.0.${name}`]: ['This service has no active provider.'],
    [`services.4.${name}`]: ['This service has no price.'],
  };
  render(<SwitchesForm value={{}} onChange={vi.fn()} errors={errors} row={null} count={5} />);
  const shown = screen.getByText('This service has no active provider.');
  expect(shown.closest('.switches-one')).toBe(document.querySelector('.switches-one'));
  expect(document.querySelectorAll('.field-error')).toHaveLength(1);
});
