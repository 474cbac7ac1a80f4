import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from './kit/builders/rows.ts';
import { adminToken, useHarness } from './kit/harness.ts';
import { processEnvironment } from './kit/process/process-environment.ts';
import { firstPage, makePdf } from './kit/samples/pdf-samples.ts';

/** What the front end of GOV.UK Notify stores in its buckets and then calls, through the program that hands its files over. */

const buckets = {
  S3_BUCKET_CSV_UPLOAD: 'uploads',
  S3_BUCKET_CONTACT_LIST_UPLOAD: 'contact-lists',
  S3_BUCKET_TRANSIENT_UPLOADED_LETTERS: 'letters',
  S3_BUCKET_LETTER_ATTACHMENTS: 'attachments',
  S3_BUCKET_TEMPLATE_EMAIL_FILES: 'email-files',
  S3_BUCKET_REPORT_REQUESTS_DOWNLOAD: 'reports',
};

const harness = useHarness();
const objects = new Map<string, { content: Buffer; notes?: Record<string, string> }>();
let address: string;
let service: string;
let user: string;

beforeAll(async () => {
  const pennypost = await harness.http.listen({ port: 0, host: '127.0.0.1' });
  const store = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const content = Buffer.concat(await request.toArray());
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=AKID/')) response.writeHead(403).end();
    else if (request.method === 'PUT') response.writeHead(200).end(void objects.set(path, { content }));
    else {
      const found = objects.get(path);
      const notes = Object.entries(found?.notes ?? {}).map(([name, value]) => [`x-amz-meta-${name}`, value]);
      response.writeHead(found ? 200 : 404, Object.fromEntries(notes)).end(found?.content);
    }
  });
  await once(store.listen(0, '127.0.0.1'), 'listening');
  const program = spawn(process.execPath, ['packaging/examples/notify-front-end/hand-over.mjs'], {
    env: {
      ...processEnvironment,
      ...buckets,
      PORT: '0',
      PENNYPOST: pennypost,
      S3_ENDPOINT: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(program.stdout.setEncoding('utf8'), 'data');
  address = /http:\S+/.exec(line)?.[0] ?? '';
  return () => {
    program.kill();
    store.close();
  };
});

beforeEach(async () => {
  objects.clear();
  user = await aUser(harness);
  service = await aService(harness, { created_by_id: user });
});

async function call(method: 'GET' | 'POST', path: string, body?: object) {
  const response = await fetch(address + path, {
    method,
    headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const csv = Buffer.from('phone number,name\n07700900001,Ada\n07700900002,Bob\n');

describe('the program that hands files over', () => {
  it('passes other requests on as they are', async () => {
    expect(await call('GET', `/service/${service}`)).toMatchObject({ status: 200, body: { data: { id: service } } });
    expect(await call('GET', `/service/${randomUUID()}`)).toMatchObject({ status: 404, body: { result: 'error' } });
  });

  it('uploads the spreadsheet of a job with its template, once', async () => {
    const template_id = await aTemplate(harness, service, { content: 'Hello ((name))' });
    const id = randomUUID();
    const notes = { original_file_name: 'people.xlsx', template_id, sender_id: 'None' };
    objects.set(`/uploads/service-${service}-notify/${id}.csv`, { content: csv, notes });
    const sent = await call('POST', `/service/${service}/job`, { id, created_by: user });
    expect(sent).toMatchObject({ status: 201, body: { data: { id, notification_count: 2, template: template_id } } });
    expect(await call('POST', `/service/${service}/job`, { id, created_by: user })).toMatchObject({ status: 400 });
  });

  it('saves a contact list', async () => {
    const id = randomUUID();
    objects.set(`/contact-lists/service-${service}-notify/${id}.csv`, {
      content: Buffer.from('phone number\n07700900001\n'),
    });
    const list = { id, original_file_name: 'people.csv', row_count: 1, template_type: 'sms', created_by: user };
    expect(await call('POST', `/service/${service}/contact-list`, list)).toMatchObject({ status: 201, body: { id } });
  });

  it('adds the PDF of a letter, of an attachment and of an email file', async () => {
    const content = Buffer.from(await makePdf([firstPage()]));
    const [file_id, upload_id, id] = [randomUUID(), randomUUID(), randomUUID()];
    objects.set(`/letters/service-${service}/${file_id}.pdf`, { content });
    objects.set(`/attachments/service-${service}/${upload_id}.pdf`, { content });
    objects.set(`/email-files/${service}/${id}`, { content });
    const letter = { filename: 'letter.pdf', created_by: user, file_id, postage: 'second' };
    const sent = await call('POST', `/service/${service}/send-pdf-letter`, letter);
    expect(sent).toMatchObject({ status: 201, body: { id: file_id } });
    const template_id = await aTemplate(harness, service, { template_type: 'letter', subject: 'A', content: 'B' });
    const pages = { upload_id, template_id, created_by_id: user, original_filename: 'pages.pdf', page_count: 1 };
    expect((await call('POST', '/letter-attachment', pages)).status).toBe(201);
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 'A', content: '((form.pdf))' });
    const file = { id, filename: 'form.pdf', created_by_id: user, link_text: 'the form' };
    const added = await call('POST', `/service/${service}/templates/${email}/template_email_files`, file);
    expect(added).toMatchObject({ status: 201, body: { data: { id, filename: 'form.pdf' } } });
  });

  it('stores a finished report where the front end reads it', async () => {
    const wanted = {
      user_id: user,
      report_type: 'notifications_report',
      notification_type: 'sms',
      notification_status: 'all',
    };
    const { id } = (await call('POST', `/service/${service}/report-request`, wanted)).body.data;
    await harness.runTasks();
    expect((await call('GET', `/service/${service}/report-request/${id}`)).body.data.status).toBe('stored');
    expect(objects.get(`/reports/notifications_report/${id}.csv`)?.content.toString()).toContain('Recipient');
  });

  it('502 for a file that is not in the bucket, and nothing is sent', async () => {
    const job = await call('POST', `/service/${service}/job`, { id: randomUUID(), created_by: user });
    expect(job).toEqual({ status: 502, body: { result: 'error', message: 'The file could not be handed over' } });
  });
});
