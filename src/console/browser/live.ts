const slowest_s = 60;
/** The maximum share of time that a part waits for responses: the slower the server, the fewer requests. */
const shareOfWaiting = 0.01;

/**
 * Polls its fragment: every few seconds, less often while nothing changes or the server fails, and not in a hidden tab. It stops after a
 * fragment without `data-live`. A button pauses all parts of the page.
 */
class LivePart extends HTMLElement {
  private timer = 0;
  private tag: string | undefined;
  private wait_s = 2;
  /** The wait that a busy server asked for. */
  private asked_s = 0;
  private readonly onVisible = () => {
    if (!document.hidden) void this.ask();
  };

  connectedCallback(): void {
    this.wait_s = this.least_s();
    pause.add(this);
    document.addEventListener('visibilitychange', this.onVisible);
    this.later();
  }

  disconnectedCallback(): void {
    this.end();
  }

  private least_s(): number {
    return Number(this.dataset.every ?? '2');
  }

  private later(): void {
    clearTimeout(this.timer);
    if (pause.isOn || !this.isConnected) return;
    this.timer = setTimeout(() => void this.ask(), this.wait_s * 1000);
  }

  async ask(): Promise<void> {
    clearTimeout(this.timer);
    // Polling resumes when the tab becomes visible.
    if (document.hidden || pause.isOn) return;
    const began = performance.now();
    this.asked_s = 0;
    const changed = await this.fetchFragment().catch(() => false);
    const response_s = (performance.now() - began) / 1000;
    const next_s = changed ? this.least_s() : this.wait_s * 1.3;
    const most_s = Number(this.dataset.atMost ?? slowest_s);
    this.wait_s = Math.min(Math.max(next_s, this.asked_s, response_s / shareOfWaiting), most_s);
    if (this.querySelector('[data-live]')) this.later();
    else this.end();
  }

  private async fetchFragment(): Promise<boolean> {
    const headers: Record<string, string> = { 'x-live-part': 'true' };
    if (this.tag) headers['if-none-match'] = this.tag;
    const response = await fetch(this.dataset.from ?? '', { headers });
    this.asked_s = Number(response.headers.get('retry-after') ?? '0');
    if (!response.ok || pause.isOn) return false;
    this.tag = response.headers.get('etag') ?? undefined;
    this.replaceContent(await response.text());
    return true;
  }

  /** Restores the focus on the same link or button. */
  private replaceContent(html: string): void {
    const focused = this.contains(document.activeElement) ? selectorOf(document.activeElement) : undefined;
    const fresh = document.createElement('template');
    fresh.innerHTML = html;
    const [old, next] = [this, fresh.content].map((part) => part.querySelector('[role="status"]'));
    if (old && next && depthIn(this, old) === depthIn(fresh.content, next)) {
      replaceAround(this, fresh.content, old, next);
    } else {
      this.replaceChildren(fresh.content);
    }
    if (focused) this.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
  }

  private end(): void {
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.onVisible);
    pause.remove(this);
  }
}

function selectorOf(element: Element | null): string | undefined {
  if (element instanceof HTMLAnchorElement) return `a[href="${CSS.escape(element.getAttribute('href') ?? '')}"]`;
  if (element instanceof HTMLButtonElement) return `button[value="${CSS.escape(element.value)}"]`;
  return undefined;
}

function depthIn(part: Node, element: Node): number {
  return element.parentNode === part || !element.parentNode ? 0 : 1 + depthIn(part, element.parentNode);
}

/**
 * Replaces the children of `old` by those of `fresh`, except for `status` and the elements around it: screen readers announce changes in an
 * existing live region, but nothing in a new one.
 */
function replaceAround(old: Element, fresh: ParentNode & Node, status: Element, next: Element): void {
  const kept = [...old.children].find((child) => child.contains(status));
  const counterpart = [...fresh.children].find((child) => child.contains(next));
  if (!kept || !counterpart) return;
  for (const node of [...old.childNodes]) if (node !== kept) node.remove();
  const nodes = [...fresh.childNodes];
  const place = nodes.indexOf(counterpart);
  kept.before(...nodes.slice(0, place));
  kept.after(...nodes.slice(place + 1));
  for (const name of kept.getAttributeNames()) if (!counterpart.hasAttribute(name)) kept.removeAttribute(name);
  for (const { name, value } of [...counterpart.attributes]) kept.setAttribute(name, value);
  if (kept !== status) replaceAround(kept, counterpart, status, next);
  else if (kept.innerHTML !== counterpart.innerHTML) kept.replaceChildren(...counterpart.childNodes);
}

/** The button that pauses every live part of the page. It is in the element with `data-live-controls`, or before the first part. */
class Pause {
  isOn = false;
  private readonly parts = new Set<LivePart>();
  private button: HTMLButtonElement | undefined;

  add(part: LivePart): void {
    this.parts.add(part);
    if (this.button) return;
    this.button = this.createButton(part.dataset);
    const controls = document.querySelector('[data-live-controls]');
    if (controls) controls.append(this.button);
    else part.before(this.button);
  }

  remove(part: LivePart): void {
    this.parts.delete(part);
    if (this.parts.size > 0) return;
    this.button?.remove();
    this.button = undefined;
  }

  private createButton({ sayPause = '', sayResume = '' }: DOMStringMap): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button button--small';
    button.textContent = sayPause;
    button.addEventListener('click', () => {
      this.isOn = !this.isOn;
      button.textContent = this.isOn ? sayResume : sayPause;
      if (!this.isOn) for (const part of this.parts) void part.ask();
    });
    return button;
  }
}

const pause = new Pause();

customElements.define('live-part', LivePart);
