/** The targets of the catalog as the options of a form. */
import { listTargets, type TargetInfo } from '../contract.ts';
import type { PortalContext } from '#ui/context.ts';
import { markup, type Part, type Markup } from '#ui/markup.ts';
import { modifyExperiment, type ExpInfo } from '../../experiments/contract.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderFormFields } from '#ui/form.ts';
import { renderRequestLink, REQUESTS_PATH, type RequestItem } from './target-request-pieces.ts';

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

/** What an experiment says whose requested target the lab declined, and the form that gives a draft another one. */
export async function renderDeclinedTarget(
  { id, name, answer }: RequestItem,
  experiment: ExpInfo,
  { api, session, parts }: Pick<PortalContext, 'api' | 'session' | 'parts'>,
): Promise<Markup> {
  const said = markup`The lab declined the requested target <a href="${REQUESTS_PATH}/${id}"><bdi>${name}</bdi></a>: <bdi>${answer}</bdi>`;
  if (experiment.status === 'canceled') return markup`<p class="note attention form-note">${said}</p>`;
  if (experiment.status !== 'draft')
    return markup`<p class="note attention form-note">${said} You can cancel the experiment and order it with another target.</p>`;
  if (!canCall(session, modifyExperiment) || !canCall(session, listTargets))
    return markup`<p class="note attention form-note">${said} The draft cannot be quoted before a member of your organization gives it another target.</p>`;
  const targets = await loadTargetChoices({ api });
  return markup`<section class="card stack form-note" aria-labelledby="declined"><h2 id="declined">Choose another target</h2><p class="note attention">${said}</p>
${targets.length > 0 && renderChoice(experiment.code, targets, session, parts.work.ids.createSecret())}
<p class="hint">${targets.length > 0 ? 'Not in the list? ' : 'The catalog has no target yet. '}${renderRequestLink(session, 'Request one anew', name)}; once the lab has approved it, choose it here.</p></section>`;
}

function renderChoice(code: string, targets: readonly TargetInfo[], session: Session, key: string): Markup {
  return markup`<form method="post" action="/experiments/${code}/target" class="fields">${renderFormFields(session, key)}
<div class="field"><label for="target">Target</label><select id="target" name="target_id" required><option value="">Choose a target</option>${renderTargetOptions(targets)}</select></div>
<div><button class="primary">Use this target</button></div></form>`;
}
