import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { channels } from '../protocol/channels.ts';
import { Data, Datetime, Name, NoContent, Nullable, OfService, OneOf, Uuid } from '../protocol/fields.ts';
import { archivePlan, createPlan, getPlan, getPlanFigures, listPlans, maxSteps, updatePlan } from './channel-plans.ts';

const OfPlan = Type.Object({ service_id: Uuid, plan_id: Uuid });

const Step = Type.Object({
  channel: OneOf(channels),
  template_id: Uuid,
  wait_h: Nullable(Type.Integer({ description: 'Hours without delivery, after which the next step starts' })),
  only_if_missing: Type.Boolean({ description: 'Used only if no earlier step could be sent' }),
});

const Steps = Type.Array(
  Type.Object({
    channel: OneOf(channels),
    template_id: Uuid,
    wait_h: Type.Optional(
      Nullable(Type.Integer({ description: 'Hours after hand-over, 1 to 336; the last step has none' })),
    ),
    only_if_missing: Type.Optional(Type.Boolean()),
  }),
  { description: `2 to ${maxSteps}, in order; a letter only as the last one` },
);

const Plan = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    name: Type.String(),
    steps: Type.Array(Step),
    version: Type.Integer(),
    archived: Type.Boolean(),
    created_by_id: Uuid,
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'ChannelPlan' },
);

const Figures = Type.Object(
  {
    delivered: Type.Array(Type.Object({ step: Type.Integer(), channel: OneOf(channels), messages: Type.Integer() }), {
      description:
        'How many messages each step has ended. A step that had another channel in another version is here twice',
    }),
    failed: Type.Integer({ description: 'Not delivered by any step' }),
    cancelled: Type.Integer(),
    ended: Type.Integer({ description: 'Delivered, failed or cancelled' }),
    open: Type.Integer({ description: 'Accepted, and not ended yet' }),
  },
  {
    title: 'ChannelPlanFigures',
    examples: [
      {
        delivered: [
          { step: 1, channel: 'email', messages: 71 },
          { step: 2, channel: 'sms', messages: 24 },
        ],
        ...{ failed: 4, cancelled: 1, ended: 100, open: 12 },
      },
    ],
  },
);

const path = '/service/:service_id/channel-plan';
const ofPlan = `${path}/:plan_id`;

export function channelPlanRoutes(http: Http, app: Platform): void {
  http.get(
    path,
    {
      schema: {
        summary: 'List the channel plans of a service, by name',
        params: OfService,
        response: { 200: Data(Type.Array(Plan)) },
      },
    },
    async ({ params }) => ({ data: await listPlans(app.db, params.service_id) }),
  );

  http.post(
    path,
    {
      schema: {
        summary: 'Create a channel plan: which channels are tried, in which order, and how long each is waited for',
        params: OfService,
        body: Type.Object({ name: Name, steps: Steps, created_by: Uuid }),
        response: { 201: Data(Plan) },
      },
    },
    async ({ params, body }, reply) => reply.code(201).send({ data: await createPlan(app, params.service_id, body) }),
  );

  http.get(
    ofPlan,
    { schema: { summary: 'Get a channel plan', params: OfPlan, response: { 200: Data(Plan) } } },
    async ({ params }) => ({ data: await getPlan(app.db, params.service_id, params.plan_id) }),
  );

  http.get(
    `${ofPlan}/figures`,
    {
      schema: {
        summary: 'Get how many messages of a plan ended with which step: of all versions, without those of test keys',
        params: OfPlan,
        response: { 200: Data(Figures) },
      },
    },
    async ({ params }) => ({ data: await getPlanFigures(app.db, params.service_id, params.plan_id) }),
  );

  http.post(
    ofPlan,
    {
      schema: {
        summary: 'Rename a channel plan or change its steps; accepted messages keep to the version that they have',
        params: OfPlan,
        body: Type.Object({ name: Type.Optional(Name), steps: Type.Optional(Steps), created_by: Uuid }),
        response: { 200: Data(Plan) },
      },
    },
    async ({ params, body }) => ({ data: await updatePlan(app, params.service_id, params.plan_id, body) }),
  );

  http.delete(
    ofPlan,
    {
      schema: {
        summary: 'Archive a channel plan; accepted messages go on',
        params: OfPlan,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await archivePlan(app, params.service_id, params.plan_id);
      return reply.code(204).send(null);
    },
  );
}
