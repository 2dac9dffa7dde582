// How well a colour stands out from another: the ratio of WCAG 2, from 1 to 21.

const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

function luminance(color: string): number | null {
  const parts = HEX.exec(color.trim());
  if (!parts) return null;
  const [red = 0, green = 0, blue = 0] = parts.slice(1).map((part) => {
    const share = Number.parseInt(part, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Nothing where one of them is no colour. */
export function contrast(one: string, other: string): number | null {
  const [a, b] = [luminance(one), luminance(other)];
  return a === null || b === null ? null : (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** What a ratio is enough for: all text, large text and icons, or nothing. */
export function grade(ratio: number): 'text' | 'large' | 'none' {
  if (ratio >= 4.5) return 'text';
  return ratio >= 3 ? 'large' : 'none';
}

/** Black or white, whichever is read more easily on a ground. */
export function inkOn(ground: string): '#000000' | '#ffffff' {
  return (contrast(ground, '#ffffff') ?? 21) >= (contrast(ground, '#000000') ?? 1) ? '#ffffff' : '#000000';
}
