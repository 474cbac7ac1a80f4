const here = 'http://console.invalid';

/** The path below /console of a page that was asked for before signing in. Anything else leads to the start. */
export function nextPage(text: string): string {
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  const isOurs = url?.origin === here && /^\/console(\/|$)/.test(url.pathname);
  return isOurs ? `${url.pathname.slice('/console'.length)}${url.search}` : '';
}
