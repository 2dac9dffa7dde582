// Sets the panel's favicon from the settings; without one the icon of index.html is kept.
export function showFavicon(address: string | null | undefined): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link || !address) return;
  link.removeAttribute('type');
  link.href = address;
}
