/** What the pages that import a CSV file share: the form with its rows, and the problems that were found in them. */
import { formatCount } from '#core/words.ts';
import type { PortalContext } from './context.ts';
import { renderFormField, renderFormFields } from './form.ts';
import { markup, type Markup, type Part } from './markup.ts';

const PROBLEMS_SHOWN = 200;

interface ImportForm {
  readonly action: string;
  readonly content: string;
  /** Limit of a file that a person chooses. */
  readonly fileBytesMax: number;
  /** What a row means. */
  readonly hint: string;
  /** What was read of the rows; null before they were checked. */
  readonly checked: Markup | null;
  /** Label of the button that imports; null while the rows cannot be imported. */
  readonly button: string | null;
  readonly columns: readonly string[];
  readonly columnsHint: Part;
}

export function renderImportForm({ session, parts }: PortalContext, form: ImportForm): Markup {
  const { action, content, fileBytesMax, hint, checked, button, columns, columnsHint } = form;
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, parts.work.ids.createSecret())}
${checked}
<section class="card fields" aria-label="File"><div class="field" data-file-for="file-rows" data-bytes-max="${fileBytesMax}" hidden><label for="file">CSV file</label><input type="file" id="file" accept=".csv,.tsv,text/csv,text/plain"><p class="hint" role="status">Choose a file, or drop it on the field below.</p></div>
${renderFormField({
  name: 'content',
  id: 'file-rows',
  label: 'Rows',
  hint,
  problems: [],
  renderControl: (attributes) =>
    markup`<textarea ${attributes} rows="12" spellcheck="false" autocapitalize="off">
${content}</textarea>`,
})}
<div class="actions"><button name="intent" value="check" class="${button === null && 'primary'}">Check the file</button>${button !== null && markup`<button name="intent" value="import" class="primary">${button}</button>`}</div>
<details><summary>Columns</summary><p class="hint columns-list">${columns.map((name) => markup`<code>${name}</code> `)}</p><p class="hint">${columnsHint}</p></details></section>
</form>`;
}

/** Renders the problems by their lines; null without any. */
export function renderImportProblems(
  problems: readonly { readonly line: number; readonly message: string }[],
): Markup | null {
  if (problems.length === 0) return null;
  const more =
    problems.length > PROBLEMS_SHOWN && markup`<li>and ${problems.length - PROBLEMS_SHOWN} more</li>`;
  return markup`<section class="note attention" role="alert"><strong>${formatCount(problems.length, 'problem')}; nothing was imported.</strong><ul>${problems.slice(0, PROBLEMS_SHOWN).map(({ line, message }) => markup`<li>Line ${line}: ${message}</li>`)}${more}</ul></section>`;
}
