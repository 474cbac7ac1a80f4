import { type Static, Type } from 'typebox';
import { apiCallerOf } from '../auth/api-caller.ts';
import { isTimeZone } from '../countries/timing/zones.ts';
import { admissionOf, admitSending, idempotencyErrors, idempotencyHeader } from '../notifications/sending/admission.ts';
import { refuse, validation } from '../notifications/sending/read-requests.ts';
import { readScheduledTime, windowsOfMessages } from '../notifications/sending/scheduled-time.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import { Failure, type Problem } from '../platform/failure.ts';
import { acceptEmptyBody } from '../platform/http/body/body.ts';
import { requestRoot } from '../platform/http/request-facts.ts';
import type { Http } from '../platform/http/surface.ts';
import { canonicalId } from '../platform/id.ts';
import { channels } from '../protocol/channels.ts';
import type { ApiDialect } from '../protocol/dialect.ts';
import { Datetime, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { inPublicOrder, printedValue } from '../protocol/schema-problems.ts';
import type { PlanDeps } from './message-callback.ts';
import {
  cancelPlanMessage,
  getPlanMessage,
  listPlanMessages,
  type PlanMessageRecord,
  type PlanSend,
  sendByPlan,
} from './plan-messages.ts';
import { messageStatuses, stepStates } from './plan-rules.ts';

const path = '/v2/messages';
const OfMessage = Type.Object({ message_id: Uuid });
const AddressLine = Type.Optional(Type.String({ maxLength: 1000 }));

const requestExample = {
  plan_name: 'Appointments',
  recipient: { email_address: 'ada@example.org', phone_number: '07700900123' },
  personalisation: { name: 'Ada', day: 'Friday' },
  reference: 'appointment-4711',
};

const MessageRequest = Type.Object(
  {
    plan_id: Type.Optional(Type.String({ format: 'uuid', description: 'Required, unless plan_name is given' })),
    plan_name: Type.Optional(Type.String({ maxLength: 255, description: 'Instead of plan_id' })),
    recipient: Type.Object(
      {
        email_address: Type.Optional(Type.String({ maxLength: 1000 })),
        phone_number: Type.Optional(Type.String({ maxLength: 1000 })),
        address_line_1: AddressLine,
        address_line_2: AddressLine,
        address_line_3: AddressLine,
        address_line_4: AddressLine,
        address_line_5: AddressLine,
        address_line_6: AddressLine,
        address_line_7: AddressLine,
        time_zone: Type.Optional(
          Type.String({ description: 'IANA, such as Europe/Paris: in which the sending times of the service apply' }),
        ),
      },
      { additionalProperties: false, description: 'All known contacts; steps without their contact are skipped' },
    ),
    personalisation: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'The values of all steps. A value cannot be a file',
      }),
    ),
    reference: Type.Optional(Type.String({ maxLength: 1000 })),
    scheduled_for: Type.Optional(Nullable(Type.String({ description: 'ISO 8601, at most 24 hours ahead' }))),
  },
  { title: 'MessageRequest', additionalProperties: false, examples: [requestExample] },
);
type MessageRequest = Static<typeof MessageRequest>;

const messageExample = {
  id: '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a13',
  reference: 'appointment-4711',
  plan: { id: '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a14', version: 1 },
  status: 'created' as const,
  how: null,
  steps: (['email', 'sms'] as const).map((channel, index) => ({
    ...{ number: index + 1, channel, state: 'waiting' as const, reason: null, notification_id: null },
    ...{ started_at: null, handed_over_at: null, ended_at: null },
  })),
  scheduled_for: null,
  created_at: '2026-11-15T12:00:00.000000Z',
  completed_at: null,
  uri: `http://localhost:6011${path}/0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a13`,
};

const Message = Type.Object(
  {
    id: Uuid,
    reference: Nullable(Type.String()),
    plan: Type.Object({ id: Uuid, version: Type.Integer() }),
    status: OneOf(messageStatuses),
    how: Nullable({ ...OneOf(channels), description: 'The channel that reached the recipient' }),
    steps: Type.Array(
      Type.Object({
        number: Type.Integer(),
        channel: OneOf(channels),
        state: OneOf(stepStates),
        reason: Nullable(Type.String({ description: 'Why it waits longer, was skipped, failed or was cancelled' })),
        notification_id: Nullable(Uuid),
        started_at: Nullable(Datetime),
        handed_over_at: Nullable(Datetime),
        ended_at: Nullable(Datetime),
      }),
    ),
    scheduled_for: Nullable(Datetime),
    created_at: Datetime,
    completed_at: Nullable(Datetime),
    uri: Type.String(),
  },
  {
    title: 'PlanMessage',
    examples: [messageExample],
  },
);

function shown(message: PlanMessageRecord, root: string): Static<typeof Message> {
  const { id, reference, plan_id, plan_version, status, how, steps, scheduled_for, created_at, completed_at } = message;
  return {
    ...{ id, reference, plan: { id: plan_id, version: plan_version }, status, how },
    steps: steps.map(({ number, channel, state, reason, notification_id, started_at, handed_over_at, ended_at }) => ({
      ...{ number, channel, state, reason, notification_id, started_at, handed_over_at, ended_at },
    })),
    ...{ scheduled_for, created_at, completed_at, uri: `${root}${path}/${id}` },
  };
}

