import { invalid } from '../../platform/failure.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import type { CompiledTemplates, ReadyTemplate } from '../compiled-templates.ts';
import { chooseLanguage, languageAmong, languagesInUse, unknownLanguageText } from './languages.ts';

/** How a request says which text of a template to send. */
export interface LanguageChoice {
  language?: string | undefined;
  personalisation?: Personalisation | undefined;
}

interface Deps {
  compiledTemplates: CompiledTemplates;
}

/** With the text in the language of the choice, else in that among its values. */
export function inChosenLanguage<Template extends ReadyTemplate>(
  { compiledTemplates }: Deps,
  template: Template,
  { language: asked, personalisation = {} }: LanguageChoice,
): Template {
  const languages = languagesInUse(template.row);
  if (!languages) return template;
  const { language, isUnknown } = chooseLanguage(languages, asked ?? languageAmong(languages, personalisation));
  if (isUnknown && languages.refuse_unknown) {
    throw invalid(unknownLanguageText(languages), { reason: 'unknown_language' });
  }
  return { ...template, ...compiledTemplates.inLanguage(template, language) };
}
