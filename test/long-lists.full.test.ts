import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { anOrganisation, aService, aTemplate, aUser } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';

/** A statement takes at most 65,535 parameters; a request with more ids gets the same response as one with a single id. */

const harness = useHarness();
const ids = Array.from({ length: 66_000 }, () => randomUUID());
let user: string;
let service: string;

beforeAll(async () => {
  user = await aUser(harness);
  service = await aService(harness, { created_by_id: user });
});

describe('66,000 unknown ids', () => {
  it.each<[string, () => Promise<[string, object]>, number]>([
    [
      'people to ask',
      async () => [
        `/service/${service}/service-join-request`,
        { requester_id: await aUser(harness), contacted_user_ids: ids },
      ],
      400,
    ],
    [
      'folders of a member',
      async () => [`/user/${user}/service/${service}/permission`, { permissions: [], folder_permissions: ids }],
      404,
    ],
    [
      'files to take out of a template',
      async () => [
        `/service/${service}/template/${await aTemplate(harness, service, { template_type: 'email' })}`,
        { archive_email_file_ids: ids },
      ],
      200,
    ],
    [
      'things to move',
      async () => [`/service/${service}/template-folder/contents`, { folders: ids, templates: ids }],
      400,
    ],
    [
      'brands of an organisation',
      async () => [`/organisations/${await anOrganisation(harness)}/email-branding-pool`, { branding_ids: ids }],
      400,
    ],
  ])('%s', async (_what, request, status) => {
    const [path, body] = await request();
    expect((await harness.admin('POST', path, body)).status).toBe(status);
  });
});
