/** Sentences with emphasis, defined once and written as Markdown or plain text. */

interface Emphasis {
  readonly mark: '**' | '`';
  readonly text: string;
}

export type Prose = readonly (string | Emphasis)[];

/** For example `` prose`A value of ${markCode('<')} is ${markStrong('a limit')}.` `` */
export function prose(strings: TemplateStringsArray, ...spans: readonly (string | Emphasis)[]): Prose {
  return strings.flatMap((words, index) => [words, spans[index] ?? '']);
}

/** Marks the words that should stand out. */
export function markStrong(text: string): Emphasis {
  return { mark: '**', text };
}

/** Marks literal text of a file or program. */
export function markCode(text: string): Emphasis {
  return { mark: '`', text };
}

export function writeMarkdown(parts: Prose): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : `${part.mark}${part.text}${part.mark}`))
    .join('');
}

export function writePlain(parts: Prose): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}
