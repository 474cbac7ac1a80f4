import { beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { aCheckedUpload, emailRows, letterRows, smsRows } from '../../test/kit/builders/uploads.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { lanes } from '../notifications/notification.ts';
import { invalid } from '../platform/failure.ts';
import { acceptJob, type JobRequest } from './accept-job.ts';
import { jobRowIds } from './job-row-id.ts';
import { type JobRow, selectJobStatistics } from './jobs.sql.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let user: string;
beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness, { sms_message_limit: 2_000, international_sms_message_limit: 3 });
  user = await aUser(harness);
});

async function accept(upload_id: string, request: Partial<JobRequest> = {}): Promise<JobRow> {
  const sending = await harness.app.sending.services.find(service);
  if (!sending) throw new Error('No service');
  return acceptJob(harness.app, {
    service: sending,
    upload_id,
    created_by_id: user,
    scheduled_for: null,
    when_limit_exceeded: 'record',
    ...request,
  });
}

function notifications(job_id: string) {
  return harness.app.db
    .selectFrom('notifications')
    .selectAll()
    .where('job_id', '=', job_id)
    .orderBy('job_row_number')
    .execute();
}

async function job(id: string): Promise<JobRow> {
  return harness.app.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function counted(channel: string): Promise<number> {
  const { rows } = await harness.app.pool.query(
    'select count from daily_message_counts where service_id = $1 and channel = $2',
    [service, channel],
  );
  return rows[0]?.count ?? 0;
}

describe('a job', () => {
  it('is not accepted while its rows are checked against another template: some are of one, some of the other', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(2), { summary: null });
    await expect(accept(upload)).rejects.toThrow('The file is being checked again');
    const { state } = await harness.app.db
      .selectFrom('uploads')
      .select('state')
      .where('id', '=', upload)
      .executeTakeFirstOrThrow();
    expect(state).toBe('checked');
    expect(await counted('sms')).toBe(0);
  });

  it('becomes notifications, one for each row, in order', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(1_100));
    const accepted = await accept(upload, { client_reference: 'ours' });
    expect(accepted).toMatchObject({ id: upload, status: 'pending', row_count: 1_100, reserved: 1_100 });
    expect(await counted('sms')).toBe(1_100);
    harness.clock.set('2026-11-16T12:00:01Z');
    await harness.runTasks();
    const rows = await notifications(upload);
    expect(rows.map(({ job_row_number }) => job_row_number)).toEqual(Array.from({ length: 1_100 }, (_, row) => row));
    const idOf = jobRowIds(upload, harness.clock.now());
    expect(rows.map(({ id }) => id)).toEqual(rows.map((_, row) => idOf(row)));
    expect(rows[700]).toMatchObject({
      service_id: service,
      template_id: template,
      template_version: 1,
      recipient: '07700900700',
      normalised_recipient: '447700900700',
      personalisation: { name: 'N700' },
      client_reference: 'ours',
      created_by_id: user,
      reply_to_text: 'TESTING',
      status: 'created',
      created_at: '2026-11-16T12:00:01.000000Z',
    });
    expect(await job(upload)).toMatchObject({
      status: 'finished all notifications created',
      rows_done: 1_100,
      reserved: 0,
      processing_started: '2026-11-16T12:00:01.000000Z',
      processing_finished: '2026-11-16T12:00:01.000000Z',
    });
    expect(await selectJobStatistics(harness.app.db, [upload])).toEqual([
      { job_id: upload, status: 'created', count: 1_100 },
    ]);
    expect(await counted('sms')).toBe(1_100);
    const queue = await harness.app.db
      .selectFrom('delivery_queue')
      .select(['notification_id', 'lane'])
      .where('service_id', '=', service)
      .orderBy('due_at')
      .execute();
    const ofFirstChunk = new Set(rows.slice(0, 500).map(({ id }) => id));
    expect(queue.filter(({ notification_id }) => ofFirstChunk.has(notification_id))).toEqual(
      rows.slice(0, 500).map(({ id }) => ({ notification_id: id, lane: lanes.bulk })),
    );
  });

  it('is sent in the lane of its template if it is small', async () => {
    const lane = async (process_type: 'priority' | 'normal' | 'bulk', rows: number) => {
      const template = await aTemplate(harness, service, { process_type });
      return (await accept(await aCheckedUpload(harness, service, template, smsRows(rows)))).lane;
    };
    expect(await lane('priority', 199)).toBe(lanes.priority);
    expect(await lane('bulk', 1)).toBe(lanes.normal);
    expect(await lane('priority', 200)).toBe(lanes.bulk);
  });

  it('starts once, however many requests race', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(20));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => accept(upload)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason.detail).toBe('This upload has already been sent');
    }
    await harness.runTasks();
    expect(await notifications(upload)).toHaveLength(20);
    expect(await counted('sms')).toBe(20);
  });

  it('leaves out rows with problems if asked to, else is refused', async () => {
    const template = await aTemplate(harness, service);
    const rows = [...smsRows(3), null, ...smsRows(1), null];
    const upload = await aCheckedUpload(harness, service, template, rows, { chunkSize: 4 });
    await expect(accept(upload)).rejects.toThrow("File is not valid, can't create job");
    expect(await accept(upload, { on_error: 'skip' })).toMatchObject({ row_count: 6, rows_skipped: 2, reserved: 4 });
    await harness.runTasks();
    expect((await notifications(upload)).map(({ job_row_number }) => job_row_number)).toEqual([0, 1, 2, 4]);
    expect(await job(upload)).toMatchObject({
      status: 'finished all notifications created',
      rows_done: 4,
      reserved: 0,
    });
  });

  it('is stored with the limit that it exceeds, or refused without a trace', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(2_001));
    const refusal = accept(upload, {
      when_limit_exceeded: ({ channel, remaining }, { messages }) => invalid(`${channel} ${remaining} ${messages}`),
    });
    await expect(refusal).rejects.toThrow('sms 2000 2001');
    expect(await accept(upload)).toMatchObject({ status: 'sending limits exceeded', reserved: 0, reserved_day: null });
    await harness.runTasks();
    expect(await notifications(upload)).toEqual([]);
    expect(await counted('sms')).toBe(0);
  });

  it('shares limits exactly with other jobs at the same time', async () => {
    const template = await aTemplate(harness, service);
    const abroad = {
      recipient: '+12025550104',
      normalised_recipient: '12025550104',
      international: true,
      abroad: true,
    };
    const uploads = await Promise.all(
      Array.from({ length: 4 }, () => aCheckedUpload(harness, service, template, [...smsRows(699), abroad])),
    );
    const jobs = await Promise.all(uploads.map((upload) => accept(upload)));
    expect(jobs.map(({ status }) => status).sort()).toEqual([
      'pending',
      'pending',
      'sending limits exceeded',
      'sending limits exceeded',
    ]);
    expect([await counted('sms'), await counted('international_sms')]).toEqual([1_400, 2]);
    await harness.runTasks();
    const ended = await Promise.all(uploads.map((upload) => job(upload)));
    expect(ended.map(({ reserved, reserved_international }) => reserved + reserved_international)).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('is not limited with a test key', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(2_001), { key_type: 'test' });
    expect(await accept(upload)).toMatchObject({ status: 'pending', key_type: 'test', reserved_day: null });
    expect(await counted('sms')).toBe(0);
  });

  it('429 with five unfinished ones, however many requests race', async () => {
    const template = await aTemplate(harness, service);
    const uploads = await Promise.all(
      Array.from({ length: 7 }, () => aCheckedUpload(harness, service, template, smsRows(1))),
    );
    const results = await Promise.allSettled(uploads.map((upload) => accept(upload)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused.map(({ kind }) => kind)).toEqual(['too-many', 'too-many']);
    expect(refused[0].detail).toBe(
      '5 files of this service are still being sent. Try again when one of them has finished.',
    );
    await harness.runTasks();
    const again = uploads[results.findIndex(({ status }) => status === 'rejected')] ?? '';
    expect((await accept(again)).status).toBe('pending');
  });

  it('stores what belongs to it in the same transaction', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(1));
    const refusal = accept(upload, { alsoStore: () => Promise.reject(invalid('taken')) });
    await expect(refusal).rejects.toThrow('taken');
    expect(await counted('sms')).toBe(0);
    expect((await accept(upload)).status).toBe('pending');
  });

  it('pauses while 100,000 of its messages wait', async () => {
    const template = await aTemplate(harness, service);
    const upload = await aCheckedUpload(harness, service, template, smsRows(3));
    await accept(upload);
    const waiting = harness.app.db.insertInto('job_status_counts');
    await waiting.values({ job_id: upload, status: 'created', count: 100_001 }).execute();
    await harness.runTasks();
    expect(await notifications(upload)).toEqual([]);
    await harness.app.db
      .updateTable('job_status_counts')
      .set({ count: 100_000 })
      .where('job_id', '=', upload)
      .execute();
    await harness.runTasks();
    expect(await notifications(upload)).toEqual([]);
    harness.clock.set('2026-11-16T12:00:01Z');
    await harness.runTasks();
    expect(await notifications(upload)).toHaveLength(3);
  });
});

