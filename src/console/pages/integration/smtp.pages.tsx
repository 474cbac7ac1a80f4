import { sendOverSmtp } from '../../../inlet/settings.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import { listRefusedRequests } from '../../../notifications/refused/refused-requests.ts';
import { getChosenDomains } from '../../../sending-domains/sending-domains.ts';
import type { Service } from '../../../services/services.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Copy } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { integrationView } from './integration-tabs.tsx';

type Refusal = Awaited<ReturnType<typeof listRefusedRequests>>[number];

const managers = { service: 'manage' } as const;
const writers = { service: 'templates' } as const;
const maxRefusals = 5;

/** The settings that software needs to send over SMTP. */
export function smtpPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/integration/smtp', {
    who: { service: 'api' },
    below: 'Integration',
    name: t('Send over SMTP'),
    async show({ service, visitor }) {
      const server = await serverFor(service);
      const isOn = service.permissions.includes(sendOverSmtp);
      const mayChange = may(managers, visitor.user, service) === 'yes';
      return integrationView(
        app,
        service,
        'smtp',
        <>
          <p class="measure">
            {t(
              'Software that can only send mail can send through this service, with an API key as its password. Its emails come from the address of this service, and have its brand and its limits.',
            )}
          </p>
          {server === undefined && (
            <Empty title={t('This installation does not take emails')}>
              {t('Ask whoever runs Pennypost to set SMTP_INLET_LISTEN.')}
            </Empty>
          )}
          {server && !isOn && (
            <Empty title={t('Off for this service')}>
              {mayChange ? (
                <T>
                  Switch it on in{' '}
                  <a href={pageUrl(`/services/${service.id}/settings/email/smtp`)}>the settings of the service</a>.
                </T>
              ) : (
                t('Ask someone who can change the settings of this service to switch it on.')
              )}
            </Empty>
          )}
          {server && isOn && <Settings server={server} serviceId={service.id} />}
          {isOn && may(writers, visitor.user, service) === 'yes' && (
            <p>
              <a href={pageUrl(`/services/${service.id}/integration/smtp/template`)}>
                {t('Change the text around these emails')}
              </a>
            </p>
          )}
          {server && isOn && <LastRefusals refusals={await lastRefusalsOf(service)} now={app.clock.now()} />}
        </>,
      );
    },
  });

  async function lastRefusalsOf({ id }: Service): Promise<Refusal[]> {
    const refused = await listRefusedRequests(app, id, {});
    return refused.filter(({ path }) => path === 'SMTP').slice(0, maxRefusals);
  }

  async function serverFor(service: Service): Promise<SmtpServer | undefined> {
    const { listen, implicitTls, certificate } = app.config.inlet;
    if (!listen) return undefined;
    const withTls = implicitTls ? 'TLS' : 'STARTTLS';
    const security = certificate === undefined ? 'none' : withTls;
    const domain = await app.senderDomains.nameFor(service.id, await getChosenDomains(app.db, service.id));
    const from = `${service.email_sender_local_part}@${domain}`;
    return { host: new URL(app.config.urls.api).hostname, port: listen.port, security, from };
  }
}

function Settings({ server, serviceId }: { server: SmtpServer; serviceId: string }) {
  const { host, port, security } = server;
  const rows = [
    { name: t('Host'), value: <code>{host}</code> },
    { name: t('Port'), value: <code>{port}</code> },
    { name: t('Security'), value: security === 'none' ? t('None: only on the same machine') : <code>{security}</code> },
    { name: t('User name'), value: t('Anything, such as pennypost') },
    { name: t('Password'), value: t('An API key that can send over SMTP') },
  ];
  return (
    <>
      <Table
        caption={t('What to enter')}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { head: t('Setting'), cell: ({ name }) => name },
          { head: t('Value'), cell: ({ value }) => value },
        ]}
      />
      <p>
        <T>
          Create an API key in <a href={pageUrl(`/services/${serviceId}/integration/keys`)}>Keys</a>. What is refused is
          in <a href={pageUrl(`/services/${serviceId}/integration/refused`)}>Refused requests</a>.
        </T>
      </p>
      <h2>{t('Settings to copy')}</h2>
      {settingsOfSoftware(server).map(({ id, program, text }) => (
        <details class="more" key={id}>
          <summary>{program}</summary>
          <div class="code">
            <pre id={`smtp-${id}`}>{text}</pre>
            <Copy of={`smtp-${id}`} what={t('the settings for {program}', { program })} />
          </div>
        </details>
      ))}
    </>
  );
}

