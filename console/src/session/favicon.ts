// The icon of the browser's tab: the panel's own where the settings have one, else the product's of index.html.
export function showFavicon(address: string | null | undefined): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link || !address) return;
  link.removeAttribute('type');
  link.href = address;
}
