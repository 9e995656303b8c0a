/** `/lab/price-lists/import`: a CSV file, what it would change, and then the draft. */
import { formatCount } from '#core/words.ts';
import { Failure } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { importPriceList, validatePriceListImport } from '../../draft-contract.ts';
import { priceListColumns } from '../../list-csv.ts';
import type { FormContext, PortalContext } from '#ui/context.ts';
import { getField } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderImportForm, renderImportProblems } from '#ui/csv-import.ts';
import { readKey } from '#ui/form.ts';
import { renderLabHead } from '#ui/lab-pieces.ts';
import type { Remark } from '#ui/screen.ts';
import { renderChanges } from './example-view.ts';
import { PATH } from './list-view.ts';

/** A text of this size takes at most the limit of the form. */
const FILE_BYTES_MAX = 1024 * 1024;
export const IMPORT_FORM_BYTES_MAX = 4 * 1024 * 1024;

type Checked = Output<typeof validatePriceListImport>;

interface Outcome {
  readonly checked?: Checked;
  readonly sentence?: string | undefined;
}

export async function loadPricesImport(context: PortalContext, remark?: Remark): Promise<PageContent> {
  return renderImport(context, remark?.typed['content'] ?? '', { sentence: remark?.message });
}

/** Shows what the file changes, or makes a draft of it. */
export async function showPricesImport(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const content = form['content'] ?? '';
  if (getField(form, 'intent') === 'import') {
    try {
      const { id } = await api.call(importPriceList, { body: { content }, idempotencyKey: readKey(form) });
      return `${PATH}/${id}?done=imported`;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'import_refused') throw error;
    }
  }
  const checked = await api.call(validatePriceListImport, { body: { content } });
  const page = renderImport(context, content, { checked });
  return checked.problems.length > 0 ? { ...page, status: 422 } : page;
}

function renderImport(context: PortalContext, content: string, { checked, sentence }: Outcome): PageContent {
  const mayImport = checked !== undefined && checked.problems.length === 0;
  const body = markup`${renderLabHead('Import prices', { above: [PATH, 'Prices'] })}
${sentence !== undefined && markup`<p class="note attention" role="alert">${sentence}</p>`}
${renderImportForm(context, {
  action: `${PATH}/import`,
  content,
  fileBytesMax: FILE_BYTES_MAX,
  hint: 'The first row names the columns; each other row is a price, a discount or a material. The file is a whole list: what it does not name, the list does not have.',
  checked: checked === undefined ? null : renderChecked(checked),
  button: mayImport ? 'Make a draft of it' : null,
  columns: priceListColumns,
  columnsHint:
    'Amounts are US cents, shares are basis points (100 are 1 %), lots are sequences:cents separated by “;”. Export a list for a file with all of them.',
})}`;
  return { title: 'Import prices', body, scripts: ['text-file'] };
}

function renderChecked({ problems, comparison, ...counts }: Checked): Markup {
  const listed = renderImportProblems(problems);
  if (listed !== null) return listed;
  const read = [
    formatCount(counts.n_prices, 'price'),
    formatCount(counts.n_volume_discounts, 'discount'),
    formatCount(counts.n_materials, 'material'),
  ];
  return markup`<p class="note" role="status">${read.join(', ')}. Nothing is stored yet.</p>${comparison !== null && renderChanges(comparison)}`;
}
