import { describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { casesOf } from '../../../../test/kit/vectors.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';

interface Vector {
  id: string;
  why: string;
  channel: string;
  recipients: string[];
  expect: { recipients: number; rows: number }[];
}

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

const cases = casesOf<Vector>('sender/lint.json');
describe('sender/lint.json, of files', () => {
  it.each(cases.filter(({ channel }) => channel === 'file'))('$id $why', async ({ recipients, expect: expected }) => {
    const { id } = await aPerson(harness);
    const service = await aService(harness);
    await joinService(harness, service, id);
    const browser = await signedIn(harness, id);
    const isEmail = recipients.some((recipient) => recipient.includes('@'));
    const template = await aTemplate(harness, service, {
      content: 'Hello',
      ...(isEmail ? { template_type: 'email', subject: 'Hello' } : {}),
    });
    const content = [isEmail ? 'email address' : 'phone number', ...recipients.map((one) => `"${one}"`)].join('\n');
    const form = `/console/services/${service}/files/new/${template}`;
    const sent = await browser.postFile(form, {}, { field: 'file', name: 'people.csv', content });
    await harness.runTasks();
    const { text } = await browser.get(sent.location ?? '');
    const found = /(\d+) recipients? (?:is|are) in this file more than once \((\d+) rows?\)/.exec(text);
    expect(found ? [{ recipients: Number(found[1]), rows: Number(found[2]) }] : []).toEqual(
      expected.map(({ recipients: people, rows }) => ({ recipients: people, rows })),
    );
  });
});
