/** Progress of an experiment: its steps and updates. */
import { formatCount } from '#core/words.ts';
import { experimentStatuses, isTerminal, type ExperimentStatus } from '#core/lifecycle.ts';
import type { Output } from '#core/operation.ts';
import type { ExpInfo } from '../contract.ts';
import type { getExperimentUpdates } from '../../updates/contract.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { statusWords, renderTime } from '#ui/words.ts';

const STEPS: readonly { readonly label: string; readonly statuses: readonly ExperimentStatus[] }[] = [
  { label: 'Draft', statuses: ['draft'] },
  { label: 'Quote', statuses: ['waiting_for_confirmation', 'quote_sent'] },
  { label: 'Materials', statuses: ['waiting_for_materials'] },
  { label: 'Queue', statuses: ['in_queue'] },
  { label: 'Production', statuses: ['in_production'] },
  { label: 'Analysis', statuses: ['data_analysis'] },
  { label: 'Review', statuses: ['in_review'] },
  { label: 'Results', statuses: ['done'] },
];

export function renderStepper(status: ExperimentStatus): Markup | null {
  const at = STEPS.findIndex(({ statuses }) => statuses.includes(status));
  if (at === -1) return null;
  const isOver = isTerminal(status);
  const items = STEPS.map(({ label }, index) => {
    const state = index < at || isOver ? 'past' : index === at ? 'now' : 'ahead';
    const spoken = { past: 'done', now: 'now', ahead: 'to come' }[state];
    return markup`<li class="${state}"${state === 'now' && markup` aria-current="step"`}>${label}<span class="visually-hidden"> (${spoken})</span></li>`;
  });
  return markup`<ol class="stepper" aria-label="Progress">${items}</ol>`;
}

type Update = Output<typeof getExperimentUpdates>['items'][number];

/** Updates in sight at first; the earlier ones are folded. */
const UPDATES_OPEN = 6;

/** Newest first, because readers look for the latest update. */
export function renderTimeline(updates: readonly Update[], total: number): Markup {
  const items = updates.map(
    (
      update,
    ) => markup`<li class="${update.type}"><p><strong>${update.name}</strong>${renderReachedState(update)} <span class="hint">${renderTime(update.timestamp)}</span></p>
${renderDescription(update)}</li>`,
  );
  const earlier = items.slice(UPDATES_OPEN);
  const more =
    total > updates.length &&
    markup`<p class="hint">The API has ${formatCount(total - updates.length, 'earlier update')}.</p>`;
  return markup`<section class="card" aria-labelledby="timeline"><h2 id="timeline">Timeline</h2><ol class="timeline">${items.slice(0, UPDATES_OPEN)}</ol>${earlier.length > 0 && markup`<details id="earlier"><summary>${earlier.length} earlier</summary><ol class="timeline">${earlier}</ol></details>`}${more}</section>`;
}

/** Renders the status that was reached, unless the title contains it. */
function renderReachedState({ name, status }: Update): Markup | null {
  if (status === null || status === undefined || !isStatus(status) || statusWords[status] === name)
    return null;
  return markup` <span class="muted">→ ${statusWords[status]}</span>`;
}

/** The feed names a quote by its id, which the page shows by its number. */
function renderDescription({ description, quote_number: number }: Update): Markup | null {
  if (description === null || description === undefined) return null;
  return /^qt_[0-9a-f]{32}$/.test(description)
    ? markup`<p class="muted"><a href="/quotes/${description}">Open the quote${Boolean(number) && ` ${number}`}</a></p>`
    : markup`<p class="muted">${description}</p>`;
}

function isStatus(text: string): text is ExperimentStatus {
  return experimentStatuses.some((status) => status === text);
}

const SANDBOX_SECONDS = 3;
const LIVE_SECONDS = 60;
const LAB_STATES: ReadonlySet<string> = new Set([
  'waiting_for_materials',
  'in_queue',
  'in_production',
  'data_analysis',
  'in_review',
]);

/** A page reloads itself only while the lab or the service has to act next. */
export function refreshSeconds(experiment: ExpInfo, isSandbox: boolean): number | undefined {
  const { status, costs } = experiment;
  const isUnpaid = costs?.type === 'invoiced' && costs.status !== 'paid';
  const isMoving =
    (LAB_STATES.has(status) && !isUnpaid) ||
    (status === 'waiting_for_confirmation' && costs?.type === 'estimate');
  if (!isMoving) return undefined;
  return isSandbox ? SANDBOX_SECONDS : LIVE_SECONDS;
}
