/** Puts values into the placeholders of a sentence: `{name}`; `{{}}` is a pair of braces. */
export function fillSentence(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
    .replaceAll('{{}}', '{}');
}
