/** Buttons that copy a text. They briefly confirm that they did. */
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button[data-copies]') : null;
  const source = button && document.getElementById(button.dataset.copies ?? '');
  if (!button || !source) return;
  const text = source instanceof HTMLInputElement ? source.value : (source.textContent ?? '');
  const word = button.querySelector<HTMLElement>('span');
  void navigator.clipboard.writeText(text).then(
    () => say(word, button.dataset.sayCopied),
    () => say(word, button.dataset.sayRefused),
  );
});

function say(word: HTMLElement | null, text: string | undefined): void {
  if (!word || text === undefined) return;
  // A second click must not mistake "Copied" for the label of the button.
  const label = word.dataset.label ?? word.textContent ?? '';
  word.dataset.label = label;
  word.textContent = text;
  setTimeout(() => {
    word.textContent = label;
  }, 2_000);
}

/** Shows the buttons, including those of parts that are loaded later. */
export function showCopyButtons(root: ParentNode): void {
  // Browsers provide a clipboard only on https and on localhost.
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copies]')) button.hidden = false;
}

showCopyButtons(document);
