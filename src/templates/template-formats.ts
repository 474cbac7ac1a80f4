/** Why a text cannot be the name of a template; undefined when it can. */
export function refusalOfTemplateName(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template name' : undefined;
}

export function refusalOfTemplateSubject(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template subject' : undefined;
}
