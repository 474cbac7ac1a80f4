import type { ComponentChildren } from 'preact';
import { type Carriers, isAllSandbox } from '../../../delivery/sandbox/sandbox.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import type { Urls } from '../../../platform/settings.ts';
import type { Service } from '../../../services/services.ts';
import { Icon } from '../../layout/icon.tsx';
import { channelWords } from '../../message-words.ts';
import type { FormState } from '../../page.ts';
import { Field, TextArea } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Copy } from '../../parts/text.tsx';
import { buildApiRequest, type Fields, type SentMessage } from './quick-start-form.ts';
import { buildSnippets, type Snippet } from './snippets.ts';
import { LiveWay, type WayProps } from './way.tsx';

interface QuickStartProps {
  formState: FormState;
  service: Service;
  config: WayProps['config'] & Carriers & { urls: Urls };
  fields: Fields;
  isNewKey: boolean;
  sent: SentMessage | undefined;
  message: ActivityRecord | undefined;
  /** Names this form: sent again, by a reload or a second click, it sends nothing. */
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
        Show the code
      </button>
      <input type="hidden" name="once" value={props.once} />
      {message && <input type="hidden" name="message_id" value={message.id} />}
      <ol class="guide">
        <li>
          <h2>Your key</h2>
          <KeyStep {...props} />
        </li>
        <li>
          <h2>Choose a template and fill it in</h2>
          {fields.template ? <TemplateStep formState={formState} fields={fields} /> : <NoTemplate />}
        </li>
        <li>
          <h2>Send it</h2>
          {request && (
            <Code
              snippets={buildSnippets({ baseUrl: config.urls.api, apiKey: fields.apiKey || 'YOUR-API-KEY', request })}
              language={fields.language}
            />
          )}
          <div class="row">
            <button class="button button--primary" type="submit" name="do" value="send" disabled={!request}>
              <Icon name="play" small />
              Send it from here
            </button>
            <noscript>
              <button class="button" type="submit" name="do" value="show">
                Update the code
              </button>
            </noscript>
            {sent && (
              <span class="small" role="status">
                <Status kind="delivered">{`201 in ${sent.took_ms} ms`}</Status>{' '}
                <span class="muted">
                  id <code>{sent.id}</code>
                </span>
              </span>
            )}
          </div>
        </li>
        <li id="way">
          <h2>Watch it arrive</h2>
          {message ? (
            <LiveWay message={message} config={config} />
          ) : (
            <p class="muted">
              {sent
                ? 'This recipient is for tests: the API accepts the message and stores nothing.'
                : 'Send a message: its way appears here.'}
            </p>
          )}
        </li>
        <li>
          <h2>Make it yours</h2>
          <NextSteps serviceId={service.id} has={props.has} />
        </li>
      </ol>
    </form>
  );
}

function KeyStep({ formState, config, fields, isNewKey, service }: QuickStartProps) {
  return (
    <div class="stack stack--tight measure">
      {isNewKey && (
        <Notice tone="green">
          A test key was created. Copy it now: it is not shown again. Revoke it when you are done.
        </Notice>
      )}
      <Field
        formState={formState}
        name="api_key"
        label="API key"
        hint={keyHint(config, service, fields)}
        value={fields.apiKey}
        autocomplete="off"
        code
        beside={<Copy of="api_key" what="the API key" />}
      />
      <div>
        <button class="button button--small" type="submit" name="do" value="key">
          Create a test key
        </button>
      </div>
    </div>
  );
}

function keyHint(config: Carriers, { restricted }: Service, { apiKey }: Fields): string {
  if (apiKey === '') return 'Paste a key of this service, or create one. It stays on this page and is not stored.';
  if (isAllSandbox(config)) return 'The sandbox takes every message: nothing leaves this machine.';
  return restricted
    ? 'In trial mode, messages reach the team and the guest list only.'
    : 'With a live key, the message really goes out. With a test key, nothing is handed to a provider.';
}

function TemplateStep({ formState, fields }: { formState: FormState; fields: Fields }) {
  const { template, templates, to, values } = fields;
  if (!template) return null;
  const channel = template.row.template_type;
  // What is shown is decided: the fields of another channel were replaced by examples.
  const shown = { typed: new Map(), problems: formState.problems };
  return (
    <div class="stack">
      <div class="field measure">
        <label class="label" for="template_id">
          Template
        </label>
        <div class="row">
          <select class="input" id="template_id" name="template_id">
            {templates.map(({ id, name, template_type }) => (
              <option key={id} value={id} selected={id === template.row.id}>
                {`${name} (${channelWords[template_type].name.toLowerCase()})`}
              </option>
            ))}
          </select>
          <button class="button" type="submit" name="do" value="show">
            Use this template
          </button>
        </div>
      </div>
      <input type="hidden" name="channel" value={channel} />
      <div class="cols">
        {channel === 'letter' ? (
          <TextArea formState={shown} name="to" label="To" hint="Name and address, a line each" rows={5} value={to} />
        ) : (
          <Field
            formState={shown}
            name="to"
            label="To"
            hint={channel === 'sms' ? 'A mobile number' : 'An email address'}
            type={channel === 'sms' ? 'tel' : 'email'}
            value={to}
            autocomplete="off"
          />
        )}
        {values.map(({ name, value }, index) => (
          <div key={name}>
            <input type="hidden" name="names[]" value={name} />
            <Field
              formState={shown}
              name={`value_${index}`}
              sentAs="values[]"
              label={name}
              hint={`For ((${name})) in the template`}
              value={value}
              autocomplete="off"
            />
          </div>
        ))}
      </div>
    </div>
  );
}

function NoTemplate() {
  return <p class="muted">This service has no template yet. Write one, then come back.</p>;
}

/** Shows one language at a time. Radio buttons work without script, and the choice stays with the form. */
function Code({ snippets, language }: { snippets: readonly Snippet[]; language: string }) {
  return (
    <fieldset class="code code-choice">
      <legend class="sr">Language</legend>
      {snippets.map(({ id, label, code }) => (
        <>
          <input type="radio" class="sr" id={`in-${id}`} name="language" value={id} checked={id === language} />
          <label for={`in-${id}`}>{label}</label>
          <div>
            <pre id={`code-${id}`}>{markQuotes(code)}</pre>
            <Copy of={`code-${id}`} what={`the code for ${label}`} />
          </div>
        </>
      ))}
    </fieldset>
  );
}

/** Marks texts in quotes, so that people find their own values in the code. */
function markQuotes(code: string): ComponentChildren[] {
  return code
    .split(/("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/)
    .map((part, index) => (index % 2 === 1 ? <i key={index}>{part}</i> : part));
}

interface NextStep {
  title: string;
  text: string;
  /** The path of the page below /console, as it is declared. */
  path: string;
}

const steps: NextStep[] = [
  { title: 'Add a service', text: 'Own name, team, templates and limits.', path: '/services/add' },
  {
    title: 'Look into the sandbox',
    text: 'Emails, texts and letters as their recipients would see them.',
    path: '/sandbox',
  },
  {
    title: 'Receive callbacks',
    text: 'We tell your system what became of each message.',
    path: '/services/:service_id/integration/callbacks',
  },
  {
    title: 'See every message',
    text: 'What was sent, to whom, and what became of it.',
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
              <a href={`/console${path.replace(':service_id', serviceId)}`}>{title}</a>
            </h3>
            <p class="small muted">{text}</p>
          </li>
        ))}
      <li class="card card--snug">
        <h3>Test in your build</h3>
        <p class="small muted">
          Start one with <code>pennypost sandbox</code>, ask it what arrived.
        </p>
      </li>
    </ul>
  );
}
