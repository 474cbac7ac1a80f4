import type { ComponentChildren } from 'preact';

interface LiveProps {
  /** The address of the fragment that replaces the children. */
  from: string;
  /** Seconds between two requests; more while nothing changes. */
  every?: number;
  /** The longest time between two requests, where a change must be seen soon. */
  atMost?: number;
  children: ComponentChildren;
}

/**
 * A part that keeps itself up to date: `browser/live.ts` asks for the fragment again, until it contains no
 * `data-live` any more. Without script it shows what it was at first.
 */
export function Live({ from, every = 2, atMost, children }: LiveProps) {
  return (
    <live-part data-from={from} data-every={every} data-at-most={atMost}>
      <div data-live>{children}</div>
    </live-part>
  );
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'live-part': HTMLAttributes<HTMLElement> & {
        'data-from': string;
        'data-every': number;
        'data-at-most'?: number | undefined;
      };
    }
  }
}
