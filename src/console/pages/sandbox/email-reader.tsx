import type { SandboxEmail } from '../../../delivery/sandbox/email-sources.ts';
import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import { t } from '../../../language/text.ts';
import { pageUrl } from '../../links.ts';
import { dataSize, several } from '../../money.ts';
import { MailFrame } from '../../parts/mail-frame.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { Preformatted } from '../messages/as-received.tsx';
import { type ListQuery, sandboxUrl, views, widths } from './list-query.ts';

interface EmailProps {
  message: InboxMessage;
  email: SandboxEmail | undefined;
  list: ListQuery;
}

const viewNames = {
  html: 'HTML',
  text: t('Text', { context: 'the plain text of an email' }),
  both: t('Side by side'),
  source: t('Source'),
  headers: t('Headers'),
  raw: t('Raw'),
};

/** An email, rendered in its own frame or shown as one of its texts. */
export function EmailReader({ message, email, list }: EmailProps) {
  if (!email) {
    return (
      <div class="desk stack">
        <Notice tone="amber">
          {t(
            'The process that sent this email keeps its file in its own data folder, so you can only read its text here.',
          )}
        </Notice>
        <Preformatted label={t('Text of the email')}>{message.text}</Preformatted>
      </div>
    );
  }
  const path = `/${message.id}`;
  return (
    <>
      <div class="toolbar reader-bar">
        <Segments
          name={t('View')}
          tabs={views.map((view) => ({
            label: viewNames[view],
            to: sandboxUrl(path, list, { view }),
            isCurrent: view === list.view,
          }))}
        />
        {list.view === 'html' && (
          <div class="row--end">
            <Segments
              name={t('Width')}
              tabs={widths.map((width) => ({
                label: width === 'full' ? t('Full') : width,
                to: sandboxUrl(path, list, { width }),
                isCurrent: width === list.width,
              }))}
            />
          </div>
        )}
      </div>
      <div class="desk">
        {list.view === 'both' ? (
          <div class="cols">
            <Shown message={message} email={email} list={{ ...list, view: 'html', width: 'full' }} />
            <Shown message={message} email={email} list={{ ...list, view: 'text' }} />
          </div>
        ) : (
          <Shown message={message} email={email} list={list} />
        )}
      </div>
      <EmailFoot message={message} email={email} list={list} />
    </>
  );
}

function Shown({ message, email, list }: EmailProps & { email: SandboxEmail }) {
  switch (list.view) {
    case 'text':
      return <Preformatted label={t('Text of the email')}>{email.text}</Preformatted>;
    case 'source':
      return <Preformatted label={t('HTML of the email')}>{email.html}</Preformatted>;
    case 'raw':
      return <Preformatted label={t('Source of the email')}>{email.source.toString()}</Preformatted>;
    case 'headers':
      return (
        <dl class="facts facts--headers card card--snug">
          {email.headers.map(({ name, value }, index) => [
            <dt key={`${index} name`}>{name}</dt>,
            <dd key={`${index} value`}>{value}</dd>,
          ])}
        </dl>
      );
    default:
      return (
        <MailFrame
          src={pageUrl(`/sandbox/emails/${message.id}/frame${list.images ? '?images=remote' : ''}`)}
          html={email.html}
          title={t('The email as received')}
          width={list.width}
        />
      );
  }
}

function EmailFoot({ message, email, list }: EmailProps & { email: SandboxEmail }) {
  const { links, html, source } = email;
  const hasPictures = /<img[^>]+src\s*=\s*["']?https:/i.test(html);
  return (
    <div class="card-foot small">
      <span class="muted">{dataSize(source.length)}</span>
      <Links links={links.filter(isFile)} noun="file" />
      <Links links={links.filter((link) => !isFile(link))} noun="link" />
      {list.view === 'html' && (hasPictures || list.images) && (
        <span class="muted">
          {list.images ? t('Remote pictures are loaded.') : t('Remote pictures are blocked.')}{' '}
          <a href={sandboxUrl(`/${message.id}`, list, { images: !list.images })}>
            {list.images ? t('Block them') : t('Show them')}
          </a>
        </span>
      )}
      <a href={pageUrl(`/sandbox/emails/${message.id}/source`)} download>
        {t('Download .eml')}
      </a>
    </div>
  );
}

/** Files are sent as links to this server. */
const isFile = (link: string) => /\/d\/[\w-]{22}\/[\w-]{22}\?key=/.test(link);

const maxOpenLinks = 3;
const maxLinks = 200;

function Links({ links, noun }: { links: readonly string[]; noun: 'file' | 'link' }) {
  if (links.length === 0) return null;
  return (
    <details class="more" open={links.length <= maxOpenLinks}>
      <summary>{several(links.length, noun)}</summary>
      <ul class="links">
        {links.slice(0, maxLinks).map((link) => (
          <li key={link}>
            <Link to={link} />
          </li>
        ))}
        {links.length > maxLinks && <li>…</li>}
      </ul>
    </details>
  );
}

/** Links open in a new tab. URLs that are not http or https are shown as text. */
function Link({ to }: { to: string }) {
  if (!/^https?:\/\//i.test(to)) return <code>{to}</code>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {to}
    </a>
  );
}
