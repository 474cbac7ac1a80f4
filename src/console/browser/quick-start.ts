import { showCopyButtons } from './copy.ts';

const wait_ms = 300;

/** Updates the code while a person types: the server generates it for every language. */
const form = document.querySelector<HTMLFormElement>('form[data-quick-start]');
let timer = 0;
let asked = 0;

form?.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.type === 'radio') return;
  if (target instanceof HTMLSelectElement) return;
  clearTimeout(timer);
  timer = setTimeout(() => void update(form), wait_ms);
});

async function update(of: HTMLFormElement): Promise<void> {
  asked += 1;
  const mine = asked;
  const fields = [...new FormData(of)].filter((field): field is [string, string] => typeof field[1] === 'string');
  const body = new URLSearchParams([...fields, ['do', 'show']]);
  const response = await fetch(location.href, { method: 'POST', body, headers: { 'x-live-part': 'true' } });
  if (!response.ok || mine !== asked) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const snippet of of.querySelectorAll('pre[id]')) {
    const fresh = page.getElementById(snippet.id);
    if (fresh) snippet.replaceChildren(...fresh.childNodes);
  }
  showCopyButtons(of);
}
