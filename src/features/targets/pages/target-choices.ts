/** The targets of the catalog as the options of a form. */
import { listTargets, type TargetInfo } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { Option } from '#ui/form.ts';

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

/** Those with a price come first. */
export function listTargetOptions(targets: readonly TargetInfo[]): Option[] {
  const toOption = ({ id, name, gene_names: [gene = name], selfservice }: TargetInfo): Option => [
    id,
    gene === name ? name : `${name} (${gene})`,
    selfservice ? 'Priced at once' : 'Quoted by the lab',
  ];
  const sorted = targets.toSorted((a, b) => Number(b.selfservice) - Number(a.selfservice));
  return [['', 'Choose a target'], ...sorted.map(toOption)];
}
