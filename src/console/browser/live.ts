const slowest_s = 60;

/**
 * Asks for its fragment again and again: every few seconds, less often while nothing changes or the server fails, and not in
 * a hidden tab. It ends with a fragment without `data-live`. A button pauses it.
 */
class LivePart extends HTMLElement {
  private timer = 0;
  private tag: string | undefined;
  private wait_s = 2;
  private isPaused = false;
  private readonly onVisible = () => {
    if (!document.hidden) void this.ask();
  };

  connectedCallback(): void {
    this.wait_s = this.least_s();
    this.before(this.pauseButton());
    document.addEventListener('visibilitychange', this.onVisible);
    this.later();
  }

  disconnectedCallback(): void {
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.onVisible);
  }

  private least_s(): number {
    return Number(this.dataset.every ?? '2');
  }

  private later(): void {
    clearTimeout(this.timer);
    if (this.isPaused || !this.isConnected) return;
    this.timer = setTimeout(() => void this.ask(), this.wait_s * 1000);
  }

  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    // Becoming visible asks again.
    if (document.hidden || this.isPaused) return;
    const changed = await this.fetchFragment().catch(() => false);
    this.wait_s = changed ? this.least_s() : Math.min(this.wait_s * 1.3, slowest_s);
    if (this.querySelector('[data-live]')) this.later();
    else this.end();
  }

  private async fetchFragment(): Promise<boolean> {
    const headers: Record<string, string> = { 'x-live-part': 'true' };
    if (this.tag) headers['if-none-match'] = this.tag;
    const response = await fetch(this.dataset.from ?? '', { headers });
    if (!response.ok) return false;
    this.tag = response.headers.get('etag') ?? undefined;
    this.innerHTML = await response.text();
    return true;
  }

  private end(): void {
    document.removeEventListener('visibilitychange', this.onVisible);
    this.button?.remove();
  }

  private button: HTMLButtonElement | undefined;

  private pauseButton(): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button button--small';
    button.textContent = 'Pause updates';
    button.addEventListener('click', () => {
      this.isPaused = !this.isPaused;
      button.textContent = this.isPaused ? 'Resume updates' : 'Pause updates';
      if (!this.isPaused) void this.ask();
    });
    this.button = button;
    return button;
  }
}

customElements.define('live-part', LivePart);
