import type { Notices } from './db/notices.ts';

interface Entry<Value> {
  loading: Promise<Value | undefined>;
  /** Once it has been read. */
  value: Value | undefined;
  readAt: number;
}

interface RememberedOptions<Value> {
  /** Its payload is the key of what changed. */
  channel: string;
  most: number;
  /** For what no notice tells about. */
  forgetAfter_ms?: number;
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

  /** What is in memory; reads nothing. */
  peek(key: string): Value | undefined {
    const known = this.entries.get(key);
    return known && !this.isOld(known) ? known.value : undefined;
  }

  /** What is in memory comes at once: a promise for every request that needs no waiting would be felt. */
  find(key: string): Value | Promise<Value | undefined> {
    const known = this.entries.get(key);
    if (known && !this.isOld(known)) return known.value ?? known.loading;
    const entry = { loading: this.options.load(key), value: undefined, readAt: performance.now() };
    if (this.notices.connected) this.keep(key, entry);
    return entry.loading;
  }

  private isOld({ readAt }: Entry<Value>): boolean {
    const { forgetAfter_ms } = this.options;
    return forgetAfter_ms !== undefined && performance.now() - readAt >= forgetAfter_ms;
  }

  private keep(key: string, entry: Entry<Value>): void {
    if (this.entries.size >= this.options.most) this.entries.clear();
    this.entries.set(key, entry);
    const forget = () => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    // Neither a failed read nor an unknown key is worth remembering.
    entry.loading.then((value) => {
      if (value === undefined) forget();
      else entry.value = value;
    }, forget);
  }
}
