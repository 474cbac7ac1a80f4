import { beforeEach, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { costOfLetter, costOfTexts } from '../../../billing/rates.ts';
import { createFolder } from '../../../templates/folders/template-folders.ts';

const harness = useHarness({ now: '2026-11-17T12:30:00Z' });
let service: string;
let list: string;
let browser: ConsoleVisitor;
let email: string;
let sms: string;
let letter: string;

beforeEach(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  list = `/console/services/${service}/templates/plans`;
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
  email = await aTemplate(harness, service, { template_type: 'email', subject: 's', name: 'Invitation by email' });
  sms = await aTemplate(harness, service, { name: 'Invitation by text' });
  letter = await aTemplate(harness, service, { template_type: 'letter', subject: 's', name: 'Invitation by letter' });
});

const plans = async () => (await harness.admin('GET', `/service/${service}/channel-plan`)).body.data;
const three = () => ({
  ...{ name: 'Invitations', template_1: email, wait_1: '24', template_2: sms, wait_2: '48', template_3: letter },
});

/** Creates it in the console, and returns its address. */
async function aPlan(form: Record<string, string> = three()): Promise<string> {
  expect((await browser.post(`${list}/new`, form)).status).toBe(303);
  const [{ id }] = await plans();
  return `${list}/${id}`;
}

