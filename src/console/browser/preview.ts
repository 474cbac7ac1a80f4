const wait_ms = 400;

/** Updates a preview while a person types: the server renders it from the form. */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-previews]')) {
  const shown = document.getElementById(form.dataset.previews ?? '');
  let timer = 0;
  let asked = 0;
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void update(), wait_ms);
  });

  async function update(): Promise<void> {
    asked += 1;
    const mine = asked;
    const fields = [...new FormData(form)].filter((field): field is [string, string] => typeof field[1] === 'string');
    const body = new URLSearchParams([...fields, ['do', 'preview']]);
    const response = await fetch(location.href, { method: 'POST', body, headers: { 'x-live-part': 'true' } });
    if (response.ok && mine === asked && shown) shown.innerHTML = await response.text();
  }
}
