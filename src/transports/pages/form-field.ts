import { markup, type Markup } from './markup.ts';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Problems, shown beside the field. */
  readonly problems: readonly string[];
  /** The control itself; the attributes connect it to label, hint and problems. */
  readonly renderControl: (attributes: Markup) => Markup;
}

const PROBLEMS_SHOWN = 20;

export function renderFormField({ name, label, hint, problems, renderControl }: FormField): Markup {
  const described = [
    hint === undefined ? '' : `${name}-hint`,
    problems.length > 0 ? `${name}-problem` : '',
  ].filter(Boolean);
  const attributes = markup`id="${name}" name="${name}"${described.length > 0 && markup` aria-describedby="${described.join(' ')}"`}${problems.length > 0 && markup` aria-invalid="true"`}`;
  const more =
    problems.length > PROBLEMS_SHOWN && markup`<li>and ${problems.length - PROBLEMS_SHOWN} more</li>`;
  return markup`<div class="field${problems.length > 0 && ' invalid'}"><label for="${name}">${label}</label>${renderControl(attributes)}
${hint !== undefined && markup`<p class="hint" id="${name}-hint">${hint}</p>`}
${problems.length > 0 && markup`<ul class="problem" id="${name}-problem">${problems.slice(0, PROBLEMS_SHOWN).map((problem) => markup`<li>${problem}</li>`)}${more}</ul>`}</div>`;
}

/** Renders a choice among values. */
export function renderSelect(
  attributes: Markup,
  chosen: string,
  options: readonly (readonly [value: string, label: string])[],
): Markup {
  return markup`<select ${attributes}>${options.map(([value, label]) => markup`<option value="${value}"${value === chosen && markup` selected`}>${label}</option>`)}</select>`;
}
