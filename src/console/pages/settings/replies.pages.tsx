import { Type } from 'typebox';
import { getKeywordSettings, setKeywordSettings } from '../../../inbound/opt-outs/keyword-settings.ts';
import { listBuiltInWords } from '../../../inbound/opt-outs/keywords.ts';
import { T } from '../../../language/sentence.tsx';
import { list, t } from '../../../language/text.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field, TextArea } from '../../parts/field.tsx';
import { addServiceSetting, team } from './service-setting.ts';

const maxReply = 300;
const Words = Type.Optional(Type.String({ maxLength: 500 }));
const Reply = Type.Optional(Type.String({ maxLength: maxReply }));

const wordFields = [
  { name: 'stop_words', kind: 'stop', label: t('More words that stop texts') },
  { name: 'start_words', kind: 'start', label: t('More words that start texts again') },
  { name: 'help_words', kind: 'help', label: t('More words that ask for help') },
] as const;

/** The words of a service for STOP, START and HELP, and what it replies to them. */
export function keywordPages(pages: Pages, app: ConsoleApp): void {
  addServiceSetting(pages, {
    path: 'text/replies',
    who: team,
    title: t('STOP, START and HELP'),
    lead: t('What people can reply to your texts, and what they get back. A word counts if it is the whole reply.'),
    async fields({ id, name }, formState) {
      const { words, stop_reply, help_reply, scope } = await getKeywordSettings(app.db, id);
      const { languages, helpText, scope: usual } = app.config.optOuts;
      const builtIn = listBuiltInWords(languages);
      return (
        <>
          {wordFields.map(({ name, kind, label }) => (
            <Field
              key={name}
              formState={formState}
              name={name}
              label={label}
              hint={t('Already included: {words}. Separate words with commas.', { words: list(builtIn[kind]) })}
              value={words[kind].join(', ')}
              autocomplete="off"
            />
          ))}
          <TextArea
            formState={formState}
            name="stop_reply"
            label={t('Confirmation of STOP')}
            hint={
              <T>
                Leave this empty for “You will get no more texts from <bdi>{{ name }}</bdi>.” We add “Reply START to get
                them again.”
              </T>
            }
            rows={2}
            value={stop_reply ?? ''}
          />
          <TextArea
            formState={formState}
            name="help_reply"
            label={t('Response to HELP')}
            hint={
              <T>
                Leave this empty for “<bdi>{{ helpText }}</bdi>” We write the name of your service before it, and “Reply
                STOP to stop.” after it.
              </T>
            }
            rows={2}
            value={help_reply ?? ''}
          />
          <Choices
            formState={formState}
            name="scope"
            legend={t('What STOP stops')}
            kind="one"
            choices={[
              { value: 'service', label: t('All texts of the service') },
              {
                value: 'sender',
                label: t('Only texts from the number that got the reply'),
                hint: t('Choose this if each of your numbers is for a different programme.'),
              },
            ]}
            chosen={[scope ?? usual]}
          />
        </>
      );
    },
    form: Type.Object({
      stop_words: Words,
      start_words: Words,
      help_words: Words,
      stop_reply: Reply,
      help_reply: Reply,
      scope: OneOf(['service', 'sender']),
    }),
    needs: { scope: t('Choose what STOP stops.') },
    async save({ id }, { stop_words, start_words, help_words, stop_reply = null, help_reply = null, scope }) {
      const words = { stop: splitWords(stop_words), start: splitWords(start_words), help: splitWords(help_words) };
      await setKeywordSettings(app, id, { words, stop_reply, help_reply, scope });
      return undefined;
    },
  });
}

function splitWords(text = ''): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
