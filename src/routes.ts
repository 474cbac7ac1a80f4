import accepts from '@fastify/accepts';
import cookie from '@fastify/cookie';
import { type App, withPool } from './app.ts';
import { adminActor, authenticateAdmin, authenticateFunctionalTests } from './auth/admin-token.ts';
import { authenticateApiCaller, dialectOf } from './auth/api-caller.ts';
import { apiKeyRoutes } from './auth/api-keys.routes.ts';
import { allowanceRoutes } from './billing/allowance.routes.ts';
import { rateRoutes } from './billing/rates.routes.ts';
import { organisationUsageRoutes, usageRoutes } from './billing/usage.routes.ts';
import { brandPoolRoutes } from './branding/brand-pools.routes.ts';
import { emailBrandingRoutes } from './branding/email-branding.routes.ts';
import { emailLogoRoutes } from './branding/email-logos.routes.ts';
import { letterBrandingRoutes } from './branding/letter-branding.routes.ts';
import { complaintRoutes } from './complaints/complaints.routes.ts';
import { consoleActor } from './console/access/admission.ts';
import { consoleRoutes } from './console/console.routes.ts';
import { sendFailurePage } from './console/failure-page.tsx';
import { readForm } from './console/forms.ts';
import { callbackHistoryRoutes } from './delivery/callbacks/callback-history.routes.ts';
import { providerDetailsRoutes } from './delivery/failover/provider-details.routes.ts';
import { inboundHookRoutes } from './delivery/inbound/inbound-hooks.routes.ts';
import { draftPreviewRoutes } from './delivery/previews/draft-preview.routes.ts';
import { receiptRoutes } from './delivery/receipts/receipts.routes.ts';
import { outboxRoutes } from './delivery/sandbox/outbox.routes.ts';
import { documentRoutes } from './documents/documents.routes.ts';
import { inboundTextRoutes, inboxRoutes } from './inbound/inbound-texts.routes.ts';
import { optedOutNumberRoutes } from './inbound/opt-outs/opt-outs.routes.ts';
import { bulkReadingRoutes, bulkRoutes } from './jobs/bulk/bulk.routes.ts';
import { contactListRoutes } from './jobs/contact-lists/contact-lists.routes.ts';
import { jobRoutes } from './jobs/jobs.routes.ts';
import { recurringSendRoutes } from './jobs/recurring/recurring-sends.routes.ts';
import { jobReportRoutes, notificationsOfJobRoutes } from './jobs/reports/job-report.routes.ts';
import { publicReportRoutes } from './jobs/reports/public-reports.routes.ts';
import { reportRequestRoutes } from './jobs/reports/report-requests.routes.ts';
import { uploadsPageRoutes } from './jobs/reports/uploads-page.routes.ts';
import { uploadRoutes } from './jobs/uploads/uploads.routes.ts';
import { letterAttachmentRoutes } from './letters/attachments/letter-attachments.routes.ts';
import { checkPdfLetterRoutes } from './letters/checked-letters.routes.ts';
import { letterLogoRoutes } from './letters/preview/letter-logo.routes.ts';
import { letterPreviewRoutes } from './letters/preview/letter-preview.routes.ts';
import { printerCallbackRoutes } from './letters/print/printer-callback.routes.ts';
import { returnedLetterRoutes } from './letters/returned/returned-letters.routes.ts';
import { attemptRoutes } from './notifications/attempts/attempts.routes.ts';
import { guardRoutes, sendingStatusRoutes } from './notifications/guard/guard.routes.ts';
import { activityRoutes } from './notifications/history/activity.routes.ts';
import { publicNotificationRoutes } from './notifications/history/public-notifications.routes.ts';
import { limitRoutes, remainingTodayRoutes } from './notifications/limits/limits.routes.ts';
import { limitReading } from './notifications/limits/read-limits.ts';
import { oneOffRoutes } from './notifications/one-off/one-off.routes.ts';
import { refusedRequestRoutes } from './notifications/refused/refused-requests.routes.ts';
import { sendRoutes } from './notifications/sending/send.routes.ts';
import { sendWindowRoutes } from './notifications/windows/send-windows.routes.ts';
import { auditLogRoutes } from './operations/audit/audit-log.routes.ts';
import { countryRoutes } from './operations/country/country.routes.ts';
import { findByUuidRoutes } from './operations/find-by-uuid.routes.ts';
import { metricsRoutes } from './operations/metrics.routes.ts';
import { operationsRoutes } from './operations/operations.routes.ts';
import { eraseRecipientRoutes } from './operations/recipients/erase-recipient.routes.ts';
import { organisationRoutes } from './organisations/organisations.routes.ts';
import { channelPlanRoutes } from './plans/channel-plans.routes.ts';
import { planMessageRoutes, sendByPlanRoutes } from './plans/plan-messages.routes.ts';
import { parseForm } from './platform/http/body/body.ts';
import { referencePageRoutes } from './platform/http/openapi.ts';
import type { Surface } from './platform/http/surface.ts';
import { adminErrors, publicErrors, statisticsErrors } from './protocol/error-bodies.ts';
import { toGcError } from './protocol/gc-errors.ts';
import { readinessRoutes } from './sending-domains/readiness/readiness.routes.ts';
import { publicSendingDomainRoutes, sendingDomainRoutes } from './sending-domains/sending-domains.routes.ts';
import { inboundNumberRoutes } from './services/inbound-numbers/inbound-numbers.routes.ts';
import { serviceMemberRoutes } from './services/members/service-members.routes.ts';
import { goLiveRequestRoutes } from './services/organisations/go-live-requests.routes.ts';
import { organisationServiceRoutes } from './services/organisations/organisation-services.routes.ts';
import {
  emailReplyToRoutes,
  letterContactRoutes,
  protectedSenderIdRoutes,
  smsSenderRoutes,
} from './services/senders/senders.routes.ts';
import { serviceStatisticsRoutes } from './services/service-statistics.routes.ts';
import { serviceHistoryRoutes, serviceRoutes } from './services/services.routes.ts';
import { callbackApiRoutes, callbackSigningRoutes } from './services/settings/callback-api.routes.ts';
import { dataRetentionRoutes } from './services/settings/data-retention.routes.ts';
import { guestListRoutes } from './services/settings/guest-list.routes.ts';
import { suppressedRecipientRoutes, suppressionListRoutes } from './services/suppression/suppression-list.routes.ts';
import { performanceDashboardRoutes } from './statistics/performance-dashboard.routes.ts';
import { platformStatsRoutes, serviceListRoutes } from './statistics/platform-stats.routes.ts';
import { templateEmailFileRoutes } from './templates/files/template-email-files.routes.ts';
import { templateFolderRoutes } from './templates/folders/template-folders.routes.ts';
import { hintRoutes, publicHintRoutes } from './templates/hints/template-hints.routes.ts';
import { publicTemplateRoutes } from './templates/public-templates.routes.ts';
import { manageTemplateRoutes } from './templates/sources/manage-template.routes.ts';
import { templateSourceRoutes } from './templates/sources/template-sources.routes.ts';
import { templateStatisticsRoutes } from './templates/template-statistics.routes.ts';
import { templateRoutes } from './templates/templates.routes.ts';
import { unsubscribeRoutes } from './unsubscribe/unsubscribe.routes.ts';
import { unsubscribeReportRoutes } from './unsubscribe/unsubscribe-reports.routes.ts';
import { eventRoutes } from './users/events.routes.ts';
import { functionalTestUserRoutes } from './users/functional-test-users.routes.ts';
import { joinRequestRoutes } from './users/invites/join-requests.routes.ts';
import { organisationInviteRoutes } from './users/invites/organisation-invites.routes.ts';
import { serviceInviteRoutes } from './users/invites/service-invites.routes.ts';
import { organisationMemberRoutes } from './users/members/organisation-members.routes.ts';
import { permissionRoutes } from './users/members/permissions.routes.ts';
import { accountLinkRoutes } from './users/sign-in/account-links.routes.ts';
import { signInRoutes } from './users/sign-in/sign-in.routes.ts';
import { verifyCodeRoutes } from './users/sign-in/verify-codes.routes.ts';
import { webauthnCredentialRoutes } from './users/sign-in/webauthn-credentials.routes.ts';
import { userRoutes, usersListRoutes } from './users/users.routes.ts';

