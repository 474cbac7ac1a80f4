import { Type } from 'typebox';
import { replyLanguage } from '../../../countries/answers/answers.ts';
import { defaultReply } from '../../../inbound/opt-outs/default-replies.ts';
import { getKeywordSettings, setKeywordSettings } from '../../../inbound/opt-outs/keyword-settings.ts';
import { listKnownWords } from '../../../inbound/opt-outs/keywords.ts';
import { T } from '../../../language/sentence.tsx';
import { list, t } from '../../../language/text.ts';
import { notFound } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field, Select, TextArea } from '../../parts/field.tsx';
import { nameOf } from '../templates/languages/languages.tsx';
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
      const { words, stop_reply, help_reply, language, scope } = await getKeywordSettings(app.db, id);
      const { languages, helpText, scope: usualScope } = app.config.optOuts;
      const builtIn = listKnownWords(app.country, languages);
      const usualLanguage = replyLanguage(app.country, app.country.phone.region, true);
      const lang = language ?? usualLanguage;
      const usual = { language: lang, service: name, help: helpText };
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
                Write the whole message, and say how to get texts again. Leave this empty for “
                <bdi lang={lang}>{{ reply: defaultReply(app.country, 'stop', usual) }}</bdi>”
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
                Write the whole message, and say how to stop your texts. Leave this empty for “
                <bdi lang={lang}>{{ reply: defaultReply(app.country, 'help', usual) }}</bdi>”
              </T>
            }
            rows={2}
            value={help_reply ?? ''}
          />
          <Select
            formState={formState}
            name="language"
            label={t('Language of the usual replies')}
            choices={[
              {
                value: '',
                label:
                  app.country.answers.rules === 'gb'
                    ? nameOf(usualLanguage)
                    : t('The language of the recipient’s country'),
              },
              ...Object.keys(app.country.answers.words)
                .filter((tag) => app.country.answers.rules !== 'gb' || tag !== usualLanguage)
                .map((tag) => ({ value: tag, label: nameOf(tag) })),
            ]}
            value={language ?? ''}
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
            chosen={[scope ?? usualScope]}
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
      language: Type.Optional(Type.String({ maxLength: 35 })),
      scope: OneOf(['service', 'sender']),
    }),
    needs: { scope: t('Choose what STOP stops.') },
    async save({ id }, { stop_words, start_words, help_words, stop_reply = null, help_reply = null, language, scope }) {
      if (language !== undefined && !Object.hasOwn(app.country.answers.words, language)) throw notFound();
      const words = { stop: splitWords(stop_words), start: splitWords(start_words), help: splitWords(help_words) };
      await setKeywordSettings(app, id, { words, stop_reply, help_reply, language: language ?? null, scope });
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
