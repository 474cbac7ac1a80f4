import { day_ms, earlier, timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { inviteLifetime_ms } from './invites/invite-links.ts';
import { deleteOrganisationInvitesUntil } from './invites/organisation-invites.sql.ts';
import { deleteServiceInvitesUntil } from './invites/service-invites.sql.ts';
import { deleteVerifyCodesUntil } from './sign-in/verify-codes.sql.ts';

const codesAreKept_ms = day_ms;

export function userJobs({ db, clock }: Platform): Job[] {
  const ago = (ms: number) => timestamp(earlier(clock.now(), ms));
  return [
    {
      name: 'forget-verify-codes',
      description: 'Deletes sign-in codes a day after they were sent.',
      handle: () => deleteVerifyCodesUntil(db, ago(codesAreKept_ms)),
    },
    {
      name: 'forget-invites',
      description: 'Deletes invitations after their links expire.',
      async handle() {
        const moment = ago(inviteLifetime_ms);
        await deleteServiceInvitesUntil(db, moment);
        await deleteOrganisationInvitesUntil(db, moment);
      },
    },
  ];
}
