/** The targets of the catalog as the options of a form. */
import { listTargets, type TargetInfo } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { markup, type Part } from '#ui/markup.ts';

const TARGETS_PAGE = 100;
const TARGETS_MAX = 1_000;

export async function loadTargetChoices({ api }: Pick<PortalContext, 'api'>): Promise<TargetInfo[]> {
  const targets: TargetInfo[] = [];
  for (;;) {
    const query = { limit: TARGETS_PAGE, offset: targets.length };
    const { items, total } = await api.call(listTargets, { query });
    targets.push(...items);
    if (items.length === 0 || targets.length >= Math.min(total, TARGETS_MAX)) return targets;
  }
}

export function renderTargetOptions(targets: readonly TargetInfo[], chosenId = ''): Part {
  const groups = [
    ['Priced at once', targets.filter(({ selfservice }) => selfservice)],
    ['Quoted by the lab', targets.filter(({ selfservice }) => !selfservice)],
  ] as const;
  return groups.map(
    ([label, members]) =>
      members.length > 0 &&
      markup`<optgroup label="${label}">${members.map((target) => markup`<option value="${target.id}"${target.id === chosenId && markup` selected`}>${target.name}${target.gene_names[0] !== undefined && target.gene_names[0] !== target.name && ` (${target.gene_names[0]})`}</option>`)}</optgroup>`,
  );
}
