/** What the placeholders of a sentence count, where one of it is possible; the sentence has the plural. */
const COUNTED = 'byte|cent|endpoint|level|minute|second|sequence';
const PLACEHOLDER = new RegExp(`\\{(\\w+)\\}(?: (${COUNTED})s\\b)?`, 'g');

/** Puts values into the placeholders of a sentence: `{name}`; `{{}}` is a pair of braces. */
export function fillSentence(sentence: string, values: Readonly<Record<string, string | number>>): string {
  return sentence
    .replaceAll(PLACEHOLDER, (whole, name: string, counted?: string) => {
      const value = values[name];
      if (value === 1 && counted !== undefined) return `1 ${counted}`;
      return whole.replace(`{${name}}`, () => String(value ?? `{${name}}`));
    })
    .replaceAll('{{}}', '{}');
}
