/** `/targets`: the catalog; `/targets/{id}`: one antigen. */
import { renderFacts } from '#ui/lab-pieces.ts';
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { createExperiment } from '../../experiments/contract.ts';
import { getTargetInfo, listTargets, type TargetInfo, type TargetPricing } from '../contract.ts';
import { createCustomTargetRequest } from '../request-contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderPager } from '#ui/pieces.ts';
import { canCall } from '#ui/session.ts';
import { renderRequestLink, REQUESTS_PATH } from './target-request-pieces.ts';

const PAGE_SIZE = 50;

export async function loadTargetListPage({ api, request, session }: PortalContext): Promise<PageContent> {
  const search = queryParameter(request, 'search').trim();
  const selfService = queryParameter(request, 'selfservice_only') === 'true';
  const offset = Number(queryParameter(request, 'offset')) || 0;
  const page = await api.call(listTargets, {
    query: {
      limit: PAGE_SIZE,
      offset,
      ...(search === '' ? {} : { search }),
      ...(selfService ? { selfservice_only: true } : {}),
    },
  });
  const parameters = { search, selfservice_only: selfService ? 'true' : '' };
  const isFiltered = search !== '' || selfService;
  const requestLink = renderRequestLink(session, 'Request it from the lab', search.slice(0, 200));
  const nothing = isFiltered
    ? markup`<p>No target matches. <a href="/targets">Show all</a></p>${requestLink !== null && markup`<p>Not in the catalog? ${requestLink}</p>`}`
    : markup`<h2>No targets yet</h2><p class="muted">The lab has no antigens in its catalog.</p>${renderRequestLink(session, 'Request a target')}`;
  const body = markup`<div class="page-head"><h1>Targets</h1><span class="actions"><a class="button quiet-link" href="${REQUESTS_PATH}">Your requests</a>${canCall(session, createCustomTargetRequest) && markup`<a class="button" href="${REQUESTS_PATH}/new">Request a target</a>`}</span></div>
<form class="filters" method="get" action="/targets" role="search">
<div class="field"><label for="search">Name, gene or UniProt id</label><input id="search" type="search" name="search" value="${search}" maxlength="200"></div>
<label class="check"><input type="checkbox" name="selfservice_only" value="true"${selfService && markup` checked`}> <span>Immediate price only</span></label>
<button>Filter</button></form>
<section class="card flush" aria-label="Targets">${page.items.length === 0 ? markup`<div class="empty">${nothing}</div>` : markup`${renderTable(page.items)}${renderPager('/targets', parameters, page, PAGE_SIZE, 'target')}`}</section>`;
  return { title: 'Targets', body, section: 'targets' };
}

type Item = Output<typeof listTargets>['items'][number];

function renderTable(items: readonly Item[]): Markup {
  const rows = items.map(
    (
      item,
    ) => markup`<tr><th scope="row"><a href="/targets/${item.id}"><bdi>${item.name}</bdi></a><span class="sub">${item.family}</span></th>
<td data-label="Gene">${item.gene_names[0] ?? '–'}</td>
<td data-label="UniProt"><span class="mono">${item.uniprot_id ?? '–'}</span></td>
<td data-label="Organism"><i>${item.organism ?? '–'}</i></td>
<td data-label="Price">${renderPrice(item.pricing)}</td></tr>`,
  );
  return markup`<table class="folding"><thead><tr><th scope="col">Target</th><th scope="col">Gene</th><th scope="col">UniProt</th><th scope="col">Organism</th><th scope="col">Material price</th></tr></thead><tbody>${rows}</tbody></table>`;
}

export function renderPrice(pricing: TargetPricing | null | undefined): Markup {
  if (pricing === null || pricing === undefined) return markup`<span class="muted">On request</span>`;
  if (pricing.type === 'per_sequence')
    return markup`<span class="lot">${formatUsd(pricing.price_per_sequence_cents)} <span class="muted">per sequence</span></span>`;
  const lots: Part = pricing.lot_prices.map(
    (lot) =>
      markup`<span class="lot">${formatUsd(lot.price_usdcent)} <span class="muted">for up to ${lot.num_sequences}</span></span>`,
  );
  return markup`<span>${lots}</span>`;
}

export async function loadTargetPage({ api, request, session }: PortalContext): Promise<PageContent> {
  const target = await api.call(getTargetInfo, { params: { target_id: getPathParameter(request, 'id') } });
  const body = markup`<nav class="crumbs" aria-label="Breadcrumb"><a href="/targets">Targets</a></nav>
<div class="page-head"><div><p class="over">${target.family ?? 'Target'}</p><h1><bdi>${target.name}</bdi></h1></div>${canCall(session, createExperiment) && markup`<a class="button primary" href="/experiments/new?target_id=${target.id}">New experiment</a>`}</div>
<div class="columns"><div class="stack">${renderAbout(target)}${renderConstruct(target)}</div>
<div class="stack"><section class="card" aria-labelledby="price"><h2 id="price">Material price</h2><p>${renderPrice(target.pricing)}</p>${target.selfservice ? markup`<p class="hint">Experiments with this target are priced at once.</p>` : markup`<p class="hint">The lab quotes experiments with this target individually.</p>`}</section></div></div>`;
  const { id, name } = target;
  return { title: name, body, section: 'targets', api: { path: `/targets/${id}`, id } };
}

export function renderAbout(target: TargetInfo): Markup {
  const { details } = target;
  const facts: readonly (readonly [string, Part])[] = [
    ['Organism', target.organism && markup`<i>${target.organism}</i>`],
    ['Genes', target.gene_names.join(', ')],
    [
      'UniProt',
      target.uniprot_id &&
        markup`<a href="https://www.uniprot.org/uniprotkb/${target.uniprot_id}" rel="noreferrer external">${target.uniprot_id}</a>`,
    ],
    ['Synonyms', details?.synonyms?.join(', ')],
    ['Location', details?.subcellular_locations?.join(', ')],
    ['Supplier', `${target.vendor_name}, ${target.catalog_number}`],
  ];
  return markup`<section class="card" aria-labelledby="about"><h2 id="about">About</h2>${details?.description && markup`<p class="description">${details.description}</p>`}${renderFacts(facts)}</section>`;
}

export function renderConstruct({ details }: TargetInfo): Markup | null {
  if (details === null || details === undefined) return null;
  const facts: readonly (readonly [string, Part])[] = [
    ['Construct', details.construct],
    [
      'Length',
      typeof details.sequence_length === 'number' && formatCount(details.sequence_length, 'residue'),
    ],
    ['Molecular weight', details.molecular_weight],
    ['Expressed in', details.expression_system],
    ['Tags', details.tags?.join(', ')],
    ['Purity', typeof details.purity === 'number' && `${details.purity} %`],
  ];
  const isEmpty = facts.every(([, value]) => !value) && !details.sequence;
  if (isEmpty) return null;
  return markup`<section class="card" aria-labelledby="construct"><h2 id="construct">Construct</h2>${renderFacts(facts)}${details.sequence && markup`<pre class="copy residues" tabindex="0">${details.sequence.replaceAll(/.{10}(?=.)/g, '$& ')}</pre>`}</section>`;
}
