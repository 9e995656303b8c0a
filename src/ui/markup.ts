/** HTML as a value: text in a template is escaped; only another piece of markup is inserted unchanged. */
import { escapeEntities } from '#core/texts.ts';

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Allowed parts of a template; `null`, `undefined` and `false` produce nothing. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += renderPart(part) + (strings[index + 1] ?? '');
  return new Markup(text);
}

function renderPart(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return part.map(renderPart).join('');
}

/** Control characters except tab, line feed and carriage return. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]/gu;
/** Text must not change the writing direction of the text around it. */
const REORDERING = /\p{Bidi_Control}/gu;

/** Escapes text for content and for quoted attributes. */
function escapeHtml(text: string): string {
  return escapeEntities(text.toWellFormed().replace(FORBIDDEN, '\ufffd').replace(REORDERING, ''));
}
