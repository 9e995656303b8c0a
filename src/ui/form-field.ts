import { renderFormToken } from './layout.ts';
import type { Session } from './session.ts';
import { markup, type Markup } from './markup.ts';

export interface FormField {
  readonly name: string;
  /** Unique on the page; the name unless several forms have this field. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string | Markup | undefined;
  /** Problems, shown beside the field. */
  readonly problems: readonly string[];
  /** The control itself; the attributes connect it to label, hint and problems. */
  readonly renderControl: (attributes: Markup) => Markup;
}

const PROBLEMS_SHOWN = 20;

export function renderFormField(field: FormField): Markup {
  const { name, id = name, label, hint, problems, renderControl } = field;
  const described = [
    hint === undefined ? '' : `${id}-hint`,
    problems.length > 0 ? `${id}-problem` : '',
  ].filter(Boolean);
  const attributes = markup`id="${id}" name="${name}"${described.length > 0 && markup` aria-describedby="${described.join(' ')}"`}${problems.length > 0 && markup` aria-invalid="true"`}`;
  const more =
    problems.length > PROBLEMS_SHOWN && markup`<li>and ${problems.length - PROBLEMS_SHOWN} more</li>`;
  return markup`<div class="field${problems.length > 0 && ' invalid'}"><label for="${id}">${label}</label>${renderControl(attributes)}
${hint !== undefined && markup`<p class="hint" id="${id}-hint">${hint}</p>`}
${problems.length > 0 && markup`<ul class="problem" id="${id}-problem">${problems.slice(0, PROBLEMS_SHOWN).map((problem) => markup`<li>${problem}</li>`)}${more}</ul>`}</div>`;
}

/** Renders a choice among values; an option may have a class. */
export function renderSelect(
  attributes: Markup,
  chosen: string,
  options: readonly (readonly [value: string, label: string, className?: string])[],
): Markup {
  return markup`<select ${attributes}>${options.map(([value, label, className]) => markup`<option value="${value}"${className !== undefined && markup` class="${className}"`}${value === chosen && markup` selected`}>${label}</option>`)}</select>`;
}

export const IDEMPOTENCY_FIELD = 'idempotency_key';

/** Two hidden fields of every form: the session's token, and a key that makes a repeat harmless. */
export function renderFormFields(session: Session, key: string): Markup {
  return markup`${renderFormToken(session.visitor)}<input type="hidden" name="${IDEMPOTENCY_FIELD}" value="${key}">`;
}
