// The color presets of the customer site. If the user changes a single color, the preset becomes "custom".

interface PresetColors {
  primary: string;
  header_left: string;
  header_right: string;
  icons: string;
}

export const COLOR_PRESETS: Readonly<Record<string, { light: PresetColors; dark: PresetColors }>> = {
  violet: {
    light: { primary: '#7c3aed', header_left: '#6d28d9', header_right: '#7c3aed', icons: '#5b21b6' },
    dark: { primary: '#c4b5fd', header_left: '#2e1065', header_right: '#4c1d95', icons: '#ddd6fe' },
  },
  ocean: {
    light: { primary: '#0369a1', header_left: '#075985', header_right: '#0e7490', icons: '#0c4a6e' },
    dark: { primary: '#7dd3fc', header_left: '#082f49', header_right: '#164e63', icons: '#bae6fd' },
  },
  forest: {
    light: { primary: '#15803d', header_left: '#166534', header_right: '#047857', icons: '#14532d' },
    dark: { primary: '#86efac', header_left: '#052e16', header_right: '#064e3b', icons: '#bbf7d0' },
  },
  sunset: {
    light: { primary: '#c2410c', header_left: '#9f1239', header_right: '#c2410c', icons: '#9a3412' },
    dark: { primary: '#fdba74', header_left: '#4c0519', header_right: '#7c2d12', icons: '#fed7aa' },
  },
};

/**
 * Returns the change and all further changes that it causes, as `[key, value]`: a preset changes the colors, and a color changes the
 * preset to "custom".
 */
export function addDependentChanges(key: string, value: unknown): readonly (readonly [string, unknown])[] {
  const preset = key === 'theme_preset' ? COLOR_PRESETS[String(value)] : undefined;
  const colorChanges = Object.entries(preset ?? {}).flatMap(([theme, colors]) =>
    Object.entries(colors).map(([name, color]) => [`colors.${theme}.${name}`, color] as const),
  );
  const presetChange = key.startsWith('colors.') ? [['theme_preset', 'custom'] as const] : [];
  return [[key, value], ...colorChanges, ...presetChange];
}
