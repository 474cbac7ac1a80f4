import { Table } from '../../parts/table.tsx';
import { callbackNames, shownCallbackTypes } from './callback-names.ts';

interface TargetsProps {
  service: { id: string };
  targets: readonly { callback_type: string; url: string }[];
}

/** One row per kind, with or without a URL. */
export function CallbackTargets({ service, targets }: TargetsProps) {
  const here = `/console/services/${service.id}/integration/callbacks`;
  const urlOf = (type: string) => targets.find(({ callback_type }) => callback_type === type)?.url;
  return (
    <Table
      caption="Where callbacks are sent"
      middle
      rows={shownCallbackTypes}
      keyOf={(type) => type}
      columns={[
        {
          head: 'Kind',
          cell: (type) => (
            <>
              {callbackNames[type].name}
              <small>{callbackNames[type].hint}</small>
            </>
          ),
        },
        {
          head: 'URL',
          cell: (type) => (urlOf(type) ? <code>{urlOf(type)}</code> : <span class="muted">None</span>),
        },
        {
          head: 'Actions',
          hidden: true,
          cell: (type) => (
            <div class="row row--end">
              {urlOf(type) !== undefined && (
                <form method="post" action={`${here}/${type}/test`}>
                  <button class="button button--small" type="submit">
                    Send a test<span class="sr"> of {callbackNames[type].name.toLowerCase()}</span>
                  </button>
                </form>
              )}
              <a class="button button--small" href={`${here}/${type}`}>
                {urlOf(type) === undefined ? 'Set up' : 'Change'}
                <span class="sr"> {callbackNames[type].name.toLowerCase()}</span>
              </a>
            </div>
          ),
        },
      ]}
    />
  );
}