describe('an email of a job', () => {
  it('has the chosen reply-to address, an unsubscribe link and its own reference', async () => {
    const template = await aTemplate(harness, service, { template_type: 'email', has_unsubscribe_link: true });
    const sender_id = await aReplyTo(harness, service, 'email', { text: 'chosen@example.org' });
    const rows = emailRows(2).map((row) => row && { ...row, client_reference: 'own' });
    const upload = await aCheckedUpload(harness, service, template, rows, { sender_id });
    await accept(upload, { client_reference: 'default' });
    await harness.runTasks();
    const [first] = await notifications(upload);
    expect(first).toMatchObject({ reply_to_text: 'chosen@example.org', client_reference: 'own' });
    const path = new URL(first?.one_click_unsubscribe_url ?? '').pathname;
    expect(path).toContain(`/unsubscribe/${first?.id}/`);
    expect((await harness.request({ method: 'POST', url: path })).status).toBe(200);
  });
});

describe('an email with files of its template', () => {
  it('has links of its own', async () => {
    const template = await aTemplate(harness, service, { template_type: 'email', content: 'Read ((terms.pdf))' });
    const added = await harness.admin('POST', `/service/${service}/templates/${template}/template_email_files`, {
      filename: 'terms.pdf',
      created_by_id: user,
      content: Buffer.from('the terms').toString('base64'),
      validate_users_email: false,
      pending: false,
    });
    expect(added.status).toBe(201);
    const { version } = await harness.app.db
      .selectFrom('templates')
      .select('version')
      .where('id', '=', template)
      .executeTakeFirstOrThrow();
    const upload = await aCheckedUpload(harness, service, template, emailRows(2), { template_version: version });
    await expect(accept(upload)).rejects.toThrow('Send files by email has not been set up');
    await harness.app.db
      .updateTable('services')
      .set({ contact_link: 'help@example.org' })
      .where('id', '=', service)
      .execute();
    harness.app.changeListener.reset();
    await accept(upload);
    await harness.runTasks();
    const key = await anApiKey(harness, service);
    const bodies = await Promise.all(
      (await notifications(upload)).map(async ({ id, document_download_count, personalisation }) => {
        expect(document_download_count).toBe(1);
        expect(JSON.stringify(personalisation)).not.toContain('key=');
        return (await harness.v2('GET', `/v2/notifications/${id}`, key)).body.body;
      }),
    );
    const links = bodies.map((body) => /http\S+/.exec(body)?.[0] ?? '');
    expect(new Set(links).size).toBe(2);
    for (const link of links) {
      const { pathname, search } = new URL(link);
      expect((await harness.request({ method: 'GET', url: pathname + search })).text).toContain('terms.pdf');
    }
  });
});

describe('a letter of a job', () => {
  it('is composed', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const upload = await aCheckedUpload(harness, service, template, letterRows(3));
    expect((await accept(upload)).lane).toBeNull();
    await harness.runTasks();
    const letters = await notifications(upload);
    expect(letters.map(({ billable_units, postage }) => [billable_units, postage])).toEqual([
      [1, 'second'],
      [1, 'second'],
      [1, 'second'],
    ]);
    expect(await counted('letter')).toBe(3);
  });
});
