import type { ComponentChildren } from 'preact';
import { type Carriers, isAllSandbox } from '../../../delivery/sandbox/sandbox.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import type { Urls } from '../../../platform/settings.ts';
import type { Service } from '../../../services/services.ts';
import { rightNames } from '../../access/may.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import type { FormState } from '../../page.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { ButtonLink } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PlaceholderField } from '../../parts/placeholder-field.tsx';
import { Status } from '../../parts/status.tsx';
import { Copy } from '../../parts/text.tsx';
import { LiveMessageProgress, type MessageProgressProps } from './message-progress.tsx';
import { buildApiRequest, type Fields, type SentMessage } from './quick-start-form.ts';
import { buildSnippets, type Snippet } from './snippets.ts';

interface QuickStartProps {
  formState: FormState;
  service: Service;
  config: MessageProgressProps['config'] & Carriers & { urls: Urls };
  fields: Fields;
  isNewKey: boolean;
  sent: SentMessage | undefined;
  /** The message of step 4, if it was sent with the chosen template. */
  message: ActivityRecord | undefined;
  /** Whether the person has sent or updated that message, so that the page opens at step 4. */
  isWatching: boolean;
  /** An idempotency key of the form: submitted again, by a reload or a second click, it sends nothing. */
  once: string;
  /** Whether the visitor can open the page. */
  has(path: string): boolean;
}

export function QuickStart(props: QuickStartProps) {
  const { formState, service, config, fields, sent, message } = props;
  const request = buildApiRequest(fields);
  return (
    <form method="post" noValidate data-quick-start>
      {/* Enter in a field must not press the first visible button, which creates a key. */}
      <button type="submit" name="do" value="show" hidden>
        {t('Show the code')}
      </button>
      <input type="hidden" name="once" value={props.once} />
      {message && <input type="hidden" name="message_id" value={message.id} />}
      <ol class="guide">
        <li>
          <h2>{t('Your key')}</h2>
          <KeyStep {...props} />
        </li>
        <li>
          <h2>{t('Choose a template and fill it in')}</h2>
          {fields.template ? (
            <TemplateStep formState={formState} fields={fields} />
          ) : (
            <NoTemplate serviceId={service.id} has={props.has} />
          )}
        </li>
        <li>
          <h2>{t('Send it')}</h2>
          {request ? (
            <>
              <Code
                snippets={buildSnippets({ baseUrl: config.urls.api, apiKey: fields.apiKey || 'YOUR-API-KEY', request })}
                language={fields.language}
              />
              <div class="row">
                <button class="button button--primary" type="submit" name="do" value="send">
                  <Icon name="play" small />
                  {t('Send it from here')}
                </button>
                <noscript>
                  <button class="button" type="submit" name="do" value="show">
                    {t('Update the code')}
                  </button>
                </noscript>
              </div>
            </>
          ) : (
            <p class="muted">{t('The code for your message appears here once you have a template.')}</p>
          )}
        </li>
        <li id="way">
          {/* The page opens here after a message was sent, even without script and for keyboard users. */}
          <h2 id="watch" tabIndex={-1} autofocus={props.isWatching}>
            {t('Watch it arrive')}
          </h2>
          {sent && <Sent sent={sent} />}
          {message ? (
            <LiveMessageProgress message={message} config={config} />
          ) : (
            <p class="muted">
              {sent
                ? t('This recipient is for tests. The API accepts the message and stores nothing.')
                : t('Send a message to watch it arrive.')}
            </p>
          )}
        </li>
        <li>
          <h2>{t('Choose what to do next')}</h2>
          <NextSteps serviceId={service.id} has={props.has} />
        </li>
      </ol>
    </form>
  );
}

function Sent({ sent }: { sent: SentMessage }) {
  return (
    <Notice tone="green">
      <p>{t('Sent. Watch it arrive below.')}</p>
      <p class="small">
        <Status kind="delivered">{t('201 in {took} ms', { took: sent.took_ms })}</Status>{' '}
        <span class="muted">
          <T>
            id <code>{{ id: sent.id }}</code>
          </T>
        </span>
      </p>
    </Notice>
  );
}

function KeyStep({ formState, config, fields, isNewKey, service }: QuickStartProps) {
  return (
    <div class="stack stack--tight measure">
      {isNewKey && (
        <Notice tone="green">
          {t('Test key created. Copy it now, because we only show it once. Revoke it when you are done.')}
        </Notice>
      )}
      <Field
        formState={formState}
        name="api_key"
        label={t('API key')}
        hint={keyHint(config, service, fields)}
        value={fields.apiKey}
        autocomplete="off"
        code
        beside={<Copy of="api_key" what={t('the API key')} />}
      />
      <div>
        <button class="button button--small" type="submit" name="do" value="key">
          {t('Create a test key')}
        </button>
      </div>
    </div>
  );
}

function keyHint(config: Carriers, { restricted }: Service, { apiKey }: Fields): string {
  if (apiKey === '')
    return t('Paste a key of this service, or create one. It stays on this page and we do not store it.');
  if (isAllSandbox(config)) return t('The sandbox keeps every message, so nothing leaves this machine.');
  return restricted
    ? t('In trial mode you can only send messages to your team and guest list.')
    : t('With a live key we send the message. With a test key nothing leaves Pennypost.');
}

