import { type Static, Type } from 'typebox';
import { names, strict } from './fields.ts';

const Word = Type.String({ minLength: 1, maxLength: 20, description: 'a word of at most 20 characters' });
const Reply = Type.String({ minLength: 1, maxLength: 300, description: 'a text of at most 300 characters' });

const AnswerWords = Type.Object(
  {
    /** Values that show and hide optional text, as in `((late??text))`. */
    yes: Type.Array(Word, { minItems: 1 }),
    no: Type.Array(Word, { minItems: 1 }),
    /** Words that people reply to a text, besides STOP, START and HELP. */
    stop: Type.Array(Word),
    start: Type.Array(Word),
    help: Type.Array(Word),
    /** What they get back. `{service}` is the name of the service, `{help}` the help text. */
    stopReply: Reply,
    helpReply: Reply,
    helpText: Reply,
  },
  strict,
);

/** What people answer, and what Pennypost replies. */
export const Answers = Type.Object(
  {
    /**
     * `gb`: English only, and a value that is neither yes nor no means no. `languages`: also the words of the country's languages, and such
     * a value is a problem of its row in a file.
     */
    rules: names('gb', 'languages'),
    /** By language. */
    words: Type.Record(Type.String(), AnswerWords),
  },
  strict,
);

export type AnswerWords = Static<typeof AnswerWords>;
