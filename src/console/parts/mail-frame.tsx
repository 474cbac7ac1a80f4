import type { Text } from '../../language/text.ts';
import { decodeEntities } from '../../rendering/escape.ts';

/** Links open in new tabs, which are ordinary pages. Scripts, forms and our own origin stay out of reach. */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';

interface MailFrameProps {
  /** The address of a page that sends the email with `sendMailFrame`. */
  src: string;
  /** The same email, to know its height. */
  html: string;
  title: Text;
  width?: '360' | '600' | 'full';
}

/**
 * An email as its recipient sees it. Others wrote it, so it has a page and an origin of its own, and nobody can measure it
 * from outside. Its lines are laid out behind the frame, invisible, which makes the frame as tall as they are at every
 * width and size of text.
 */
export function MailFrame({ src, html, title, width = '600' }: MailFrameProps) {
  return (
    <div class={`mail-sheet mail-sheet--${width}`}>
      <div class="mail-lines" aria-hidden="true">
        {listMailLines(html).map(({ kind, text }, index) => (
          <i key={index} class={`mail-${kind}`} data-text={text} />
        ))}
      </div>
      <iframe class="mail" src={src} sandbox={mailSandbox} title={title} />
    </div>
  );
}

/** The elements of emails that begin a line. `banner` is a cell in colour. */
const kinds = ['p', 'h2', 'h3', 'li', 'hr', 'img', 'banner'] as const;

interface MailLine {
  kind: (typeof kinds)[number] | 'inset';
  text: string;
}

/** This bounds the page around a long email, whose frame scrolls. */
const maxLength = 200_000;

/** The lines of an email, as `renderEmailPage` and `renderEmailHtml` write them. */
function listMailLines(html: string): MailLine[] {
  const lines: MailLine[] = [];
  let isInset = false;
  const body = html.slice(Math.max(0, html.indexOf('<body')), maxLength);
  for (const [, tag = '', text = ''] of body.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const name = tag.includes('bgcolor') ? 'banner' : /^\/?\w*/.exec(tag)?.[0];
    if (name === 'blockquote' || name === '/blockquote') isInset = name === 'blockquote';
    const kind = kinds.find((known) => known === name);
    if (kind) lines.push({ kind: kind === 'p' && isInset ? 'inset' : kind, text: '' });
    const line = lines.at(-1);
    if (line) line.text += `${name === 'br' ? '\n' : ''}${decodeEntities(text).replaceAll(/\s+/g, ' ')}`;
  }
  return lines;
}
