/** What the run in production measures again, as the review decided it. */
import { formatCount } from '#core/counts.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { LabExperiment } from '../../queue/contract.ts';
import { listOpenRepeats } from '../rules.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Review } from './decision-rows.ts';

export function renderRepeatsCard({ decisions }: Review, { runs }: LabExperiment): Markup | null {
  const open = listOpenRepeats(decisions, runs);
  if (open.length === 0) return null;
  const rows = open.map(
    (
      each,
    ) => markup`<li><div><strong><bdi>${each.sequence}</bdi></strong>, replicate ${each.replicate}${each.concentration_m !== null && markup`, ${formatConcentration(each.concentration_m)}`}
<p class="hint">Before on <bdi>${each.plate}</bdi>${each.well !== null && ` in ${each.well}`}${each.reason !== null && markup`: <bdi>${each.reason}</bdi>`}</p></div></li>`,
  );
  return markup`<section class="card" aria-labelledby="repeats"><h2 id="repeats">Measure again: ${formatCount(open.length, 'measurement')}</h2><ul class="rows">${rows}</ul></section>`;
}
