import { timestamp } from '../platform/clock.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import { inviteLifetime_ms } from './invitation-links.ts';
import { deleteOrganisationInvitesUntil } from './organisation-invites.sql.ts';
import { deleteServiceInvitesUntil } from './service-invites.sql.ts';
import { deleteVerifyCodesUntil } from './verify-codes.sql.ts';

const codesAreKept_ms = 86_400_000;

export function forgetCodesJob(app: Platform): Job {
  return {
    name: 'forget-verify-codes',
    sentence: 'Deletes sign-in codes a day after they were sent.',
    handle: () => deleteVerifyCodesUntil(app.db, ago(app, codesAreKept_ms)),
  };
}

export function forgetInvitesJob(app: Platform): Job {
  return {
    name: 'forget-invites',
    sentence: 'Deletes invitations once their links have stopped working.',
    async handle() {
      const moment = ago(app, inviteLifetime_ms);
      await deleteServiceInvitesUntil(app.db, moment);
      await deleteOrganisationInvitesUntil(app.db, moment);
    },
  };
}

function ago(app: Platform, ms: number): string {
  return timestamp(new Date(app.clock.now().getTime() - ms));
}
