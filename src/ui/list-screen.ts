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
import type { PageContent } from './layout.ts';
import { buildListQuery, readFilters, renderListPage, type Column, type ListFilter } from './list.ts';
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

export interface ListScreen<Item> extends Omit<LabScreen, 'reads' | 'add'> {
  /** As it is counted, such as `order`. */
  readonly noun: string;
  /** What is listed, where the label of the screen does not say it. */
  readonly listed?: string;
  /** A filter named `search` searches. */
  readonly filters: readonly ScreenFilter[];
  /** Such as `asc(email)`; the order of the list unless stated. */
  readonly sort?: string;
  /** Beside the title, such as a link to a form. */
  readonly renderSide?: (view: ListScreenView) => Part;
  /** Above the list. */
  readonly renderLead?: (view: ListScreenView) => Part | Promise<Part>;
  readonly buildColumns: (view: ListScreenView) => readonly Column<Item>[];
  /** In place of the rows where there are none. */
  readonly empty: Markup;
  readonly actions?: readonly Action[];
  /** Adds further pages. */
  readonly add?: (routes: LabRoutes) => void;
}

type ItemOf<Op> = Output<Op> extends { readonly items: readonly (infer Item)[] } ? Item : never;
interface Page<Item> {
  readonly items: readonly Item[];
  readonly count: number;
  readonly offset: number;
  readonly total: number;
}

export function defineListScreen<Op extends Operation>(
  list: Op & (Output<Op> extends Page<unknown> ? unknown : never),
  screen: ListScreen<ItemOf<Op>>,
): LabScreen {
  const { path, label, group, letter, actions = [] } = screen;
  const show = async (context: PortalContext, remark?: Remark): Promise<PageContent> => {
    const values = readFilters(context.request, screen.filters);
    const now = context.parts.work.clock.now();
    const view = { context, forms: createFormsView(context, remark), now };
    const conditions = screen.filters.map(({ name, writeCondition }) => {
      const value = values[name] ?? '';
      return name !== 'search' && value !== '' && (writeCondition?.(value, now) ?? `eq(${name},${value})`);
    });
    const query = buildListQuery(context.request, values, conditions);
    const sorted = screen.sort === undefined ? query : { ...query, sort: screen.sort };
    const [answer, lead] = await Promise.all([
      context.api.call(list, { query: sorted }),
      screen.renderLead?.(view),
    ]);
    const page = answer as Page<ItemOf<Op>>;
    const body = renderListPage({
      title: label,
      side: screen.renderSide?.(view),
      notice: renderDone(context, actions),
      lead,
      path,
      label: screen.listed ?? label,
      noun: screen.noun,
      filters: screen.filters,
      values,
      page,
      columns: screen.buildColumns(view),
      empty: screen.empty,
    });
    return { title: label, body };
  };
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
