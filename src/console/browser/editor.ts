export {};

/** The template editor: marks placeholders behind the text, adds formatting buttons and updates the preview. */
const wait_ms = 400;
const maxMarked = 100_000;
const placeholder = /\(\([^()]+\)\)/;

for (const editor of document.querySelectorAll<HTMLElement>('[data-editor]')) {
  const area = editor.querySelector('textarea');
  const layer = editor.querySelector<HTMLElement>('.layer');
  const toolbar = editor.querySelector<HTMLElement>('.toolbar');
  if (!area || !layer || !toolbar) continue;
  toolbar.hidden = false;
  toolbar.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (button) write(area, button.dataset);
  });
  const pattern = buildPattern(area.dataset);
  const update = () => mark(layer, area.value, pattern);
  area.addEventListener('input', update);
  area.addEventListener('scroll', () => layer.scrollTo(area.scrollLeft, area.scrollTop));
  update();
}

/** Matches placeholders, and characters that increase the cost. */
function buildPattern({ marks, unmarked }: DOMStringMap): RegExp {
  const set = (marks ?? unmarked ?? '').replaceAll(/[\\\]^-]/g, '\\$&');
  if (set === '') return new RegExp(`(${placeholder.source})`, 'g');
  return unmarked === undefined
    ? new RegExp(`(${placeholder.source}|[${set}])`, 'g')
    : new RegExp(`(${placeholder.source}|[^${set}])`, 'gu');
}

function mark(layer: HTMLElement, text: string, pattern: RegExp): void {
  const parts = text.length > maxMarked ? [text] : text.split(pattern);
  layer.replaceChildren(
    ...parts.map((part, index) => {
      if (index % 2 === 0) return part;
      const marked = document.createElement('mark');
      marked.textContent = part;
      if (!placeholder.test(part)) marked.className = 'costly';
      return marked;
    }),
    '\n',
  );
}

/** Uses the browser's own editing command, so that the change can be undone. */
function write(area: HTMLTextAreaElement, { line, before = '', after = '' }: DOMStringMap): void {
  area.focus();
  const { selectionStart: start, selectionEnd: end, value } = area;
  if (line === undefined) {
    document.execCommand('insertText', false, `${before}${value.slice(start, end)}${after}`);
    if (start === end) area.setSelectionRange(start + before.length, start + before.length);
    return;
  }
  const from = value.lastIndexOf('\n', start - 1) + 1;
  area.setSelectionRange(from, end);
  document.execCommand('insertText', false, value.slice(from, end).replaceAll(/^/gm, line));
}

const form = document.querySelector<HTMLFormElement>('form#edit');
let timer = 0;
let asked = 0;

form?.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && ['view', 'width'].includes(target.name)) return;
  clearTimeout(timer);
  timer = setTimeout(() => void update(form), wait_ms);
});
// A preview after saving would store the text as a draft again.
form?.addEventListener('submit', () => clearTimeout(timer));

/** Lets the server render the current text. The fields with the text stay unchanged. */
async function update(of: HTMLFormElement): Promise<void> {
  asked += 1;
  const mine = asked;
  const fields = [...new FormData(of)].filter((field): field is [string, string] => typeof field[1] === 'string');
  const body = new URLSearchParams([...fields, ['do', 'preview']]);
  const response = await fetch(location.href, { method: 'POST', body, headers: { 'x-live-part': 'true' } }).catch(
    () => undefined,
  );
  if (!response?.ok || mine !== asked) return;
  nameDraft(new FormData(of).get('draft_id'));
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const id of ['warnings', 'kept']) {
    const fresh = page.getElementById(id);
    document.getElementById(id)?.replaceChildren(...(fresh?.childNodes ?? []));
  }
  replaceHints(page);
  replaceValues(page);
  replacePreview(page);
}

/** The address leads back to the draft, also after a reload. */
function nameDraft(id: FormDataEntryValue | null): void {
  if (typeof id !== 'string') return;
  history.replaceState(history.state, '', `?${new URLSearchParams({ draft: id })}`);
}

/** Unchanged hints stay in the document, so that they are not announced again. */
function replaceHints(page: Document): void {
  const [old, fresh] = [document.getElementById('hints'), page.getElementById('hints')];
  if (old && fresh && old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

/** Selects the words that a hint is about. Without a position, the link goes to the field. */
document.getElementById('hints')?.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-start]') : null;
  const field = document.getElementById(link?.getAttribute('href')?.slice(1) ?? '');
  if (!link || !(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement)) return;
  event.preventDefault();
  field.focus();
  field.setSelectionRange(Number(link.dataset.start), Number(link.dataset.end));
});

const namesIn = (element: Element) =>
  [...element.querySelectorAll<HTMLInputElement>('[name="names[]"]')].map(({ value }) => value).join('\n');

/** Replaces the fields only if the placeholders have changed, because the writer may be typing a value. */
function replaceValues(page: Document): void {
  const [old, fresh] = [document.getElementById('values'), page.getElementById('values')];
  if (old && fresh && namesIn(old) !== namesIn(fresh)) old.replaceChildren(...fresh.childNodes);
}

/** Keeps the old preview until the new one is loaded. */
function replacePreview(page: Document): void {
  const [old, fresh] = [document.getElementById('preview'), page.getElementById('preview')];
  if (!old || !fresh) return;
  const next = document.importNode(fresh, true);
  const loads = next.querySelectorAll('iframe, img:not([loading])');
  if (loads.length === 0) {
    old.replaceWith(next);
    return;
  }
  document.querySelector('[data-next-preview]')?.remove();
  next.hidden = true;
  next.dataset.nextPreview = '';
  next.removeAttribute('id');
  const swap = () => {
    if (!next.isConnected || !next.hidden) return;
    old.remove();
    next.id = 'preview';
    next.hidden = false;
    delete next.dataset.nextPreview;
  };
  for (const element of loads) {
    element.addEventListener('load', swap, { once: true });
    element.addEventListener('error', swap, { once: true });
  }
  old.after(next);
}
