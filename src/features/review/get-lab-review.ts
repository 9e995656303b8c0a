import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { selectPresentVersion, selectReleasedVersion, selectReleaseState } from '../results/release-store.ts';
import type { getLabReview as operation } from './contract.ts';
import { findLastJudgment, findLastRelease, isAnalysisOpen } from './rules.ts';
import { selectDecisions, selectReviewEvents } from './store.ts';
import { describeShortfall } from './shortfall.ts';
import { requireLabExperiment } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/review`. */
export async function getLabReview(input: Input<typeof operation>, context: ReadContext) {
  const { sql, site } = context;
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  const { id, status } = experiment;
  const version = await selectPresentVersion(labScope, sql, id);
  const released = await selectReleasedVersion(labScope, sql, id);
  const state = await selectReleaseState(labScope, sql, { experimentId: id, version });
  const events = await selectReviewEvents(labScope, sql, id);
  const isPending = version > (findLastRelease(events)?.version ?? released);
  const awaited = { in_review: 'release', done: isPending ? 'amendment' : null } as const;
  return {
    experiment_id: id,
    experiment_code: experiment.code,
    status,
    results_status: experiment.results_status,
    version,
    released_version: released === 0 ? null : released,
    awaits: status === 'in_review' || status === 'done' ? awaited[status] : null,
    is_analysis_open: isAnalysisOpen(events),
    second_person: {
      is_needed: site.needsSecondPerson,
      not_by: findLastJudgment(events)?.actor ?? null,
    },
    shortfall: await describeShortfall(sql, { experimentId: id, version }),
    sequences: state.map(({ name, isReleased }) => ({ name, is_released: isReleased })),
    decisions: await selectDecisions(labScope, sql, id),
    events: events.map(({ action, version: of, reason, actor, created_at: createdAt }) => ({
      action,
      version: of,
      reason,
      actor,
      created_at: createdAt,
    })),
  };
}
