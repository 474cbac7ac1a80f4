import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { type Inlet, openInlet } from '../inlet/inlet.ts';
import { changeMailTemplate, getMailTemplate } from './mail-template.ts';

const harness = useHarness({
  config: { inlet: { listen: { host: '127.0.0.1', port: 0 }, plainLoopback: true } },
});
let inlet: Inlet;
let service: string;
let key: string;
let client: SmtpClient;

beforeAll(async () => {
  const opened = await openInlet(harness.app);
  if (!opened) throw new Error('The inlet is off');
  inlet = opened;
  service = await aService(harness, { permissions: ['email', 'smtp'], contact_link: 'help@example.org' });
  await harness.admin('POST', `/service/${service}`, { smtp_files: 'link' });
  harness.app.changeListener.reset();
  key = await anApiKey(harness, service, { send_over_smtp: true });
  client = await SmtpClient.signedIn(inlet.port, key);
});

afterAll(async () => {
  client?.close();
  await inlet?.close();
});

const part = (headers: string[], body: string) => ['--b', ...headers, '', body].join('\r\n');

async function receive(files: string[] = []) {
  const parts = files.map((name) =>
    part(['Content-Type: text/csv', `Content-Disposition: attachment; filename=${name}`], 'a,b'),
  );
  const head = ['Subject: Door', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b', ''];
  const source = [...head, part(['Content-Type: text/plain'], 'It is open'), ...parts, '--b--'].join('\r\n');
  const answer = await client.send(source, 'ada@example.org');
  const [, id] = /^250 2\.0\.0 Queued as (\S+)$/.exec(answer) ?? [];
  return (await harness.v2('GET', `/v2/notifications/${id}`, key)).body;
}

describe('the template of emails from other software', () => {
  it('is around the next email when it was changed, with links to files after its text', async () => {
    expect((await receive()).body).toBe('It is open');
    const { version } = await getMailTemplate(harness.app.db, service);
    const changed = { subject: 'IT: ((subject))', content: '# Hello\n\n((body))\n\nRegards $& $1' };
    await changeMailTemplate(harness.app, service, { ...changed, has_unsubscribe_link: true, version });
    expect(await getMailTemplate(harness.app.db, service)).toMatchObject({ ...changed, version: 2 });
    const plain = await receive();
    expect(plain).toMatchObject({ subject: 'IT: Door', template: { version: 2 } });
    expect(plain.body).toMatch(/^# Hello\n\nIt is open\n+Regards \$& \$1$/);
    const { body } = await receive(['one.csv', 'two.csv']);
    expect(body).toMatch(/^# Hello\n\nIt is open\n\none\.csv: http\S+\n\ntwo\.csv: http\S+\n+Regards/);
  });

  it('has its unsubscribe link, stays hidden, and hides the values', async () => {
    await receive();
    const [message] = (await harness.admin('GET', `/service/${service}/notifications`)).body.notifications;
    expect(message.unsubscribe_link).toMatch(/^http/);
    expect(message.body).not.toContain('It is open');
    expect(message.template).toMatchObject({ redact_personalisation: true, name: 'Email from other software' });
    const { id } = message.template;
    expect((await harness.v2('GET', '/v2/templates', key)).body.templates).toEqual([]);
    expect((await harness.admin('GET', `/service/${service}/template`)).body.data).toEqual([]);
    expect((await harness.v2('GET', `/v2/template/${id}`, key)).status).toBe(404);
    expect((await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'x' })).status).toBe(404);
    const request = { template_id: id, email_address: 'ada@example.org', personalisation: { subject: 'x', body: 'x' } };
    expect((await harness.v2('POST', '/v2/notifications/email', key, request)).status).toBe(404);
  });

  it('is made once, by whoever comes first', async () => {
    const other = await aService(harness, { permissions: ['email', 'smtp'] });
    const first = await getMailTemplate(harness.app.db, other);
    const changes = ['a', 'b', 'c'].map((text) =>
      changeMailTemplate(harness.app, other, { ...first, content: `${text}\n((body))` }).catch(() => 'refused'),
    );
    expect((await Promise.all(changes)).filter((result) => result === 'refused')).toHaveLength(2);
    const rows = harness.app.db.selectFrom('templates').select('version').where('service_id', '=', other);
    expect(await rows.execute()).toEqual([{ version: 2 }]);
  });
});
