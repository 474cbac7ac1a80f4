import { invalid } from '../../platform/failure.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import type { CompiledTemplates, ReadyTemplate } from '../compiled-templates.ts';
import { chooseLanguage, languageAmong, languagesInUse, unknownLanguageText } from './languages.ts';

/** Says which language of a template to send. */
export interface LanguageChoice {
  language?: string | undefined;
  personalisation?: Personalisation | undefined;
}

interface Deps {
  compiledTemplates: CompiledTemplates;
}

/** Returns the template in the requested language, or else in the language that its placeholder for the language names. */
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
