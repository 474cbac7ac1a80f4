import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { type KeyType, keyTypes } from '../../../protocol/key-types.ts';
import { pageUrl } from '../../links.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { Confirm, Submit } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';

const kinds: Record<KeyType, { label: string; hint: string }> = {
  normal: { label: t('Live'), hint: t('Sends to anyone.') },
  team: { label: t('Team and guest list'), hint: t('Sends emails and texts to your team and guest list.') },
  test: { label: t('Test'), hint: t('Pretends to send. Nothing leaves Pennypost.') },
};

interface Key {
  id: string;
  name: string;
  key_type: KeyType;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  expiry_date: string | null;
  allowed_networks: string[] | null;
  manage_templates: boolean;
  manage_reports: boolean;
  send_over_smtp: boolean;
  imported: boolean;
  madeBy: string;
}

interface KeyTableProps {
  service: { id: string };
  keys: readonly Key[];
  /** Whether the service has messages with a channel plan that have not ended. */
  hasOpenMessages: boolean;
  now: Date;
}

export function KeyTable({ service, keys, hasOpenMessages, now }: KeyTableProps) {
  if (keys.length === 0) {
    return (
      <Empty title={t('No keys yet')}>{t('Your application needs a key to send messages for this service.')}</Empty>
    );
  }
  return (
    <Table
      caption={t('Keys in use')}
      middle
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Name'),
          cell: ({ name, expires_at, allowed_networks, send_over_smtp, imported, ...rights }) => (
            <>
              {name}
              {expires_at && (
                <small>
                  <T>
                    until <Time at={expires_at} now={now} />
                  </T>
                </small>
              )}
              {allowed_networks && (
                <small>{t('only from {networks}', { networks: allowed_networks.join(', ') })}</small>
              )}
              {rights.manage_templates && <small>{t('can manage templates')}</small>}
              {rights.manage_reports && <small>{t('can request reports')}</small>}
              {send_over_smtp && <small>{t('can send over SMTP')}</small>}
              {imported && <small>{t('imported: another server knows this key, so replace it with a new one')}</small>}
            </>
          ),
        },
        {
          head: t('Kind'),
          cell: ({ key_type }) => (
            <span class={key_type === 'normal' ? 'badge tone-blue' : 'badge'}>{kinds[key_type].label}</span>
          ),
        },
        {
          head: t('Last used'),
          cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} now={now} /> : t('never')),
        },
        {
          head: t('Made by'),
          cell: ({ madeBy, created_at }) => (
            <>
              {madeBy}, <Time at={created_at} now={now} />
            </>
          ),
        },
        {
          head: t('Actions'),
          hidden: true,
          cell: ({ id, name }) => <Revoke {...{ service, id, name, hasOpenMessages }} />,
        },
      ]}
    />
  );
}

function Revoke({
  service,
  id,
  name,
  hasOpenMessages,
}: Pick<KeyTableProps, 'service' | 'hasOpenMessages'> & Pick<Key, 'id' | 'name'>) {
  const stop = {
    name: 'stop_messages',
    label: t('Also stop its messages with a channel plan'),
    hint: t('Steps that have started go on, but no other step follows.'),
  };
  return (
    <Confirm
      label={
        <T>
          Revoke<span class="sr"> {{ name }}</span>
        </T>
      }
      action={t('Revoke {name}', { name })}
      to={pageUrl(`/services/${service.id}/integration/keys/revoke`)}
      fields={{ api_key_id: id }}
      option={hasOpenMessages ? stop : undefined}
    >
      {t('We will refuse requests with this key at once. You cannot undo this.')}
    </Confirm>
  );
}

export function RevokedKeys({ keys, now }: { keys: readonly Key[]; now: Date }) {
  if (keys.length === 0) return null;
  return (
    <details class="more">
      <summary>
        {t(
          '{count, plural, one {# key was revoked in the last 7 days} other {# keys were revoked in the last 7 days}}',
          { count: keys.length },
        )}
      </summary>
      <ul class="list">
        {keys.map(({ id, name, expiry_date, madeBy }) => (
          <li key={id}>
            <span dir="auto">{name}</span>
            <span class="muted">
              {expiry_date ? (
                <T>
                  by {{ name: madeBy }}, <Time at={expiry_date} now={now} />
                </T>
              ) : (
                t('by {name}, ', { name: madeBy })
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function NewKey({ name, key }: { name: string; key: string }) {
  return (
    <section class="card stack stack--tight once" aria-labelledby="new">
      <h2 id="new">{t('Copy your new key now')}</h2>
      <p class="small">{t('We only show it once. If you lose it, create another key.')}</p>
      <div class="field">
        <label class="label" for="new-key">
          <T>Key “{{ name }}”</T>
        </label>
        <div class="row">
          <input class="input input--code" id="new-key" readOnly value={key} />
          <Copy of="new-key" what={t('the key')} />
        </div>
      </div>
    </section>
  );
}

interface CreateKeyProps {
  formState: FormState;
  service: { id: string; restricted: boolean };
  mayManageTemplates: boolean;
  mayManageReports: boolean;
  maySendOverSmtp: boolean;
}

interface KeyRightProps {
  formState: FormState;
  name: string;
  label: Text;
  hint: Text;
}

/** What a key may do besides sending through the API. */
function KeyRight({ formState, name, label, hint }: KeyRightProps) {
  return (
    <label class="choice">
      <input type="checkbox" name={name} value="yes" checked={formState.typed.get(name) === 'yes'} />
      <span>{label}</span>
      <span class="hint">{hint}</span>
    </label>
  );
}

export function CreateKey({ formState, service, ...may }: CreateKeyProps) {
  const offered = keyTypes.filter((kind) => kind !== 'normal' || !service.restricted);
  return (
    <section class="stack measure" aria-labelledby="create">
      <h2 id="create">{t('Create a key')}</h2>
      <form class="stack" method="post" action={pageUrl(`/services/${service.id}/integration/keys/create`)} noValidate>
        <Field
          formState={formState}
          name="name"
          label={t('Name')}
          hint={t('Say what will use the key, for example “website”.')}
          autocomplete="off"
        />
        <Choices
          formState={formState}
          name="key_type"
          legend={t('Kind')}
          hint={service.restricted ? t('You can create a live key once your service is live.') : undefined}
          kind="one"
          choices={offered.map((value) => ({ value, ...kinds[value] }))}
        />
        {may.mayManageTemplates && (
          <KeyRight
            formState={formState}
            name="manage_templates"
            label={t('Can manage templates')}
            hint={t('Lets a program create, change and archive templates that you keep in a repository.')}
          />
        )}
        {may.mayManageReports && (
          <KeyRight
            formState={formState}
            name="manage_reports"
            label={t('Can request reports')}
            hint={t('Lets a program download who got which message of this service.')}
          />
        )}
        {may.maySendOverSmtp && (
          <KeyRight
            formState={formState}
            name="send_over_smtp"
            label={t('Can send over SMTP')}
            hint={t('Makes the key a password for software that can only send mail.')}
          />
        )}
        <Submit>{t('Create key')}</Submit>
      </form>
    </section>
  );
}
