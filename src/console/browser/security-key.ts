/** Forms that a security key fills in: the browser shows its dialog, and the form sends what the key has signed. */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-security-key]')) {
  const button = form.querySelector<HTMLButtonElement>('button[type="button"]');
  const problem = form.querySelector<HTMLElement>('[data-problem]');
  if (!button || !problem) continue;
  const reason = whyNot();
  if (reason !== undefined) {
    say(problem, reason);
    continue;
  }
  problem.hidden = true;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.disabled = true;
    problem.hidden = true;
    ask(form).then(
      (credential) => send(form, credential),
      (error: unknown) => {
        button.disabled = false;
        say(problem, sentenceFor(error));
      },
    );
  });
}

function whyNot(): string | undefined {
  if (!isSecureContext) return 'Security keys need an address that begins with https.';
  const isSupported = 'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
  return isSupported ? undefined : 'This browser cannot use security keys. Update it, or use another one.';
}

class Refused extends Error {}

async function ask({ dataset }: HTMLFormElement): Promise<PublicKeyCredential> {
  const response = await fetch(dataset.options ?? '', { method: 'POST', body: new URLSearchParams() });
  // A redirect leads to the sign-in: the session is over.
  if (response.redirected) throw new Refused('You are no longer signed in. Open the page again.');
  if (!response.ok) throw new Refused('The server did not answer. Try again in a moment.');
  const options = await response.json();
  const credential =
    dataset.securityKey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  if (!(credential instanceof PublicKeyCredential)) throw new Refused('The browser returned no key. Try again.');
  return credential;
}

function send(form: HTMLFormElement, credential: PublicKeyCredential): void {
  const input = form.querySelector<HTMLInputElement>('input[name="response"]');
  if (input) input.value = JSON.stringify(credential);
  form.submit();
}

function sentenceFor(error: unknown): string {
  if (error instanceof Refused) return error.message;
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'InvalidStateError') return 'This security key is registered already.';
  if (name === 'SecurityError') return 'The browser refuses security keys at this address.';
  return 'No key answered in time, or the dialog was closed. Try again.';
}

function say(problem: HTMLElement, text: string): void {
  const place = problem.querySelector('span');
  if (place) place.textContent = text;
  problem.setAttribute('role', 'alert');
  problem.hidden = false;
}