type Routes = Surface<App>['routes'][number];

/** `sending` is for routes that accept messages and receipts, or check health. All others use the separate read pool. */
type ListedRoutes = Routes | { routes: Routes; pool: 'sending' };

type ListedSurface = Omit<Surface<App>, 'routes'> & { routes: ListedRoutes[] };

/** Makes a change visible to the next request to this process. */
const showChange = ({ changeListener }: App) => changeListener.catchUp();

/** Every route of the product, grouped by authentication and error body. */
const pages = {
  prefix: '/',
  authenticate: 'open' as const,
  ...adminErrors,
  errorStatuses: [],
  // Our own pages submit forms, and so do mail clients with one-click unsubscribe.
  bodyFormats: { 'application/x-www-form-urlencoded': parseForm, 'multipart/form-data': () => ({}) },
  plugins: [accepts, cookie],
};

const listed: ListedSurface[] = [
  {
    name: 'admin',
    description: 'For an administrative front end: services, users, templates, branding, billing.',
    prefix: '/',
    cors: true,
    port: 'admin',
    authenticate: authenticateAdmin,
    credential: 'admin',
    actor: adminActor,
    ...adminErrors,
    errorStatuses: [400, 401, 403, 404],
    afterWrite: showChange,
    routes: [
      // auth
      apiKeyRoutes,
      // organisations
      organisationRoutes,
      // branding
      emailBrandingRoutes,
      letterBrandingRoutes,
      brandPoolRoutes,
      // users
      userRoutes,
      signInRoutes,
      verifyCodeRoutes,
      webauthnCredentialRoutes,
      accountLinkRoutes,
      permissionRoutes,
      organisationMemberRoutes,
      serviceInviteRoutes,
      organisationInviteRoutes,
      joinRequestRoutes,
      eventRoutes,
      usersListRoutes,
      // templates
      templateRoutes,
      hintRoutes,
      templateFolderRoutes,
      templateEmailFileRoutes,
      templateStatisticsRoutes,
      // services
      serviceRoutes,
      sendingDomainRoutes,
      readinessRoutes,
      serviceMemberRoutes,
      serviceHistoryRoutes,
      serviceStatisticsRoutes,
      suppressionListRoutes,
      organisationServiceRoutes,
      goLiveRequestRoutes,
      guestListRoutes,
      smsSenderRoutes,
      protectedSenderIdRoutes,
      emailReplyToRoutes,
      letterContactRoutes,
      inboundNumberRoutes,
      dataRetentionRoutes,
      callbackApiRoutes,
      callbackSigningRoutes,
      // complaints
      complaintRoutes,
      // notifications
      activityRoutes,
      attemptRoutes,
      remainingTodayRoutes,
      guardRoutes,
      oneOffRoutes,
      sendWindowRoutes,
      refusedRequestRoutes,
      inboxRoutes,
      unsubscribeReportRoutes,
      // jobs
      jobRoutes,
      notificationsOfJobRoutes,
      jobReportRoutes,
      uploadsPageRoutes,
      reportRequestRoutes,
      uploadRoutes,
      contactListRoutes,
      recurringSendRoutes,
      // plans
      channelPlanRoutes,
      // letters
      checkPdfLetterRoutes,
      letterPreviewRoutes,
      draftPreviewRoutes,
      letterLogoRoutes,
      letterAttachmentRoutes,
      returnedLetterRoutes,
      // delivery
      providerDetailsRoutes,
      callbackHistoryRoutes,
      // billing
      rateRoutes,
      usageRoutes,
      allowanceRoutes,
      organisationUsageRoutes,
      // statistics
      performanceDashboardRoutes,
      serviceListRoutes,
      // operations
      countryRoutes,
      findByUuidRoutes,
      eraseRecipientRoutes,
      auditLogRoutes,
    ],
  },
  {
    name: 'platform-stats',
    description: 'For an administrative front end: statistics across all services.',
    prefix: '/platform-stats',
    cors: true,
    port: 'admin',
    authenticate: authenticateAdmin,
    credential: 'admin',
    ...statisticsErrors,
    errorStatuses: [400, 401, 403],
    plugins: [accepts],
    routes: [platformStatsRoutes],
  },
  {
    name: 'functional-tests',
    description: 'For browser tests of an administrative front end.',
    prefix: '/__testing',
    cors: true,
    port: 'admin',
    authenticate: authenticateFunctionalTests,
    credential: 'browser_tests',
    actor: adminActor,
    ...adminErrors,
    errorStatuses: [400, 401, 403, 404],
    afterWrite: showChange,
    routes: [functionalTestUserRoutes],
  },
  {
    name: 'v2',
    description: 'For applications that send messages.',
    prefix: '/v2',
    cors: true,
    authenticate: (app) => limitReading(app, authenticateApiCaller(app)),
    credential: 'api_key',
    ...publicErrors,
    translate: (app, request, failure) => (dialectOf(app, request) === 'gc' ? toGcError(failure) : failure),
    errorStatuses: [400, 401, 403, 404, 429],
    plugins: [accepts],
    afterWrite: (app, { url }) => (/^\/v2\/(manage-)?template/.test(url) ? showChange(app) : undefined),
    afterFailure: (app, request, failure, status) => app.refusedRequests.record(request, failure, status),
    routes: [
      publicTemplateRoutes,
      publicHintRoutes,
      limitRoutes,
      templateSourceRoutes,
      manageTemplateRoutes,
      { routes: sendRoutes, pool: 'sending' },
      { routes: bulkRoutes, pool: 'sending' },
      bulkReadingRoutes,
      { routes: sendByPlanRoutes, pool: 'sending' },
      planMessageRoutes,
      publicReportRoutes,
      publicNotificationRoutes,
      inboundTextRoutes,
      suppressedRecipientRoutes,
      publicSendingDomainRoutes,
      optedOutNumberRoutes,
      sendingStatusRoutes,
    ],
  },
  {
    name: 'callbacks',
    description: 'For providers: receipts and received text messages.',
    prefix: '/notifications',
    cors: true,
    // Each provider authenticates differently: a signature, basic credentials or a token in the URL.
    authenticate: 'open',
    ...adminErrors,
    errorStatuses: [400, 403],
    bodyFormats: {
      'application/x-www-form-urlencoded': parseForm,
    },
    routes: [
      { routes: receiptRoutes, pool: 'sending' },
      { routes: inboundHookRoutes, pool: 'sending' },
    ],
  },
  {
    name: 'printer',
    description: 'For printers: status of letters.',
    prefix: '/notifications/letter',
    cors: true,
    // The URL in the manifest contains a token for its letter.
    authenticate: 'open',
    ...publicErrors,
    errorStatuses: [400, 403],
    routes: [printerCallbackRoutes],
  },
  {
    name: 'open',
    description: 'Unauthenticated: health checks and capabilities.',
    prefix: '/',
    jsonHome: '/_status',
    cors: true,
    port: 'both',
    authenticate: 'open',
    ...adminErrors,
    errorStatuses: [],
    untraced: true,
    routes: [{ routes: operationsRoutes, pool: 'sending' }],
  },
  {
    ...pages,
    name: 'pages',
    description: 'For recipients of messages.',
    routes: [documentRoutes, emailLogoRoutes, outboxRoutes],
  },
  {
    ...pages,
    name: 'unsubscribe',
    description:
      'For recipients of emails, their mail clients, and an administrative front end that has its own page for them.',
    port: 'both',
    routes: [unsubscribeRoutes],
  },
  {
    name: 'console',
    description: 'For people: the web console.',
    prefix: '/console',
    home: '/console',
    undocumented: true,
    // Each page says who may open it.
    authenticate: 'open',
    ...adminErrors,
    actor: consoleActor,
    sendErrorPage: sendFailurePage,
    errorStatuses: [],
    bodyFormats: { 'application/x-www-form-urlencoded': readForm },
    plugins: [cookie],
    afterWrite: showChange,
    routes: [consoleRoutes],
  },
  {
    name: 'operations',
    description: 'For the operator: metrics and API reference.',
    prefix: '/',
    port: 'admin',
    authenticate: 'open',
    ...adminErrors,
    errorStatuses: [],
    untraced: true,
    routes: [metricsRoutes, referencePageRoutes],
  },
];

const withReadPool = (entry: ListedRoutes): Routes =>
  typeof entry === 'function' ? (http, app) => entry(http, withPool(app, 'reading')) : entry.routes;

export const surfaces: Surface<App>[] = listed.map((one) => ({ ...one, routes: one.routes.map(withReadPool) }));

/** The heading of the API document. */
export const api = {
  title: 'Pennypost',
  description: 'Email, text messages and letters through one API, compatible with GOV.UK Notify.',
};
