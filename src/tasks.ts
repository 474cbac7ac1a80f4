import { type App, withPool } from './app.ts';
import { createAllowances } from './billing/allowance.ts';
import { deleteOldSessions } from './console/sessions/sessions.ts';
import { createReturnedLetterCallbacks, storeFailureCallbacks } from './delivery/callbacks/service-callbacks.ts';
import { cleanDelivery } from './delivery/delivery.task.ts';
import { moveFromSlow, restoreShares } from './delivery/failover/provider-failover.ts';
import { checkQueue } from './delivery/queue-check.ts';
import { recordEmailReceipt, retryReceipt } from './delivery/receipts/provider-reports.ts';
import { findLostMessages, timeOutMessages } from './delivery/sweeps.ts';
import { deleteOldDocuments } from './documents/documents.ts';
import { deleteOldInboundTexts } from './inbound/inbound-texts.ts';
import { expandJob } from './jobs/accept-job.ts';
import { archiveJobs } from './jobs/archive-jobs.ts';
import { cancelJobRows, runCancelling } from './jobs/cancel-job.ts';
import { runExpansion } from './jobs/expand-job.ts';
import { runRecurringSends } from './jobs/recurring/recurring-sends.task.ts';
import { prepareReport, runPrepareReport } from './jobs/reports/report-requests.ts';
import { resumeJobs } from './jobs/unfinished-jobs.ts';
import { checkUpload, deleteOldUploads, runUploadCheck } from './jobs/uploads/uploads.ts';
import { retimeFiles } from './jobs/waiting-files.ts';
import { endAndCleanLetters, resumeLetters, tryToCheckPrecompiled, tryToCompose } from './letters/letters.task.ts';
import { checkLetters } from './letters/print/late-letters.ts';
import {
  collateLetters,
  collatingTimes,
  despatchBatch,
  despatchInSandbox,
  printBatch,
  printLetters,
} from './letters/print/print-run.ts';
import { readReportFiles } from './letters/print/report-files.ts';
import { announceReturnedLetters } from './letters/returned/returned-letters.ts';
import { deleteUnneededAttachments } from './notifications/attachments/attachments.ts';
import { evaluateServices } from './notifications/guard/guard.task.ts';
import { reconcileAnnualCounts } from './notifications/limits/annual-limits.ts';
import { sendLimitNotices } from './notifications/limits/limit-notices.task.ts';
import { createPartitions } from './notifications/partitions.ts';
import { applyRetention, deleteExpiredData } from './notifications/retention.ts';
import { foldAllRollups, reconcileAllRollups } from './notifications/rollups/rollups.ts';
import { announceFailures, checkPrecompiledLetter, composeLetter } from './notifications/tasks-for-others.ts';
import {
  retimeHeldMessages,
  retimeWaitingFiles,
  runHeldRows,
  runRetiming,
  sendHeldRows,
} from './notifications/windows/held-messages.ts';
import { deleteOldRecords } from './operations/old-records.task.ts';
import { deleteOldPlanMessages } from './plans/plan-messages.task.ts';
import type { Task } from './platform/queue/queue.ts';
import { type RunnableTask, type Schedule, scheduleIn } from './platform/queue/schedule.ts';
import { checkDueDomains } from './sending-domains/checking/check-domains.ts';
import { recordProcessingTime } from './statistics/performance-dashboard.ts';
import { deleteOldDrafts } from './templates/template-drafts.ts';
import { deleteOldUnsubscribeRequests } from './unsubscribe/unsubscribe-reports.ts';
import { deleteExpiredInvites, deleteOldVerifyCodes } from './users/users.task.ts';

interface ScheduledTask extends Task {
  schedule: Schedule;
  run(app: App): Promise<void>;
}

interface QueuedTask extends Task {
  schedule?: undefined;
  run(app: App, payload: unknown): Promise<void>;
}

/** A task that runs again soon is not retried for long. */
const soonAgain = { maxAttempts: 3 };
/** Retries for about an hour and a half. */
const onceADay = { maxAttempts: 9 };

/**
 * Every background task, in the order of the features. A task is only a trigger: the rows determine what is due. It may run in any process,
 * late, and twice. Tasks that other code enqueues are defined there, with their payload.
 */
