import { Type } from 'typebox';
import {
  countFailedCallbacks,
  listCallbacks,
  replayCallback,
  replayFailedCallbacks,
} from '../../../delivery/callbacks/callback-history.ts';
import { isUuid } from '../../../platform/id.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { getCallback } from '../../../services/settings/callback-api.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Pager } from '../../parts/pager.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { CallbackTable } from './callback-table.tsx';
import { CallbackTargets } from './callback-targets.tsx';
import { integrationView, numberOf } from './integration-tabs.tsx';

const statuses = ['waiting', 'delivered', 'failed'] as const;
const statusNames = { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' };
const pageSize = 50;
const messagePath = '/services/:service_id/messages/:message_id';

/** What was sent to the service, with every attempt. */
export function callbackPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/callbacks', {
    who: { service: 'api' },
    below: 'Integration',
    async show({ service, visitor, query }) {
      const here = `/console/services/${service.id}/integration/callbacks`;
      const status = statuses.find((one) => one === query('status'));
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const targets = await Promise.all(
        service.service_callback_api.map(async ({ callback_id: id, callback_type }) => ({
          callback_type,
          url: (await getCallback(app.db, { id, service_id: service.id })).url,
        })),
      );
      const callbacks = await listCallbacks(app, service.id, {
        ...(status ? { status } : {}),
        ...(older_than ? { older_than } : {}),
      });
      const failed = await countFailedCallbacks(app, service.id);
      const pageOf = (last: string) =>
        `${here}?${new URLSearchParams({ ...(status ? { status } : {}), older_than: last })}`;
      const last = callbacks.length === pageSize ? callbacks.at(-1)?.id : undefined;
      const messagePage = pages.all.find(({ path }) => path === messagePath);
      const maySeeMessages = messagePage !== undefined && may(messagePage.who, visitor.user, service) === 'yes';
      return integrationView(
        app,
        service,
        'callbacks',
        <>
          <CallbackTargets service={service} targets={targets} />
          <section class="stack stack--tight" aria-labelledby="sent">
            <div class="toolbar">
              <h2 id="sent">Sent in the last days</h2>
              <Segments
                name="Status"
                tabs={[undefined, ...statuses].map((one) => ({
                  label: one ? statusNames[one] : 'All',
                  to: one ? `${here}?status=${one}` : here,
                  isCurrent: one === status,
                }))}
              />
              {failed > 0 && (
                <form method="post" action={`${here}/replay-failed`}>
                  <button class="button button--small" type="submit">
                    Replay {numberOf(failed)} failed
                  </button>
                </form>
              )}
            </div>
            <CallbackTable
              service={service}
              callbacks={callbacks}
              maxAttempts={app.config.callbacks.retryDelays_ms.length + 1}
              now={app.clock.now()}
              maySeeMessages={maySeeMessages}
            />
            {(last !== undefined || older_than !== undefined) && (
              <Pager
                shown={`${callbacks.length} callbacks`}
                newer={older_than === undefined ? undefined : status ? `${here}?status=${status}` : here}
                older={last === undefined ? undefined : pageOf(last)}
              />
            )}
          </section>
        </>,
      );
    },
  });

  pages.add('/services/:service_id/integration/callbacks/replay-failed', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({}),
    async act({ service }) {
      const replayed = await replayFailedCallbacks(app, service.id, {});
      const notice =
        replayed === 0
          ? 'Nothing was replayed: no URL is set for these callbacks.'
          : `${replayed.toLocaleString('en-GB')} ${replayed === 1 ? 'callback is' : 'callbacks are'} sent again, to the URL of now.`;
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });

  pages.add('/services/:service_id/integration/callbacks/replay', {
    who: { service: 'api' },
    show: ({ service }) => ({ to: `/services/${service.id}/integration/callbacks` }),
    form: Type.Object({ callback_id: Uuid }),
    async act({ service }, { callback_id }) {
      await replayCallback(app, service.id, callback_id);
      const notice = 'The callback is sent again, to the URL of now.';
      return { to: `/services/${service.id}/integration/callbacks`, notice };
    },
  });
}
