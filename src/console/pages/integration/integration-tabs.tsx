import { countFailedCallbacks, maxCountedCallbacks } from '../../../delivery/callbacks/callback-history.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { Platform } from '../../../platform/platform.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import type { View } from '../../page.ts';
import { Tabs } from '../../parts/tabs.tsx';

const tabs = [
  ['keys', t('Keys')],
  ['guest-list', t('Guest list')],
  ['callbacks', t('Callbacks')],
  ['smtp', t('Send over SMTP')],
  ['refused', t('Refused requests')],
] as const;

/** The pages that share the heading "Integration". */
export async function integrationView(
  app: Platform,
  service: { id: string },
  current: (typeof tabs)[number][0],
  content: View['content'],
): Promise<View> {
  const [, about] = tabs.find(([path]) => path === current) ?? [];
  const failed = await countFailedCallbacks(app, service.id);
  return {
    title: t('Integration'),
    ...(about ? { about } : {}),
    content: (
      <div class="stack">
        <Tabs
          name={t('Integration')}
          tabs={tabs.map(([path, label]) => ({
            label:
              path === 'callbacks' && failed > 0 ? (
                <>
                  {label}{' '}
                  <span class="badge tone-red">
                    <T>{{ failed: formatFailedCount(failed) }} failed</T>
                  </span>
                </>
              ) : (
                label
              ),
            to: pageUrl(`/services/${service.id}/integration/${path}`),
            isCurrent: path === current,
          }))}
        />
        {content}
      </div>
    ),
  };
}

/** "12", or "1,000 or more": more are not counted. */
export function formatFailedCount(failed: number): string {
  return failed >= maxCountedCallbacks ? t('{failed, number} or more', { failed }) : count(failed);
}
