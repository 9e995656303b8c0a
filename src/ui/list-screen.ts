/**
 * Screens of the lab that are a list with actions: what they read, their columns and the words around them. For example
 *
 *     export const refundsScreen = defineListScreen(listRefunds, {
 *       path: '/lab/refunds', label: 'Refunds', group: 'Money', letter: 'f', noun: 'refund',
 *       filters: [{ name: 'search', label: 'Credit note or client' }, { name: 'status', label: 'State', options }],
 *       buildColumns: ({ forms, now }) => [{ head: 'Credit note', render: (refund) => refund.credit_note_number }],
 *       empty: markup`<h2>No refunds</h2>`,
 *       actions: [retry, record],
 *     });
 */
import type { Operation, Output } from '#core/operation.ts';
import { renderDone, type Action } from './action.ts';
import type { PortalContext } from './context.ts';
import { createFormsView, type FormsView } from './form.ts';
import type { Live, PageContent } from './layout.ts';
import {
  joinConditions,
  readByState,
  readFilters,
  readOffset,
  renderListPage,
  renderStates,
  type Column,
  type FilterValues,
  type ListFilter,
} from './list.ts';
import type { Markup, Part } from './markup.ts';
import type { LabRoutes, LabScreen, Remark } from './screen.ts';

interface ScreenFilter extends ListFilter {
  /** The condition of the filter language for a value, or none; that the field of its name equals it unless stated. */
  readonly writeCondition?: (value: string, now: Date) => string | false;
}

interface ListScreenView {
  readonly context: PortalContext;
  readonly forms: FormsView;
  readonly now: Date;
}

/** A list as a page, of the portal too. */
export interface ListPage<Item> {
  readonly path: string;
  readonly label: string;
  /** As it is counted, such as `order`. */
  readonly noun: string;
  /** What is listed, where the label of the screen does not say it. */
  readonly listed?: string;
  /** A filter named `search` searches. */
  readonly filters: readonly ScreenFilter[];
  /** Such as `asc(email)`; the order of the list unless stated. */
  readonly sort?: string;
  /**
   * The values of the filter `state` that a strip above the list offers, each with its count; the filter writes a
   * condition for an empty value, too.
   */
  readonly states?: readonly (readonly [state: string, label: string, ...rest: unknown[]])[];
  /** What tells the page that it has changed. */
  readonly follow?: (context: PortalContext) => Live | undefined;
  /** Beside the title, such as a link to a form. */
  readonly renderSide?: (view: ListScreenView) => Part;
  /** Above the list. */
  readonly renderLead?: (view: ListScreenView) => Part | Promise<Part>;
  readonly buildColumns: (view: ListScreenView) => readonly Column<Item>[];
  /** In place of the rows where there are none. */
  readonly empty: Markup;
  readonly actions?: readonly Action[];
}

export interface ListScreen<Item> extends ListPage<Item>, Omit<LabScreen, 'reads' | 'add'> {
  /** Adds further pages. */
  readonly add?: (routes: LabRoutes) => void;
}

type ItemOf<Op> = Output<Op> extends { readonly items: readonly (infer Item)[] } ? Item : never;
type Listed<Op> = Op & (Output<Op> extends Page<unknown> ? unknown : never);
interface Page<Item> {
  readonly items: readonly Item[];
  readonly count: number;
  readonly offset: number;
  readonly total: number;
}

export function defineListScreen<Op extends Operation>(
  list: Listed<Op>,
  screen: ListScreen<ItemOf<Op>>,
): LabScreen {
  const { path, label, group, letter, actions = [] } = screen;
  const show = (context: PortalContext, remark?: Remark) => loadListPage(list, screen, context, remark);
  return {
    path,
    label,
    group,
    letter,
    reads: list,
    add(routes) {
      routes.addPage(path, (context) => show(context));
      routes.addActions(actions, show);
      screen.add?.(routes);
    },
  };
}

export async function loadListPage<Op extends Operation>(
  list: Listed<Op>,
  screen: ListPage<ItemOf<Op>>,
  context: PortalContext,
  remark?: Remark,
): Promise<PageContent> {
  const { path, label, noun, filters, empty, states = [], actions = [] } = screen;
  const values = readFilters(context.request, filters);
  const now = context.parts.work.clock.now();
  const view = { context, forms: createFormsView(context, remark), now };
  const ask = (chosen: FilterValues, limit: number, offset: number) => {
    const query = { limit, offset, ...writeQuery(screen, chosen, now) };
    const sorted = screen.sort === undefined ? query : { ...query, sort: screen.sort };
    return context.api.call(list, { query: sorted }) as Promise<Page<ItemOf<Op>>>;
  };
  const place = { values, offset: readOffset(context.request) };
  const [{ page, counts }, lead] = await Promise.all([
    readByState(states, place, ask),
    screen.renderLead?.(view),
  ]);
  const body = renderListPage({
    title: label,
    side: screen.renderSide?.(view),
    notice: renderDone(context, actions),
    lead: [counts.length > 0 && renderStates(path, values, counts), lead],
    path,
    label: screen.listed ?? label,
    noun,
    filters,
    values,
    page,
    columns: screen.buildColumns(view),
    empty,
  });
  return { title: label, body, live: screen.follow?.(context) };
}

function writeQuery<Item>(
  { filters, states }: ListPage<Item>,
  values: FilterValues,
  now: Date,
): Readonly<Record<string, string>> {
  const { search = '' } = values;
  const conditions = filters.map(({ name, writeCondition }) => {
    const value = values[name] ?? '';
    const isChosen = value !== '' || (name === 'state' && states !== undefined);
    return name !== 'search' && isChosen && (writeCondition?.(value, now) ?? `eq(${name},${value})`);
  });
  return { ...joinConditions(conditions), ...(search === '' ? {} : { search }) };
}
