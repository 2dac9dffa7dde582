// Moments in a field: the browser's field knows no time zone, so what is typed in it is UTC, as everything here is.

/** "2026-11-21 10:00:00" → what the field holds. */
export const fieldOf = (time: string | null | undefined) => (time ? time.slice(0, 19).replace(' ', 'T') : '');

/** What the field holds → "2026-11-21 10:00:00"; nothing when it is empty. */
export const timeOf = (field: string | undefined) =>
  field ? field.replace('T', ' ').padEnd(19, ':00').slice(0, 19) : null;