function LastRefusals({ refusals, now }: { refusals: readonly Refusal[]; now: Date }) {
  if (refusals.length === 0) return null;
  return (
    <>
      <h2>{t('Last refusals')}</h2>
      <Table
        caption={t('Last refusals')}
        rows={refusals}
        keyOf={({ id }) => id}
        columns={[
          { head: t('Time'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
          { head: t('Reason'), cell: (refusal) => <code>{replyOf(refusal)}</code> },
          { head: t('API key'), cell: ({ api_key_name }) => <span dir="auto">{api_key_name}</span> },
        ]}
      />
    </>
  );
}

/** Returns the reply that the software received. */
function replyOf({ status_code, errors: [error] }: Refusal): string {
  return `${status_code} ${error?.message}`;
}

interface SmtpServer {
  host: string;
  port: number;
  /** `TLS` is implicit TLS. */
  security: 'TLS' | 'STARTTLS' | 'none';
  /** The address that the emails of the service come from, whatever the software says. */
  from: string;
}

interface SoftwareSettings {
  id: string;
  program: Text;
  text: string;
}

const password = 'YOUR_API_KEY';
const user = 'pennypost';

/** Settings in the format of each program. */
function settingsOfSoftware(server: SmtpServer): SoftwareSettings[] {
  const { host, port, security, from } = server;
  const [isTls, isStartTls] = [security === 'TLS', security === 'STARTTLS'];
  return [
    {
      id: 'keycloak',
      program: asIs('Keycloak'),
      text: [
        `Host: ${host}`,
        `Port: ${port}`,
        `Enable SSL: ${isTls ? 'On' : 'Off'}`,
        `Enable StartTLS: ${isStartTls ? 'On' : 'Off'}`,
        'Authentication: On',
        `Username: ${user}`,
        `Password: ${password}`,
        `From: ${from}`,
      ].join('\n'),
    },
    {
      id: 'grafana',
      program: asIs('Grafana'),
      text: [
        '[smtp]',
        'enabled = true',
        `host = ${host}:${port}`,
        `user = ${user}`,
        // The name in a key may contain # or ;, which begin a comment.
        `password = """${password}"""`,
        `from_address = ${from}`,
        ...(isStartTls ? ['startTLS_policy = MandatoryStartTLS'] : []),
      ].join('\n'),
    },
    {
      id: 'gitlab',
      program: asIs('GitLab'),
      text: [
        "gitlab_rails['smtp_enable'] = true",
        `gitlab_rails['smtp_address'] = '${host}'`,
        `gitlab_rails['smtp_port'] = ${port}`,
        `gitlab_rails['smtp_user_name'] = '${user}'`,
        `gitlab_rails['smtp_password'] = '${password}'`,
        "gitlab_rails['smtp_authentication'] = 'plain'",
        `gitlab_rails['smtp_enable_starttls_auto'] = ${isStartTls}`,
        `gitlab_rails['smtp_tls'] = ${isTls}`,
        `gitlab_rails['gitlab_email_from'] = '${from}'`,
      ].join('\n'),
    },
    {
      id: 'django',
      program: asIs('Django'),
      text: [
        `EMAIL_HOST = '${host}'`,
        `EMAIL_PORT = ${port}`,
        `EMAIL_HOST_USER = '${user}'`,
        `EMAIL_HOST_PASSWORD = '${password}'`,
        ...(isTls ? ['EMAIL_USE_SSL = True'] : []),
        ...(isStartTls ? ['EMAIL_USE_TLS = True'] : []),
        `DEFAULT_FROM_EMAIL = '${from}'`,
      ].join('\n'),
    },
    {
      id: 'spring',
      program: asIs('Spring Boot'),
      text: [
        `spring.mail.host=${host}`,
        `spring.mail.port=${port}`,
        `spring.mail.username=${user}`,
        `spring.mail.password=${password}`,
        'spring.mail.properties.mail.smtp.auth=true',
        ...(isTls ? ['spring.mail.properties.mail.smtp.ssl.enable=true'] : []),
        ...(isStartTls
          ? [
              'spring.mail.properties.mail.smtp.starttls.enable=true',
              'spring.mail.properties.mail.smtp.starttls.required=true',
            ]
          : []),
      ].join('\n'),
    },
  ];
}