function TemplateStep({ formState, fields }: { formState: FormState; fields: Fields }) {
  const { template, templates, to, values } = fields;
  if (!template) return null;
  const channel = template.row.template_type;
  // The fields already hold the values to show: those of another channel were replaced by examples.
  const shown = { typed: new Map(), problems: formState.problems };
  return (
    <div class="stack">
      <div class="field measure">
        <label class="label" for="template_id">
          {t('Template')}
        </label>
        <div class="row">
          <select class="input" id="template_id" name="template_id">
            {templates.map(({ id, name, template_type }) => (
              <option key={id} value={id} selected={id === template.row.id}>
                {t('{name} ({channel, select, email {email} sms {text} other {letter}})', {
                  name,
                  channel: template_type,
                })}
              </option>
            ))}
          </select>
          <button class="button" type="submit" name="do" value="show">
            {t('Use this template')}
          </button>
        </div>
      </div>
      <input type="hidden" name="channel" value={channel} />
      <div class="cols">
        {channel === 'letter' ? (
          <TextArea
            formState={shown}
            name="to"
            label={t('To')}
            hint={t('Enter a name and address, one line each')}
            rows={5}
            value={to}
          />
        ) : (
          <Field
            formState={shown}
            name="to"
            label={t('To')}
            hint={channel === 'sms' ? t('Enter a mobile number') : t('Enter an email address')}
            type={channel === 'sms' ? 'tel' : 'email'}
            value={to}
            autocomplete="off"
          />
        )}
        {values.map(({ name, value }, index) => (
          <PlaceholderField
            key={name}
            {...{ formState: shown, index, name, value }}
            isCondition={template?.compiled.conditions.includes(name) ?? false}
            hint={t('For (({name})) in the template', { name })}
          />
        ))}
      </div>
    </div>
  );
}

function NoTemplate({ serviceId, has }: NextStepsProps) {
  return has(newTemplate) ? (
    <div class="stack stack--tight">
      <p class="muted">{t('This service has no templates yet.')}</p>
      <div>
        <ButtonLink to={newTemplate.replace(':service_id', serviceId)} look="primary">
          {t('Write your first template')}
        </ButtonLink>
      </div>
    </div>
  ) : (
    <p class="muted">
      <T>
        This service has no templates yet. Ask someone with the permission “{{ templates: rightNames.templates }}” to
        write one.
      </T>
    </p>
  );
}

const newTemplate = '/services/:service_id/templates/new';

/** Shows one language at a time. Radio buttons work without script, and the form keeps the choice. */
function Code({ snippets, language }: { snippets: readonly Snippet[]; language: string }) {
  return (
    <fieldset class="code code-choice">
      <legend class="sr">{t('Language', { context: 'a programming language' })}</legend>
      {snippets.map(({ id, label, code }) => (
        <>
          <input type="radio" class="sr" id={`in-${id}`} name="language" value={id} checked={id === language} />
          <label for={`in-${id}`}>{label}</label>
          <div>
            <pre id={`code-${id}`}>{markQuotes(code)}</pre>
            <Copy of={`code-${id}`} what={t('the code for {label}', { label })} />
          </div>
        </>
      ))}
    </fieldset>
  );
}

/** Marks quoted texts, so that people find their own values in the code. */
function markQuotes(code: string): ComponentChildren[] {
  return code
    .split(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/)
    .map((part, index) => (index % 2 === 1 ? <i key={index}>{part}</i> : part));
}

interface NextStep {
  title: string;
  text: string;
  /** The declared path of the page below /console. */
  path: string;
}

const steps: NextStep[] = [
  { title: t('Add a service'), text: t('With its own name, team, templates and limits.'), path: '/services/add' },
  {
    title: t('Open the sandbox'),
    text: t('See emails, texts and letters as their recipients would.'),
    path: '/sandbox',
  },
  {
    title: t('Receive callbacks'),
    text: t('We tell your system what happened to each message.'),
    path: '/services/:service_id/integration/callbacks',
  },
  {
    title: t('See every message'),
    text: t('See what was sent, who to, and what happened to it.'),
    path: '/services/:service_id/messages',
  },
];

interface NextStepsProps {
  serviceId: string;
  /** Whether the visitor can open the page. */
  has(path: string): boolean;
}

function NextSteps({ serviceId, has }: NextStepsProps) {
  return (
    <ul class="cols even">
      {steps
        .filter(({ path }) => has(path))
        .map(({ title, text, path }) => (
          <li key={title} class="card card--snug">
            <h3>
              <a href={pageUrl(path.replace(':service_id', serviceId))}>{title}</a>
            </h3>
            <p class="small muted">{text}</p>
          </li>
        ))}
      <li class="card card--snug">
        <h3>{t('Test in your build')}</h3>
        <p class="small muted">
          <T>
            Run <code>pennypost sandbox</code> in your tests and check what was sent.
          </T>
        </p>
      </li>
    </ul>
  );
}
