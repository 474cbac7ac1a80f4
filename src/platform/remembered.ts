import type { Notices } from './db/notices.ts';

interface Entry<Value> {
  loading: Promise<Value | undefined>;
  readAt: number;
}

export interface RememberedOptions<Value> {
  /** Its payload is the key of what changed. */
  channel: string;
  most: number;
  /** For what no notice tells about. */
  forgetAfter_ms: number;
  load(key: string): Promise<Value | undefined>;
}

/** Rows by id, kept in memory until a notice says that they changed; while notices may get lost nothing is kept. */
export class Remembered<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private readonly notices: Notices;
  private readonly options: RememberedOptions<Value>;

  constructor(notices: Notices, options: RememberedOptions<Value>) {
    this.notices = notices;
    this.options = options;
    notices.on(options.channel, (key) => this.entries.delete(key));
    notices.onReset(() => this.entries.clear());
  }

  find(key: string): Promise<Value | undefined> {
    const known = this.entries.get(key);
    if (known && performance.now() - known.readAt < this.options.forgetAfter_ms) return known.loading;
    const entry = { loading: this.options.load(key), readAt: performance.now() };
    if (this.notices.connected) this.keep(key, entry);
    return entry.loading;
  }

  private keep(key: string, entry: Entry<Value>): void {
    if (this.entries.size >= this.options.most) this.entries.clear();
    this.entries.set(key, entry);
    const forget = () => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    // Neither a failed read nor an unknown key is worth remembering.
    entry.loading.then((value) => value ?? forget(), forget);
  }
}
