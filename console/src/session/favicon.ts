// Sets the favicon of the panel. Without a favicon in the settings, the icon of index.html stays.
export function showFavicon(url: string | null | undefined): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  if (!link || !url) return;
  link.removeAttribute('type');
  link.href = url;
}
