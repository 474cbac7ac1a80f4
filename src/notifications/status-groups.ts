import type { Status } from './notification.ts';

/** What people ask for; each group stands for several statuses. */
export const statusGroups = ['sending', 'delivered', 'failed'] as const;

export type StatusGroup = (typeof statusGroups)[number];

export const statusesOfGroup: Record<StatusGroup, readonly Status[]> = {
  sending: ['created', 'sending', 'pending', 'pending-virus-check'],
  delivered: ['delivered', 'sent', 'returned-letter'],
  failed: [
    'failed',
    'technical-failure',
    'temporary-failure',
    'permanent-failure',
    'validation-failed',
    'virus-scan-failed',
  ],
};
