import { escapeHtml } from '../../rendering/escape.ts';
import type { selectLatestSandboxMessages } from './sandbox.sql.ts';

type Message = Awaited<ReturnType<typeof selectLatestSandboxMessages>>[number];

/** Newest first. Reloads itself to show status changes. */
export function outboxPage(messages: Message[]): string {
  const list = messages.length > 0 ? messages.map(article).join('\n') : '<p>Nothing has been sent yet.</p>';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Outbox</title>
<style>
body { max-width: 45rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1d1d1d; }
article { margin: 1rem 0; padding: 1rem; border: 1px solid #ccc; border-radius: 6px; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; color: #555; font-size: 14px; }
h2 { margin: .5rem 0 0; font-size: 18px; }
pre { margin: .5rem 0; font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
.status { margin-left: auto; font-weight: bold; }
</style>
</head>
<body>
<h1>Outbox</h1>
<p>Messages that the sandbox kept instead of handing them to a provider. None of them has left this machine.</p>
${list}
</body>
</html>
`;
}

function article({
  reference,
  notification_type,
  recipient,
  sender,
  subject,
  body,
  created_at,
  status,
}: Message): string {
  const title = subject === null ? '' : `\n<h2>${escapeHtml(subject)}</h2>`;
  return `<article>
<header><span>${notification_type}</span><span>from ${escapeHtml(sender)}</span><span>to ${escapeHtml(recipient)}</span><time>${created_at}</time><span class="status">${status}</span></header>${title}
<pre>${escapeHtml(body)}</pre>
<a href="outbox/${reference}">source</a>
</article>`;
}
