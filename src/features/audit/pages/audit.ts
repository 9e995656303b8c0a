/** `/lab/audit`: who changed what, in every organization and in the installation. */
import type { Output } from '#core/operation.ts';
import { listAllAudit } from '../contract.ts';
import { actorKinds } from '../rules.ts';
import type { PortalContext } from '#ui/context.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderTime, toSentenceCase } from '#ui/words.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from '#ui/list.ts';
import type { LabScreen } from '#ui/screen.ts';

const PATH = '/lab/audit';

const FILTERS: readonly ListFilter[] = [
  { name: 'search', label: 'Who, what or where' },
  {
    name: 'show',
    label: 'Entries',
    options: [
      ['reads', 'Reads of the staff'],
      ['all', 'Changes and reads'],
    ],
    unset: 'Changes',
  },
  {
    name: 'actor',
    label: 'By',
    options: actorKinds.map((kind) => [kind, toSentenceCase(kind)] as const),
  },
  { name: 'from', label: 'From day', isDay: true },
  { name: 'until', label: 'Until day', isDay: true },
];

/**
 * Reads of what belongs to clients have entries too, but a reader of changes would search among them. `readIds` names
 * the operations that read so.
 */
export function createAuditScreen(readIds: readonly string[]): LabScreen {
  const conditions: Readonly<Record<string, string>> = {
    '': `not(in(operation,${readIds.join(',')}))`,
    reads: `in(operation,${readIds.join(',')})`,
  };
  return {
    path: PATH,
    label: 'Audit',
    group: 'Lab',
    letter: 'a',
    reads: listAllAudit,
    add: (routes) => routes.addPage(PATH, (context) => loadAuditPage(context, conditions)),
  };
}

type Entry = Output<typeof listAllAudit>['items'][number];

async function loadAuditPage(
  { api, request }: PortalContext,
  conditions: Readonly<Record<string, string>>,
): Promise<PageContent> {
  const values = readFilters(request, FILTERS);
  const { show = '', actor, from, until } = values;
  const page = await api.call(listAllAudit, {
    query: buildListQuery(request, values, [
      conditions[show] ?? false,
      actor !== '' && `eq(actor_kind,${actor})`,
      from !== '' && `gte(date(created_at),${from})`,
      until !== '' && `lte(date(created_at),${until})`,
    ]),
  });
  const body = renderListPage({
    title: 'Audit',
    path: PATH,
    label: 'Audit entries',
    noun: NOUNS[show] ?? 'record',
    filters: FILTERS,
    values,
    page,
    columns: COLUMNS,
    empty: EMPTY,
  });
  return { title: 'Audit', body };
}

/** As the entries are counted. */
const NOUNS: Readonly<Record<string, string>> = { '': 'change', reads: 'read' };

const EMPTY = markup`<h2>No entries yet</h2><p class="muted">Every change is one entry; none is edited or removed.</p>`;

/** A code stays on one line; an id breaks. */
const isCode = (subject: string | null): boolean => subject !== null && subject.length <= 20;

const COLUMNS: readonly Column<Entry>[] = [
  { head: 'When', render: ({ created_at: at }) => renderTime(at) },
  {
    head: 'Who',
    render: ({ actor, actor_kind: kind, address }) =>
      markup`<bdi>${actor}</bdi><span class="sub">${toSentenceCase(kind)}${address !== null && ` from ${address}`}</span>`,
  },
  {
    head: 'What',
    render: ({ operation, status, details }) =>
      markup`<code class="nowrap">${operation}</code>${status >= 400 && markup` <span class="chip attention">${status}</span>`}${renderDetails(details)}`,
  },
  {
    head: 'Subject',
    render: ({ subject }) =>
      markup`<span class="mono${isCode(subject) && ' nowrap'}">${subject ?? '–'}</span>`,
  },
  {
    head: 'Organization',
    render: ({ organization_name: name }) =>
      name === null ? markup`<span class="muted">the installation</span>` : markup`<bdi>${name}</bdi>`,
  },
];

function renderDetails(details: Entry['details']): Markup | null {
  if (details === null || Object.keys(details).length === 0) return null;
  return markup`<details class="audit-details"><summary>Details</summary><pre tabindex="0">${JSON.stringify(details, null, 2)}</pre></details>`;
}
