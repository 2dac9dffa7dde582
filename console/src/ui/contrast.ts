// Computes the contrast ratio of two colors, from 1 to 21, as WCAG 2 defines it.

const HEX_COLOR_PATTERN = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

function computeLuminance(color: string): number | null {
  const match = HEX_COLOR_PATTERN.exec(color.trim());
  if (!match) return null;
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((hex) => {
    const channel = Number.parseInt(hex, 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns null if one of the colors is invalid. */
export function computeContrastRatio(firstColor: string, secondColor: string): number | null {
  const [a, b] = [computeLuminance(firstColor), computeLuminance(secondColor)];
  return a === null || b === null ? null : (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Which content is readable with the ratio (WCAG level AA): all text, only large text and icons, or nothing. */
export function getContrastLevel(ratio: number): 'allText' | 'largeText' | 'tooLow' {
  if (ratio >= 4.5) return 'allText';
  return ratio >= 3 ? 'largeText' : 'tooLow';
}

/** Returns the color with the better contrast on `background`: black or white. */
export function chooseTextColor(background: string): '#000000' | '#ffffff' {
  return (computeContrastRatio(background, '#ffffff') ?? 21) >= (computeContrastRatio(background, '#000000') ?? 1)
    ? '#ffffff'
    : '#000000';
}
