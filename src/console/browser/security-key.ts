/**
 * Forms that are filled in by a security key: the browser shows its dialog, and the form sends what the key has signed. The page contains
 * an error message for each `Reason`.
 */
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
        say(problem, reasonOf(error));
      },
    );
  });
}

type Reason =
  | 'insecure'
  | 'unsupported'
  | 'signed-out'
  | 'no-answer'
  | 'no-key'
  | 'known-key'
  | 'wrong-address'
  | 'closed';

function whyNot(): Reason | undefined {
  if (!isSecureContext) return 'insecure';
  const isSupported = 'PublicKeyCredential' in globalThis && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
  return isSupported ? undefined : 'unsupported';
}

class Refused extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

async function ask({ dataset }: HTMLFormElement): Promise<PublicKeyCredential> {
  const response = await fetch(dataset.options ?? '', { method: 'POST', body: new URLSearchParams() });
  // A redirect goes to the sign-in page: the session has ended.
  if (response.redirected) throw new Refused('signed-out');
  if (!response.ok) throw new Refused('no-answer');
  const options = await response.json();
  const credential =
    dataset.securityKey === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  if (!(credential instanceof PublicKeyCredential)) throw new Refused('no-key');
  return credential;
}

function send(form: HTMLFormElement, credential: PublicKeyCredential): void {
  const input = form.querySelector<HTMLInputElement>('input[name="response"]');
  if (input) input.value = JSON.stringify(credential);
  form.submit();
}

function reasonOf(error: unknown): Reason {
  if (error instanceof Refused) return error.reason;
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'InvalidStateError') return 'known-key';
  if (name === 'SecurityError') return 'wrong-address';
  return 'closed';
}

function say(problem: HTMLElement, reason: Reason): void {
  for (const sentence of problem.querySelectorAll<HTMLElement>('[data-reason]')) {
    sentence.hidden = sentence.dataset.reason !== reason;
  }
  problem.setAttribute('role', 'alert');
  problem.hidden = false;
}
