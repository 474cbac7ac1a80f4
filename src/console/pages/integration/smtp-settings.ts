import { asIs, type Text } from '../../../language/text.ts';

/** What software needs to know to send over SMTP. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte, instead of after STARTTLS. */
  implicitTls: boolean;
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

/** Settings ready to copy, as each program writes them. */
export function settingsOfSoftware(server: SmtpServer): SoftwareSettings[] {
  const { host, port, implicitTls, from } = server;
  return [
    {
      id: 'keycloak',
      program: asIs('Keycloak'),
      text: [
        `Host: ${host}`,
        `Port: ${port}`,
        `Enable SSL: ${implicitTls ? 'On' : 'Off'}`,
        `Enable StartTLS: ${implicitTls ? 'Off' : 'On'}`,
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
        `password = ${password}`,
        `from_address = ${from}`,
        ...(implicitTls ? [] : ['startTLS_policy = MandatoryStartTLS']),
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
        `gitlab_rails['smtp_enable_starttls_auto'] = ${!implicitTls}`,
        `gitlab_rails['smtp_tls'] = ${implicitTls}`,
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
        implicitTls ? 'EMAIL_USE_SSL = True' : 'EMAIL_USE_TLS = True',
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
        implicitTls
          ? 'spring.mail.properties.mail.smtp.ssl.enable=true'
          : 'spring.mail.properties.mail.smtp.starttls.required=true',
      ].join('\n'),
    },
  ];
}
