/** `/lab/targets/import`: a CSV file, what it would change, and then the import. */
import { toNanomolar } from '#core/number-words.ts';
import { formatCount } from '#core/words.ts';
import { Failure } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { catalogColumns } from '../../catalog-csv.ts';
import { importTargets, validateTargetImport } from '../../catalog-contract.ts';
import type { TargetPricing } from '../../contract.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getField } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderPrice } from '../targets.ts';
import { renderImportForm, renderImportProblems } from '#ui/csv-import.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';

const PATH = '/lab/targets/import';
/** A text of this size takes at most the limit of the form. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;
export const IMPORT_FORM_BYTES_MAX = 8 * 1024 * 1024;
const ITEMS_SHOWN = 200;
const VALUE_LENGTH_SHOWN = 120;

type Checked = Output<typeof validateTargetImport>;
type Item = Checked['items'][number];

export async function loadImportPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  return renderImport(context, remark?.typed['content'] ?? '', { sentence: remark?.message });
}

/** Shows what the file changes, or changes it. */
export async function showImport(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const content = form['content'] ?? '';
  if (getField(form, 'intent') === 'import') {
    try {
      const { added, changed } = await api.call(importTargets, { body: { content } });
      return `/lab/targets?done=imported-${added}-${changed}`;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'import_refused') throw error;
    }
  }
  const checked = await api.call(validateTargetImport, { body: { content } });
  const page = renderImport(context, content, { checked });
  return checked.problems.length > 0 ? { ...page, status: 422 } : page;
}

interface Outcome {
  readonly checked?: Checked;
  readonly sentence?: string | undefined;
}

function renderImport(context: PortalContext, content: string, { checked, sentence }: Outcome): PageContent {
  const mayImport = checked !== undefined && checked.problems.length === 0 && checked.items.length > 0;
  const body = markup`${renderLabHead('Import targets', { above: ['/lab/targets', 'Targets'] })}
${sentence !== undefined && markup`<p class="note attention" role="alert">${sentence}</p>`}
${renderImportForm(context, {
  action: PATH,
  content,
  fileBytesMax: FILE_BYTES_MAX,
  hint: 'The first row names the columns. A target is found by its catalog_number; an empty cell clears a value; a column that the file lacks keeps its values.',
  checked: checked === undefined ? null : renderChecked(checked),
  button: mayImport ? `Import ${formatCount(checked.items.length, 'target')}` : null,
  columns: catalogColumns,
  columnsHint: markup`Lists are separated by “;”, lots are sequences:cents. <a href="/lab/targets/export.csv">Export the catalog</a> for a file with all of them.`,
})}`;
  return { title: 'Import targets', body, scripts: ['text-file'] };
}

function renderChecked(checked: Checked): Markup {
  const { problems, items, added, changed, unchanged } = checked;
  const counts = `${added} new, ${changed} changed, ${unchanged} unchanged`;
  const listed = renderImportProblems(problems);
  if (listed !== null) return listed;
  if (items.length === 0)
    return markup`<p class="note" role="status">The file changes nothing: ${counts}.</p>`;
  const more =
    items.length > ITEMS_SHOWN && markup`<p class="pager">and ${items.length - ITEMS_SHOWN} more</p>`;
  return markup`<section class="card flush" aria-labelledby="preview"><div class="card-head"><h2 id="preview">What the import does</h2><p class="hint">${counts}. Nothing is stored yet.</p></div>
<table class="folding"><thead><tr><th scope="col">Target</th><th scope="col">Line</th><th scope="col">Changes</th></tr></thead><tbody>${items.slice(0, ITEMS_SHOWN).map(renderItem)}</tbody></table>${more}</section>`;
}

function renderItem({ line, name, catalog_number: number, action, changes }: Item): Markup {
  const chip =
    action === 'add'
      ? markup`<span class="chip good">New</span>`
      : markup`<span class="chip yours">Changed</span>`;
  const rows = changes.map(
    ({ field, before, after }) =>
      markup`<li><code>${field}</code> ${action === 'change' && markup`<del>${renderValue(field, before)}</del> → `}<ins>${renderValue(field, after)}</ins></li>`,
  );
  return markup`<tr><th scope="row"><bdi>${name}</bdi><span class="sub"><bdi>${number}</bdi></span>${chip}</th><td data-label="Line">${line}</td><td><ul class="changes">${rows}</ul></td></tr>`;
}

/** A price reads as on the page of its target. */
function renderValue(field: string, value: unknown): Markup | string {
  if (field === 'pricing') return renderPrice(isPricing(value) ? value : null);
  const text = describeValue(field, value);
  return text.length > VALUE_LENGTH_SHOWN ? `${text.slice(0, VALUE_LENGTH_SHOWN)}…` : text;
}

function isPricing(value: unknown): value is TargetPricing {
  return typeof value === 'object' && value !== null && 'type' in value;
}

const UNITS: Readonly<Record<string, string>> = { stock_ug: ' µg', purity: ' %' };

function describeValue(field: string, value: unknown): string {
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return 'nothing';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    // Every digit, so that a small change shows.
    if (field === 'control_kd_m') return `${toNanomolar(value)} nM`;
    return `${value}${UNITS[field] ?? ''}`;
  }
  if (Array.isArray(value)) return value.map(String).join('; ');
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? describeMethods(value) : 'nothing';
}

/** Methods by which binding has been shown: the only other object of a target. */
function describeMethods(shown: object): string {
  const names = Object.entries(shown).flatMap(([name, isShown]) => (isShown === true ? name : []));
  return names.length === 0 ? 'none' : names.map((name) => name.toUpperCase()).join('; ');
}