export const tasks: (ScheduledTask | QueuedTask)[] = [
  {
    name: 'delete-verify-codes',
    description: 'Deletes sign-in codes a day after they were sent, and what else a sign-in leaves behind.',
    schedule: { cron: '13 * * * *', reason: 'Hourly, so that a code is deleted soon after it expires.' },
    ...soonAgain,
    run: deleteOldVerifyCodes,
  },
  {
    name: 'delete-invites',
    description: 'Deletes invitations after their links expire.',
    schedule: { cron: '17 * * * *', reason: 'Hourly, so that an invitation is deleted soon after its link expires.' },
    ...soonAgain,
    run: deleteExpiredInvites,
  },
  {
    name: 'delete-documents',
    description: 'Deletes files sent by email after their retention period.',
    schedule: { cron: '33 * * * *', reason: 'Hourly, so that a file is deleted soon after its retention period.' },
    ...soonAgain,
    run: deleteOldDocuments,
  },
  {
    name: 'delete-attachments',
    description: 'Deletes attachments of emails once their message is final.',
    schedule: {
      cron: '3,13,23,33,43,53 * * * *',
      reason: 'Every ten minutes: they take room, and nothing reads them any more.',
    },
    ...soonAgain,
    run: deleteUnneededAttachments,
  },
  {
    name: 'delete-inbound-texts',
    description: 'Deletes received text messages beyond the retention of their service.',
    schedule: { cron: '10 3 * * *', reason: 'After midnight all year round.' },
    ...onceADay,
    run: deleteOldInboundTexts,
  },
  {
    name: 'delete-unsubscribe-requests',
    description: 'Deletes unsubscribe requests after their retention period.',
    schedule: { cron: '43 * * * *', reason: 'Hourly, so that a request is deleted soon after its retention period.' },
    ...soonAgain,
    run: deleteOldUnsubscribeRequests,
  },
  {
    name: 'check-sending-domains',
    description:
      'Checks the DNS records of sending domains that are due, and erases the private keys of old signatures.',
    schedule: { cron: '* * * * *', reason: 'Every minute, so that who publishes a record soon sees that it is found.' },
    ...soonAgain,
    run: checkDueDomains,
  },
  {
    name: 'fold-rollups',
    description: 'Adds changes of the daily rollups to the totals.',
    schedule: {
      cron: '5,20,35,50 * * * *',
      reason:
        'Every 15 minutes: reports add the changes since the last run, and rows are locked only four times an hour.',
    },
    ...soonAgain,
    run: foldAllRollups,
  },
  {
    name: 'reconcile-rollups',
    description: 'Recounts the last days from the messages and repairs the rollups.',
    schedule: {
      cron: '50 1 * * *',
      reason: 'At night, when load is low, and long before the messages of these days are deleted.',
    },
    ...onceADay,
    run: reconcileAllRollups,
  },
  {
    name: 'judge-services',
    description:
      'Warns services whose emails bounce or are reported as spam too often, and pauses their sending to many.',
    schedule: { cron: '* * * * *', reason: 'Every minute, so that a bad list is stopped while it is being sent.' },
    ...soonAgain,
    run: evaluateServices,
  },
  queued(retimeHeldMessages, runRetiming),
  queued(sendHeldRows, runHeldRows),
  {
    name: 'tell-of-reached-limits',
    description: 'Tells managers that a limit of the day or the year is used to 80 %, and that it is used up.',
    schedule: { cron: '* * * * *', reason: 'Every minute, while there is time to ask for more.' },
    ...soonAgain,
    run: sendLimitNotices,
  },
  {
    name: 'reconcile-annual-counts',
    description:
      'Compares what services and organisations with limits of a year have sent with the statistics, and corrects the counters.',
    schedule: { cron: '20 2 * * *', reason: 'After the rollups were reconciled with the messages.' },
    ...onceADay,
    run: reconcileAnnualCounts,
  },
  {
    name: 'create-partitions',
    description: 'Creates the partitions of the coming days.',
    schedule: { cron: '7 * * * *', reason: 'Hourly, so that a failure is retried many times before it matters.' },
    ...soonAgain,
    run: createPartitions,
  },
  {
    name: 'apply-retention',
    description: 'Deletes messages beyond the retention of their service.',
    schedule: {
      cron: '0 3 * * *',
      reason: 'After midnight all year round, and after the rollups were reconciled with the messages.',
    },
    ...onceADay,
    run: applyRetention,
  },
  {
    name: 'delete-expired-data',
    description: 'Deletes old idempotency keys, counters, refused requests and traces, and files without a message.',
    schedule: { cron: '37 * * * *', reason: 'Hourly, so that data is deleted soon after its retention period.' },
    ...soonAgain,
    run: deleteExpiredData,
  },
  queued(expandJob, runExpansion),
  queued(retimeWaitingFiles, retimeFiles),
  {
    name: 'run-recurring-sends',
    description: 'Sends templates to contact lists on the dates of their recurring sends.',
    schedule: { cron: '* * * * *', reason: 'Every minute, because people choose the minute.' },
    ...soonAgain,
    run: runRecurringSends,
  },
  {
    name: 'resume-jobs',
    description: 'Restarts jobs whose task was lost, and logs an error when a job does not move.',
    schedule: { cron: '* * * * *', reason: 'Every minute: a job moves every second.' },
    ...soonAgain,
    run: resumeJobs,
  },
  {
    name: 'archive-jobs',
    description: 'Deletes the rows of jobs beyond the retention of their channel. Jobs and their statistics stay.',
    schedule: { cron: '20 3 * * *', reason: 'After midnight all year round, after their messages.' },
    ...onceADay,
    run: archiveJobs,
  },
  queued(cancelJobRows, runCancelling),
  queued(prepareReport, runPrepareReport),
  queued(checkUpload, runUploadCheck),
  {
    name: 'delete-old-uploads',
    description: 'Deletes files of recipients that were not received completely, or not sent within a day.',
    schedule: { cron: '7 * * * *', reason: 'Hourly, so that a file is deleted soon after it expires.' },
    ...soonAgain,
    run: deleteOldUploads,
  },
  {
    name: 'delete-plan-messages',
    description: 'Deletes messages with a channel plan beyond the retention of their service.',
    schedule: { cron: '15 3 * * *', reason: 'After midnight all year round, after their notifications.' },
    ...onceADay,
    run: deleteOldPlanMessages,
  },
  queued(composeLetter, tryToCompose),
  queued(checkPrecompiledLetter, tryToCheckPrecompiled),
  {
    name: 'resume-letters',
    description: 'Restarts letters whose task was lost in a crash.',
    schedule: { cron: '*/10 * * * *', reason: 'A letter has at least six hours until the next print run.' },
    ...soonAgain,
    run: resumeLetters,
  },
  {
    name: 'collate-letters',
    description: 'Collates the letters of the day for the printer after the cut-off on working days.',
    schedule: {
      cron: '30,50 16-21 * * *',
      elsewhere: collatingTimes,
      reason:
        '17:30 in London is 16:30 or 17:30 UTC; the later runs collect letters that were not ready then, or catch up after downtime.',
    },
    ...soonAgain,
    run: collateLetters,
  },
  queued(printBatch, printLetters),
  queued(despatchBatch, despatchInSandbox),
  {
    name: 'read-printer-reports',
    description: 'Reads the files with reports that the printer put on its SFTP server.',
    schedule: {
      cron: '*/10 * * * *',
      reason: 'A report waits for minutes, and the printer sees soon whether its file was read.',
    },
    ...soonAgain,
    run: readReportFiles,
  },
  {
    name: 'check-letters',
    description: 'Logs an error when letters are not printed, posted or scanned in time, and when they fail.',
    schedule: {
      cron: '0 7,19 * * *',
      reason: 'In the morning, while there is time to act, and in the evening, after the printer’s working day.',
    },
    ...soonAgain,
    run: checkLetters,
  },
  {
    name: 'clean-letters',
    description: 'Ends letters without a final status after 90 days, and deletes the files of deleted letters.',
    schedule: { cron: '30 4 * * *', reason: 'After the nightly deletion of old notifications.' },
    ...onceADay,
    run: endAndCleanLetters,
  },
  queued(announceReturnedLetters, createReturnedLetterCallbacks),
  queued(recordEmailReceipt, retryReceipt),
  queued(announceFailures, storeFailureCallbacks),
  {
    name: 'shift-from-slow-provider',
    description: 'Reduces the share of a text message provider whose receipts are slow.',
    schedule: { cron: '* * * * *', reason: 'Every minute: checks the last 15 minutes.' },
    ...soonAgain,
    run: moveFromSlow,
  },
  {
    name: 'drift-providers-back',
    description: 'Moves the shares of the providers back to normal when they have not changed for a while.',
    schedule: { cron: '*/5 * * * *', reason: 'Gradually, so that a recovering provider is not overloaded.' },
    ...soonAgain,
    run: restoreShares,
  },
  {
    name: 'check-delivery-queue',
    description: 'Logs a warning when messages have been due for minutes.',
    schedule: {
      cron: '* * * * *',
      reason: 'Every minute, so that the operator hears of a backlog before the services.',
    },
    ...soonAgain,
    run: checkQueue,
  },
  {
    name: 'time-out-messages',
    description:
      'Ends text messages and emails without a receipt after 72 hours, and messages that were never handed over.',
    schedule: { cron: '5 * * * *', reason: 'Hourly, so that a message times out after 72 hours, not the next night.' },
    ...soonAgain,
    run: timeOutMessages,
  },
  {
    name: 'find-lost-messages',
    description: 'Queues accepted messages that are missing from the queue.',
    schedule: { cron: '45 * * * *', reason: 'Hourly, so that a missing message is delayed by hours, not lost.' },
    ...soonAgain,
    run: findLostMessages,
  },
  {
    name: 'clean-delivery',
    description: 'Deletes old callbacks, parts of messages, health data of past days, and old messages of the sandbox.',
    schedule: { cron: '25 3 * * *', reason: 'At night, when load is low.' },
    ...onceADay,
    run: cleanDelivery,
  },
  {
    name: 'create-allowances',
    description: 'Creates the free SMS allowance of the new financial year for every active service.',
    schedule: {
      cron: '1 2 * * *',
      reason: 'Nightly, although it has work on one day of the year, so that a platform that was down then catches up.',
    },
    ...onceADay,
    run: createAllowances,
  },
  {
    name: 'record-processing-time',
    description: 'Counts how many of yesterday’s messages reached a provider within ten seconds.',
    schedule: { cron: '0 2 * * *', reason: 'After midnight, before yesterday’s messages are deleted.' },
    ...onceADay,
    run: recordProcessingTime,
  },
  {
    name: 'delete-old-records',
    description:
      'Deletes old events, complaints, outcomes of emails and requested reports, and the personal data of records without a retention rule.',
    schedule: { cron: '40 3 * * *', reason: 'At night, when load is low.' },
    ...onceADay,
    run: deleteOldRecords,
  },
  {
    name: 'delete-old-sessions',
    description: 'Deletes sessions of the console that have ended.',
    schedule: { cron: '50 3 * * *', reason: 'At night, when load is low.' },
    ...onceADay,
    run: deleteOldSessions,
  },
  {
    name: 'delete-old-drafts',
    description: 'Deletes drafts of templates that nobody has written on for a week.',
    schedule: { cron: '55 3 * * *', reason: 'At night, when load is low.' },
    ...onceADay,
    run: deleteOldDrafts,
  },
];

/** Lets the compiler check that the handler takes the payload of the task. */
function queued<Payload>(task: Task<Payload>, run: (app: App, payload: Payload) => Promise<void>): QueuedTask {
  return { ...task, run };
}

/** Scheduled tasks have their own connections, so that a long statement never takes one from a message. */
export function runnableTasks(app: App): RunnableTask[] {
  const apart = withPool(app, 'tasks');
  const now = app.clock.now();
  return tasks.map((task) => ({
    ...task,
    schedule: task.schedule && scheduleIn(app.country, now, task.schedule),
    run: (payload) => (task.schedule ? task.run(apart) : task.run(app, payload)),
  }));
}
