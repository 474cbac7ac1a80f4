/** Links open in new tabs, which are ordinary pages. Scripts, forms and our own origin stay out of reach. */
export const mailSandbox = 'allow-popups allow-popups-to-escape-sandbox';

interface MailFrameProps {
  /** The address of a page that sends the email with `sendMailFrame`. */
  src: string;
  title: string;
  width?: '360' | '600' | 'full';
}

/** An email as its recipient sees it. Others wrote it, so it has a page and an origin of its own. */
export function MailFrame({ src, title, width = '600' }: MailFrameProps) {
  return <iframe class={`mail mail--${width}`} src={src} sandbox={mailSandbox} title={title} />;
}
