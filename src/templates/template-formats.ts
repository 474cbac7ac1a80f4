/** Returns why a string is not a valid template name, or undefined. */
export function refusalOfTemplateName(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template name' : undefined;
}

export function refusalOfTemplateSubject(text: string): string | undefined {
  return text.trim() === '' ? 'Invalid template subject' : undefined;
}
