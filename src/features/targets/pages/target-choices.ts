/** The targets of the catalog as the options of a form, and a search among them. */
import { listTargets, type TargetInfo } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import type { Option } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { formatCount } from '#core/words.ts';
import { renderPrice } from './targets.ts';

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

const HITS_MAX = 8;

/** Finds targets by name, gene, accession, species or vendor, with their constructs. */
export async function findTargets(
  { api }: Pick<PortalContext, 'api'>,
  search: string,
): Promise<TargetInfo[]> {
  if (search === '') return [];
  const query = { search, limit: HITS_MAX, detailed: true };
  return (await api.call(listTargets, { query })).items;
}

/** Renders a hit of a search with what tells it from others; `choose` is the button that takes it. */
export function renderHit(target: TargetInfo, choose: Markup): Markup {
  const { name, gene_names: genes, uniprot_id: accession, organism, details, pricing, selfservice } = target;
  const construct = [
    details?.construct,
    typeof details?.sequence_length === 'number' && formatCount(details.sequence_length, 'residue'),
    details?.tags?.join(', '),
    details?.oligomeric_state,
  ].filter((part) => typeof part === 'string' && part !== '');
  return markup`<li><div><strong><bdi>${name}</bdi></strong> <span class="muted">${genes.filter((gene) => gene !== name).join(', ')}</span> ${organism && markup`<i>${organism}</i>`} ${accession && markup`<span class="mono">${accession}</span>`}
<span class="sub">${construct.length > 0 ? construct.join(' · ') : 'construct not described'}</span><span class="sub">${selfservice ? markup`${renderPrice(pricing)}` : 'quoted by the lab'} · ${target.vendor_name}, ${target.catalog_number}</span></div>${choose}</li>`;
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
