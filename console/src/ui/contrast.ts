// Contrast ratio of two colors, from 1 to 21 (WCAG 2).

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

/** Null when one of the colors is invalid. */
export function contrastRatio(one: string, other: string): number | null {
  const [a, b] = [luminance(one), luminance(other)];
  return a === null || b === null ? null : (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** What a ratio is sufficient for: all text, large text and icons, or neither (WCAG level AA). */
export function contrastLevel(ratio: number): 'text' | 'large' | 'none' {
  if (ratio >= 4.5) return 'text';
  return ratio >= 3 ? 'large' : 'none';
}

/** Black or white, whichever has the better contrast. */
export function textColorOn(background: string): '#000000' | '#ffffff' {
  return (contrastRatio(background, '#ffffff') ?? 21) >= (contrastRatio(background, '#000000') ?? 1)
    ? '#ffffff'
    : '#000000';
}