describe('the channel plans of a service', () => {
  it('can be found from the templates, and are created with their steps', async () => {
    expect((await browser.get(`/console/services/${service}/templates`)).text).toContain(`href="${list}"`);
    expect((await browser.get(list)).text).toContain('No channel plans yet');
    const page = await aPlan({ ...three(), 'only_3[]': 'yes', wait_3: '24' });
    expect(await plans()).toMatchObject([
      {
        name: 'Invitations',
        steps: [
          { channel: 'email', template_id: email, wait_h: 24, only_if_missing: false },
          { channel: 'sms', template_id: sms, wait_h: 48, only_if_missing: false },
          { channel: 'letter', template_id: letter, wait_h: null, only_if_missing: true },
        ],
      },
    ]);
    const { text } = await browser.get(list);
    expect(text).toContain('Email (24 hours), Text (48 hours), Letter');
    expect(text).toContain(`href="${page}"`);
  });

  it('say everything that is wrong at once, and keep nothing', async () => {
    const empty = await browser.post(`${list}/new`, {});
    expect(empty.status).toBe(400);
    for (const problem of ['Enter a name.', 'template of the first step.', 'template of the second step.'])
      expect(empty.text).toContain(problem);
    const wrong = { name: 'x'.repeat(256), template_1: letter, template_2: sms, wait_2: '337', template_3: email };
    const { status, text } = await browser.post(`${list}/new`, wrong);
    expect(status).toBe(400);
    for (const problem of [
      'Enter at most 255 characters.',
      'Choose another template, or make the letter the last step.',
      'Enter a whole number from 1 to 144.',
    ])
      expect(text).toContain(problem);
    expect(text).toContain('value="337"');
    expect(await plans()).toEqual([]);
  });

  it('take no template of another service, and no name twice', async () => {
    const foreign = await aTemplate(harness, await aService(harness));
    const refused = await browser.post(`${list}/new`, { ...three(), template_2: foreign });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Choose a template from the list.');
    await aPlan();
    const twice = await browser.post(`${list}/new`, three());
    expect(twice.status).toBe(400);
    expect(twice.text).toContain('Enter another name. Another plan already has this one.');
    expect(await plans()).toHaveLength(1);
  });

  it('change: another step appears once the others are saved, and an empty one goes', async () => {
    const page = await aPlan();
    const { text } = await browser.get(page);
    expect([text.includes('name="template_4"'), text.includes('name="template_5"')]).toEqual([true, false]);
    expect((await browser.post(page, { ...three(), name: 'Reminders', template_3: '' })).status).toBe(303);
    const [{ name, version, steps }] = await plans();
    expect([name, version, steps]).toMatchObject([
      'Reminders',
      2,
      [
        { channel: 'email', wait_h: 24 },
        { channel: 'sms', wait_h: null },
      ],
    ]);
  });

  it('keep a template in a folder that the person cannot see, without its name', async () => {
    const page = await aPlan();
    const { id: folder } = await createFolder(harness.app, service, { name: 'Secret', parent_id: null });
    await harness.admin('POST', `/service/${service}/template-folder/${folder}`, {
      ...{ name: 'Secret', users_with_permission: [] },
    });
    await harness.app.db.updateTable('templates').set({ folder }).where('id', '=', sms).execute();
    const { text } = await browser.get(page);
    expect(text).toContain('Text: Template in a folder that you cannot see');
    expect(text).toContain('You cannot see its text.');
    expect(text).not.toContain('Invitation by text');
    expect((await browser.post(page, { ...three(), name: 'Reminders' })).status).toBe(303);
    expect((await plans())[0].steps[1].template_id).toBe(sms);
    expect((await browser.post(`${list}/new`, { ...three(), name: 'Another' })).status).toBe(400);
  });

  it('say what a message costs at least and at most', async () => {
    const page = await aPlan();
    const text = async () => (await browser.get(page)).text;
    const { price } = harness.app.country.money;
    const [oneText = 0, oneLetter = 0] = await Promise.all([
      costOfTexts(harness.app, 1),
      costOfLetter(harness.app, 1, 'second'),
    ]);
    expect(oneText).toBeGreaterThan(0);
    expect(oneLetter).toBeGreaterThan(0);
    expect(await text()).toContain(`A message costs from 0p to ${price(oneText + oneLetter)}.`);
    // The letter is for those who can get neither of the others.
    await browser.post(page, { ...three(), 'only_3[]': 'yes' });
    expect(await text()).toContain(`A message costs from 0p to ${price(Math.max(oneText, oneLetter))}.`);
  });

  it('show what people get from each step, also before it is saved, with its cost', async () => {
    const long = await aTemplate(harness, service, { name: 'Long text', content: `((name)) ${'x'.repeat(200)}` });
    const page = await aPlan();
    const { text } = await browser.get(page);
    for (const shown of [
      'Step 1, Email: Invitation by email',
      'Step 2, Text: Invitation by text',
      'Step 3, Letter: Invitation by letter',
      `/email-templates/${email}/versions/1/email`,
      `/letter-templates/${letter}/versions/1/pages/1`,
    ])
      expect(text).toContain(shown);
    const before = await plans();
    const chosen = { ...three(), template_2: long, template_3: '', do: 'preview' };
    for (const url of [page, `${list}/new`]) {
      const preview = await browser.post(url, { ...chosen, name: 'Other' });
      expect(preview.status).toBe(200);
      expect(preview.text).toContain('Step 2, Text: Long text');
      expect(preview.text).toMatch(/<mark class="placeholder">\(*name/);
      expect(preview.text).toContain('value="Other"');
      expect(preview.text).not.toContain('Step 3, Letter');
      expect(preview.text).toContain('A message costs from 0p to');
    }
    expect(await plans()).toEqual(before);
    // Something else is wrong: what was chosen is shown nevertheless, what belongs to others is not.
    const foreign = await aTemplate(harness, await aService(harness), { name: 'Foreign' });
    const wrong = await browser.post(`${list}/new`, { template_1: long, template_2: foreign, do: 'preview' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('Step 1, Text: Long text');
    expect(wrong.text).not.toContain('Foreign');
    expect((await browser.post(page, { ...three(), do: 'else' })).status).toBe(400);
  });

  it('say how many messages ended with which step', async () => {
    const page = await aPlan();
    expect((await browser.get(page)).text).not.toContain('How messages ended');
    const of = { plan_id: page.split('/').at(-1) ?? '', plan_version: 1 };
    const rows = [
      { ...of, status: 'delivered', step: 1, messages: 5 },
      { ...of, status: 'delivered', step: 3, messages: 1 },
      { ...of, status: 'failed', step: 0, messages: 1 },
      { ...of, status: 'in-progress', step: 0, messages: 3 },
    ] as const;
    await harness.app.db.insertInto('plan_outcomes').values(rows).execute();
    const { text } = await browser.get(page);
    for (const shown of [
      'Delivered by step 1: Email',
      '71.4%',
      'Delivered by step 3: Letter',
      '14.3%',
      'Not ended yet',
      `href="/console/services/${service}/plan-messages?plan=${of.plan_id}"`,
    ])
      expect(text).toContain(shown);
  });

  it('archive a plan: it is gone from the list, and its page is not found', async () => {
    const page = await aPlan();
    expect((await browser.post(`${page}/archive`)).location).toBe(list);
    expect(await plans()).toEqual([]);
    expect((await browser.get(list)).text).toContain('No channel plans yet');
    expect((await browser.get(page)).status).toBe(404);
    expect((await browser.post(page, three())).status).toBe(404);
  });

  it('are not for those who cannot edit templates', async () => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['send_messages']);
    const sender = await signedIn(harness, id);
    for (const url of [list, `${list}/new`]) expect((await sender.get(url)).status).toBe(403);
    expect((await sender.post(`${list}/new`, three())).status).toBe(403);
    expect(await plans()).toEqual([]);
  });
});