/** Reports all problems of a request at once. */
function readRequest(
  request: { body: unknown; validationError?: unknown },
  { now, dialect }: { now: Date; dialect: ApiDialect },
): PlanSend {
  const { validationError } = request;
  const problems = validationError instanceof Failure ? [...(validationError.problems ?? [])] : [];
  const fields = (typeof request.body === 'object' ? request.body : {}) as Partial<MessageRequest>;
  const { plan_id, plan_name, scheduled_for } = fields;
  if (!Array.isArray(request.body)) problems.push(...problemsOfPlan(plan_id, plan_name));
  const zone = fields.recipient?.time_zone;
  if (typeof zone === 'string' && !isTimeZone(zone)) {
    problems.push(validation('recipient', `recipient time_zone ${printedValue(zone)} is not a time zone`));
  }
  const at =
    typeof scheduled_for === 'string' ? readScheduledTime(scheduled_for, now, windowsOfMessages[dialect]) : undefined;
  if (at && 'problem' in at) problems.push(validation('scheduled_for', `scheduled_for ${at.problem}`));
  refuse(inPublicOrder(MessageRequest, problems));
  const { recipient, personalisation = {}, reference = null } = request.body as MessageRequest;
  return {
    plan: plan_id === undefined ? { name: (plan_name ?? '').trim() } : { id: canonicalId(plan_id) },
    ...{ recipient, personalisation, reference },
    scheduled_for: at && 'at' in at ? at.at : null,
  };
}

function problemsOfPlan(plan_id: unknown, plan_name: unknown): Problem[] {
  if (plan_id === undefined && plan_name === undefined) {
    return [{ error: 'ValidationError', message: 'plan_id is a required property', about: 'missing' }];
  }
  if (plan_id === undefined || plan_name === undefined) return [];
  return [validation('plan_name', 'plan_name cannot be used together with plan_id')];
}

export function sendByPlanRoutes(http: Http, app: SendDeps): void {
  http.post(
    path,
    {
      attachValidation: true,
      preValidation: acceptEmptyBody,
      config: { bodyRequired: true, verbatimNumbersUnder: 'personalisation' },
      onRequest: admitSending(app),
      schema: {
        summary: 'Send a message by a channel plan: the next channel is tried if one does not reach the recipient',
        headers: idempotencyHeader,
        body: MessageRequest,
        response: { 201: Message, ...idempotencyErrors },
      },
    },
    async (request, reply) => {
      const admission = admissionOf(request);
      const send = readRequest(request, admission.context);
      const { response, replayed } = await sendByPlan(app, admission, request.body, send);
      if (replayed) reply.header('idempotent-replayed', 'true');
      return reply.code(201).send(shown(response, admission.context.root));
    },
  );
}

export function planMessageRoutes(http: Http, app: PlanDeps): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    path,
    {
      schema: {
        summary: 'List messages with a channel plan, newest first',
        querystring: Type.Object(
          {
            reference: Type.Optional(Type.String({ examples: ['appointment-4711'] })),
            status: Type.Optional(OneOf(messageStatuses)),
            older_than: Type.Optional(Uuid),
          },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object(
            {
              messages: Type.Array(Message),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            {
              examples: [
                {
                  messages: [messageExample],
                  links: { current: `http://localhost:6011${path}?reference=appointment-4711` },
                },
              ],
            },
          ),
        },
      },
    },
    async (request) => {
      // Only messages that were sent with keys of the caller's type.
      const { service_id, key_type } = apiCallerOf(request);
      const { messages, hasOlder } = await listPlanMessages(app.db, service_id, { ...request.query, key_type });
      const root = rootOf(request);
      const { older_than: _, ...filter } = request.query;
      const page = (more: object) => {
        const query = new URLSearchParams({ ...filter, ...more }).toString();
        return `${root}${path}${query === '' ? '' : `?${query}`}`;
      };
      return {
        messages: messages.map((message) => shown(message, root)),
        links: {
          current: page(request.query),
          ...(hasOlder ? { next: page({ older_than: messages.at(-1)?.id ?? '' }) } : {}),
        },
      };
    },
  );

  http.get(
    `${path}/:message_id`,
    {
      schema: { summary: 'Get a message with a channel plan', params: OfMessage, response: { 200: Message } },
    },
    async (request) =>
      shown(await getPlanMessage(app.db, apiCallerOf(request), request.params.message_id), rootOf(request)),
  );

  http.post(
    `${path}/:message_id/cancel`,
    {
      schema: {
        summary: 'Cancel the steps of a message that have not been handed over yet; letters until they are printed',
        params: OfMessage,
        response: { 200: Message },
      },
    },
    async (request) =>
      shown(await cancelPlanMessage(app, apiCallerOf(request), request.params.message_id), rootOf(request)),
  );
}
