import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/console/sessions/sessions.ts';
import { aQueuedMessage } from '../kit/builders/queued-messages.ts';
import { anOrganisation, aService } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { aPicture } from '../kit/samples/pictures.ts';
import { aPerson } from '../kit/world/console-people.ts';
import { useBrowser } from './kit/browser.ts';

const harness = useHarness({ now: '2026-11-16T14:02:00Z', config: { demo: { enabled: true } } });
const open = useBrowser(harness);

let service: string;
let organisation: string;
let token: string;

beforeAll(async () => {
  organisation = await anOrganisation(harness, { name: 'Borough' });
  service = await aService(harness, { name: 'Town Hall', organisation_id: organisation });
  const user = await aPerson(harness, { platform_admin: true });
  token = await createSession(harness.app, user, 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36');
});

describe('a logo', () => {
  it('is uploaded, and shown in the preview, in the choice of the service and in the email of the sandbox', async () => {
    const { page, origin } = await open();
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    await page.goto('/console/operator/branding/email');
    await page.getByRole('link', { name: 'New email brand' }).click();
    await page.getByLabel('Name').fill('Town Hall');
    await page.getByLabel('What the logo says').fill('Town Hall');
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: aPicture(400, 160, [164, 40, 28, 255]) };
    await page.locator('#logo').setInputFiles(logo);
    await page.getByRole('button', { name: 'Create the brand' }).click();
    const preview = page.frameLocator('iframe').getByAltText('Town Hall');
    expect(await naturalWidth(preview)).toBe(400);

    await page.goto(`/console/operator/organisations/${organisation}/brands`);
    await page.getByLabel('Add a brand').first().selectOption({ label: 'Town Hall' });
    await page.getByRole('button', { name: 'Add', exact: true }).first().click();
    await page.getByRole('button', { name: 'Make default Town Hall' }).click();

    await page.goto(`/console/services/${service}/settings/email/branding`);
    expect(await page.getByLabel('Town Hall').isChecked()).toBe(true);
    const message = await aQueuedMessage(harness, service, { notification_type: 'email' });
    await harness.deliver();
    await page.goto(`/console/sandbox/${message}`);
    expect(await naturalWidth(page.frameLocator('iframe').getByAltText('Town Hall'))).toBe(400);
    await page.context().close();
  }, 120_000);
});

describe('the search of operators', () => {
  it('gets the focus with Ctrl K on every page, and finds a service by a part of its name', async () => {
    const { page, origin } = await open();
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    await page.goto('/console/account');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('town h');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Town Hall' }).first().waitFor();
    expect(page.url()).not.toMatch(/town( |\+|%20)h/);
    await page.context().close();
  }, 120_000);
});

/** More than nothing only where the browser has loaded the picture. */
function naturalWidth(picture: { evaluate(read: (image: HTMLImageElement) => Promise<number>): Promise<number> }) {
  return picture.evaluate(async (image) => {
    await image.decode();
    return image.naturalWidth;
  });
}
