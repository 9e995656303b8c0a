/**
 * Sentences with emphasis, made once and written as Markdown or as plain text.
 * This folder: values as people read them. Not here: documents and pages.
 */

interface Emphasis {
  readonly mark: '**' | '`';
  readonly text: string;
}

export type Prose = readonly (string | Emphasis)[];

/** `` prose`A value of ${code('<')} is ${strong('a limit')}.` `` */
export function prose(strings: TemplateStringsArray, ...spans: readonly (string | Emphasis)[]): Prose {
  return strings.flatMap((words, index) => [words, spans[index] ?? '']);
}

/** What the eye should fall on. */
export function strong(text: string): Emphasis {
  return { mark: '**', text };
}

/** What stands in a file or a program as it is. */
export function code(text: string): Emphasis {
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
