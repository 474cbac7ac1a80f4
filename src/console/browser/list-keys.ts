/** j and k move the focus through the rows of a list, / focuses its search. A button disables the keys in this browser. */
const settingName = 'pennypost_list_keys';
const hint = document.querySelector<HTMLElement>('[data-list-keys]');
const [keys, button] = [hint?.querySelector('span'), hint?.querySelector('button')];

if (hint && keys && button) {
  const isOn = () => localStorage.getItem(settingName) !== 'off';
  const show = () => {
    keys.hidden = !isOn();
    const [off, on] = button.children;
    off?.toggleAttribute('hidden', !isOn());
    on?.toggleAttribute('hidden', isOn());
  };
  show();
  hint.hidden = false;
  button.addEventListener('click', () => {
    localStorage.setItem(settingName, isOn() ? 'off' : 'on');
    show();
  });
  document.addEventListener('keydown', (event) => {
    if (!isOn() || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const target = findTarget(event.key);
    if (!target) return;
    event.preventDefault();
    target.focus();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

/** Looks rows up each time, because live parts replace them. */
function findTarget(key: string): HTMLElement | null | undefined {
  if (key === '/') return document.querySelector<HTMLElement>('#find');
  if (key !== 'j' && key !== 'k') return undefined;
  const rows = [...document.querySelectorAll<HTMLElement>('tbody th a')];
  const current = rows.indexOf(document.activeElement as HTMLElement);
  if (current === -1) return rows[0];
  return rows[current + (key === 'j' ? 1 : -1)];
}
